//! Host calls: the trait that answers them, implemented by the embedder.
//!
//! The sandbox knows no HTTP and no grants. It bounds the guest's messages, passes the bytes to [`Calls`], and carries
//! the answer back. From a worker process the bytes travel to the parent as they are, and are decoded there: the parent
//! trusts a worker no more than a guest.

use std::future::Future;
use std::pin::Pin;

use intentbox_abi::{Call, Reply, decode};
use intentbox_verdict::Exhausted;
use serde::{Deserialize, Serialize};

/// An answer on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers a run's host calls. One value belongs to one run and holds that run's grant and budget.
pub trait Calls: Send + Sync {
    /// Answers a message of the guest, of which the script may have chosen every byte: `None` if it is not a
    /// [`Call`](intentbox_abi::Call). It has at most [`CALL_BYTES_MAX`](intentbox_abi::CALL_BYTES_MAX) bytes.
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>>;

    /// Whether [`output`](Calls::output) is to be told what the script writes while it runs. Asked once, before the run.
    fn follows_output(&self) -> bool {
        false
    }

    /// Takes a piece of what the script wrote, of at most 16 KiB, some moments after it did. Pieces of one stream come in
    /// order, and together they are how the stream begins that comes with the ending: its last piece is only there. Must
    /// not wait.
    fn output(&self, _stream: OutputStream, _text: &str) {}
}

/// One of the two streams that a script writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputStream {
    /// What it prints.
    Stdout,
    /// What it writes to `sys.stderr`.
    Stderr,
}

impl OutputStream {
    /// Its name: `stdout` or `stderr`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OutputStream::Stdout => "stdout",
            OutputStream::Stderr => "stderr",
        }
    }
}

/// The result of a host call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A reply, as the guest will read it. [`Answer::reply`] makes one.
    Reply(Vec<u8>),
    /// The run's budget is spent: the run ends here, and the script cannot catch it.
    Exhausted(Exhausted),
}

impl Answer {
    /// Encodes a reply for the guest.
    #[must_use]
    pub fn reply(reply: &Reply<'_>) -> Answer {
        Answer::Reply(intentbox_abi::encode(reply))
    }
}

/// Refuses every call: for runs without any grant, such as benches and tests of the interpreter alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCalls;

impl Calls for NoCalls {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        let told = decode::<Call<'_>>(&message).ok().map(|_| "the call was refused: this run has no grant");
        Box::pin(async move { told.map(|message| Answer::reply(&Reply::Refused { message, hint: "" })) })
    }
}
