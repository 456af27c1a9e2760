//! One run: a fresh instance, one script, and the verdict on how it ended.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use intentbox_abi::{CALL_BYTES_MAX, Call, Cause, IMPORT_MODULE, ResultMeasure, Start, decode, encode};
use serde_json::value::RawValue;
use wasmtime::{Caller, Extern, InstancePre, Linker, ResourceLimiter, Result, Store, Trap};
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wasi::{I32Exit, WasiCtxBuilder};

use crate::calls::{Answer, HostCalls};
use crate::ending::{Ended, Ending, Exception, Exhausted, Resource, Spent};
use crate::limits::Limits;
use crate::output::Captured;
use crate::script::Script;
use crate::tuning::WASM_STACK_BYTES;

/// How much fuel a run burns before it lets others have the thread and looks at the clock. Some ten units burn in a
/// nanosecond, so this is about a millisecond: deadlines hold to that, and the looking costs less than one percent.
const FUEL_BETWEEN_LOOKS: u64 = 10_000_000;

/// The most bytes of traceback that are worth carrying.
const TRACEBACK_BYTES_MAX: u32 = 16 << 10;

/// The most bytes of a class name, a path in an answer or the reason why it cannot be said. The script chooses them.
const NAME_BYTES_MAX: usize = 1 << 10;

/// The most bytes of an exception's text. The guest keeps to half of it; a guest that was taken over might not.
const MESSAGE_BYTES_MAX: usize = 8 << 10;

/// The most random bytes that one call may ask for.
const RANDOM_BYTES_MAX: u64 = 1 << 20;

/// What a run carries through wasmtime.
pub(crate) struct Inside {
    wasi: WasiP1Ctx,
    calls: Arc<dyn HostCalls>,
    limits: Limits,
    stdout: Captured,
    stderr: Captured,
    memory_bytes_peak: u64,
    host_calls: u64,
    /// The answer that the guest has been told of and has not fetched.
    waiting: Option<(u32, Vec<u8>)>,
    /// Whether the script had the word when the run ended. What goes wrong before is the host's own trouble.
    started: bool,
    /// The limit that made the host trap, set before the trap: it decides the verdict.
    exhausted: Option<Exhausted>,
}

impl ResourceLimiter for Inside {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let (limit, observed) = (self.limits.memory_bytes, desired as u64);
        if observed > limit {
            // Saying no would let Python raise MemoryError and the script go on; an error ends the run.
            return Err(self.exhaust(Exhausted { resource: Resource::MemoryBytes, limit, observed }));
        }
        self.memory_bytes_peak = self.memory_bytes_peak.max(observed);
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum))
    }
}

impl Inside {
    fn exhaust(&mut self, exhausted: Exhausted) -> wasmtime::Error {
        self.exhausted = Some(exhausted);
        wasmtime::format_err!("{exhausted}")
    }
}

/// Binds what the guest may call: WASI as far as an empty world has it, and the three functions of the protocol.
pub(crate) fn link(linker: &mut Linker<Inside>) -> Result<()> {
    p1::add_to_linker_async(linker, |inside: &mut Inside| &mut inside.wasi)?;
    linker.func_wrap_async(IMPORT_MODULE, "call", |caller, (message, length): (u32, u32)| {
        Box::new(call(caller, message, length))
    })?;
    linker.func_wrap(IMPORT_MODULE, "take", take)?;
    linker.func_wrap(IMPORT_MODULE, "out_of_memory", |mut caller: Caller<'_, Inside>, asked: u64| -> Result<()> {
        let inside = caller.data_mut();
        let (limit, observed) = (inside.limits.memory_bytes, inside.memory_bytes_peak.saturating_add(asked));
        Err(inside.exhaust(Exhausted { resource: Resource::MemoryBytes, limit, observed }))
    })?;
    Ok(())
}

/// First half of a host call: reads the message, has it answered, tells `handle << 32 | length`.
async fn call(mut caller: Caller<'_, Inside>, message: u32, length: u32) -> Result<u64> {
    let inside = caller.data_mut();
    inside.host_calls += 1;
    if inside.host_calls > inside.limits.host_calls {
        let (limit, observed) = (inside.limits.host_calls, inside.host_calls);
        return Err(inside.exhaust(Exhausted { resource: Resource::HostCalls, limit, observed }));
    }
    if length as usize > CALL_BYTES_MAX {
        let (limit, observed) = (CALL_BYTES_MAX as u64, u64::from(length));
        return Err(caller.data_mut().exhaust(Exhausted { resource: Resource::HttpBytesUp, limit, observed }));
    }
    // The message is copied before it is decoded: it must not change under the decoder.
    let bytes = guest_bytes(&mut caller, message, length)?.to_vec();
    let calls = Arc::clone(&caller.data().calls);
    let answer = match decode::<Call<'_>>(&bytes) {
        Ok(Call::Http(request)) => calls.http(request).await,
        Err(malformed) => return Err(wasmtime::format_err!("host call: {malformed}")),
    };
    let inside = caller.data_mut();
    match answer {
        Answer::Reply(reply) => {
            let length = u32::try_from(reply.len()).map_err(|_| wasmtime::format_err!("an answer over 4 GiB"))?;
            let handle = u32::try_from(inside.host_calls).unwrap_or(u32::MAX);
            inside.waiting = Some((handle, reply));
            Ok(u64::from(handle) << 32 | u64::from(length))
        }
        Answer::Exhausted(exhausted) => Err(inside.exhaust(exhausted)),
    }
}

