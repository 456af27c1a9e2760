//! The messages between parent and worker over their socket: frames of a length and a postcard message.
//!
//! Both ends are the same program. The parent trusts a worker no more than a guest: it bounds what it reads
//! ([`FRAME_BYTES_MAX`]) and checks what it says.

use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use intentbox_abi::Module;
use intentbox_verdict::{
    Ended, Ending, Exception, Exhausted, Limits, Output, Resource, Spent, Tenancy, answer, limits,
};
use serde::{Deserialize, Serialize};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

use super::hardening::Hardening;
use crate::budget::{Overloaded, SharedResource};
use crate::calls::OutputStream;
use crate::job::Deterministic;
use crate::run::{Finished, RawEnding};

/// The longest frame: an answer, stdout and stderr at their ceilings, or a script and its params, and change.
#[expect(clippy::cast_possible_truncation, reason = "some fifty million")]
const FRAME_BYTES_MAX: usize =
    (limits::RESULT_BYTES.most + limits::STDOUT_BYTES.most + limits::STDERR_BYTES.most + (1 << 20)) as usize;

/// A socket as frames: those that come, and where to put those that go.
pub(super) fn frames(socket: tokio::net::UnixStream) -> (Incoming, Outgoing) {
    let codec = || LengthDelimitedCodec::builder().little_endian().max_frame_length(FRAME_BYTES_MAX).new_codec();
    let (read, write) = socket.into_split();
    (FramedRead::new(read, codec()), Outgoing(FramedWrite::new(write, codec())))
}

/// The frames that come.
pub(super) type Incoming = FramedRead<OwnedReadHalf, LengthDelimitedCodec>;

/// The frames that go.
pub(super) struct Outgoing(FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>);

impl Outgoing {
    /// Sends one frame.
    pub(super) async fn send(&mut self, frame: Vec<u8>) -> std::io::Result<()> {
        self.0.send(Bytes::from(frame)).await
    }

    /// Sends what comes until nobody is left to write or to read. All that is ready goes in one piece: endings come in
    /// bunches when runs do.
    pub(super) async fn carry<F: Into<Bytes>>(mut self, mut frames: mpsc::UnboundedReceiver<F>) {
        while let Some(frame) = frames.recv().await {
            let mut sent = self.0.feed(frame.into()).await;
            while let Ok(frame) = frames.try_recv() {
                sent = sent.and(self.0.feed(frame.into()).await);
            }
            if sent.is_err() || SinkExt::<Bytes>::flush(&mut self.0).await.is_err() {
                return;
            }
        }
    }
}

/// From parent to worker.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "one lives as long as it is written or read")]
pub(super) enum Down<'a> {
    /// First of all: how much the worker may hold.
    Hello { runs: u32, memory_bytes: u64, wait_max_ms: u64, is_fair: bool },
    /// Start a run.
    Begin {
        run: u32,
        name: &'a str,
        source: &'a str,
        #[serde(borrow)]
        module: Option<Module<'a>>,
        params: &'a str,
        limits: Limits,
        deterministic: Option<Deterministic>,
        owner: u64,
        reserves_memory: bool,
        /// Whether somebody follows its output.
        follows_output: bool,
    },
    /// The answer to the run's host call, which is waiting: a run has one at a time.
    Answered {
        run: u32,
        #[serde(borrow)]
        answer: Answered<'a>,
    },
    /// The run is cancelled.
    Cancel { run: u32 },
}

/// The result of a host call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answered<'a> {
    Reply(#[serde(with = "serde_bytes")] &'a [u8]),
    Exhausted { resource: Resource, limit: u64, observed: u64 },
    Malformed,
}

