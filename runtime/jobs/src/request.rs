//! What a client asks for, as JSON.

use std::collections::BTreeMap;

use intentbox_catalog::json::{Counter, parse_value};
use intentbox_engine::{
    Ceilings, Code, Given, INTENT_BYTES_MAX, Intent, Settings, TargetName, TargetNameError, TraceContext,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The longest request, in bytes of JSON: room for the largest script and its input.
pub const REQUEST_BYTES_MAX: usize = 4 << 20;

/// How many labels a job has, and how long a name and a value are together, in bytes.
pub const LABELS_MAX: usize = 16;
/// See [`LABELS_MAX`].
pub const LABEL_BYTES_MAX: usize = 255;

/// Priorities are from minus this to this.
pub const PRIORITY_MAX: i64 = 100;

/// How long a job may wait for its time, and how long until it expires, in seconds: thirty days.
pub const WAIT_S_MAX: u64 = 30 * 86_400;

/// The same in milliseconds.
const WAIT_MS_MAX: i64 = WAIT_S_MAX.cast_signed() * 1_000;

/// How often a job is attempted at most.
pub const ATTEMPTS_MAX: u32 = 10;

/// The longest URL of a callback, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// How often it is without a word about it.
const ATTEMPTS: u32 = 3;

/// What a client asks for. In JSON, what is `null` is absent.
#[derive(Debug, Clone)]
pub struct JobRequest {
    /// What runs.
    pub work: Work,
    /// Whether what may change something runs without a question. The policy must allow it as well.
    pub allow_writes: bool,
    /// Jobs of a higher one are begun first.
    pub priority: i64,
    /// When it may begin.
    pub when: When,
    /// After how many seconds it is too late to begin.
    pub ttl_s: Option<u64>,
    /// How often it is attempted at most.
    pub attempts: u32,
    /// What it is found by.
    pub labels: BTreeMap<String, String>,
    /// Where its end is told: `origin:/path`, or a URL under an origin of the configuration.
    pub callback_url: Option<String>,
    /// The trace that it is a part of. It comes with the request, and is no part of its text.
    pub trace: Option<TraceContext>,
}

/// What runs.
#[derive(Debug, Clone)]
pub enum Work {
    /// An intent.
    Intent(Intent),
    /// A script.
    Code(Code),
}

/// When a job may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At once.
    Now,
    /// So many seconds after it was accepted.
    After(u64),
    /// At this time, in milliseconds after 1970, UTC.
    At(i64),
}

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", if .field.is_empty() { String::new() } else { format!("`{}`: ", .field) })]
pub struct Fault {
    /// The field; empty if it is about all of it.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    intent: Option<String>,
    template: Option<String>,
    params: Option<Box<RawValue>>,
    code: Option<String>,
    input: Option<Box<RawValue>>,
    limits: Option<BTreeMap<String, u64>>,
    allow_writes: Option<bool>,
    priority: Option<i64>,
    delay_s: Option<u64>,
    run_at: Option<String>,
    ttl_s: Option<u64>,
    attempts: Option<u32>,
    labels: Option<BTreeMap<String, String>>,
    callback_url: Option<String>,
}

