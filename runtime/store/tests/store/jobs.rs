//! Jobs: accepted once, leased, and ended once. With `INTENTBOX_TEST_POSTGRES`, the URL of a server whose tools are on the path, they are
//! kept there and not in a file: `tests/postgres/run` starts one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use intentbox_store::{
    Clock, Ending, IsGone, Job, JobFilter, JobQuotas, JobState, JobStore, Lease, NewJob, Place, PostgresUrl, Quota,
    Renewed, Start, StoreError, Submitted,
};

/// How many jobs two openings share.
const JOBS: usize = 300;

/// How long a lease lasts here.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// A clock that a test sets.
#[derive(Clone)]
pub(crate) struct Hand(Arc<AtomicI64>);

impl Hand {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_795_000_000_000)))
    }

    pub(crate) fn clock(&self) -> Clock {
        let now = Arc::clone(&self.0);
        Clock::new(move || now.load(Ordering::SeqCst))
    }

    /// A clock that goes with this hand beside a steady one that goes with another: what the hands differ by, it was set.
    pub(crate) fn clock_beside(&self, steady: &Self) -> Clock {
        let steady = Arc::clone(&steady.0);
        self.clock().beside(move || steady.load(Ordering::SeqCst))
    }

    /// Sets the clock back.
    pub(crate) fn set_back(&self, duration: Duration) {
        self.0.fetch_sub(i64::try_from(duration.as_millis()).expect("it is short"), Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn advance(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_millis()).expect("it is short"), Ordering::SeqCst);
    }
}

pub(crate) async fn store(folder: &Path, hand: &Hand) -> JobStore {
    JobStore::open(&place(folder), hand.clock(), JobQuotas::default(), nobody()).await.expect("it opens")
}

/// The folder, or a database of its name.
#[expect(clippy::disallowed_methods, reason = "the switch of these tests is in the environment")]
pub(crate) fn place(folder: &Path) -> Place {
    let Ok(server) = std::env::var("INTENTBOX_TEST_POSTGRES") else { return Place::Folder(folder.to_owned()) };
    let name = folder.file_name().expect("a name").to_string_lossy().replace('.', "x").to_lowercase();
    // It is there already where a test opens it twice.
    let made = Command::new("createdb").args(["--maintenance-db", &server, &name]).output();
    let made = made.expect("the tools of PostgreSQL are on the path");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() || said.contains("already exists"), "{said}");
    let url = server.replacen('?', &format!("/{name}?"), 1);
    Place::Postgres(PostgresUrl::parse(&url).expect("a URL"))
}

/// No worker is known to have gone.
pub(crate) fn nobody() -> IsGone {
    Arc::new(|_| false)
}

pub(crate) fn job(id: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        principal: "alice".to_owned(),
        request: format!(r#"{{"intent":"{id}"}}"#),
        request_digest: format!("digest of {id}"),
        idempotency_key: None,
        priority: 0,
        start: Start::Now,
        ttl_ms: None,
        attempts_max: 3,
        labels: Vec::new(),
        callback_url: None,
        trace: String::new(),
    }
}

