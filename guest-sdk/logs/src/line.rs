//! One line: its format, level and time, and its message, which is parsed only on demand.

use memchr::{memchr, memchr_iter};
use serde_json::Value;

use crate::json::{self, Members};
use crate::level::Level;
use crate::logfmt::{self, Pairs};
use crate::{ansi, journal, moment, program, proxy};

/// Words that are looked at for a level behind a time. Thread names such as `[http-nio-8080-exec-1]` are five.
const WORDS_MAX: usize = 10;

/// Bytes behind a time within which a level is looked for.
const LEVEL_BYTES_MAX: usize = 96;

/// Bytes before the time of an access log: an address, an identity and a user.
const CLIENT_BYTES_MAX: usize = 256;

/// Fields of a record that an answer shows.
const FIELDS_MAX: usize = 16;

/// Bytes of a field's value that an answer shows.
const FIELD_BYTES_MAX: usize = 512;

/// What a line is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Logfmt,
    Syslog,
    Access,
    /// A request of `HAProxy` behind a head of syslog.
    Proxy,
    /// An entry of the journal, as [`journal::Journal::write`] writes it.
    Journal,
    /// Text with a time or a level in front, or with neither.
    Plain,
}

/// What the start of a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) format: Format,
    pub(crate) level: Level,
    pub(crate) time_ms: Option<i64>,
    /// Whether the line is known to start a record. Others may belong to the one before.
    pub(crate) known: bool,
    /// Whether the line belongs to the record before it although it looks like one of its own.
    pub(crate) adds: bool,
    /// Where the message starts in text, and the request in an access log.
    pub(crate) at: usize,
}

impl Head {
    /// The head of no line.
    pub(crate) const NOTHING: Self =
        Self { format: Format::Plain, level: Level::Unknown, time_ms: None, known: false, adds: false, at: 0 };

    /// The head of a record of text, of which nothing is known.
    pub(crate) const KNOWN: Self = Self { known: true, ..Self::NOTHING };
}

/// What a line is read with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// Whether anybody asks for times. Reading them costs as much as finding the level.
    pub(crate) needs_time: bool,
    /// The clock, for times without a year.
    pub(crate) now_ms: Option<i64>,
    /// The time that the line is wrapped in. It counts when the line has none.
    pub(crate) outer_ms: Option<i64>,
}

/// What the field of a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Level,
    Time,
    Message,
    /// A message, unless there is a better one.
    Event,
    /// An object with a level in it, as ECS has it, or the text of a line, as Docker has it.
    Log,
    Other,
}

fn meaning(name: &[u8]) -> Meaning {
    match name {
        // `PRIORITY` and `__REALTIME_TIMESTAMP` are of the journal.
        b"level" | b"severity" | b"lvl" | b"log.level" | b"loglevel" | b"log_level" | b"levelname" | b"level_name"
        | b"severity_text" | b"severityText" | b"@level" | b"@l" | b"Level" | b"LEVEL" | b"PRIORITY" => Meaning::Level,
        b"time"
        | b"ts"
        | b"timestamp"
        | b"@timestamp"
        | b"@t"
        | b"datetime"
        | b"asctime"
        | b"Timestamp"
        | b"Time"
        | b"__REALTIME_TIMESTAMP" => Meaning::Time,
        b"msg" | b"message" | b"@message" | b"@m" | b"short_message" | b"body" | b"textPayload" | b"Message"
        | b"MESSAGE" => Meaning::Message,
        b"event" => Meaning::Event,
        b"log" => Meaning::Log,
        _ => Meaning::Other,
    }
}

/// Reads the start of a record. A line that shows none gives a head that is not `known`.
pub(crate) fn head(line: &[u8], context: Context) -> Head {
    let found = match line.first() {
        Some(b'{') => json(line, context),
        Some(b'[') if line.get(5) == Some(&b'.') => program::unreal(line).or_else(|| plain(line, context)),
        Some(b'<') => syslog(line, context).or_else(|| plain(line, context)),
        Some(b'0'..=b'9' | b':') => program::redis(line).or_else(|| plain(line, context)).or_else(|| access(line)),
        Some(byte) if byte.is_ascii_uppercase() => {
            let dated = glog(line, context).or_else(|| syslog_without_priority(line, context));
            dated.or_else(|| logfmt(line, context)).or_else(|| plain(line, context)).or_else(|| access(line))
        }
        Some(_) => logfmt(line, context).or_else(|| plain(line, context)).or_else(|| access(line)),
        None => None,
    };
    let mut head = found.unwrap_or_else(|| {
        // A panic never belongs to a record before it: nothing that logs writes one there.
        Head { level: opening(line), known: is_panic(line), ..Head::NOTHING }
    });
    head.time_ms = head.time_ms.or(context.outer_ms);
    head
}

