//! A compromised worker that lies over its real socket: what it can do to its parent, and to other principals.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use intentbox_engine::{Caller, Code, Engine, Intent, Isolation, Outcome, Parts, Principal, Remedy, Report};
use intentbox_sandbox::abi::{Call, Reply, decode};
use intentbox_sandbox::{
    Answer, Calls, Ending, Limits, OutputStream, Pending, RunError, Sandbox, WorkerCommand, limits,
};

use crate::place::{ROOMY, run_with};
use crate::{ask, cache};

/// Answers every call with as much as a piece of a file may have, and counts. May follow the output, and counts its bytes.
#[derive(Debug, Default)]
struct Pieces {
    calls: AtomicUsize,
    follows: bool,
    output_bytes: AtomicUsize,
}

impl Calls for Pieces {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let Ok(Call::ReadFile { length, .. }) = decode(&message) else { panic!("no liar asks for anything else") };
            Some(Answer::reply(&Reply::Piece(&vec![b'x'; length as usize])))
        })
    }

    fn follows_output(&self) -> bool {
        self.follows
    }

    fn output(&self, _: OutputStream, text: &str) {
        self.output_bytes.fetch_add(text.len(), Ordering::Relaxed);
    }
}

/// A worker that says one thing. It is Python, and none of our code: `taken_over/liar.py`.
#[expect(
    clippy::disallowed_methods,
    reason = "a worker is started by its path, and where python3 is the environment says"
)]
fn liar(lie: &str) -> WorkerCommand {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/product/taken_over/liar.py");
    let path = std::env::var_os("PATH").expect("there is a path");
    let mut candidates = std::env::split_paths(&path).map(|folder| folder.join("python3"));
    let program: PathBuf = candidates.find(|file| file.is_file()).expect("python3 is on the path");
    WorkerCommand { program, arguments: [script, lie].map(Into::into).to_vec(), count: 1 }
}

/// Eight runs at a time that nothing but the parent's judgement ends within the time of this test.
async fn endings(lie: &str, calls: &Arc<Pieces>) -> Vec<RunError> {
    let sandbox = Sandbox::in_workers(ROOMY, liar(lie)).await.expect("it says that it is ready");
    let endless = Limits { wall_ms: limits::WALL_MS.most, host_calls: limits::HOST_CALLS.most, ..Limits::default() };
    let runs = (0..8).map(|_| run_with(&sandbox, "1", endless, Arc::clone(calls) as Arc<_>));
    let ended = join_all(runs).await;
    ended.into_iter().map(|ended| ended.expect_err("nothing that it says is an ending")).collect()
}

#[tokio::test]
async fn e18_a_worker_that_says_what_cannot_be_true_is_ended_at_once() {
    for lie in [
        "asks for a run that it has not",
        "ends a run that it has not",
        "is overloaded by a run that it has not",
        "breaks a run that it has not",
        "prints for a run that it has not",
        "prints what nobody follows",
        "asks twice at once",
        "announces a frame of four gigabytes",
        "says hello again",
        "babbles",
        "answers more than was asked for",
    ] {
        for error in endings(lie, &Arc::default()).await {
            assert!(matches!(error, RunError::WorkerLost { .. }), "{lie}: {error}");
        }
    }
}

/// Who follows a run is told no more of its output than the run may write.
#[tokio::test]
async fn e18_a_worker_that_prints_without_an_end_is_ended_at_the_limit() {
    for (lie, most) in [("prints nothing", 0), ("prints without an end", limits::Limits::default().stdout_bytes)] {
        let follower = Arc::new(Pieces { follows: true, ..Pieces::default() });
        for error in endings(lie, &follower).await {
            assert!(matches!(error, RunError::WorkerLost { .. }), "{lie}: {error}");
        }
        // Each run may have been begun on more than one liar.
        let told = follower.output_bytes.load(Ordering::Relaxed) as u64;
        assert!(told <= 8 * 3 * most, "{lie}: {told}");
    }
}

/// The parent reads the guest's words, and a worker may say that a guest said anything.
#[tokio::test]
async fn e18_an_answer_that_is_not_json_crashes_its_own_run() {
    let sandbox = Sandbox::in_workers(ROOMY, liar("answers what is not JSON")).await.expect("it says that it is ready");
    let ended = run_with(&sandbox, "1", Limits::default(), Arc::new(Pieces::default())).await.expect("it is an ending");
    let Ending::Crashed { reason } = ended.ending else { panic!("{ended:?}") };
    assert_eq!(reason, "the answer is not JSON");
}

/// One answer may be on its way and one may wait: the third call of a run that reads nothing is one too many.
#[tokio::test]
async fn e18_a_worker_that_does_not_read_makes_the_parent_keep_little() {
    let calls = Arc::new(Pieces::default());
    for error in endings("asks and never reads", &calls).await {
        assert!(matches!(error, RunError::WorkerLost { .. }), "{error}");
    }
    // Each run may have been begun on more than one liar.
    let count = calls.calls.load(Ordering::Relaxed);
    assert!((1..=8 * 3).contains(&count), "{count} answers of a mebibyte each");
}

fn engine(lie: &str) -> Engine {
    let isolation = Isolation::Process(liar(lie));
    let parts = cache::parts("http://127.0.0.1:9", "token-of-nobody", cache::PERMITTED);
    Engine::new(Parts { isolation, ..parts }).expect("the engine starts")
}

fn caller(name: &str) -> Caller {
    Caller::of(Principal::named(name))
}

async fn list_errors(engine: &Engine, principal: &str) -> Report {
    let intent = Intent { text: "list errors".to_owned(), ..Intent::default() };
    let report = ask::intent(engine, &intent, &caller(principal)).await;
    assert_eq!(report.outcome(), Outcome::Ok, "what was forged looks like an answer: {report:?}");
    report
}

/// Its owner's script took the worker over; somebody else's template runs there next. What it makes up is not served again
/// when the worker is gone.
#[tokio::test]
async fn e18_a_forged_answer_is_not_kept_for_anybody_but_who_took_the_worker_over() {
    let engine = engine("forges");
    list_errors(&engine, "bob").await;
    assert!(list_errors(&engine, "bob").await.cached, "nobody's code has run there but the operator's");
    let code = Code { name: "attack.py".to_owned(), source: b"1".to_vec(), params: "{}".to_owned(), ..Code::default() };
    let taken = ask::code(&engine, &code, &caller("mallory")).await;
    assert_eq!(taken.outcome(), Outcome::Ok);
    for _ in 0..3 {
        assert!(!list_errors(&engine, "carol").await.cached, "Carol asks anew each time");
    }
    list_errors(&engine, "mallory").await;
    assert!(list_errors(&engine, "mallory").await.cached, "whom she fools is herself");
}

/// What a worker says of a run that it could not carry through is the machine's fault, and quoted at its length and no more.
#[tokio::test]
async fn a_run_that_its_worker_gives_up_is_an_internal_failure() {
    let engine = engine("breaks its own run");
    let code = Code { name: "a.py".to_owned(), source: b"1".to_vec(), params: "{}".to_owned(), ..Code::default() };
    for _ in 0..2 {
        let report = ask::code(&engine, &code, &caller("bob")).await;
        assert_eq!(report.outcome(), Outcome::Internal, "{report:?}");
        let failure = report.failure.expect("it failed");
        assert!(failure.message.starts_with("the run could not be carried through: xxx"), "{failure:?}");
        assert!(failure.message.len() < 10_000, "{} bytes", failure.message.len());
        assert_eq!(failure.remedy, Some(Remedy::ReportFault));
    }
}
