//! The parent's side: starts workers, gives them runs, answers their host calls, and replaces them.

use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use intentbox_abi::{CALL_BYTES_MAX, decode, encode, shortened};
use intentbox_verdict::answer::MESSAGE_BYTES_MAX;
use intentbox_verdict::{Ended, Limits};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, sleep_until, timeout};

use super::hardening::Hardening;
use super::runs::{Open, Runs, Untold};
use super::wire::{self, Answered, Down, Incoming, Outgoing, Up};
use crate::RunError;
use crate::budget::{Capacity, Overloaded, SharedResource};
use crate::calls::{Answer, Calls, OutputStream};
use crate::guest;
use crate::job::Job;
use crate::shares::{Owner, Purpose, Shares, Sharing};

/// How long a worker may take to start. It maps tens of megabytes and runs one script; a busy machine is slow at that.
const START_MAX: Duration = Duration::from_secs(20);

/// How often each worker is started before the pool gives up, where none has come up yet. A machine that cannot start one may
/// be short of something for a moment, and is seldom for three.
const STARTS_MAX: usize = 3;

/// How long after a run's deadline a worker may take to say so before it counts as hung. Endings of hundreds of runs
/// come within tens of milliseconds.
const GRACE: Duration = Duration::from_secs(2);

/// How many bytes may wait for a worker to read them when another run is to begin: the scripts, params and answers of a
/// hundred large runs. An honest worker reads at once. One that does not would make this process keep whatever is begun
/// on it and cancelled, again and again.
const BACKLOG_BYTES_MAX: usize = 256 << 20;

/// The longest frame of a worker that is read in place, in bytes: less than a millisecond of work.
const AT_ONCE_BYTES: usize = 64 << 10;

/// How many larger frames of one worker are held until they are read. Each has at most 50 MB, and mostly a tenth of that.
const LARGE_MAX: usize = 8;

/// Why a worker is made to go.
const LATE: &str = "it did not answer in time";
const FOR_ANOTHER_OWNER: &str = "it made room for the runs of another owner";

/// How late this process may check the clock before it blames itself instead of a worker.
const LATENESS_MAX: Duration = Duration::from_millis(100);

/// The pause before a worker is replaced, and what it grows to while they fail to start.
const PAUSE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(5));

/// How to start a worker: this program again, with an argument that leads to [`serve`](super::serve::serve).
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How many workers: one a core is the most that helps.
    pub count: u32,
}

/// The state of a worker.
#[derive(Debug, Clone, Copy)]
pub struct WorkerState {
    /// Its process.
    pub process_id: u32,
    /// The privileges that it dropped.
    pub hardening: Hardening,
    /// How many runs it has.
    pub runs: usize,
}

/// Workers, and who keeps them up.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    supervisors: Vec<AbortHandle>,
}

struct Shared {
    command: WorkerCommand,
    capacity: Capacity,
    slots: Shares,
    workers: Mutex<Vec<Arc<Worker>>>,
    /// Notified whenever a worker came up or can take another run.
    freed: Notify,
    /// Why the last one went down.
    last_loss: Mutex<String>,
    /// How many starts have failed since one worked, and who waits for a failed one.
    failed: AtomicUsize,
    has_failed: Notify,
}

/// A live worker.
struct Worker {
    process_id: u32,
    hardening: Hardening,
    outbox: mpsc::UnboundedSender<Frame>,
    /// Bytes that wait in the outbox.
    backlog: Arc<AtomicUsize>,
    runs: Mutex<Runs>,
    /// Held while a large frame is read: one at a time, so that reading takes no more than one core from everything
    /// else.
    large: Mutex<()>,
    /// Notified when the worker must go.
    retired: Notify,
}

/// A frame that waits to be sent, and counts as long as it does.
struct Frame {
    bytes: Vec<u8>,
    backlog: Arc<AtomicUsize>,
    /// The answer that it carries: a run whose answer waits cannot ask again.
    _answer: Option<Arc<()>>,
}

impl From<Frame> for Bytes {
    fn from(mut frame: Frame) -> Bytes {
        let bytes = std::mem::take(&mut frame.bytes);
        frame.backlog.fetch_sub(bytes.len(), Ordering::Relaxed);
        bytes.into()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("command", &self.shared.command).finish_non_exhaustive()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for supervisor in &self.supervisors {
            supervisor.abort();
        }
    }
}

