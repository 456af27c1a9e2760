//! Tools as they were approved, ready to be called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intentbox_capability::ServerId;
use intentbox_store::DefinitionRecord;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::arguments::{Checker, SchemaFault};
use crate::definition::{Effect, admit};
use crate::error::ToolError;
use crate::reply::Reply;

/// How many tools one server keeps in memory.
const TOOLS_MAX: usize = 256;

/// How long a definition counts as approved after it was read. What this process lists itself counts at once. Only another process
/// that meets another definition in the meantime is noticed later, and the state is not asked for each of many calls in a row.
const READ_COUNTS_FOR: Duration = Duration::from_secs(1);

/// A tool that is ready to be called.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The hash of the definition that it was made of.
    pub(crate) hash: String,
    pub(crate) effect: Effect,
    pub(crate) is_idempotent: bool,
    input: Result<Checker, SchemaFault>,
    output: Option<Result<Checker, SchemaFault>>,
}

/// The tools of one server, as they were last read.
#[derive(Debug, Default)]
pub(crate) struct PreparedTools(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    generation: Generation,
    tools: HashMap<String, (Arc<Prepared>, Instant)>,
}

/// Counts how often the tools of a server were listed. What was read before the last listing does not count after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Generation(u64);

impl PreparedTools {
    pub(crate) fn generation(&self) -> Generation {
        self.state().generation
    }

    /// Forgets everything: the tools were listed anew.
    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.generation.0 += 1;
        state.tools.clear();
    }

    /// A tool, if it was read a short time ago.
    pub(crate) fn recent(&self, tool: &str, now: Instant) -> Option<Arc<Prepared>> {
        let state = self.state();
        let (prepared, read) = state.tools.get(tool)?;
        (now.saturating_duration_since(*read) < READ_COUNTS_FOR).then(|| Arc::clone(prepared))
    }

    /// Takes an approved definition that was read at a time, when the tools were of a generation.
    pub(crate) fn take(
        &self,
        tool: &str,
        record: &DefinitionRecord,
        generation: Generation,
        read: Instant,
    ) -> Arc<Prepared> {
        let known = self.state().tools.get(tool).map(|(prepared, _)| Arc::clone(prepared));
        let known = known.filter(|known| known.hash == record.hash);
        let prepared = known.unwrap_or_else(|| Arc::new(Prepared::of(record)));
        let mut state = self.state();
        if state.generation == generation {
            if state.tools.len() >= TOOLS_MAX && !state.tools.contains_key(tool) {
                state.tools.clear();
            }
            state.tools.insert(tool.to_owned(), (Arc::clone(&prepared), read));
        }
        prepared
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Prepared {
    fn of(record: &DefinitionRecord) -> Self {
        let definition = intentbox_catalog::json::parse_value(&record.definition).unwrap_or_default();
        let checker = |field: &str| definition.get(field).cloned().map(Checker::new);
        let row = admit(&record.definition).map(|definition| definition.row).ok();
        Self {
            hash: record.hash.clone(),
            effect: row.as_ref().map_or(Effect::Unknown, |row| row.effect),
            is_idempotent: row.is_some_and(|row| row.is_idempotent),
            input: checker("inputSchema").unwrap_or_else(|| Checker::new(Value::Object(Map::new()))),
            output: checker("outputSchema"),
        }
    }

    /// Whether the tool declares a schema of its result.
    pub(crate) fn declares_result(&self) -> bool {
        self.output.is_some()
    }

    pub(crate) fn check_arguments(&self, server: &ServerId, tool: &str, arguments: &Value) -> Result<(), ToolError> {
        let checked = match &self.input {
            // What is missing where a name is misspelled follows from that.
            Ok(checker) => checker.misspelled(arguments).map_or_else(|| checker.check(arguments), Err),
            Err(fault) => Err(fault.clone()),
        };
        checked.map_err(|fault| ToolError::Arguments {
            server: server.clone(),
            tool: tool.to_owned(),
            fault: fault.to_string(),
        })
    }

    /// Checks what a tool declares about its result. An error need not match it.
    pub(crate) fn check_reply(&self, tool: &str, reply: Reply) -> Result<Reply, ToolError> {
        let refuse = |fault: String| ToolError::Result { tool: tool.to_owned(), fault };
        match (&self.output, &reply.structured) {
            (None, _) => {}
            _ if reply.is_error => {}
            // Its server declares what cannot be checked: the result is as good as one without a declaration.
            (Some(Err(_)), _) => {}
            (Some(Ok(_)), None) => {
                return Err(refuse("it lacks the structuredContent that the tool declares".to_owned()));
            }
            (Some(Ok(checker)), Some(value)) => checker.check(value).map_err(|fault| refuse(fault.to_string()))?,
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(hash: &str) -> DefinitionRecord {
        let definition = "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}".to_owned();
        DefinitionRecord {
            name: "echo".to_owned(),
            is_listed: true,
            hash: hash.to_owned(),
            approved_hash: hash.to_owned(),
            approved: definition.clone(),
            definition,
        }
    }

    #[test]
    fn what_was_read_counts_for_a_time_and_not_after_the_next_listing() {
        let (tools, start) = (PreparedTools::default(), Instant::now());
        let before = tools.generation();
        let first = tools.take("echo", &record("1"), before, start);
        let last = start + READ_COUNTS_FOR.checked_sub(Duration::from_nanos(1)).expect("it is longer");
        assert!(tools.recent("echo", last).is_some_and(|recent| Arc::ptr_eq(&recent, &first)));
        assert!(tools.recent("echo", start + READ_COUNTS_FOR).is_none());
        let again = tools.take("echo", &record("1"), before, start + READ_COUNTS_FOR);
        assert!(Arc::ptr_eq(&again, &first), "the same definition is prepared once");
        tools.forget();
        assert!(tools.recent("echo", start).is_none());
        // It was read before the listing, and comes after it.
        assert_eq!(tools.take("echo", &record("1"), before, start).hash, "1");
        assert!(tools.recent("echo", start).is_none());
        tools.take("echo", &record("2"), tools.generation(), start);
        assert_eq!(tools.recent("echo", start).map(|recent| recent.hash.clone()).as_deref(), Some("2"));
    }

    #[test]
    fn no_more_tools_are_kept_than_may_be() {
        let (tools, now) = (PreparedTools::default(), Instant::now());
        for number in 0..=TOOLS_MAX {
            tools.take(&number.to_string(), &record("1"), tools.generation(), now);
        }
        assert_eq!(tools.state().tools.len(), 1);
        assert!(tools.recent(&TOOLS_MAX.to_string(), now).is_some());
    }
}
