//! The catalog with everything derived from it: one value, replaced as a whole while runs are in flight.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use intentbox_capability::ServerId;
use intentbox_catalog::{Catalog, Template, TemplateId};
use intentbox_router::{Card, Question, Routed, Router};
use serde_json::Value;

use crate::bytecode_cache::BytecodeCache;
use crate::target_name::TargetName;

/// A catalog, the routers over it, and the bytecode of its packs. A run holds on to the library that it was planned with.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) bytecode: BytecodeCache,
    /// Over the templates whose access is configured. Built for the first sentence: code does not need it.
    reachable: OnceLock<Router>,
    /// Over the others, built when nothing fits.
    out_of_reach: OnceLock<Router>,
    /// The tools that its templates were made for, by the template's id; empty where somebody wrote the templates.
    pub(crate) tools: BTreeMap<TemplateId, Tool>,
}

/// The tool that a template was made for.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) server: ServerId,
    pub(crate) name: String,
    /// As somebody who chooses it calls it.
    pub(crate) called: TargetName,
    /// The names that the tool has for its arguments, by those of the template's parameters.
    pub(crate) properties: BTreeMap<String, String>,
}

impl Tool {
    /// The tool as it is shown: `git: git_log`.
    pub(crate) fn shown(&self) -> String {
        format!("{}: {}", self.server, self.name)
    }

    /// Values under the names that the tool has for them.
    fn arguments(&self, values: Value) -> Value {
        let Value::Object(values) = values else { return values };
        let property = |name: String| self.properties.get(&name).cloned().unwrap_or(name);
        Value::Object(values.into_iter().map(|(name, value)| (property(name), value)).collect())
    }
}

impl Library {
    pub(crate) fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            bytecode: BytecodeCache::default(),
            reachable: OnceLock::new(),
            out_of_reach: OnceLock::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Templates that were made for tools.
    pub(crate) fn of_tools(catalog: Arc<Catalog>, tools: BTreeMap<TemplateId, Tool>) -> Self {
        Self { tools, ..Self::new(catalog) }
    }

    /// Whether its templates were made for tools: the policy permits them as it permits code.
    pub(crate) fn is_of_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// What a template is called where somebody may choose it.
    pub(crate) fn name_of(&self, template: &TemplateId) -> String {
        self.tools.get(template).map_or_else(|| template.to_string(), |tool| tool.called.to_string())
    }

    /// The template that is called so.
    pub(crate) fn called(&self, name: &str) -> Option<&Template> {
        let of_tool = self.tools.iter().find(|(_, tool)| tool.called.as_str() == name);
        match of_tool {
            Some((id, _)) => self.catalog.get(id.as_str()),
            None if self.is_of_tools() => None,
            None => self.catalog.get(name),
        }
    }

    /// The parameter of a template for which a tool has this name.
    pub(crate) fn parameter_of(&self, template: &TemplateId, property: &str) -> Option<&str> {
        let properties = &self.tools.get(template)?.properties;
        properties.iter().find(|(_, own)| *own == property).map(|(parameter, _)| parameter.as_str())
    }

    /// Values of a template as they are shown: a tool's under the names that it has for them.
    pub(crate) fn arguments(&self, template: &TemplateId, values: Value) -> Value {
        match self.tools.get(template) {
            Some(tool) => tool.arguments(values),
            None => values,
        }
    }

    /// The router over the templates that `reaches` holds for. It must hold for the same templates each time.
    pub(crate) fn router(&self, reaches: impl Fn(&Template) -> bool) -> &Router {
        self.reachable.get_or_init(|| self.router_over(reaches))
    }

    /// Routes a sentence among the other templates.
    pub(crate) fn route_out_of_reach(&self, question: &Question<'_>, reaches: impl Fn(&Template) -> bool) -> Routed {
        self.out_of_reach.get_or_init(|| self.router_over(|template| !reaches(template))).route(question)
    }

    fn router_over(&self, holds: impl Fn(&Template) -> bool) -> Router {
        Router::new(self.catalog.templates().filter(|template| holds(template)).map(Card::of))
    }
}
