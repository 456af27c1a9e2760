//! The worker's side: one thread that runs guests, and a socket to the parent.

use std::collections::HashMap;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use intentbox_abi::{decode, encode};
use intentbox_verdict::{Exhausted, Limits};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::hardening::{self, Hardening};
use super::wire::{Answered, Down, Up, finished_frame, frames, overloaded};
use crate::budget::Capacity;
use crate::calls::{Answer, Calls, OutputStream, Pending};
use crate::guest::Guest;
use crate::job::{Deterministic, Job};
use crate::run::Failed;
use crate::script::Script;
use crate::shares::{Owner, Sharing};

/// Frames on their way to the parent.
type Outbox = mpsc::UnboundedSender<Bytes>;

/// Why this process cannot be a worker.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Stdin is not the socket of a parent.
    #[error("stdin is not the socket of a parent: workers are started by it")]
    NoParent,
    /// The operating system refuses something.
    #[error("{what}: {error}")]
    System {
        /// What it is about.
        what: &'static str,
        /// Its reason.
        #[source]
        error: std::io::Error,
    },
    /// The first message is not the greeting of a parent.
    #[error("the parent did not say hello")]
    NoGreeting,
    /// The guest does not start.
    #[error("{reason}")]
    Guest {
        /// Why, in words.
        reason: String,
    },
}

/// Runs this process as a worker: its stdin is the socket to the parent. Returns when the parent is gone.
///
/// Meant to be called first thing in `main`, before anything opens a file or starts a thread.
///
/// # Errors
/// When stdin is no such socket, or the guest does not start.
pub fn serve() -> Result<(), ServeError> {
    let system = |what: &'static str| move |error: std::io::Error| ServeError::System { what, error };
    hardening::drop_what_is_inherited();
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().map_err(system("stdin"))?;
    let socket = StdUnixStream::from(stdin);
    socket.peer_addr().map_err(|_| ServeError::NoParent)?;
    socket.set_nonblocking(true).map_err(system("the socket"))?;
    // The default of 61 turns between two looks at the socket would leave what the parent sends lying for ten milliseconds beside runs
    // that compute.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().event_interval(1).build();
    let runtime = runtime.map_err(system("the runtime"))?;
    runtime.block_on(async {
        let socket = UnixStream::from_std(socket).map_err(system("the socket"))?;
        Worker::start(socket).await
    })
}

/// What the tasks of a worker share.
struct Worker {
    guest: Guest,
    outbox: Outbox,
    runs: Mutex<HashMap<u32, Run>>,
}

/// A run in progress: how to end it, and who waits for the answer to its host call.
struct Run {
    task: AbortHandle,
    answer: Option<oneshot::Sender<Option<Answer>>>,
}

/// What a run is told besides its script and its params.
#[derive(Clone, Copy)]
struct Rest {
    limits: Limits,
    deterministic: Option<Deterministic>,
    owner: Owner,
    reserves_memory: bool,
}