impl JobRequest {
    /// A request that cannot be read, and fails when it runs.
    pub(crate) fn unread() -> Self {
        Self {
            work: Work::Code(Code {
                name: String::new(),
                source: Vec::new(),
                params: "{}".to_owned(),
                settings: Settings::default(),
            }),
            allow_writes: false,
            priority: 0,
            when: When::Now,
            ttl_s: None,
            attempts: 1,
            labels: BTreeMap::new(),
            callback_url: None,
            trace: None,
        }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// The first fault.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let fault = |field: &str, reason: String| Fault { field: field.to_owned(), reason };
        if text.len() > REQUEST_BYTES_MAX {
            return Err(fault("", format!("the request has {} bytes, and may have {REQUEST_BYTES_MAX}", text.len())));
        }
        // Databases differ about it, and no text needs it.
        if holds_nul(text) {
            return Err(fault("", "no text may hold U+0000".to_owned()));
        }
        let written: Written = object(text)?;
        let limits = written.limits.unwrap_or_default();
        let limits: Vec<(String, u64)> = limits.into_iter().collect();
        // Those of the operator may be lower, when it runs.
        Ceilings::new(limits.iter().cloned()).map_err(|error| fault("limits", error.to_string()))?;
        let settings = Settings { limits, deterministic: None };
        let work = match (written.intent, written.code) {
            (Some(_), Some(_)) => return Err(fault("code", "write `intent` or `code`, and not both".to_owned())),
            (None, None) => {
                let example = r#"write what to run, such as {"intent": "list errors"} or {"code": "1 + 1"}"#;
                return Err(fault("intent", example.to_owned()));
            }
            (Some(text), None) => {
                if written.input.is_some() {
                    return Err(fault("input", "it is for `code`; values for an intent are `params`".to_owned()));
                }
                if text.len() > INTENT_BYTES_MAX || text.trim().is_empty() {
                    return Err(fault("intent", format!("say what is wanted in 1 to {INTENT_BYTES_MAX} bytes")));
                }
                let params = params(written.params.as_deref()).map_err(|reason| fault("params", reason))?;
                let template = written.template.map(|name| target(&name)).transpose();
                let template = template.map_err(|reason| fault("template", reason))?;
                Work::Intent(Intent { text, params, template, settings })
            }
            (None, Some(source)) => {
                for (field, is_there) in
                    [("params", written.params.is_some()), ("template", written.template.is_some())]
                {
                    if is_there {
                        return Err(fault(field, "it is for `intent`; what a script finds is `input`".to_owned()));
                    }
                }
                let params = written.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned());
                // A field that stays text has had its brackets paired, and neither its depth nor its numbers checked.
                let is_read = Counter::up_to(usize::MAX).count(&params);
                is_read.map_err(|error| fault("input", format!("it cannot be read: {error}")))?;
                Work::Code(Code { name: "job.py".to_owned(), source: source.into_bytes(), params, settings })
            }
        };
        let priority = written.priority.unwrap_or(0);
        if !(-PRIORITY_MAX..=PRIORITY_MAX).contains(&priority) {
            return Err(fault("priority", format!("choose one from -{PRIORITY_MAX} to {PRIORITY_MAX}")));
        }
        let when = match (written.delay_s, written.run_at) {
            (Some(_), Some(_)) => return Err(fault("run_at", "write `delay_s` or `run_at`, and not both".to_owned())),
            (Some(0) | None, None) => When::Now,
            (Some(seconds), None) if seconds <= WAIT_S_MAX => When::After(seconds),
            (Some(_), None) => {
                return Err(fault("delay_s", format!("wait at most {WAIT_S_MAX} seconds, thirty days")));
            }
            (None, Some(time)) => {
                let time = time.parse::<Timestamp>();
                let reason = || "write a time with its zone, such as 2026-11-24T08:00:00Z".to_owned();
                let ms = time.map_err(|_| fault("run_at", reason()))?.as_millisecond();
                // A job that was accepted is read again later, when its time is nearer.
                if ms.saturating_sub(Timestamp::now().as_millisecond()) > WAIT_MS_MAX {
                    return Err(fault("run_at", format!("wait at most {WAIT_S_MAX} seconds, thirty days")));
                }
                When::At(ms)
            }
        };
        if let Some(ttl_s) = written.ttl_s.filter(|ttl_s| !(1..=WAIT_S_MAX).contains(ttl_s)) {
            return Err(fault("ttl_s", format!("choose 1 to {WAIT_S_MAX} seconds, not {ttl_s}")));
        }
        let attempts = written.attempts.unwrap_or(ATTEMPTS);
        if !(1..=ATTEMPTS_MAX).contains(&attempts) {
            return Err(fault("attempts", format!("choose 1 to {ATTEMPTS_MAX}")));
        }
        let labels = written.labels.unwrap_or_default();
        check_labels(&labels).map_err(|reason| fault("labels", reason))?;
        let callback_url = written.callback_url;
        if callback_url.as_ref().is_some_and(|url| url.is_empty() || url.len() > URL_BYTES_MAX) {
            return Err(fault("callback_url", format!("write a URL of 1 to {URL_BYTES_MAX} bytes")));
        }
        Ok(Self {
            work,
            allow_writes: written.allow_writes.unwrap_or(false),
            priority,
            when,
            ttl_s: written.ttl_s,
            attempts,
            labels,
            callback_url,
            trace: None,
        })
    }
}

