//! Worker processes: their privileges, and what happens to runs when one dies.

use std::fs::{read, read_dir, read_to_string};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use intentbox_sandbox::abi::{Call, HttpReply, Reply, decode};
use intentbox_sandbox::{
    Answer, Calls, Capacity, Ended, Ending, Exhausted, Job, Limits, NoCalls, OutputStream, Owner, Pending, Resource,
    RunError, Sandbox, SharedResource, Sharing, limits,
};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use tokio::sync::{Semaphore, watch};

use crate::place::{CALL_AND_GO_ON, ROOMY, answer, both, drop_after_a_call, run, run_with, script, workers};

/// Holds every call back until the gate opens, and counts those that wait.
#[derive(Debug)]
struct Gate {
    /// A permit for each call that waits.
    waiting: Semaphore,
    open: Semaphore,
}

impl Gate {
    fn new() -> Arc<Gate> {
        Arc::new(Gate { waiting: Semaphore::new(0), open: Semaphore::new(0) })
    }

    /// Waits until this many more calls wait.
    async fn until_waiting(&self, count: u32) {
        self.waiting.acquire_many(count).await.expect("it is never closed").forget();
    }
}

impl Calls for Gate {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            let Ok(Call::Http(request)) = decode(&message) else { panic!("these scripts send requests") };
            self.waiting.add_permits(1);
            let _open = self.open.acquire().await.expect("the gate is never closed for good");
            let reply = HttpReply { status: 204, url: request.url, headers: Vec::new(), body: b"" };
            Some(Answer::reply(&Reply::Http(reply)))
        })
    }
}

const CALL: &str = "http.get('demo:/').status";

#[tokio::test]
async fn a_run_ends_the_same_way_wherever_it_runs() {
    let limits = Limits { fuel: 300_000_000, stdout_bytes: 10, ..Limits::default() };
    for (source, expected) in [
        ("print('out')\n[1, 'ü', None]", "Returned(RawValue([1,\"ü\",null]))"),
        ("1 / 0", "ZeroDivisionError"),
        ("=", "SyntaxError"),
        ("result = float('nan')", "ResultInvalid"),
        ("while True: pass", "resource: Fuel, limit: 300000000"),
        ("print('x' * 11)", "resource: StdoutBytes, limit: 10, observed: 12"),
        ("b = bytearray(1 << 30)", "resource: MemoryBytes"),
        ("import os; os._exit(3)", "os._exit(3)"),
        (CALL, "CapabilityDenied"),
    ] {
        for (place, sandbox) in both(ROOMY).await {
            let ended = run(&sandbox, source, limits).await.expect("the run is carried through");
            let told = format!("{:?}", ended.ending);
            assert!(told.contains(expected), "{place}: {source}: {told}");
            assert!(ended.spent.fuel > 0 && ended.spent.memory_bytes_peak > 1 << 20, "{place}: {:?}", ended.spent);
        }
    }
}

#[tokio::test]
async fn n03_a_thousand_runs_wait_at_the_same_time_on_few_threads() {
    let gate = Gate::new();
    let sandbox = Arc::new(workers(ROOMY, 2).await);
    let start = |_| {
        let (sandbox, gate) = (Arc::clone(&sandbox), Arc::clone(&gate));
        tokio::spawn(async move { answer(run_with(&sandbox, CALL, Limits::default(), gate).await) })
    };
    let runs: Vec<_> = (0..1_000).map(start).collect();
    gate.until_waiting(1_000).await;
    let threads = |process: &str| read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
    let of_workers: usize = sandbox.workers().iter().map(|worker| threads(&worker.process_id.to_string())).sum();
    assert_eq!(of_workers, 2, "a worker has one thread");
    gate.open.add_permits(1);
    for run in runs {
        assert_eq!(run.await.expect("no run panics"), "204");
    }
}

/// What root sees of a worker. Nobody else can look into it: it is not dumpable.
fn seen_by_root<T>(looked: io::Result<T>) -> Option<T> {
    match looked {
        Ok(seen) => Some(seen),
        Err(error) => {
            assert_eq!((error.kind(), geteuid().is_root()), (ErrorKind::PermissionDenied, false), "{error}");
            None
        }
    }
}