pub(crate) async fn accepted(store: &JobStore, new: NewJob) -> Job {
    match store.submit(new).await.expect("it is written") {
        Submitted::New(job) => *job,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn leased(store: &JobStore) -> Lease {
    let mut leases = store.claim("w", LEASE, 1).await.expect("it is written");
    assert_eq!(leases.len(), 1);
    leases.remove(0)
}

pub(crate) fn finished() -> Ending {
    Ending::Finished { outcome: "ok".to_owned(), report: r#"{"outcome":"ok"}"#.to_owned() }
}

/// Waits until a job is in a state. Outcomes depend on no time: a state that does not come is a test that does not end.
async fn until(store: &JobStore, id: &str, state: JobState) -> Job {
    loop {
        let job = store.job(id).await.expect("it is read").expect("it is there");
        if job.state == state {
            return job;
        }
        tokio::task::yield_now().await;
    }
}

async fn kinds(store: &JobStore, job: &Job) -> Vec<String> {
    let events = store.events(job.number, 0, 100).await.expect("they are read");
    events.into_iter().map(|event| event.kind).collect()
}

#[tokio::test]
async fn a_job_is_accepted_leased_and_ended_with_its_events() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let new = NewJob { labels: vec![("team".to_owned(), "a=b".to_owned())], ..job("a") };
    let accepted = accepted(&store, new).await;
    assert_eq!((accepted.state, accepted.attempt, accepted.created_ms), (JobState::Ready, 0, hand.now()));
    let lease = leased(&store).await;
    assert_eq!((lease.job.id.as_str(), lease.job.attempt, lease.job.request.as_str()), ("a", 1, r#"{"intent":"a"}"#));
    assert!(store.add_event(lease.key(), "call", r#"{"n":1}"#.to_owned()).await.expect("it is written"));
    assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
    let ended = store.job("a").await.expect("it is read").expect("it is there");
    assert_eq!((ended.outcome.as_str(), ended.report.as_str()), ("ok", r#"{"outcome":"ok"}"#));
    assert_eq!(ended.labels, [("team".to_owned(), "a=b".to_owned())]);
    assert_eq!(kinds(&store, &ended).await, ["ready", "running", "call", "finished"]);
    // After its end nothing of it changes any more.
    assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), None);
    assert!(!store.add_event(lease.key(), "call", "{}".to_owned()).await.expect("it is written"));
    assert_eq!(store.cancel("a").await.expect("it is written").expect("it is there").state, JobState::Finished);
    assert_eq!(store.cancel("b").await.expect("it is written"), None);
}

#[tokio::test]
async fn jobs_outlive_the_process() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let first = store(folder.path(), &hand).await;
    accepted(&first, job("a")).await;
    first.close().await;
    assert!(matches!(first.submit(job("b")).await, Err(StoreError::Failed { .. })), "it is closed");
    let second = store(folder.path(), &hand).await;
    assert_eq!(leased(&second).await.job.id, "a");
}

#[tokio::test]
async fn higher_priorities_come_first_and_then_the_order_of_acceptance() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for (id, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", -5)] {
        accepted(&store, NewJob { priority, ..job(id) }).await;
    }
    let leases = store.claim("w", LEASE, 10).await.expect("it is written");
    let order: Vec<&str> = leases.iter().map(|lease| lease.job.id.as_str()).collect();
    assert_eq!(order, ["b", "a", "c", "d"]);
}

#[tokio::test]
async fn a06_the_same_key_is_the_same_job_and_another_request_with_it_is_refused() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let keyed = |id: usize| NewJob {
        id: format!("id {id}"),
        idempotency_key: Some("key".to_owned()),
        request_digest: "one".to_owned(),
        ..job("a")
    };
    let submitted = join_all((0..100).map(|id| store.submit(keyed(id)))).await;
    let (mut new, mut ids) = (0, BTreeSet::new());
    for submitted in submitted {
        match submitted.expect("it is written") {
            Submitted::New(job) => {
                new += 1;
                ids.insert(job.id);
            }
            Submitted::Same(job) => {
                ids.insert(job.id);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((new, ids.len()), (1, 1));
    let other = NewJob { request_digest: "two".to_owned(), ..keyed(200) };
    assert_eq!(store.submit(other).await.expect("it is written"), Submitted::OtherRequest);
    let of_bob = NewJob { principal: "bob".to_owned(), ..keyed(201) };
    assert!(matches!(store.submit(of_bob).await.expect("it is written"), Submitted::New(_)), "keys are one's own");
}

#[tokio::test]
async fn d05_what_an_old_lease_writes_is_not_taken() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, job("a")).await;
    let old = leased(&store).await;
    assert_eq!(store.renew(vec![old.key()], LEASE).await.expect("it is written"), [Renewed::Held]);
    hand.advance(LEASE + Duration::from_millis(1));
    let new = leased(&store).await;
    assert_eq!((new.job.id.as_str(), new.job.attempt, new.job.trouble.as_str()), ("a", 2, "its worker was lost"));
    assert_eq!(store.renew(vec![old.key(), new.key()], LEASE).await.expect("written"), [Renewed::Lost, Renewed::Held]);
    assert!(!store.may_change(old.key()).await.expect("it is written"));
    assert_eq!(store.end(old.key(), finished()).await.expect("it is written"), None);
    assert_eq!(store.end(new.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
}

#[tokio::test]
async fn d04_a_job_whose_worker_is_lost_each_time_is_dead_after_its_attempts() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, job("poison")).await;
    for attempt in 1..=3 {
        assert_eq!(leased(&store).await.job.attempt, attempt);
        hand.advance(LEASE * 2);
    }
    let dead = until(&store, "poison", JobState::Dead).await;
    assert_eq!((dead.outcome.as_str(), dead.trouble.as_str()), ("worker_lost", "its worker was lost"));
    accepted(&store, job("next")).await;
    assert_eq!(leased(&store).await.job.id, "next", "the others go on");
}

#[tokio::test]
async fn d03_the_leases_of_a_worker_that_has_gone_are_over_at_once() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let is_gone: IsGone = Arc::new(|worker| worker == "gone");
    let store =
        JobStore::open(&place(folder.path()), hand.clock(), JobQuotas::default(), is_gone).await.expect("it opens");
    accepted(&store, job("a")).await;
    let old = store.claim("gone", LEASE, 1).await.expect("it is written").remove(0);
    let new = leased(&store).await;
    assert_eq!((new.job.id.as_str(), new.job.attempt), ("a", 2));
    assert_eq!(store.end(old.key(), finished()).await.expect("it is written"), None);
}

#[tokio::test]
async fn what_may_have_changed_something_is_never_attempted_again() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, job("a")).await;
    let lease = leased(&store).await;
    assert!(store.may_change(lease.key()).await.expect("it is written"));
    hand.advance(LEASE * 2);
    let lost = until(&store, "a", JobState::Finished).await;
    assert_eq!((lost.outcome.as_str(), lost.attempt), ("unknown_outcome", 1));
}

#[tokio::test]
async fn an_attempt_is_repeated_after_its_delay_and_not_more_often_than_it_may_be() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, NewJob { attempts_max: 2, ..job("a") }).await;
    let again = Ending::Again { delay_ms: 60_000, trouble: "no \"room\"\n".to_owned() };
    let first = leased(&store).await;
    assert_eq!(store.end(first.key(), again.clone()).await.expect("it is written"), Some(JobState::Scheduled));
    hand.advance(Duration::from_secs(59));
    accepted(&store, job("b")).await;
    assert_eq!(leased(&store).await.job.id, "b", "its time has not come");
    hand.advance(Duration::from_secs(2));
    let second = leased(&store).await;
    assert_eq!((second.job.id.as_str(), second.job.attempt), ("a", 2));
    assert_eq!(store.end(second.key(), again).await.expect("it is written"), Some(JobState::Dead));
    let events = store.events(second.job.number, 0, 100).await.expect("they are read");
    assert_eq!(events.last().expect("there are some").data, r#"{"trouble":"no \"room\""}"#);
}

