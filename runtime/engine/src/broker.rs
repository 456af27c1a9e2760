//! Answers the host calls of one run, under its grants and budget.
//!
//! To add a kind of host call, add an arm to [`Broker::call`] and a method that answers it.

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use intentbox_capability::{Access, Grants, HttpRule, Origins, Refusal, shown_url};
use intentbox_catalog::Catalog;
use intentbox_egress::{Budget, BudgetItem, Egress, Exchange, Request, SendError};
use intentbox_files::{Directories, ENTRIES_MAX, Listing, ReadError, Reader, UNREAD_MAX};
use intentbox_report::{Failure, Lack, Refused, Remedy, RunId, Spent, ToolCall, TraceContext, Unread};
use intentbox_sandbox::abi::{Call, FILES_MAX, FileEntry, HttpReply, HttpRequest, Reply, decode};
use intentbox_sandbox::{Answer, Calls, Exhausted, OutputStream, Pending, Resource};
use intentbox_search::Embedding;
use intentbox_tools::Upstreams;

use crate::caller::Caller;
use crate::events::{Event, Events, Of};
use crate::pages::Pages;
use crate::remedy::Requester;
use crate::tool_caller::{NoAnswer, Reach, ToolCaller, digest};

// The guest refuses a longer listing.
const _: () = assert!(ENTRIES_MAX <= FILES_MAX && UNREAD_MAX <= intentbox_sandbox::abi::UNREAD_MAX);

/// The longest method that an event tells, in letters: `PROPPATCH` has nine.
const METHOD_CHARS_MAX: usize = 16;

/// What the operator opened on this machine for scripts. The default is nothing. A kind of host call that needs a handle of
/// its own adds a field.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// The configured directories.
    pub directories: Directories,
    /// The configured upstream servers.
    pub upstreams: Option<Arc<Upstreams>>,
    /// The model of embeddings that searches for tools use besides words.
    pub embedding: Option<EmbeddingSource>,
}

/// Loads a model of embeddings when the first search needs it. It gives none where it cannot, and says so itself.
#[derive(Clone)]
pub struct EmbeddingSource(pub Arc<dyn Fn() -> Option<Embedding> + Send + Sync>);

impl fmt::Debug for EmbeddingSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EmbeddingSource")
    }
}

/// Directories alone.
impl From<Directories> for Resources {
    fn from(directories: Directories) -> Self {
        Self { directories, ..Self::default() }
    }
}

/// The same, as the runs of an engine share it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) directories: Directories,
    /// The upstream servers, and the index of their tools and of the templates.
    pub(crate) reach: Reach,
}

impl From<Resources> for Opened {
    fn from(resources: Resources) -> Self {
        let Resources { directories, upstreams, embedding } = resources;
        Self { directories, reach: Reach { upstreams, embedding, ..Reach::default() } }
    }
}

impl Opened {
    /// What is wanted and not there.
    pub(crate) fn lacks(&self, wants: &Access, origins: &Origins) -> Vec<Lack> {
        let Access { http, read, tools: _ } = wants;
        let origins = http.iter().map(HttpRule::alias).filter(|alias| origins.get(alias).is_none());
        let directories = read.iter().filter(|alias| !self.directories.has(alias));
        let origins = origins.map(|alias| Lack::Origin(alias.to_string()));
        let mut lacks: Vec<Lack> = origins.chain(directories.map(|alias| Lack::Directory(alias.to_string()))).collect();
        lacks.dedup();
        lacks
    }

    /// Opens what a run may use outside of its sandbox, under its grants. `trace` goes with what it sends.
    pub(crate) fn handles(
        &self,
        grants: &Grants,
        egress: &Egress,
        budget: Budget,
        catalog: Arc<Catalog>,
        trace: Option<&TraceContext>,
    ) -> Handles {
        let Grants { http, read, tools } = grants.clone();
        Handles {
            exchange: egress.open(http, budget).traced(trace.map(crate::headers_of).unwrap_or_default()),
            reader: self.directories.reader(read),
            tools: ToolCaller::new(self.reach.clone(), catalog, tools, trace.cloned()),
        }
    }
}

