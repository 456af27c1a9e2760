//! How much each principal keeps, and which quota leaves no room for more.

use std::collections::HashMap;

use crate::job::Quota;
use crate::jobs::JobQuotas;

/// How long a count is taken as it is where it leaves no room, in milliseconds: what other processes begin and remove counts after that.
const COUNTED_MS: u64 = 1_000;

/// How much of something each principal has: as counted last, with what this process has added and taken since.
#[derive(Debug, Default)]
struct Tally {
    /// When it was counted; nothing before.
    counted_ms: Option<i64>,
    all: u64,
    of: HashMap<String, u64>,
}

impl Tally {
    fn counted(counts: Vec<(String, u64)>, now_ms: i64) -> Self {
        let mut tally = Self { counted_ms: Some(now_ms), ..Self::default() };
        for (principal, count) in counts {
            tally.add(&principal, count);
        }
        tally
    }

    fn add(&mut self, principal: &str, more: u64) {
        self.all = self.all.saturating_add(more);
        if more > 0 {
            let of = self.of.entry(principal.to_owned()).or_default();
            *of = of.saturating_add(more);
        }
    }

    fn take(&mut self, principal: &str, less: u64) {
        self.all = self.all.saturating_sub(less);
        if let Some(of) = self.of.get_mut(principal) {
            *of = of.saturating_sub(less);
        }
    }

    fn of(&self, principal: &str) -> u64 {
        self.of.get(principal).copied().unwrap_or(0)
    }

    fn is_old(&self, now_ms: i64) -> bool {
        self.counted_ms.is_none_or(|counted_ms| now_ms.abs_diff(counted_ms) >= COUNTED_MS)
    }
}

/// What a submission adds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addition<'a> {
    pub(crate) principal: &'a str,
    pub(crate) jobs: u64,
    /// Of long texts.
    pub(crate) bytes: u64,
}

/// What leaves no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) quota: Quota,
    /// Whether it is the quota of the principal, and not that of all together.
    pub(crate) is_own: bool,
    /// How much would have to go.
    pub(crate) missing: u64,
    /// Whether the addition is more than all of the quota.
    pub(crate) is_never: bool,
}

/// The room that the quotas leave.
#[derive(Debug)]
pub(crate) struct Room {
    quotas: JobQuotas,
    waiting: Tally,
    bytes: Tally,
}

impl Room {
    pub(crate) fn new(quotas: JobQuotas) -> Self {
        Self { quotas, waiting: Tally::default(), bytes: Tally::default() }
    }

    /// Has everything counted before the next job is accepted.
    pub(crate) fn forget(&mut self) {
        (self.waiting.counted_ms, self.bytes.counted_ms) = (None, None);
    }

    /// Whether the jobs that wait have to be counted before it is known whether an addition fits.
    pub(crate) fn wants_waiting(&self, addition: Addition<'_>, now_ms: i64) -> bool {
        let is_over = self.lacks(addition).is_some_and(|lack| matches!(lack.quota, Quota::Waiting(_)));
        self.waiting.counted_ms.is_none() || is_over && self.waiting.is_old(now_ms)
    }

    /// The same for bytes of long texts.
    pub(crate) fn wants_bytes(&self, addition: Addition<'_>, now_ms: i64) -> bool {
        let is_over = self.lacks(addition).is_some_and(|lack| matches!(lack.quota, Quota::LongBytes(_)));
        addition.bytes > 0 && (self.bytes.counted_ms.is_none() || is_over && self.bytes.is_old(now_ms))
    }

    pub(crate) fn count_waiting(&mut self, counts: Vec<(String, u64)>, now_ms: i64) {
        self.waiting = Tally::counted(counts, now_ms);
    }

    pub(crate) fn count_bytes(&mut self, counts: Vec<(String, u64)>, now_ms: i64) {
        self.bytes = Tally::counted(counts, now_ms);
    }

    pub(crate) fn add(&mut self, addition: Addition<'_>) {
        self.waiting.add(addition.principal, addition.jobs);
        self.add_bytes(addition.principal, addition.bytes);
    }

    /// Adds what a report takes.
    pub(crate) fn add_bytes(&mut self, principal: &str, bytes: u64) {
        self.bytes.add(principal, bytes);
    }

    /// Takes a job that waits no longer.
    pub(crate) fn begin(&mut self, principal: &str) {
        self.waiting.take(principal, 1);
    }

    /// Takes what was removed: bytes of whom.
    pub(crate) fn remove(&mut self, removed: &[(String, u64)]) {
        for (principal, bytes) in removed {
            self.bytes.take(principal, *bytes);
        }
    }

    /// What leaves no room for an addition, as far as this process knows.
    pub(crate) fn lacks(&self, addition: Addition<'_>) -> Option<Lack> {
        let Addition { principal, jobs, bytes } = addition;
        let quotas = &self.quotas;
        let bounds = [
            (jobs, self.waiting.all, Quota::Waiting(quotas.waiting_max), false),
            (jobs, self.waiting.of(principal), Quota::Waiting(quotas.waiting_of_principal_max), true),
            (bytes, self.bytes.of(principal), Quota::LongBytes(quotas.long_bytes_of_principal_max), true),
            (bytes, self.bytes.all, Quota::LongBytes(quotas.long_bytes_max), false),
        ];
        bounds.into_iter().find_map(|(more, have, quota, is_own)| {
            let (Quota::Waiting(most) | Quota::LongBytes(most)) = quota;
            let missing = have.saturating_add(more).saturating_sub(most);
            (more > 0 && missing > 0).then_some(Lack { quota, is_own, missing, is_never: more > most })
        })
    }