impl Pool {
    /// Starts the workers, and waits until the first is up, or until all of them have failed to start.
    pub(crate) async fn start(capacity: Capacity, command: WorkerCommand) -> Result<Pool, String> {
        guest::return_large_blocks();
        let count = command.count.max(1);
        let shared = Arc::new(Shared {
            command,
            capacity,
            slots: Shares::new(capacity.runs.into(), capacity.sharing),
            workers: Mutex::default(),
            freed: Notify::new(),
            last_loss: Mutex::new("no worker has come up yet".to_owned()),
            failed: AtomicUsize::new(0),
            has_failed: Notify::new(),
        });
        let supervise = |_| tokio::spawn(Arc::clone(&shared).supervise()).abort_handle();
        let supervisors = (0..count).map(supervise).collect();
        let pool = Pool { shared, supervisors };
        tokio::select! {
            up = pool.shared.worker(Owner::default(), START_MAX) => drop(up.map_err(|lost| lost.to_string())?),
            reason = pool.shared.failed_starts(STARTS_MAX * count as usize) => return Err(reason),
        }
        Ok(pool)
    }

    /// The workers that are up.
    pub(crate) fn workers(&self) -> Vec<WorkerState> {
        let workers = self.shared.workers();
        let state = |worker: &Arc<Worker>| WorkerState {
            process_id: worker.process_id,
            hardening: worker.hardening,
            runs: worker.runs().open.len(),
        };
        workers.iter().map(state).collect()
    }

    pub(crate) async fn run(&self, job: Job<'_>, calls: Arc<dyn Calls>) -> Result<Ended, RunError> {
        let started = Instant::now();
        let Capacity { runs, wait_max, .. } = self.shared.capacity;
        let wait_max = wait_max.min(job.limits.wall());
        let waited_ms = u64::try_from(wait_max.as_millis()).unwrap_or(u64::MAX);
        let overloaded =
            || RunError::Overloaded(Overloaded { resource: SharedResource::Runs, limit: u64::from(runs), waited_ms });
        let until = tokio::time::Instant::from_std(started + wait_max);
        let slot = self.shared.slots.take(job.owner, 1, Purpose::Enter, until).await;
        let _slot = slot.ok_or_else(overloaded)?;
        let (worker, run, ending) = loop {
            let worker = self.shared.worker(job.owner, wait_max.saturating_sub(started.elapsed())).await?;
            if worker.backlog.load(Ordering::Relaxed) > BACKLOG_BYTES_MAX {
                self.shared.retire(&worker, "it does not read");
                continue;
            }
            // It may have gone between the choice and the begin.
            if let Some((run, ending)) = worker.begin(job, Arc::clone(&calls), started, self.shared.capacity.sharing) {
                break (worker, run, ending);
            }
        };
        let cancellation = CancelOnDrop { shared: &self.shared, worker: &worker, run };
        let late = in_time(started + job.limits.wall() + GRACE);
        let ended = tokio::select! {
            ended = ending => ended.unwrap_or_else(|_| Err(lost("its run was dropped"))),
            () = late => {
                self.shared.retire(&worker, LATE);
                Err(lost(LATE))
            }
        };
        drop(cancellation);
        ended
    }
}

/// Waits for a moment. Where this process itself was late for it, the answer may lie there unread: then for another while.
async fn in_time(moment: Instant) {
    let mut moment = moment;
    loop {
        sleep_until(moment.into()).await;
        if moment.elapsed() < LATENESS_MAX {
            return;
        }
        moment = Instant::now() + GRACE;
    }
}

fn lost(reason: &str) -> RunError {
    RunError::WorkerLost { reason: reason.to_owned() }
}

/// Cancels the run when its caller goes away before it ended.
struct CancelOnDrop<'a> {
    shared: &'a Shared,
    worker: &'a Arc<Worker>,
    run: u32,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let mut runs = self.worker.runs();
        if runs.cancel(self.run) {
            self.worker.send(&Down::Cancel { run: self.run });
        }
        let has_drained = runs.closed && runs.open.is_empty();
        drop(runs);
        if has_drained {
            self.shared.retire(self.worker, FOR_ANOTHER_OWNER);
        }
        match self.shared.capacity.sharing {
            Sharing::Whole | Sharing::Fair => self.shared.freed.notify_one(),
            // Not everybody who waits can use what came free.
            Sharing::Apart => self.shared.freed.notify_waiters(),
        }
    }
}

