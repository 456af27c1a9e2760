//! The tools of all upstream servers as they are searched: made from what discovery kept, and made anew when that changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_capability::ServerId;
use intentbox_search::{Entry, Found, Search};
use intentbox_tools::{Effect, ServerState, StoreError, ToolRow, Upstreams};

use crate::Engine;

/// All tools that can be asked for.
#[derive(Debug)]
pub(crate) struct ToolIndex {
    tools: Vec<(ServerId, ToolRow)>,
    search: Search,
    /// When each server's tools were listed: another time means another index.
    listed: BTreeMap<ServerId, i64>,
}

impl ToolIndex {
    fn new(states: BTreeMap<ServerId, ServerState>, listed: BTreeMap<ServerId, i64>) -> Self {
        let tools: Vec<(ServerId, ToolRow)> = states
            .into_iter()
            .filter(|(id, _)| listed.contains_key(id))
            .flat_map(|(id, state)| state.listing.tools.into_iter().map(move |row| (id.clone(), row)))
            .collect();
        let entries: Vec<Entry> = tools
            .iter()
            .map(|(server, row)| Entry {
                server: server.to_string(),
                name: row.name.clone(),
                summary: row.summary.clone(),
                arguments: row.arguments.clone(),
                required: usize::try_from(row.required).unwrap_or(usize::MAX),
                reads: match row.effect {
                    Effect::Reads => Some(true),
                    Effect::Adds | Effect::Writes => Some(false),
                    Effect::Unknown => None,
                },
            })
            .collect();
        Self { search: Search::new(&entries), tools, listed }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.tools.len()
    }

    pub(crate) fn get(&self, number: usize) -> Option<&(ServerId, ToolRow)> {
        self.tools.get(number)
    }

    pub(crate) fn find(&self, text: &str) -> Found {
        self.search.find(text, &|_| 0.0)
    }

    /// The tool that a text names, if it names one: `git: git_log`, `git/git_log` or `git_log`.
    pub(crate) fn named(&self, text: &str) -> Option<usize> {
        let text = text.trim();
        let parts = text.split_once([':', '/']).map(|(server, tool)| (server.trim(), tool.trim()));
        let found = |is_it: &dyn Fn(&(ServerId, ToolRow)) -> bool| {
            let mut all = self.tools.iter().enumerate().filter(|(_, tool)| is_it(tool));
            match (all.next(), all.next()) {
                (Some((number, _)), None) => Some(number),
                _ => None,
            }
        };
        // A name as it is written is that name, whatever else would be shown so.
        let exact = |(server, row): &(ServerId, ToolRow)| match parts {
            Some((named, tool)) => server.as_str() == named && row.name == tool,
            None => row.name == text,
        };
        let alike = |(server, row): &(ServerId, ToolRow)| {
            parts.is_some_and(|(named, tool)| is_same(server.as_str(), named) && is_same(&row.name, tool))
        };
        found(&exact).or_else(|| found(&alike))
    }
}

/// Whether a name is meant: as a template's it has `_` in the place of signs.
fn is_same(name: &str, written: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '.'], "_");
    name == written || plain(name) == plain(written)
}

impl ToolIndex {
    /// The index of the tools of these servers: the one that is given, if it still is. Reaches no server.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub(crate) async fn of(
        upstreams: &Upstreams,
        known: Option<&Arc<ToolIndex>>,
    ) -> Result<Arc<ToolIndex>, StoreError> {
        let states = upstreams.states().await?;
        let can_be_used = |id: &ServerId| {
            upstreams.is_approved(id.as_str()) && upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled)
        };
        let listed: BTreeMap<ServerId, i64> = states
            .iter()
            .filter(|(id, _)| can_be_used(id))
            .map(|(id, state)| (id.clone(), state.discovered_ms))
            .collect();
        Ok(match known.filter(|index| index.listed == listed) {
            Some(index) => Arc::clone(index),
            None => Arc::new(ToolIndex::new(states, listed)),
        })
    }
}

impl Engine {
    /// The servers and the index of their tools; nothing where no server is configured.
    pub(crate) async fn tool_index(&self) -> Result<Option<(Arc<Upstreams>, Arc<ToolIndex>)>, StoreError> {
        let Some(upstreams) = &self.reach.upstreams else { return Ok(None) };
        let mut kept = self.reach.index.lock().await;
        let index = ToolIndex::of(upstreams, kept.as_ref()).await?;
        *kept = Some(Arc::clone(&index));
        Ok(Some((Arc::clone(upstreams), index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_tool_is_understood_as_it_is_shown() {
        assert!(is_same("get-sum", "get_sum") && is_same("get-sum", "get-sum") && is_same("Get.Sum", "get_sum"));
        assert!(!is_same("get-sum", "getsum"));
    }
}
