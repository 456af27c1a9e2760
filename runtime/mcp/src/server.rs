//! From a call to an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_engine::router::Decision;
use intentbox_engine::{Code, Engine, Given, Intent, Report, RunOptions, limits};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ErrorData, Implementation, InputRequest,
    InputRequests, InputRequiredResult, ListToolsResult, PaginatedRequestParams, RequestStateCodec, SealOptions,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::advice::{answered_before, cancelled, declined, invalid, overloaded, with_advice};
use crate::answer;
use crate::call::{Call, CallError, Execute, ReadResult, RunIntent};
use crate::caller::{
    ANSWER, ANSWER_WITHIN, Caller, arguments_of, ask, caller_of, form, principal_of, session_ended, with_progress,
};
use crate::load::{Crowd, Load};
use crate::principal::Principal;
use crate::question::{NoAnswer, Question, Said};
use crate::results::{KEPT, NoSuchResult, Results, random};
use crate::tools;
use crate::turn::beside;

/// The most calls at a time, of one principal and of all.
const CALLS: Crowd = Crowd { each: 256, all: 768 };

/// The most calls that wait for a person's answer at a time.
const QUESTIONS: Crowd = Crowd { each: 32, all: 128 };

/// How many answered questions are remembered. Each lasts as long as an answer to it could be given.
const ANSWERED_MAX: u64 = 100_000;

/// The most questions about one call. Which, what and whether are three.
const QUESTIONS_MAX: usize = 4;

/// How long a list of tools may be kept by a client, in milliseconds. It changes with the program alone.
const LIST_TTL_MS: u64 = 60 * 60 * 1_000;

/// What a client tells its model about the server as a whole, and what is granted after it.
const INSTRUCTIONS: &str =
    "Ask run_intent first, in plain words. Where it finds nothing, write Python for execute_code.";

/// What is told with every answer that came out of the demo.
const DEMO: &str = "demo data, invented: the server has no configuration";

/// The most lines of the grant that are told in the instructions.
const GRANT_LINES_MAX: usize = 20;

/// The MCP server. Clones are one server: sessions and requests share engine, results and load.
#[derive(Debug, Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    engine: Engine,
    settings: Settings,
    results: Results,
    calls: Load,
    questions: Load,
    seal: RequestStateCodec,
    /// Questions about changes that were answered. An answer to them counts once.
    answered: Cache<u128, ()>,
}

/// What the operator chose.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Whether what answers is the demo, with invented data: models and people must be able to tell.
    pub is_demo: bool,
    /// Whether templates that change something run without a question. The policy must permit their requests besides.
    pub allow_writes: bool,
    /// What the scripts of callers may use at most, by the names of limits; otherwise what the program bounds.
    pub ceilings: BTreeMap<String, u64>,
}

/// What becomes of an intent.
enum Answered {
    Report(Box<Report>),
    Ask(Box<(Question, Said)>),
}

