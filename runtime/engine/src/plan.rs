//! Planning: every decision about a request, before anything runs.
//!
//! A sentence is read once. What it leaves open is a [`Plan`] that a surface can ask about, and the answer completes
//! the same plan. Running decides nothing more: a [`Run`] holds its script, its limits and its grants. `lacking`: what is told of
//! values that are missing.

mod lacking;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use intentbox_capability::{Access, Grants};
use intentbox_catalog::json::Counter;
use intentbox_catalog::{Arguments, Effects, ParamError, ParamKind, ParamSpec, Template, TemplateId};
use intentbox_report::{Candidate, Cause, Failure, Inferred, LookedAt, Remedy, Report, RunId, Target};
use intentbox_router::Decision;
use intentbox_sandbox::{Deterministic, Limits, Script, ScriptError};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::Engine;
use crate::caller::{Caller, Consent};
use crate::given::Beside;
use crate::inferred::{Choice, Open};
use crate::intent::{Code, Given, INTENT_BYTES_MAX, Intent, Settings};
use crate::library::{Library, Tool};
use crate::remedy::Requester;
use crate::target_name::TargetName;
use crate::{cards, help, offer, rejected};

/// The plan for an intent.
#[derive(Debug)]
pub enum Plan {
    /// It can run.
    Ready(Box<Run>),
    /// It can run once somebody consents to the change that it makes.
    NeedsConsent(Unconfirmed),
    /// Several templates fit. [`Engine::choose`] continues with one of them.
    Which(Which),
    /// Values are missing. [`Engine::supply`] continues with them.
    Incomplete(Incomplete),
    /// The intent asks what can be asked here. The report is the answer, and nothing runs.
    Help(Box<Report>),
    /// The policy does not permit all that the template wants.
    NotGranted(Box<Report>),
    /// No template fits.
    Nothing(Box<Report>),
    /// Something about the request is invalid.
    Invalid(Box<Report>),
}

/// Something that can run: what, with which values, under which limits and grants.
#[derive(Debug)]
pub struct Run {
    pub(crate) id: RunId,
    pub(crate) target: Target,
    pub(crate) work: Work,
    pub(crate) script: Script,
    /// The values of a template or the input of code, as JSON text.
    pub(crate) params: String,
    pub(crate) limits: Limits,
    pub(crate) deterministic: Option<Deterministic>,
    pub(crate) grants: Grants,
    pub(crate) requester: Requester,
    /// How its sentence was read.
    pub(crate) heard: Heard,
    /// Names that nobody said, and that nothing else could be.
    pub(crate) inferred: Vec<Inferred>,
    /// The words for which a person chose a tool, to be learned if it answers.
    pub(crate) learns: Option<String>,
    /// Whether the caller said the window of time that it looks at.
    pub(crate) says_time: bool,
    /// Whether it begins only when there is all the memory that its limit lets it use.
    pub(crate) reserves_memory: bool,
}

/// How a sentence was read that a template answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    /// Words that were taken for names that they are not, each with the name.
    pub(crate) mended: Vec<(String, String)>,
    /// Words that may narrow what is asked for, and that nothing took.
    pub(crate) passed_over: Vec<String>,
}

/// What a run executes.
#[derive(Debug)]
pub(crate) enum Work {
    /// A template, with the library that it was found in.
    Template { library: Arc<Library>, id: TemplateId, arguments: Value },
    /// Code of the caller.
    Code,
}

/// A run that changes something, without consent so far.
#[derive(Debug)]
pub struct Unconfirmed {
    run: Box<Run>,
    summary: String,
}

/// The change that a run makes: a template with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The template's id.
    pub template: String,
    /// What the template does.
    pub summary: String,
    /// Whether it is a tool, whose summary is a stranger's text.
    pub is_tool: bool,
    /// The arguments, complete.
    pub arguments: Value,
    /// SHA-256 over the template's text and the arguments, which identifies the change.
    pub digest: [u8; 32],
}

/// An intent that several templates fit.
#[derive(Debug)]
pub struct Which {
    pub(crate) intent: Intent,
    /// Where the candidates are.
    pub(crate) library: Arc<Library>,
    pub(crate) report: Box<Report>,
}

