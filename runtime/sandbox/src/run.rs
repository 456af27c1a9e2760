//! One run: a fresh instance, one script, and how it ended.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use intentbox_abi::{Cause, Start, encode};
use intentbox_verdict::answer::{self, TRACEBACK_BYTES_MAX};
use intentbox_verdict::{Ended, Ending, Exception, Exhausted, Limits, Output, Resource, Spent, Tenancy};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use wasmtime::{InstancePre, Result, Store, Trap};
use wasmtime_wasi::{I32Exit, WasiCtxBuilder};

use crate::budget::{Budget, NoMemory, Overloaded, Share};
use crate::calls::Calls;
use crate::clock::Clock;
use crate::import::{RunState, Stopped};
use crate::job::Job;
use crate::live::LiveOutput;
use crate::output::Stream;
use crate::tuning::WASM_STACK_BYTES;

/// How much fuel a run burns before it yields the thread and checks the clock. Some ten units burn in a nanosecond, so this is a tenth
/// of a millisecond, or twice that where every instruction touches another page. A short run of somebody else waits for three or
/// four such turns. Yielding takes one percent of the time.
const FUEL_BETWEEN_LOOKS: u64 = 1_000_000;

/// The most fuel of a run whose changed pages are not counted at its end: `1+1` burns 220,000, and whatever looks at each object of the
/// snapshot, which changes most of its pages, some 1,100,000.
const FUEL_OF_A_SHORT_RUN: u64 = 1_000_000;

/// How old a run is before its changed pages are counted, and the least time between two counts: most runs are over by then, and
/// counting takes up to a tenth of a millisecond.
const COUNT_AFTER: Duration = Duration::from_millis(4);

/// Why there is no ending.
#[derive(Debug)]
pub(crate) enum Failed {
    /// There was no room for the run, at its start or later.
    Overloaded(Overloaded),
    /// No instance could be made, or the guest broke its own protocol before the script started.
    Host(wasmtime::Error),
}

impl From<wasmtime::Error> for Failed {
    fn from(error: wasmtime::Error) -> Failed {
        Failed::Host(error)
    }
}

/// A run that is over, before anybody validated the guest's answer.
///
/// Validating costs time in proportion to the answer's length. A worker has one thread for all its runs and forwards
/// the answer as it is; its parent, which trusts no worker, validates it in any case.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) ending: RawEnding,
    /// What the script wrote to stdout.
    pub(crate) stdout: Output,
    /// What the script wrote to stderr.
    pub(crate) stderr: Output,
    /// What it used.
    pub(crate) spent: Spent,
}

/// How a run ended, as far as that is known without validation.
#[derive(Debug)]
pub(crate) enum RawEnding {
    /// With an answer, which is text within `result_bytes` and may be no JSON.
    Answered(String),
    /// In any other way.
    Ended(Ending),
}

impl Finished {
    /// Validates the answer.
    pub(crate) fn check(self, limits: &Limits) -> Ended {
        let Finished { ending, stdout, stderr, spent } = self;
        let ending = match ending {
            RawEnding::Answered(answer) => answer::checked(&answer, limits),
            RawEnding::Ended(ending) => ending,
        };
        Ended { ending, stdout, stderr, spent, tenancy: Tenancy::Single }
    }
}

