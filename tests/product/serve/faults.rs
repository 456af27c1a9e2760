//! Faults of this program itself, in the middle of runs and jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use intentbox_engine::{
    Caller, Capacity, Ceilings, Code, Engine, Event, Events, Isolation, NoEvents, Of, Outcome, Parts, Principal,
    Remedy, Report, Settings, Sharing, WorkerCommand,
};
use intentbox_jobs::{JobQuotas, JobRequest, JobState, JobStore, Place, Queue, Runner, RunnerOptions};
use intentbox_listen::CancellationToken;
use intentbox_store::Clock;

use crate::cache;

/// Has a fault at the first event of one kind.
struct Faulty {
    at: &'static str,
    has_failed: AtomicBool,
}

impl Events for Faulty {
    fn note(&self, _: Of<'_>, event: Event<'_>) {
        let kind = match event {
            Event::Planned { .. } => "planned",
            Event::Started => "started",
            Event::HostCall { .. } => "host call",
            Event::Printed { .. } => "printed",
            Event::Output { .. } => "output",
            Event::Ended { .. } => "ended",
        };
        let is_here = kind == self.at && !self.has_failed.swap(true, Ordering::SeqCst);
        assert!(!is_here, "this fault is a part of the test");
    }

    fn follows_output(&self) -> bool {
        true
    }
}

fn faulty(at: &'static str) -> Arc<dyn Events> {
    Arc::new(Faulty { at, has_failed: AtomicBool::new(false) })
}

/// An engine with room for two runs.
fn engine(isolation: Isolation) -> Arc<Engine> {
    let capacity =
        Capacity { runs: 2, memory_bytes: 1 << 30, wait_max: Duration::from_mins(2), sharing: Sharing::Whole };
    let parts = cache::parts("http://127.0.0.1:9", "a-token", "");
    Arc::new(Engine::new(Parts { isolation, capacity, ..parts }).expect("the engine starts"))
}

async fn run(engine: &Engine, events: Arc<dyn Events>) -> Report {
    let source = "try:\n    http.get('sentry:/x')\nexcept Exception:\n    print('refused')\nresult = 2\n";
    let code = Code {
        name: "fault.py".to_owned(),
        source: source.as_bytes().to_vec(),
        params: "null".to_owned(),
        settings: Settings::default(),
    };
    let caller = Caller::local();
    let run = engine.plan_code(&code, &caller).expect("it is planned");
    engine.run(run, &caller, &events).await
}

#[tokio::test]
async fn n09_a_fault_beside_a_run_ends_that_run_alone_and_frees_its_seat() {
    let command = WorkerCommand {
        program: env!("CARGO_BIN_EXE_intentbox").into(),
        arguments: vec!["worker-process".into()],
        count: 1,
    };
    for isolation in [Isolation::InProcess, Isolation::Process(command)] {
        let engine = engine(isolation);
        for at in ["planned", "started", "host call", "output", "ended"] {
            // More faults than there are seats.
            for _ in 0..3 {
                let (faulty, other) = (
                    tokio::spawn({
                        let engine = Arc::clone(&engine);
                        async move { run(&engine, faulty(at)).await }
                    }),
                    run(&engine, Arc::new(NoEvents)).await,
                );
                assert_eq!(other.outcome(), Outcome::Ok, "beside a fault at {at}: {other:?}");
                if let Ok(report) = faulty.await {
                    assert_eq!(report.outcome(), Outcome::Internal, "at {at}: {report:?}");
                }
            }
        }
        let after = run(&engine, Arc::new(NoEvents)).await;
        assert_eq!(after.outcome(), Outcome::Ok, "{after:?}");
    }
}

#[tokio::test]
async fn n09_a_job_in_which_the_server_has_a_fault_ends_and_the_next_one_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Place::Folder(folder.path().to_owned());
    for at in ["planned", "started", "output", "ended"] {
        let store = JobStore::open(&place, Clock::system(), JobQuotas::default(), Arc::new(|_| false)).await;
        let (store, stop) = (store.expect("it opens"), CancellationToken::new());
        let words: fn(&Remedy) -> String = |_| String::new();
        let options = RunnerOptions {
            name: "w".to_owned(),
            slots: 1,
            sharing: Sharing::Whole,
            ceilings: Ceilings::default(),
            words,
        };
        let runner = Runner::new(store.clone(), engine(Isolation::InProcess), faulty(at), options);
        let running = tokio::spawn(runner.run(stop.clone()));
        let (queue, alice) = (Queue::new(store.clone()), Principal::named("alice"));
        let mut outcomes = Vec::new();
        for text in [r#"{"code": "print(1)"}"#, r#"{"code": "print(2)"}"#] {
            let request = JobRequest::parse(text).expect("a request");
            let (job, _) = queue.submit(&alice, &request, text, None).await.expect("it is accepted");
            outcomes.push(loop {
                let job = queue.job(&alice, &job.id).await.expect("it is read").expect("it is there");
                if job.state == JobState::Finished {
                    break job.outcome;
                }
                tokio::task::yield_now().await;
            });
        }
        assert_eq!(outcomes, ["internal", "ok"], "a fault at {at}");
        stop.cancel();
        running.await.expect("it ends");
        store.close().await;
    }
}