    /// Whether somebody may have more than the quotas of bytes allow.
    pub(crate) fn bounds_bytes(&self) -> bool {
        self.quotas.long_bytes_max < u64::MAX
    }

    /// Who has how many bytes too much, as far as this process knows; `None` for all together.
    pub(crate) fn over(&self) -> Vec<(Option<String>, u64)> {
        if self.bytes.counted_ms.is_none() {
            return Vec::new();
        }
        let JobQuotas { long_bytes_max: all, long_bytes_of_principal_max: own, .. } = self.quotas;
        let excess = |(principal, bytes): (&String, &u64)| {
            bytes.checked_sub(own).filter(|excess| *excess > 0).map(|excess| (Some(principal.clone()), excess))
        };
        let of_all = self.bytes.all.saturating_sub(all);
        self.bytes.of.iter().filter_map(excess).chain((of_all > 0).then_some((None, of_all))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTAS: JobQuotas = JobQuotas {
        waiting_max: 5,
        waiting_of_principal_max: 3,
        long_bytes_max: 500,
        long_bytes_of_principal_max: 300,
        days_max: 1,
        file_bytes_max: u64::MAX,
        forgets_early: false,
    };

    fn room(waiting: u64, bytes: u64) -> Room {
        let mut room = Room::new(QUOTAS);
        let of = |alice: u64| vec![("alice".to_owned(), alice), ("bob".to_owned(), 1)];
        room.count_waiting(of(waiting), 0);
        room.count_bytes(of(bytes), 0);
        room
    }

    fn adding(principal: &str, jobs: u64, bytes: u64) -> Addition<'_> {
        Addition { principal, jobs, bytes }
    }

    #[test]
    fn a07_each_quota_leaves_room_to_its_last_job_and_byte() {
        use Quota::{LongBytes, Waiting};
        let lack = |quota, is_own, missing, is_never| Some(Lack { quota, is_own, missing, is_never });
        let lacks = |principal, jobs, bytes| room(1, 100).lacks(adding(principal, jobs, bytes));
        assert_eq!(lacks("alice", 2, 200), None);
        assert_eq!(lacks("alice", 3, 0), lack(Waiting(3), true, 1, false));
        assert_eq!(lacks("carol", 3, 300), None);
        assert_eq!(lacks("carol", 4, 0), lack(Waiting(5), false, 1, false));
        assert_eq!(lacks("alice", 1, 201), lack(LongBytes(300), true, 1, false));
        assert_eq!(lacks("carol", 1, 301), lack(LongBytes(300), true, 1, true));
        let lacks = |bytes| room(1, 300).lacks(adding("carol", 1, bytes));
        assert_eq!((lacks(199), lacks(200)), (None, lack(LongBytes(500), false, 1, false)));
        // Short requests are accepted where long texts have no room.
        assert_eq!(room(1, 1_000).lacks(adding("alice", 1, 0)), None);
    }

    #[test]
    fn a07_what_leaves_no_room_is_counted_once_a_second_and_what_was_never_counted_at_once() {
        let new = Room::new(QUOTAS);
        assert!(new.wants_waiting(adding("a", 1, 0), 0) && !new.wants_bytes(adding("a", 1, 0), 0));
        assert!(new.wants_bytes(adding("a", 1, 1), 0));
        let room = room(3, 300);
        let (jobs, bytes) = (adding("alice", 1, 0), adding("alice", 0, 1));
        for (now_ms, is_wanted) in [(999, false), (1_000, true)] {
            assert_eq!(room.wants_waiting(jobs, now_ms), is_wanted, "{now_ms}");
            assert_eq!(room.wants_bytes(bytes, now_ms), is_wanted, "{now_ms}");
        }
        let fits = adding("carol", 1, 1);
        assert!(!room.wants_waiting(fits, 9_999) && !room.wants_bytes(fits, 9_999));
    }

    #[test]
    fn a07_what_begins_and_what_is_removed_makes_room() {
        let mut room = room(3, 299);
        room.add_bytes("alice", 2);
        assert_eq!(room.over(), [(Some("alice".to_owned()), 1)]);
        room.remove(&[("alice".to_owned(), 2)]);
        assert_eq!(room.over(), []);
        room.begin("alice");
        assert_eq!(room.lacks(adding("alice", 1, 1)), None);
        room.add(adding("alice", 1, 1));
        assert!(room.lacks(adding("alice", 1, 0)).is_some() && room.lacks(adding("alice", 0, 1)).is_some());
        room.add_bytes("carol", 300);
        assert_eq!(room.over(), [(None, 101)]);
        room.forget();
        assert_eq!(room.over(), []);
    }
}
