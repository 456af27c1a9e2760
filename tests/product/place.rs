//! A sandbox with each backend: in this process, and in workers.

use std::sync::Arc;
use std::time::Duration;

use intentbox_sandbox::{
    Answer, Calls, Capacity, Ended, Ending, Job, Limits, NoCalls, Pending, RunError, Sandbox, Script, Sharing,
    WorkerCommand,
};
use tokio::sync::Notify;

pub(crate) const ROOMY: Capacity =
    Capacity { runs: 1_100, memory_bytes: 16 << 30, wait_max: Duration::from_mins(2), sharing: Sharing::Whole };

/// Worker processes of the built program.
pub(crate) async fn workers(capacity: Capacity, count: u32) -> Sandbox {
    let command = WorkerCommand {
        program: env!("CARGO_BIN_EXE_intentbox").into(),
        arguments: vec!["worker-process".into()],
        count,
    };
    Sandbox::in_workers(capacity, command).await.expect("workers start")
}

/// One sandbox of each kind.
pub(crate) async fn both(capacity: Capacity) -> [(&'static str, Sandbox); 2] {
    let here = Sandbox::in_process(capacity).expect("the sandbox starts");
    [("in process", here), ("in a worker", workers(capacity, 1).await)]
}

pub(crate) fn script(source: &str) -> Script {
    Script::parse("script.py", source.as_bytes(), &Limits::default()).expect("a script of a test is text")
}

/// Runs `source` without any grant.
pub(crate) async fn run(sandbox: &Sandbox, source: &str, limits: Limits) -> Result<Ended, RunError> {
    run_with(sandbox, source, limits, Arc::new(NoCalls)).await
}

pub(crate) async fn run_with(
    sandbox: &Sandbox,
    source: &str,
    limits: Limits,
    calls: Arc<dyn Calls>,
) -> Result<Ended, RunError> {
    let script = script(source);
    sandbox.run(Job { limits, ..Job::new(&script, "{}") }, calls).await
}

/// What a script does where [`drop_after_a_call`] may drop its run.
pub(crate) const CALL_AND_GO_ON: &str = "
try:
    http.get('demo:/')
except Exception:
    pass
";

/// Refuses every call, and says that there was one.
#[derive(Debug, Default)]
struct Noting {
    called: Notify,
}

impl Calls for Noting {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        self.called.notify_one();
        NoCalls.call(message)
    }
}

/// Runs `source` and drops the run once it has called the host. What comes after the call never ends by itself.
pub(crate) async fn drop_after_a_call(sandbox: &Sandbox, source: &str, limits: Limits) {
    let noting = Arc::new(Noting::default());
    let calls: Arc<dyn Calls> = noting.clone();
    tokio::select! {
        biased;
        ended = run_with(sandbox, source, limits, calls) => panic!("{source} does not end by itself: {ended:?}"),
        () = noting.called.notified() => {}
    }
}

/// The answer of a run that is expected to give one.
pub(crate) fn answer(ended: Result<Ended, RunError>) -> String {
    match ended.expect("the run is carried through") {
        Ended { ending: Ending::Returned(json), .. } => json.get().to_owned(),
        ended => panic!("no answer: {ended:#?}"),
    }
}
