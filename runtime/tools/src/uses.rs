//! What is noted of calls that were answered: how many, when, and what the answers look like. It is gathered in memory and kept
//! now and then, so that a call waits for no disk. What a process that is killed had not kept is lost.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use intentbox_store::{ToolShape, ToolStore, Used};

use crate::reply::Reply;
use crate::shape::Seen;

/// How many answers of one tool are looked at in one process: the first ones show most.
const LOOKED_AT_MAX: u64 = 16;

/// How many tools are gathered. Calls of further ones are not noted until these are kept.
const TOOLS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<BTreeMap<(String, String), Tool>>);

#[derive(Debug, Default)]
struct Tool {
    /// Calls that are not kept yet.
    calls: u64,
    last_ms: i64,
    /// How many answers were looked at, and under which definition.
    looked_at: u64,
    hash: String,
    seen: Option<Seen>,
    /// Whether the shape is another one than the one that is kept.
    has_changed: bool,
}

impl Uses {
    /// Notes a call that was answered by the server of a key. `hash` is that of a definition that does not say what the tool answers.
    pub(crate) fn note(&self, server: &str, tool: &str, hash: Option<&str>, reply: &Reply, now_ms: i64) {
        let mut tools = self.tools();
        let key = (server.to_string(), tool.to_owned());
        if tools.len() >= TOOLS_MAX && !tools.contains_key(&key) {
            return;
        }
        let noted = tools.entry(key).or_default();
        noted.calls += 1;
        noted.last_ms = noted.last_ms.max(now_ms);
        let Some(hash) = hash else { return };
        if noted.hash != hash {
            *noted = Tool { calls: noted.calls, last_ms: noted.last_ms, hash: hash.to_owned(), ..Tool::default() };
        }
        if noted.looked_at < LOOKED_AT_MAX
            && let Some(seen) = Seen::of(reply)
        {
            noted.looked_at += 1;
            let more = match noted.seen.clone() {
                Some(known) => known.with(seen),
                None => seen,
            };
            noted.has_changed |= noted.seen.as_ref() != Some(&more);
            noted.seen = Some(more);
        }
    }

    /// What answers under a definition looked like in this process.
    pub(crate) fn seen(&self, server: &str, tool: &str, hash: &str) -> Option<Seen> {
        let tools = self.tools();
        let noted = tools.get(&(server.to_owned(), tool.to_owned())).filter(|noted| noted.hash == hash)?;
        noted.seen.clone()
    }

    /// Keeps what was noted.
    pub(crate) async fn keep(&self, store: &ToolStore) {
        let mut new: Vec<(Used, Option<Seen>)> = Vec::new();
        for ((server, name), noted) in &mut *self.tools() {
            if noted.calls == 0 {
                continue;
            }
            let seen = noted.seen.clone().filter(|_| noted.has_changed);
            let shape = seen.as_ref().map(|_| ToolShape { hash: noted.hash.clone(), encoded: Vec::new() });
            let (calls, last_ms) = (std::mem::take(&mut noted.calls), noted.last_ms);
            noted.has_changed = false;
            new.push((Used { server: server.clone(), name: name.clone(), calls, last_ms, shape }, seen));
        }
        if new.is_empty() {
            return;
        }
        // What another process has seen stays.
        for (used, seen) in &mut new {
            let (Some(shape), Some(seen)) = (&mut used.shape, seen.take()) else { continue };
            let kept = store.shape(&used.server, &used.name).await.ok().flatten();
            let kept = kept.filter(|kept| kept.hash == shape.hash).and_then(|kept| Seen::decode(&kept.encoded));
            shape.encoded = kept.map_or_else(|| seen.clone(), |kept| kept.with(seen.clone())).encode();
        }
        let used: Vec<Used> = new.into_iter().map(|(used, _)| used).collect();
        let _ = store.add_uses(&used).await;
    }

    fn tools(&self) -> MutexGuard<'_, BTreeMap<(String, String), Tool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use intentbox_store::Clock;
    use serde_json::{Value, json};

    use super::*;

    fn reply(structured: Value) -> Reply {
        Reply { structured: Some(structured), content: Vec::new(), is_error: false }
    }

    #[tokio::test]
    async fn calls_and_shapes_of_several_processes_add_up() {
        let store = ToolStore::open(None, Clock::system()).await.expect("a store in memory");
        let (one, two) = (Uses::default(), Uses::default());
        one.note("git", "log", Some("h1"), &reply(json!({"a": 1})), 5);
        one.note("git", "log", Some("h1"), &reply(json!({"b": 1})), 7);
        one.keep(&store).await;
        two.note("git", "log", Some("h1"), &reply(json!({"c": "x"})), 6);
        two.keep(&store).await;
        one.keep(&store).await;
        let uses = store.uses().await.expect("it can be read");
        assert_eq!(uses.iter().map(|used| (used.calls, used.last_ms)).collect::<Vec<_>>(), [(3, 7)]);
        let shape = store.shape("git", "log").await.expect("it can be read").expect("one was seen");
        let schema = Seen::decode(&shape.encoded).expect("a shape").schema();
        let names: Vec<&String> = schema["properties"].as_object().expect("fields").keys().collect();
        assert_eq!(names, ["a", "b", "c"]);
        // Another definition answers otherwise.
        two.note("git", "log", Some("h2"), &reply(json!({"d": 1})), 8);
        assert_eq!((two.seen("git", "log", "h1"), two.seen("git", "log", "h2").is_some()), (None, true));
        two.keep(&store).await;
        let shape = store.shape("git", "log").await.expect("it can be read").expect("one was seen");
        assert_eq!(
            Seen::decode(&shape.encoded).expect("a shape").schema()["properties"],
            json!({"d": {"type": "integer"}})
        );
    }

    #[tokio::test]
    async fn a_tool_that_says_what_it_answers_is_only_counted() {
        let store = ToolStore::open(None, Clock::system()).await.expect("a store in memory");
        let uses = Uses::default();
        uses.note("git", "log", None, &reply(json!({"a": 1})), 5);
        uses.keep(&store).await;
        assert_eq!(store.shape("git", "log").await.expect("it can be read"), None);
        assert_eq!(store.uses().await.expect("it can be read")[0].calls, 1);
    }
}