/// What the calls of one run go through, each kind under its grant.
pub(crate) struct Handles {
    pub(crate) exchange: Exchange,
    pub(crate) reader: Reader,
    pub(crate) tools: ToolCaller,
}

/// Answers a run's host calls under its grants.
pub(crate) struct Broker {
    exchange: Exchange,
    reader: Reader,
    tools: ToolCaller,
    /// Whose run it is, which decides what would allow a refused call.
    requester: Requester,
    /// The configured directories, which decide that too.
    directories: Directories,
    /// The status of the last reply if it was an error, otherwise 0.
    error_status: AtomicU16,
    /// The alias of the origin that the last request could not reach.
    unreachable: Mutex<Option<String>>,
    pages: Pages,
    noting: Noting,
}

/// Notes the calls of one run.
pub(crate) struct Noting {
    run_id: RunId,
    caller: Caller,
    events: Arc<dyn Events>,
}

/// A target as logs may have it: a query may hold what somebody looks for, and a user name a password.
fn shown(target: &str) -> String {
    shown_url(target.split(['?', '#']).next().unwrap_or_default())
}

impl Noting {
    pub(crate) fn new(run_id: RunId, caller: Caller, events: Arc<dyn Events>) -> Self {
        Self { run_id, caller, events }
    }

    /// A request: what it does is in its method.
    fn http(&self, method: &str, url: &str, outcome: &str) {
        let method: String = method.chars().filter(char::is_ascii_alphabetic).take(METHOD_CHARS_MAX).collect();
        let target = format!("{} {}", method.to_ascii_uppercase(), shown(url));
        self.note("http", &target, outcome);
    }

    fn call(&self, kind: &'static str, target: &str, outcome: &str) {
        self.note(kind, &shown(target), outcome);
    }

    fn note(&self, kind: &'static str, target: &str, outcome: &str) {
        self.events.note(Of::request(self.run_id, &self.caller), Event::HostCall { kind, target, outcome });
    }

    fn printed(&self, stream: OutputStream, text: &str) {
        self.events.note(Of::request(self.run_id, &self.caller), Event::Printed { stream, text });
    }
}

impl Broker {
    pub(crate) fn new(handles: Handles, requester: Requester, directories: Directories, noting: Noting) -> Broker {
        let Handles { exchange, reader, tools } = handles;
        Broker {
            exchange,
            reader,
            tools,
            requester,
            directories,
            error_status: AtomicU16::new(0),
            unreachable: Mutex::default(),
            pages: Pages::default(),
            noting,
        }
    }

    /// What was refused so far: requests, then files, then tools.
    pub(crate) fn refusals(&self) -> Vec<Refused> {
        let refusals = [self.exchange.refusals(), self.reader.refusals(), self.tools.refusals()].concat();
        let refused = |refusal: &Refusal| Refused { message: refusal.to_string(), remedy: self.remedy(refusal) };
        refusals.iter().map(refused).collect()
    }

    /// What requests, files and tools have cost so far; the sandbox knows the rest.
    pub(crate) fn spent(&self) -> Spent {
        let spent = self.exchange.spent();
        Spent {
            http_requests: spent.requests,
            http_bytes_up: spent.bytes_up,
            http_bytes_down: spent.bytes_down,
            file_calls: self.reader.calls(),
            file_bytes: self.reader.bytes(),
            tool_calls: self.tools.calls(),
            ..Spent::default()
        }
    }

    /// The status of the last reply to a request, if it is 400 or more.
    pub(crate) fn error_status(&self) -> Option<u16> {
        Some(self.error_status.load(Ordering::Relaxed)).filter(|status| *status > 0)
    }

