//! Intent in, report out: plan what is to run, then run it.
//!
//! An [`Engine`] joins the catalog (what can be done), the router (what is meant), the grants (what is allowed) and the
//! sandbox (where it happens). A surface passes a request, as an [`Intent`] or as [`Code`], and its [`Caller`].
//! [`Engine::plan`] makes every decision and runs nothing. [`Engine::run`] executes the plan, reports progress to
//! [`Events`], and returns a [`Report`].
//!
//! The engine reads no environment and prints nothing. Egress and files perform requests and reads, under grants that
//! are formed here. Only absence falls back: a refusal, an exhausted limit or a crash is the answer.
//!
//! - `configuration`: what is configured. - `policy`: what is permitted. - `library`: the templates, replaced as a whole.
//! - `cards`: from the router's cards back to templates. - `intent` and `caller`: the request, and who makes it.
//! - `target_name`: the name of a template or a tool. - `given`: the values that come beside a sentence.
//! - `plan`: every decision before a run. - `run`: the run. - `broker`: its host calls. - `events`: its progress.
//! - `pending`: a request that has not ended, which its caller may drop.
//! - `cache`: cached answers. - `bytecode_cache`: the modules of packs, compiled once.
//! - `help`: what can be asked. - `no_fit`: the answer where no template fits. - `ended`: from an ending to a report. - `remedy`, `rephrase` and `script_advice`: advice on
//!   failures. - `rejected`: what the catalog rejects.
//! - `pages`: lists that were read in part. - `tool_caller`: the calls of tools of one run.
//! - `index`: templates and tools as they are searched. - `found`: what a search found. - `tool_plan`: intents that no template
//!   answers. - `tool_template`: the template of a tool. - `tool_reading`: what words say for it. - `stub`: its signature in Python.
//! - `tool_failure`: failures of upstream servers. - `result_check`: whether a result is what its template declares. - `rehearsal`: the cases of templates. - `phrases`: their
//!   phrases against each other. - `operator`: queries of the operator.

mod broker;
mod bytecode_cache;
mod cache;
mod callback;
mod caller;
mod cards;
mod configuration;
mod ended;
mod events;
mod found;
mod given;
mod help;
mod index;
mod inferred;
mod intent;
mod known;
mod library;
mod no_fit;
mod offer;
mod operands;
mod operator;
mod pages;
mod pending;
mod phrases;
mod plan;
mod policy;
mod rehearsal;
mod rejected;
mod remedy;
mod rephrase;
mod result_check;
mod run;
mod script_advice;
mod stub;
mod target_name;
mod tenant;
mod tool_caller;
mod tool_choice;
mod tool_failure;
mod tool_library;
mod tool_plan;
mod tool_reading;
mod tool_template;
mod value_form;

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use intentbox_capability::{Grants, HttpRule, ToolEffect};
use intentbox_catalog::instant::Instant;
use intentbox_catalog::{Catalog, Effects, Template};
use intentbox_sandbox::{Owner, Sandbox, StartError};
use intentbox_tools::Upstreams;
use tokio::sync::OnceCell;

pub use crate::broker::{EmbeddingSource, Resources};
pub use crate::callback::CALLBACK_HEADERS;
pub use crate::caller::{Caller, Ceilings, Consent, LimitError, Purpose};
pub use crate::configuration::{
    CONFIGURATION_BYTES_MAX, Configuration, ConfigurationError, Mode, Refresh, Routing, Switch, TenantConfig,
    ToolSettings, obeyed_files, templates_folder, token_files,
};
pub use crate::events::{Event, Events, NoEvents, Of};
pub use crate::found::{Entry, Found, Source, search};
pub use crate::intent::{Code, Given, INTENT_BYTES_MAX, Intent, Settings};
pub use crate::operator::{CaseFailed, CodeGrant};
pub use crate::pending::Pending;
pub use crate::phrases::{Phrases, Selects, StrayPhrase};
pub use crate::plan::{Change, Incomplete, Plan, Run, Unconfirmed, Which};
pub use crate::policy::{KnownTools, POLICY_BYTES_MAX, Policy, PolicyError};
pub use crate::rejected::remedy_for_values;
pub use crate::stub::of as tool_stub;
pub use crate::target_name::{TargetName, TargetNameError};
pub use crate::tool_failure::{server_failure, tool_failure};
pub use crate::tool_plan::{HERE, ToolRoute};
pub use intentbox_egress::{EgressError, SendError};
pub use intentbox_report::{
    CHECK_BEFORE_RETRY, Candidate, Cause, Failure, Lack, Listed, Missing, MissingOrigin, NearName, Outcome, Permission,
    Principal, Refused, Remedy, Rephrase, Report, RunId, ScriptAdvice, Spent, TableRules, Takes, Target,
    TemplateAdvice, Terms, ToolAdvice, TraceContext, ValueAdvice, Wire,
};
pub use intentbox_router::{Decision, Explanation, Routed};
pub use intentbox_sandbox::{Capacity, Deterministic, Hardening, OutputStream, Sharing, WorkerCommand, WorkerState};
pub use intentbox_sandbox::{limits, serve as serve_runs};
pub use intentbox_search::{Embedding, TABLE_BYTES_MAX, TOKENIZER_BYTES_MAX};

