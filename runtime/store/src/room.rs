//! How much each principal keeps, and which quota leaves no room for more.

use std::collections::HashMap;

use crate::job::Quota;
use crate::jobs::JobQuotas;

/// How long what can be removed is not looked for again where there was nothing, in milliseconds.
const LOOK_PAUSE_MS: u64 = 1_000;

/// How much of something each principal has, as far as this process knows: so much as was counted last, and what it has added since.
/// Some has gone meanwhile, so that it is never too little, but for what other processes add.
#[derive(Debug, Default)]
struct Amounts {
    all: u64,
    of: HashMap<String, u64>,
}

impl Amounts {
    fn counted(counts: Vec<(String, u64)>) -> Self {
        let mut amounts = Self::default();
        for (principal, count) in counts {
            amounts.add(&principal, count);
        }
        amounts
    }

    fn add(&mut self, principal: &str, more: u64) {
        self.all = self.all.saturating_add(more);
        let of = self.of.entry(principal.to_owned()).or_default();
        *of = of.saturating_add(more);
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
}

/// What a submission adds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addition<'a> {
    pub(crate) principal: &'a str,
    pub(crate) jobs: u64,
    /// Of long texts.
    pub(crate) bytes: u64,
}

/// Why there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Nothing was counted yet.
    Uncounted,
    /// The quota of the principal.
    Own(Quota),
    /// The quota of all principals together.
    All(Quota),
}

impl Lack {
    fn most(self) -> u64 {
        match self {
            Self::Uncounted => 0,
            Self::Own(Quota::Waiting(most) | Quota::LongBytes(most))
            | Self::All(Quota::Waiting(most) | Quota::LongBytes(most)) => most,
        }
    }
}

/// How many bytes of reports are written before it is looked whose they are.
const REPORTS_BYTES: u64 = 64 << 20;

/// The room that the quotas leave.
#[derive(Debug)]
pub(crate) struct Room {
    quotas: JobQuotas,
    is_counted: bool,
    waiting: Amounts,
    bytes: Amounts,
    /// Bytes of reports since they were counted. They may be anybody's.
    reports: u64,
    /// When nothing was found that could be removed: of a principal, or of all.
    found_nothing_ms: HashMap<Option<String>, i64>,
}

impl Room {
    pub(crate) fn new(quotas: JobQuotas) -> Self {
        let (waiting, bytes) = (Amounts::default(), Amounts::default());
        Self { quotas, is_counted: false, waiting, bytes, reports: 0, found_nothing_ms: HashMap::new() }
    }

    /// Takes what was counted: jobs that wait, and bytes of long texts.
    pub(crate) fn counted(&mut self, waiting: Vec<(String, u64)>, bytes: Vec<(String, u64)>) {
        (self.waiting, self.bytes) = (Amounts::counted(waiting), Amounts::counted(bytes));
        (self.is_counted, self.reports) = (true, 0);
    }

    /// Has it counted before the next job is accepted.
    pub(crate) fn uncounted(&mut self) {
        self.is_counted = false;
    }

    pub(crate) fn add(&mut self, addition: Addition<'_>) {
        self.waiting.add(addition.principal, addition.jobs);
        if addition.bytes > 0 {
            self.bytes.add(addition.principal, addition.bytes);
        }
    }

    pub(crate) fn add_report(&mut self, bytes: u64) {
        self.reports = self.reports.saturating_add(bytes);
    }

    /// The quota that leaves no room, as far as this process knows. It is to be counted then, since others may have begun.
    pub(crate) fn lacks(&self, addition: Addition<'_>) -> Option<Lack> {
        if !self.is_counted {
            return Some(Lack::Uncounted);
        }
        let Addition { principal, jobs, bytes } = addition;
        let quotas = &self.quotas;
        let bounds = [
            (jobs, self.waiting.all, Lack::All(Quota::Waiting(quotas.waiting_max))),
            (jobs, self.waiting.of(principal), Lack::Own(Quota::Waiting(quotas.waiting_of_principal_max))),
            (
                bytes,
                self.bytes.of(principal) + self.reports,
                Lack::Own(Quota::LongBytes(quotas.long_bytes_of_principal_max)),
            ),
            (bytes, self.bytes.all + self.reports, Lack::All(Quota::LongBytes(quotas.long_bytes_max))),
        ];
        let is_over = |(more, have, lack): &(u64, u64, Lack)| *more > 0 && have.saturating_add(*more) > lack.most();
        bounds.into_iter().find(is_over).map(|(_, _, lack)| lack)
    }

