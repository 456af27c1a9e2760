//! Jobs for which a server has no room.

use std::sync::Arc;
use std::time::Duration;

use intentbox_engine::{
    Caller, Capacity, Ceilings, Code, Engine, NoEvents, Outcome, Parts, Principal, Remedy, Settings, Sharing,
};
use intentbox_jobs::{Job, JobQuotas, JobRequest, JobState, JobStore, Place, Queue, Runner, RunnerOptions};
use intentbox_listen::CancellationToken;
use intentbox_store::Clock;

use crate::cache;
use crate::held::Held;

/// What all runs of the engine may hold, and what each script here takes of it: two of them never fit.
const MEMORY_BYTES: u64 = 64 << 20;
const LARGE: &str = "x = bytearray(40 << 20)\nresult = len(x)";

/// A script that holds memory until the origin answers.
const HOLDS: &str = "x = bytearray(40 << 20)\nhttp.get('sentry:/').status";

/// A queue with a runner that has little memory, beside an origin that answers when the test says so.
struct Small {
    origin: Held,
    engine: Arc<Engine>,
    queue: Queue,
    alice: Principal,
    stop: CancellationToken,
    _folder: tempfile::TempDir,
}

impl Small {
    async fn start() -> Small {
        let origin = Held::start();
        let policy = "[exec]\nhttp = [\"sentry: GET,POST /**\"]\n";
        // Who finds no room is told at once.
        let capacity =
            Capacity { runs: 8, memory_bytes: MEMORY_BYTES, wait_max: Duration::ZERO, sharing: Sharing::Whole };
        let parts = Parts { capacity, ..cache::parts(&origin.base_url(), "a-token", policy) };
        let engine = Arc::new(Engine::new(parts).expect("the engine starts"));
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::Folder(folder.path().to_owned());
        let store = JobStore::open(&place, Clock::system(), JobQuotas::default(), Arc::new(|_| false)).await;
        let (store, stop) = (store.expect("it opens"), CancellationToken::new());
        let words: fn(&Remedy) -> String = |_| String::new();
        let options = RunnerOptions {
            name: "w".to_owned(),
            slots: 4,
            sharing: Sharing::Whole,
            ceilings: Ceilings::default(),
            words,
        };
        let runner = Runner::new(store.clone(), Arc::clone(&engine), Arc::new(NoEvents), options);
        tokio::spawn(runner.run(stop.clone()));
        let (queue, alice) = (Queue::new(store), Principal::named("alice"));
        Small { origin, engine, queue, alice, stop, _folder: folder }
    }

    /// Runs the script that holds memory, and returns once it does.
    async fn hold(&self) -> tokio::task::JoinHandle<Outcome> {
        let engine = Arc::clone(&self.engine);
        let holding = tokio::spawn(async move {
            let (name, source) = ("holds.py".to_owned(), HOLDS.as_bytes().to_vec());
            let code = Code { name, source, params: "null".to_owned(), settings: Settings::default() };
            let caller = Caller::local();
            let run = engine.plan_code(&code, &caller).expect("it is planned");
            engine.run(run, &caller, &(Arc::new(NoEvents) as Arc<_>)).await.outcome()
        });
        while !self.origin.has_arrived() {
            tokio::task::yield_now().await;
        }
        holding
    }

    async fn submit(&self, code: &str) -> Job {
        let text = serde_json::json!({ "code": code, "attempts": 1 }).to_string();
        let request = JobRequest::parse(&text).expect("a request");
        self.queue.submit(&self.alice, &request, &text, None).await.expect("it is accepted").0
    }

    /// Waits until a job is as it should be. One that never is makes a test that does not end.
    async fn until(&self, id: &str, is_so: impl Fn(&Job) -> bool) -> Job {
        loop {
            let job = self.queue.job(&self.alice, id).await.expect("it is read").expect("it is there");
            if is_so(&job) {
                return job;
            }
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_job_that_lacks_memory_waits_for_room_and_keeps_its_attempts() {
    let server = Small::start().await;
    let holding = server.hold().await;
    let mut jobs = Vec::new();
    for _ in 0..3 {
        jobs.push(server.submit(LARGE).await);
    }
    for job in &jobs {
        let waiting = server.until(&job.id, |job| job.waits >= 2).await;
        assert!(!waiting.state.is_final() && waiting.trouble.contains("memory_bytes"), "{waiting:?}");
    }
    server.origin.open();
    assert_eq!(holding.await.expect("it ends"), Outcome::Ok);
    for job in &jobs {
        let ended = server.until(&job.id, |job| job.state.is_final()).await;
        let told = (ended.state, ended.outcome.as_str(), ended.attempt);
        assert_eq!(told, (JobState::Finished, "ok", 1), "{ended:?}");
    }
    server.stop.cancel();
}

#[tokio::test]
async fn a_job_that_lacks_memory_after_it_may_have_changed_something_is_not_repeated() {
    let server = Small::start().await;
    let holding = server.hold().await;
    let job = server.submit(&format!("http.post('sentry:/orders')\n{LARGE}")).await;
    let ended = server.until(&job.id, |job| job.state.is_final()).await;
    assert_eq!((ended.outcome.as_str(), ended.attempt, ended.waits), ("unknown_outcome", 1, 0), "{ended:?}");
    server.origin.open();
    assert_eq!(holding.await.expect("it ends"), Outcome::Ok);
    server.stop.cancel();
}