/// Second half: copies the answer to where the guest made room.
fn take(mut caller: Caller<'_, Inside>, handle: u32, into: u32) -> Result<()> {
    let Some((_, reply)) = caller.data_mut().waiting.take_if(|(waiting, _)| *waiting == handle) else {
        return Err(wasmtime::format_err!("no answer {handle} is waiting"));
    };
    let length = u32::try_from(reply.len()).unwrap_or(u32::MAX);
    guest_bytes(&mut caller, into, length)?.copy_from_slice(&reply);
    Ok(())
}

/// The guest's memory from `start`, or a trap where it does not reach that far.
fn guest_bytes<'a>(caller: &'a mut Caller<'_, Inside>, start: u32, length: u32) -> Result<&'a mut [u8]> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Err(wasmtime::format_err!("the guest has no memory"));
    };
    let (start, length) = (start as usize, length as usize);
    let bytes = memory.data_mut(caller).get_mut(start..start.saturating_add(length));
    bytes.ok_or_else(|| wasmtime::format_err!("a message outside the guest's memory"))
}

/// Runs `script` in a fresh instance.
///
/// # Errors
/// When no instance can be made, or the guest breaks its own protocol: the host's trouble, not the script's.
pub(crate) async fn run(
    pre: &InstancePre<Inside>,
    script: &Script,
    params: &str,
    limits: Limits,
    calls: Arc<dyn HostCalls>,
) -> Result<Ended> {
    let started = Instant::now();
    let stdout = Captured::new(Resource::StdoutBytes, limits.stdout_bytes);
    let stderr = Captured::new(Resource::StderrBytes, limits.stderr_bytes);
    let wasi = WasiCtxBuilder::new()
        .stdout(stdout.clone())
        .stderr(stderr.clone())
        .max_random_size(RANDOM_BYTES_MAX)
        .allow_blocking_current_thread(false)
        .build_p1();
    let inside = Inside {
        wasi,
        calls,
        limits,
        stdout: stdout.clone(),
        stderr: stderr.clone(),
        memory_bytes_peak: 0,
        host_calls: 0,
        waiting: None,
        started: false,
        exhausted: None,
    };
    let mut store = Store::new(pre.module().engine(), inside);
    store.limiter(|inside| inside);
    store.set_fuel(limits.fuel)?;
    store.fuel_async_yield_interval(Some(FUEL_BETWEEN_LOOKS))?;

    let mut entropy = [0; 16];
    getrandom::fill(&mut entropy).map_err(|error| wasmtime::format_err!("no randomness: {error}"))?;
    let start = encode(&Start {
        name: script.name(),
        source: script.source(),
        params,
        entropy,
        result_bytes_max: bound(limits.result_bytes),
        result_depth_max: bound(limits.result_depth),
        traceback_bytes_max: TRACEBACK_BYTES_MAX,
    });

    let spoken = within(started + limits.wall(), exchange(pre, &mut store, &start)).await;
    let ending = match spoken {
        None => {
            let observed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            Ending::Exhausted(Exhausted { resource: Resource::WallMs, limit: limits.wall_ms, observed })
        }
        Some(Ok(message)) => read(&message, &limits),
        Some(Err(error)) => verdict(&error, store.data(), &limits)?,
    };
    let fuel = limits.fuel.saturating_sub(store.get_fuel().unwrap_or(0));
    let (memory_bytes_peak, host_calls) = (store.data().memory_bytes_peak, store.data().host_calls);
    // The instance goes before the clock is read: giving its pages back is part of what a run costs.
    drop(store);
    let spent = Spent { fuel, memory_bytes_peak, wall: started.elapsed(), host_calls };
    Ok(Ended { ending, stdout: stdout.take(), stderr: stderr.take(), spent })
}

