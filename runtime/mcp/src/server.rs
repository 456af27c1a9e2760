//! Handles a call: plans, asks, runs and answers.

use std::fmt;
use std::sync::Arc;

use intentbox_engine::{
    self as engine, Caller, Ceilings, Code, Consent, Decision, Engine, Event, Events, Given, Intent, Of, Pending, Plan,
    Principal, Report,
};
use intentbox_listen::bodies::offload;
use intentbox_listen::{ConcurrencyLimit, InFlight};
use intentbox_mcp_wire::call::{Call, CallError, Execute, ReadResult, RunIntent};
use intentbox_mcp_wire::{misfit, tools};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ElicitRequest, ErrorCode,
    ErrorData, Implementation, InputRequest, InputRequests, InputRequiredResult, ListToolsResult,
    PaginatedRequestParams, RequestStateCodec, SealOptions, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::advice::{answered_before, cancelled, declined, dismissed, invalid, overloaded};
use crate::answer;
use crate::client::{
    ANSWER, ANSWER_WITHIN, Elicitation, arguments_of, ask, elicitation_of, form, principal_of, server_stops,
    session_ended, trace_of, with_progress,
};
use crate::listing;
use crate::question::{NoAnswer, Question, Replies};
use crate::results::{LIFETIME, NoSuchResult, Results, random};

/// The most calls at a time.
const CALLS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 256, total: 768 };

/// The most calls that wait for a person's answer at a time.
const QUESTIONS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 32, total: 128 };

/// How many answered questions are remembered. Each lasts as long as an answer to it could be given.
const ANSWERED_MAX: u64 = 100_000;

/// The most questions about one call. Which template, what values and whether to change are three.
const QUESTIONS_MAX: usize = 4;

/// How long a list of tools may be kept by a client, in milliseconds. It changes with the program and its policy alone.
const LIST_TTL_MS: u64 = 60 * 60 * 1_000;

/// The instructions that a client gives its model about the server. Many clients pass them on to nobody.
const INSTRUCTIONS: &str =
    "Ask run_intent first, in plain words. Where it finds nothing, write Python for execute_code.";

/// The note on every answer from the demo.
const DEMO: &str = "demo data, invented: the server has no configuration";

/// The MCP server. Clones are one server: sessions and requests share engine, results and limits.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

struct Shared {
    engine: Arc<Engine>,
    events: Arc<dyn Events>,
    settings: Settings,
    results: Results,
    calls: InFlight,
    questions: InFlight,
    seal: RequestStateCodec,
    /// Questions about changes that were answered. An answer to them counts once.
    answered: Cache<u128, ()>,
}

/// The operator's settings.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Whether the demo answers, with invented data: models and people must be able to tell.
    pub is_demo: bool,
    /// Whether templates that change something run without a question. The policy must permit their requests as well.
    pub allow_writes: bool,
    /// The ceilings of all runs.
    pub ceilings: Ceilings,
    /// A line for each upstream server whose tools may be called: its name and what it has.
    pub upstreams: Vec<String>,
}

/// The result of an intent.
enum Answered {
    Report(Box<Report>),
    Ask(Box<(Question, Replies)>),
}