impl Worker {
    fn runs(&self) -> std::sync::MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: &Down<'_>) {
        self.send_holding(message, None);
    }

    fn send_holding(&self, message: &Down<'_>, answer: Option<Arc<()>>) {
        let bytes = encode(message);
        self.backlog.fetch_add(bytes.len(), Ordering::Relaxed);
        // Without a writer there is no worker, and its runs are told so elsewhere.
        let _ = self.outbox.send(Frame { bytes, backlog: Arc::clone(&self.backlog), _answer: answer });
    }

    fn begin(
        &self,
        job: Job<'_>,
        calls: Arc<dyn Calls>,
        started: Instant,
        sharing: Sharing,
    ) -> Option<(u32, oneshot::Receiver<Result<Ended, RunError>>)> {
        let (ending, ended) = oneshot::channel();
        let mut runs = self.runs();
        let is_foreign = sharing == Sharing::Apart && *runs.tenant.get_or_insert(job.owner) != job.owner;
        if runs.closed || is_foreign {
            return None;
        }
        let run = runs.next;
        // Four billion runs later the first is long over.
        runs.next = runs.next.wrapping_add(1);
        let limits = job.limits;
        runs.authors.note(&job);
        let (owner, answer) = (job.owner, Weak::new());
        let follows_output = calls.follows_output();
        let untold = follows_output.then_some(Untold { stdout: limits.stdout_bytes, stderr: limits.stderr_bytes });
        runs.open
            .insert(run, Open { calls, limits, owner, untold, started, host_calls: 0, call: None, answer, ending });
        drop(runs);
        // What the run waited for a place is part of its time.
        let waited_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let limits = Limits { wall_ms: limits.wall_ms.saturating_sub(waited_ms).max(1), ..limits };
        self.send(&Down::Begin {
            run,
            name: job.script.name(),
            source: job.script.source(),
            module: job.script.module(),
            params: job.params,
            limits,
            deterministic: job.deterministic,
            owner: job.owner.0,
            reserves_memory: job.reserves_memory,
            follows_output,
        });
        Some((run, ended))
    }

    /// Handles frames until they end or are invalid; returns why. Large ones are read beside this thread, which serves
    /// everybody else: a run has nothing more to say while one of its frames is read, so their order is kept.
    async fn listen(self: &Arc<Worker>, up: &mut Incoming) -> &'static str {
        const LIE: &str = "it said what no worker of ours says";
        let mut beside = JoinSet::new();
        loop {
            let frame = tokio::select! {
                is_valid = beside.join_next(), if !beside.is_empty() => match is_valid {
                    Some(Ok(true)) => continue,
                    _ => return LIE,
                },
                frame = up.next(), if beside.len() < LARGE_MAX => frame,
            };
            match frame {
                Some(Ok(frame)) if frame.len() <= AT_ONCE_BYTES => {
                    if !self.handle(&frame) {
                        return LIE;
                    }
                }
                Some(Ok(frame)) => {
                    let worker = Arc::clone(self);
                    beside.spawn_blocking(move || {
                        let _turn = worker.large.lock().unwrap_or_else(PoisonError::into_inner);
                        worker.handle(&frame)
                    });
                }
                Some(Err(_)) | None => break,
            }
        }
        // What it said before it closed its socket still counts.
        while let Some(is_valid) = beside.join_next().await {
            if !matches!(is_valid, Ok(true)) {
                return LIE;
            }
        }
        "it closed its socket"
    }

    /// Handles one frame; returns whether it is valid.
    fn handle(self: &Arc<Worker>, frame: &[u8]) -> bool {
        match decode::<Up<'_>>(frame) {
            Ok(Up::Call { run, message }) => self.answer(run, message),
            Ok(Up::Output { run, stream, text }) => self.output(run, stream, text),
            Ok(up @ Up::Ended { run, .. }) => {
                let mut runs = self.runs();
                let Some(mut open) = runs.open.remove(&run) else { return runs.tolerates() };
                let tenancy = runs.authors.tenancy_for(open.owner);
                drop(runs);
                let ended = wire::ended(&up, &open.limits, open.started.elapsed());
                let ended = ended.map(|ended| Ended { tenancy, ..ended });
                let is_valid = ended.is_some();
                open.end(ended.ok_or_else(|| lost("it said what cannot be true")));
                is_valid
            }
            Ok(Up::Overloaded { run, resource, limit, waited_ms }) => {
                self.end(run, RunError::Overloaded(Overloaded { resource, limit, waited_ms }))
            }
            Ok(Up::Broken { run, reason }) => {
                self.end(run, RunError::Internal { reason: shortened(reason, MESSAGE_BYTES_MAX) })
            }
            Ok(Up::Ready(_) | Up::Failed { .. }) | Err(_) => false,
        }
    }

    /// Ends a run without an ending; returns whether there may be such a run.
    fn end(&self, run: u32, error: RunError) -> bool {
        let mut runs = self.runs();
        let Some(mut open) = runs.open.remove(&run) else { return runs.tolerates() };
        drop(runs);
        open.end(Err(error));
        true
    }

    /// Passes on a piece of a run's output; returns whether an honest worker may have sent it.
    fn output(&self, run: u32, stream: OutputStream, text: &str) -> bool {
        let mut runs = self.runs();
        let Some(open) = runs.open.get_mut(&run) else { return runs.tolerates_output(stream, text.len()) };
        if !open.untold.as_mut().is_some_and(|untold| untold.takes(stream, text.len())) {
            return false;
        }
        let calls = Arc::clone(&open.calls);
        drop(runs);
        calls.output(stream, text);
        true
    }

    fn answer(self: &Arc<Worker>, run: u32, message: &[u8]) -> bool {
        let mut runs = self.runs();
        let Some(open) = runs.open.get_mut(&run) else { return runs.tolerates() };
        open.host_calls += 1;
        // The worker counts and measures too: what gets here beyond that is not our worker any more. It has one call at a
        // time, and reads the answer before it asks again: a worker that does not read cannot make this process keep
        // answers.
        let busy = open.answer.strong_count() > 0;
        if open.host_calls > open.limits.host_calls || message.len() > CALL_BYTES_MAX || busy {
            return false;
        }
        let calls = Arc::clone(&open.calls);
        let (worker, message) = (Arc::clone(self), message.to_vec());
        let waiting = Arc::new(());
        open.answer = Arc::downgrade(&waiting);
        let call = tokio::spawn(async move {
            let guard = PanicGuard { worker: &worker, run };
            let answer = calls.call(message).await;
            std::mem::forget(guard);
            let answer = match &answer {
                Some(Answer::Reply(bytes)) => Answered::Reply(bytes),
                Some(Answer::Exhausted(exhausted)) => Answered::Exhausted {
                    resource: exhausted.resource,
                    limit: exhausted.limit,
                    observed: exhausted.observed,
                },
                None => Answered::Malformed,
            };
            worker.runs().open.get_mut(&run).and_then(|open| open.call.take());
            worker.send_holding(&Down::Answered { run, answer }, Some(waiting));
        });
        open.call = Some(call.abort_handle());
        true
    }
}

