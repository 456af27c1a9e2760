//! The result cache: answers of templates that only read, for as long as the template declares.
//!
//! A key holds everything that a run depends on and that the caller or the operator can change, so a cached answer is
//! the one that a run would give. The grant is part of the key and is computed before the lookup, so an answer does not
//! outlive its permission. Concurrent identical requests share one run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use intentbox_report::{Report, RunId};
use intentbox_sandbox::Tenancy;
use moka::Expiry;
use moka::future::Cache;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// All answers together, in bytes of JSON. Answers are small; this holds tens of thousands.
const BYTES_MAX: u64 = 32 << 20;

/// The largest answer that is kept, in bytes: a few large ones must not drive out the many.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// What an answer depends on, as SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

/// What a [`Key`] is made of.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// Who asks.
    pub(crate) principal: &'a str,
    /// The digest of the template, not its id.
    pub(crate) template_digest: &'a str,
    /// The arguments as JSON text, in declared order.
    pub(crate) arguments: &'a str,
    /// What the run may reach, line by line.
    pub(crate) grant: &'a [String],
    /// The versions of the secrets that it would send.
    pub(crate) secrets: &'a [u64],
}

impl Question<'_> {
    fn key(&self, changes: u64) -> Key {
        let mut hasher = Sha256::new();
        let mut part = |bytes: &[u8]| {
            // The length first, so that no text can move from one part into the next.
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(&changes.to_le_bytes());
        part(self.principal.as_bytes());
        part(self.template_digest.as_bytes());
        part(self.arguments.as_bytes());
        part(&(self.grant.len() as u64).to_le_bytes());
        for line in self.grant {
            part(line.as_bytes());
        }
        for version in self.secrets {
            part(&version.to_le_bytes());
        }
        Key(hasher.finalize().into())
    }
}

/// The answer of a run that succeeded.
#[derive(Debug, Clone)]
struct CachedAnswer {
    result: Option<Box<RawValue>>,
    stdout: String,
    stdout_truncated: bool,
    stderr: String,
    for_s: u32,
}

/// The answers of a process.
#[derive(Debug, Clone)]
pub(crate) struct ResultCache {
    kept: Cache<Key, Arc<CachedAnswer>>,
    /// The number of changes so far. It is part of each key, so that no answer of a run that began before a change is
    /// found after it.
    changes: Arc<AtomicU64>,
}

impl ResultCache {
    pub(crate) fn new() -> Self {
        let weight = |kept: &Arc<CachedAnswer>| {
            let result = kept.result.as_ref().map_or(0, |result| result.get().len());
            let bytes = result + kept.stdout.len() + kept.stderr.len();
            // What an entry costs besides.
            u32::try_from(bytes + 256).unwrap_or(u32::MAX)
        };
        let kept = Cache::builder()
            .max_capacity(BYTES_MAX)
            .weigher(move |_, kept| weight(kept))
            .expire_after(ForSeconds)
            .build();
        Self { kept, changes: Arc::default() }
    }

    /// The key of a question, at this moment.
    pub(crate) fn key(&self, question: &Question<'_>) -> Key {
        question.key(self.changes.load(Ordering::Acquire))
    }

    /// Returns the cached answer as the report of `run_id`, or the report of `run`, which is cached for `for_s` seconds
    /// if it succeeded.
    ///
    /// While one runs, identical requests wait for it, and get its answer if it succeeded. If it failed, each of them
    /// runs itself, since the failure may have been bad luck.
    ///
    /// The answer of a process that has run somebody else's code is not cached: that code may have taken the process
    /// over and forged the answer, which would then outlive it.
    pub(crate) async fn answer<R>(&self, key: Key, for_s: u32, run_id: RunId, run: impl Fn() -> R) -> Report
    where
        R: Future<Output = (Report, Tenancy)>,
    {
        let mut mine = None;
        let entry = self.kept.entry(key).or_optionally_insert_with(async {
            let (report, tenancy) = run().await;
            let kept = keepable(&report, for_s).filter(|_| tenancy == Tenancy::Single).map(Arc::new);
            mine = Some(report);
            kept
        });
        let entry = entry.await;
        match (mine, entry) {
            (Some(report), _) => report,
            (None, Some(entry)) => report_of(entry.value(), run_id),
            (None, None) => run().await.0,
        }
    }

    /// Forgets every answer: something changed, and nobody knows which of them it affects.
    pub(crate) fn forget_all(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.kept.invalidate_all();
    }

    /// Forgets an answer, so that the next run takes its place.
    pub(crate) async fn forget(&self, key: Key) {
        self.kept.invalidate(&key).await;
    }
}

/// The part of a report that is cached: answers that succeeded, without a refusal on the way, and not too large.
fn keepable(report: &Report, for_s: u32) -> Option<CachedAnswer> {
    let result = report.result.as_ref().map_or(0, |result| result.get().len());
    let bytes = result + report.stdout.len() + report.stderr.len();
    // What is said beside an answer belongs to it, such as "4 of 28".
    let whole = report.failure.is_none() && report.refusals.is_empty() && !report.stderr_truncated;
    (whole && bytes <= ANSWER_BYTES_MAX).then(|| CachedAnswer {
        result: report.result.clone(),
        stdout: report.stdout.clone(),
        stdout_truncated: report.stdout_truncated,
        stderr: report.stderr.clone(),
        for_s,
    })
}

fn report_of(kept: &CachedAnswer, run_id: RunId) -> Report {
    Report {
        result: kept.result.clone(),
        stdout: kept.stdout.clone(),
        stdout_truncated: kept.stdout_truncated,
        stderr: kept.stderr.clone(),
        cached: true,
        ..Report::new(run_id)
    }
}

