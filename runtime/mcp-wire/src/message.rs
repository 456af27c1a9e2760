//! Inspects the bytes of a message before the SDK parses it. **This file is a boundary.**
//!
//! Invariant: the SDK parses at most [`NODES_MAX`] values and keys in at most [`ENVELOPE_BYTES_MAX`] bytes, and no key
//! that the JSON library reserves.
//!
//! The SDK parses a message into trees of values, some of it once for every method that it knows. Each value takes up
//! to five microseconds and several times 300 bytes: 4 MiB of nested lists took eight seconds and over a gigabyte. So
//! every part of a message is bounded, except the arguments of a call, which may be large. They are checked here
//! without building anything, and kept as text: each tool parses its own.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_catalog::json::Counter;
use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio_util::bytes::Bytes;

/// The most values and keys of a message without the arguments of a call. A description of a client, a call or an
/// answer has a few dozen; at five microseconds each this many take ten milliseconds.
pub const NODES_MAX: usize = 2_048;

/// The most bytes of a message without the arguments of a call. The sealed state of a question is the longest part of
/// it: it holds the arguments of an intent up to four times, of at most 64 KiB.
pub const ENVELOPE_BYTES_MAX: usize = 512 << 10;

/// How much of an invalid id an error repeats.
const ID_SHOWN_CHARS_MAX: usize = 60;

/// A message that the SDK may parse.
#[derive(Debug)]
pub struct Message {
    /// The text for the SDK. An empty object replaces the arguments of a call that exceed its bounds.
    pub text: Bytes,
    /// The values and keys of all of it, without the arguments of a call.
    pub nodes: usize,
    /// Its method.
    pub method: Method,
    /// Its id, if it has one that can be answered.
    pub id: Option<RequestId>,
    /// The arguments, if it is a call with some.
    pub arguments: Option<Arguments>,
}

/// The method of a message, as far as it matters before parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// It opens a session.
    Initialize,
    /// It calls a tool.
    Call,
    /// Anything else.
    Other,
    /// It names no method: an answer.
    Absent,
}

/// The arguments of a call: JSON text, until somebody takes it.
///
/// They travel beside the message, so that no message can forge them: a call of these tools has the arguments that were
/// checked here, and no others.
#[derive(Debug, Clone)]
pub struct Arguments(Arc<Mutex<Bytes>>);

impl Arguments {
    fn new(text: Bytes) -> Self {
        Self(Arc::new(Mutex::new(text)))
    }

    /// Takes the text and leaves an empty one, so that it is not kept until a run ends.
    #[must_use]
    pub fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Why a message is rejected.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not JSON.
    #[error("the message is not valid JSON: {0}")]
    Unreadable(String),
    /// It is JSON and no message, exceeds a bound, or has an invalid part.
    #[error("{why}")]
    Refused {
        /// The id to answer, if it is known.
        id: Option<RequestId>,
        /// Why.
        why: String,
    },
}