fn json(line: &[u8], context: Context) -> Option<Head> {
    let (mut level, mut time_ms, mut known, mut inner) = (None, None, false, None);
    let mut members = Members::new(line);
    for member in members.by_ref() {
        let value = json::inside(member.value);
        match meaning(member.name) {
            Meaning::Level => {
                level = level.or_else(|| level_of(value));
                known = true;
            }
            Meaning::Time => {
                if context.needs_time && time_ms.is_none() {
                    time_ms = moment::of_value(value);
                }
                known = true;
            }
            Meaning::Message | Meaning::Event => known = true,
            Meaning::Log if member.value.first() == Some(&b'{') => {
                let nested = Members::new(member.value).find(|member| member.name == b"level");
                level = level.or_else(|| nested.and_then(|member| level_of(json::inside(member.value))));
            }
            // The end of the line is no part of its last word.
            Meaning::Log => inner = Some(value.strip_suffix(b"\\n").unwrap_or(value)),
            Meaning::Other => {}
        }
        if level.is_some() && (time_ms.is_some() || !context.needs_time) {
            known = true;
            break;
        }
    }
    if !known && !members.is_complete() {
        return None;
    }
    // Docker wraps what a program wrote; a level there is the record's. It nests no deeper than a line has room for: a
    // quote is escaped inside, which doubles its backslashes.
    let inner = match (level, inner) {
        (None, Some(text)) if has_escaped_code(text) || has_escaped_quote(text) => head(&uncoded(text), context).level,
        (None, Some(text)) => head(text, context).level,
        _ => Level::Unknown,
    };
    Some(Head { format: Format::Json, level: level.unwrap_or(inner), time_ms, ..Head::KNOWN })
}

/// The level that a quoted value names. Some programs write it in colour.
fn level_of(value: &[u8]) -> Option<Level> {
    if has_escaped_code(value) { Level::of_value(uncoded(value).trim_ascii()) } else { Level::of_value(value) }
}

fn has_escaped_code(text: &[u8]) -> bool {
    memchr(b'\\', text).is_some_and(|at| {
        let text = &text[at..];
        [b"\\u001b", b"\\u001B"].iter().any(|code| memchr::memmem::find(text, *code).is_some())
    })
}

/// Whether a quoted text has quotes in it, as JSON and logfmt inside of JSON do.
fn has_escaped_quote(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\\\"").is_some()
}

/// The text of a quoted value, without codes for terminals.
fn uncoded(value: &[u8]) -> Vec<u8> {
    let (mut text, mut plain) = (Vec::new(), Vec::new());
    json::unescape(value, &mut text);
    ansi::strip(&text, &mut plain);
    plain
}

fn logfmt(line: &[u8], context: Context) -> Option<Head> {
    if !logfmt::starts(line) {
        return None;
    }
    let (mut level, mut time_ms, mut known, mut pairs) = (None, None, false, 0_u32);
    for pair in Pairs::new(line) {
        pairs = pairs.saturating_add(1);
        match meaning(pair.key) {
            Meaning::Level => {
                level = level.or_else(|| level_of(pair.value));
                known = true;
            }
            Meaning::Time => {
                if context.needs_time && time_ms.is_none() {
                    time_ms = moment::of_value(pair.value);
                }
                known = true;
            }
            Meaning::Message => known = true,
            Meaning::Event | Meaning::Log | Meaning::Other => {}
        }
        if pairs > 1 && level.is_some() && (time_ms.is_some() || !context.needs_time) {
            break;
        }
    }
    let level = level.unwrap_or(Level::Unknown);
    (known && pairs > 1).then_some(Head { format: Format::Logfmt, level, time_ms, ..Head::KNOWN })
}

