//! The catalog with everything derived from it: one value, replaced as a whole while runs are in flight.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use intentbox_catalog::{Catalog, Template, TemplateId};
use intentbox_router::{Card, Question, Routed, Router};

use crate::bytecode_cache::BytecodeCache;

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
    pub(crate) tools: BTreeMap<TemplateId, String>,
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
    pub(crate) fn of_tools(catalog: Arc<Catalog>, tools: BTreeMap<TemplateId, String>) -> Self {
        Self { tools, ..Self::new(catalog) }
    }

    /// Whether its templates were made for tools: the policy permits them as it permits code.
    pub(crate) fn is_of_tools(&self) -> bool {
        !self.tools.is_empty()
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
