//! The messages of a server, from text to what the SDK may see. **This file is a boundary.**
//!
//! The SDK types results loosely: one invalid tool makes a whole list something else, unknown fields vanish, and reserved keys
//! of the JSON library become other values. So the results of `tools/list` and `tools/call` are kept here as the text that came,
//! for the modules that admit them, and the SDK gets an empty one in their place. It still has the handshake, the ids, progress,
//! and cancellation.
//!
//! Everything that was not asked for is dropped and counted. A server that sends too much of it is cut off.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use intentbox_egress::Redaction;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, NumberOrString, ServerJsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokio::sync::Notify;

/// The longest message, in bytes: 16 MiB, as the SDK has it.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// How many requests of its own a server may send over one connection: pings, and questions that are declined.
const REQUESTS_MAX: u32 = 1_000;

/// How many notifications of progress a connection passes on. The rest is dropped.
const PROGRESS_MAX: u32 = 10_000;

/// How many messages that nobody asked for are dropped before the connection ends.
const STRAY_MAX: u32 = 100_000;

/// How many lines that are not the protocol are skipped before the connection ends: some servers print a banner.
const NOISE_MAX: u32 = 100;

/// How many characters of a line that is not the protocol an error repeats.
const SAMPLE_CHARS_MAX: usize = 120;

/// Why a connection is cut off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameFault {
    #[error("it sent a message of more than {MESSAGE_BYTES_MAX} bytes")]
    TooLong,
    #[error("it sent bytes that are not UTF-8 text")]
    NotText,
    #[error("it sent {NOISE_MAX} lines that are not MCP, such as {sample:?}")]
    Noise { sample: String },
    #[error("it sent more than {REQUESTS_MAX} requests of its own")]
    Requests,
    #[error("it sent more than {STRAY_MAX} messages that nobody asked for")]
    Stray,
    #[error("it does not read what it is sent")]
    Deaf,
    #[error("it used more than {bytes} bytes of memory, and may use {most}")]
    Memory { bytes: u64, most: u64 },
}

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Tools,
    Call,
    Other,
}

/// What a connection has sent and received.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    state: Mutex<State>,
    /// Wakes whoever waits for the server's next message, since none comes.
    hung_up: Notify,
    /// Takes the secrets of the server's entry out of what it says.
    redaction: Redaction,
}

#[derive(Debug, Default)]
struct State {
    awaited: HashMap<i64, Awaited>,
    /// Results as text, until they are taken.
    results: HashMap<i64, String>,
    /// The first line that is not the protocol, for errors.
    noise: Option<String>,
    noise_count: u32,
    requests: u32,
    progress: u32,
    stray: u32,
    /// What the server asked its client for, in the words of the protocol.
    asked: Option<&'static str>,
    has_changed_list: bool,
    fault: Option<FrameFault>,
}

/// The parts of a message that decide what becomes of it. Of two equal keys, neither counts: the message is noise.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "also_null")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// A value that may be `null`, which is something else than none.
fn also_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A message whose texts are without secrets. Its numbers and structure stay what they are, and so do keys of letters, which the protocol
/// may need; a text is looked at as what it means, however it is escaped. What is no JSON is a text as a whole.
fn redacted(message: &str, redaction: &Redaction) -> String {
    if !message.trim_start().starts_with('{') {
        return redaction.text(message);
    }
    let mut clean = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = rest.find('"') {
        let Some(length) = literal_bytes(&rest[start..]) else { break };
        let (literal, after) = (&rest[start..start + length], &rest[start + length..]);
        clean.push_str(&rest[..start]);
        rest = after;
        let is_key = after.trim_start().starts_with(':');
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_$".contains(&byte));
        let text = serde_json::from_str::<String>(literal).ok().filter(|text| !is_key || !is_name(text));
        let changed = text.and_then(|text| Some(redaction.text(&text)).filter(|redacted| *redacted != text));
        match changed.and_then(|text| serde_json::to_string(&text).ok()) {
            Some(changed) => clean.push_str(&changed),
            None => clean.push_str(literal),
        }
    }
    clean.push_str(rest);
    clean
}

/// How long the text of JSON is that begins here, with its quotes.
fn literal_bytes(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The part of a result that says whether it is one.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, default, rename = "resultType")]
    result_type: Option<Cow<'a, str>>,
}

impl Frames {
    /// The same for a server that must not repeat these.
    pub(crate) fn without(secrets: &[String]) -> Self {
        Self { redaction: Redaction::new(secrets.iter().map(String::as_str)), ..Self::default() }
    }

