//! What a search of the index found, as people and programs are told.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use intentbox_catalog::{Catalog, Effects};
use intentbox_search::Verdict;
use intentbox_tools::{Complexity, Effect, StoreError, Upstreams};
use serde::Serialize;

use crate::EmbeddingSource;
use crate::index::{self, Index};

/// The most entries that are told where none fits.
const CLOSEST_MAX: usize = 3;

/// The least trust at which the closest entries are told where none fits.
pub(crate) const CLOSE_TRUST: f64 = 0.15;

/// A template or a tool that a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// What it is.
    #[serde(flatten)]
    pub source: Source,
    /// What it does, in one line.
    pub summary: String,
    /// The names of its arguments: first those that are required.
    pub arguments: Vec<String>,
    /// How many of them are required.
    pub required: usize,
    /// What it does to the world: of a tool, as its server says.
    pub effect: Effect,
    /// How much has to be known to ask for it.
    pub complexity: Complexity,
    /// What it is about among the others of its server or pack.
    pub category: String,
    /// Its share among all entries and the answer "none", from 0 to 1.
    pub score: f64,
}

/// Where an entry of the index comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// An upstream server.
    Tool {
        /// The id of the server.
        server: String,
        /// The name of the tool.
        tool: String,
    },
    /// A pack of templates.
    Template {
        /// The name of the pack.
        pack: String,
        /// The id of the template, `pack/name`.
        template: String,
    },
}

impl fmt::Display for Source {
    /// As policies and people name it: `git: git_log`, or `sentry/list_errors`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Tool { server, tool } => write!(formatter, "{server}: {tool}"),
            Source::Template { template, .. } => formatter.write_str(template),
        }
    }
}

/// The answer of a search.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// Whether an entry fits: otherwise these are the closest names.
    pub fits: bool,
    /// How many tools were searched.
    pub tools: usize,
    /// How many templates were searched.
    pub templates: usize,
    /// The entries, the best first.
    pub entries: Vec<Entry>,
}

/// Searches the templates of a catalog and the tools of these servers. Reaches no server. At most `most` entries are returned.
///
/// # Errors
/// When what is known of the servers cannot be read.
pub fn search<'a>(
    catalog: &'a Arc<Catalog>,
    upstreams: &'a Upstreams,
    embedding: Option<&'a EmbeddingSource>,
    text: &'a str,
    most: usize,
) -> BoxFuture<'a, Result<Found, StoreError>> {
    Box::pin(async move {
        let index = Index::of(catalog, upstreams, None, embedding).await?;
        Ok(Found::of(&index, &index.find(text), most))
    })
}

impl Found {
    pub(crate) fn of(index: &Index, found: &intentbox_search::Found, most: usize) -> Self {
        let fits = found.verdict != Verdict::Nothing;
        let most = match (fits, found.trust >= CLOSE_TRUST) {
            (true, _) => most,
            (false, true) => most.min(CLOSEST_MAX),
            (false, false) => 0,
        };
        let entries = found.hits.iter().take(most).filter_map(|hit| entry(index, hit.entry, hit.score)).collect();
        Self { fits, tools: index.tools(), templates: index.templates(), entries }
    }
}

/// The entry of a number.
pub(crate) fn entry(index: &Index, number: usize, score: f64) -> Option<Entry> {
    if let Some(template) = index.template(number) {
        let (arguments, required) = index::arguments(template);
        let (pack, template_id) = (template.id().pack().to_owned(), template.id().to_string());
        return Some(Entry {
            category: pack.clone(),
            source: Source::Template { pack, template: template_id },
            summary: template.summary().to_owned(),
            arguments,
            required,
            effect: if template.effects() == Effects::Read { Effect::Reads } else { Effect::Writes },
            complexity: Complexity::of_required(required),
            score,
        });
    }
    let (server, row) = index.tool(number)?;
    Some(Entry {
        source: Source::Tool { server: server.to_string(), tool: row.name.clone() },
        summary: row.summary.clone(),
        arguments: row.arguments.clone(),
        required: usize::try_from(row.required).unwrap_or(usize::MAX),
        effect: row.effect,
        complexity: row.complexity,
        category: index.category(number).to_owned(),
        score,
    })
}