impl Server {
    /// A server over an engine.
    ///
    /// # Errors
    /// When the machine has no randomness.
    pub fn new(engine: Engine, settings: Settings) -> std::io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| std::io::Error::other(error.to_string()))?;
        let seal = RequestStateCodec::try_new(key).map_err(std::io::Error::other)?;
        let shared = Shared {
            engine,
            settings,
            results: Results::new(),
            calls: Load::new(CALLS),
            questions: Load::new(QUESTIONS),
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
        let principal = principal_of(&context);
        let _place = match self.shared.calls.admit(&principal) {
            Ok(place) => place,
            Err(full) => return Ok(self.told(&overloaded(full), None, &principal).into()),
        };
        let (name, arguments) = (request.name.clone(), arguments_of(&context));
        let length = arguments.len();
        // They have been read as JSON, which is text.
        let read = move || Call::parse(&name, std::str::from_utf8(&arguments).unwrap_or_default());
        let call = match beside(length, read).await {
            Ok(call) => call,
            Err(CallError::UnknownTool) => {
                return Err(ErrorData::invalid_params(format!("there is no tool {:?}", shown(&request.name)), None));
            }
            Err(CallError::Arguments { message, hint }) => {
                let report = invalid(message, hint);
                // The form of a page is not that of a report.
                let is_page = request.name == "read_result";
                let told = if is_page { answer::of_refusal(&report) } else { self.told(&report, None, &principal) };
                return Ok(told.into());
            }
        };
        let work = async {
            match call {
                Call::Execute(execute) => Ok(self.execute(execute, &principal).await.into()),
                Call::Intent(run) => self.intent(run, &request, &context, &principal).await,
                Call::Read(read) => Ok(self.read(&read, &principal).into()),
            }
        };
        tokio::select! {
            // Dropping the work ends the run: nobody waits for it any more.
            () = context.ct.cancelled() => Ok(self.told(&cancelled(), None, &principal).into()),
            () = session_ended(&context) => Ok(self.told(&cancelled(), None, &principal).into()),
            answered = with_progress(work, &context) => answered,
        }
    }

    async fn execute(&self, execute: Execute, principal: &Principal) -> CallToolResult {
        let note = execute.intent.as_deref().and_then(|intent| self.shorter_way(intent));
        let (code, mut options) = code_of(execute, principal);
        if let Err((message, hint)) = under(&self.shared.settings.ceilings, &mut options.limits) {
            return self.told(&invalid(message, &hint), None, principal);
        }
        let report = self.shared.engine.exec(&code, &options).await;
        let has_asked = report.spent.is_some_and(|spent| spent.http_requests > 0);
        let notes: Vec<&str> = note.as_deref().into_iter().chain(self.demo(has_asked)).collect();
        self.told_beside(report, Some(notes.join("; ")).filter(|notes| !notes.is_empty()), principal).await
    }

    /// The note on an answer for which the demo was asked.
    fn demo(&self, has_asked: bool) -> Option<&'static str> {
        (self.shared.settings.is_demo && has_asked).then_some(DEMO)
    }

    /// What every client is told at the start: the rules, what scripts may reach, and whether the data is invented.
    fn instructions(&self) -> String {
        let grant = self.shared.engine.exec_grant();
        let mut granted: Vec<&str> = grant.iter().take(GRANT_LINES_MAX).map(String::as_str).collect();
        if grant.len() > GRANT_LINES_MAX {
            granted.push("and more");
        }
        let granted = if granted.is_empty() { "nothing".to_owned() } else { granted.join("; ") };
        let demo = if self.shared.settings.is_demo { format!(" {DEMO}.") } else { String::new() };
        format!("{INSTRUCTIONS} Granted to scripts: {granted}.{demo}")
    }

    /// The template that answers what somebody wrote code for.
    fn shorter_way(&self, intent: &str) -> Option<String> {
        if intent.len() > intentbox_engine::INTENT_BYTES_MAX {
            return None;
        }
        match self.shared.engine.route(intent).decision {
            Decision::Template { id, .. } => Some(format!("run_intent answers this intent without code, by {id}")),
            _ => None,
        }
    }

    async fn intent(
        &self,
        run: RunIntent,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        principal: &Principal,
    ) -> Result<CallToolResponse, ErrorData> {
        let binding = binding(&run.text, principal);
        let mut said = Said::default();
        if let Some(sealed) = &request.request_state {
            said = self.shared.seal.open_json_with(sealed, &binding).map_err(|_| {
                ErrorData::invalid_params(
                    "requestState is not of this call, or too old: send the call again without it",
                    None,
                )
            })?;
        }
        let caller = caller_of(context, request);
        match self.answer(&intent_of(run), said, caller, principal).await {
            Answered::Report(report) => {
                let has_asked = report.cached || report.spent.is_some_and(|spent| spent.http_requests > 0);
                let note = self.demo(has_asked).map(str::to_owned);
                Ok(self.told_beside(*report, note, principal).await.into())
            }
            Answered::Ask(asked) => {
                let (question, said) = *asked;
                let options = SealOptions::new().associated_data(&binding).ttl(ANSWER_WITHIN);
                let state = self.shared.seal.seal_json_with(&said, &options);
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

    /// Runs an intent, and asks back as long as that helps.
    async fn answer(&self, intent: &Intent, mut said: Said, mut caller: Caller, principal: &Principal) -> Answered {
        let allow_writes = self.shared.settings.allow_writes;
        let options = |allow_writes| RunOptions {
            allow_writes,
            principal: principal.as_str().to_owned(),
            ..RunOptions::default()
        };
        for _ in 0..QUESTIONS_MAX {
            let intent = said.about(intent);
            let report = self.shared.engine.run_intent(&intent, &options(allow_writes)).await;
            let Some(question) = Question::of(&report, self.shared.engine.catalog()) else {
                return Answered::Report(Box::new(report));
            };
            if said.confirms(&question) {
                return Answered::Report(Box::new(self.shared.engine.run_intent(&intent, &options(true)).await));
            }
            let answer = match &mut caller {
                Caller::Silent => return Answered::Report(Box::new(with_advice(report, &question))),
                Caller::Stateless(answer) => {
                    let Some(answer) = answer.take() else {
                        let Some(once) = random() else { return Answered::Report(Box::new(report)) };
                        said.note_asked(&question, once);
                        return Answered::Ask(Box::new((question, said)));
                    };
                    if question.is_about_a_change() && !self.count_answer(&said) {
                        return Answered::Report(Box::new(answered_before(&report)));
                    }
                    answer
                }
                Caller::Legacy(peer) => {
                    said.note_asked(&question, 0);
                    // Questions that nobody answers keep their call waiting: a few of them do, and no more.
                    let place = self.shared.questions.admit(principal);
                    let Some(answer) = (match place {
                        Ok(_place) => ask(peer, &question).await,
                        Err(_) => None,
                    }) else {
                        return Answered::Report(Box::new(with_advice(report, &question)));
                    };
                    answer
                }
            };
            match said.take(&question, &answer) {
                Ok(()) => {}
                Err(NoAnswer::Declined) => return Answered::Report(Box::new(declined(&report))),
                Err(NoAnswer::Unusable) => return Answered::Report(Box::new(with_advice(report, &question))),
            }
        }
        let message = format!("more than {QUESTIONS_MAX} questions were needed");
        Answered::Report(Box::new(invalid(message, "say the intent in other words, with its values in `params`")))
    }

    /// Counts an answer to a question, and says whether it is the first.
    fn count_answer(&self, said: &Said) -> bool {
        self.shared.answered.entry(said.once()).or_insert(()).is_fresh()
    }

    fn read(&self, read: &ReadResult, principal: &Principal) -> CallToolResult {
        let offset = usize::try_from(read.offset).unwrap_or(usize::MAX);
        match self.shared.results.read(principal, &read.handle, offset) {
            Ok(page) if page.text.is_empty() && offset > 0 => answer::of_refusal(&invalid(
                format!("the result ends at character {}", page.of),
                "every page names the offset of the next; after the last one there is none",
            )),
            Ok(page) => answer::of_page(page, offset),
            Err(NoSuchResult) => answer::of_refusal(&invalid(
                "there is no result with this handle, or none any more".to_owned(),
                &format!(
                    "handles last {} minutes after they were last read; repeat the call that gave it",
                    KEPT.as_secs() / 60
                ),
            )),
        }
    }

    /// The answer that says what a run came to, made beside the serving thread where the run brought much.
    async fn told_beside(&self, report: Report, note: Option<String>, principal: &Principal) -> CallToolResult {
        let result = report.result.as_ref().map_or(0, |result| result.get().len());
        let length = result + report.stdout.len() + report.stderr.len();
        let (server, principal) = (self.clone(), principal.clone());
        beside(length, move || server.told(&report, note.as_deref(), &principal)).await
    }

    fn told(&self, report: &Report, note: Option<&str>, principal: &Principal) -> CallToolResult {
        answer::of_report(report, note, principal, &self.shared.results)
    }
}

/// What a sealed state belongs to: an intent with the same arguments, of the same principal.
fn binding(arguments: &str, principal: &Principal) -> Vec<u8> {
    format!("{}\0{arguments}", principal.as_str()).into_bytes()
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The code of a call, and how to run it.
fn code_of(execute: Execute, principal: &Principal) -> (Code, RunOptions) {
    let code = Code {
        name: "script.py".to_owned(),
        source: execute.code.into_bytes(),
        params: execute.params.map_or_else(|| "{}".to_owned(), |params| Box::<str>::from(params).into_string()),
    };
    let options = RunOptions {
        limits: execute.limits.into_iter().collect(),
        principal: principal.as_str().to_owned(),
        ..RunOptions::default()
    };
    (code, options)
}

/// Holds the limits of a call under the operator's ceilings: those that were chosen, and the defaults of the others.
///
/// # Errors
/// What is wrong, and what would do.
fn under(ceilings: &BTreeMap<String, u64>, limits: &mut Vec<(String, u64)>) -> Result<(), (String, String)> {
    for (name, ceiling) in ceilings {
        match limits.iter().find(|(chosen, _)| chosen == name) {
            Some((_, value)) if value > ceiling => {
                let message =
                    format!("the limit `{name}` is at most {ceiling} on this server, and {value} was asked for");
                return Err((message, format!("choose at most {ceiling}, or leave it out")));
            }
            None if default_of(name).is_some_and(|default| default > *ceiling) => limits.push((name.clone(), *ceiling)),
            Some(_) | None => {}
        }
    }
    Ok(())
}

fn default_of(limit: &str) -> Option<u64> {
    limits::ALL.iter().find(|bounds| bounds.name == limit).map(|bounds| bounds.default)
}

/// The intent of a call. Texts are read by the type of their parameter: models write numbers as texts.
fn intent_of(run: RunIntent) -> Intent {
    let given = |value| match value {
        Value::String(text) => Given::Text(text),
        value => Given::Value(value),
    };
    Intent {
        text: run.intent,
        params: run.params.into_iter().map(|(name, value)| (name, given(value))).collect(),
        template: None,
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
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(tools::all().to_vec());
        list.ttl_ms = Some(LIST_TTL_MS);
        list.cache_scope = Some(rmcp::model::CacheScope::Public);
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
        self.call(request, context).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_among_the_params_of_an_intent_are_read_by_type_and_values_are_taken_as_they_are() {
        let run: RunIntent = serde_json::from_value(json!({
            "intent": "list errors",
            "params": {"limit": 5, "project": "web", "since": "2h"},
        }))
        .expect("these are its arguments");
        assert_eq!(
            intent_of(run).params,
            BTreeMap::from([
                ("limit".to_owned(), Given::Value(json!(5))),
                ("project".to_owned(), Given::Text("web".to_owned())),
                ("since".to_owned(), Given::Text("2h".to_owned())),
            ])
        );
    }

    #[test]
    fn what_a_caller_chooses_stays_under_what_the_operator_allows() {
        let ceilings = BTreeMap::from([("wall_ms".to_owned(), 5_000), ("host_calls".to_owned(), 1_000_000)]);
        let chosen = |limits: &[(&str, u64)]| {
            let mut limits = limits.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            under(&ceilings, &mut limits).map(|()| limits)
        };
        let wall = |value| vec![("wall_ms".to_owned(), value)];
        assert_eq!(chosen(&[]), Ok(wall(5_000)), "the default is over the ceiling, and the other's is not");
        assert_eq!(chosen(&[("wall_ms", 5_000)]), Ok(wall(5_000)));
        assert_eq!(chosen(&[("wall_ms", 10)]), Ok(wall(10)));
        let refused = chosen(&[("wall_ms", 5_001)]).expect_err("it is over the ceiling");
        assert_eq!(refused.0, "the limit `wall_ms` is at most 5000 on this server, and 5001 was asked for");
        assert_eq!(refused.1, "choose at most 5000, or leave it out");
    }
}
