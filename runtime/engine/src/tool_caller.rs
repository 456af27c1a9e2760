//! The calls of tools of one run: admitted by its grant, counted, and recorded. Calls that were begun go on beside the script.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use intentbox_capability::{AllowedTool, Refusal, ToolEffect, Tools};
use intentbox_catalog::Catalog;
use intentbox_catalog::json::parse_value;
use intentbox_catalog::terminal::printable;
use intentbox_report::{Failure, TOOL_CALLS_MAX, ToolCall, TraceContext};
use intentbox_tools::{Effect, Seen, ServerCall, StoreError, ToolError, Upstreams};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;

use crate::EmbeddingSource;
use crate::found::{Entry, Found, Source};
use crate::index::Index;
use crate::stub;
use crate::tool_failure::tool_failure;

/// How many refusals are kept: the first ones say what is missing.
const REFUSALS_MAX: usize = 100;

/// How many calls one run has begun and not waited for. Each holds its arguments, and then its answer.
const BEGUN_MAX: usize = 64;

/// How many bytes the answers of begun calls may have together while nobody waits for them.
const KEPT_BYTES_MAX: usize = 32 << 20;

/// The longest name of a call in a report, in characters: a server and a tool have 64 and 128.
const SHOWN_CHARS_MAX: usize = 200;

/// How many tools a search looks at, of which the granted ones are told.
const SEARCHED_MAX: usize = 20;

/// Calls tools under one run's grant.
#[derive(Debug)]
pub(crate) struct ToolCaller {
    reach: Reach,
    catalog: Arc<Catalog>,
    grant: Tools,
    /// Goes with each call, for servers that take part in a trace.
    trace: Option<TraceContext>,
    calls: AtomicU64,
    listed: Arc<Mutex<Vec<ToolCall>>>,
    refusals: Mutex<Vec<Refusal>>,
    /// The last call that failed.
    failure: Arc<Mutex<Option<Failure>>>,
    begun: Mutex<BTreeMap<u32, Begun>>,
    next: AtomicU32,
    /// How many bytes the answers have that nobody has waited for.
    kept: Arc<AtomicUsize>,
}

/// What calls go through: the servers, and the index, which the runs of one engine share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    pub(crate) upstreams: Option<Arc<Upstreams>>,
    pub(crate) embedding: Option<EmbeddingSource>,
    pub(crate) index: Arc<AsyncMutex<Option<Arc<Index>>>>,
}

impl Reach {
    /// The index of these templates and of the tools of the servers, as it is now.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub(crate) async fn index(&self, catalog: &Arc<Catalog>, upstreams: &Upstreams) -> Result<Arc<Index>, StoreError> {
        let mut kept = self.index.lock().await;
        let index = Index::of(catalog, upstreams, kept.as_ref(), self.embedding.as_ref()).await?;
        *kept = Some(Arc::clone(&index));
        Ok(index)
    }
}

/// A call that goes on. It ends with the run that began it.
#[derive(Debug)]
struct Begun(JoinHandle<Result<String, NoAnswer>>);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A call in the list of its run.
#[derive(Debug)]
struct Listed {
    calls: Arc<Mutex<Vec<ToolCall>>>,
    number: usize,
    begun: Instant,
}