/// Syslog with a priority: `<34>Oct 11 22:14:15 host tag: text`, or `<34>1 2003-10-11T22:14:15Z host app 7 id - text`.
fn syslog(line: &[u8], context: Context) -> Option<Head> {
    let length = line.get(1..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&length) || line.get(length + 1) != Some(&b'>') {
        return None;
    }
    let mut priority = 0;
    for byte in &line[1..=length] {
        priority = priority * 10 + u16::from(byte - b'0');
    }
    // 23 facilities by 8 and 7.
    if priority > 191 {
        return None;
    }
    let start = length + 2;
    let text = &line[start..];
    let (time_ms, at) = if text.starts_with(b"1 ") {
        let time = moment::iso(&text[2..]).map(|(ms, _)| ms);
        let after_header = (0..5).fold(start + 2, |at, _| after_word(line, at));
        (time, after_structured_data(line, after_header))
    } else if let Some((time, end)) = moment::syslog(text, context.now_ms) {
        (time, after_host(line, start + end))
    } else if let Some((time, end)) = moment::iso(text) {
        (Some(time), after_host(line, start + end))
    } else {
        (None, start)
    };
    let level = Level::of_severity(priority % 8);
    Some(proxied(line, Head { format: Format::Syslog, level, time_ms, at, ..Head::KNOWN }))
}

/// A head of syslog, of a request if it is one: its level is that of its status, as in an access log.
fn proxied(line: &[u8], head: Head) -> Head {
    let Some(request) = line.get(head.at..).and_then(proxy::read) else { return head };
    Head { format: Format::Proxy, level: Level::of_status(request.status), ..head }
}

/// Syslog as written to files: without its priority, so that only the text may tell a level.
fn syslog_without_priority(line: &[u8], context: Context) -> Option<Head> {
    let (time_ms, end) = moment::syslog(line, context.now_ms)?;
    let at = after_host(line, end);
    let text = line[at..].windows(2).position(|pair| pair == b": ").map_or(line.len(), |colon| at + colon + 2);
    let level = level(line, text, false).map_or_else(|| opening(&line[text..]), |(level, _)| level);
    Some(proxied(line, Head { format: Format::Syslog, level, time_ms, at, ..Head::KNOWN }))
}

fn after_word(line: &[u8], at: usize) -> usize {
    line.get(at..).and_then(|rest| memchr(b' ', rest)).map_or(line.len(), |length| at + length + 1)
}

fn after_host(line: &[u8], time_end: usize) -> usize {
    after_word(line, (time_end + 1).min(line.len()))
}

/// Where the message of RFC 5424 starts: behind `-` or `[id key="value"][…]`, a space and a byte order mark.
fn after_structured_data(line: &[u8], mut at: usize) -> usize {
    if line.get(at) == Some(&b'-') {
        at += 1;
    } else {
        while line.get(at) == Some(&b'[') {
            let mut quoted = false;
            while let Some(byte) = line.get(at) {
                at += 1;
                match byte {
                    b'\\' if quoted => at += 1,
                    b'"' => quoted = !quoted,
                    b']' if !quoted => break,
                    _ => {}
                }
            }
        }
    }
    let mut rest = line.get(at..).unwrap_or_default();
    rest = rest.strip_prefix(b" ").unwrap_or(rest);
    rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest);
    line.len() - rest.len()
}

/// `127.0.0.1 - user [20/Nov/2026:09:58:12 +0000] "GET /path HTTP/1.1" 200 512 …`
fn access(line: &[u8]) -> Option<Head> {
    let bracket = memchr(b'[', &line[..line.len().min(CLIENT_BYTES_MAX)])?;
    if bracket == 0 || line[bracket - 1] != b' ' {
        return None;
    }
    let (time_ms, end) = moment::access(&line[bracket + 1..])?;
    let at = bracket + 1 + end;
    if !line[at..].starts_with(b"] \"") {
        return None;
    }
    let (_, status) = request(line, at + 3)?;
    let level = Level::of_status(status);
    Some(Head { format: Format::Access, level, time_ms: Some(time_ms), at: at + 3, ..Head::KNOWN })
}

/// The request line that starts at `at`, and the status behind its quote.
pub(crate) fn request(line: &[u8], at: usize) -> Option<(&[u8], u16)> {
    let text = line.get(at..)?;
    // Apache writes a quote of the request as `\"`.
    let length = json::string_end(text, 0)?;
    let [b' ', hundreds @ b'1'..=b'9', tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] = text.get(length + 1..)? else {
        return None;
    };
    let status = [hundreds, tens, ones].into_iter().fold(0, |status, digit| status * 10 + u16::from(digit - b'0'));
    Some((&text[..length], status))
}