impl Server {
    /// A server over an engine, which reports to `events`.
    ///
    /// # Errors
    /// When the machine has no randomness.
    pub fn new(engine: impl Into<Arc<Engine>>, settings: Settings, events: Arc<dyn Events>) -> std::io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| std::io::Error::other(error.to_string()))?;
        let seal = RequestStateCodec::try_new(key).map_err(std::io::Error::other)?;
        let shared = Shared {
            engine: engine.into(),
            events,
            settings,
            results: Results::new(),
            calls: InFlight::new(CALLS),
            questions: InFlight::new(QUESTIONS),
            seal,
            answered: Cache::builder()
                .max_capacity(ANSWERED_MAX)
                .eviction_policy(EvictionPolicy::lru())
                .time_to_live(ANSWER_WITHIN)
                .build(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The engine behind it.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller { trace: trace_of(&context), ..self.caller(principal_of(&context)) };
        let _permit = match self.shared.calls.admit(&caller.principal) {
            Ok(permit) => permit,
            Err(exceeded) => return Ok(self.rejected(&overloaded(exceeded), &caller).into()),
        };
        let (name, arguments) = (request.name.clone(), arguments_of(&context));
        let length = arguments.len();
        // They have been read as JSON, which is text.
        let read = move || Call::parse(&name, std::str::from_utf8(&arguments).unwrap_or_default());
        let call = match offload(length, read).await {
            Ok(call) => call,
            Err(CallError::UnknownTool) => {
                return Err(ErrorData::invalid_params(format!("there is no tool {:?}", shown(&request.name)), None));
            }
            Err(CallError::NoObject { message }) => return Err(ErrorData::invalid_params(message, None)),
            Err(CallError::Arguments { message, hint }) => {
                let report = invalid(message, hint);
                // The form of a page is not that of a report.
                let is_page = request.name == "read_result";
                let told = if is_page { answer::of_refusal(&report) } else { self.rejected(&report, &caller) };
                return Ok(told.into());
            }
        };
        let work = async {
            match call {
                Call::Execute(execute) => Ok(self.execute(execute, &caller).await.into()),
                Call::Intent(run) => self.intent(run, &request, &context, &caller).await,
                Call::Read(read) => Ok(self.read(&read, &caller.principal).into()),
            }
        };
        tokio::select! {
            // Dropping the work ends the run: nobody waits for it any more. What is dropped notes its own end.
            () = context.ct.cancelled() => Ok(self.formatted(&cancelled(), None, &caller.principal).into()),
            () = session_ended(&context) => Ok(self.formatted(&cancelled(), None, &caller.principal).into()),
            error = server_stops(&context) => Err(error),
            answered = with_progress(work, &context) => answered,
        }
    }

    /// The caller of a call that came in now, with its bounds.
    fn caller(&self, principal: Principal) -> Caller {
        let Settings { allow_writes, ceilings, .. } = &self.shared.settings;
        let consent = if *allow_writes { Consent::Given } else { Consent::Asked };
        Caller { ceilings: ceilings.clone(), consent, ..Caller::of(principal) }
    }

    async fn execute(&self, execute: Execute, caller: &Caller) -> CallToolResult {
        let engine = &self.shared.engine;
        let note = execute.intent.as_deref().and_then(|intent| self.shorter_way(intent, caller));
        let report = match engine.plan_code(&code_of(execute), caller) {
            Ok(run) => engine.run(run, caller, &self.shared.events).await,
            Err(report) => return self.rejected(&report, caller),
        };
        let notes: Vec<&str> = note.as_deref().into_iter().chain(self.demo(report.has_asked())).collect();
        self.formatted_off_thread(report, Some(notes.join("; ")).filter(|notes| !notes.is_empty()), &caller.principal)
            .await
    }

    /// The note on an answer for which the demo was asked.
    fn demo(&self, has_asked: bool) -> Option<&'static str> {
        (self.shared.settings.is_demo && has_asked).then_some(DEMO)
    }

    /// The instructions for every client: the rules, and whether the data is invented.
    fn instructions(&self) -> String {
        let Settings { is_demo, upstreams, .. } = &self.shared.settings;
        let demo = if *is_demo { format!(" {DEMO}.") } else { String::new() };
        let tools = match upstreams.as_slice() {
            [] => String::new(),
            lines => format!(" Both use tools of these servers:\n{}", lines.join("\n")),
        };
        format!("{INSTRUCTIONS}{demo}{tools}")
    }

    /// A template that answers the intent of the code.
    fn shorter_way(&self, intent: &str, caller: &Caller) -> Option<String> {
        if intent.len() > engine::INTENT_BYTES_MAX {
            return None;
        }
        match self.shared.engine.route(intent, caller).decision {
            Decision::Card { id, .. } => Some(format!("run_intent answers this intent without code, by {id}")),
            _ => None,
        }
    }

    async fn intent(
        &self,
        run: RunIntent,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        caller: &Caller,
    ) -> Result<CallToolResponse, ErrorData> {
        let binding = binding(&run.text, &caller.principal);
        let mut replies = Replies::default();
        if let Some(sealed) = &request.request_state {
            replies = self.shared.seal.open_json_with(sealed, &binding).map_err(|_| {
                ErrorData::invalid_params(
                    "requestState belongs to another call or has expired: send the call again without it",
                    None,
                )
            })?;
        }
        let elicitation = elicitation_of(context, request);
        match self.answer(&intent_of(run), replies, elicitation, caller).await {
            Answered::Report(report) => {
                let note = self.demo(report.has_asked()).map(str::to_owned);
                Ok(self.formatted_off_thread(*report, note, &caller.principal).await.into())
            }
            Answered::Ask(asked) => {
                let (question, replies) = *asked;
                let options = SealOptions::new().associated_data(&binding).ttl(ANSWER_WITHIN);
                let state = self.shared.seal.seal_json_with(&replies, &options);
                let state = state.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                let Some(form) = form(&question) else {
                    return Err(ErrorData::internal_error("a question has no form", None));
                };
                let ask = InputRequest::Elicitation(ElicitRequest::new(form));
                let requests = InputRequests::from([(ANSWER.to_owned(), ask)]);
                Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
            }
        }
    }

    /// Plans an intent, asks the user as long as that helps, and runs the plan.
    async fn answer(
        &self,
        intent: &Intent,
        mut replies: Replies,
        mut elicitation: Elicitation,
        caller: &Caller,
    ) -> Answered {
        let engine = &self.shared.engine;
        let mut pending = Pending::new(caller, &self.shared.events);
        let intent = &replies.about(intent);
        engine.learn_names(intent, caller).await;
        let mut plan = engine.plan(intent, caller).await;
        for _ in 0..QUESTIONS_MAX {
            let Some(question) = Question::of(&plan) else { break };
            if replies.confirms(&question) {
                plan = completed(plan, &replies, engine, caller);
                break;
            }
            pending.planned(&plan);
            let answer = match &mut elicitation {
                Elicitation::Not => break,
                Elicitation::Stateless(answer) => {
                    let Some(answer) = answer.take() else {
                        let Some(once) = random() else { break };
                        replies.note_asked(&question, once);
                        // The call ends with the question: its answer comes with a call of its own, or never.
                        pending.end();
                        return Answered::Ask(Box::new((question, replies)));
                    };
                    if question.is_about_a_change() && !self.count_answer(&replies) {
                        return self.not_run(answered_before(plan), caller, pending);
                    }
                    answer
                }
                Elicitation::Legacy(peer) => {
                    replies.note_asked(&question, 0);
                    // Questions that nobody answers keep their call waiting: a few of them do, and no more.
                    let permit = self.shared.questions.admit(&caller.principal);
                    let Some(answer) = (match permit {
                        Ok(_permit) => ask(peer, &question).await,
                        Err(_) => None,
                    }) else {
                        break;
                    };
                    answer
                }
            };
            match replies.take(&question, &answer) {
                Ok(()) => plan = completed(plan, &replies, engine, caller),
                Err(NoAnswer::Declined) => return self.not_run(declined(plan), caller, pending),
                Err(NoAnswer::Dismissed) => return self.not_run(dismissed(plan), caller, pending),
                Err(NoAnswer::Unusable) => break,
            }
        }
        // From here on the engine notes the end.
        pending.end();
        Answered::Report(Box::new(engine.answer(plan, caller, &self.shared.events).await))
    }

    fn not_run(&self, report: Report, caller: &Caller, pending: Pending<'_>) -> Answered {
        pending.end();
        self.note(&report, caller);
        Answered::Report(Box::new(report))
    }

    /// Counts an answer to a question, and says whether it is the first.
    fn count_answer(&self, replies: &Replies) -> bool {
        self.shared.answered.entry(replies.once()).or_insert(()).is_fresh()
    }

    fn read(&self, read: &ReadResult, principal: &Principal) -> CallToolResult {
        let offset = usize::try_from(read.offset).unwrap_or(usize::MAX);
        match self.shared.results.read(principal, &read.handle, offset) {
            Ok(page) if page.text.is_empty() && offset > 0 => answer::of_refusal(&invalid(
                format!("the result ends at character {}", page.of),
                "use the `next` offset returned with each page; the last page has none",
            )),
            Ok(page) => answer::of_page(page, offset),
            Err(NoSuchResult) => answer::of_refusal(&invalid(
                "there is no result with this handle, or it has expired".to_owned(),
                &format!(
                    "handles last {} minutes after they were last read and end with the server; repeat the call that gave it",
                    LIFETIME.as_secs() / 60
                ),
            )),
        }
    }

    /// The answer with a report, formatted off the serving thread if the run returned much.
    async fn formatted_off_thread(
        &self,
        report: Report,
        note: Option<String>,
        principal: &Principal,
    ) -> CallToolResult {
        let length = report.bytes();
        let (server, principal) = (self.clone(), principal.clone());
        offload(length, move || server.formatted(&report, note.as_deref(), &principal)).await
    }

    /// The answer to a call that never ran.
    fn rejected(&self, report: &Report, caller: &Caller) -> CallToolResult {
        self.note(report, caller);
        self.formatted(report, None, &caller.principal)
    }

    fn note(&self, report: &Report, caller: &Caller) {
        self.shared.events.note(Of::request(report.run_id, caller), Event::Ended { report });
    }

    fn formatted(&self, report: &Report, note: Option<&str>, principal: &Principal) -> CallToolResult {
        answer::of_report(report, note, principal, &self.shared.results)
    }
}