#[tokio::test]
async fn a_worker_has_nothing_to_give() {
    let sandbox = workers(ROOMY, 1).await;
    let worker = sandbox.workers()[0];
    let process = format!("/proc/{}", worker.process_id);
    let status = read_to_string(format!("{process}/status")).expect("the worker lives");
    let line =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned();
    assert_eq!(worker.hardening.no_new_privileges, line("NoNewPrivs:") == "1", "{status}");
    assert_eq!(worker.hardening.seccomp, line("Seccomp:") == "2", "{status}");
    assert!(worker.hardening.no_new_privileges && worker.hardening.resource_limits, "{:?}", worker.hardening);
    if let Some(environment) = seen_by_root(read(format!("{process}/environ"))) {
        assert_eq!(String::from_utf8_lossy(&environment), "");
    }
    if let Some(descriptors) = seen_by_root(read_dir(format!("{process}/fd"))) {
        let targets: Vec<_> = descriptors.flatten().filter_map(|entry| entry.path().read_link().ok()).collect();
        let names: Vec<_> = targets.iter().map(|target| target.to_string_lossy().into_owned()).collect();
        let known = ["socket:", "/dev/null", "anon_inode:", "/memfd:", "/proc/", "pipe:"];
        assert!(names.iter().all(|name| known.iter().any(|known| name.starts_with(known))), "{names:?}");
        let sockets = names.iter().filter(|name| name.starts_with("socket:")).count();
        assert!(sockets <= 5, "the parent's, twice, and the runtime's own pair for signals: {names:?}");
    }
    assert_eq!(answer(run(&sandbox, "1+1", Limits::default()).await), "2");
}

/// Follows the output of a run, and answers its calls once it was told of some.
struct Follower(watch::Sender<String>);

impl Follower {
    fn new() -> Arc<Follower> {
        Arc::new(Follower(watch::Sender::default()))
    }

    async fn until_told(&self, expected: &str) {
        self.0.subscribe().wait_for(|told| told == expected).await.expect("the sender is here");
    }
}

impl Calls for Follower {
    fn call(&self, _: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            self.until_told("stdout: before\nstderr: oh\n").await;
            Some(Answer::reply(&Reply::Failed { kind: "refused", message: "no" }))
        })
    }

    fn follows_output(&self) -> bool {
        true
    }

    fn output(&self, stream: OutputStream, text: &str) {
        self.0.send_modify(|told| told.extend([stream.name(), ": ", text]));
    }
}

#[tokio::test]
async fn output_is_told_while_the_script_waits() {
    let source = "import sys\nprint('before')\nprint('oh', file=sys.stderr)\ntry:\n    http.get('demo:/')\nexcept Exception:\n    \
                  print('after')";
    for (place, sandbox) in both(ROOMY).await {
        let ended = run_with(&sandbox, source, Limits::default(), Follower::new()).await.expect("it ends");
        assert_eq!((ended.stdout.text.as_str(), ended.stderr.text.as_str()), ("before\nafter\n", "oh\n"), "{place}");
    }
}

#[tokio::test]
async fn output_is_told_while_the_script_computes() {
    let endless = Limits { fuel: limits::FUEL.most, wall_ms: limits::WALL_MS.most, ..Limits::default() };
    for (place, sandbox) in both(ROOMY).await {
        let follower = Follower::new();
        tokio::select! {
            ended = run_with(&sandbox, "print('on it')\nwhile True: pass", endless, Arc::clone(&follower) as Arc<_>) => {
                panic!("{place}: it ended before it was told: {ended:?}");
            }
            () = follower.until_told("stdout: on it\n") => {}
        }
    }
}

const APART: Capacity = Capacity { sharing: Sharing::Apart, ..ROOMY };

async fn run_of(sandbox: &Sandbox, owner: u64, calls: Arc<dyn Calls>) -> Result<Ended, RunError> {
    let script = script(CALL_AND_GO_ON);
    sandbox.run(Job { owner: Owner(owner), ..Job::new(&script, "{}") }, calls).await
}

fn processes(sandbox: &Sandbox) -> Vec<u32> {
    sandbox.workers().iter().map(|worker| worker.process_id).collect()
}