/// Inspects a message, in time and memory proportional to its bytes.
///
/// # Errors
/// Why it is rejected.
pub fn read(bytes: &Bytes) -> Result<Message, Fault> {
    let bytes = bytes.slice_ref(bytes.trim_ascii());
    if !bytes.starts_with(b"{") {
        return Err(no_object(&bytes));
    }
    let mut counter = Counter::up_to(NODES_MAX);
    let mut fields = [None; 3];
    let read = look_into(&bytes, &["method", "id", "params"], &mut fields, &mut counter);
    let [method, sent_id, params] = fields;
    let id = sent_id.and_then(id_of);
    let refused = |id: Option<RequestId>, why: String| Err(Fault::Refused { id, why });
    let too_many = || format!("a message has at most {NODES_MAX} values and keys besides the arguments of a call");
    if counter.is_over() {
        return refused(id, too_many());
    }
    match read {
        // JSON as far as it was read: a key is there twice.
        Err(error) if error.is_data() => {
            return refused(id, format!("the message is not valid JSON-RPC: {}", without_place(&error)));
        }
        Err(error) => return Err(Fault::Unreadable(error.to_string())),
        Ok(()) => {}
    }
    if let (Some(_), Some(sent), None) = (method, sent_id, &id) {
        let shown: String = sent.get().chars().take(ID_SHOWN_CHARS_MAX).collect();
        let why = format!("`id` must be a string or a whole number of 64 bits with a sign, and is {shown}");
        return refused(None, why);
    }
    let about = method.map_or(Method::Absent, method_of);
    let mut arguments = [None];
    let mut inside = Counter::up_to(usize::MAX);
    let mut look = || -> Result<(), serde_json::Error> {
        // The id is read into the answer, and the method into the trees.
        for small in [method, sent_id].into_iter().flatten() {
            counter.count(small.get())?;
        }
        match params.map(RawValue::get) {
            Some(object) if about == Method::Call && object.starts_with('{') => {
                look_into(object.as_bytes(), &["arguments"], &mut arguments, &mut counter)?;
            }
            Some(other) => counter.count(other)?,
            None => {}
        }
        arguments[0].map_or(Ok(()), |arguments| inside.count(arguments.get()))
    };
    let looked = look();
    if counter.is_over() {
        return refused(id, too_many());
    }
    if let Err(error) = looked {
        return refused(id, format!("the message is not valid JSON-RPC: {error}"));
    }
    if counter.has_reserved_key() || inside.has_reserved_key() {
        return refused(id, "a message must not hold the key `$serde_json::private::…`".to_owned());
    }
    let arguments = arguments[0].map(|arguments| bytes.slice_ref(arguments.get().as_bytes()));
    let is_large = counter.nodes() + inside.nodes() > NODES_MAX || bytes.len() > ENVELOPE_BYTES_MAX;
    let text = match &arguments {
        Some(arguments) if is_large => without(&bytes, arguments),
        _ => bytes,
    };
    if text.len() > ENVELOPE_BYTES_MAX {
        return refused(
            id,
            format!("a message has at most {ENVELOPE_BYTES_MAX} bytes besides the arguments of a call"),
        );
    }
    let arguments = arguments.map(Arguments::new);
    Ok(Message { text, nodes: counter.nodes(), method: about, id, arguments })
}

/// Why a text that does not begin as an object is no message. Counting ends early: what is behind that is not read.
fn no_object(bytes: &[u8]) -> Fault {
    let Ok(text) = std::str::from_utf8(bytes) else { return Fault::Unreadable("it is not UTF-8".to_owned()) };
    let mut counter = Counter::up_to(NODES_MAX);
    match counter.count(text) {
        Err(error) if !counter.is_over() => Fault::Unreadable(error.to_string()),
        _ if text.starts_with('[') => {
            let why = "a message must be one JSON object, and is an array: batches are not supported";
            Fault::Refused { id: None, why: why.to_owned() }
        }
        _ => Fault::Refused { id: None, why: "a message must be a JSON object".to_owned() },
    }
}

/// The id of a request. A list or an object is not an id, and is not parsed.
fn id_of(json: &RawValue) -> Option<RequestId> {
    let is_plain = json.get().starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
    is_plain.then(|| serde_json::from_str::<RequestId>(json.get()).ok()).flatten()
}

fn method_of(json: &RawValue) -> Method {
    match serde_json::from_str::<Name<'_>>(json.get()) {
        Ok(Name(name)) if name == "initialize" => Method::Initialize,
        Ok(Name(name)) if name == "tools/call" => Method::Call,
        _ => Method::Other,
    }
}

/// The error without its line and column, which mean nothing to whoever did not write the text by hand.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match told.strip_suffix(place.as_str()) {
        Some(words) => words.to_owned(),
        None => told,
    }
}

/// The message with an empty object in the place of its arguments, which are a part of it.
fn without(bytes: &Bytes, arguments: &Bytes) -> Bytes {
    let start = arguments.as_ptr().addr() - bytes.as_ptr().addr();
    let (before, after) = (&bytes[..start], &bytes[start + arguments.len()..]);
    Bytes::from([before, b"{}", after].concat())
}

/// Finds fields of an object and leaves them as they are; counts everything else.
fn look_into<'de>(
    json: &'de [u8],
    names: &'static [&'static str],
    found: &mut [Option<&'de RawValue>],
    counter: &mut Counter,
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    reader.deserialize_map(Fields { names, found, counter })?;
    reader.end()
}

struct Fields<'f, 'de> {
    names: &'static [&'static str],
    found: &'f mut [Option<&'de RawValue>],
    counter: &'f mut Counter,
}