/// What a sealed state is bound to: an intent with the same arguments, of the same principal.
fn binding(arguments: &str, principal: &Principal) -> Vec<u8> {
    format!("{}\0{arguments}", principal.as_str()).into_bytes()
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The plan with the replies so far.
fn completed(plan: Plan, replies: &Replies, engine: &Engine, caller: &Caller) -> Plan {
    match plan {
        Plan::Which(which) => engine.choose(which, replies.template().unwrap_or_default(), caller),
        Plan::Incomplete(incomplete) => engine.supply(incomplete, replies.values(), caller),
        // The value that the user was asked about.
        Plan::NeedsConsent(unconfirmed) => Plan::Ready(unconfirmed.confirm()),
        plan => plan,
    }
}

/// The code of a call, and how to run it.
fn code_of(execute: Execute) -> Code {
    Code {
        name: "script.py".to_owned(),
        source: execute.code.into_bytes(),
        params: execute.params.map_or_else(|| "{}".to_owned(), |params| Box::<str>::from(params).into_string()),
        settings: engine::Settings { limits: execute.limits.into_iter().collect(), deterministic: None },
    }
}

/// The intent of a call. Texts are read by the type of their parameter: models write numbers as texts.
fn intent_of(run: RunIntent) -> Intent {
    Intent {
        text: run.intent,
        params: run.params.into_iter().map(|(name, value)| (name, Given::of(value))).collect(),
        ..Intent::default()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("intentbox", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The list has one page. Some clients send an empty text for the first one.
        if page.and_then(|page| page.cursor).is_some_and(|cursor| !cursor.is_empty()) {
            let message = "there is no page with this `cursor`: the list has one page, so leave it out";
            return Err(ErrorData::invalid_params(message, None));
        }
        let caller = self.caller(principal_of(&context));
        let mut list = ListToolsResult::with_all_items(listing::of(&self.shared.engine.code_grant(&caller)));
        list.ttl_ms = Some(LIST_TTL_MS);
        // The policy may grant less to another principal.
        list.cache_scope = Some(rmcp::model::CacheScope::Private);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Box::pin(self.call(request, context)).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The SDK takes a known method with other `params` for an unknown method.
        let misfit = misfit::of_request(&request);
        Err(misfit.unwrap_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn texts_among_the_params_of_an_intent_are_read_by_type_and_values_are_taken_as_they_are() {
        let sent = json!({"intent": "list errors", "params": {"limit": 5, "project": "web", "since": "2h"}});
        let Ok(Call::Intent(run)) = Call::parse("run_intent", &sent.to_string()) else { panic!("it is a call") };
        assert_eq!(
            intent_of(run).params,
            BTreeMap::from([
                ("limit".to_owned(), Given::Value(json!(5))),
                ("project".to_owned(), Given::Text("web".to_owned())),
                ("since".to_owned(), Given::Text("2h".to_owned())),
            ])
        );
    }
}
