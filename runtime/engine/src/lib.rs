//! Intent in, report out: which template, with which arguments, under which grant, and what came of it.
//!
//! An [`Engine`] joins the catalog (what can be done), the router (what is meant), the grants (what is allowed) and the
//! sandbox (where it happens). Surfaces hand it an [`Intent`] or a [`Code`] and show the [`Report`].
//!
//! The engine reads no environment, prints nothing and knows no surface. It does not know HTTP either: it makes a grant
//! and hands it to egress. Only absence falls back: a refusal, an exhausted limit or a crash is the answer.
//!
//! - `configuration`: what there is. - `policy`: what is permitted. - `router`: from a sentence to a template.
//! - `modules`: what packs share, compiled once. - `broker`: a run's host calls. - `cache`: answers that may be served again.
//! - `remedy`: what would allow what was refused. - `promise`: whether a result is what its template declares.
//! - `rehearsal`: the cases of templates. - `report` and `outcome`: the answer, and what each surface calls it.

mod broker;
mod cache;
mod configuration;
mod modules;
mod outcome;
mod policy;
mod promise;
mod rehearsal;
mod remedy;
mod report;
pub mod router;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intentbox_capability::{Alias, Grant, HttpRule, Reads, Refusal};
use intentbox_catalog::{Arguments, Case, Catalog, Effects, ParamError, Template, TemplateId};
use intentbox_egress::{Budget, Egress, Request};
use intentbox_files::Directories;
use intentbox_sandbox::{
    Author, Company, Job, LimitOutOfBounds, Limits, NoSuchLimit, Owner, RunError, Sandbox, Script, ScriptError,
    StartError,
};
use tokio::sync::OnceCell;

pub use crate::configuration::{CONFIGURATION_BYTES_MAX, Configuration, ConfigurationError, TokenSource};
pub use crate::outcome::{McpForm, Outcome, Terms};
pub use crate::policy::{POLICY_BYTES_MAX, Policy, PolicyError, Rules};
pub use crate::report::{Candidate, Problem, Refused, Report, Route, Spent};
pub use intentbox_egress::EgressError;
pub use intentbox_sandbox::{Capacity, Deterministic, Sharing, Walls, WorkerCommand, WorkerState};
pub use intentbox_sandbox::{limits, serve as serve_runs};

use crate::broker::Broker;
use crate::cache::{Question, ResultCache};
use crate::modules::Modules;
use crate::remedy::{Asker, Lacking};
use crate::router::{Decision, Routed, Router};

/// The longest intent, in bytes. A sentence has some 200; beyond this it is a document, and no phrase of a template.
pub const INTENT_BYTES_MAX: usize = 4 << 10;

/// How long trying an origin may take.
const TRY_MAX: Duration = Duration::from_secs(10);

/// What somebody wants, in words.
#[derive(Debug, Clone)]
pub struct Intent {
    /// The words.
    pub text: String,
    /// Values for parameters; they win over what the words say.
    pub params: BTreeMap<String, Given>,
    /// The template that is meant, where somebody was asked which: the words then only give values.
    pub template: Option<TemplateId>,
}

/// A value as it was given for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// As text, which is read by the parameter's type.
    Text(String),
    /// As a value of some type, which must be the parameter's.
    Value(serde_json::Value),
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
    /// Whether a template that writes may run. The policy must permit its requests besides.
    pub allow_writes: bool,
    /// Whether to run even if an answer is there that could be served again.
    pub fresh: bool,
    /// Who asks, where there are several: answers are not shared between them.
    pub principal: String,
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
    catalog: Arc<Catalog>,
    /// Over the templates that can be reached. Made when a sentence comes: `exec` needs none.
    router: OnceLock<Router>,
    /// Over the others, made when nothing fits.
    out_of_reach: OnceLock<Router>,
    egress: Egress,
    directories: Directories,
    settings: BTreeMap<String, String>,
    policy: Policy,
    cache: ResultCache,
    isolation: Isolation,
    capacity: Capacity,
    sandbox: OnceCell<Sandbox>,
    modules: Modules,
    /// Makes numbers of principals.
    owners: RandomState,
}