/// Whether a text in JSON holds U+0000. Behind a backslash that is one itself, `u0000` is five letters: `"a\\u0000"`.
fn holds_nul(json: &str) -> bool {
    let is_escape = |(at, _): (usize, &str)| {
        let backslashes = json[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        backslashes % 2 == 0
    };
    json.contains('\0') || json.match_indices("\\u0000").any(is_escape)
}

/// Reads an object. An array would be read as its fields in their order, which nobody means.
///
/// # Errors
/// When the text is no object of this form.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    let fault = |reason: String| Fault { field: String::new(), reason };
    if !text.trim_start().starts_with('{') {
        return Err(fault("the request is invalid: send a JSON object".to_owned()));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (path, reason) = (error.path().to_string(), error.into_inner());
        if reason.is_data() && path != "." {
            Fault { field: path, reason: in_words(&reason.to_string()) }
        } else {
            fault(format!("the request is invalid: {reason}"))
        }
    })?;
    json.end().map_err(|error| fault(format!("the request is invalid: {error}")))?;
    Ok(read)
}

/// What a library says of a type, without the names that types have in a program.
fn in_words(reason: &str) -> String {
    let expected = ["i64", "u64", "u32"].iter().find(|name| reason.contains(&format!("expected {name}")));
    match expected {
        Some(name) => reason.replacen(&format!("expected {name}"), "expected a whole number", 1),
        None => reason.to_owned(),
    }
}

/// The SHA-256 of a request in hexadecimal: the order of keys and white space do not count.
pub(crate) fn digest(text: &str) -> String {
    let value = parse_value(text).map_or_else(|_| text.to_owned(), |value| sorted(value).to_string());
    sha256(value.as_bytes())
}

/// The SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        use std::fmt::Write as _;
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        plain => plain,
    }
}

fn params(written: Option<&RawValue>) -> Result<BTreeMap<String, Given>, String> {
    let Some(written) = written else { return Ok(BTreeMap::new()) };
    match parse_value(written.get()) {
        Ok(Value::Object(fields)) => Ok(fields.into_iter().map(|(name, value)| (name, Given::of(value))).collect()),
        Ok(_) => Err("it is an object, such as {\"limit\": 5}".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), String> {
    if labels.len() > LABELS_MAX {
        return Err(format!("at most {LABELS_MAX} labels"));
    }
    for (name, value) in labels {
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte));
        let is_value = !value.contains(char::is_control);
        if !is_name || !is_value || name.len() + value.len() > LABEL_BYTES_MAX {
            return Err(format!(
                "a name of letters, digits, `_`, `.`, `-` and `/`, and a value of one line, of at most {LABEL_BYTES_MAX} bytes together"
            ));
        }
    }
    Ok(())
}