/// Instantiates, hands over the start message and gives the bytes of the guest's answer.
async fn exchange(pre: &InstancePre<Inside>, store: &mut Store<Inside>, start: &[u8]) -> Result<Vec<u8>> {
    let instance = pre.instantiate_async(&mut *store).await?;
    let memory = instance.get_memory(&mut *store, "memory");
    let memory = memory.ok_or_else(|| wasmtime::format_err!("the guest has no memory"))?;
    let prepare = instance.get_typed_func::<u32, u32>(&mut *store, "prepare")?;
    let run = instance.get_typed_func::<u32, u64>(&mut *store, "run")?;
    let length = u32::try_from(start.len()).map_err(|_| wasmtime::format_err!("a start message over 4 GiB"))?;
    let at = prepare.call_async(&mut *store, length).await?;
    memory.write(&mut *store, at as usize, start)?;
    store.data_mut().started = true;
    let answer = run.call_async(&mut *store, at).await?;
    let (at, length) = ((answer >> 32) as usize, (answer & 0xffff_ffff) as usize);
    let bytes = memory.data(&*store).get(at..at.saturating_add(length));
    Ok(bytes.ok_or_else(|| wasmtime::format_err!("an answer outside the guest's memory"))?.to_vec())
}

/// Polls `work` until `deadline`. The clock is looked at before each poll, and a timer covers waits inside host calls.
async fn within<T>(deadline: Instant, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut timer = pin!(tokio::time::sleep_until(deadline.into()));
    poll_fn(|context| {
        if Instant::now() >= deadline || timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}

/// What the guest says, believed as far as it can be checked.
fn read(message: &[u8], limits: &Limits) -> Ending {
    use intentbox_abi::Ended as Said;
    let exception = |raised: intentbox_abi::Raised<'_>| Exception {
        class: shortened(raised.class, NAME_BYTES_MAX),
        message: shortened(raised.message, MESSAGE_BYTES_MAX),
        traceback: shortened(raised.traceback, TRACEBACK_BYTES_MAX as usize),
        cause: raised.cause,
    };
    let crashed = |reason: &str| Ending::Crashed { reason: reason.to_owned() };
    match decode::<Said<'_>>(message) {
        // A guest that was taken over may say anything; the answer is taken only as strict JSON within the limit.
        Ok(Said::Returned { result }) if result.len() as u64 <= limits.result_bytes => {
            match serde_json::from_str::<&RawValue>(result) {
                Ok(json) => Ending::Returned(json.to_owned()),
                Err(_) => crashed("the answer is not JSON"),
            }
        }
        Ok(Said::Returned { .. }) => crashed("the answer is larger than its limit"),
        Ok(Said::Raised(raised)) => Ending::Raised(exception(raised)),
        Ok(Said::SyntaxError(raised)) => Ending::SyntaxError(exception(raised)),
        Ok(Said::ResultInvalid { path, reason }) => {
            Ending::ResultInvalid { path: shortened(path, NAME_BYTES_MAX), reason: shortened(reason, NAME_BYTES_MAX) }
        }
        Ok(Said::ResultLimit { measure, limit, observed }) => {
            let resource = match measure {
                ResultMeasure::Bytes => Resource::ResultBytes,
                ResultMeasure::Depth => Resource::ResultDepth,
            };
            Ending::Exhausted(Exhausted { resource, limit, observed })
        }
        Err(_) => crashed("the answer is not a message"),
    }
}

/// What a trap means. A limit that the host noted wins over what the trap looks like.
fn verdict(error: &wasmtime::Error, inside: &Inside, limits: &Limits) -> Result<Ending> {
    let noted = inside.exhausted.or(inside.stdout.exhausted()).or(inside.stderr.exhausted());
    if let Some(exhausted) = noted {
        return Ok(Ending::Exhausted(exhausted));
    }
    let stack = WASM_STACK_BYTES as u64;
    let exhausted = |resource, limit| Ok(Ending::Exhausted(Exhausted { resource, limit, observed: limit }));
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => exhausted(Resource::Fuel, limits.fuel),
        Some(Trap::StackOverflow) => exhausted(Resource::StackBytes, stack),
        // The guest's stack lies at the bottom of its memory: running off its end wraps to addresses near 4 GiB.
        Some(Trap::MemoryOutOfBounds) if format!("{error:?}").contains("wasm address 0xffff") => {
            exhausted(Resource::StackBytes, stack)
        }
        Some(trap) => Ok(Ending::Crashed { reason: trap.to_string() }),
        None => match error.downcast_ref::<I32Exit>() {
            Some(exit) => Ok(Ending::Raised(Exception {
                class: "SystemExit".to_owned(),
                message: format!("os._exit({}) ended the interpreter before there was an answer", exit.0),
                traceback: String::new(),
                cause: Cause::Exit,
            })),
            // What the script made a host function refuse: a malformed call, a request for too many random bytes.
            None if inside.started => Ok(Ending::Crashed { reason: error.root_cause().to_string() }),
            None => Err(wasmtime::format_err!("{error:?}")),
        },
    }
}

/// `text` with its middle left out where it has more than `bytes_max` bytes.
fn shortened(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(bytes_max / 2);
    let tail = text.ceil_char_boundary(text.len() - bytes_max / 2);
    format!("{} […] {}", &text[..head], &text[tail..])
}

fn bound(limit: u64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}