#[tokio::test]
async fn a_worker_is_replaced_before_it_gets_a_run_of_another_owner() {
    let sandbox = workers(APART, 1).await;
    let mut seen = Vec::new();
    for owner in [1, 1, 2, 2, 1] {
        run_of(&sandbox, owner, Arc::new(NoCalls)).await.expect("it ends");
        seen.extend(processes(&sandbox));
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert!(seen[0] == seen[1] && seen[2] == seen[3], "one owner keeps a worker: {seen:?}");
    assert!(seen[1] != seen[2] && seen[3] != seen[4] && seen[4] != seen[0], "two owners have none in common: {seen:?}");
}

#[tokio::test]
async fn owners_that_are_kept_apart_wait_for_each_other_and_all_end() {
    const OWNERS: u64 = 5;
    let sandbox = Arc::new(workers(APART, 2).await);
    // The first has more runs than there are workers, and none of them ends.
    let gate = Gate::new();
    let first: Vec<_> = (0..2)
        .map(|_| {
            let (sandbox, gate) = (Arc::clone(&sandbox), Arc::clone(&gate));
            tokio::spawn(async move { run_of(&sandbox, 0, gate).await })
        })
        .collect();
    gate.until_waiting(2).await;
    let others: Vec<_> = (1..OWNERS)
        .flat_map(|owner| [owner; 4])
        .map(|owner| {
            let sandbox = Arc::clone(&sandbox);
            tokio::spawn(async move { run_of(&sandbox, owner, Arc::new(NoCalls)).await })
        })
        .collect();
    for run in others {
        run.await.expect("no panic").expect("it ends beside the runs that wait");
    }
    gate.open.add_permits(1);
    for run in first {
        run.await.expect("no panic").expect("a worker that is to go is left to its runs");
    }
}

/// Lanes of runs with answers that cannot be mistaken, while workers are killed one after the other.
#[tokio::test]
async fn d03_killed_workers_lose_their_runs_and_nothing_else() {
    const KILLS: usize = 100;
    const RUNS: usize = 10_000;
    let sandbox = Arc::new(workers(ROOMY, 2).await);
    let (done, mut progress) = watch::channel(0_usize);
    let done = Arc::new(done);
    let lane = |lane: usize| {
        let (sandbox, done) = (Arc::clone(&sandbox), Arc::clone(&done));
        tokio::spawn(async move {
            let mut lost = 0;
            for number in (lane..RUNS).step_by(16) {
                match run(&sandbox, &format!("print({number})\n{number} * 3"), Limits::default()).await {
                    Ok(ended) => {
                        assert_eq!(ended.stdout.text, format!("{number}\n"));
                        let Ending::Returned(json) = ended.ending else { panic!("{number}: {:?}", ended.ending) };
                        assert_eq!(json.get(), (number * 3).to_string());
                    }
                    Err(RunError::WorkerLost { .. }) => lost += 1,
                    Err(error) => panic!("{number}: {error}"),
                }
                done.send_modify(|done| *done += 1);
            }
            lost
        })
    };
    let lanes: Vec<_> = (0..16).map(lane).collect();
    let mut killed = 0;
    for kill in 0..KILLS {
        // Spread over the work, whatever its speed is.
        let reached = progress.wait_for(|done| *done >= kill * RUNS / KILLS).await;
        drop(reached.expect("this test holds the sender"));
        if let Some(worker) = sandbox.workers().get(kill % 2) {
            killed += usize::from(kill_process(pid(worker.process_id), Signal::KILL).is_ok());
        }
    }
    let mut lost = 0;
    for lane in lanes {
        lost += lane.await.expect("no lane panics");
    }
    assert!(killed >= KILLS / 2, "{killed} workers were killed");
    assert!(lost > 0 && lost <= killed * 16, "{lost} runs were lost with {killed} workers");
    assert_eq!(answer(run(&sandbox, "1+1", Limits::default()).await), "2");
}

#[tokio::test]
async fn a_worker_that_hangs_is_lost_and_replaced() {
    let sandbox = workers(ROOMY, 1).await;
    let stopped = sandbox.workers()[0].process_id;
    kill_process(pid(stopped), Signal::STOP).expect("the worker can be stopped");
    let ended = run(&sandbox, "1+1", Limits { wall_ms: 50, ..Limits::default() }).await;
    assert!(matches!(ended, Err(RunError::WorkerLost { .. })), "{ended:?}");
    assert_eq!(answer(run(&sandbox, "1+1", Limits::default()).await), "2");
    assert_ne!(sandbox.workers()[0].process_id, stopped);
}

/// With room for one run, the next one gets in only if the dropped one is gone: nothing else would end it within the
/// time that it waits.
#[tokio::test]
async fn a_dropped_run_gives_its_place_back() {
    let capacity = Capacity { runs: 1, wait_max: Duration::from_mins(2), ..ROOMY };
    for (place, sandbox) in both(capacity).await {
        for source in ["while True: pass", "import time; time.sleep(600)", "sum(x for x in iter(int, 1))"] {
            let endless = Limits { fuel: limits::FUEL.most, wall_ms: limits::WALL_MS.most, ..Limits::default() };
            drop_after_a_call(&sandbox, &format!("{CALL_AND_GO_ON}{source}"), endless).await;
            assert_eq!(answer(run(&sandbox, "1+1", Limits::default()).await), "2", "{place}: after {source}");
        }
    }
}

#[tokio::test]
async fn a_run_without_a_slot_waits_and_is_then_turned_away() {
    let capacity = Capacity { runs: 1, wait_max: Duration::from_millis(20), ..ROOMY };
    for (place, sandbox) in both(capacity).await {
        let (gate, sandbox) = (Gate::new(), Arc::new(sandbox));
        let first = tokio::spawn({
            let (gate, sandbox) = (Arc::clone(&gate), Arc::clone(&sandbox));
            async move { answer(run_with(&sandbox, CALL, Limits::default(), gate).await) }
        });
        gate.until_waiting(1).await;
        let second = run(&sandbox, "1+1", Limits::default()).await;
        let Err(RunError::Overloaded(overloaded)) = second else { panic!("{place}: {second:?}") };
        assert_eq!((overloaded.resource, overloaded.limit), (SharedResource::Runs, 1), "{place}");
        gate.open.add_permits(1);
        assert_eq!(first.await.expect("it does not panic"), "204", "{place}");
        assert_eq!(answer(run(&sandbox, "1+1", Limits::default()).await), "2", "{place}");
    }
}

#[tokio::test]
async fn n03_runs_share_one_budget_of_memory() {
    let capacity =
        Capacity { runs: 4, memory_bytes: 64 << 20, wait_max: Duration::from_millis(20), sharing: Sharing::Whole };
    for (place, sandbox) in both(capacity).await {
        assert_eq!(answer(run(&sandbox, "len(bytearray(32 << 20))", Limits::default()).await), "33554432", "{place}");
        // More than there is for all runs is a limit, and more than others leave is not.
        let ended = run(&sandbox, "len(bytearray(96 << 20))", Limits::default()).await.expect("it ends by a limit");
        let Ending::Exhausted(Exhausted { resource, limit, .. }) = ended.ending else {
            panic!("{place}: {:?}", ended.ending)
        };
        assert_eq!((resource, limit), (Resource::MemoryBytes, 64 << 20), "{place}");
        let (gate, sandbox) = (Gate::new(), Arc::new(sandbox));
        let holding = tokio::spawn({
            let (gate, sandbox, source) =
                (Arc::clone(&gate), Arc::clone(&sandbox), format!("x = bytearray(32 << 20)\n{CALL}"));
            async move { answer(run_with(&sandbox, &source, Limits::default(), gate).await) }
        });
        gate.until_waiting(1).await;
        let large = run(&sandbox, "len(bytearray(32 << 20))", Limits::default()).await;
        let Err(RunError::Overloaded(overloaded)) = large else { panic!("{place}: {large:?}") };
        assert_eq!((overloaded.resource, overloaded.limit), (SharedResource::MoreMemoryBytes, 64 << 20), "{place}");
        gate.open.add_permits(1);
        assert_eq!(holding.await.expect("it does not panic"), "204", "{place}");
        // The run's own limit comes first: that is the script's to mend.
        let limits = Limits { memory_bytes: 80 << 20, ..Limits::default() };
        let ended = run(&sandbox, "len(bytearray(96 << 20))", limits).await.expect("it ends by its own limit");
        let Ending::Exhausted(Exhausted { resource, .. }) = ended.ending else { panic!("{place}: {:?}", ended.ending) };
        assert_eq!(resource, Resource::MemoryBytes, "{place}");
    }
}

/// Each worker is started three times. That says so at once, whatever the longest is that a worker may take to start.
#[tokio::test]
async fn a_program_that_is_no_worker_is_said_to_be_none_after_three_starts() {
    for count in [1, 2] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let starts = folder.path().join("starts");
        let script = format!("echo >> '{}'; exit 3", starts.display());
        let arguments = vec!["-c".into(), script.into()];
        let command = intentbox_sandbox::WorkerCommand { program: "/bin/sh".into(), arguments, count };
        let error = Sandbox::in_workers(ROOMY, command).await.expect_err("there is no worker");
        assert_eq!(
            error.to_string(),
            "the sandbox does not start: no worker is up: a worker ended while it started: the process ended with exit \
             status: 3"
        );
        let starts = read_to_string(&starts).expect("it was started").lines().count();
        let expected = 3 * count as usize;
        // Of each worker another one may be on its way when the last that counts has failed.
        assert!((expected..=expected + count as usize).contains(&starts), "{starts} starts of {count} workers");
    }
}

/// A fault of the program that answers a call, and not of the worker: its other runs go on.
#[derive(Debug)]
struct Faulty;

impl Calls for Faulty {
    fn call(&self, _: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async { panic!("this fault is a part of the test") })
    }
}

#[tokio::test]
async fn n09_a_host_call_whose_answer_panics_ends_its_run_as_internal_and_no_other() {
    let sandbox = Arc::new(workers(ROOMY, 1).await);
    let gate = Gate::new();
    let other = tokio::spawn({
        let (sandbox, gate) = (Arc::clone(&sandbox), Arc::clone(&gate));
        async move { answer(run_with(&sandbox, CALL, Limits::default(), gate).await) }
    });
    gate.until_waiting(1).await;
    let ended = run_with(&sandbox, CALL, Limits::default(), Arc::new(Faulty)).await;
    let Err(RunError::Internal { reason }) = ended else { panic!("{ended:?}") };
    assert_eq!(reason, "the answer to a host call panicked");
    gate.open.add_permits(1);
    assert_eq!(other.await.expect("it does not panic"), "204");
}

fn pid(process: u32) -> Pid {
    i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process id")
}