/// Runs a job in a fresh instance.
pub(crate) async fn run(
    pre: &InstancePre<RunState>,
    budget: &Arc<Budget>,
    job: Job<'_>,
    calls: Arc<dyn Calls>,
) -> Result<Finished, Failed> {
    let started = Instant::now();
    let limits = job.limits;
    let share = budget.enter(job.owner, job.needs(), limits.wall()).await.map_err(Failed::Overloaded)?;
    let share = Arc::new(share);
    let mut wasi = WasiCtxBuilder::new();
    wasi.allow_blocking_current_thread(false);
    let mut seed = [0; 32];
    let (mut random, clock) = if let Some(fixed) = job.deterministic {
        (StdRng::seed_from_u64(fixed.seed), Clock::fixed(fixed.unix_ns))
    } else {
        getrandom::fill(&mut seed).map_err(|error| wasmtime::format_err!("no randomness: {error}"))?;
        (StdRng::from_seed(seed), Clock::machine())
    };
    let mut entropy = [0; 16];
    random.fill_bytes(&mut entropy);
    wasi.wall_clock(clock.clone()).monotonic_clock(clock.clone());
    let live = LiveOutput::of(&calls, &limits);
    let inside = RunState {
        wasi: wasi.build_p1(),
        calls,
        clock,
        random,
        limits,
        stdout: Stream::new(Resource::StdoutBytes, limits.stdout_bytes),
        stderr: Stream::new(Resource::StderrBytes, limits.stderr_bytes),
        live: live.clone(),
        memory_bytes_peak: 0,
        unyielded_bytes: 0,
        host_calls: 0,
        waiting: None,
        started: false,
        stopped: None,
        share: Arc::clone(&share),
    };
    let mut store = Store::new(pre.module().engine(), inside);
    store.limiter_async(|inside| inside);
    store.set_fuel(limits.fuel)?;
    store.fuel_async_yield_interval(Some(FUEL_BETWEEN_LOOKS))?;
    let start = encode(&Start {
        name: job.script.name(),
        source: job.script.source(),
        module: job.script.module(),
        params: job.params,
        entropy,
        result_bytes_max: bound(limits.result_bytes),
        result_depth_max: bound(limits.result_depth),
        traceback_bytes_max: TRACEBACK_BYTES_MAX,
        scratch_bytes_max: bound(limits.scratch_bytes),
        scratch_entries_max: bound(limits.scratch_entries),
    });

    let spoken = within(started + limits.wall(), &share, live.as_deref(), exchange(pre, &mut store, start)).await;
    let ending = match spoken {
        Err(Interrupted::NoMemory(NoMemory::Taken(overloaded))) => return Err(Failed::Overloaded(overloaded)),
        Err(Interrupted::NoMemory(NoMemory::Never(exhausted))) => RawEnding::Ended(Ending::Exhausted(exhausted)),
        Err(Interrupted::Late) => {
            let observed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            RawEnding::Ended(Ending::Exhausted(Exhausted {
                resource: Resource::WallMs,
                limit: limits.wall_ms,
                observed,
            }))
        }
        Ok(Ok(ending)) => ending,
        Ok(Err(error)) => RawEnding::Ended(verdict(&error, store.data(), &limits)?),
    };
    let fuel = limits.fuel.saturating_sub(store.get_fuel().unwrap_or(0));
    let inside = store.data_mut();
    let (stdout, stderr) = (inside.stdout.take(), inside.stderr.take());
    let (memory_bytes_peak, host_calls) = (inside.memory_bytes_peak, inside.host_calls);
    // The instance goes before the clock is read: giving its pages back is part of what a run costs.
    if fuel > FUEL_OF_A_SHORT_RUN {
        // Memory does not become less while a run goes on.
        let length = usize::try_from(memory_bytes_peak).unwrap_or(0);
        #[expect(unsafe_code, reason = "memory is given back that a reference could still lead to")]
        // SAFETY: the future that ran the instance is gone, what the script answered was copied, and no memory grows beyond the limit
        // of the run, for which each slot has room.
        unsafe {
            share.give_back_pages(length);
        }
    }
    drop(store);
    let spent = Spent { fuel, memory_bytes_peak, wall: started.elapsed(), host_calls };
    Ok(Finished { ending, stdout, stderr, spent })
}

/// Instantiates, hands over the start message and takes the guest's last message.
async fn exchange(pre: &InstancePre<RunState>, store: &mut Store<RunState>, start: Vec<u8>) -> Result<RawEnding> {
    let instance = pre.instantiate_async(&mut *store).await?;
    let memory = instance.get_memory(&mut *store, "memory");
    let memory = memory.ok_or_else(|| wasmtime::format_err!("the guest has no memory"))?;
    let (address, length) = (memory.data_ptr(&*store).addr(), memory.data_size(&*store));
    store.data().share.watch(address, length);
    let prepare = instance.get_typed_func::<u32, u32>(&mut *store, "prepare")?;
    let run = instance.get_typed_func::<u32, u64>(&mut *store, "run")?;
    let length = u32::try_from(start.len()).map_err(|_| wasmtime::format_err!("a start message over 4 GiB"))?;
    let at = prepare.call_async(&mut *store, length).await?;
    memory.write(&mut *store, at as usize, &start)?;
    drop(start);
    store.data_mut().started = true;
    let answer = run.call_async(&mut *store, at).await?;
    let (at, length) = ((answer >> 32) as usize, (answer & 0xffff_ffff) as usize);
    let limits = store.data().limits;
    // Read in place, since nothing runs any more: a copy would be as large as the guest says, up to all its memory.
    let bytes = memory.data(&*store).get(at..at.saturating_add(length));
    let bytes = bytes.ok_or_else(|| wasmtime::format_err!("an answer outside the guest's memory"))?;
    Ok(match answer::unchecked(bytes, &limits) {
        Some(answer) => RawEnding::Answered(answer.to_owned()),
        None => RawEnding::Ended(answer::read(bytes, &limits)),
    })
}

/// Why work was interrupted.
enum Interrupted {
    /// The deadline passed.
    Late,
    /// The run changed more pages of the snapshot than its owner may hold.
    NoMemory(NoMemory),
}

/// A wait for memory.
type Growth<'a> = Pin<Box<dyn Future<Output = Result<(), NoMemory>> + Send + 'a>>;