#[tokio::test]
async fn a11_a_job_can_be_cancelled_as_long_as_it_has_not_ended() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for id in ["waits", "runs", "later"] {
        let start = if id == "later" { Start::AfterMs(1_000) } else { Start::Now };
        accepted(&store, NewJob { start, priority: i64::from(id == "runs"), ..job(id) }).await;
    }
    let lease = leased(&store).await;
    for id in ["waits", "later"] {
        for _ in 0..2 {
            let cancelled = store.cancel(id).await.expect("it is written").expect("it is there");
            assert_eq!((cancelled.state, cancelled.outcome.as_str()), (JobState::Cancelled, "cancelled"), "{id}");
        }
    }
    let running = store.cancel("runs").await.expect("it is written").expect("it is there");
    assert_eq!((running.state, running.is_cancelled), (JobState::Running, true));
    assert_eq!(store.renew(vec![lease.key()], LEASE).await.expect("it is written"), [Renewed::Cancelled]);
    let ending = Ending::Cancelled { report: String::new() };
    assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Cancelled));
    let ended = store.job("runs").await.expect("it is read").expect("it is there");
    assert_eq!(kinds(&store, &ended).await, ["ready", "running", "cancelling", "cancelled"]);
}

#[tokio::test]
async fn a_job_waits_for_its_time_and_expires_after_it() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let minute = Duration::from_mins(1);
    accepted(&store, NewJob { start: Start::AtMs(hand.now() + 60_000), ..job("later") }).await;
    accepted(&store, NewJob { ttl_ms: Some(30_000), start: Start::AfterMs(30_000), ..job("late") }).await;
    hand.advance(minute);
    assert_eq!(leased(&store).await.job.id, "later");
    assert_eq!(until(&store, "late", JobState::Expired).await.outcome, "expired");
}

