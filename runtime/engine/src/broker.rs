//! Between a script's host calls and what answers them: one broker a run, with that run's grant and budget.

use std::time::Duration;

use intentbox_capability::Refusal;
use intentbox_egress::{BudgetItem, Exchange, Request, SendError};
use intentbox_files::{Directories, ENTRIES_MAX, Listing, ReadError, Reader, UNREAD_MAX};
use intentbox_sandbox::abi::{FILES_MAX, FileEntry, HttpReply, HttpRequest, Reply};
use intentbox_sandbox::{Answer, Exhausted, HostCalls, Pending, Resource};

use crate::remedy::Asker;
use crate::report::{Refused, Spent};

// The guest refuses a longer listing.
const _: () = assert!(ENTRIES_MAX <= FILES_MAX && UNREAD_MAX <= intentbox_sandbox::abi::UNREAD_MAX);

/// Answers a run's host calls out of its grant.
#[derive(Debug)]
pub(crate) struct Broker {
    exchange: Exchange,
    reader: Reader,
    /// Whose run it is: what would allow what is refused depends on that.
    asker: Asker,
    /// And on what is configured.
    directories: Directories,
}

impl Broker {
    pub(crate) fn new(exchange: Exchange, reader: Reader, asker: Asker, directories: Directories) -> Broker {
        Broker { exchange, reader, asker, directories }
    }

    /// What was refused so far: requests, then files.
    pub(crate) fn refusals(&self) -> Vec<Refused> {
        let refusals = [self.exchange.refusals(), self.reader.refusals()].concat();
        refusals.iter().map(|refusal| Refused { message: refusal.to_string(), hint: self.hint(refusal) }).collect()
    }

    /// What requests and files cost so far; the rest is the sandbox's to say.
    pub(crate) fn spent(&self) -> Spent {
        let spent = self.exchange.spent();
        Spent {
            fuel: 0,
            memory_bytes_peak: 0,
            wall_ms: 0.0,
            host_calls: 0,
            http_requests: spent.requests,
            http_bytes_up: spent.bytes_up,
            http_bytes_down: spent.bytes_down,
            file_calls: self.reader.calls(),
            file_bytes: self.reader.bytes(),
        }
    }
}

impl HostCalls for Broker {
    fn http<'a>(&'a self, request: HttpRequest<'a>) -> Pending<'a, Answer> {
        Box::pin(async move {
            let sent = self.exchange.send(Request {
                method: request.method,
                url: request.url,
                headers: &request.headers,
                body: request.body,
                timeout: request.timeout_ms.map(|ms| Duration::from_millis(ms.into())),
            });
            match sent.await {
                Ok(reply) => Answer::reply(&Reply::Http(HttpReply {
                    status: reply.status,
                    url: &reply.shown_url,
                    headers: reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
                    body: &reply.body,
                })),
                Err(SendError::Refused(refusal)) => self.refused(&refusal),
                Err(SendError::Failed { kind, message }) => Answer::reply(&Reply::Failed { kind, message: &message }),
                Err(SendError::BudgetSpent { what, limit, observed }) => {
                    let resource = match what {
                        BudgetItem::Requests => Resource::HttpRequests,
                        BudgetItem::BytesUp => Resource::HttpBytesUp,
                        BudgetItem::BytesDown => Resource::HttpBytesDown,
                    };
                    Answer::Exhausted(Exhausted { resource, limit, observed })
                }
            }
        })
    }

    fn list_files<'a>(&'a self, folder: &'a str) -> Pending<'a, Answer> {
        Box::pin(async move {
            match self.reader.list(folder).await {
                Ok(Listing { files, unread }) => {
                    let entries = files.iter().map(|file| FileEntry {
                        path: &file.path,
                        bytes: file.bytes,
                        modified_unix_ms: file.modified_unix_ms,
                    });
                    let unread = unread.iter().map(String::as_str).collect();
                    Answer::reply(&Reply::Files { files: entries.collect(), unread })
                }
                Err(error) => self.not_read(&error),
            }
        })
    }

    fn read_file<'a>(&'a self, path: &'a str, offset: u64, length: u32) -> Pending<'a, Answer> {
        Box::pin(async move {
            match self.reader.read(path, offset, length).await {
                Ok(piece) => Answer::reply(&Reply::Piece(&piece)),
                Err(error) => self.not_read(&error),
            }
        })
    }
}

impl Broker {
    fn not_read(&self, error: &ReadError) -> Answer {
        match error {
            ReadError::Refused(refusal) => self.refused(refusal),
            ReadError::Failed { kind, message } => Answer::reply(&Reply::Failed { kind, message }),
        }
    }

    fn hint(&self, refusal: &Refusal) -> Option<String> {
        self.asker.hint(refusal, &self.directories)
    }

    fn refused(&self, refusal: &Refusal) -> Answer {
        Answer::reply(&Reply::Refused {
            message: &refusal.to_string(),
            hint: self.hint(refusal).as_deref().unwrap_or_default(),
        })
    }
}