    /// Whether so many reports were written that somebody may have too many.
    pub(crate) fn has_many_reports(&self) -> bool {
        self.reports >= REPORTS_BYTES
    }

    /// Who keeps more than they may, as was counted; `None` for all together.
    pub(crate) fn over(&self) -> Vec<Option<String>> {
        let own = self.bytes.of.iter().filter(|(_, bytes)| **bytes > self.quotas.long_bytes_of_principal_max);
        let own = own.map(|(principal, _)| Some(principal.clone()));
        own.chain((self.bytes.all > self.quotas.long_bytes_max).then_some(None)).collect()
    }

    /// Whether it is worth looking for what can be removed.
    pub(crate) fn may_find(&self, whose: Option<&str>, now_ms: i64) -> bool {
        let last = self.found_nothing_ms.get(&whose.map(str::to_owned));
        last.is_none_or(|last| now_ms.abs_diff(*last) >= LOOK_PAUSE_MS)
    }

    /// Takes what was removed: bytes of whom.
    pub(crate) fn removed(&mut self, whose: Option<String>, removed: &[(String, u64)], now_ms: i64) {
        self.found_nothing_ms.retain(|_, last| now_ms.abs_diff(*last) < LOOK_PAUSE_MS);
        if removed.is_empty() {
            self.found_nothing_ms.insert(whose, now_ms);
        }
        for (principal, bytes) in removed {
            self.bytes.take(principal, *bytes);
        }
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
    };

    fn room(waiting: u64, bytes: u64) -> Room {
        let mut room = Room::new(QUOTAS);
        let of = |alice: u64| vec![("alice".to_owned(), alice), ("bob".to_owned(), 1)];
        room.counted(of(waiting), of(bytes));
        room
    }

    #[test]
    fn a07_each_quota_leaves_room_to_its_last_job_and_byte() {
        use Quota::{LongBytes, Waiting};
        let lacks = |principal, jobs, bytes| room(1, 100).lacks(Addition { principal, jobs, bytes });
        assert_eq!(lacks("alice", 2, 200), None);
        assert_eq!(lacks("alice", 3, 0), Some(Lack::Own(Waiting(3))));
        assert_eq!(lacks("carol", 3, 300), None);
        assert_eq!(lacks("carol", 4, 0), Some(Lack::All(Waiting(5))));
        assert_eq!(lacks("alice", 1, 201), Some(Lack::Own(LongBytes(300))));
        let lacks = |bytes| room(1, 300).lacks(Addition { principal: "carol", jobs: 1, bytes });
        assert_eq!((lacks(199), lacks(200)), (None, Some(Lack::All(LongBytes(500)))));
        // Short requests are accepted where long texts have no room.
        assert_eq!(room(1, 1_000).lacks(Addition { principal: "alice", jobs: 1, bytes: 0 }), None);
        assert_eq!(Room::new(QUOTAS).lacks(Addition { principal: "a", jobs: 1, bytes: 0 }), Some(Lack::Uncounted));
    }

    #[test]
    fn a07_reports_may_be_anybodys_until_they_are_counted() {
        let mut room = room(1, 100);
        room.add_report(150);
        let more = Addition { principal: "alice", jobs: 1, bytes: 51 };
        assert_eq!(room.lacks(more), Some(Lack::Own(Quota::LongBytes(300))));
        room.counted(Vec::new(), vec![("bob".to_owned(), 151), ("alice".to_owned(), 100)]);
        assert_eq!(room.lacks(more), None);
        assert_eq!(room.over(), []);
        room.counted(Vec::new(), vec![("bob".to_owned(), 301), ("alice".to_owned(), 200)]);
        assert_eq!(room.over(), [Some("bob".to_owned()), None]);
        room.removed(None, &[("bob".to_owned(), 1)], 0);
        assert_eq!(room.over(), []);
    }

    #[test]
    fn where_nothing_could_be_removed_it_is_looked_again_after_a_second() {
        let mut room = room(1, 100);
        room.removed(Some("alice".to_owned()), &[], 5_000);
        assert!(!room.may_find(Some("alice"), 5_999) && room.may_find(Some("alice"), 6_000));
        assert!(room.may_find(Some("bob"), 5_000) && room.may_find(None, 5_000));
    }
}