/// A template and its values, of which some are missing.
#[derive(Debug)]
pub struct Incomplete {
    intent: Intent,
    library: Arc<Library>,
    template: TemplateId,
    values: BTreeMap<String, Value>,
    missing: Vec<ParamSpec>,
    report: Box<Report>,
}

impl Plan {
    /// The same with how its sentence was read.
    fn having_heard(mut self, heard: Heard) -> Self {
        if let Self::Ready(run) | Self::NeedsConsent(Unconfirmed { run, .. }) = &mut self {
            run.heard = heard;
        }
        self
    }

    /// The same with a name that nobody said.
    fn having_inferred(mut self, inferred: Inferred) -> Self {
        if let Self::Ready(run) | Self::NeedsConsent(Unconfirmed { run, .. }) = &mut self {
            run.inferred.push(inferred);
        }
        self
    }

    /// Whether it is a run of this template that can begin.
    fn runs(&self, template: &TemplateId) -> bool {
        matches!(self, Self::Ready(run) if run.target.template() == Some(template.as_str()))
    }

    /// The same with whether the caller said the window of time.
    fn saying_time(mut self, says_time: bool) -> Self {
        if let Self::Ready(run) | Self::NeedsConsent(Unconfirmed { run, .. }) = &mut self {
            run.says_time = says_time;
        }
        self
    }

    /// The same, whose words are learned for its tool if that answers: a person has chosen it.
    pub(crate) fn learning(mut self, text: &str) -> Self {
        if let Self::Ready(run) | Self::NeedsConsent(Unconfirmed { run, .. }) = &mut self
            && run.target.tool().is_some()
        {
            run.learns = Some(text.to_owned());
        }
        self
    }

    /// The report of a plan that cannot run as it is, if that has one already.
    fn report_mut(&mut self) -> Option<&mut Report> {
        match self {
            Self::Ready(_) | Self::NeedsConsent(_) => None,
            Self::Which(Which { report, .. })
            | Self::Incomplete(Incomplete { report, .. })
            | Self::Help(report)
            | Self::NotGranted(report)
            | Self::Nothing(report)
            | Self::Invalid(report) => Some(report),
        }
    }
}

impl Run {
    /// The window of time that it looks at, if its template has one.
    pub(crate) fn window(&self) -> Option<LookedAt> {
        let Work::Template { library, id, arguments } = &self.work else { return None };
        let template = library.catalog.get(id.as_str())?;
        Some(LookedAt { words: template.window(arguments)?.words(), is_default: !self.says_time })
    }

    /// The values that are not the defaults of a template, without the window of time and what settings give: what was read from the words or
    /// given beside them. Nothing for code and for tools.
    pub(crate) fn chosen(&self) -> Option<Map<String, Value>> {
        let Work::Template { library, id, arguments } = &self.work else { return None };
        let template = library.catalog.get(id.as_str()).filter(|_| self.target.tool().is_none())?;
        let is_chosen = |spec: &&ParamSpec| {
            let is_window = matches!(spec.kind(), ParamKind::Window { .. });
            let value = arguments.get(spec.name()).filter(|value| !value.is_null());
            value.is_some() && !is_window && spec.default_from().is_none() && value != spec.default()
        };
        let chosen = template.parameters().iter().filter(is_chosen);
        let chosen: Map<String, Value> =
            chosen.map(|spec| (spec.name().to_owned(), arguments[spec.name()].clone())).collect();
        (!chosen.is_empty()).then_some(chosen)
    }

    /// Whether its grants let it change anything outside: requests by other methods than `GET` and `HEAD`, or tools that do not
    /// say that they only read.
    #[must_use]
    pub fn may_change(&self) -> bool {
        self.grants.access().changes()
    }

    /// The same run, which begins only when there is all the memory that its limit lets it use: for one that lacked memory in the
    /// middle before.
    #[must_use]
    pub fn reserving_memory(self) -> Self {
        Self { reserves_memory: true, ..self }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What runs.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) fn arguments(&self) -> Option<Value> {
        match &self.work {
            Work::Template { library, id, arguments } => Some(library.arguments(id, arguments.clone())),
            Work::Code => None,
        }
    }
}