/// `E1120 09:58:12.123456  1234 file.go:12] text`
fn glog(line: &[u8], context: Context) -> Option<Head> {
    let level = line.first().filter(|letter| b"IWEF".contains(letter)).and_then(|letter| Level::of_letter(*letter))?;
    let (time_ms, end) = moment::glog(&line[1..], context.now_ms)?;
    let bracket = memchr(b']', &line[..line.len().min(LEVEL_BYTES_MAX)]).map_or(end + 1, |bracket| bracket + 1);
    Some(Head { level, time_ms, at: message_start(line, bracket), ..Head::KNOWN })
}

/// Text with a time or a level in front.
fn plain(line: &[u8], context: Context) -> Option<Head> {
    let bracket = usize::from(matches!(line.first(), Some(b'[' | b'(')));
    let text = &line[bracket..];
    let dated = moment::iso(text).or_else(|| moment::asctime(text)).or_else(|| moment::access(text));
    let time = dated.or_else(|| moment::leading_epoch(text, context.now_ms));
    let Some((time_ms, end)) = time else { return time_of_day(line, bracket, context).or_else(|| loud(line)) };
    let start = bracket + end;
    let found = level(line, start, true);
    // A level that comes first makes it a record of its own.
    let before = found.map_or(line.len(), |(_, end)| end).min(start.saturating_add(LEVEL_BYTES_MAX));
    if let Some(at) = addition(line, start, before) {
        return Some(Head { time_ms: Some(time_ms), adds: true, at, ..Head::KNOWN });
    }
    let (level, end) = found.unwrap_or((Level::Unknown, start));
    Some(Head { level, time_ms: Some(time_ms), at: message_start(line, end), ..Head::KNOWN })
}

/// Text with a level in front.
fn loud(line: &[u8]) -> Option<Head> {
    let (level, end) = level(line, 0, false)?;
    Some(Head { level, at: message_start(line, end), ..Head::KNOWN })
}

/// `09:58:12.123 [main] ERROR a.B - text`, as logback writes it unless told otherwise. Without a level it is no record.
///
/// The day is not known, and none is invented: such a file may hold weeks, and its modification dates only its end. The
/// record has no time, like any other without one, so that the time of day stays in its message.
fn time_of_day(line: &[u8], bracket: usize, context: Context) -> Option<Head> {
    let start = bracket + moment::of_day(&line[bracket..])?;
    let (level, end) = level(line, start, true)?;
    let at = if context.outer_ms.is_some() { message_start(line, end) } else { 0 };
    Some(Head { level, at, ..Head::KNOWN })
}

/// Where the text starts of a line that `PostgreSQL` adds to the record before: `… [17] DETAIL:  Key (id)=(1) exists.`
fn addition(line: &[u8], start: usize, before: usize) -> Option<usize> {
    const WORDS: [&[u8]; 7] = [b"DETAIL", b"HINT", b"STATEMENT", b"CONTEXT", b"QUERY", b"LOCATION", b"BACKTRACE"];
    let window = line.get(start..before)?;
    let colon = memchr_iter(b':', window).find(|colon| line[start + colon + 1..].starts_with(b"  "))?;
    let word = window[..colon].iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    WORDS.contains(&&window[colon - word..colon]).then_some(start + colon - word)
}

/// Where the message starts behind a time or a level: behind the signs that set those off. Dashes right in front of
/// text are of the message when something else sets it off: `-5 degrees`, `--force is unknown`.
fn message_start(line: &[u8], at: usize) -> usize {
    let signs = line[at..].iter().take_while(|byte| b" \t:]|)>,-".contains(byte)).count();
    let dashes = line[at..at + signs].iter().rev().take_while(|byte| **byte == b'-').count();
    let is_text =
        at + signs < line.len() && matches!(line[at..at + signs - dashes].last(), Some(b' ' | b'\t' | b'|' | b','));
    at + signs - if is_text { dashes } else { 0 }
}