impl Listed {
    /// Notes how it ended.
    fn end(self, answer: &Result<String, NoAnswer>) {
        let ms = (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let outcome = match answer {
            Ok(_) => "ok",
            Err(NoAnswer::Refused(_)) => "refused",
            Err(NoAnswer::Failed(kind, _)) => kind,
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = calls.get_mut(self.number) {
            (call.ms, call.outcome) = (ms, outcome);
        }
    }
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The grant does not cover it.
    Refused(Refusal),
    /// It failed: a stable word, and a sentence.
    Failed(&'static str, String),
}

impl ToolCaller {
    pub(crate) fn new(reach: Reach, catalog: Arc<Catalog>, grant: Tools, trace: Option<TraceContext>) -> Self {
        Self {
            reach,
            catalog,
            grant,
            trace,
            calls: AtomicU64::new(0),
            listed: Arc::default(),
            refusals: Mutex::default(),
            failure: Arc::default(),
            begun: Mutex::default(),
            next: AtomicU32::new(1),
            kept: Arc::default(),
        }
    }

    /// Calls a tool with arguments as JSON text. The answer is JSON text.
    pub(crate) async fn call(&self, server: &str, tool: &str, arguments: &str) -> Result<String, NoAnswer> {
        let listed = self.list(server, tool, arguments);
        let answer = match self.admitted(server, tool, arguments).await {
            Ok((allowed, arguments)) => {
                called(self.reach.upstreams.as_ref(), &allowed, self.call_of(arguments), &self.failure).await
            }
            Err(none) => Err(none),
        };
        listed.end(&answer);
        answer
    }

    /// Begins a call, which [`ToolCaller::end`] waits for.
    pub(crate) async fn begin(&self, server: &str, tool: &str, arguments: &str) -> Result<u32, NoAnswer> {
        if self.begun().len() >= BEGUN_MAX {
            let message = format!("{BEGUN_MAX} calls go on already: wait for some of them first");
            return Err(NoAnswer::Failed("too_many", message));
        }
        let listed = self.list(server, tool, arguments);
        let (allowed, arguments) = match self.admitted(server, tool, arguments).await {
            Ok(admitted) => admitted,
            Err(none) => {
                let refused = Err(none);
                listed.end(&refused);
                return refused.map(|_: String| 0);
            }
        };
        let (upstreams, failure) = (self.reach.upstreams.clone(), Arc::clone(&self.failure));
        let (kept, call) = (Arc::clone(&self.kept), self.call_of(arguments));
        let going = tokio::spawn(async move {
            let answer = called(upstreams.as_ref(), &allowed, call, &failure).await;
            listed.end(&answer);
            let answer = answer?;
            let bytes = answer.len();
            if kept.fetch_add(bytes, Ordering::Relaxed) + bytes > KEPT_BYTES_MAX {
                kept.fetch_sub(bytes, Ordering::Relaxed);
                let message = format!(
                    "answers that nobody waited for have more than {KEPT_BYTES_MAX} bytes: wait for some first"
                );
                return Err(NoAnswer::Failed("too_many", message));
            }
            Ok(answer)
        });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.begun().insert(number, Begun(going));
        Ok(number)
    }

    fn call_of(&self, arguments: Map<String, Value>) -> ServerCall {
        ServerCall { arguments, meta: self.trace.as_ref().map(crate::headers_of).unwrap_or_default(), progress: None }
    }

    /// Waits for a call that was begun. Its answer is given once.
    pub(crate) async fn end(&self, number: u32) -> Result<String, NoAnswer> {
        let begun = self.begun().remove(&number);
        let Some(mut begun) = begun else {
            return Err(NoAnswer::Failed("no_such_call", "no call with this number goes on".to_owned()));
        };
        match (&mut begun.0).await {
            Ok(answer) => {
                if let Ok(answer) = &answer {
                    self.kept.fetch_sub(answer.len(), Ordering::Relaxed);
                }
                answer
            }
            Err(error) => Err(NoAnswer::Failed("upstream_failed", format!("the call was lost: {error}"))),
        }
    }

    /// The granted tools that do what a text says, as JSON text.
    pub(crate) async fn find(&self, text: &str, most: u32) -> Result<String, NoAnswer> {
        let Some(upstreams) = &self.reach.upstreams else { return Ok("[]".to_owned()) };
        let index = self.reach.index(&self.catalog, upstreams).await;
        let index = index.map_err(|error| NoAnswer::Failed("upstream_failed", error.to_string()))?;
        let found = Found::of(&index, &index.find_tool(text), SEARCHED_MAX);
        if !found.fits {
            return Ok("[]".to_owned());
        }
        let row = |found: &Entry| {
            let Source::Tool { server, tool } = &found.source else { return None };
            self.grant.admit(server, tool, effect_of(found.effect)).ok()?;
            Some(json!({
                "server": server, "tool": tool, "summary": found.summary, "arguments": found.arguments,
                "required": found.required, "effect": found.effect, "call": example(server, tool, found),
            }))
        };
        let rows = found.entries.iter().filter_map(row).take(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(Value::from(rows.collect::<Vec<Value>>()).to_string())
    }

    /// What a granted tool takes and gives, as JSON text.
    pub(crate) async fn describe(&self, server: &str, tool: &str) -> Result<String, NoAnswer> {
        // To describe a tool is to read, whatever it does.
        let allowed = self.allowed(server, tool, ToolEffect::Reads)?;
        let Some(upstreams) = &self.reach.upstreams else {
            let error = ToolError::NoServer { server: server.to_owned(), nearest: None };
            return Err(NoAnswer::Failed(kind(&error), tool_failure(&error).message));
        };
        let definition = upstreams.definition(&allowed).await;
        let definition = definition.map_err(|error| NoAnswer::Failed(kind(&error), tool_failure(&error).message))?;
        let field = |name: &str| definition.get(name).cloned().unwrap_or_default();
        let admitted = intentbox_tools::admit(&definition.to_string()).ok();
        let seen = match &admitted {
            Some(admitted) => upstreams.seen(server, tool, &admitted.hash).await.ok().flatten(),
            None => None,
        };
        let described = json!({
            "stub": stub::of(server, tool, &definition, seen.as_ref()),
            "description": field("description"),
            "arguments": field("inputSchema"),
            "result": field("outputSchema"),
            "seen": seen.as_ref().map(Seen::schema),
            "effect": admitted.map(|admitted| admitted.row.effect),
        });
        Ok(described.to_string())
    }

    async fn admitted(
        &self,
        server: &str,
        tool: &str,
        arguments: &str,
    ) -> Result<(AllowedTool, Map<String, Value>), NoAnswer> {
        let effect = match &self.reach.upstreams {
            Some(upstreams) if self.grant.asks_effect(server) => upstreams.effect(server, tool).await.map(effect_of),
            _ => Ok(ToolEffect::MayChange),
        };
        let effect = match effect {
            Ok(effect) => effect,
            // A grant that covers what the tool was approved as is not what keeps it from being called.
            Err(error) if self.grant.admit(server, tool, ToolEffect::Reads).is_ok() => {
                self.calls.fetch_add(1, Ordering::Relaxed);
                return Err(failed(&error, &self.failure));
            }
            Err(_) => ToolEffect::MayChange,
        };
        let allowed = self.allowed(server, tool, effect)?;
        self.calls.fetch_add(1, Ordering::Relaxed);
        match parse_value(arguments) {
            Ok(Value::Object(arguments)) => Ok((allowed, arguments)),
            _ => Err(NoAnswer::Failed("arguments", "the arguments are not a JSON object".to_owned())),
        }
    }

    fn allowed(&self, server: &str, tool: &str, effect: ToolEffect) -> Result<AllowedTool, NoAnswer> {
        self.grant.admit(server, tool, effect).map_err(|refusal| {
            let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            if refusals.len() < REFUSALS_MAX {
                refusals.push(refusal.clone());
            }
            NoAnswer::Refused(refusal)
        })
    }

    /// Lists a call for the report.
    fn list(&self, server: &str, tool: &str, arguments: &str) -> Listed {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let number = listed.len();
        if number < TOOL_CALLS_MAX {
            listed.push(ToolCall {
                tool: shown(&format!("{server}: {tool}")),
                arguments_digest: digest(arguments),
                ms: 0.0,
                outcome: "unfinished",
            });
        }
        Listed { calls: Arc::clone(&self.listed), number, begun: Instant::now() }
    }

    /// The calls, in the order in which they began.
    pub(crate) fn listed(&self) -> Vec<ToolCall> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A poisoned lock still holds whole calls.
    fn begun(&self) -> MutexGuard<'_, BTreeMap<u32, Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was refused so far.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many calls were admitted.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Why the last call failed that did.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The first 8 bytes of the SHA-256 of arguments, in hexadecimal. They may be secret: it tells two calls apart.
pub(crate) fn digest(arguments: &str) -> String {
    Sha256::digest(arguments).iter().take(8).fold(String::new(), |mut digest, byte| {
        let _ = write!(digest, "{byte:02x}");
        digest
    })
}

/// What a script names, as a line that is safe to print.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    printable(&cut).replace(['\n', '\t'], " ")
}

/// How a script calls a tool, with the arguments that it needs.
fn example(server: &str, tool: &str, found: &Entry) -> String {
    let needed: Vec<String> = found.arguments.iter().take(found.required).map(|name| format!("{name}=…")).collect();
    format!("tools[{server:?}][{tool:?}]({})", needed.join(", "))
}

/// What a rule of the policy makes of what a server says.
pub(crate) fn effect_of(effect: Effect) -> ToolEffect {
    if effect == Effect::Reads { ToolEffect::Reads } else { ToolEffect::MayChange }
}

/// Performs an admitted call. A failure is kept for the report.
async fn called(
    upstreams: Option<&Arc<Upstreams>>,
    allowed: &AllowedTool,
    call: ServerCall,
    failure: &Mutex<Option<Failure>>,
) -> Result<String, NoAnswer> {
    let called = match upstreams {
        Some(upstreams) => upstreams.call(allowed, call).await,
        None => Err(ToolError::NoServer { server: allowed.server().to_string(), nearest: None }),
    };
    match called {
        Ok(reply) => {
            let text = reply.text();
            Ok(reply.structured.unwrap_or(Value::String(text)).to_string())
        }
        Err(error) => Err(failed(&error, failure)),
    }
}

/// A call that failed. Why is kept for the report.
fn failed(error: &ToolError, failure: &Mutex<Option<Failure>>) -> NoAnswer {
    let (kind, failed) = (kind(error), tool_failure(error));
    let message = failed.message.clone();
    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
    NoAnswer::Failed(kind, message)
}

/// The stable word of a failure.
fn kind(error: &ToolError) -> &'static str {
    match error {
        ToolError::Tool { .. } => "tool_failed",
        ToolError::Arguments { .. } => "arguments",
        ToolError::NoServer { .. } | ToolError::NoTool { .. } => "no_such_tool",
        ToolError::Changed { .. } => "upstream_changed",
        ToolError::UnknownOutcome(..) => "unknown_outcome",
        ToolError::Refused(_) | ToolError::Failed(_) | ToolError::Result { .. } | ToolError::Store(_) => {
            "upstream_failed"
        }
    }
}
