//! The calls of tools of one run: admitted by its grant, counted, and recorded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_capability::{Refusal, Tools};
use intentbox_catalog::json::parse_value;
use intentbox_report::Failure;
use intentbox_tools::{ToolError, Upstreams};
use serde_json::Value;

use crate::tool_failure::tool_failure;

/// How many refusals are kept: the first ones say what is missing.
const REFUSALS_MAX: usize = 100;

/// Calls tools under one run's grant.
#[derive(Debug)]
pub(crate) struct ToolCaller {
    upstreams: Option<Arc<Upstreams>>,
    grant: Tools,
    calls: AtomicU64,
    refusals: Mutex<Vec<Refusal>>,
    /// The last call that failed.
    failure: Mutex<Option<Failure>>,
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
    pub(crate) fn new(upstreams: Option<Arc<Upstreams>>, grant: Tools) -> Self {
        Self { upstreams, grant, calls: AtomicU64::new(0), refusals: Mutex::default(), failure: Mutex::default() }
    }

    /// Calls a tool with arguments as JSON text. The answer is JSON text.
    pub(crate) async fn call(&self, server: &str, tool: &str, arguments: &str) -> Result<String, NoAnswer> {
        let allowed = self.grant.admit(server, tool).map_err(|refusal| {
            let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            if refusals.len() < REFUSALS_MAX {
                refusals.push(refusal.clone());
            }
            NoAnswer::Refused(refusal)
        })?;
        self.calls.fetch_add(1, Ordering::Relaxed);
        let Ok(Value::Object(arguments)) = parse_value(arguments) else {
            return Err(NoAnswer::Failed("arguments", "the arguments are not a JSON object".to_owned()));
        };
        let called = match &self.upstreams {
            Some(upstreams) => upstreams.call(&allowed, arguments, None).await,
            None => Err(ToolError::NoServer { server: allowed.server().to_string(), nearest: None }),
        };
        match called {
            Ok(reply) => {
                let text = reply.text();
                Ok(reply.structured.unwrap_or(Value::String(text)).to_string())
            }
            Err(error) => {
                let (kind, failure) = (kind(&error), tool_failure(&error));
                let message = failure.message.clone();
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                Err(NoAnswer::Failed(kind, message))
            }
        }
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
