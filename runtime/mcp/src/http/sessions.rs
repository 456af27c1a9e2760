//! Which sessions there are, whose they are, and which one ends when. Pure: times are handed in, and nothing is opened or closed
//! here.
//!
//! A session ends when it has had neither a request nor an open stream for a while. It ends earlier where another needs its
//! place: clients that are killed leave sessions behind, and those must not keep a living client out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use intentbox_engine::Principal;
use intentbox_listen::ConcurrencyLimit;
use tokio::time::Instant;

/// The id of a session, as clients send it.
pub(super) type Id = Arc<str>;

/// The shortest idle limit. A shorter one would end a session between two requests of its handshake.
const IDLE_MIN: Duration = Duration::from_secs(1);

/// The table of sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    limit: ConcurrencyLimit,
    idle_max: Duration,
    /// How many sessions of a principal are being opened. They count already.
    opening: BTreeMap<Principal, usize>,
    open: HashMap<Id, Session>,
}

/// One session.
#[derive(Debug)]
struct Session {
    principal: Principal,
    /// The streams of events that a client reads.
    streams: usize,
    /// The last request, or the end of the last stream.
    used: Instant,
}

/// No session can be opened: each one that could give way has an open stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AllInUse;

/// What is left of a session's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remaining {
    /// It does not end before this time has passed.
    AtLeast(Duration),
    /// It has been idle for as long as it may.
    Nothing,
    /// There is no such session.
    Unknown,
}

impl Sessions {
    /// No sessions yet.
    ///
    /// - `limit`: how many there may be, those that are being opened included.
    /// - `idle_max`: how long one may have neither a request nor an open stream.
    pub(super) fn new(limit: ConcurrencyLimit, idle_max: Duration) -> Self {
        Self { limit, idle_max: idle_max.max(IDLE_MIN), opening: BTreeMap::new(), open: HashMap::new() }
    }

    /// Reserves a place for a session of this principal. Gives the session that has ended for it, if there was no free place.
    ///
    /// Within a principal the session that was idle for the longest time gives way. If all principals together have as many
    /// as is allowed, one of those who hold the most gives way, and nobody loses one to somebody who holds as many.
    pub(super) fn reserve(&mut self, principal: &Principal) -> Result<Option<Id>, AllInUse> {
        let held = self.held();
        let own = held.get(principal).copied().unwrap_or(0);
        let gives_way = if own >= self.limit.per_principal {
            Some(self.longest_idle(|session| (session.principal == *principal).then_some(0)).ok_or(AllInUse)?)
        } else if held.values().sum::<usize>() >= self.limit.total {
            let holds = |session: &Session| held.get(&session.principal).copied().unwrap_or(0);
            let may_lose = |session: &Session| session.principal == *principal || holds(session) > own;
            Some(self.longest_idle(|session| may_lose(session).then(|| holds(session))).ok_or(AllInUse)?)
        } else {
            None
        };
        if let Some(id) = &gives_way {
            self.open.remove(id);
        }
        *self.opening.entry(principal.clone()).or_default() += 1;
        Ok(gives_way)
    }

    /// Gives a reserved place back.
    pub(super) fn release(&mut self, principal: &Principal) {
        if let Some(count) = self.opening.get_mut(principal) {
            *count -= 1;
            if *count == 0 {
                self.opening.remove(principal);
            }
        }
    }

    /// Records a session that was opened in a reserved place.
    pub(super) fn opened(&mut self, id: Id, principal: Principal, now: Instant) {
        self.release(&principal);
        self.open.insert(id, Session { principal, streams: 0, used: now });
    }

    /// Records a request, and says whether the session belongs to this principal. An unknown one belongs to nobody.
    pub(super) fn note_use(&mut self, id: &str, principal: &Principal, now: Instant) -> bool {
        let session = self.open.get_mut(id).filter(|session| session.principal == *principal);
        session.map(|session| session.used = now).is_some()
    }

    /// Records a stream that a client reads.
    pub(super) fn stream_opened(&mut self, id: &str) {
        if let Some(session) = self.open.get_mut(id) {
            session.streams += 1;
        }
    }

    /// Records the end of a stream.
    pub(super) fn stream_closed(&mut self, id: &str, now: Instant) {
        if let Some(session) = self.open.get_mut(id) {
            session.streams = session.streams.saturating_sub(1);
            session.used = now;
        }
    }

    /// What is left of a session's time.
    pub(super) fn remaining(&self, id: &str, now: Instant) -> Remaining {
        let Some(session) = self.open.get(id) else { return Remaining::Unknown };
        if session.streams > 0 {
            return Remaining::AtLeast(self.idle_max);
        }
        match self.idle_max.saturating_sub(now.saturating_duration_since(session.used)) {
            Duration::ZERO => Remaining::Nothing,
            left => Remaining::AtLeast(left),
        }
    }

