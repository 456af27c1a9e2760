//! The host functions of the guest, and the state of a run behind them. **This file is a boundary**, between a script
//! and the host.
//!
//! Of WASI the guest keeps the clock, random bytes and its own exit; files, arguments and environment are implemented
//! inside the guest and never come here. Then there are the functions of the protocol: `call` and `take` for host
//! calls, `print`, `pause` and `out_of_memory`. Every address and length that comes in is checked against the guest's
//! memory, and nothing here calls back into the guest.

use std::sync::Arc;
use std::time::Duration;

use intentbox_abi::{CALL_BYTES_MAX, IMPORT_MODULE};
use intentbox_verdict::{Exhausted, Limits, Resource};
use rand::Rng as _;
use rand::rngs::StdRng;
use tokio::task::coop::consume_budget;
use tokio::task::yield_now;
use wasmtime::{Caller, Extern, Linker, ResourceLimiterAsync, Result};
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::p1::{self, WasiP1Ctx};

use crate::budget::{NoMemory, Overloaded, Share};
use crate::calls::{Answer, Calls, OutputStream};
use crate::clock::Clock;
use crate::live::LiveOutput;
use crate::output::Stream;

/// By how much a run's memory grows before others get the thread. Growing burns no fuel, and each new page is a fault of a few
/// microseconds when it is written: a script that takes all the memory that it can would hold the thread for fifty
/// milliseconds between two yields for its fuel.
const BYTES_BETWEEN_YIELDS: u64 = 1 << 20;

/// The state of a run in wasmtime's store.
pub(crate) struct RunState {
    pub(crate) wasi: WasiP1Ctx,
    pub(crate) calls: Arc<dyn Calls>,
    pub(crate) clock: Clock,
    pub(crate) random: StdRng,
    pub(crate) limits: Limits,
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    /// The same for who follows it.
    pub(crate) live: Option<Arc<LiveOutput>>,
    pub(crate) memory_bytes_peak: u64,
    /// By how much memory grew since the run last gave up the thread for that.
    pub(crate) unyielded_bytes: u64,
    pub(crate) host_calls: u64,
    /// The answer that the guest was notified of and has not fetched.
    pub(crate) waiting: Option<(u32, Vec<u8>)>,
    /// Whether the script had started when the run ended. Failures before that are the host's fault.
    pub(crate) started: bool,
    /// Why the host made the guest trap, recorded before the trap: it decides the ending.
    pub(crate) stopped: Option<Stopped>,
    pub(crate) share: Arc<Share>,
}

/// Why the host ended a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stopped {
    /// The run reached one of its own limits.
    Exhausted(Exhausted),
    /// All runs together reached the process's.
    Overloaded(Overloaded),
}

#[wasmtime_wasi::async_trait]
impl ResourceLimiterAsync for RunState {
    async fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let (limit, observed) = (self.limits.memory_bytes, desired as u64);
        if observed > limit {
            // Saying no would let Python raise MemoryError and the script go on; an error ends the run.
            return Err(self.exhaust(Exhausted { resource: Resource::MemoryBytes, limit, observed }));
        }
        // The first growth is the snapshot itself: shared, and charged on entry for the part that becomes private.
        if current > 0 {
            let bytes = (desired - current) as u64;
            self.charge(bytes).await?;
            self.unyielded_bytes += bytes;
            if self.unyielded_bytes >= BYTES_BETWEEN_YIELDS {
                self.unyielded_bytes = 0;
                yield_now().await;
            }
        }
        self.memory_bytes_peak = self.memory_bytes_peak.max(observed);
        Ok(true)
    }

    async fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum))
    }
}

impl RunState {
    fn exhaust(&mut self, exhausted: Exhausted) -> wasmtime::Error {
        self.stopped = Some(Stopped::Exhausted(exhausted));
        wasmtime::format_err!("{exhausted}")
    }