use crate::broker::Opened;
use crate::cache::ResultCache;
use crate::known::KnownNames;
use crate::library::Library;
use crate::remedy::Requester;
use crate::tenant::Tenants;

/// Where guests run.
#[derive(Debug, Clone)]
pub enum Isolation {
    /// In this process: for a command that runs one script.
    InProcess,
    /// In worker processes, started by this command: for programs that live longer.
    Process(WorkerCommand),
}

/// Answers intents and runs code.
#[derive(Debug)]
pub struct Engine {
    library: RwLock<Arc<Library>>,
    tenants: Tenants,
    opened: Opened,
    routing: Routing,
    policy: Policy,
    cache: ResultCache,
    known: KnownNames,
    isolation: Isolation,
    capacity: Capacity,
    sandbox: OnceCell<Sandbox>,
    /// Hashes principals to numbers.
    owners: RandomState,
}

/// What an engine is made of.
#[derive(Debug)]
pub struct Parts {
    /// The templates.
    pub catalog: Arc<Catalog>,
    /// The origins and their settings.
    pub configuration: Configuration,
    /// What is opened for scripts.
    pub resources: Resources,
    /// What is permitted.
    pub policy: Policy,
    /// Where scripts run.
    pub isolation: Isolation,
    /// What all runs share.
    pub capacity: Capacity,
}

impl Engine {
    /// Makes an engine. The sandbox itself starts with the first run.
    ///
    /// # Errors
    /// When an origin cannot be used.
    pub fn new(parts: Parts) -> Result<Engine, EgressError> {
        let Parts { catalog, configuration, resources, policy, isolation, capacity } = parts;
        let tenants = Tenants::new(configuration.origins, configuration.settings, configuration.tenants)?;
        Ok(Engine {
            library: RwLock::new(Arc::new(Library::new(catalog))),
            tenants,
            opened: resources.into(),
            routing: configuration.routing,
            policy,
            cache: ResultCache::new(),
            known: KnownNames::new(),
            isolation,
            capacity,
            sandbox: OnceCell::new(),
            owners: RandomState::new(),
        })
    }

