//! A sandbox in each of the places where it can run: this process, and workers.

use std::sync::Arc;
use std::time::Duration;

use intentbox_sandbox::{
    Calls, Capacity, Ended, Ending, Job, Limits, NoCalls, RunError, Sandbox, Script, Sharing, WorkerCommand,
};

pub(crate) const ROOMY: Capacity =
    Capacity { runs: 1_100, memory_bytes: 16 << 30, patience: Duration::from_mins(2), sharing: Sharing::Whole };

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

/// The answer of a run that is expected to give one.
pub(crate) fn answer(ended: Result<Ended, RunError>) -> String {
    match ended.expect("the run is carried through") {
        Ended { ending: Ending::Returned(json), .. } => json.get().to_owned(),
        ended => panic!("no answer: {ended:#?}"),
    }
}