/// From worker to parent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Up<'a> {
    /// The worker is up, hardened like this.
    Ready(Hardening),
    /// The worker cannot start.
    Failed { reason: &'a str },
    /// A run's host call, as the guest sent it.
    Call {
        run: u32,
        #[serde(with = "serde_bytes")]
        message: &'a [u8],
    },
    /// A piece of a run's output, for who follows it.
    Output { run: u32, stream: OutputStream, text: &'a str },
    /// A run came to an end.
    Ended {
        run: u32,
        #[serde(borrow)]
        ending: WireEnding<'a>,
        stdout: &'a str,
        stdout_truncated: bool,
        stderr: &'a str,
        stderr_truncated: bool,
        fuel: u64,
        memory_bytes_peak: u64,
        host_calls: u64,
    },
    /// A run did not get its share of a resource.
    Overloaded { run: u32, resource: SharedResource, limit: u64, waited_ms: u64 },
    /// The worker could not carry a run through.
    Broken { run: u32, reason: &'a str },
}

/// An [`Ending`] on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum WireEnding<'a> {
    /// The guest's answer as it came: the parent checks it.
    Answered(&'a str),
    Raised(#[serde(borrow)] intentbox_abi::Raised<'a>),
    SyntaxError(#[serde(borrow)] intentbox_abi::Raised<'a>),
    ResultInvalid {
        path: &'a str,
        reason: &'a str,
    },
    Exhausted {
        resource: Resource,
        limit: u64,
        observed: u64,
    },
    Crashed {
        reason: &'a str,
    },
}

/// The end of a run as the worker reports it.
pub(super) fn finished_frame(run: u32, finished: &Finished) -> Vec<u8> {
    fn raised(exception: &Exception) -> intentbox_abi::Raised<'_> {
        intentbox_abi::Raised {
            class: &exception.class,
            message: &exception.message,
            traceback: &exception.traceback,
            hint: &exception.hint,
            cause: exception.cause,
        }
    }
    let ending = match &finished.ending {
        RawEnding::Answered(answer) => WireEnding::Answered(answer),
        RawEnding::Ended(Ending::Returned(json)) => WireEnding::Answered(json.get()),
        RawEnding::Ended(Ending::Raised(exception)) => WireEnding::Raised(raised(exception)),
        RawEnding::Ended(Ending::SyntaxError(exception)) => WireEnding::SyntaxError(raised(exception)),
        RawEnding::Ended(Ending::ResultInvalid { path, reason }) => WireEnding::ResultInvalid { path, reason },
        RawEnding::Ended(Ending::Exhausted(Exhausted { resource, limit, observed })) => {
            WireEnding::Exhausted { resource: *resource, limit: *limit, observed: *observed }
        }
        RawEnding::Ended(Ending::Crashed { reason }) => WireEnding::Crashed { reason },
    };
    intentbox_abi::encode(&Up::Ended {
        run,
        ending,
        stdout: &finished.stdout.text,
        stdout_truncated: finished.stdout.truncated,
        stderr: &finished.stderr.text,
        stderr_truncated: finished.stderr.truncated,
        fuel: finished.spent.fuel,
        memory_bytes_peak: finished.spent.memory_bytes_peak,
        host_calls: finished.spent.host_calls,
    })
}

impl WireEnding<'_> {
    /// The reported ending, if it is valid: it passes the gate of a guest's messages. An answer that is not JSON may be
    /// the guest's, and is its crash; an honest worker sends none that is too large.
    pub(super) fn validated(&self, limits: &Limits) -> Option<Ending> {
        Some(match self {
            WireEnding::Answered(answer) if answer.len() as u64 > limits.result_bytes => return None,
            WireEnding::Answered(answer) => answer::checked(answer, limits),
            WireEnding::Raised(raised) => Ending::Raised(answer::exception(raised)),
            WireEnding::SyntaxError(raised) => Ending::SyntaxError(answer::exception(raised)),
            WireEnding::ResultInvalid { path, reason } => answer::result_invalid(path, reason),
            WireEnding::Exhausted { resource, limit, observed } => {
                Ending::Exhausted(Exhausted { resource: *resource, limit: *limit, observed: *observed })
            }
            WireEnding::Crashed { reason } => {
                Ending::Crashed { reason: intentbox_abi::shortened(reason, answer::MESSAGE_BYTES_MAX) }
            }
        })
    }
}

/// The pieces of [`Up::Ended`] besides the ending, for the parent: `wall` is the parent's own measure.
pub(super) fn ended(up: &Up<'_>, limits: &Limits, wall: Duration) -> Option<Ended> {
    let Up::Ended {
        ending,
        stdout,
        stdout_truncated,
        stderr,
        stderr_truncated,
        fuel,
        memory_bytes_peak,
        host_calls,
        ..
    } = up
    else {
        return None;
    };
    let fits = stdout.len() as u64 <= limits.stdout_bytes && stderr.len() as u64 <= limits.stderr_bytes;
    let mut ending = ending.validated(limits).filter(|_| fits)?;
    // The worker counts from when it heard of the run.
    if let Ending::Exhausted(Exhausted { resource: Resource::WallMs, limit, observed }) = &mut ending {
        *limit = limits.wall_ms;
        *observed = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
    }
    let output = |text: &str, truncated: bool| Output { text: text.to_owned(), truncated };
    Some(Ended {
        ending,
        stdout: output(stdout, *stdout_truncated),
        stderr: output(stderr, *stderr_truncated),
        spent: Spent {
            fuel: (*fuel).min(limits.fuel),
            memory_bytes_peak: (*memory_bytes_peak).min(limits.memory_bytes),
            wall,
            host_calls: (*host_calls).min(limits.host_calls + 1),
        },
        // The parent knows better, and says so.
        tenancy: Tenancy::Shared,
    })
}

pub(super) fn overloaded(run: u32, overloaded: Overloaded) -> Vec<u8> {
    let Overloaded { resource, limit, waited_ms } = overloaded;
    intentbox_abi::encode(&Up::Overloaded { run, resource, limit, waited_ms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use intentbox_abi::{Cause, Raised, decode, encode};
    use intentbox_verdict::answer::{HINT_BYTES_MAX, MESSAGE_BYTES_MAX, NAME_BYTES_MAX, TRACEBACK_BYTES_MAX};
    use proptest::prelude::*;

    /// What the parent makes of one frame, under limits so small that random frames run into them.
    fn handle(frame: &[u8]) {
        let small = Limits { stdout_bytes: 8, stderr_bytes: 8, result_bytes: 64, result_depth: 3, ..Limits::default() };
        if let Ok(up) = decode::<Up<'_>>(frame)
            && let Some(ended) = ended(&up, &small, Duration::ZERO)
        {
            check(&ended.ending, &small);
            assert!(ended.stdout.text.len() as u64 <= small.stdout_bytes);
            assert!(ended.stderr.text.len() as u64 <= small.stderr_bytes);
        }
    }

    /// An answer passes the gate of a guest's answers, whose own tests say what that means. Texts are within their bounds.
    fn check(ending: &Ending, limits: &Limits) {
        match ending {
            Ending::Returned(json) => {
                let again = answer::checked(json.get(), limits);
                assert!(matches!(again, Ending::Returned(_)), "{again:?}: {json}");
            }
            Ending::Raised(exception) | Ending::SyntaxError(exception) => {
                assert!(exception.class.len() <= NAME_BYTES_MAX);
                assert!(exception.message.len() <= MESSAGE_BYTES_MAX);
                assert!(exception.traceback.len() <= TRACEBACK_BYTES_MAX as usize);
                assert!(exception.hint.len() <= HINT_BYTES_MAX);
            }
            Ending::ResultInvalid { path, reason } => {
                assert!(path.len() <= NAME_BYTES_MAX && reason.len() <= NAME_BYTES_MAX);
            }
            Ending::Crashed { reason } => assert!(reason.len() <= MESSAGE_BYTES_MAX),
            Ending::Exhausted(_) => {}
        }
    }

    fn wire_ending(kind: u8, text: &str, number: u64) -> WireEnding<'_> {
        let raised = Raised { class: text, message: text, traceback: text, hint: text, cause: Cause::NotFound };
        match kind {
            0 => WireEnding::Answered(text),
            1 => WireEnding::Raised(raised),
            2 => WireEnding::SyntaxError(raised),
            3 => WireEnding::ResultInvalid { path: text, reason: text },
            4 => WireEnding::Exhausted { resource: Resource::Fuel, limit: number, observed: number },
            _ => WireEnding::Crashed { reason: text },
        }
    }

    proptest! {
        #[test]
        fn e14_any_bytes_of_a_worker_are_bounded_or_not_believed(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            handle(&bytes);
        }

        #[test]
        fn e14_a_worker_that_was_taken_over_is_bounded_or_not_believed(
            kind in 0_u8..6,
            text in "[\\[\\]{}:, \"a0-9ü]{0,90}",
            times in 1_usize..300,
            output in "[a-zü]{0,30}",
            number in any::<u64>(),
            damage in proptest::option::of((any::<proptest::sample::Index>(), any::<u8>())),
        ) {
            let text = text.repeat(times);
            let mut frame = encode(&Up::Ended {
                run: 7,
                ending: wire_ending(kind, &text, number),
                stdout: &output,
                stdout_truncated: false,
                stderr: &output,
                stderr_truncated: true,
                fuel: number,
                memory_bytes_peak: number,
                host_calls: number,
            });
            if let Some((index, mask)) = damage {
                let at = index.index(frame.len());
                frame[at] ^= mask;
            }
            handle(&frame);
        }
    }
}