    fn stream(&mut self, stream: OutputStream) -> &mut Stream {
        match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        }
    }

    /// Drops an answer that was never fetched, and gives back what it was charged.
    fn drop_waiting(&mut self) {
        if let Some((_, reply)) = self.waiting.take() {
            self.share.give_back(reply.len() as u64);
        }
    }

    /// Charges the budget for bytes that this process will hold for the run. Where there are none in time the run ends.
    async fn charge(&mut self, bytes: u64) -> Result<()> {
        let charged = self.share.grow(bytes).await;
        charged.map_err(|error| match error {
            NoMemory::Taken(overloaded) => {
                self.stopped = Some(Stopped::Overloaded(overloaded));
                wasmtime::format_err!("{overloaded}")
            }
            NoMemory::Never(exhausted) => self.exhaust(exhausted),
        })
    }
}

/// Binds the functions that the guest may call.
pub(crate) fn link(linker: &mut Linker<RunState>) -> Result<()> {
    p1::add_to_linker_async(linker, |inside: &mut RunState| &mut inside.wasi)?;
    // WASI refuses statuses beyond 125, and a script may leave with any; its random bytes come in one piece, however many
    // they are, and nothing can end the run in between.
    linker.allow_shadowing(true);
    linker.func_wrap("wasi_snapshot_preview1", "proc_exit", |status: u32| -> Result<()> {
        Err(I32Exit(status.cast_signed()).into())
    })?;
    linker.func_wrap_async("wasi_snapshot_preview1", "random_get", |caller, (into, length): (u32, u32)| {
        Box::new(random_get(caller, into, length))
    })?;
    linker.allow_shadowing(false);
    linker.func_wrap_async(IMPORT_MODULE, "call", |caller, (message, length): (u32, u32)| {
        Box::new(call(caller, message, length))
    })?;
    linker.func_wrap(IMPORT_MODULE, "take", take)?;
    linker.func_wrap_async(IMPORT_MODULE, "print", |caller, (stream, text, length): (u32, u32, u32)| {
        Box::new(print(caller, stream, text, length))
    })?;
    linker.func_wrap_async(IMPORT_MODULE, "pause", |caller: Caller<'_, RunState>, (nanoseconds,): (u64,)| {
        let clock = caller.data().clock.clone();
        Box::new(async move { clock.pause(Duration::from_nanos(nanoseconds)).await })
    })?;
    linker.func_wrap(IMPORT_MODULE, "out_of_memory", |mut caller: Caller<'_, RunState>, asked: u64| -> Result<()> {
        let inside = caller.data_mut();
        let (limit, observed) = (inside.limits.memory_bytes, inside.memory_bytes_peak.saturating_add(asked));
        Err(inside.exhaust(Exhausted { resource: Resource::MemoryBytes, limit, observed }))
    })?;
    Ok(())
}

/// How many random bytes are made before others get the thread and the clock is looked at: some fifty microseconds'
/// worth.
const RANDOM_PIECE_BYTES: u32 = 64 << 10;

/// Fills the guest's memory with random bytes, and answers that all went well.
async fn random_get(mut caller: Caller<'_, RunState>, into: u32, length: u32) -> Result<u32> {
    // All of the room must be there before any of it is written.
    guest_bytes(&mut caller, into, length)?;
    let mut done = 0;
    while done < length {
        let piece = RANDOM_PIECE_BYTES.min(length - done);
        let (bytes, inside) = guest_bytes_and_inside(&mut caller, into + done, piece)?;
        inside.random.fill_bytes(bytes);
        done += piece;
        if done < length {
            yield_now().await;
        } else {
            consume_budget().await;
        }
    }
    Ok(0)
}

