//! Compromised guests: small modules that call the imports in ways that the real guest never does.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use intentbox_abi::{
    CALL_BYTES_MAX, Call, Cause, Ended as Said, HEADERS_MAX, HttpRequest, Raised, ResultMeasure, decode, encode,
};
use intentbox_verdict::answer::{HINT_BYTES_MAX, MESSAGE_BYTES_MAX, NAME_BYTES_MAX, TRACEBACK_BYTES_MAX};
use intentbox_verdict::{Ended, Ending, Exception, Exhausted, Limits, Resource};
use proptest::prelude::*;
use wasmtime::{Engine, Linker, Module};

use super::link;
use crate::budget::{Budget, Capacity};
use crate::calls::{Answer, Calls, NoCalls, Pending};
use crate::job::Job;
use crate::run::{self, Failed};
use crate::script::Script;
use crate::shares::Sharing;
use crate::tuning;

const PAGES: u32 = 64;

/// Where memory ends.
const END: u32 = PAGES << 16;

/// Where the start message goes, where the answer lies, what a call sends, and where its reply goes.
const START_AT: u32 = 0x1000;
const ANSWER_AT: u32 = 0x4000;
const MESSAGE_AT: u32 = 0x8000;
const REPLY_AT: u32 = 0x7000;

/// What the host answers to every request.
const REPLY: &[u8] = b"ANSWER";

/// How a run ends when its guest was not stopped.
const ANSWERED: &str = "Returned(RawValue(1))";

const OUTSIDE: &str = "a message outside the guest's memory";
const NO_MESSAGE: &str = "a host call that is no message of the protocol";

const IMPORTS: &str = r#"
    (import "intentbox" "call" (func $call (param i32 i32) (result i64)))
    (import "intentbox" "take" (func $take (param i32 i32)))
    (import "intentbox" "print" (func $print (param i32 i32 i32)))
    (import "intentbox" "pause" (func $pause (param i64)))
    (import "intentbox" "out_of_memory" (func $out_of_memory (param i64)))
    (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
"#;

struct AnswersEverything;

impl Calls for AnswersEverything {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        match decode::<Call<'_>>(&message) {
            Ok(Call::Http(_)) => Box::pin(async { Some(Answer::Reply(REPLY.to_vec())) }),
            _ => NoCalls.call(message),
        }
    }
}

/// A guest that does `body`.
struct Guest<'a> {
    body: &'a str,
    /// What it finds at [`MESSAGE_AT`].
    message: &'a [u8],
    /// What it finds at [`ANSWER_AT`].
    answer: Vec<u8>,
    /// What its `run` gives: where the answer lies and how long it is.
    says: Option<(u32, u32)>,
    limits: Limits,
}

impl Default for Guest<'_> {
    fn default() -> Self {
        let answer = encode(&Said::Returned { result: "1" });
        Guest { body: "", message: b"", answer, says: None, limits: Limits::default() }
    }
}

