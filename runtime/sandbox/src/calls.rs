//! What the sandbox asks of whoever runs it: answers to the script's host calls.
//!
//! The sandbox knows no HTTP and no grants. It decodes and bounds what the guest says, hands it to [`HostCalls`], and
//! carries the answer back. In a worker process the bytes travel to the parent as they are, and are decoded there: what
//! a worker says is believed no more than what a guest says.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use intentbox_abi::{Call, HttpRequest, Reply, decode};

use crate::ending::Exhausted;

/// An answer on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers a run's host calls. One value belongs to one run and holds that run's grant and budget.
pub trait HostCalls: Send + Sync + fmt::Debug {
    /// Answers an HTTP request. Everything in `request` comes from the script.
    fn http<'a>(&'a self, request: HttpRequest<'a>) -> Pending<'a, Answer>;

    /// Lists the files of a folder, `alias:folder`. The text comes from the script. Unless overridden, it is refused.
    fn list_files<'a>(&'a self, folder: &'a str) -> Pending<'a, Answer> {
        no_directories(folder)
    }

    /// Reads up to `length` bytes of a file, `alias:folder/file`, from `offset` on. All of it comes from the script.
    /// Unless overridden, it is refused.
    fn read_file<'a>(&'a self, path: &'a str, offset: u64, length: u32) -> Pending<'a, Answer> {
        let _ = (offset, length);
        no_directories(path)
    }
}

fn no_directories(path: &str) -> Pending<'_, Answer> {
    Box::pin(async move {
        let message = format!("reading {path} was refused: this run has no directories");
        Answer::reply(&Reply::Refused { message: &message, hint: "" })
    })
}

/// What a host call came to.
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

impl HostCalls for NoCalls {
    fn http<'a>(&'a self, request: HttpRequest<'a>) -> Pending<'a, Answer> {
        let message = format!("{} {} was refused: this run has no grant", request.method, request.url);
        Box::pin(async move { Answer::reply(&Reply::Refused { message: &message, hint: "" }) })
    }
}

/// Answers a run's host calls as bytes: `None` when they are no call.
pub(crate) trait Calls: Send + Sync {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>>;
}

/// Decodes here and asks a [`HostCalls`].
pub(crate) struct Decoded(pub(crate) Arc<dyn HostCalls>);

impl Calls for Decoded {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            match decode::<Call<'_>>(&message) {
                Ok(Call::Http(request)) => Some(self.0.http(request).await),
                Ok(Call::ListFiles { folder }) => Some(self.0.list_files(folder).await),
                Ok(Call::ReadFile { path, offset, length }) => Some(self.0.read_file(path, offset, length).await),
                Err(_) => None,
            }
        })
    }
}