    /// The alias of the origin that the last request could not reach, if it could not.
    pub(crate) fn unreachable(&self) -> Option<String> {
        self.unreachable.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The calls of tools, in the order in which they began.
    pub(crate) fn tool_calls(&self) -> Vec<ToolCall> {
        self.tools.listed()
    }

    /// Why the last call of a tool failed that did.
    pub(crate) fn tool_failure(&self) -> Option<Failure> {
        self.tools.failure()
    }

    fn tool_called(&self, kind: &'static str, target: &str, called: Result<String, NoAnswer>) -> Answer {
        let (outcome, answer) = match called {
            Ok(json) => ("ok", Answer::reply(&Reply::Tool(&json))),
            Err(none) => self.not_called(&none),
        };
        self.noting.call(kind, target, outcome);
        answer
    }

    fn tool_begun(&self, target: &str, begun: Result<u32, NoAnswer>) -> Answer {
        let (outcome, answer) = match begun {
            Ok(call) => ("begun", Answer::reply(&Reply::Begun(call))),
            Err(none) => self.not_called(&none),
        };
        self.noting.call("begin_tool", target, outcome);
        answer
    }

    fn not_called(&self, none: &NoAnswer) -> (&'static str, Answer) {
        match none {
            NoAnswer::Refused(refusal) => ("refused", self.refused(refusal)),
            NoAnswer::Failed(kind, message) => (kind, Answer::reply(&Reply::Failed { kind, message })),
        }
    }

    /// A list of which the run read only the first pages, if there is one.
    pub(crate) fn unread(&self) -> Option<Unread> {
        self.pages.unread()
    }

    async fn http(&self, request: HttpRequest<'_>) -> Answer {
        let sent = self.exchange.send(Request {
            method: request.method,
            url: request.url,
            headers: &request.headers,
            body: request.body,
            timeout: request.timeout_ms.map(|ms| Duration::from_millis(ms.into())),
        });
        let mut unreachable = None;
        let (status, outcome, answer) = match sent.await {
            Ok(reply) => {
                if request.method.eq_ignore_ascii_case("get") && reply.status < 400 {
                    let headers = reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                    self.pages.note(&reply.shown_url, headers);
                }
                let answer = Answer::reply(&Reply::Http(HttpReply {
                    status: reply.status,
                    url: &reply.shown_url,
                    headers: reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
                    body: &reply.body,
                }));
                (reply.status, reply.status.to_string(), answer)
            }
            Err(SendError::Refused(refusal)) => (0, "refused".to_owned(), self.refused(&refusal)),
            Err(SendError::Failed { kind, message }) => {
                // The message of the host begins with the alias.
                let alias = message.split_once(": ").map(|(alias, _)| alias.to_owned());
                unreachable = alias.filter(|_| matches!(kind, "connect" | "dns"));
                (0, kind.to_owned(), Answer::reply(&Reply::Failed { kind, message: &message }))
            }
            Err(SendError::BudgetSpent { what, limit, observed }) => {
                let resource = match what {
                    BudgetItem::Requests => Resource::HttpRequests,
                    BudgetItem::BytesUp => Resource::HttpBytesUp,
                    BudgetItem::BytesDown => Resource::HttpBytesDown,
                };
                (0, "exhausted".to_owned(), Answer::Exhausted(Exhausted { resource, limit, observed }))
            }
        };
        *self.unreachable.lock().unwrap_or_else(PoisonError::into_inner) = unreachable;
        self.error_status.store(if status >= 400 { status } else { 0 }, Ordering::Relaxed);
        self.noting.http(request.method, request.url, &outcome);
        answer
    }

    async fn list_files(&self, folder: &str) -> Answer {
        let (outcome, answer) = match self.reader.list(folder).await {
            Ok(Listing { files, unread }) => {
                let entries = files.iter().map(|file| FileEntry {
                    path: &file.path,
                    bytes: file.bytes,
                    modified_unix_ms: file.modified_unix_ms,
                });
                let unread = unread.iter().map(String::as_str).collect();
                ("ok", Answer::reply(&Reply::Files { files: entries.collect(), unread }))
            }
            Err(error) => self.not_read(&error),
        };
        self.noting.call("list_files", folder, outcome);
        answer
    }

    async fn read_file(&self, path: &str, offset: u64, length: u32) -> Answer {
        let (outcome, answer) = match self.reader.read(path, offset, length).await {
            Ok(piece) => ("ok", Answer::reply(&Reply::Piece(&piece))),
            Err(error) => self.not_read(&error),
        };
        // A file is many calls: the first says all that the others would.
        if offset == 0 || outcome != "ok" {
            self.noting.call("read_file", path, outcome);
        }
        answer
    }

    fn not_read(&self, error: &ReadError) -> (&'static str, Answer) {
        match error {
            ReadError::Refused(refusal) => ("refused", self.refused(refusal)),
            ReadError::Failed { kind, message } => (kind, Answer::reply(&Reply::Failed { kind, message })),
        }
    }

    fn remedy(&self, refusal: &Refusal) -> Option<Remedy> {
        self.requester.remedy(refusal, &self.directories)
    }

    fn refused(&self, refusal: &Refusal) -> Answer {
        // The script gets the lines of files, which are the same on every surface.
        let hint = match self.remedy(refusal) {
            Some(Remedy::Permit(permission)) => permission.to_string(),
            _ => String::new(),
        };
        Answer::reply(&Reply::Refused { message: &refusal.to_string(), hint: &hint })
    }
}

/// A call of a tool as it is noted. The arguments may be secret: their digest tells two calls apart.
fn said(server: &str, tool: &str, arguments: &str) -> String {
    format!("{server}: {tool} {}", digest(arguments))
}

impl Calls for Broker {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            Some(match decode::<Call<'_>>(&message).ok()? {
                Call::Http(request) => self.http(request).await,
                Call::ListFiles { folder } => self.list_files(folder).await,
                Call::ReadFile { path, offset, length } => self.read_file(path, offset, length).await,
                Call::Tool { server, tool, arguments } => {
                    let called = self.tools.call(server, tool, arguments).await;
                    self.tool_called("call_tool", &said(server, tool, arguments), called)
                }
                Call::BeginTool { server, tool, arguments } => {
                    let begun = self.tools.begin(server, tool, arguments).await;
                    self.tool_begun(&said(server, tool, arguments), begun)
                }
                Call::EndTool { call } => {
                    let ended = self.tools.end(call).await;
                    self.tool_called("end_tool", &call.to_string(), ended)
                }
                Call::FindTools { text, most } => {
                    let found = self.tools.find(text, most).await;
                    self.tool_called("find_tools", "", found)
                }
                Call::DescribeTool { server, tool } => {
                    let described = self.tools.describe(server, tool).await;
                    self.tool_called("describe_tool", &format!("{server}: {tool}"), described)
                }
            })
        })
    }

    fn follows_output(&self) -> bool {
        self.noting.events.follows_output()
    }

    fn output(&self, stream: OutputStream, text: &str) {
        self.noting.printed(stream, text);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[derive(Default)]
    struct Targets(Mutex<Vec<String>>);

    impl Events for Targets {
        fn note(&self, _: Of<'_>, event: Event<'_>) {
            let Event::HostCall { target, .. } = event else { panic!("{event:?} is no host call") };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(target.to_owned());
        }
    }

    #[test]
    fn an_event_names_no_password_and_no_query() {
        let targets = Arc::new(Targets::default());
        let noting = Noting::new(RunId::of(0), Caller::local(), Arc::clone(&targets) as Arc<_>);
        for (target, expected) in [
            ("sentry:/api/0/issues/?query=secret", "sentry:/api/0/issues/"),
            ("https://me:secret@a.example/x#secret", "https://a.example/x"),
            ("http:/\\me:secret@a.example/x", "http:/\\a.example/x"),
            ("logs:a\u{1b}b.log", "logs:a\\u{1b}b.log"),
        ] {
            noting.call("http", target, "200");
            let told = targets.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
            assert_eq!(told.as_deref(), Some(expected), "{target}");
        }
        noting.http("de\u{1b}lete", "https://me:secret@a.example/x?y=secret", "200");
        let told = targets.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        assert_eq!(told.as_deref(), Some("DELETE https://a.example/x"));
    }
}