/// Polls `work` in the turns of its owner until `deadline`. The clock is checked before each poll, and a timer covers waits inside
/// host calls. A result that comes too late is discarded: a piece of work between two checks may have been long.
///
/// Between polls the pages that the run has changed are counted, ever less often: after four milliseconds, and then whenever a
/// sixteenth of the run's age has passed. A short run is not counted at all, and a long one some dozens of times. Where there is no
/// room for them, the run goes no further until there is. Output that is due is passed on then, too: also while the script computes
/// or waits.
async fn within<T>(
    deadline: Instant,
    share: &Share,
    live: Option<&LiveOutput>,
    work: impl Future<Output = T>,
) -> Result<T, Interrupted> {
    let started = Instant::now();
    let next_count = |now: Instant| now + COUNT_AFTER.max((now - started) / 16);
    let mut work = pin!(work);
    let mut missing: Option<Growth<'_>> = None;
    let mut count_at = next_count(started);
    let mut timer = pin!(tokio::time::sleep_until(deadline.min(count_at).into()));
    poll_fn(|context| {
        if Instant::now() >= deadline {
            return Poll::Ready(Err(Interrupted::Late));
        }
        let mut step = pin!(poll_fn(|context| {
            if let Some(waiting) = &mut missing {
                if let Err(error) = ready!(waiting.as_mut().poll(context)) {
                    return Poll::Ready(Err(Interrupted::NoMemory(error)));
                }
                missing = None;
            }
            work.as_mut().poll(context).map(Ok)
        }));
        if let Poll::Ready(done) = share.turn.poll(context, step.as_mut()) {
            return Poll::Ready(if Instant::now() < deadline { done } else { Err(Interrupted::Late) });
        }
        let now = Instant::now();
        if now >= count_at {
            if missing.is_none() && !share.count_pages() {
                missing = Some(Box::pin(share.take_missing()));
                // It waits in its place among those that want memory from then on.
                share.turn.want();
            }
            count_at = next_count(now);
        }
        let mut wake_at = deadline.min(count_at);
        if let Some((live, due)) = live.and_then(|live| Some((live, live.due()?))) {
            if now >= due {
                live.pass_on();
            } else {
                wake_at = wake_at.min(due);
            }
        }
        if timer.deadline() != wake_at.into() {
            timer.as_mut().reset(wake_at.into());
        }
        // Polled so that it wakes this task. A timer that is over already does so at once.
        if timer.as_mut().poll(context).is_ready() {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await
}

/// Where a push below the guest's stack goes. The stack lies at the bottom of memory, so that addresses below it wrap to the last
/// 64 KiB of 4 GiB.
const BELOW_STACK: std::ops::RangeInclusive<u32> = 0xffff_0000..=u32::MAX;

/// What a trap means. A limit that the host noted wins over what the trap looks like.
fn verdict(error: &wasmtime::Error, inside: &RunState, limits: &Limits) -> Result<Ending, Failed> {
    match inside.stopped {
        Some(Stopped::Exhausted(exhausted)) => return Ok(Ending::Exhausted(exhausted)),
        Some(Stopped::Overloaded(overloaded)) => return Err(Failed::Overloaded(overloaded)),
        None => {}
    }
    let stack = WASM_STACK_BYTES as u64;
    let exhausted = |resource, limit| Ok(Ending::Exhausted(Exhausted { resource, limit, observed: limit }));
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => exhausted(Resource::Fuel, limits.fuel),
        Some(Trap::StackOverflow) => exhausted(Resource::StackBytes, stack),
        Some(Trap::MemoryOutOfBounds) if fault_address(error).is_some_and(|address| BELOW_STACK.contains(&address)) => {
            exhausted(Resource::StackBytes, stack)
        }
        // Before the script starts, a failure is not its fault.
        _ if !inside.started => Err(Failed::Host(wasmtime::format_err!("{error:#}"))),
        Some(trap) => Ok(Ending::Crashed { reason: trap.to_string() }),
        None => match error.downcast_ref::<I32Exit>() {
            Some(exit) => Ok(Ending::Raised(Exception {
                class: "SystemExit".to_owned(),
                message: format!("os._exit({}) ended the interpreter before there was an answer", exit.0),
                traceback: String::new(),
                hint: String::new(),
                cause: Cause::Exit,
            })),
            // What the script made a host function refuse: a malformed call, memory that is not there.
            None => Ok(Ending::Crashed { reason: error.root_cause().to_string() }),
        },
    }
}

/// The address of a memory fault, in the guest's memory. wasmtime has no public type for it, so it is read from the text of the
/// error. `a_fault_below_the_stack_is_an_exhausted_stack_and_another_one_a_crash` fails if that text changes.
fn fault_address(error: &wasmtime::Error) -> Option<u32> {
    let text = format!("{error:?}");
    let (_, address) = text.split_once("memory fault at wasm address 0x")?;
    let digits = address.split(|letter: char| !letter.is_ascii_hexdigit()).next()?;
    u32::from_str_radix(digits, 16).ok()
}

fn bound(limit: u64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}
