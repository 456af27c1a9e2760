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
use std::sync::Arc;

use intentbox_capability::{Grant, HttpRule};
use intentbox_catalog::{Arguments, Catalog, ParamError, Template};
use intentbox_egress::{Budget, Egress};
use intentbox_sandbox::{Job, LimitOutOfBounds, Limits, NoSuchLimit, RunError, Sandbox, Script, StartError};
use tokio::sync::OnceCell;

pub use crate::configuration::{CONFIGURATION_BYTES_MAX, Configuration, ConfigurationError, TokenSource};
pub use crate::outcome::{McpForm, Outcome, Terms};
pub use crate::report::{Candidate, Problem, Refused, Report, Route, Spent};
pub use intentbox_sandbox::{Capacity, Deterministic, Walls, WorkerCommand, WorkerState};
pub use intentbox_sandbox::{limits, serve as serve_runs};

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

/// What the caller says about a run; the rest is the template's or the default.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Limits by name, unit included, such as `("wall_ms", 500)`: see [`limits::ALL`].
    pub limits: Vec<(String, u64)>,
    /// A seed and a time instead of the machine's.
    pub deterministic: Option<Deterministic>,
}

/// A limit that cannot be set so.
#[derive(Debug, thiserror::Error)]
enum LimitRefused {
    #[error(transparent)]
    Unknown(#[from] NoSuchLimit),
    #[error(transparent)]
    OutOfBounds(#[from] LimitOutOfBounds),
}

impl RunOptions {
    /// The chosen limits over `base`.
    fn over(&self, base: Limits) -> Result<Limits, LimitRefused> {
        let mut limits = base;
        for (name, value) in &self.limits {
            limits.set(name, *value)?;
        }
        Ok(limits.check()?)
    }
}

/// Where guests run.
#[derive(Debug, Clone)]
pub enum Isolation {
    /// In this process: for a command that runs one script.
    InProcess,
    /// In worker processes, started by this command: for whatever lives longer.
    Process(WorkerCommand),
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
    isolation: Isolation,
    capacity: Capacity,
    sandbox: OnceCell<Sandbox>,
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
    /// Makes an engine whose runs share `capacity`. The sandbox itself starts with the first run.
    ///
    /// # Errors
    /// When a built-in template is broken or an origin cannot be used.
    pub fn new(configuration: Configuration, isolation: Isolation, capacity: Capacity) -> Result<Engine, EngineError> {
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
            isolation,
            capacity,
            sandbox: OnceCell::new(),
        })
    }

    /// Says where an intent would go and why, without going there.
    #[must_use]
    pub fn route(&self, text: &str) -> Routed {
        self.router.route(text)
    }

    /// Answers an intent.
    pub async fn run_intent(&self, intent: &Intent, options: &RunOptions) -> Report {
        match self.plan(intent) {
            Err(report) => *report,
            Ok((template, arguments)) => {
                let mut report = self.run_template(template, &arguments, options).await;
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
    pub async fn exec(&self, code: &Code, options: &RunOptions) -> Report {
        let limits = match options.over(Limits::default()) {
            Ok(limits) => limits,
            Err(refused) => return limit_refused(&refused),
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
        let job = Job { script: &script, params: &code.params, limits, deterministic: options.deterministic };
        self.run(job, grant, "grant.exec").await
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

    async fn run_template(&self, template: &Template, arguments: &Arguments, options: &RunOptions) -> Report {
        let declared = template.limits();
        let base = Limits::default();
        let declared = Limits {
            fuel: declared.fuel.unwrap_or(base.fuel),
            memory_bytes: declared.memory_mib.map_or(base.memory_bytes, |mib| u64::from(mib) << 20),
            wall_ms: declared.timeout_ms.unwrap_or(base.wall_ms),
            ..base
        };
        let limits = match declared.check().map_err(LimitRefused::from).and_then(|base| options.over(base)) {
            Ok(limits) => limits,
            Err(refused) => return limit_refused(&refused),
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
        let job = Job { script: &script, params: &params, limits, deterministic: options.deterministic };
        self.run(job, grant, "grant.templates").await
    }

    async fn run(&self, job: Job<'_>, grant: Grant, table: &'static str) -> Report {
        let shown = grant.rules().iter().map(ToString::to_string).collect();
        let sandbox = match self.sandbox().await {
            Ok(sandbox) => sandbox,
            Err(error) => return internal(error.to_string()),
        };
        let broker = Arc::new(Broker::new(self.egress.open(grant, Budget::default()), table));
        let ended = sandbox.run(job, Arc::clone(&broker) as Arc<_>).await;
        let mut report = match ended {
            Ok(ended) => Report::of_run(ended, broker.refusals(), broker.spent()),
            Err(error) => Report { refusals: broker.refusals(), ..not_run(&error) },
        };
        report.grant = Some(shown);
        report
    }

    /// Starts the sandbox if it is not up, and says which worker processes there are.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn workers(&self) -> Result<Vec<WorkerState>, StartError> {
        Ok(self.sandbox().await?.workers())
    }

    async fn sandbox(&self) -> Result<&Sandbox, StartError> {
        self.sandbox
            .get_or_try_init(async || match &self.isolation {
                Isolation::InProcess => Sandbox::in_process(self.capacity),
                Isolation::Process(command) => Sandbox::in_workers(self.capacity, command.clone()).await,
            })
            .await
    }
}

/// The report of a run that the machine could not carry through.
fn not_run(error: &RunError) -> Report {
    let (outcome, hint) = match error {
        RunError::ParamsTooLarge { .. } => {
            return invalid("input", &error.to_string(), "give the script less, or let it fetch what it needs");
        }
        RunError::Overloaded(_) => (Outcome::Overloaded, "try again when other runs have ended"),
        RunError::WorkerLost { .. } => (
            Outcome::WorkerLost,
            "a new worker takes over; what the run did outside stays done, so look before you repeat it",
        ),
        RunError::Internal { .. } => (Outcome::Internal, "this is a fault of the program or the machine"),
    };
    Report::without_run(outcome, problem(outcome.terms().name, error.to_string(), hint))
}

fn problem(kind: &str, message: String, hint: &str) -> Problem {
    let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
    Problem { kind: kind.to_owned(), message, traceback: None, hint }
}

fn invalid(what: &str, message: &str, hint: &str) -> Report {
    Report::without_run(Outcome::ParamInvalid, problem(what, message.to_owned(), hint))
}

fn limit_refused(refused: &LimitRefused) -> Report {
    let hint = match refused {
        LimitRefused::Unknown(_) => "name one of these limits",
        LimitRefused::OutOfBounds(_) => "choose a value inside the bounds",
    };
    invalid("limits", &refused.to_string(), hint)
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