/// Ends a run whose host call panicked: a fault of the program must not look like a slow script.
struct PanicGuard<'a> {
    worker: &'a Worker,
    run: u32,
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(mut open) = self.worker.runs().open.remove(&self.run)
        {
            self.worker.send(&Down::Cancel { run: self.run });
            open.end(Err(RunError::Internal { reason: "the answer to a host call panicked".to_owned() }));
        }
    }
}

/// A worker that is up, and its way to speak.
struct Started {
    child: Child,
    worker: Arc<Worker>,
    up: Incoming,
    down: Outgoing,
    frames: mpsc::UnboundedReceiver<Frame>,
}

impl Shared {
    fn workers(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Worker>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many runs one worker holds.
    fn share(&self) -> u32 {
        self.capacity.runs.div_ceil(self.command.count.max(1))
    }

    /// The worker with the fewest runs that may have one of `owner`; waits for one where none is up, or those that are up
    /// are full or somebody else's.
    async fn worker(&self, owner: Owner, wait: Duration) -> Result<Arc<Worker>, RunError> {
        let least = || match self.capacity.sharing {
            Sharing::Whole | Sharing::Fair => {
                let runs = |worker: &Arc<Worker>| worker.runs().open.len();
                let worker = self.workers().iter().min_by_key(|worker| runs(worker)).cloned();
                worker.filter(|worker| runs(worker) < self.share() as usize)
            }
            Sharing::Apart => self.worker_of_one(owner),
        };
        let found = timeout(wait, async {
            loop {
                // Registered before the look: what comes free in between must not be missed.
                let mut freed = pin!(self.freed.notified());
                freed.as_mut().enable();
                if let Some(worker) = least() {
                    return worker;
                }
                freed.await;
            }
        });
        found.await.map_err(|_| {
            if !self.workers().is_empty() {
                let waited_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                return RunError::Overloaded(Overloaded {
                    resource: SharedResource::Runs,
                    limit: self.capacity.runs.into(),
                    waited_ms,
                });
            }
            lost(&self.none_is_up())
        })
    }

    /// The same where each worker has runs of one owner only. An owner that has none gets one that nobody had, and more of
    /// those as long as one is left for others. Where there is none, one that has somebody else's is replaced: one whose runs
    /// have ended, otherwise the one with the fewest as soon as they have, which gets no more of them.
    fn worker_of_one(&self, owner: Owner) -> Option<Arc<Worker>> {
        let workers = self.workers();
        let (mut mine, mut fresh, mut foreign, mut closed) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for worker in workers.iter() {
            let runs = worker.runs();
            match runs.tenant {
                _ if runs.closed => closed += 1,
                None => fresh.push(worker),
                Some(tenant) if tenant == owner => mine.push((runs.open.len(), worker)),
                Some(_) => foreign.push((runs.open.len(), worker)),
            }
        }
        let least = mine.iter().min_by_key(|(runs, _)| *runs);
        let spare = if mine.is_empty() || fresh.len() > 1 { fresh.first() } else { None };
        let chosen = match (least, spare) {
            (Some((0, worker)), _) | (_, Some(worker)) => Some(worker),
            (Some((runs, worker)), None) if *runs < self.share() as usize => Some(worker),
            (_, None) => None,
        };
        if chosen.is_some() || !mine.is_empty() {
            return chosen.map(|worker| Arc::clone(worker));
        }
        // One at a time: who waits takes the next that comes up.
        let is_one_starting = workers.len() < self.command.count.max(1) as usize;
        let leaving = foreign.iter().min_by_key(|(runs, _)| *runs);
        let leaving = leaving.filter(|(runs, _)| !is_one_starting && (*runs == 0 || closed == 0));
        let leaving = leaving.map(|(_, worker)| Arc::clone(worker));
        drop(workers);
        if let Some(worker) = leaving {
            let mut runs = worker.runs();
            runs.closed = true;
            let has_drained = runs.open.is_empty();
            drop(runs);
            if has_drained {
                self.retire(&worker, FOR_ANOTHER_OWNER);
            }
        }
        None
    }

    /// Waits until so many starts in a row have failed, and gives the reason of the last.
    async fn failed_starts(&self, starts: usize) -> String {
        loop {
            // Registered before the look, as above.
            let mut failed = pin!(self.has_failed.notified());
            failed.as_mut().enable();
            if self.failed.load(Ordering::Relaxed) >= starts {
                return self.none_is_up();
            }
            failed.await;
        }
    }

    fn none_is_up(&self) -> String {
        let last_loss = self.last_loss.lock().unwrap_or_else(PoisonError::into_inner);
        format!("no worker is up: {last_loss}")
    }

    /// Makes sure that a worker gets no more runs and is replaced.
    fn retire(&self, worker: &Arc<Worker>, why: &'static str) {
        self.workers().retain(|known| !Arc::ptr_eq(known, worker));
        let mut runs = worker.runs();
        runs.closed = true;
        runs.why_retired.get_or_insert(why);
        drop(runs);
        worker.retired.notify_one();
    }

    /// Keeps one worker up for as long as the pool lives.
    async fn supervise(self: Arc<Shared>) {
        let mut pause = PAUSE.0;
        loop {
            match self.start().await {
                Err(loss) => {
                    pause = (pause * 2).min(PAUSE.1);
                    self.note_loss(loss);
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    self.has_failed.notify_waiters();
                }
                Ok(started) => {
                    pause = PAUSE.0;
                    self.failed.store(0, Ordering::Relaxed);
                    let loss = self.serve(started).await;
                    self.note_loss(loss);
                }
            }
            sleep(pause).await;
        }
    }

    fn note_loss(&self, loss: String) {
        *self.last_loss.lock().unwrap_or_else(PoisonError::into_inner) = loss;
    }

    async fn start(&self) -> Result<Started, String> {
        let (ours, theirs) = StdUnixStream::pair().map_err(|error| format!("no socket pair: {error}"))?;
        ours.set_nonblocking(true).map_err(|error| format!("the socket: {error}"))?;
        let ours = UnixStream::from_std(ours).map_err(|error| format!("the socket: {error}"))?;
        let child = Command::new(&self.command.program)
            .args(&self.command.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // The terminal's interrupt is for the parent: it cancels runs and says so.
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", self.command.program.display()))?;
        let (mut up, mut down) = wire::frames(ours);
        let share = u64::from(self.command.count.max(1));
        let hello = encode(&Down::Hello {
            runs: self.share(),
            memory_bytes: self.capacity.memory_bytes / share,
            wait_max_ms: u64::try_from(self.capacity.wait_max.as_millis()).unwrap_or(u64::MAX),
            is_fair: self.capacity.sharing == Sharing::Fair,
        });
        let said = async {
            let _ = down.send(hello).await;
            up.next().await
        };
        let hardening = match timeout(START_MAX, said).await {
            Ok(Some(Ok(frame))) => match decode::<Up<'_>>(&frame) {
                Ok(Up::Ready(hardening)) => hardening,
                Ok(Up::Failed { reason }) => {
                    return Err(format!("a worker could not start: {}", shortened(reason, MESSAGE_BYTES_MAX)));
                }
                Ok(_) | Err(_) => return Err("a worker began with something else than its state".to_owned()),
            },
            Ok(_) => {
                let status = timeout(GRACE, child.wait()).await;
                return Err(format!("a worker ended while it started: {}", describe(status.ok().and_then(Result::ok))));
            }
            Err(_) => return Err(format!("a worker did not start within {} s", START_MAX.as_secs())),
        };
        let (outbox, frames) = mpsc::unbounded_channel();
        let worker = Arc::new(Worker {
            process_id: child.id().unwrap_or_default(),
            hardening,
            outbox,
            backlog: Arc::default(),
            runs: Mutex::default(),
            large: Mutex::default(),
            retired: Notify::new(),
        });
        Ok(Started { child, worker, up, down, frames })
    }

    /// Carries frames to and from a worker until it goes; returns why it went.
    async fn serve(&self, started: Started) -> String {
        let Started { mut child, worker, mut up, down, frames } = started;
        self.workers().push(Arc::clone(&worker));
        self.freed.notify_waiters();
        let why = tokio::select! {
            why = worker.listen(&mut up) => why,
            () = down.carry(frames) => "it no longer reads",
            () = worker.retired.notified() => worker.runs().why_retired.unwrap_or(LATE),
        };
        self.workers().retain(|known| !Arc::ptr_eq(known, &worker));
        let open = {
            let mut runs = worker.runs();
            runs.closed = true;
            std::mem::take(&mut runs.open)
        };
        // A process that closed its socket is about to end; one that hangs is made to.
        let status = timeout(Duration::from_millis(100), child.wait()).await.ok().and_then(Result::ok);
        if status.is_none() {
            let _ = child.start_kill();
        }
        let loss = format!("{why}; {}", describe(status));
        for mut open in open.into_values() {
            open.end(Err(lost(&loss)));
        }
        // One that is stuck in the kernel is left to it.
        let _ = timeout(START_MAX, child.wait()).await;
        loss
    }
}

fn describe(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => format!("the process ended with {status}"),
        None => "the process was killed by its parent".to_owned(),
    }
}
