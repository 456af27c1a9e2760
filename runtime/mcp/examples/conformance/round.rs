//! Tools that ask the client before they answer, as revision 2026-07-28 has it.
//!
//! Such a request is answered with questions, and comes again with the replies. The server keeps nothing in between:
//! what it has to know again travels in `requestState`, sealed, because the client could change it.

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ElicitationSchema, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ListRootsRequest, ListRootsResult, RequestStateCodec, RootsCapabilities, SamplingCapability,
    SamplingMessage, SealOptions, object,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// How long a client may take to reply. A scenario of the suite ends after half a minute.
const STATE_TTL: Duration = Duration::from_mins(1);

/// The names and descriptions. None of the tools takes an argument.
pub(crate) const TOOLS: [(&str, &str); 10] = [
    ("test_input_required_result_elicitation", "Greets the user after asking for a name"),
    ("test_input_required_result_sampling", "Asks the model of the client for a capital"),
    ("test_input_required_result_list_roots", "Asks for the roots of the client and names them"),
    ("test_input_required_result_request_state", "Asks for a confirmation and checks that its state comes back"),
    ("test_input_required_result_multiple_inputs", "Asks three things at once"),
    ("test_input_required_result_multi_round", "Asks two things, one after the other"),
    ("test_input_required_result_tampered_state", "Refuses a state that it did not issue"),
    ("test_input_required_result_capabilities", "Asks only for what the client says it can give"),
    ("test_missing_capability", "Needs a client that declares sampling"),
    ("test_streaming_elicitation", "Asks for a name where a stream is read for requests"),
];

/// One try of a request: what came with it, and who sent it.
pub(crate) struct Round<'a> {
    pub(crate) name: &'a str,
    pub(crate) replies: InputResponses,
    pub(crate) state: Option<String>,
    pub(crate) context: &'a RequestContext<RoleServer>,
    pub(crate) codec: &'a RequestStateCodec,
}

impl Round<'_> {
    /// Asks the client, and gives it `known` to bring along with its replies. Refuses if the client cannot be asked.
    pub(crate) fn ask<const N: usize>(
        &self,
        questions: [(&str, InputRequest); N],
        known: Option<&[String]>,
    ) -> Result<InputRequiredResult, ErrorData> {
        let questions: InputRequests = questions.map(|(key, question)| (key.to_owned(), question)).into();
        let declared = self.declared();
        let mut missing = ClientCapabilities::default();
        for question in questions.values() {
            match question {
                InputRequest::Elicitation(_) if declared.elicitation.is_none() => {
                    missing.elicitation = Some(ElicitationCapability::default());
                }
                InputRequest::CreateMessage(_) if declared.sampling.is_none() => {
                    missing.sampling = Some(SamplingCapability::default());
                }
                InputRequest::ListRoots(_) if declared.roots.is_none() => {
                    missing.roots = Some(RootsCapabilities::default());
                }
                _ => {}
            }
        }
        if missing != ClientCapabilities::default() {
            return Err(ErrorData::missing_required_client_capability(missing));
        }
        let state = known.map(|known| self.seal(known)).transpose()?;
        Ok(InputRequiredResult::new(Some(questions), state))
    }

    /// The `field` of an accepted form; null when the user did not want to fill it in, which asking again would not
    /// change. `None` means that the reply is missing or is none.
    pub(crate) fn accepted(&self, key: &str, field: &str) -> Option<Value> {
        let reply: ElicitResult = self.reply(key)?;
        match reply.action {
            ElicitationAction::Accept => reply.content?.get(field).cloned(),
            _ => Some(Value::Null),
        }
    }

    fn reply<T: serde::de::DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_value(self.replies.get(key)?.clone()).ok()
    }

    fn completion(&self, key: &str) -> Option<String> {
        let reply: CreateMessageResult = self.reply(key)?;
        Some(completion(&reply)?.to_owned())
    }

    fn roots(&self, key: &str) -> Option<String> {
        let reply: ListRootsResult = self.reply(key)?;
        let addresses: Vec<String> = reply.roots.into_iter().map(|root| root.uri).collect();
        Some(addresses.join(", "))
    }

    fn declared(&self) -> ClientCapabilities {
        self.context.client_capabilities().unwrap_or_default()
    }

    /// The name is sealed in, so that the state of one tool is worth nothing to another.
    fn seal(&self, known: &[String]) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(self.name.as_bytes()).ttl(STATE_TTL);
        self.codec.seal_json_with(&known, &options).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// What an earlier try gave the client to bring along; `None` on the first.
    fn known(&self) -> Result<Option<Vec<String>>, ErrorData> {
        let Some(state) = &self.state else { return Ok(None) };
        self.codec.open_json_with(state, self.name.as_bytes()).map(Some).map_err(|_| {
            ErrorData::invalid_params("this `requestState` was not issued here or is too old: start without it", None)
        })
    }
}