/// The name of a template or a tool, in the one form that the description of the API has.
fn target(text: &str) -> Result<TargetName, String> {
    let name: TargetName = text.parse().map_err(|error: TargetNameError| error.to_string())?;
    if name.as_str() == text { Ok(name) } else { Err(format!("write it as `{name}`")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_is_an_intent_or_a_script() {
        let request = JobRequest::parse(
            r#"{"intent": "list errors", "params": {"limit": "5"}, "limits": {"fuel": 10000000}, "priority": -3, "delay_s": 7, "ttl_s": 60,
                "attempts": 1, "labels": {"team": "web"}, "allow_writes": true}"#,
        )
        .expect("a request");
        let Work::Intent(intent) = &request.work else { panic!("{request:?}") };
        assert_eq!(
            (intent.text.as_str(), intent.params["limit"].clone()),
            ("list errors", Given::Text("5".to_owned()))
        );
        assert_eq!(intent.settings.limits, [("fuel".to_owned(), 10_000_000)]);
        assert_eq!(
            (request.priority, request.when, request.ttl_s, request.attempts),
            (-3, When::After(7), Some(60), 1)
        );
        let request = JobRequest::parse(r#"{"code": "1 + 1", "input": [1], "run_at": "2026-11-24T08:00:00+01:00"}"#);
        let request = request.expect("a request");
        let Work::Code(code) = &request.work else { panic!("{request:?}") };
        assert_eq!((code.source.as_slice(), code.params.as_str()), (&b"1 + 1"[..], "[1]"));
        assert_eq!((request.when, request.attempts), (When::At(1_795_503_600_000), ATTEMPTS));
    }

    #[test]
    fn a_backslash_before_letters_is_no_nul() {
        let request = JobRequest::parse(r#"{"code": "len('a\\u0000b')"}"#).expect("a request");
        let Work::Code(code) = &request.work else { panic!("{request:?}") };
        assert_eq!(code.source, br"len('a\u0000b')");
    }

    #[test]
    fn what_is_null_is_absent() {
        let request = JobRequest::parse(
            r#"{"intent": null, "code": "1", "input": null, "limits": null, "priority": null, "labels": null, "attempts": null, "ttl_s": null}"#,
        );
        let Work::Code(code) = request.expect("a request").work else { panic!("a script") };
        assert_eq!(code.params, "{}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_field() {
        let long = format!(r#"{{"intent": "{}"}}"#, "x".repeat(INTENT_BYTES_MAX + 1));
        let label = format!(r#"{{"code": "1", "labels": {{"a": "{}"}}}}"#, "x".repeat(LABEL_BYTES_MAX));
        for (text, field) in [
            ("{}", "intent"),
            (r#"{"intent": " "}"#, "intent"),
            (&long, "intent"),
            (r#"{"intent": "a", "code": "1"}"#, "code"),
            (r#"{"intent": "a", "input": 1}"#, "input"),
            (r#"{"code": "1", "params": {}}"#, "params"),
            (r#"{"code": "1", "template": "a/b"}"#, "template"),
            (r#"{"intent": "a", "template": "a b"}"#, "template"),
            (r#"{"intent": "a", "params": 5}"#, "params"),
            (r#"{"code": "1", "priority": 101}"#, "priority"),
            (r#"{"code": "1", "delay_s": 1, "run_at": "2026-11-24T08:00:00Z"}"#, "run_at"),
            (r#"{"code": "1", "run_at": "tomorrow"}"#, "run_at"),
            (r#"{"code": "1", "run_at": "9999-01-01T00:00:00Z"}"#, "run_at"),
            (r#"{"code": "1", "delay_s": 2592001}"#, "delay_s"),
            (r#"{"code": "1", "ttl_s": 0}"#, "ttl_s"),
            (r#"{"code": "1", "attempts": 0}"#, "attempts"),
            (r#"{"code": "1", "attempts": 11}"#, "attempts"),
            (&label, "labels"),
            (r#"{"code": "1", "labels": {"a b": "c"}}"#, "labels"),
            (r#"{"code": "1", "labels": {"a": "b\nc"}}"#, "labels"),
            (r#"{"code": "1", "colour": 5}"#, "colour"),
            (r#"{"code": "1", "priority": "high"}"#, "priority"),
            (r#"{"code": "1", "limits": {"fuel": -1}}"#, "limits.fuel"),
            (r#"{"code": "1", "labels": {"a": [1]}}"#, "labels.a"),
            (r#"{"code": "a\u0000"}"#, ""),
            (r#"{"code": "a\\\u0000"}"#, ""),
            ("5", ""),
            ("", ""),
        ] {
            assert_eq!(JobRequest::parse(text).expect_err(text).field, field, "{text}");
        }
    }

    #[test]
    fn the_same_request_has_the_same_digest_however_it_is_written() {
        let first = digest(r#"{"code": "1", "labels": {"a": "b", "c": "d"}}"#);
        assert_eq!(digest(r#"{"labels":{"c":"d","a":"b"},"code":"1"}"#), first);
        assert_ne!(digest(r#"{"labels":{"c":"d","a":"b"},"code":"2"}"#), first);
    }

    proptest! {
        #[test]
        fn any_text_is_a_request_or_not(text in ".{0,200}") {
            let _ = JobRequest::parse(&text);
            let _ = JobRequest::parse(&format!(r#"{{"code":{text}}}"#));
        }
    }
}