/// A key or a method, without its escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for Fields<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Fields { names, found, counter } = self;
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            counter.key::<A::Error>(&key)?;
            let Some(at) = names.iter().position(|name| **name == *key) else {
                map.next_value_seed(&mut *counter)?;
                continue;
            };
            // Of two, one reader takes the first and another the last.
            if found[at].replace(map.next_value::<&'de RawValue>()?).is_some() {
                // Neither is the one to answer.
                found[at] = None;
                return Err(A::Error::duplicate_field(names[at]));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Message, Fault> {
        read(&Bytes::copy_from_slice(text.as_bytes()))
    }

    /// What the SDK and the tool get to parse, or why neither does.
    fn told(text: &str) -> (String, String) {
        match of(text) {
            Ok(Message { text, arguments, .. }) => {
                let arguments = arguments.map(|arguments| arguments.take()).unwrap_or_default();
                let shown = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).expect("it is text");
                (shown(&text), shown(&arguments))
            }
            Err(fault) => (format!("{fault:?}"), String::new()),
        }
    }

    fn call(arguments: &str) -> String {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{{\"name\":\"a\",\"arguments\":{arguments}}}}}"
        )
    }

    fn refused(why: &str) -> Fault {
        Fault::Refused { id: Some(RequestId::Number(7)), why: why.to_owned() }
    }

    const TOO_MANY: &str = "a message has at most 2048 values and keys besides the arguments of a call";

    #[test]
    fn c10_arguments_are_as_large_as_they_come_and_the_sdk_reads_small_ones_alone() {
        let small = call("{\"code\": \"1\", \"params\": {\"a\": [1, 2]}}");
        assert_eq!(told(&small), (small.clone(), "{\"code\": \"1\", \"params\": {\"a\": [1, 2]}}".to_owned()));
        for large in [
            format!("{{\"params\":[{}0]}}", "0,".repeat(NODES_MAX)),
            format!("{{\"code\":\"{}\"}}", "x".repeat(ENVELOPE_BYTES_MAX)),
            format!("[{}[]]", "[[]],".repeat(NODES_MAX)),
        ] {
            assert_eq!(told(&call(&large)), (call("{}"), large));
        }
        // What a message says that stands for arguments is an argument.
        let forged = call("{}").replace("\"name\":\"a\"", "\"name\":\"a\",\"Arguments\":[1]");
        assert_eq!(told(&forged), (forged.clone(), "{}".to_owned()));
    }

    #[test]
    fn c10_everything_else_is_counted_wherever_it_stands() {
        let many = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        let keys: Vec<String> = (0..NODES_MAX / 2).map(|at| format!("\"k{at}\":0")).collect();
        let nested = format!("[{}]", vec!["[[[[0]]]]"; NODES_MAX / 5].join(","));
        for message in [
            format!("{{\"id\":7,\"method\":\"x/y\",\"params\":{}}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"params\":{},\"method\":\"tools/list\"}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"params\":{{\"arguments\":{}}},\"method\":\"prompts/get\"}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"params\":{},\"method\":\"tools/call\"}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"method\":{}}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"result\":{}}}", many(NODES_MAX)),
            format!("{{\"id\":7,\"nobody\":{nested}}}"),
            format!("{{\"id\":7,\"result\":{{{}}}}}", keys.join(",")),
            call("{}").replace("\"name\":\"a\"", &format!("\"name\":{}", many(NODES_MAX))),
            call("{}").replace("\"name\":\"a\"", &format!("\"_meta\":{{\"a\":{}}}", many(NODES_MAX))),
        ] {
            assert_eq!(of(&message).map(|_| ()), Err(refused(TOO_MANY)), "{}", &message[..60]);
        }
        // Three keys, and the values of two of them; the list, and what is in it.
        let last = |count| format!("{{\"id\":7,\"method\":\"x\",\"params\":{}}}", many(count));
        assert_eq!(of(&last(NODES_MAX - 6)).map(|message| message.nodes), Ok(NODES_MAX));
        assert_eq!(of(&last(NODES_MAX - 5)).map(|_| ()), Err(refused(TOO_MANY)));
        let long = |length| format!("{{\"id\":7,\"method\":\"{}\"}}", "x".repeat(length));
        let rest = long(0).len();
        assert!(of(&long(ENVELOPE_BYTES_MAX - rest)).is_ok());
        let too_long = "a message has at most 524288 bytes besides the arguments of a call";
        assert_eq!(of(&long(ENVELOPE_BYTES_MAX - rest + 1)).map(|_| ()), Err(refused(too_long)));
        // Blanks around a message are none of it.
        assert!(of(&format!("  {}{}", call("{}"), " ".repeat(ENVELOPE_BYTES_MAX))).is_ok());
    }

    #[test]
    fn what_a_message_is_about_is_read_however_it_is_written() {
        for (text, method, id) in [
            (r#"{"method":"initialize","id":1}"#, Method::Initialize, Some(RequestId::Number(1))),
            (r#"{"id":"a","m\u0065thod":"initi\u0061lize"}"#, Method::Initialize, Some(RequestId::String("a".into()))),
            (r#"{"method":"tools/call"}"#, Method::Call, None),
            (r#"{"id":1.0,"method":5}"#, Method::Other, Some(RequestId::Number(1))),
            (r#"{"id":null,"error":{}}"#, Method::Absent, None),
            (r#"{"id":3,"result":{}}"#, Method::Absent, Some(RequestId::Number(3))),
            ("{}", Method::Absent, None),
        ] {
            let message = of(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            assert_eq!((message.method, message.id), (method, id), "{text}");
        }
    }

    #[test]
    fn c03_what_two_readers_could_read_differently_is_not_handed_on() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for text in [
            "",
            "[1,",
            "no JSON",
            "{garbage",
            "{} {}",
            "{\"method\":\"pi\0ng\"}",
            &deep(100_000),
            &format!("{{\"a\":{}}}", deep(128)),
        ] {
            assert!(matches!(of(text), Err(Fault::Unreadable(_))), "{text:.60}: {:?}", of(text));
        }
        let duplicate = "the message is not valid JSON-RPC: duplicate field";
        let no_id = "`id` must be a string or a whole number of 64 bits with a sign, and is";
        for (text, id, why) in [
            ("null", None, "a message must be a JSON object".to_owned()),
            ("5", None, "a message must be a JSON object".to_owned()),
            ("[]", None, "a message must be one JSON object, and is an array: batches are not supported".to_owned()),
            (r#"{"id":1,"id":2}"#, None, format!("{duplicate} `id`")),
            (r#"{"id":7,"method":"a","m\u0065thod":"b"}"#, Some(7), format!("{duplicate} `method`")),
            (r#"{"params":{},"params":{}}"#, None, format!("{duplicate} `params`")),
            (r#"{"id":null,"method":"ping"}"#, None, format!("{no_id} null")),
            (r#"{"id":[1],"method":"ping"}"#, None, format!("{no_id} [1]")),
            (r#"{"id":1.5,"method":"ping"}"#, None, format!("{no_id} 1.5")),
            (r#"{"id":18446744073709551615,"method":"ping"}"#, None, format!("{no_id} 18446744073709551615")),
        ] {
            let fault = of(text).map(|_| ()).expect_err(text);
            assert_eq!(fault, Fault::Refused { id: id.map(RequestId::Number), why }, "{text}");
        }
        // What is behind the bound is not read, whether it is JSON or not.
        let batch = format!("[{}", "0,".repeat(NODES_MAX));
        assert!(matches!(of(&batch), Err(Fault::Refused { id: None, .. })));
        for arguments in [
            "{},\"arguments\":{}",
            r#"{},"argum\u0065nts":{}"#,
            r#"{"a":1e999}"#,
            r#"{"a":"\ud800"}"#,
            &deep(128),
            r#"{"a":{"$serde_json::private::RawValue":"5"}}"#,
            r#"{},"_meta":{"\u0024serde_json::private::RawValue":"5"}"#,
        ] {
            let fault = of(&call(arguments)).map(|_| ()).expect_err(arguments);
            assert!(
                matches!(fault, Fault::Refused { id: Some(RequestId::Number(7)), .. }),
                "{arguments:.60}: {fault:?}"
            );
        }
        assert!(of(&call(&deep(127))).is_ok());
        // Bytes that are no text are nowhere let through.
        for text in [b"{\"id\":7,\"params\":\"\xff\"}".as_slice(), b"{\"id\":7,\"\xff\":1}", b"{\"method\":\"\xff\"}"] {
            assert!(read(&Bytes::copy_from_slice(text)).is_err(), "{text:?}");
        }
    }
}