pub(crate) fn call(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    match round.name {
        "test_input_required_result_sampling" | "test_missing_capability" => capital(round),
        "test_input_required_result_list_roots" => roots(round),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => confirm(round),
        "test_input_required_result_multiple_inputs" => several(round),
        "test_input_required_result_multi_round" => steps(round),
        "test_input_required_result_capabilities" => possible(round),
        _ => greet(round),
    }
}

fn greet(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    match round.accepted("user_name", "name") {
        Some(Value::String(name)) => Ok(said(format!("Hello, {name}!"))),
        Some(Value::Null) => Ok(said("Hello!".to_owned())),
        _ => Ok(round.ask([("user_name", elicit("What is your name?", "name", "string")?)], None)?.into()),
    }
}

fn capital(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    match round.completion("capital_question") {
        Some(text) => Ok(said(text)),
        None => Ok(round.ask([("capital_question", sample("What is the capital of France?", 100))], None)?.into()),
    }
}

fn roots(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    match round.roots("client_roots") {
        Some(roots) => Ok(said(format!("The roots are {roots}."))),
        None => Ok(round.ask([("client_roots", list_roots())], None)?.into()),
    }
}

fn confirm(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    // A reply without the state does not count: it may belong to something that was never asked.
    if round.known()?.is_some()
        && let Some(Value::Bool(_) | Value::Null) = round.accepted("confirm", "ok")
    {
        return Ok(said("state-ok".to_owned()));
    }
    Ok(round.ask([("confirm", elicit("Please confirm", "ok", "boolean")?)], Some(&[]))?.into())
}

fn several(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    if round.known()?.is_some()
        && let Some(name @ (Value::String(_) | Value::Null)) = round.accepted("user_name", "name")
        && let Some(greeting) = round.completion("greeting")
        && let Some(roots) = round.roots("client_roots")
    {
        let name = name.as_str().unwrap_or("stranger");
        return Ok(said(format!("{greeting} {name}, your roots are {roots}.")));
    }
    let questions = [
        ("user_name", elicit("What is your name?", "name", "string")?),
        ("greeting", sample("Generate a greeting", 50)),
        ("client_roots", list_roots()),
    ];
    Ok(round.ask(questions, Some(&[]))?.into())
}

fn steps(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    match round.known()?.as_deref() {
        Some([name, ..]) => match round.accepted("step2", "color") {
            Some(Value::String(color)) => Ok(said(format!("{name} likes {color}."))),
            Some(Value::Null) => Ok(said(format!("{name} keeps the color secret."))),
            _ => second_step(round, name),
        },
        Some([]) => match round.accepted("step1", "name") {
            Some(Value::String(name)) => second_step(round, &name),
            Some(Value::Null) => Ok(said("Without a name there is no second question.".to_owned())),
            _ => first_step(round),
        },
        None => first_step(round),
    }
}

fn first_step(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    let question = elicit("Step 1: What is your name?", "name", "string")?;
    Ok(round.ask([("step1", question)], Some(&[]))?.into())
}

fn second_step(round: &Round<'_>, name: &str) -> Result<CallToolResponse, ErrorData> {
    let question = elicit("Step 2: What is your favorite color?", "color", "string")?;
    Ok(round.ask([("step2", question)], Some(&[name.to_owned()]))?.into())
}

fn possible(round: &Round<'_>) -> Result<CallToolResponse, ErrorData> {
    if !round.replies.is_empty() {
        return Ok(said("The client replied.".to_owned()));
    }
    let declared = round.declared();
    if declared.sampling.is_some() {
        Ok(round.ask([("capital_question", sample("What is the capital of France?", 100))], None)?.into())
    } else if declared.elicitation.is_some() {
        Ok(round.ask([("user_name", elicit("What is your name?", "name", "string")?)], None)?.into())
    } else if declared.roots.is_some() {
        Ok(round.ask([("client_roots", list_roots())], None)?.into())
    } else {
        Ok(said("There is nothing that this client could be asked.".to_owned()))
    }
}

fn said(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// A form of one field.
pub(crate) fn elicit(message: &str, field: &str, kind: &str) -> Result<InputRequest, ErrorData> {
    let schema = json!({ "type": "object", "properties": { (field): { "type": kind } }, "required": [field] });
    Ok(InputRequest::Elicitation(ElicitRequest::new(form(message, schema)?)))
}

/// A form, as the client shows it to its user.
pub(crate) fn form(message: &str, schema: Value) -> Result<ElicitRequestParams, ErrorData> {
    let requested_schema = ElicitationSchema::from_json_schema(object(schema))
        .map_err(|error| ErrorData::internal_error(format!("not the schema of a form: {error}"), None))?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message: message.to_owned(), requested_schema })
}

/// A question for the model of the client.
pub(crate) fn prompt(text: &str, tokens_max: u32) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], tokens_max)
}

/// The text that the model of the client answered with.
pub(crate) fn completion(reply: &CreateMessageResult) -> Option<&str> {
    Some(&reply.message.content.first()?.as_text()?.text)
}

fn sample(text: &str, tokens_max: u32) -> InputRequest {
    InputRequest::CreateMessage(CreateMessageRequest::new(prompt(text, tokens_max)))
}

fn list_roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}