/// What an engine is made of.
#[derive(Debug)]
pub struct Parts {
    /// The templates.
    pub catalog: Arc<Catalog>,
    /// The origins and their settings.
    pub configuration: Configuration,
    /// The configured directories, opened.
    pub directories: Directories,
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
        let Parts { catalog, configuration, directories, policy, isolation, capacity } = parts;
        let egress = Egress::new(configuration.origins)?;
        Ok(Engine {
            catalog,
            router: OnceLock::new(),
            out_of_reach: OnceLock::new(),
            egress,
            directories,
            settings: configuration.settings,
            policy,
            cache: ResultCache::new(),
            isolation,
            capacity,
            sandbox: OnceCell::new(),
            modules: Modules::default(),
            owners: RandomState::new(),
        })
    }

    /// The templates.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Whether everything a template wants is configured, so that an intent can reach it.
    #[must_use]
    pub fn reaches(&self, template: &Template) -> bool {
        self.lacks(template).is_empty()
    }

    /// A template is eligible when everything it wants is there: an answer must not end in "not configured".
    fn router(&self) -> &Router {
        self.router.get_or_init(|| Router::new(self.catalog.templates().filter(|template| self.reaches(template))))
    }

    /// Says where an intent would go and why, without going there.
    #[must_use]
    pub fn route(&self, text: &str) -> Routed {
        self.router().route(text)
    }

    /// Says where an intent would go and why, with everything that was considered.
    #[must_use]
    pub fn explain(&self, text: &str) -> Routed {
        self.router().explain(text)
    }

    /// Answers an intent.
    pub async fn run_intent(&self, intent: &Intent, options: &RunOptions) -> Report {
        match self.plan(intent) {
            Err(report) => *report,
            Ok((template, arguments)) => {
                let mut report = Box::pin(self.run_template(template, &arguments, options)).await;
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
        let job = Job {
            script: &script,
            params: &code.params,
            limits,
            deterministic: options.deterministic,
            owner: self.owner(&options.principal),
            author: Author::Owner,
        };
        self.run(job, self.may_exec()).await.0
    }

    /// What a script of `exec` may do.
    fn may_exec(&self) -> May {
        let permitted = self.policy.exec();
        May {
            http: Grant::of(permitted.http.iter().cloned()),
            files: Reads::of(permitted.read.iter().cloned()),
            asker: Asker::Exec,
        }
    }

    /// From words to a template and its arguments, or the report that says why not.
    fn plan(&self, intent: &Intent) -> Result<(&Template, Arguments), Box<Report>> {
        let observed = intent.text.len();
        if observed > INTENT_BYTES_MAX {
            let message = format!("the intent has {observed} bytes or more; at most {INTENT_BYTES_MAX} are allowed");
            return Err(Box::new(invalid("intent", &message, "say what you want in one sentence")));
        }
        if intent.text.trim().is_empty() {
            return Err(Box::new(invalid(
                "intent",
                "the intent is empty",
                "say what you want, such as \"list errors\"",
            )));
        }
        // The name of a template means that template: who was told several names can say one.
        let named = self.catalog.get(intent.text.trim()).filter(|template| self.reaches(template)).map(Template::id);
        let decision = match intent.template.as_ref().or(named) {
            None => self.router().route(&intent.text).decision,
            Some(id) => match self.router().read(&intent.text, id) {
                Some(values) => Decision::Template { id: id.clone(), values },
                None => Decision::NoMatch { closest: Vec::new() },
            },
        };
        let (id, mut values) = match decision {
            Decision::Template { id, values } | Decision::Missing { id, values, .. } => (id, values),
            Decision::Ambiguous { candidates } => {
                let message = "several templates fit this intent about equally well".to_owned();
                let hint = "say which, in the words of one of the candidates";
                return Err(Box::new(question(Outcome::Ambiguous, message, hint, candidates)));
            }
            Decision::NoMatch { closest } => {
                let message = "no template fits this intent".to_owned();
                let hint = if let Some(out_of_reach) = self.out_of_reach(&intent.text) {
                    out_of_reach
                } else if closest.is_empty() {
                    "say it in other words".to_owned()
                } else {
                    "if one of these is meant, say it in its words".to_owned()
                };
                return Err(Box::new(question(Outcome::NotFound, message, &hint, closest)));
            }
        };
        let template = self.catalog.get(id.as_str()).expect("the router was built from this catalog");
        for (name, given) in &intent.params {
            let value = match given {
                Given::Text(text) => {
                    template.read_text(name, text).map_err(|error| Box::new(refused_parameter(&error)))?
                }
                Given::Value(value) => value.clone(),
            };
            values.insert(name.clone(), value);
        }
        let arguments = template.check(&values, &self.settings).map_err(|error| {
            let mut report = refused_parameter(&error);
            report.route = Some(Route {
                template: Some(template.id().to_string()),
                arguments: serde_json::to_value(&values).ok(),
                candidates: Vec::new(),
            });
            Box::new(report)
        })?;
        Ok((template, arguments))
    }

    /// The template that would answer if what it needs were configured, and what that is.
    fn out_of_reach(&self, text: &str) -> Option<String> {
        let others = || Router::new(self.catalog.templates().filter(|template| !self.reaches(template)));
        let routed = self.out_of_reach.get_or_init(others).route(text);
        let (Decision::Template { id, .. } | Decision::Missing { id, .. }) = routed.decision else {
            return None;
        };
        let template = self.catalog.get(id.as_str())?;
        Some(format!("`{id}` would answer this, and needs {}", self.lacks(template).join(" and ")))
    }

    /// What must be configured for this template to be reached: lines of the configuration or flags.
    #[must_use]
    pub fn lacks(&self, template: &Template) -> Vec<String> {
        let origins = template.wants().iter().map(HttpRule::alias);
        let origins = origins.filter(|alias| self.egress.origins().get(alias).is_none());
        let directories = template.reads().iter().filter(|alias| !self.directories.has(alias));
        let mut lacks: Vec<String> = origins.map(|alias| format!("[origins.{alias}] in the configuration")).collect();
        lacks.extend(directories.map(|alias| format!("--dir {alias}=PATH")));
        lacks.dedup();
        lacks
    }

    async fn run_template(&self, template: &Template, arguments: &Arguments, options: &RunOptions) -> Report {
        if template.effects() == Effects::Write
            && let Some(report) = self.not_permitted(template)
        {
            return report;
        }
        if template.effects() == Effects::Write && !options.allow_writes {
            let message = format!("template `{}` changes something, and this call does not allow that", template.id());
            let hint = "repeat it with --allow-writes if the change is meant";
            return Report::without_run(Outcome::CapabilityDenied, problem("writes", message, hint));
        }
        let limits = match limits_of(template).check().map_err(LimitRefused::from).and_then(|base| options.over(base)) {
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
        let script = match script_of(template, &rendered, &limits) {
            Ok(script) => script,
            Err(error) => return broken("template_error", error.to_string(), "shorten the template"),
        };
        let params = match serde_json::to_string(arguments) {
            Ok(params) => params,
            Err(error) => return broken("template_error", error.to_string(), ""),
        };
        // The grant comes before the cache: what is no longer permitted is not served either.
        let may = self.may(template);
        let run = || async {
            // Two runs of one job burn the same fuel, whatever has run before.
            let compiled = match (options.deterministic, self.sandbox().await) {
                (None, Ok(sandbox)) => self.modules.compiled(template.pack(), &script, sandbox).await,
                _ => None,
            };
            let script = compiled.as_ref().unwrap_or(&script);
            let owner = self.owner(&options.principal);
            let deterministic = options.deterministic;
            let job = Job { script, params: &params, limits, deterministic, owner, author: Author::Operator };
            let (report, company) = self.run(job, may.clone()).await;
            (promise::kept(template, report), company)
        };
        if template.cache_s() == 0 || options.deterministic.is_some() {
            let (report, _) = run().await;
            // Also after a failure: what it changed before it failed is changed.
            if template.effects() == Effects::Write {
                self.cache.forget_all();
            }
            return report;
        }
        let grant = may.lines();
        let question = Question {
            principal: &options.principal,
            template_digest: template.digest(),
            arguments: &params,
            grant: &grant,
            secrets: &self.egress.secret_versions(template.wants().iter().map(HttpRule::alias)),
        };
        let key = self.cache.key(&question);
        if options.fresh {
            self.cache.forget(key).await;
        }
        let report = self.cache.answer(key, template.cache_s(), run).await;
        Report { grant: Some(grant), ..report }
    }

    /// The refusal of a template that changes something and that the policy does not let end what it begins: asking a person
    /// for their word would be in vain, and a half of a change is none that anybody wants.
    fn not_permitted(&self, template: &Template) -> Option<Report> {
        let id = template.id();
        let lacking = Lacking::of(template.wants(), template.reads(), &self.policy.template(id))?;
        let message = format!("the policy does not permit `{id}` all that it wants; it lacks {}", lacking.lines());
        let mut report = Report::without_run(Outcome::CapabilityDenied, problem("policy", message, &lacking.hint(id)));
        report.grant = Some(self.may(template).lines());
        Some(report)
    }

    /// What a script of `exec` may reach, line by line: `alias: METHODS /path`, and `alias: READ` for directories.
    #[must_use]
    pub fn exec_grant(&self) -> Vec<String> {
        self.may_exec().lines()
    }

    /// What a template may do: what it wants, as far as the policy permits it.
    fn may(&self, template: &Template) -> May {
        let permitted = self.policy.template(template.id());
        May {
            http: Grant::of(template.wants().to_vec()).and(permitted.http),
            files: Reads::of(template.reads().iter().cloned()).and(permitted.read),
            asker: Asker::of(template),
        }
    }

    /// A number for a principal: the sandbox knows no names. The hash is keyed anew in each process, so that nobody chooses a
    /// name that shares a number with somebody else's.
    fn owner(&self, principal: &str) -> Owner {
        Owner(self.owners.hash_one(principal))
    }

    /// Runs a job under a grant. Says besides whose code had run where it ran.
    async fn run(&self, job: Job<'_>, may: May) -> (Report, Company) {
        let shown = may.lines();
        let sandbox = match self.sandbox().await {
            Ok(sandbox) => sandbox,
            Err(error) => return (internal(error.to_string()), Company::Others),
        };
        let budget = Budget { run: Duration::from_millis(job.limits.wall_ms), ..Budget::default() };
        let (exchange, reader) = (self.egress.open(may.http, budget), self.directories.reader(may.files));
        let broker = Arc::new(Broker::new(exchange, reader, may.asker, self.directories.clone()));
        let ended = sandbox.run(job, Arc::clone(&broker) as Arc<_>).await;
        let company = ended.as_ref().map_or(Company::Others, |ended| ended.company);
        let mut report = match ended {
            Ok(ended) => Report::of_run(ended, broker.refusals(), broker.spent()),
            Err(error) => Report { refusals: broker.refusals(), ..not_run(&error) },
        };
        report.grant = Some(shown);
        (report, company)
    }

    /// Runs a case of a template in the sandbox, against the replies and files that it tells.
    ///
    /// # Errors
    /// What does not come out as the case says.
    pub async fn rehearse(&self, case: &Case) -> Result<(), String> {
        let template = self.catalog.get(case.template.as_str());
        let template = template.ok_or_else(|| format!("there is no template {}", case.template))?;
        let sandbox = self.sandbox().await.map_err(|error| error.to_string())?;
        rehearsal::rehearse(sandbox, template, case).await
    }

    /// Whether a request of a template or of `exec` would be admitted, and by which lines of the policy.
    ///
    /// # Errors
    /// The refusal, with the line that would allow it where there is one, as a run would get them.
    pub fn admits(&self, who: Option<&TemplateId>, method: &str, url: &str) -> Result<Vec<String>, Refused> {
        let unknown = |id: &TemplateId| Refused { message: format!("there is no template {id}"), hint: None };
        let may = match who {
            None => self.may_exec(),
            Some(id) => self.may(self.catalog.get(id.as_str()).ok_or_else(|| unknown(id))?),
        };
        let refused = |refusal: Refusal| {
            let hint = may.asker.hint(&refusal, &self.directories);
            Refused { message: refusal.to_string(), hint }
        };
        let tables = self.policy.tables(who);
        if method.eq_ignore_ascii_case("read") {
            let file = may.files.admit(url).map_err(refused)?;
            let named = tables.iter().filter(|(_, rules)| rules.read.contains(file.alias()));
            return Ok(named.map(|(table, _)| format!("{}: READ under [{table}]", file.alias())).collect());
        }
        let allowed = may.http.admit(self.egress.origins(), method, url).map_err(refused)?;
        let mut lines = Vec::new();
        for (table, rules) in tables {
            let alone =
                |rule: &&HttpRule| Grant::of([(*rule).clone()]).admit(self.egress.origins(), method, url).is_ok();
            lines.extend(rules.http.iter().filter(alone).map(|rule| format!("{rule} under [{table}]")));
        }
        lines.push(format!("= {} {}", allowed.method(), allowed.shown()));
        Ok(lines)
    }

    /// Asks an origin for one path with its token, whatever the policy says: for trying a configuration. Gives the status.
    ///
    /// # Errors
    /// Why there is no reply, without the token.
    pub async fn try_origin(&self, alias: &Alias, path: &str) -> Result<u16, String> {
        let rule = format!("{alias}: GET /**").parse::<HttpRule>().map_err(|error| error.to_string())?;
        let exchange = self.egress.open(Grant::of([rule]), Budget { timeout: TRY_MAX, ..Budget::default() });
        let url = format!("{alias}:{path}");
        let request = Request { method: "GET", url: &url, headers: &[], body: None, timeout: None };
        exchange.send(request).await.map(|reply| reply.status).map_err(|error| error.to_string())
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

/// What one run may reach, and whose it is.
#[derive(Debug, Clone)]
struct May {
    http: Grant,
    files: Reads,
    asker: Asker,
}

impl May {
    /// The grant line by line, for showing.
    fn lines(&self) -> Vec<String> {
        let rules = self.http.rules();
        let reads = self.files.aliases().map(|alias: &Alias| format!("{alias}: READ"));
        rules.iter().map(ToString::to_string).chain(reads).collect()
    }
}

/// What runs: the rendered script, and the module of its pack.
fn script_of(
    template: &Template,
    rendered: &intentbox_catalog::Script,
    limits: &Limits,
) -> Result<Script, ScriptError> {
    let script = Script::parse(rendered.name(), rendered.source().as_bytes(), limits)?;
    match template.pack().module() {
        Some(module) => script.with_module(&template.pack().module_file(), module, limits),
        None => Ok(script),
    }
}

/// The limits a template asks for, over the defaults.
fn limits_of(template: &Template) -> Limits {
    let declared = template.limits();
    let base = Limits::default();
    Limits {
        fuel: declared.fuel.unwrap_or(base.fuel),
        memory_bytes: declared.memory_mib.map_or(base.memory_bytes, |mib| u64::from(mib) << 20),
        wall_ms: declared.timeout_ms.unwrap_or(base.wall_ms),
        host_calls: declared.host_calls.unwrap_or(base.host_calls),
        ..base
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