impl Worker {
    async fn start(socket: UnixStream) -> Result<(), ServeError> {
        let (mut down, mut up) = frames(socket);
        let Some(Ok(hello)) = down.next().await else { return Ok(()) };
        let Ok(Down::Hello { runs, memory_bytes, wait_max_ms, is_fair }) = decode::<Down<'_>>(&hello) else {
            return Err(ServeError::NoGreeting);
        };
        let sharing = if is_fair { Sharing::Fair } else { Sharing::Whole };
        let capacity = Capacity { runs, memory_bytes, wait_max: Duration::from_millis(wait_max_ms), sharing };
        let (guest, hardening) = match Worker::prepare(capacity).await {
            Ok(prepared) => prepared,
            Err(reason) => {
                let _ = up.send(encode(&Up::Failed { reason: &reason })).await;
                return Err(ServeError::Guest { reason });
            }
        };
        let (outbox, frames) = mpsc::unbounded_channel();
        let _ = outbox.send(encode(&Up::Ready(hardening)).into());
        tokio::spawn(async {
            up.carry(frames).await;
            // Nothing can be told any more. The filter lets no half of a socket be closed: only the end of the process
            // tells the parent.
            std::process::exit(1);
        });
        let worker = Arc::new(Worker { guest, outbox, runs: Mutex::default() });
        // A frame that cannot be read or understood leaves nothing to go on with: the parent sees the socket close.
        while let Some(Ok(frame)) = down.next().await {
            if !worker.handle(&frame) {
                break;
            }
        }
        Ok(())
    }

    /// Loads the guest, runs it once to touch what a first run touches, and drops all other privileges.
    async fn prepare(capacity: Capacity) -> Result<(Guest, Hardening), String> {
        // The parent shares the slots of all workers among owners.
        let guest = Guest::load(capacity, Sharing::Whole).map_err(|error| format!("{error:#}"))?;
        let script = Script::parse("warm_up.py", b"1+1", &Limits::default()).map_err(|error| error.to_string())?;
        let calls = Arc::new(crate::calls::NoCalls);
        let warm = guest.run(Job::new(&script, "{}"), calls).await;
        warm.map_err(|failed| match failed {
            Failed::Overloaded(overloaded) => overloaded.to_string(),
            Failed::Host(error) => format!("{error:#}"),
        })?;
        let hardening = hardening::apply(guest.scans_pages);
        Ok((guest, hardening))
    }

    /// Handles one frame; returns whether it was valid.
    fn handle(self: &Arc<Worker>, frame: &[u8]) -> bool {
        match decode::<Down<'_>>(frame) {
            Ok(Down::Begin {
                run,
                name,
                source,
                module,
                params,
                follows_output,
                limits,
                deterministic,
                owner,
                reserves_memory,
            }) => {
                let script = Script::of_parent(name, source, module);
                let calls = ForwardedCalls { worker: Arc::clone(self), run, follows_output };
                let rest = Rest { limits, deterministic, owner: Owner(owner), reserves_memory };
                self.begin(calls, script, params.to_owned(), rest);
            }
            Ok(Down::Answered { run, answer }) => {
                let waiting = self.with_runs(|runs| runs.get_mut(&run).and_then(|run| run.answer.take()));
                if let Some(waiting) = waiting {
                    let _ = waiting.send(match answer {
                        Answered::Reply(bytes) => Some(Answer::Reply(bytes.to_vec())),
                        Answered::Exhausted { resource, limit, observed } => {
                            Some(Answer::Exhausted(Exhausted { resource, limit, observed }))
                        }
                        Answered::Malformed => None,
                    });
                }
            }
            Ok(Down::Cancel { run }) => {
                if let Some(run) = self.with_runs(|runs| runs.remove(&run)) {
                    run.task.abort();
                }
            }
            Ok(Down::Hello { .. }) | Err(_) => return false,
        }
        true
    }

    fn begin(self: &Arc<Worker>, calls: ForwardedCalls, script: Script, params: String, rest: Rest) {
        let (worker, run) = (Arc::clone(self), calls.run);
        // The entry must be there before the task is, or a run that ends at once would leave it behind: tasks of this
        // runtime start only when this one waits.
        let task = tokio::spawn(async move {
            let calls = Arc::new(calls);
            let Rest { limits, deterministic, owner, reserves_memory } = rest;
            let job = Job { limits, deterministic, owner, reserves_memory, ..Job::new(&script, &params) };
            let guard = PanicGuard { worker: &worker, run };
            let frame = match worker.guest.run(job, calls).await {
                Ok(finished) => finished_frame(run, &finished),
                Err(Failed::Overloaded(reason)) => overloaded(run, reason),
                Err(Failed::Host(error)) => broken(run, &format!("{error:#}")),
            };
            std::mem::forget(guard);
            worker.end(run, frame);
        });
        let task = task.abort_handle();
        self.with_runs(|runs| runs.insert(run, Run { task, answer: None }));
    }

    fn end(&self, run: u32, frame: Vec<u8>) {
        self.with_runs(|runs| runs.remove(&run));
        // When the writer is gone the parent is, and this process ends.
        let _ = self.outbox.send(frame.into());
    }

    fn with_runs<T>(&self, act: impl FnOnce(&mut HashMap<u32, Run>) -> T) -> T {
        act(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reports a run that panicked to the parent. Without it, the parent would wait for an ending, and then take this
/// process for hung, with everybody's runs in it.
struct PanicGuard<'a> {
    worker: &'a Worker,
    run: u32,
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.worker.end(self.run, broken(self.run, "the run panicked"));
        }
    }
}

fn broken(run: u32, reason: &str) -> Vec<u8> {
    encode(&Up::Broken { run, reason })
}

/// Hands a run's host calls to the parent.
struct ForwardedCalls {
    worker: Arc<Worker>,
    run: u32,
    follows_output: bool,
}

impl Calls for ForwardedCalls {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let known = self.worker.with_runs(|runs| match runs.get_mut(&self.run) {
                Some(run) => {
                    run.answer = Some(answer);
                    true
                }
                None => false,
            });
            if !known {
                // Cancelled: this future is about to be dropped.
                return std::future::pending().await;
            }
            let frame = encode(&Up::Call { run: self.run, message: &message });
            let _ = self.worker.outbox.send(frame.into());
            // Without a parent there is no answer; the process ends with its socket.
            answered.await.unwrap_or(None)
        })
    }

    fn follows_output(&self) -> bool {
        self.follows_output
    }

    fn output(&self, stream: OutputStream, text: &str) {
        let _ = self.worker.outbox.send(encode(&Up::Output { run: self.run, stream, text }).into());
    }
}
