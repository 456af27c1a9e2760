//! Templates of the tools that may be meant, made of their definitions when those are needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_capability::ServerId;
use intentbox_catalog::json::parse_value;
use intentbox_catalog::{Catalog, TemplateId};
use intentbox_router::{Card, Names, Router};
use intentbox_tools::{Effect, StoreError, ToolError, ToolRow, Upstreams};

use crate::index::Index;
use crate::intent::Intent;
use crate::library::{Library, Tool};
use crate::tool_reading::{self, ToolReading};
use crate::tool_template::{self, ToolTemplate, Unwordable};
use crate::{cards, known};

/// How many tools are kept as words ask for them. Each has some kilobytes, and a decision looks at six.
pub(crate) const WORDED_MAX: u64 = 256;

/// Words that say no more of a tool than that it adds something: "create a commit" asks for `git_commit`.
const MAKING: [&str; 4] = ["add", "create", "make", "new"];

/// A tool as words ask for it, made of one definition.
#[derive(Debug)]
pub(crate) struct Worded {
    /// The digest of the definition.
    hash: String,
    template: Result<ToolTemplate, Unwordable>,
    /// Over its template alone.
    router: Router,
}

impl Worded {
    fn new(server: &ServerId, row: &ToolRow, definition: &str, hash: String) -> Self {
        let template = tool_template::template_of(server, row, &parse_value(definition).unwrap_or_default());
        let cards = template.iter().flat_map(|template| template.catalog.templates().map(Card::of));
        let router = Router::new(cards);
        Self { hash, template, router }
    }
}

/// Templates of the tools that may be meant.
pub(crate) struct Made {
    pub(crate) library: Arc<Library>,
    /// The ids of the templates in the order of the tools, and what they are of.
    pub(crate) ids: Vec<TemplateId>,
    worded: BTreeMap<TemplateId, (usize, Arc<Worded>)>,
    pub(crate) unwordable: Vec<(ServerId, String, Unwordable)>,
    /// The definitions of these are not the approved ones. They may be offered, and not be called.
    pub(crate) changed: BTreeMap<TemplateId, ToolError>,
}

/// The templates of some tools: their definitions are read from what is kept. Nothing where none of them is there any more.
pub(crate) async fn made(upstreams: &Upstreams, index: &Index, numbers: &[usize]) -> Result<Option<Made>, StoreError> {
    let (mut tools, mut ids, mut unwordable) = (BTreeMap::new(), Vec::new(), Vec::new());
    let (mut worded, mut changed) = (BTreeMap::new(), BTreeMap::new());
    for number in numbers {
        let Some((server, row)) = index.tool(*number) else { continue };
        let record = upstreams.kept().definition(server.as_str(), &row.name).await?;
        let Some(record) = record.filter(|record| record.is_listed) else { continue };
        let known = index.worded().get(number).filter(|known| known.hash == record.hash);
        let tool = known.unwrap_or_else(|| {
            let new = Arc::new(Worded::new(server, row, &record.definition, record.hash.clone()));
            index.worded().insert(*number, Arc::clone(&new));
            new
        });
        match &tool.template {
            // The same tool twice.
            Ok(template) if worded.contains_key(&template.id) => {}
            Ok(template) => {
                if record.hash != record.approved_hash {
                    changed.insert(template.id.clone(), ToolError::changed(server, &record));
                }
                let of_template = Tool {
                    server: server.clone(),
                    name: row.name.clone(),
                    called: index.called(server, row),
                    properties: template.properties.clone(),
                };
                tools.insert(template.id.clone(), of_template);
                ids.push(template.id.clone());
                worded.insert(template.id.clone(), (*number, Arc::clone(&tool)));
            }
            Err(error) => unwordable.push((server.clone(), row.name.clone(), error.clone())),
        }
    }
    if ids.is_empty() && unwordable.is_empty() {
        return Ok(None);
    }
    let catalogs = worded.values().filter_map(|(_, tool)| tool.template.as_ref().ok());
    let catalog = Catalog::joined(catalogs.map(|template| &template.catalog));
    Ok(Some(Made { library: Arc::new(Library::of_tools(Arc::new(catalog), tools)), ids, worded, unwordable, changed }))
}

/// Whether a template was made for this tool.
pub(crate) fn is_of(id: &TemplateId, library: &Library, server: &ServerId, row: &ToolRow) -> bool {
    library.tools.get(id).is_some_and(|tool| tool.server == *server && tool.name == row.name)
}

pub(crate) fn shown(server: &ServerId, row: &ToolRow) -> String {
    format!("{server}: {}", row.name)
}

/// What the words of an intent say for a template.
pub(crate) fn reading(made: &Made, id: &TemplateId, intent: &Intent, index: &Index) -> ToolReading {
    let Some((number, worded)) = made.worded.get(id) else { return ToolReading::default() };
    let Some(template) = made.library.catalog.get(id.as_str()) else { return ToolReading::default() };
    let names = Names::default();
    let question = known::question(intent, &names);
    let witness = worded.router.witness(&question, &cards::id_of(id)).unwrap_or_default();
    let adds = index.tool(*number).is_some_and(|(_, row)| row.effect == Effect::Adds);
    let knows = |word: &str| index.knows(*number, word) || adds && MAKING.contains(&word.to_lowercase().as_str());
    tool_reading::of(template, &intent.text, witness, &knows, &intent.params)
}