/// Each answer lives as long as its template says.
#[derive(Debug)]
struct ForSeconds;

impl Expiry<Key, Arc<CachedAnswer>> for ForSeconds {
    fn expire_after_create(&self, _: &Key, kept: &Arc<CachedAnswer>, _: Instant) -> Option<Duration> {
        Some(Duration::from_secs(kept.for_s.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use intentbox_report::{Cause, Failure, Outcome};

    use super::*;

    const ID: RunId = RunId::of(1);

    fn question<'a>(principal: &'a str, grant: &'a [String], secrets: &'a [u64]) -> Question<'a> {
        Question { principal, template_digest: "d", arguments: "{}", grant, secrets }
    }

    /// Changing any part changes the key; `("ab", "c")` and `("a", "bc")` are different questions.
    #[test]
    fn l07_a_key_holds_everything_that_an_answer_depends_on() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let (none, one, two) = (lines(&[]), lines(&["a: GET /"]), lines(&["a: GET /", "b: GET /"]));
        let mut keys = vec![
            question("", &none, &[]).key(0),
            question("", &none, &[]).key(1),
            question("me", &none, &[]).key(0),
            question("", &one, &[]).key(0),
            question("", &two, &[]).key(0),
            question("", &one, &[1]).key(0),
            question("", &one, &[2]).key(0),
            question("", &one, &[1, 1]).key(0),
            Question { template_digest: "e", ..question("", &none, &[]) }.key(0),
            Question { arguments: "{\"a\":1}", ..question("", &none, &[]) }.key(0),
            Question { template_digest: "d{", arguments: "}", ..question("", &none, &[]) }.key(0),
            Question { template_digest: "", ..question("d", &none, &[]) }.key(0),
        ];
        let count = keys.len();
        keys.sort_by_key(|key| key.0);
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert_eq!(question("me", &one, &[7]).key(0), question("me", &one, &[7]).key(0));
    }

    #[test]
    fn what_began_before_a_change_is_not_found_after_it() {
        run(async {
            let cache = ResultCache::new();
            let question = question("", &[], &[]);
            let before = cache.key(&question);
            let slow = cache.answer(before, 60, ID, || async {
                cache.forget_all();
                (answered("1"), Tenancy::Single)
            });
            slow.await;
            let report = cache.answer(cache.key(&question), 60, ID, || async { ran(Tenancy::Single) });
            assert!(!report.await.cached);
        });
    }

    fn answered(text: &str) -> Report {
        Report { result: Some(RawValue::from_string(text.to_owned()).expect("JSON")), ..Report::new(ID) }
    }

    fn ran(tenancy: Tenancy) -> (Report, Tenancy) {
        (answered("1"), tenancy)
    }

    /// A worker that somebody else took over may have made the answer up.
    #[test]
    fn e18_an_answer_from_a_place_with_foreign_code_is_not_kept() {
        for (tenancy, cached) in [(Tenancy::Single, true), (Tenancy::Shared, false)] {
            run(async {
                let cache = ResultCache::new();
                let key = question("", &[], &[]).key(0);
                let ask = || cache.answer(key, 60, ID, || async { ran(tenancy) });
                assert!(!ask().await.cached);
                assert_eq!(ask().await.cached, cached, "{tenancy:?}");
            });
        }
    }

    fn failed() -> Report {
        Report::failed(ID, Failure::new(Cause::CallFailed { class: "x".to_owned() }, ""))
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
    }

    #[test]
    fn an_answer_is_served_again_until_it_is_forgotten() {
        run(async {
            let cache = ResultCache::new();
            let key = question("", &[], &[]).key(0);
            let runs = Cell::new(0);
            let ask = || {
                cache.answer(key, 60, ID, || async {
                    runs.set(runs.get() + 1);
                    ran(Tenancy::Single)
                })
            };
            assert!(!ask().await.cached);
            let again = ask().await;
            assert_eq!(
                (again.cached, again.result.as_ref().map(|result| result.get()), runs.get()),
                (true, Some("1"), 1)
            );
            cache.forget(key).await;
            assert!(!ask().await.cached);
            assert_eq!(runs.get(), 2);
        });
    }

    #[test]
    fn a_failure_is_never_served_again() {
        run(async {
            let cache = ResultCache::new();
            let key = question("", &[], &[]).key(0);
            for _ in 0..2 {
                let report = cache.answer(key, 60, ID, || async { (failed(), Tenancy::Single) }).await;
                assert_eq!((report.outcome(), report.cached), (Outcome::HostCallFailed, false));
            }
        });
    }

    /// A hundred ask at once: those that share a failing run run themselves, and no one waits for ever.
    #[test]
    fn n01_many_that_ask_the_same_share_one_run() {
        for (works, expected) in [(true, 1), (false, 100)] {
            let runs = Cell::new(0);
            run(async {
                let cache = ResultCache::new();
                let key = question("", &[], &[]).key(0);
                let one = || {
                    cache.answer(key, 60, ID, || async {
                        runs.set(runs.get() + 1);
                        tokio::task::yield_now().await;
                        (if works { answered("1") } else { failed() }, Tenancy::Single)
                    })
                };
                let all: Vec<Report> = futures_util::future::join_all((0..100).map(|_| one())).await;
                assert!(all.iter().all(|report| (report.outcome() == Outcome::Ok) == works));
            });
            assert_eq!(runs.get(), expected, "{works}");
        }
    }
}