#[tokio::test]
async fn a07_a_queue_has_a_bound_for_each_principal_and_one_for_all() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let quotas = JobQuotas { waiting_max: 5, waiting_of_principal_max: 3, ..JobQuotas::default() };
    let store = JobStore::open(&place(folder.path()), hand.clock(), quotas, nobody()).await.expect("it opens");
    let mut most = Vec::new();
    for (principal, count) in [("alice", 4), ("bob", 3)] {
        for number in 0..count {
            let new = NewJob { principal: principal.to_owned(), ..job(&format!("{principal}{number}")) };
            if let Submitted::Full(Quota::Waiting(full)) = store.submit(new).await.expect("it is written") {
                most.push(full);
            }
        }
    }
    assert_eq!(most, [3, 5]);
    leased(&store).await;
    accepted(&store, job("there is room again")).await;
}

#[tokio::test]
async fn a08_lists_have_pages_and_filters() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for number in 0..5 {
        let labels = vec![("team".to_owned(), format!("t{}", number % 2))];
        let principal = if number == 4 { "bob" } else { "alice" }.to_owned();
        accepted(&store, NewJob { labels, principal, ..job(&format!("j{number}")) }).await;
    }
    leased(&store).await;
    let listed = async |filter: JobFilter, most: u32| {
        let jobs = store.list(&filter, most).await.expect("they are read");
        jobs.into_iter().map(|job| job.id).collect::<Vec<_>>()
    };
    let alice = JobFilter { principal: Some("alice".to_owned()), ..JobFilter::default() };
    assert_eq!(listed(alice.clone(), 2).await, ["j3", "j2"]);
    let before = store.job("j2").await.expect("it is read").map(|job| job.number);
    assert_eq!(listed(JobFilter { before, ..alice }, 10).await, ["j1", "j0"]);
    let label = Some(("team".to_owned(), "t1".to_owned()));
    assert_eq!(listed(JobFilter { label, ..JobFilter::default() }, 10).await, ["j3", "j1"]);
    let text = Some(("team".to_owned(), "t1' OR 1 = 1 --".to_owned()));
    assert_eq!(listed(JobFilter { label: text, ..JobFilter::default() }, 10).await, Vec::<String>::new());
    assert_eq!(listed(JobFilter { state: Some(JobState::Running), ..JobFilter::default() }, 10).await, ["j0"]);
    let counts = store.counts().await.expect("they are counted");
    assert_eq!(counts, [(JobState::Ready, 4), (JobState::Running, 1)]);
}

#[tokio::test]
async fn jobs_that_ended_long_ago_are_forgotten() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, job("a")).await;
    let lease = leased(&store).await;
    store.end(lease.key(), finished()).await.expect("it is written");
    accepted(&store, job("waits")).await;
    hand.advance(Duration::from_hours(24 * 8));
    while store.job("a").await.expect("it is read").is_some() {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.events(lease.job.number, 0, 10).await.expect("they are read"), []);
    assert!(store.job("waits").await.expect("it is read").is_some(), "what waits is not forgotten");
}