/// First half of a host call: reads the message, has it answered, tells `handle << 32 | length`.
async fn call(mut caller: Caller<'_, RunState>, message: u32, length: u32) -> Result<u64> {
    let inside = caller.data_mut();
    inside.host_calls += 1;
    if inside.host_calls > inside.limits.host_calls {
        let (limit, observed) = (inside.limits.host_calls, inside.host_calls);
        return Err(inside.exhaust(Exhausted { resource: Resource::HostCalls, limit, observed }));
    }
    if length as usize > CALL_BYTES_MAX {
        let (limit, observed) = (CALL_BYTES_MAX as u64, u64::from(length));
        return Err(inside.exhaust(Exhausted { resource: Resource::HttpBytesUp, limit, observed }));
    }
    // The message is copied before it is decoded: it must not change under the decoder.
    let bytes = guest_bytes(&mut caller, message, length)?.to_vec();
    let calls = Arc::clone(&caller.data().calls);
    let answer = calls.call(bytes).await;
    // Answers that are there at once cost no fuel and no wait: without this, a million of them could pass unlooked.
    consume_budget().await;
    let inside = caller.data_mut();
    match answer {
        Some(Answer::Reply(reply)) => {
            let length = u32::try_from(reply.len()).map_err(|_| wasmtime::format_err!("an answer over 4 GiB"))?;
            inside.drop_waiting();
            inside.charge(u64::from(length)).await?;
            let handle = u32::try_from(inside.host_calls).unwrap_or(u32::MAX);
            inside.waiting = Some((handle, reply));
            Ok(u64::from(handle) << 32 | u64::from(length))
        }
        Some(Answer::Exhausted(exhausted)) => Err(inside.exhaust(exhausted)),
        None => Err(wasmtime::format_err!("a host call that is no message of the protocol")),
    }
}

/// Second half: copies the answer to where the guest made room.
fn take(mut caller: Caller<'_, RunState>, handle: u32, into: u32) -> Result<()> {
    let Some((_, reply)) = caller.data_mut().waiting.take_if(|(waiting, _)| *waiting == handle) else {
        return Err(wasmtime::format_err!("no answer {handle} is waiting"));
    };
    let length = u32::try_from(reply.len()).unwrap_or(u32::MAX);
    guest_bytes(&mut caller, into, length)?.copy_from_slice(&reply);
    caller.data().share.give_back(u64::from(length));
    Ok(())
}

/// Keeps what the script wrote to stdout (1) or stderr (2). A stream that is full ends the run: an error would be one
/// that the script can catch.
async fn print(mut caller: Caller<'_, RunState>, stream: u32, text: u32, length: u32) -> Result<()> {
    // Nothing is charged for what is not there.
    let (_, inside) = guest_bytes_and_inside(&mut caller, text, length)?;
    let stream = match stream {
        1 => OutputStream::Stdout,
        2 => OutputStream::Stderr,
        other => return Err(wasmtime::format_err!("there is no stream {other}")),
    };
    let more = inside.stream(stream).grows_by(length as usize);
    if more > 0 {
        inside.charge(more as u64).await?;
    }
    let (bytes, inside) = guest_bytes_and_inside(&mut caller, text, length)?;
    inside.stream(stream).push(bytes).map_err(|exhausted| inside.exhaust(exhausted))?;
    if let Some(live) = &inside.live {
        live.push(stream, bytes);
    }
    Ok(())
}

/// The guest's memory from `start`, or a trap where it does not reach that far.
fn guest_bytes<'a>(caller: &'a mut Caller<'_, RunState>, start: u32, length: u32) -> Result<&'a mut [u8]> {
    guest_bytes_and_inside(caller, start, length).map(|(bytes, _)| bytes)
}

fn guest_bytes_and_inside<'a>(
    caller: &'a mut Caller<'_, RunState>,
    start: u32,
    length: u32,
) -> Result<(&'a mut [u8], &'a mut RunState)> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Err(wasmtime::format_err!("the guest has no memory"));
    };
    let (start, length) = (start as usize, length as usize);
    let (bytes, inside) = memory.data_and_store_mut(caller);
    let bytes = bytes.get_mut(start..start.saturating_add(length));
    Ok((bytes.ok_or_else(|| wasmtime::format_err!("a message outside the guest's memory"))?, inside))
}

#[cfg(test)]
mod tests;