    /// Removes a session, and says whether it was there.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        self.open.remove(id).is_some()
    }

    /// How many places each principal holds.
    fn held(&self) -> BTreeMap<Principal, usize> {
        let mut held = self.opening.clone();
        for session in self.open.values() {
            *held.entry(session.principal.clone()).or_default() += 1;
        }
        held
    }

    /// Of the sessions without a stream that have a rank, those of the highest rank; of these, the one that was idle for the
    /// longest time.
    fn longest_idle(&self, rank: impl Fn(&Session) -> Option<usize>) -> Option<Id> {
        let idle = self.open.iter().filter(|(_, session)| session.streams == 0);
        let ranked = idle.filter_map(|(id, session)| Some((Reverse(rank(session)?), session.used, id)));
        // The id decides between equals, so that equal tables decide alike.
        ranked.min().map(|(_, _, id)| Arc::clone(id))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IDLE_MAX: Duration = Duration::from_mins(10);
    const LIMIT: ConcurrencyLimit = ConcurrencyLimit { per_principal: 4, total: 10 };

    fn of(name: &str) -> Principal {
        Principal::named(name)
    }

    /// A table with its clock, which moves by a second with every session that is opened.
    struct Table {
        sessions: Sessions,
        now: Instant,
        count: usize,
    }

    impl Table {
        fn new() -> Self {
            Self { sessions: Sessions::new(LIMIT, IDLE_MAX), now: Instant::now(), count: 0 }
        }

        /// Opens a session: its id, and the id of the one that gave way.
        fn open(&mut self, principal: &str) -> Result<(Id, Option<Id>), AllInUse> {
            let gave_way = self.sessions.reserve(&of(principal))?;
            self.now += Duration::from_secs(1);
            self.count += 1;
            let id: Id = format!("{principal}{}", self.count).into();
            self.sessions.opened(Arc::clone(&id), of(principal), self.now);
            Ok((id, gave_way))
        }

        fn fill(&mut self, principal: &str, count: usize) -> Vec<Id> {
            (0..count).map(|_| self.open(principal).expect("there is a place").0).collect()
        }

        fn gives_way(&mut self, principal: &str) -> Result<Option<Id>, AllInUse> {
            self.open(principal).map(|(_, gave_way)| gave_way)
        }
    }

    #[test]
    fn the_longest_idle_session_gives_way_to_a_new_one_of_its_principal() {
        let mut table = Table::new();
        let own = table.fill("a", 4);
        table.fill("b", 1);
        // The first was used again, and of the second somebody reads a stream.
        table.now += Duration::from_secs(1);
        assert!(table.sessions.note_use(&own[0], &of("a"), table.now));
        table.sessions.stream_opened(&own[1]);
        assert_eq!(table.gives_way("a"), Ok(Some(Arc::clone(&own[2]))));
        assert_eq!(table.gives_way("a"), Ok(Some(Arc::clone(&own[3]))));
        assert_eq!(table.gives_way("a"), Ok(Some(Arc::clone(&own[0]))));
        assert!(table.sessions.note_use(&own[1], &of("a"), table.now));
        assert_eq!(table.gives_way("b"), Ok(None), "others have their own places");
    }

    #[test]
    fn a_session_with_a_stream_never_gives_way() {
        let mut table = Table::new();
        let own = table.fill("a", 4);
        for id in &own {
            table.sessions.stream_opened(id);
        }
        assert_eq!(table.gives_way("a"), Err(AllInUse));
        table.sessions.stream_closed(&own[3], table.now);
        assert_eq!(table.gives_way("a"), Ok(Some(Arc::clone(&own[3]))));
    }

    #[test]
    fn who_holds_the_most_gives_way_where_all_places_are_taken() {
        let mut table = Table::new();
        let small = table.fill("a", 3);
        let large = table.fill("b", 4);
        table.fill("c", 3);
        assert_eq!(table.gives_way("d"), Ok(Some(Arc::clone(&large[0]))));
        // Now nobody holds more than three, and whoever holds three gives one of its own.
        assert_eq!(table.gives_way("a"), Ok(Some(Arc::clone(&small[0]))));
    }

    #[test]
    fn a_place_is_counted_from_its_reservation_and_given_back() {
        let mut table = Table::new();
        for _ in 0..4 {
            assert_eq!(table.sessions.reserve(&of("a")), Ok(None));
        }
        assert_eq!(table.sessions.reserve(&of("a")), Err(AllInUse));
        table.sessions.release(&of("a"));
        assert_eq!(table.sessions.reserve(&of("a")), Ok(None));
    }

    #[test]
    fn a_session_ends_after_its_idle_limit_and_not_while_a_stream_is_open() {
        let mut table = Table::new();
        let id = table.fill("a", 1).remove(0);
        let second = Duration::from_secs(1);
        let remaining = |table: &Table, passed| table.sessions.remaining(&id, table.now + passed);
        assert_eq!(remaining(&table, Duration::ZERO), Remaining::AtLeast(IDLE_MAX));
        assert_eq!(remaining(&table, IDLE_MAX.saturating_sub(second)), Remaining::AtLeast(second));
        assert_eq!(remaining(&table, IDLE_MAX), Remaining::Nothing);
        table.sessions.stream_opened(&id);
        assert_eq!(remaining(&table, IDLE_MAX * 100), Remaining::AtLeast(IDLE_MAX));
        table.now += IDLE_MAX * 100;
        table.sessions.stream_closed(&id, table.now);
        assert_eq!(
            remaining(&table, IDLE_MAX.saturating_sub(second)),
            Remaining::AtLeast(second),
            "the end of a stream is a use"
        );
        assert_eq!(remaining(&table, IDLE_MAX), Remaining::Nothing);
        assert!(table.sessions.remove(&id));
        assert_eq!(remaining(&table, Duration::ZERO), Remaining::Unknown);
    }

    #[test]
    fn a_session_is_used_by_its_own_principal_only() {
        let mut table = Table::new();
        let id = table.fill("a", 1).remove(0);
        let later = table.now + IDLE_MAX / 2;
        assert!(!table.sessions.note_use(&id, &of("b"), later));
        assert_eq!(table.sessions.remaining(&id, later), Remaining::AtLeast(IDLE_MAX / 2));
        assert!(table.sessions.note_use(&id, &of("a"), later));
        assert_eq!(table.sessions.remaining(&id, later), Remaining::AtLeast(IDLE_MAX));
    }

    /// What may happen to a table. Sessions are meant by a number, counted around.
    #[derive(Debug, Clone)]
    enum Step {
        Open(usize),
        Use(usize),
        OpenStream(usize),
        CloseStream(usize),
        Remove(usize),
        Pass(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..4_usize).prop_map(Step::Open),
            1 => (0..40_usize).prop_map(Step::Use),
            2 => (0..40_usize).prop_map(Step::OpenStream),
            1 => (0..40_usize).prop_map(Step::CloseStream),
            1 => (0..40_usize).prop_map(Step::Remove),
            1 => (0..900_u64).prop_map(Step::Pass),
        ]
    }

    /// Whether this is the right answer to a request for a place, by the table as it was before.
    fn is_right(before: &Sessions, principal: &Principal, answer: &Result<Option<Id>, AllInUse>) -> bool {
        let held = before.held();
        let own = held.get(principal).copied().unwrap_or(0);
        let is_own_full = own >= LIMIT.per_principal;
        let is_full = is_own_full || before.open.len() >= LIMIT.total;
        let idle = || before.open.values().filter(|session| session.streams == 0);
        let may_lose = |session: &Session| {
            session.principal == *principal || (!is_own_full && held.get(&session.principal) > Some(&own))
        };
        match answer {
            Ok(None) => !is_full,
            Ok(Some(id)) => {
                let lost = &before.open[id];
                let longest = idle().filter(|session| session.principal == lost.principal).map(|session| session.used);
                is_full && lost.streams == 0 && may_lose(lost) && longest.min() == Some(lost.used)
            }
            Err(AllInUse) => is_full && !idle().any(may_lose),
        }
    }

    proptest! {
        #[test]
        fn whatever_happens_no_limit_is_exceeded_and_only_idle_sessions_give_way(
            steps in proptest::collection::vec(step(), 0..200)
        ) {
            let mut table = Table::new();
            for step in steps {
                let mut ids: Vec<Id> = table.sessions.open.keys().cloned().collect();
                ids.sort();
                let pick = |index: usize| ids.get(index % ids.len().max(1)).cloned().unwrap_or_else(|| "none".into());
                match step {
                    Step::Open(who) => {
                        let name = ["a", "b", "c", "d"][who];
                        let before = Sessions {
                            limit: LIMIT,
                            idle_max: IDLE_MAX,
                            opening: BTreeMap::new(),
                            open: table.sessions.open.iter().map(|(id, session)| {
                                let Session { principal, streams, used } = session;
                                let copy = Session { principal: principal.clone(), streams: *streams, used: *used };
                                (Arc::clone(id), copy)
                            }).collect(),
                        };
                        let answer = table.gives_way(name);
                        prop_assert!(is_right(&before, &of(name), &answer), "{answer:?} of {before:?}");
                    }
                    Step::Use(index) => {
                        table.sessions.note_use(&pick(index), &of("a"), table.now);
                    }
                    Step::OpenStream(index) => table.sessions.stream_opened(&pick(index)),
                    Step::CloseStream(index) => table.sessions.stream_closed(&pick(index), table.now),
                    Step::Remove(index) => {
                        table.sessions.remove(&pick(index));
                    }
                    Step::Pass(seconds) => table.now += Duration::from_secs(seconds),
                }
                let held = table.sessions.held();
                prop_assert!(held.values().all(|count| *count <= LIMIT.per_principal));
                prop_assert!(held.values().sum::<usize>() <= LIMIT.total);
            }
        }
    }
}