#[tokio::test]
async fn however_many_jobs_ended_long_ago_all_of_them_are_forgotten() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let many: Vec<NewJob> = (0..1_200).map(|number| job(&format!("j{number}"))).collect();
    store.submit_all(many).await.expect("they are written");
    join_all((0..1_200).map(|number| {
        let store = store.clone();
        async move { store.cancel(&format!("j{number}")).await.expect("it is written") }
    }))
    .await;
    hand.advance(Duration::from_hours(24 * 8));
    // The clock stands still: what is left after the first look is not forgotten a minute later, but with the next looks.
    while !store.counts().await.expect("they are counted").is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn d07_two_openings_of_one_file_share_the_jobs_and_none_is_done_twice() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let stores = [store(folder.path(), &hand).await, store(folder.path(), &hand).await];
    let submit = join_all((0..JOBS).map(|number| {
        let store = &stores[number % 2];
        async move { accepted(store, job(&format!("j{number}"))).await }
    }));
    let (ended, mut told) = tokio::sync::mpsc::unbounded_channel();
    let work = |store: JobStore| {
        let ended = ended.clone();
        // None gives up waiting: a lease that nobody takes would last as long as the clock stands still.
        async move {
            loop {
                for lease in store.claim("w", LEASE, 8).await.expect("it is written") {
                    let state = store.end(lease.key(), finished()).await.expect("it is written");
                    assert_eq!(state, Some(JobState::Finished));
                    ended.send(lease.job.id).expect("somebody listens");
                }
            }
        }
    };
    let workers: Vec<_> = (0..6).map(|number| tokio::spawn(work(stores[number % 2].clone()))).collect();
    submit.await;
    let mut done = Vec::new();
    while done.len() < JOBS {
        done.push(told.recv().await.expect("the workers go on"));
    }
    for worker in workers {
        worker.abort();
    }
    assert_eq!(done.iter().collect::<BTreeSet<_>>().len(), JOBS);
}

#[tokio::test]
async fn changes_are_told_to_who_listens() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let mut changes = store.changes();
    let accepted = accepted(&store, job("a")).await;
    assert_eq!(changes.recv().await, Ok(accepted.number));
    leased(&store).await;
    assert_eq!(changes.recv().await, Ok(accepted.number));
}

#[tokio::test]
async fn a07_each_principal_has_its_turn_however_many_jobs_another_has() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for number in 0..40 {
        let of_bob = NewJob { principal: "bob".to_owned(), priority: 100, ..job(&format!("b{number}")) };
        accepted(&store, of_bob).await;
    }
    for number in 0..4 {
        accepted(&store, job(&format!("a{number}"))).await;
    }
    let leases = store.claim("w", LEASE, 6).await.expect("it is written");
    let of = |leases: &[Lease], who: &str| leases.iter().filter(|lease| lease.job.principal == who).count();
    assert_eq!((of(&leases, "alice"), of(&leases, "bob")), (3, 3));
    // Who has more running waits for the other one.
    for lease in leases.iter().filter(|lease| lease.job.principal == "alice") {
        store.end(lease.key(), finished()).await.expect("it is written");
    }
    let leases = store.claim("w", LEASE, 1).await.expect("it is written");
    assert_eq!(leases[0].job.id, "a3");
    let leases = store.claim("w", LEASE, 3).await.expect("it is written");
    assert_eq!(of(&leases, "bob"), 3, "nobody else has any");
}

#[tokio::test]
async fn a07_long_jobs_of_one_principal_leave_seats_for_another() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for number in 0..40 {
        accepted(&store, NewJob { principal: "bob".to_owned(), ..job(&format!("b{number}")) }).await;
    }
    let of_bob = store.claim_fairly("w", LEASE, 16, 16).await.expect("it is written");
    assert_eq!(of_bob.len(), 8, "half of the seats");
    // There is nothing that this worker may take, until somebody else has a job.
    let (leases, ()) = tokio::join!(store.claim_fairly("w", LEASE, 8, 16), async {
        accepted(&store, job("a0")).await;
    });
    let leases = leases.expect("it is written");
    assert_eq!(leases.iter().map(|lease| lease.job.id.as_str()).collect::<Vec<_>>(), ["a0"]);
    // Another worker has seats of its own. Here, bob goes on when what is left is more than what he holds.
    assert_eq!(store.claim_fairly("other", LEASE, 2, 2).await.expect("it is written").len(), 1);
    for lease in &of_bob[..2] {
        store.end(lease.key(), finished()).await.expect("it is written");
    }
    let leases = store.claim_fairly("w", LEASE, 8, 16).await.expect("it is written");
    assert_eq!(leases.iter().map(|lease| lease.job.principal.as_str()).collect::<Vec<_>>(), ["bob"]);
}