impl Unconfirmed {
    /// The run, for a caller with the user's consent.
    #[must_use]
    pub fn confirm(self) -> Box<Run> {
        self.run
    }

    /// The change that it makes.
    #[must_use]
    pub fn change(&self) -> Change {
        let (template, digest) = match &self.run.target {
            Target::Template { id, digest, tool } => (tool.clone().unwrap_or_else(|| id.clone()), digest.as_str()),
            Target::Code => (String::new(), ""),
        };
        let mut hasher = Sha256::new();
        for part in [digest, self.run.params.as_str()] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Change {
            template,
            is_tool: self.run.target.tool().is_some(),
            summary: self.summary.clone(),
            arguments: self.run.arguments().unwrap_or_default(),
            digest: hasher.finalize().into(),
        }
    }

    /// The report that asks for a confirmation.
    #[must_use]
    pub fn report(&self) -> Report {
        let change = self.change();
        let message = match self.run.target.tool() {
            Some(tool) => format!("the tool `{tool}` may change something, and this call does not allow that"),
            None => format!("template `{}` changes something, and this call does not allow that", change.template),
        };
        let failure = Failure::new(Cause::Unconfirmed, message).with(Remedy::AllowWrites);
        Report {
            target: Some(self.run.target.clone()),
            arguments: Some(change.arguments),
            ..Report::failed(self.run.id, failure)
        }
    }
}

impl Which {
    /// The templates, best first.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.report.candidates
    }
}

impl Incomplete {
    /// The template's id, or the tool as somebody who chooses it calls it.
    #[must_use]
    pub fn template(&self) -> String {
        self.library.name_of(&self.template)
    }

    /// The parameters that are missing, in declared order.
    #[must_use]
    pub fn missing(&self) -> &[ParamSpec] {
        &self.missing
    }
}

impl Plan {
    /// Whether nothing fits: no template, and no tool that could be named.
    fn fits_nothing(&self) -> bool {
        let is_open = |remedy: &Remedy| matches!(remedy, Remedy::Rephrase(_) | Remedy::NoChange { .. });
        let remedy = |report: &Report| report.failure.as_ref().and_then(|failure| failure.remedy.clone());
        matches!(self, Plan::Nothing(report) if remedy(report).is_some_and(|remedy| is_open(&remedy)))
    }

    /// The id of its run or of its report.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        match self {
            Plan::Ready(run) | Plan::NeedsConsent(Unconfirmed { run, .. }) => run.id,
            Plan::Which(Which { report, .. })
            | Plan::Incomplete(Incomplete { report, .. })
            | Plan::Help(report)
            | Plan::NotGranted(report)
            | Plan::Nothing(report)
            | Plan::Invalid(report) => report.run_id,
        }
    }

    /// What would run, as far as that is known.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Plan::Ready(run) | Plan::NeedsConsent(Unconfirmed { run, .. }) => Some(&run.target),
            Plan::Which(Which { report, .. })
            | Plan::Incomplete(Incomplete { report, .. })
            | Plan::Help(report)
            | Plan::NotGranted(report)
            | Plan::Nothing(report)
            | Plan::Invalid(report) => report.target.as_ref(),
        }
    }

    /// The run, if it can run as it is.
    ///
    /// # Errors
    /// The report that says why not, or that is the answer.
    pub fn ready(self) -> Result<Box<Run>, Box<Report>> {
        match self {
            Plan::Ready(run) => Ok(run),
            Plan::NeedsConsent(unconfirmed) => Err(Box::new(unconfirmed.report())),
            Plan::Which(Which { report, .. })
            | Plan::Incomplete(Incomplete { report, .. })
            | Plan::Help(report)
            | Plan::NotGranted(report)
            | Plan::Nothing(report)
            | Plan::Invalid(report) => Err(report),
        }
    }
}