    /// A text of the server's without them.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.redaction.text(text)
    }

    /// Notes a message before it is sent.
    pub(crate) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        let NumberOrString::Number(id) = &request.id else { return };
        let awaited = match &request.request {
            ClientRequest::ListToolsRequest(_) => Awaited::Tools,
            ClientRequest::CallToolRequest(_) => Awaited::Call,
            _ => Awaited::Other,
        };
        let mut state = self.state();
        if matches!(request.request, ClientRequest::InitializeRequest(_)) {
            // The SDK asks for the newest revision first, and waits ten seconds. A server that is still starting then answers both,
            // and the SDK would take the first answer for the second.
            state.awaited.clear();
        }
        state.awaited.insert(*id, awaited);
    }

    /// Decides about a message. Nothing if it is dropped.
    ///
    /// # Errors
    /// When the connection must end.
    pub(crate) fn received(&self, text: &str) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        if text.len() > MESSAGE_BYTES_MAX {
            return Err(self.end(FrameFault::TooLong));
        }
        let clean = (!self.redaction.is_empty()).then(|| redacted(text, &self.redaction));
        let text = clean.as_deref().unwrap_or(text);
        if text.trim().is_empty() {
            return Ok(None);
        }
        // The library would read a list as the fields of a message, in their order.
        if !text.trim_start().starts_with('{') {
            return self.noise(text);
        }
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else { return self.broken(text) };
        match (envelope.method.as_deref(), envelope.id) {
            (Some(method), Some(_)) => self.request(method, text),
            (Some(method), None) => self.notification(method, text),
            (None, id) => self.answer(id, &envelope, text),
        }
    }

    /// The result of a request as text, once.
    pub(crate) fn take(&self, id: &NumberOrString) -> Option<String> {
        let NumberOrString::Number(id) = id else { return None };
        self.state().results.remove(id)
    }

    /// Forgets a request that nobody waits for any more: an answer that comes late is dropped.
    pub(crate) fn forget(&self, id: &NumberOrString) {
        let NumberOrString::Number(id) = id else { return };
        let mut state = self.state();
        state.awaited.remove(id);
        state.results.remove(id);
    }

    /// Ends the connection for a reason, if there is none yet. Returns the one that holds.
    pub(crate) fn end(&self, fault: FrameFault) -> FrameFault {
        self.state().fault.get_or_insert(fault).clone()
    }

    /// Says that no message comes any more, although something may keep the pipes open.
    pub(crate) fn hang_up(&self) {
        self.hung_up.notify_one();
    }

    /// Waits for [`Frames::hang_up`]. For one task.
    pub(crate) async fn hung_up(&self) {
        self.hung_up.notified().await;
    }

    /// Why the connection was cut off, if it was.
    pub(crate) fn fault(&self) -> Option<FrameFault> {
        self.state().fault.clone()
    }

    /// What the server asked its client for since the last time: `sampling`, `elicitation` or `roots`.
    pub(crate) fn take_asked(&self) -> Option<&'static str> {
        self.state().asked.take()
    }

    /// Whether the server said since the last time that its tools have changed.
    pub(crate) fn take_changed_list(&self) -> bool {
        std::mem::take(&mut self.state().has_changed_list)
    }

    /// Has [`Self::take_changed_list`] say it again.
    pub(crate) fn put_changed_list(&self) {
        self.state().has_changed_list = true;
    }

    /// The first line that was not the protocol.
    pub(crate) fn noise_sample(&self) -> Option<String> {
        self.state().noise.clone()
    }

    fn answer(
        &self,
        id: Option<&RawValue>,
        envelope: &Envelope<'_>,
        text: &str,
    ) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        let mut state = self.state();
        let number = id.and_then(|id| id.get().trim_matches('"').parse::<i64>().ok());
        let awaited = number.and_then(|number| state.awaited.get(&number).copied());
        let is_null = envelope.result.is_some_and(|result| result.get() == "null");
        // Some write both keys, and `null` for the one that is not meant.
        let result = envelope.result.filter(|_| !is_null || envelope.error.is_none());
        let is_one = result.is_some() != envelope.error.is_some();
        let (Some(number), Some(awaited), true) = (number, awaited, is_one) else { return stray(state) };
        let empty = match (awaited, result) {
            (Awaited::Other, _) => None,
            // An error that is none of the protocol is no result either: whoever admits it says so.
            (_, None) if parsed(text).is_some() => None,
            (_, Some(result)) if !is_complete(result) => None,
            (Awaited::Tools, _) => Some(r#"{"tools":[]}"#),
            (Awaited::Call, _) => Some(r#"{"content":[]}"#),
        };
        let message = match empty {
            Some(empty) => {
                let result = result.or(envelope.error).map(RawValue::get).unwrap_or_default();
                state.results.insert(number, result.to_owned());
                parsed(&format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{empty}}}"#))
            }
            None => parsed(text),
        };
        if let Some(message) = message {
            state.awaited.remove(&number);
            Ok(Some(message))
        } else {
            drop(state);
            self.noise(text)
        }
    }

    /// A message that is not JSON, such as one with `NaN`. Where it answers a call, whoever admits its result says what is wrong with
    /// it: the caller need not wait for another.
    fn broken(&self, text: &str) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        let mut state = self.state();
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        let calls = |number: &i64| state.awaited.get(number) == Some(&Awaited::Call);
        let Some(number) = ids(text).find(calls).filter(|_| !is_json) else {
            drop(state);
            return self.noise(text);
        };
        state.awaited.remove(&number);
        state.results.insert(number, text.to_owned());
        Ok(parsed(&format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{"content":[]}}}}"#)))
    }

    fn request(&self, method: &str, text: &str) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        let mut state = self.state();
        state.requests += 1;
        if state.requests > REQUESTS_MAX {
            drop(state);
            return Err(self.end(FrameFault::Requests));
        }
        let asked = match method {
            "sampling/createMessage" => Some("sampling"),
            "elicitation/create" => Some("elicitation"),
            "roots/list" => Some("roots"),
            _ => None,
        };
        state.asked = asked.or(state.asked);
        match parsed(text) {
            Some(message) => Ok(Some(message)),
            None => stray(state),
        }
    }

    fn notification(&self, method: &str, text: &str) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        let mut state = self.state();
        match method {
            "notifications/progress" if state.progress < PROGRESS_MAX => {
                state.progress += 1;
                match parsed(text) {
                    Some(message) => Ok(Some(message)),
                    None => stray(state),
                }
            }
            "notifications/tools/list_changed" => {
                state.has_changed_list = true;
                stray(state)
            }
            _ => stray(state),
        }
    }

    fn noise(&self, text: &str) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
        let mut state = self.state();
        let sample = || text.trim().chars().take(SAMPLE_CHARS_MAX).collect();
        let sample: String = state.noise.get_or_insert_with(sample).clone();
        state.noise_count += 1;
        let is_over = state.noise_count >= NOISE_MAX;
        drop(state);
        if is_over { Err(self.end(FrameFault::Noise { sample })) } else { Ok(None) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The numbers that stand as ids in a text that is no JSON, in their order.
fn ids(text: &str) -> impl Iterator<Item = i64> {
    text.split("\"id\"").skip(1).filter_map(|after| {
        let after = after.trim_start().strip_prefix(':')?.trim_start();
        let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
        after[..end].parse().ok()
    })
}

/// Drops a message that nobody asked for.
fn stray(mut state: MutexGuard<'_, State>) -> Result<Option<ServerJsonRpcMessage>, FrameFault> {
    state.stray += 1;
    if state.stray <= STRAY_MAX {
        return Ok(None);
    }
    Err(state.fault.get_or_insert(FrameFault::Stray).clone())
}

/// Whether a result is the end of its request, and not a question or a task.
fn is_complete(result: &RawValue) -> bool {
    match serde_json::from_str::<Kind<'_>>(result.get()) {
        Ok(kind) => kind.result_type.is_none_or(|kind| kind == "complete"),
        Err(_) => true,
    }
}

