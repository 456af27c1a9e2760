//! Intent in, report out: which template, with which arguments, under which grant, and what came of it.
//!
//! An [`Engine`] joins the catalog (what can be done), the router (what is meant), the grants (what is allowed) and the
//! sandbox (where it happens). Surfaces hand it an [`Intent`] or a [`Code`] and show the [`Report`].
//!
//! The engine reads no environment, prints nothing and knows no surface. It does not know HTTP either: it makes a grant
//! and hands it to egress. Only absence falls back: a refusal, an exhausted limit or a crash is the answer.
//!
//! - `configuration`: what the operator says. - `router`: from a sentence to a template.
//! - `broker`: a run's host calls. - `report` and `outcome`: the answer, and what each surface calls it.

mod broker;
mod configuration;
mod outcome;
mod report;
pub mod router;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use intentbox_capability::{Grant, HttpRule};
use intentbox_catalog::{Arguments, Catalog, ParamError, Template};
use intentbox_egress::{Budget, Egress};
use intentbox_sandbox::{LimitOutOfBounds, Limits, Sandbox, Script};

pub use crate::configuration::{CONFIGURATION_BYTES_MAX, Configuration, ConfigurationError, TokenSource};
pub use crate::outcome::{McpForm, Outcome, Terms};
pub use crate::report::{Candidate, Problem, Refused, Report, Route, Spent};
pub use intentbox_sandbox::Limits as RunLimits;
pub use intentbox_sandbox::limits;

use crate::broker::Broker;
use crate::router::{Decision, Routed, Router};

/// The longest intent, in bytes. A sentence has some 200; beyond this it is a document, and no phrase of a template.
pub const INTENT_BYTES_MAX: usize = 4 << 10;

/// What somebody wants, in words.
#[derive(Debug, Clone)]
pub struct Intent {
    /// The words.
    pub text: String,
    /// Values for parameters, as text; they win over what the words say.
    pub params: BTreeMap<String, String>,
}

/// What somebody wants run, as Python.
#[derive(Debug, Clone)]
pub struct Code {
    /// What tracebacks call it.
    pub name: String,
    /// The source as it came.
    pub source: Vec<u8>,
    /// JSON text that becomes `params`.
    pub params: String,
}

/// What the caller says about limits; the rest is the template's or the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitChoices {
    /// Fuel units.
    pub fuel: Option<u64>,
    /// Linear memory in MiB.
    pub memory_mib: Option<u64>,
    /// Wall deadline in milliseconds.
    pub timeout_ms: Option<u64>,
}

impl LimitChoices {
    /// These choices, where there are some, over `base`.
    fn over(self, base: Limits) -> Result<Limits, LimitOutOfBounds> {
        let limits = Limits {
            fuel: self.fuel.unwrap_or(base.fuel),
            memory_bytes: self.memory_mib.map_or(base.memory_bytes, |mib| mib.saturating_mul(1 << 20)),
            wall_ms: self.timeout_ms.unwrap_or(base.wall_ms),
            ..base
        };
        limits.check()
    }
}

/// Answers intents and runs code.
#[derive(Debug)]
pub struct Engine {
    catalog: &'static Catalog,
    router: Router,
    egress: Egress,
    settings: BTreeMap<String, String>,
    templates_may: Vec<HttpRule>,
    exec_may: Vec<HttpRule>,
    slots: u32,
    sandbox: OnceLock<Sandbox>,
}