impl Engine {
    /// Plans an intent for this caller: a template, otherwise a tool of an upstream server, otherwise an honest no. Nothing runs.
    /// Only absence falls back: a template that fits and may not run is the answer.
    pub fn plan<'a>(&'a self, intent: &'a Intent, caller: &'a Caller) -> BoxFuture<'a, Plan> {
        Box::pin(async move {
            let planned = if self.names_a_tool(intent).await {
                Plan::Nothing(Box::new(Report::new(crate::new_run_id())))
            } else {
                self.plan_template(intent, caller)
            };
            let mut plan = match planned {
                Plan::Nothing(report) if self.routing.has_tools() => self.plan_tool(intent, caller, report).await,
                Plan::Help(report) if self.routing.has_tools() => self.help_with_tools(caller, report).await,
                plan => plan,
            };
            if plan.fits_nothing()
                && let Some(text) = self.words_of_a_name(intent)
            {
                plan = Box::pin(self.plan(&Intent { text, ..intent.clone() }, caller)).await;
            }
            if let Some(report) = plan.report_mut() {
                report.mode = Some(self.routing.shown());
            }
            plan
        })
    }

    /// Whether an intent is the name of a tool in the form that no template has: `sentry: search_issues`.
    async fn names_a_tool(&self, intent: &Intent) -> bool {
        let is_name = intent.template.is_none() && intent.text.parse().is_ok_and(|name: TargetName| name.is_tool());
        is_name
            && self.routing.has_tools()
            && matches!(self.index().await, Ok(Some((_, index))) if index.named(&intent.text).is_some())
    }

    /// What else an intent may say that is one name, and the name of nothing: the id of the only template of that name in any pack,
    /// or the words of a name such as `list_issues`, as a model calls what it expects.
    fn words_of_a_name(&self, intent: &Intent) -> Option<String> {
        let text = intent.text.trim();
        let is_name =
            text.split('_').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
        if intent.template.is_some() || !is_name || !text.contains('_') {
            return None;
        }
        let library = self.library();
        let reached = library.catalog.templates().filter(|template| self.reaches(template)).map(Template::id);
        let mut named = reached.filter(|id| id.as_str().rsplit('/').next() == Some(text));
        Some(match (named.next(), named.next()) {
            (Some(id), None) => id.to_string(),
            _ => text.replace('_', " "),
        })
    }

    /// What can be asked, with the tools that the caller may call. Where nothing is known of tools, it is `report`.
    async fn help_with_tools(&self, caller: &Caller, report: Box<Report>) -> Plan {
        let Ok(Some((_, index))) = self.index().await else { return Plan::Help(report) };
        let may_call = self.permitted_tools(caller);
        let tools = (0..index.tools()).filter_map(|number| index.tool(number));
        let tools = tools.filter(|(server, row)| may_call(server.as_str(), &row.name, row.effect));
        let lines = tools.map(|(server, row)| help::Line {
            template: index.called(server, row).to_string().into(),
            say: row.name.replace(['_', '-', '.'], " "),
            summary: &row.summary,
        });
        let library = self.library();
        let reached = library.catalog.templates().filter(|template| self.reaches(template));
        Plan::Help(Box::new(help::report(reached, lines)))
    }

    /// Plans an intent with the templates alone.
    pub(crate) fn plan_template(&self, intent: &Intent, caller: &Caller) -> Plan {
        if let Err(failure) = readable(&intent.text) {
            return invalid(*failure);
        }
        if !self.routing.has_templates() {
            let remedy = Remedy::Rephrase(Box::default());
            let failure = Failure::new(Cause::NotFound, "no tool fits this intent").with(remedy);
            return Plan::Nothing(Box::new(Report::failed(crate::new_run_id(), failure)));
        }
        let library = self.library();
        if intent.template.is_none() && help::is_asked_for(&intent.text) {
            let reached = library.catalog.templates().filter(|template| self.reaches(template));
            return Plan::Help(Box::new(help::report(reached, std::iter::empty())));
        }
        let router = library.router(|template| self.reaches(template));
        if let Some(name) = &intent.template
            && let Some(plan) = self.not_there(&library, name)
        {
            return plan;
        }
        // The name of a template means that template: who was told several names can say one.
        let name = intent.template.as_ref().map_or(intent.text.trim(), TargetName::as_str);
        let by_id = library.catalog.get(name).filter(|template| self.reaches(template)).map(Template::id);
        let names = self.names(&library, intent, caller);
        let question = crate::known::question(intent, &names);
        let mut heard = Heard::default();
        let decision = match by_id {
            None => {
                let answer = router.route(&question);
                heard = Heard { mended: answer.explanation.mended(), passed_over: answer.explanation.passed_over() };
                answer.decision
            }
            Some(id) => {
                let id = cards::id_of(id);
                match router.read(&question, &id) {
                    // The name is no sentence: nothing in it is a value.
                    Some(_) if intent.template.is_none() => Decision::Card { id, values: BTreeMap::new() },
                    Some(values) => Decision::Card { id, values },
                    // Nobody asks for it in words, and it can be named.
                    None if library.catalog.get(id.as_str()).is_some_and(|template| self.reaches(template)) => {
                        Decision::Card { id, values: BTreeMap::new() }
                    }
                    None => Decision::NoMatch { closest: Vec::new() },
                }
            }
        };
        let open = Open::of(&library, intent, &names, &decision);
        let choice = open.and_then(|open| self.choice(&library, intent, caller, open));
        if let Some(Choice::One(intent, inferred)) = choice {
            let plan = self.plan_template(&intent, caller);
            return inferred.into_iter().fold(plan, Plan::having_inferred);
        }
        let lacks = match &decision {
            Decision::Missing { parameters, .. } => parameters.clone(),
            _ => Vec::new(),
        };
        match decision {
            Decision::Card { id, values } | Decision::Missing { id, values, .. } => {
                let Some(template) = cards::template(&library.catalog, &id) else { return no_template(id.as_str()) };
                let plan = self.complete(&library, template, values, intent, caller, &lacks).having_heard(heard);
                match choice {
                    Some(Choice::Several { parameter, names, .. }) => plan.naming(&parameter, &names),
                    _ => plan.naming_known(template, &names),
                }
            }
            Decision::Ambiguous { candidates } => {
                let offered =
                    candidates.into_iter().map(|candidate| offer::as_read(&library, &intent.params, candidate));
                let mut candidates = offer::taking_most(offered.collect());
                // The one that takes what came beside the sentence is meant.
                if let ([one], false) = (candidates.as_slice(), intent.params.is_empty())
                    && let Some(template) = library.catalog.get(&one.template)
                {
                    return self
                        .complete(&library, template, one.values.clone(), intent, caller, &[])
                        .having_heard(heard);
                }
                for candidate in &mut candidates {
                    candidate.takes = offer::takes(&library, &question, &intent.params, candidate);
                }
                let message = "several templates fit this intent about equally well";
                let failure = Failure::new(Cause::Ambiguous, message).with(Remedy::Choose);
                let report = Report { candidates, ..Report::failed(crate::new_run_id(), failure) };
                Plan::Which(Which { intent: intent.clone(), library, report: Box::new(report) })
            }
            Decision::NoMatch { closest } => {
                if let Some(Choice::Several { id: Some(id), parameter, names }) = choice
                    && let Some(template) = cards::template(&library.catalog, &id)
                {
                    let plan = self.complete(&library, template, BTreeMap::new(), intent, caller, &[]);
                    return plan.naming(&parameter, &names);
                }
                self.fits_none(&library, router, intent, &question, closest, caller)
            }
        }
    }

    /// Continues with one of several templates, by its id.
    #[must_use]
    pub fn choose(&self, which: Which, template: &str, caller: &Caller) -> Plan {
        let Which { intent, library, report } = which;
        let chosen = report.candidates.iter().find(|candidate| candidate.template == template);
        let known = chosen.and_then(|candidate| Some((library.called(&candidate.template)?, candidate)));
        match known {
            Some((template, candidate)) => {
                self.complete(&library, template, candidate.values.clone(), &intent, caller, &[]).learning(&intent.text)
            }
            None => Plan::Which(Which { intent, library, report }),
        }
    }

    /// Continues with values for what was missing.
    #[must_use]
    pub fn supply(&self, incomplete: Incomplete, values: BTreeMap<String, Given>, caller: &Caller) -> Plan {
        let Incomplete { mut intent, library, template, values: known, .. } = incomplete;
        intent.params.extend(values);
        // With what was missing, the sentence may say more: which columns there are depends on the file.
        if intent.template.is_none() {
            let plan = self.plan_template(&intent, caller);
            if plan.runs(&template) {
                return plan;
            }
        }
        match library.catalog.get(template.as_str()) {
            Some(template) => self.complete(&library, template, known, &intent, caller, &[]),
            None => no_template(template.as_str()),
        }
    }

    /// Plans a template with the values of a sentence, which may lack more than the template requires: a column to average.
    pub(crate) fn complete(
        &self,
        library: &Arc<Library>,
        template: &Template,
        mut values: BTreeMap<String, Value>,
        intent: &Intent,
        caller: &Caller,
        lacks: &[String],
    ) -> Plan {
        let beside = Beside::read(library, template, &intent.params);
        if let Some((_, error)) = beside.rejected.first() {
            return invalid(rejected::values(error));
        }
        values.extend(beside.values);
        match template.check_with(&values, &self.tenants.of(&caller.principal).settings, lacks) {
            Ok(arguments) => {
                let is_window = |spec: &&ParamSpec| matches!(spec.kind(), ParamKind::Window { .. });
                let mut windows = template.parameters().iter().filter(is_window);
                let says_time = windows.any(|spec| values.contains_key(spec.name()));
                self.of_template(library, template, &arguments, &intent.settings, caller).saying_time(says_time)
            }
            Err(error) => {
                let report = Report {
                    target: Some(target_of(library, template)),
                    arguments: serde_json::to_value(&values)
                        .ok()
                        .map(|values| library.arguments(template.id(), values)),
                    ..Report::failed(crate::new_run_id(), rejected::values(&error))
                };
                let ParamError::Missing { parameters } = error else { return Plan::Invalid(Box::new(report)) };
                let is_missing = |spec: &&ParamSpec| parameters.iter().any(|missing| missing.name == spec.name());
                let missing = template.parameters().iter().filter(is_missing).cloned().collect();
                let (intent, template, library) = (intent.clone(), template.id().clone(), Arc::clone(library));
                Plan::Incomplete(Incomplete { intent, library, template, values, missing, report: Box::new(report) })
            }
        }
    }

    fn of_template(
        &self,
        library: &Arc<Library>,
        template: &Template,
        arguments: &Arguments,
        settings: &Settings,
        caller: &Caller,
    ) -> Plan {
        let (id, target) = (crate::new_run_id(), target_of(library, template));
        let values = serde_json::to_value(arguments).unwrap_or_default();
        let grants = self.grants_of_template(library, template, caller);
        let rejected = |failure: Failure, access: Option<Access>| {
            let (target, arguments) = (Some(target.clone()), Some(library.arguments(template.id(), values.clone())));
            Box::new(Report { target, arguments, access, ..Report::failed(id, failure) })
        };
        let writes = template.effects() == Effects::Write;
        // Asking a person to confirm would be in vain, and nobody wants half of a change.
        if writes && let Some(failure) = self.not_permitted(library, template, caller) {
            return Plan::NotGranted(rejected(failure, Some(grants.access())));
        }
        if let Some(failure) = self.tool_not_permitted(library, template, &grants, caller) {
            return Plan::NotGranted(rejected(failure, Some(grants.access())));
        }
        let run = || {
            let limits = limits_of(template).check();
            let limits = limits.map_err(|error| Box::new(Failure::new(Cause::Limits, error.to_string())))?;
            let limits = caller.ceilings.limits(limits, &settings.limits)?;
            let broken = |message: String| Failure::new(Cause::Template, message);
            let rendered = template.render(arguments).map_err(|error| Box::new(rejected::template(&error)))?;
            let script = script_of(template, &rendered, &limits);
            let script = script.map_err(|error| Box::new(broken(error.to_string()).with(Remedy::ShortenTemplate)))?;
            let params = serde_json::to_string(arguments).map_err(|error| Box::new(broken(error.to_string())))?;
            Ok::<_, Box<Failure>>((limits, script, params))
        };
        let (limits, script, params) = match run() {
            Ok(run) => run,
            Err(failure) => return Plan::Invalid(rejected(*failure, None)),
        };
        let work =
            Work::Template { library: Arc::clone(library), id: template.id().clone(), arguments: values.clone() };
        let (deterministic, requester) = (settings.deterministic, self.requester_of(library, template, caller));
        let run = Box::new(Run {
            id,
            target: target.clone(),
            work,
            script,
            params,
            limits,
            deterministic,
            grants,
            requester,
            heard: Heard::default(),
            inferred: Vec::new(),
            learns: None,
            says_time: false,
            reserves_memory: false,
        });
        if writes && caller.consent == Consent::Asked {
            return Plan::NeedsConsent(Unconfirmed { run, summary: template.summary().to_owned() });
        }
        Plan::Ready(run)
    }

    /// Plans code, under the grant that the policy gives to code.
    ///
    /// # Errors
    /// The report that says why it cannot.
    pub fn plan_code(&self, code: &Code, caller: &Caller) -> Result<Box<Run>, Box<Report>> {
        let id = crate::new_run_id();
        let run = || {
            let limits = caller.ceilings.limits(Limits::default(), &code.settings.limits)?;
            let source = crate::script_advice::unfenced(&code.source);
            let script = Script::parse(&code.name, &source, &limits).map_err(|error| {
                let remedy = Remedy::ScriptAsText { bytes_max: limits.script_bytes };
                Box::new(Failure::new(Cause::Script, error.to_string()).with(remedy))
            })?;
            let (limit, observed) = (limits.params_bytes, code.params.len() as u64);
            if observed > limit {
                let message = format!("the input has more than {limit} bytes");
                return Err(Box::new(Failure::new(Cause::Input, message).with(Remedy::ShrinkInput)));
            }
            Counter::up_to(usize::MAX).count(&code.params).map_err(|error| {
                let message = format!("the input is not JSON: {error}");
                Box::new(Failure::new(Cause::Input, message).with(Remedy::InputAsJson))
            })?;
            Ok::<_, Box<Failure>>((limits, script))
        };
        let (limits, script) = run().map_err(|failure| Box::new(Report::failed(id, *failure)))?;
        Ok(Box::new(Run {
            id,
            target: Target::Code,
            work: Work::Code,
            script,
            params: code.params.clone(),
            limits,
            deterministic: code.settings.deterministic,
            grants: self.grants_of_code(caller),
            requester: self.requester(None, caller),
            heard: Heard::default(),
            inferred: Vec::new(),
            learns: None,
            says_time: false,
            reserves_memory: false,
        }))
    }

    /// The id of the template that would answer a sentence if what it needs were configured.
    pub(crate) fn out_of_reach_of(&self, text: &str) -> Option<String> {
        let intent = Intent { text: text.to_owned(), ..Intent::default() };
        let names = intentbox_router::Names::default();
        let has = self.routing.has_templates();
        match self.out_of_reach(&self.library(), &crate::known::question(&intent, &names)).filter(|_| has) {
            Some(Remedy::Configure { template, .. }) => Some(template),
            _ => None,
        }
    }
}

fn readable(text: &str) -> Result<(), Box<Failure>> {
    let observed = text.len();
    if observed > INTENT_BYTES_MAX {
        let message = format!("the intent has {observed} bytes or more; at most {INTENT_BYTES_MAX} are allowed");
        return Err(Box::new(Failure::new(Cause::Intent, message).with(Remedy::Shorten)));
    }
    if text.trim().is_empty() {
        return Err(Box::new(Failure::new(Cause::Intent, "the intent is empty").with(Remedy::Ask)));
    }
    Ok(())
}

fn invalid(failure: Failure) -> Plan {
    Plan::Invalid(Box::new(Report::failed(crate::new_run_id(), failure)))
}

fn no_template(id: &str) -> Plan {
    invalid(Failure::new(Cause::Intent, format!("there is no template `{id}`")))
}

fn target_of(library: &Library, template: &Template) -> Target {
    let tool = library.tools.get(template.id()).map(Tool::shown);
    Target::Template { id: library.name_of(template.id()), digest: template.digest().to_owned(), tool }
}

/// What runs: the rendered script, and the module of its pack.
pub(crate) fn script_of(
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
pub(crate) fn limits_of(template: &Template) -> Limits {
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