impl Guest<'_> {
    fn run(&self) -> Ended {
        run_text(&self.text(), self.limits).expect("whatever a guest does is an ending")
    }

    /// How the run ends, as words that say all of it.
    fn ends(&self) -> String {
        format!("{:?}", self.run().ending)
    }

    fn text(&self) -> String {
        let length = u32::try_from(self.answer.len()).expect("it fits the guest");
        let (at, length) = self.says.unwrap_or((ANSWER_AT, length));
        format!(
            "(module {IMPORTS}
                (memory (export \"memory\") {PAGES})
                (data (i32.const {MESSAGE_AT}) \"{}\")
                (data (i32.const {ANSWER_AT}) \"{}\")
                (func (export \"prepare\") (param i32) (result i32) (i32.const {START_AT}))
                (func (export \"run\") (param i32) (result i64) {} (i64.const {})))",
            literal(self.message),
            literal(&self.answer),
            self.body,
            u64::from(at) << 32 | u64::from(length)
        )
    }
}

/// Bytes as a text of WebAssembly.
fn literal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "\\{byte:02x}");
        }
    }
    text
}

/// Runs the module in a fresh instance, as the product does but for the pool.
fn run_text(module: &str, limits: Limits) -> Result<Ended, Failed> {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(&tuning::config()).expect("an engine"));
    let module = Module::new(&ENGINE, wat::parse_str(module).expect("it is wat")).expect("it is valid");
    let mut linker = Linker::new(&ENGINE);
    link(&mut linker).expect("the imports are bound");
    let pre = linker.instantiate_pre(&module).expect("it imports what there is");
    let capacity = Capacity { runs: 1, memory_bytes: 1 << 30, wait_max: Duration::ZERO, sharing: Sharing::Whole };
    let script = Script::of_parent("script.py", "", None);
    let job = Job { limits, ..Job::new(&script, "{}") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let calls = Arc::new(AnswersEverything);
    let finished = runtime.block_on(run::run(&pre, &Arc::new(Budget::new(capacity, Sharing::Whole, None)), job, calls));
    finished.map(|finished| finished.check(&limits))
}

/// How a guest with `body` ends that finds `message`.
fn ends(message: &[u8], body: &str) -> String {
    Guest { body, message, ..Guest::default() }.ends()
}

fn crashed(reason: &str) -> String {
    format!("{:?}", Ending::Crashed { reason: reason.to_owned() })
}

fn exhausted(resource: Resource, limit: u64, observed: u64) -> String {
    format!("{:?}", Ending::Exhausted(Exhausted { resource, limit, observed }))
}

fn request<'a>(url: &'a str, headers: &[(&'a str, &'a str)], body: &'a [u8]) -> Vec<u8> {
    let (headers, body) = (headers.to_vec(), Some(body));
    encode(&Call::Http(HttpRequest { method: "GET", url, headers, body, timeout_ms: Some(5) }))
}

fn message() -> Vec<u8> {
    request("demo:/", &[("a", "b")], b"x")
}

fn call(at: u32, length: u32) -> String {
    format!("(drop (call $call (i32.const {at}) (i32.const {length})))")
}

/// Calls with all of the message, which has `length` bytes.
fn call_with(message: &[u8]) -> String {
    call(MESSAGE_AT, u32::try_from(message.len()).expect("it fits the guest"))
}

fn take(handle: u32, into: u32) -> String {
    format!("(call $take (i32.const {handle}) (i32.const {into}))")
}

fn print(stream: u32, at: u32, length: u32) -> String {
    format!("(call $print (i32.const {stream}) (i32.const {at}) (i32.const {length}))")
}

/// Fills memory with dots.
fn dots(at: u32, length: u32) -> String {
    format!("(memory.fill (i32.const {at}) (i32.const 46) (i32.const {length}))")
}

#[test]
fn e14_a_call_is_read_only_where_there_is_memory() {
    let message = message();
    let length = u32::try_from(message.len()).expect("it is short");
    let to_the_end = format!(
        "(memory.copy (i32.const {}) (i32.const {MESSAGE_AT}) (i32.const {length})) {}",
        END - length,
        call(END - length, length)
    );
    assert_eq!(ends(&message, &to_the_end), ANSWERED);
    let limit = CALL_BYTES_MAX as u64;
    let too_long = |observed: u32| exhausted(Resource::HttpBytesUp, limit, observed.into());
    for (at, length, expected) in [
        (0, 0, crashed(NO_MESSAGE)),
        (END, 0, crashed(NO_MESSAGE)),
        (END - 1, 1, crashed(NO_MESSAGE)),
        (END - 1, 2, crashed(OUTSIDE)),
        (END, 1, crashed(OUTSIDE)),
        (END + 1, 0, crashed(OUTSIDE)),
        (u32::MAX, 0, crashed(OUTSIDE)),
        (u32::MAX, 1, crashed(OUTSIDE)),
        (u32::MAX, 1 << 20, crashed(OUTSIDE)),
        (0x8000_0000, 1 << 20, crashed(OUTSIDE)),
        (0, u32::MAX, too_long(u32::MAX)),
        (u32::MAX, u32::MAX, too_long(u32::MAX)),
        (0, END, too_long(END)),
    ] {
        assert_eq!(ends(&message, &call(at, length)), expected, "call({at}, {length})");
    }
}

#[test]
fn e14_the_longest_message_is_answered_and_one_byte_more_ends_the_run() {
    let zeros = vec![0; CALL_BYTES_MAX];
    // Besides the body, and the timeout that is not there below.
    let around = request("demo:/", &[], &zeros[..2_000_000]).len() - 2_000_000;
    for (bytes, expected) in [
        (CALL_BYTES_MAX, ANSWERED.to_owned()),
        (CALL_BYTES_MAX + 1, exhausted(Resource::HttpBytesUp, CALL_BYTES_MAX as u64, CALL_BYTES_MAX as u64 + 1)),
    ] {
        let body = vec![0; bytes - around + 1];
        let mut message = encode(&Call::Http(HttpRequest {
            method: "GET",
            url: "demo:/",
            headers: Vec::new(),
            body: Some(body.as_slice()),
            timeout_ms: None,
        }));
        assert_eq!(message.len(), bytes);
        let body = call_with(&message);
        // The rest is zeros, and so is memory.
        message.truncate(64);
        assert_eq!(ends(&message, &body), expected, "{bytes} bytes");
    }
}

#[test]
fn e14_bytes_that_are_no_message_end_the_run() {
    let whole = message();
    assert_eq!(ends(&whole, &call_with(&whole)), ANSWERED);
    let mut broken: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
    broken.push([whole.as_slice(), &[0]].concat());
    for variant in [1, 2, 0x7f, 0xff] {
        broken.push([&[variant][..], &whole[1..]].concat());
    }
    // A method that claims more than there is, more than 32 bits, and one that is not UTF-8.
    broken.push(b"\x00\xff\xff\xff\xff\x0f".to_vec());
    broken.push(b"\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec());
    let mut not_text = whole.clone();
    not_text[2] = 0xff;
    broken.push(not_text);
    for message in broken {
        assert_eq!(ends(&message, &call_with(&message)), crashed(NO_MESSAGE), "{message:?}");
    }
}

#[test]
fn e14_the_last_header_allowed_and_the_first_refused() {
    for (count, expected) in [(HEADERS_MAX, ANSWERED.to_owned()), (HEADERS_MAX + 1, crashed(NO_MESSAGE))] {
        let message = request("demo:/", &vec![("", ""); count], b"");
        assert_eq!(ends(&message, &call_with(&message)), expected, "{count} headers");
    }
}

#[test]
fn e14_the_last_call_allowed_and_the_first_refused() {
    let message = message();
    let limits = Limits { host_calls: 2, ..Limits::default() };
    for (count, expected) in [(2, ANSWERED.to_owned()), (3, exhausted(Resource::HostCalls, 2, 3))] {
        let body = call_with(&message).repeat(count);
        let guest = Guest { message: &message, body: &body, limits, ..Guest::default() };
        assert_eq!(guest.ends(), expected, "{count} calls");
    }
}

#[test]
fn e14_only_the_answer_that_waits_can_be_taken() {
    let message = message();
    let call = call_with(&message);
    for (body, handle) in [
        (take(0, REPLY_AT), 0),
        (take(1, REPLY_AT), 1),
        (call.clone() + &take(0, REPLY_AT), 0),
        (call.clone() + &take(2, REPLY_AT), 2),
        (call.clone() + &take(u32::MAX, REPLY_AT), u32::MAX),
        (call.clone() + &take(1, REPLY_AT) + &take(1, REPLY_AT), 1),
        // A second call is the end of the first one's answer.
        (call.repeat(2) + &take(1, REPLY_AT), 1),
    ] {
        assert_eq!(ends(&message, &body), crashed(&format!("no answer {handle} is waiting")), "{body}");
    }
    assert_eq!(ends(&message, &(call.repeat(2) + &take(2, REPLY_AT))), ANSWERED);
}

#[test]
fn e14_an_answer_goes_where_there_is_room_and_nowhere_else() {
    let message = message();
    let length = u32::try_from(REPLY.len()).expect("it is short");
    let call = format!(
        "(if (i64.ne (call $call (i32.const {MESSAGE_AT}) (i32.const {})) (i64.const {})) (then unreachable))",
        message.len(),
        1_u64 << 32 | u64::from(length)
    );
    let around = |start: u32, count: u32, into: u32| {
        let body = dots(start, count) + &call + &take(1, into) + &print(1, start, count);
        let ended = Guest { message: &message, body: &body, ..Guest::default() }.run();
        assert_eq!(format!("{:?}", ended.ending), ANSWERED, "take(1, {into})");
        ended.stdout.text
    };
    assert_eq!(around(REPLY_AT, 24, REPLY_AT + 8), "........ANSWER..........");
    assert_eq!(around(0, 16, 0), "ANSWER..........");
    assert_eq!(around(END - 16, 16, END - length), "..........ANSWER");
    for into in [END - length + 1, END - 1, END, u32::MAX - length, u32::MAX] {
        assert_eq!(ends(&message, &(call.clone() + &take(1, into))), crashed(OUTSIDE), "take(1, {into})");
    }
    // The message may lie where the answer goes: it was copied before it was answered.
    let onto_itself = call + &take(1, MESSAGE_AT) + &print(2, MESSAGE_AT, length);
    let ended = Guest { message: &message, body: &onto_itself, ..Guest::default() }.run();
    assert_eq!(ended.stderr.text, "ANSWER");
}

#[test]
fn e14_print_knows_two_streams_and_the_guests_memory() {
    for stream in [0, 3, u32::MAX] {
        assert_eq!(ends(b"", &print(stream, 0, 1)), crashed(&format!("there is no stream {stream}")));
    }
    for (at, length, expected) in [
        (0, 0, ANSWERED.to_owned()),
        (END, 0, ANSWERED.to_owned()),
        (END - 1, 1, ANSWERED.to_owned()),
        (END - 1, 2, crashed(OUTSIDE)),
        (END, 1, crashed(OUTSIDE)),
        (u32::MAX, 1, crashed(OUTSIDE)),
        (0, u32::MAX, crashed(OUTSIDE)),
        (u32::MAX, u32::MAX, crashed(OUTSIDE)),
        (0, END, exhausted(Resource::StdoutBytes, 1 << 20, END.into())),
    ] {
        assert_eq!(ends(b"", &print(1, at, length)), expected, "print(1, {at}, {length})");
    }
}

#[test]
fn e14_a_stream_keeps_what_fits() {
    let limits = Limits { stdout_bytes: 4, stderr_bytes: 0, ..Limits::default() };
    let all = dots(0, 16) + &print(1, 0, 4) + &print(2, 0, 0);
    let ended = Guest { body: &all, limits, ..Guest::default() }.run();
    assert_eq!((format!("{:?}", ended.ending).as_str(), ended.stdout.text.as_str()), (ANSWERED, "...."));
    for (body, resource, limit, observed, kept) in [
        (print(1, 0, 3) + &print(1, 0, 2), Resource::StdoutBytes, 4, 5, "...."),
        (print(1, 0, END), Resource::StdoutBytes, 4, u64::from(END), "...."),
        (print(2, 0, 1), Resource::StderrBytes, 0, 1, ""),
    ] {
        let body = dots(0, 16) + &body;
        let ended = Guest { body: &body, limits, ..Guest::default() }.run();
        assert_eq!(format!("{:?}", ended.ending), exhausted(resource, limit, observed), "{body}");
        assert_eq!(ended.stdout.text, kept, "{body}");
        assert_eq!((ended.stdout.truncated, ended.stderr.truncated), (kept == "....", kept.is_empty()), "{body}");
    }
}

#[test]
fn e14_a_pause_of_all_time_ends_by_the_deadline() {
    let limits = Limits { wall_ms: 50, ..Limits::default() };
    for nanoseconds in [u64::MAX, u64::MAX / 2, i64::MAX.unsigned_abs(), 1 << 62, 3_600_000_000_000] {
        let body = format!("(call $pause (i64.const {nanoseconds}))");
        let ended = Guest { body: &body, limits, ..Guest::default() }.run();
        let Ending::Exhausted(Exhausted { resource: Resource::WallMs, limit: 50, observed }) = ended.ending else {
            panic!("a pause of {nanoseconds} ns: {:?}", ended.ending);
        };
        assert!((50..2_000).contains(&observed), "a pause of {nanoseconds} ns: {observed} ms");
    }
}

#[test]
fn e14_out_of_memory_is_a_limit_whatever_was_asked_for() {
    let limit = Limits::default().memory_bytes;
    for (asked, observed) in [(0, u64::from(END)), (1, u64::from(END) + 1), (u64::MAX, u64::MAX)] {
        let body = format!("(call $out_of_memory (i64.const {asked}))");
        assert_eq!(ends(b"", &body), exhausted(Resource::MemoryBytes, limit, observed), "{asked}");
    }
}

#[test]
fn e14_memory_over_the_limit_ends_the_run() {
    let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
    let over = |bytes: u64| exhausted(Resource::MemoryBytes, 64 << 20, bytes);
    let room = (64 << 4) - PAGES;
    for (pages, expected) in [
        (room, ANSWERED.to_owned()),
        (room + 1, over((64 << 20) + (1 << 16))),
        (u32::MAX, over((u64::from(u32::MAX) + u64::from(PAGES)) << 16)),
    ] {
        let body = format!("(drop (memory.grow (i32.const {pages})))");
        let guest = Guest { body: &body, limits, ..Guest::default() };
        assert_eq!(guest.ends(), expected, "{pages} pages");
    }
    let at_once = "(module (memory (export \"memory\") 5000)
        (func (export \"prepare\") (param i32) (result i32) (i32.const 0))
        (func (export \"run\") (param i32) (result i64) (i64.const 0)))";
    let ended = run_text(at_once, limits).expect("it is the run's own limit");
    assert_eq!(format!("{:?}", ended.ending), over(5_000 << 16));
}

#[test]
fn e14_random_bytes_fill_what_is_there_and_nothing_else() {
    let random = |at: u32, length: u32| format!("(drop (call $random_get (i32.const {at}) (i32.const {length})))");
    assert_eq!(ends(b"", &random(MESSAGE_AT, 1 << 20)), ANSWERED);
    for (at, length) in [(0, u32::MAX), (END - 1, 2), (END, 1), (u32::MAX, 1), (u32::MAX, u32::MAX)] {
        let told = ends(b"", &random(at, length));
        assert_eq!(told, crashed("a message outside the guest's memory"), "random_get({at}, {length})");
    }
    let body = dots(REPLY_AT, 24) + &random(REPLY_AT + 8, 8) + &print(1, REPLY_AT, 8) + &print(2, REPLY_AT + 16, 8);
    let ended = Guest { body: &body, ..Guest::default() }.run();
    assert_eq!((ended.stdout.text.as_str(), ended.stderr.text.as_str()), ("........", "........"));
}

#[test]
fn e14_an_answer_outside_memory_is_none() {
    let outside = crashed("an answer outside the guest's memory");
    let no_message = crashed("the answer is not a message");
    for (at, length, expected) in [
        (0, 0, &no_message),
        (END, 0, &no_message),
        (0, END, &no_message),
        (END - 1, 2, &outside),
        (END, 1, &outside),
        (END + 1, 0, &outside),
        (0, END + 1, &outside),
        (0, u32::MAX, &outside),
        (u32::MAX, 1, &outside),
        (u32::MAX, u32::MAX, &outside),
    ] {
        let guest = Guest { says: Some((at, length)), ..Guest::default() };
        assert_eq!(&guest.ends(), expected, "{length} bytes at {at}");
    }
}

#[test]
fn e14_a_forged_answer_is_strict_json_within_its_limits_or_none() {
    let limits = Limits { result_bytes: 16, result_depth: 3, ..Limits::default() };
    for (result, expected) in [
        ("\"12345678901234\"", "Returned(RawValue(\"12345678901234\"))".to_owned()),
        ("\"123456789012345\"", crashed("the answer is larger than its limit")),
        ("[[[1]]]", "Returned(RawValue([[[1]]]))".to_owned()),
        ("[[[[1]]]]", crashed("the answer is deeper than its limit")),
        ("NaN", crashed("the answer is not JSON")),
        ("Infinity", crashed("the answer is not JSON")),
        ("", crashed("the answer is not JSON")),
        ("1 2", crashed("the answer is not JSON")),
        ("[1,]", crashed("the answer is not JSON")),
        ("'a'", crashed("the answer is not JSON")),
        ("\0", crashed("the answer is not JSON")),
        ("\"\n\"", crashed("the answer is not JSON")),
        ("\"\\ud800\"", crashed("the answer contains an unpaired surrogate")),
    ] {
        let guest = Guest { answer: encode(&Said::Returned { result }), limits, ..Guest::default() };
        assert_eq!(guest.ends(), expected, "{result}");
    }
    for bytes in [&b"\x00\x02\xff\xff"[..], b"\x00\x05abc", b"\x05", b"\xff\xff\xff\xff\x0f", b"\x00\x011\x00"] {
        let guest = Guest { answer: bytes.to_vec(), ..Guest::default() };
        assert_eq!(guest.ends(), crashed("the answer is not a message"), "{bytes:?}");
    }
}

#[test]
fn e14_a_forged_limit_keeps_the_hosts_number() {
    for (measure, resource, limit) in
        [(ResultMeasure::Bytes, Resource::ResultBytes, 1 << 20), (ResultMeasure::Depth, Resource::ResultDepth, 64)]
    {
        let said = Said::ResultLimit { measure, limit: 0, observed: u64::MAX };
        let guest = Guest { answer: encode(&said), ..Guest::default() };
        assert_eq!(guest.ends(), exhausted(resource, limit, u64::MAX));
    }
}

#[test]
fn e14_forged_texts_of_megabytes_are_cut() {
    // Four of them fit into the memory of the guest.
    let long = "x".repeat(700 << 10);
    let raised = Raised { class: &long, message: &long, traceback: &long, hint: &long, cause: Cause::Refused };
    let small = |exception: &Exception| {
        assert!(exception.class.len() <= NAME_BYTES_MAX && exception.class.contains(" […] "));
        assert!(exception.message.len() <= MESSAGE_BYTES_MAX && exception.message.contains(" […] "));
        let traceback_bytes_max = TRACEBACK_BYTES_MAX as usize;
        assert!(exception.traceback.len() <= traceback_bytes_max && exception.traceback.contains(" […] "));
        assert!(exception.hint.len() <= HINT_BYTES_MAX && exception.hint.contains(" […] "));
        // Whether a call was refused is the engine's to know.
        assert_eq!(exception.cause, Cause::Refused);
    };
    let ending = |said: &Said<'_>| Guest { answer: encode(said), ..Guest::default() }.run().ending;
    match ending(&Said::Raised(raised.clone())) {
        Ending::Raised(exception) => small(&exception),
        other => panic!("{other:?}"),
    }
    match ending(&Said::SyntaxError(raised)) {
        Ending::SyntaxError(exception) => small(&exception),
        other => panic!("{other:?}"),
    }
    match ending(&Said::ResultInvalid { path: &long, reason: &long }) {
        Ending::ResultInvalid { path, reason } => {
            assert!(path.len() <= NAME_BYTES_MAX && path.contains(" […] "));
            assert!(reason.len() <= NAME_BYTES_MAX && reason.contains(" […] "));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn e14_a_module_that_is_no_guest_is_the_hosts_trouble() {
    let prepare = "(func (export \"prepare\") (param i32) (result i32) (i32.const 0))";
    let run = "(func (export \"run\") (param i32) (result i64) (i64.const 0))";
    let memory = "(memory (export \"memory\") 1)";
    for (what, parts) in [
        ("no memory", [prepare, run, ""]),
        ("no prepare", [memory, run, ""]),
        ("no run", [memory, prepare, ""]),
        ("a run of another type", [memory, prepare, "(func (export \"run\") (param i32) (result i32) (i32.const 0))"]),
        ("a memory that is none", [prepare, run, "(global (export \"memory\") i32 (i32.const 0))"]),
        ("a trap while it starts", [memory, prepare, "(func $start unreachable) (start $start)"]),
    ] {
        let started = run_text(&format!("(module {})", parts.concat()), Limits::default());
        assert!(matches!(started, Err(Failed::Host(_))), "{what}: {started:?}");
    }
}

#[test]
fn e14_what_goes_wrong_before_the_script_has_the_word_is_the_hosts_trouble() {
    let before = |body: &str| {
        let module = format!(
            "(module {IMPORTS}
                (memory (export \"memory\") 1)
                (func (export \"prepare\") (param i32) (result i32) {body})
                (func (export \"run\") (param i32) (result i64) (i64.const 0)))"
        );
        run_text(&module, Limits { wall_ms: 1_000, ..Limits::default() })
    };
    for body in [
        "unreachable",
        "(i32.const 65536)",
        "(i32.const -1)",
        "(i32.load (i32.const 65536))",
        "(call $proc_exit (i32.const 0)) (i32.const 0)",
        "(call $take (i32.const 1) (i32.const 0)) (i32.const 0)",
    ] {
        let ended = before(body);
        assert!(matches!(ended, Err(Failed::Host(_))), "{body}: {ended:?}");
    }
    // A limit is a limit at any time: `params` may be more than the memory holds.
    let ended = before("(call $out_of_memory (i64.const 9)) (i32.const 0)").expect("it is the run's own limit");
    assert!(matches!(ended.ending, Ending::Exhausted(Exhausted { resource: Resource::MemoryBytes, .. })), "{ended:?}");
}

#[test]
fn e14_traps_and_exits_of_the_script_are_endings() {
    let recursion = "(call $recurse)";
    let module = format!(
        "(module (memory (export \"memory\") 1)
            (func $recurse {recursion})
            (func (export \"prepare\") (param i32) (result i32) (i32.const 0))
            (func (export \"run\") (param i32) (result i64) {recursion} (i64.const 0)))"
    );
    let stack = tuning::WASM_STACK_BYTES as u64;
    let ended = run_text(&module, Limits::default()).expect("it is the script's doing");
    assert_eq!(format!("{:?}", ended.ending), exhausted(Resource::StackBytes, stack, stack));
    let limits = Limits { fuel: 10_000_000, ..Limits::default() };
    let ended = Guest { body: "(loop $again (br $again))", limits, ..Guest::default() }.run();
    assert_eq!(format!("{:?}", ended.ending), exhausted(Resource::Fuel, 10_000_000, 10_000_000));
    assert!(ends(b"", "unreachable").contains("unreachable"));
    assert!(ends(b"", "(call $proc_exit (i32.const -1))").contains("os._exit(-1) ended the interpreter"));
}

#[test]
fn a_fault_below_the_stack_is_an_exhausted_stack_and_another_one_a_crash() {
    let stack = tuning::WASM_STACK_BYTES as u64;
    let fault = |address: u32| {
        let body = format!("(i32.store8 (i32.const {address}) (i32.const 0))");
        Guest { body: &body, ..Guest::default() }.ends()
    };
    for address in [0xffff_0000, u32::MAX] {
        assert_eq!(fault(address), exhausted(Resource::StackBytes, stack, stack), "{address:#x}");
    }
    for address in [END, 0xfffe_ffff] {
        assert!(fault(address).contains("out of bounds memory access"), "{address:#x}");
    }
}

/// A number as an attacker chooses it: anything, and where something begins or ends.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        0..END,
        0_u32..4,
        END - 4..END + 4,
        u32::MAX - 4..u32::MAX,
        Just(MESSAGE_AT),
        Just(REPLY_AT),
        Just(u32::MAX),
    ]
}

/// One call of one import.
fn any_call() -> impl Strategy<Value = String> {
    let length = u32::try_from(message().len()).expect("it is short");
    let length = prop_oneof![number(), Just(length)];
    (0_u8..8, number(), length, number()).prop_map(|(import, at, length, other)| match import {
        0 | 1 => call(at, length),
        2 => take(other % 4, at),
        3 => take(other, at),
        4 => print(other % 4, at, length),
        5 => format!("(call $pause (i64.const {}))", u64::from(at) << 32 | u64::from(other)),
        6 => format!("(drop (call $random_get (i32.const {at}) (i32.const {length})))"),
        _ => format!("(drop (call $clock_time_get (i32.const {other}) (i64.const {length}) (i32.const {at})))"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn e14_any_calls_with_any_numbers_end_as_a_value(
        calls in proptest::collection::vec(any_call(), 1..8),
        says in proptest::option::of((number(), number())),
    ) {
        let limits = Limits { wall_ms: 20, fuel: 10_000_000, stdout_bytes: 64, stderr_bytes: 64, ..Limits::default() };
        let (body, message) = (call_with(&message()) + &calls.concat(), message());
        let ended = Guest { body: &body, message: &message, says, limits, ..Guest::default() }.run();
        prop_assert!(ended.stdout.text.len() <= 3 * 64 && ended.stderr.text.len() <= 3 * 64);
        prop_assert!(ended.spent.host_calls <= 8 && ended.spent.memory_bytes_peak == u64::from(END));
    }
}