    /// The templates, as they are now.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.library().catalog)
    }

    /// Replaces the templates. A run that was planned before still runs as planned.
    pub fn replace_catalog(&self, catalog: Arc<Catalog>) {
        *self.library.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Library::new(catalog));
    }

    /// Decides where an intent would go and why, without running it. Only names that were fetched already are known.
    #[must_use]
    pub fn route(&self, text: &str, caller: &Caller) -> Routed {
        let library = self.library();
        let intent = Intent { text: text.to_owned(), ..Intent::default() };
        let names = self.names(&library, &intent, caller);
        library.router(|template| self.reaches(template)).route(&crate::known::question(&intent, &names))
    }

    /// Decides where an intent would go and why, with everything that was considered.
    #[must_use]
    pub fn explain(&self, text: &str, caller: &Caller) -> Routed {
        let library = self.library();
        let intent = Intent { text: text.to_owned(), ..Intent::default() };
        let names = self.names(&library, &intent, caller);
        library.router(|template| self.reaches(template)).explain(&crate::known::question(&intent, &names))
    }

    /// What a template may access for a caller: what it wants, narrowed by the policy and by the principal's table. One that was
    /// made for a tool is permitted what code is.
    fn grants_of_template(&self, library: &Library, template: &Template, caller: &Caller) -> Grants {
        let permitted =
            if library.is_of_tools() { self.policy.exec().clone() } else { self.policy.template(template.id()) };
        self.narrowed(Grants::of(template.wants()).and(&permitted), caller)
    }

    /// What code may access for a caller.
    fn grants_of_code(&self, caller: &Caller) -> Grants {
        self.narrowed(Grants::of(self.policy.exec()), caller)
    }

    /// These grants, narrowed by the principal's table if the policy has one.
    fn narrowed(&self, grants: Grants, caller: &Caller) -> Grants {
        match self.policy.principal(&caller.principal) {
            Some(table) => grants.and(table),
            None => grants,
        }
    }

    /// Whose run it is, for the remedies of its refusals.
    fn requester(&self, template: Option<&Template>, caller: &Caller) -> Requester {
        Requester::of(template, &self.policy, &caller.principal)
    }

    /// Whose run of a template it is.
    fn requester_of(&self, library: &Library, template: &Template, caller: &Caller) -> Requester {
        if library.is_of_tools() {
            Requester::of_tool(template, &self.policy, &caller.principal)
        } else {
            self.requester(Some(template), caller)
        }
    }

    /// Why a template may not start: it lacks a permission that it wants.
    fn not_permitted(&self, library: &Library, template: &Template, caller: &Caller) -> Option<Failure> {
        let lacking = self.requester_of(library, template, caller).lacking();
        let TableRules { table, rules } = lacking.first()?;
        let (id, rules) = (template.id(), rules.lines().join(", "));
        let message = format!("the policy does not permit `{id}` all that it wants; [{table}] lacks {rules}");
        Some(Failure::new(Cause::NotPermitted, message).with(Remedy::Permit(Permission::Rules(lacking))))
    }

    /// Why a tool may not be called for an intent: before anything is asked or rendered.
    fn tool_not_permitted(
        &self,
        library: &Library,
        template: &Template,
        grants: &Grants,
        caller: &Caller,
    ) -> Option<Failure> {
        let tool = library.tools.get(template.id())?;
        let (server, name) = (tool.server.as_str(), tool.name.as_str());
        let effect = match template.effects() {
            Effects::Read => ToolEffect::Reads,
            Effects::Write => ToolEffect::MayChange,
        };
        let refusal = grants.tools.admit(server, name, effect).err()?;
        let remedy = self.requester(None, caller).remedy(&refusal, &self.opened.directories);
        let failure = Failure::new(Cause::NotPermitted, refusal.to_string());
        Some(match remedy {
            Some(remedy) => failure.with(remedy),
            None => failure,
        })
    }

    /// The name of the mode of routing: `hybrid`, `code_execution` or `mcp_only`.
    #[must_use]
    pub fn mode(&self) -> &'static str {
        self.routing.mode.name()
    }

    /// The upstream servers, if any are configured.
    #[must_use]
    pub fn upstreams(&self) -> Option<&Arc<Upstreams>> {
        self.opened.reach.upstreams.as_ref()
    }

    /// A number for a principal: the sandbox knows no names. The hash is keyed anew in each process, so that nobody chooses a
    /// name that shares a number with somebody else's.
    fn owner(&self, principal: &Principal) -> Owner {
        Owner(self.owners.hash_one(principal.as_str()))
    }

    async fn sandbox(&self) -> Result<&Sandbox, StartError> {
        self.sandbox
            .get_or_try_init(async || match &self.isolation {
                Isolation::InProcess => Sandbox::in_process(self.capacity),
                Isolation::Process(command) => Sandbox::in_workers(self.capacity, command.clone()).await,
            })
            .await
    }

    fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn secret_versions(&self, rules: &[HttpRule], caller: &Caller) -> Vec<u64> {
        let egress = &self.tenants.of(&caller.principal).egress;
        egress.secret_versions(rules.iter().map(HttpRule::alias))
    }
}

/// The headers by which a trace goes on.
fn headers_of(trace: &TraceContext) -> Vec<(&'static str, String)> {
    let state = trace.state().map(|state| ("tracestate", state.to_owned()));
    [("traceparent", trace.to_string())].into_iter().chain(state).collect()
}

/// The time at which an intent is said: that of the run, if it has one of its own.
fn now(deterministic: Option<Deterministic>) -> Instant {
    let unix_ns = match deterministic {
        Some(fixed) => u128::from(fixed.unix_ns),
        None => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos(),
    };
    i64::try_from(unix_ns / 1_000_000_000).ok().and_then(Instant::of_unix_seconds).unwrap_or(Instant::EPOCH)
}

/// A new id, random. Without randomness an id of zeros is still an id; the runs themselves refuse to start.
#[must_use]
pub fn new_run_id() -> RunId {
    let mut bytes = [0; 16];
    let _ = getrandom::fill(&mut bytes);
    RunId::of(u128::from_le_bytes(bytes))
}
