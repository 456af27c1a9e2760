//! Templates of the tools that may be meant, made of their definitions when those are needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_capability::ServerId;
use intentbox_catalog::TemplateId;
use intentbox_catalog::json::parse_value;
use intentbox_router::Names;
use intentbox_tools::{Effect, StoreError, ToolError, ToolRow, Upstreams};

use crate::index::Index;
use crate::intent::Intent;
use crate::library::{Library, Tool};
use crate::tool_reading::{self, ToolReading};
use crate::tool_template::{self, ToolTemplate, Unwordable};
use crate::{cards, known};

/// Words that say no more of a tool than that it adds something: "create a commit" asks for `git_commit`.
const MAKING: [&str; 4] = ["add", "create", "make", "new"];

/// Templates of the tools that may be meant.
pub(crate) struct Made {
    pub(crate) library: Arc<Library>,
    /// The ids of the templates in the order of the tools, and the numbers of those.
    pub(crate) ids: Vec<TemplateId>,
    pub(crate) numbers: BTreeMap<TemplateId, usize>,
    pub(crate) unwordable: Vec<(ServerId, String, Unwordable)>,
    /// The definitions of these are not the approved ones. They may be offered, and not be called.
    pub(crate) changed: BTreeMap<TemplateId, ToolError>,
}

/// The templates of some tools: their definitions are read from what is kept. Nothing where none of them is there any more.
pub(crate) async fn made(upstreams: &Upstreams, index: &Index, numbers: &[usize]) -> Result<Option<Made>, StoreError> {
    let (mut templates, mut tools, mut ids, mut unwordable) = (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
    let (mut numbered, mut changed) = (BTreeMap::new(), BTreeMap::new());
    for number in numbers {
        let Some((server, row)) = index.tool(*number) else { continue };
        let record = upstreams.kept().definition(server.as_str(), &row.name).await?;
        let Some(record) = record.filter(|record| record.is_listed) else { continue };
        let definition = parse_value(&record.definition).unwrap_or_default();
        match tool_template::template_of(server, row, &definition) {
            // The same tool twice.
            Ok(template) if templates.iter().any(|other: &ToolTemplate| other.id == template.id) => {}
            Ok(template) => {
                if record.hash != record.approved_hash {
                    changed.insert(template.id.clone(), ToolError::changed(server, &record));
                }
                let tool = Tool {
                    server: server.clone(),
                    name: row.name.clone(),
                    called: index.called(server, row),
                    properties: template.properties.clone(),
                };
                tools.insert(template.id.clone(), tool);
                numbered.insert(template.id.clone(), *number);
                ids.push(template.id.clone());
                templates.push(template);
            }
            Err(error) => unwordable.push((server.clone(), row.name.clone(), error)),
        }
    }
    let catalog = tool_template::catalog(&templates).unwrap_or_default();
    if ids.is_empty() && unwordable.is_empty() {
        return Ok(None);
    }
    Ok(Some(Made {
        library: Arc::new(Library::of_tools(Arc::new(catalog), tools)),
        ids,
        numbers: numbered,
        unwordable,
        changed,
    }))
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
    let names = Names::default();
    let router = made.library.router(|_| true);
    let witness = router.witness(&known::question(intent, &names), &cards::id_of(id)).unwrap_or_default();
    let Some(template) = made.library.catalog.get(id.as_str()) else { return ToolReading::default() };
    let number = made.numbers.get(id).copied();
    let adds = number.and_then(|number| index.tool(number)).is_some_and(|(_, row)| row.effect == Effect::Adds);
    let knows = |word: &str| {
        number.is_some_and(|number| index.knows(number, word)) || adds && MAKING.contains(&word.to_lowercase().as_str())
    };
    tool_reading::of(template, &intent.text, witness, &knows, &intent.params)
}