/// The engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A template of the binary is broken.
    #[error("a built-in template is broken: {0}")]
    Catalog(&'static intentbox_catalog::CatalogError),
    /// An origin cannot be used.
    #[error(transparent)]
    Egress(#[from] intentbox_egress::EgressError),
}

impl Engine {
    /// Makes an engine whose sandbox can hold `slots` runs at a time. The sandbox itself starts with the first run.
    ///
    /// # Errors
    /// When a built-in template is broken or an origin cannot be used.
    pub fn new(configuration: Configuration, slots: u32) -> Result<Engine, EngineError> {
        let catalog = Catalog::embedded().map_err(EngineError::Catalog)?;
        let egress = Egress::new(configuration.origins)?;
        // A template is eligible when every origin it wants is there: an answer must not end in "not configured".
        let configured = |rule: &HttpRule| egress.origins().get(rule.alias()).is_some();
        let router = Router::new(catalog.templates().filter(|template| template.wants().iter().all(configured)));
        Ok(Engine {
            catalog,
            router,
            egress,
            settings: configuration.settings,
            templates_may: configuration.templates,
            exec_may: configuration.exec,
            slots,
            sandbox: OnceLock::new(),
        })
    }

    /// Says where an intent would go and why, without going there.
    #[must_use]
    pub fn route(&self, text: &str) -> Routed {
        self.router.route(text)
    }

    /// Answers an intent.
    pub async fn run_intent(&self, intent: &Intent, limits: LimitChoices) -> Report {
        match self.plan(intent) {
            Err(report) => *report,
            Ok((template, arguments)) => {
                let mut report = self.run_template(template, &arguments, limits).await;
                report.route = Some(Route {
                    template: Some(template.id().to_string()),
                    arguments: serde_json::to_value(&arguments).ok(),
                    candidates: Vec::new(),
                });
                report
            }
        }
    }

    /// Runs code that somebody wrote, under the grant of `exec`.
    pub async fn exec(&self, code: &Code, limits: LimitChoices) -> Report {
        let limits = match limits.over(Limits::default()) {
            Ok(limits) => limits,
            Err(error) => return out_of_bounds(error),
        };
        let script = match Script::parse(&code.name, &code.source, &limits) {
            Ok(script) => script,
            Err(error) => return invalid("script", &error.to_string(), "a script is UTF-8 text within `script_bytes`"),
        };
        let (limit, observed) = (limits.params_bytes, code.params.len() as u64);
        if observed > limit {
            let message = format!("the input has more than {limit} bytes");
            return invalid("input", &message, "give the script less, or let it fetch what it needs");
        }
        // RawValue checks the grammar and the depth without building anything.
        if let Err(error) = serde_json::from_str::<&serde_json::value::RawValue>(&code.params) {
            return invalid(
                "input",
                &format!("the input is not JSON: {error}"),
                "give JSON text, such as {\"limit\": 5}",
            );
        }
        let grant = Grant::of(self.exec_may.clone());
        self.run(&script, &code.params, limits, grant, "grant.exec").await
    }

    /// From words to a template and its arguments, or the report that says why not.
    fn plan(&self, intent: &Intent) -> Result<(&'static Template, Arguments), Box<Report>> {
        let observed = intent.text.len();
        if observed > INTENT_BYTES_MAX {
            let message = format!("the intent has {observed} bytes or more; at most {INTENT_BYTES_MAX} are allowed");
            return Err(Box::new(invalid("intent", &message, "say what you want in one sentence")));
        }
        let routed = self.router.route(&intent.text);
        let (id, mut values) = match routed.decision {
            Decision::Template { id, values } | Decision::Missing { id, values, .. } => (id, values),
            Decision::Ambiguous { candidates } => {
                let message = "several templates fit this intent about equally well".to_owned();
                let hint = "say which, in the words of one of the candidates";
                return Err(Box::new(question(Outcome::Ambiguous, message, hint, candidates)));
            }
            Decision::NoMatch { closest } => {
                let message = "no template fits this intent".to_owned();
                let hint = if closest.is_empty() {
                    "say it in other words; `intentbox run-intent --explain` shows how these were read"
                } else {
                    "if one of these is meant, say it in its words"
                };
                return Err(Box::new(question(Outcome::NotFound, message, hint, closest)));
            }
        };
        let template = self.catalog.get(id.as_str()).expect("the router was built from this catalog");
        for (name, text) in &intent.params {
            let value = template.read_text(name, text).map_err(|error| Box::new(refused_parameter(&error)))?;
            values.insert(name.clone(), value);
        }
        let arguments = template.check(&values, &self.settings).map_err(|error| Box::new(refused_parameter(&error)))?;
        Ok((template, arguments))
    }

    async fn run_template(&self, template: &Template, arguments: &Arguments, limits: LimitChoices) -> Report {
        let declared = template.limits();
        let declared = LimitChoices {
            fuel: declared.fuel,
            memory_mib: declared.memory_mib.map(u64::from),
            timeout_ms: declared.timeout_ms,
        };
        let limits = match declared.over(Limits::default()).and_then(|base| limits.over(base)) {
            Ok(limits) => limits,
            Err(error) => return out_of_bounds(error),
        };
        let broken = |kind: &str, message: String, hint: &str| {
            Report::without_run(Outcome::TemplateError, problem(kind, message, hint))
        };
        let rendered = match template.render(arguments) {
            Ok(rendered) => rendered,
            Err(error) => return broken("template_error", error.to_string(), error.hint()),
        };
        let script = match Script::parse(rendered.name(), rendered.source().as_bytes(), &limits) {
            Ok(script) => script,
            Err(error) => return broken("template_error", error.to_string(), "shorten the template"),
        };
        let params = match serde_json::to_string(arguments) {
            Ok(params) => params,
            Err(error) => return broken("template_error", error.to_string(), ""),
        };
        let grant = Grant::of(template.wants().to_vec()).and(self.templates_may.clone());
        self.run(&script, &params, limits, grant, "grant.templates").await
    }

    async fn run(&self, script: &Script, params: &str, limits: Limits, grant: Grant, table: &'static str) -> Report {
        let shown = grant.rules().iter().map(ToString::to_string).collect();
        let sandbox = match self.sandbox() {
            Ok(sandbox) => sandbox,
            Err(error) => return internal(error.to_string()),
        };
        let broker = Arc::new(Broker::new(self.egress.open(grant, Budget::default()), table));
        let ended = sandbox.run(script, params, limits, Arc::clone(&broker) as Arc<_>).await;
        let mut report = match ended {
            Ok(ended) => Report::of_run(ended, broker.refusals(), broker.spent()),
            Err(error @ intentbox_sandbox::RunError::ParamsTooLarge { .. }) => {
                invalid("input", &error.to_string(), "give the script less, or let it fetch what it needs")
            }
            Err(error) => internal(error.to_string()),
        };
        report.grant = Some(shown);
        report
    }

    fn sandbox(&self) -> Result<&Sandbox, intentbox_sandbox::StartError> {
        if let Some(sandbox) = self.sandbox.get() {
            return Ok(sandbox);
        }
        let started = Sandbox::new(self.slots)?;
        // Two callers may have started one each; the first stays and the other is dropped.
        Ok(self.sandbox.get_or_init(|| started))
    }
}

fn problem(kind: &str, message: String, hint: &str) -> Problem {
    let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
    Problem { kind: kind.to_owned(), message, traceback: None, hint }
}

fn invalid(what: &str, message: &str, hint: &str) -> Report {
    Report::without_run(Outcome::ParamInvalid, problem(what, message.to_owned(), hint))
}

fn out_of_bounds(error: LimitOutOfBounds) -> Report {
    invalid("limits", &error.to_string(), "choose a value inside the bounds")
}

fn internal(message: String) -> Report {
    Report::without_run(
        Outcome::Internal,
        problem("internal", message, "this is a fault of the program or the machine"),
    )
}

fn refused_parameter(error: &ParamError) -> Report {
    let outcome = match error {
        ParamError::Missing { .. } => Outcome::MissingParameter,
        _ => Outcome::ParamInvalid,
    };
    Report::without_run(outcome, problem(outcome.terms().name, error.to_string(), &error.hint()))
}

fn question(outcome: Outcome, message: String, hint: &str, candidates: Vec<router::Candidate>) -> Report {
    let mut report = Report::without_run(outcome, problem(outcome.terms().name, message, hint));
    report.route = Some(Route {
        template: None,
        arguments: None,
        candidates: candidates
            .into_iter()
            .map(|candidate| Candidate {
                template: candidate.id.to_string(),
                summary: candidate.summary,
                score: (candidate.score * 100.0).round() / 100.0,
            })
            .collect(),
    });
    report
}