/// The level after a time, or else at the start of the line at `start`, and the index after it.
///
/// In lower case, a word such as `error` counts only where nothing else can be meant: in brackets, or right behind the
/// time. In the middle of a message it says what the message is about.
fn level(line: &[u8], start: usize, timed: bool) -> Option<(Level, usize)> {
    let window = &line[..line.len().min(start.saturating_add(LEVEL_BYTES_MAX))];
    let mut at = start;
    for word in 0..if timed { WORDS_MAX } else { 1 } {
        at += window.get(at..)?.iter().position(u8::is_ascii_alphanumeric)?;
        let before = at.checked_sub(1).filter(|before| *before >= start).map(|before| window[before]);
        if !(timed || at == start || at == start + 1 && matches!(before, Some(b'[' | b'(' | b'<'))) {
            return None;
        }
        let end = at + window[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let found = &window[at..end];
        let after = window.get(end);
        let loud = found.iter().all(u8::is_ascii_uppercase);
        let opened = matches!(before, Some(b'[' | b'<' | b'(' | b'|' | b':' | b'.'));
        let bracketed = opened && matches!(after, Some(b']' | b'>' | b')' | b'|'));
        let first = timed && word == 0 && matches!(after, Some(b' ' | b':' | b']' | b'\t') | None);
        // `ERROR_CODE` and `ERROR=` are names.
        let whole = !matches!(after, Some(b'_' | b'='));
        if (loud || bracketed || first)
            && whole
            && let Some(level) = Level::of_word(found)
        {
            return Some((level, end));
        }
        at = end;
    }
    None
}

/// Whether a thread of a Rust program says that it panicked: `thread 'main' panicked at src/main.rs:10:5:`, and since
/// Rust 1.91 `thread 'main' (4711) panicked at …`.
pub(crate) fn is_panic(line: &[u8]) -> bool {
    let window = &line[..line.len().min(CLIENT_BYTES_MAX)];
    line.starts_with(b"thread '") && memchr::memmem::find(window, b" panicked at ").is_some()
}

/// The level of a line that may start a record or go on with one: `Error: text`, `java.io.IOException: text`.
pub(crate) fn opening(line: &[u8]) -> Level {
    const FATAL: [&[u8]; 2] = [b"panic: ", b"fatal error: "];
    const ERROR: [&[u8]; 3] = [b"Traceback (most recent call last)", b"Exception in thread ", b"Uncaught "];
    if is_panic(line) || FATAL.iter().any(|start| line.starts_with(start)) {
        return Level::Fatal;
    }
    if ERROR.iter().any(|start| line.starts_with(start)) {
        return Level::Error;
    }
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$');
    let name = &line[..line.iter().take(CLIENT_BYTES_MAX).take_while(|byte| named(byte)).count()];
    match line.get(name.len()) {
        Some(b':') | None if name.ends_with(b"Exception") || name.ends_with(b"Error") => Level::Error,
        Some(b':') => Level::of_word(name).unwrap_or(Level::Unknown),
        _ => Level::Unknown,
    }
}

/// Adds what the first line of a record says. The line may have been cut.
pub(crate) fn message(line: &[u8], head: &Head, into: &mut Vec<u8>) {
    let start = into.len();
    written(line, head, into);
    // Codes that are escaped in the line are not in the way of reading it, but of reading this.
    if ansi::is_in(&into[start..]) {
        let coded = into.split_off(start);
        ansi::strip(&coded, into);
    }
}

fn written(line: &[u8], head: &Head, into: &mut Vec<u8>) {
    match head.format {
        Format::Json => {
            let (mut best, mut weaker) = (None, None);
            // The journal has `null` for what it does not show.
            for member in Members::new(line).filter(|member| member.value != b"null") {
                match meaning(member.name) {
                    Meaning::Message => best = best.or(Some(member.value)),
                    // An object has the level, and says nothing.
                    Meaning::Log if member.value.first() == Some(&b'{') => {}
                    Meaning::Event | Meaning::Log => weaker = weaker.or(Some(member.value)),
                    Meaning::Level | Meaning::Time | Meaning::Other => {}
                }
            }
            match best.or(weaker) {
                Some(value) if json::bytes(value, into) => {}
                Some(value) => json::unescape(json::inside(value), into),
                None => into.extend_from_slice(line),
            }
        }
        Format::Logfmt => {
            let (mut best, mut weaker) = (None, None);
            for pair in Pairs::new(line) {
                match meaning(pair.key) {
                    Meaning::Message => best = best.or(Some(pair.value)),
                    Meaning::Event => weaker = weaker.or(Some(pair.value)),
                    Meaning::Level | Meaning::Time | Meaning::Log | Meaning::Other => {}
                }
            }
            match best.or(weaker) {
                Some(value) => json::unescape(value, into),
                None => into.extend_from_slice(line),
            }
        }
        Format::Access => match request(line, head.at) {
            Some((request, status)) => {
                into.extend_from_slice(status.to_string().as_bytes());
                for word in request.split(|byte| *byte == b' ').take(2) {
                    into.push(b' ');
                    into.extend_from_slice(word);
                }
            }
            None => into.extend_from_slice(line),
        },
        Format::Proxy => match line.get(head.at..).and_then(proxy::read) {
            Some(request) => {
                into.extend_from_slice(request.status.to_string().as_bytes());
                for word in [request.method, request.path] {
                    into.push(b' ');
                    into.extend_from_slice(word);
                }
            }
            None => into.extend_from_slice(line),
        },
        Format::Syslog | Format::Journal | Format::Plain => {
            into.extend_from_slice(line.get(head.at..).unwrap_or_default());
        }
    }
}

/// Adds the message of a line of JSON that writes it as bytes, as the journal does with colours, and says whether it does.
pub(crate) fn message_of_bytes(line: &[u8], head: &Head, into: &mut Vec<u8>) -> bool {
    const NAME: &[u8] = b"\"MESSAGE\"";
    let is_array = |at: usize| {
        let value = line[at + NAME.len()..].trim_ascii_start().strip_prefix(b":");
        value.is_some_and(|value| value.trim_ascii_start().starts_with(b"["))
    };
    let found = head.format == Format::Json && memchr::memmem::find(line, NAME).is_some_and(is_array);
    if found {
        message(line, head, into);
    }
    found
}

/// What the first line of a record says besides its level, time and message, in the order of the line.
pub(crate) fn fields(line: &[u8], head: &Head) -> Vec<(String, Value)> {
    let of_journal = |name: &[u8]| name == b"__REALTIME_TIMESTAMP";
    let is_journal = head.format == Format::Json && Members::new(line).any(|member| of_journal(member.name));
    let other = |name: &[u8]| match meaning(name) {
        Meaning::Other => !is_journal || journal::SHOWN.contains(&name),
        _ => false,
    };
    match head.format {
        Format::Json => Members::new(line)
            .filter(|member| other(member.name))
            .take(FIELDS_MAX)
            .map(|member| (shown(member.name), json_value(member.value)))
            .collect(),
        Format::Logfmt => Pairs::new(line)
            .filter(|pair| other(pair.key))
            .take(FIELDS_MAX)
            .map(|pair| {
                let mut text = Vec::new();
                json::unescape(pair.value, &mut text);
                (shown(pair.key), Value::String(shown(&text)))
            })
            .collect(),
        Format::Access => {
            let Some((request, status)) = request(line, head.at) else { return Vec::new() };
            let client = line.split(|byte| *byte == b' ').next().unwrap_or_default();
            let mut words = request.split(|byte| *byte == b' ').map(|word| Value::String(shown(word)));
            let mut fields = vec![("client".to_owned(), Value::String(shown(client)))];
            fields.extend(["method", "path"].into_iter().filter_map(|name| Some((name.to_owned(), words.next()?))));
            fields.push(("status".to_owned(), Value::from(status)));
            fields
        }
        Format::Proxy => {
            let Some(request) = line.get(head.at..).and_then(proxy::read) else { return Vec::new() };
            let texts = request.texts().map(|(name, text)| (name.to_owned(), Value::String(shown(text))));
            texts.into_iter().chain([("status".to_owned(), Value::from(request.status))]).collect()
        }
        Format::Journal => journal::written(line.get(..head.at).unwrap_or_default())
            .map(|(name, value)| (shown(name), Value::String(shown(value))))
            .collect(),
        Format::Syslog | Format::Plain => Vec::new(),
    }
}

/// A value as JSON when it is short and well formed, and its text otherwise.
fn json_value(text: &[u8]) -> Value {
    if text.len() <= FIELD_BYTES_MAX
        && let Ok(value) = serde_json::from_slice(text)
    {
        return value;
    }
    let mut unescaped = Vec::new();
    json::unescape(json::inside(text), &mut unescaped);
    Value::String(shown(&unescaped))
}

/// At most [`FIELD_BYTES_MAX`] bytes as text; a character at the cut becomes U+FFFD like other broken ones.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(FIELD_BYTES_MAX)]).into_owned()
}