fn parsed(text: &str) -> Option<ServerJsonRpcMessage> {
    let message = serde_json::from_str::<ServerJsonRpcMessage>(text);
    message.ok().filter(|message| !matches!(message, JsonRpcMessage::Error(error) if error.id.is_none()))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolRequest, CallToolRequestParams, JsonRpcRequest, PaginatedRequestParams, PingRequest};

    use super::*;

    /// Frames that wait for the answers of a call (1), a listing (2) and a ping (3).
    fn frames() -> Frames {
        let frames = Frames::default();
        let call = CallToolRequest::new(CallToolRequestParams::new("echo"));
        let requests = [
            (1, ClientRequest::CallToolRequest(call)),
            (
                2,
                ClientRequest::ListToolsRequest(rmcp::model::ListToolsRequest::with_param(
                    PaginatedRequestParams::default(),
                )),
            ),
            (3, ClientRequest::PingRequest(PingRequest::default())),
        ];
        for (id, request) in requests {
            let request = JsonRpcRequest::new(NumberOrString::Number(id), request);
            frames.sent(&JsonRpcMessage::Request(request));
        }
        frames
    }

    fn kept(frames: &Frames, id: i64) -> Option<String> {
        frames.take(&NumberOrString::Number(id))
    }

    #[test]
    fn m14_a_message_keeps_its_structure_without_secrets() {
        let redaction = Redaction::new(["s3cr3t/ü&x", "10000000", "password"]);
        for (message, expected) in [
            (r#"{"a":"<s3cr3t/ü&x>","n":10000000,"password":1}"#, r#"{"a":"<[redacted]>","n":10000000,"password":1}"#),
            (
                r#"{"a":"s3cr3t\/\u00fc\u0026x","b":["password" , "x\"y"]}"#,
                r#"{"a":"[redacted]","b":["[redacted]" , "x\"y"]}"#,
            ),
            (r#"{"a":"no\u0041thing"}"#, r#"{"a":"no\u0041thing"}"#),
            (r#"{"password" : "password"}"#, r#"{"password" : "[redacted]"}"#),
            (r#"{"s3cr3t/ü&x" : 1, "a-10000000":{"x":2}}"#, r#"{"[redacted]" : 1, "a-[redacted]":{"x":2}}"#),
            ("password is no JSON", "[redacted] is no JSON"),
            (r#"{"a":"unclosed password"#, r#"{"a":"unclosed password"#),
            (r#"{"a":"ends in a backslash\"#, r#"{"a":"ends in a backslash\"#),
            ("{}", "{}"),
        ] {
            assert_eq!(redacted(message, &redaction), expected, "{message}");
        }
    }

    #[test]
    fn a_result_is_kept_as_the_text_that_came() {
        let frames = frames();
        let call = r#"{"content":[{"type":"new kind"}],"x":{"$serde_json::private::RawValue":"[5]"}}"#;
        let tools = r#"{"tools":[{"name":5},{}],"nextCursor":"a"}"#;
        for (id, result) in [(1, call), (2, tools)] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            let message = frames.received(&text).expect("no fault");
            assert!(matches!(message, Some(JsonRpcMessage::Response(_))), "{message:?}");
            assert_eq!(kept(&frames, id).as_deref(), Some(result));
            assert_eq!(kept(&frames, id), None, "once");
            assert!(frames.received(&text).expect("no fault").is_none(), "a second answer is dropped");
        }
    }

    #[test]
    fn what_nobody_asked_for_is_dropped() {
        let frames = frames();
        for text in [
            "",
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":99999999999999999999,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]"#,
            r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{"content":[]}}"#,
            "Server listening",
            "5",
        ] {
            assert!(frames.received(text).expect("no fault").is_none(), "{text}");
        }
        assert_eq!(kept(&frames, 1), None);
        assert_eq!(frames.noise_sample().as_deref(), Some(r#"[{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]"#));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
        assert!(frames.received(answer).expect("no fault").is_some(), "the call still ends");
    }

    #[test]
    fn an_answer_that_is_neither_result_nor_error_ends_its_call() {
        for (answer, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":1,"error":"it broke"}"#, "\"it broke\""),
            (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":"x"}}"#, "{\"code\":\"x\"}"),
            (r#"{"jsonrpc":"2.0","id":2,"result":null}"#, "null"),
        ] {
            let frames = frames();
            let message = frames.received(answer).expect("no fault");
            assert!(matches!(message, Some(JsonRpcMessage::Response(_))), "{answer}: {message:?}");
            let number = if answer.contains("\"id\":1") { 1 } else { 2 };
            assert_eq!(kept(&frames, number).as_deref(), Some(expected), "{answer}");
        }
        let both = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":null}"#;
        assert!(frames().received(both).expect("no fault").is_some(), "a result beside no error");
    }

    #[test]
    fn errors_questions_and_other_answers_go_to_the_sdk() {
        let frames = frames();
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
        ] {
            assert!(frames.received(text).expect("no fault").is_some(), "{text}");
        }
        assert_eq!(frames.take_asked(), None);
        let sampling = r#"{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}}"#;
        frames.received(sampling).expect("no fault");
        assert_eq!((frames.take_asked(), frames.take_asked()), (Some("elicitation"), None));
    }

    #[test]
    fn too_much_of_anything_ends_the_connection() {
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let storm = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        for (text, most, fault) in [
            (ping, REQUESTS_MAX, FrameFault::Requests),
            (storm, STRAY_MAX, FrameFault::Stray),
            ("no", NOISE_MAX - 1, FrameFault::Noise { sample: "no".to_owned() }),
        ] {
            let frames = frames();
            for _ in 0..most {
                frames.received(text).expect("within the bound");
            }
            assert_eq!(frames.received(text).err(), Some(fault.clone()));
            assert_eq!(frames.fault(), Some(fault));
            assert_eq!(frames.take_changed_list(), text == storm);
        }
        let frames = frames();
        let longest = format!("\"{}\"", "a".repeat(MESSAGE_BYTES_MAX - 2));
        assert!(frames.received(&longest).is_ok());
        assert_eq!(frames.received(&format!(" {longest}")).err(), Some(FrameFault::TooLong));
    }

    #[test]
    fn an_answer_that_nobody_waits_for_is_not_kept() {
        let frames = frames();
        frames.forget(&NumberOrString::Number(1));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
        assert!(frames.received(answer).expect("no fault").is_none());
        assert_eq!(kept(&frames, 1), None);
    }
}
