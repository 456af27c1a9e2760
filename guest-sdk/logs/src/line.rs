//! One line: which format it is in, how severe it is and when, and, only when asked, what it says.

use memchr::memchr;
use serde_json::Value;

use crate::json::{self, Members};
use crate::level::Level;
use crate::logfmt::{self, Pairs};
use crate::moment;

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
    /// Where the message starts in text, and the request in an access log.
    at: usize,
}

impl Head {
    /// The head of no line.
    pub(crate) const NOTHING: Self =
        Self { format: Format::Plain, level: Level::Unknown, time_ms: None, known: false, at: 0 };
}

/// What a line is read with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// Whether anybody asks for times. Reading them costs as much as finding the level.
    pub(crate) needs_time: bool,
    /// The clock, for times without a year.
    pub(crate) now_ms: Option<i64>,
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
        b"level" | b"severity" | b"lvl" | b"log.level" | b"loglevel" | b"log_level" | b"levelname" | b"level_name"
        | b"severity_text" | b"severityText" | b"@level" | b"@l" | b"Level" | b"LEVEL" => Meaning::Level,
        b"time" | b"ts" | b"timestamp" | b"@timestamp" | b"@t" | b"datetime" | b"asctime" | b"Timestamp" | b"Time" => {
            Meaning::Time
        }
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
        Some(b'<') => syslog(line, context).or_else(|| plain(line)),
        Some(b'0'..=b'9' | b':') => plain(line).or_else(|| access(line)),
        Some(byte) if byte.is_ascii_uppercase() => {
            let dated = glog(line, context).or_else(|| syslog_without_priority(line, context));
            dated.or_else(|| logfmt(line, context)).or_else(|| plain(line)).or_else(|| access(line))
        }
        Some(_) => logfmt(line, context).or_else(|| plain(line)).or_else(|| access(line)),
        None => None,
    };
    found.unwrap_or_else(|| Head { level: opening(line), ..Head::NOTHING })
}

fn json(line: &[u8], context: Context) -> Option<Head> {
    let (mut level, mut time_ms, mut known, mut inner) = (None, None, false, None);
    let mut members = Members::new(line);
    for member in members.by_ref() {
        let value = json::inside(member.value);
        match meaning(member.name) {
            Meaning::Level => {
                level = level.or_else(|| Level::of_value(value));
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
                level = level.or_else(|| nested.and_then(|member| Level::of_value(json::inside(member.value))));
            }
            Meaning::Log => inner = Some(value),
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
    // Docker wraps what a program wrote; a level there is the record's. It cannot nest: a quote is escaped inside.
    let inner = inner.map_or(Level::Unknown, |text| head(text, context).level);
    Some(Head { format: Format::Json, level: level.unwrap_or(inner), time_ms, known: true, at: 0 })
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
                level = level.or_else(|| Level::of_value(pair.value));
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
    (known && pairs > 1).then_some(Head { format: Format::Logfmt, level, time_ms, known, at: 0 })
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
    Some(Head { format: Format::Syslog, level: Level::of_severity(priority % 8), time_ms, known: true, at })
}

/// Syslog as written to files: without its priority, so that only the text may tell a level.
fn syslog_without_priority(line: &[u8], context: Context) -> Option<Head> {
    let (time_ms, end) = moment::syslog(line, context.now_ms)?;
    let at = after_host(line, end);
    let text = line[at..].windows(2).position(|pair| pair == b": ").map_or(line.len(), |colon| at + colon + 2);
    let level = level(line, text, false).map_or_else(|| opening(&line[text..]), |(level, _)| level);
    Some(Head { format: Format::Syslog, level, time_ms, known: true, at })
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
    Some(Head {
        format: Format::Access,
        level: Level::of_status(status),
        time_ms: Some(time_ms),
        known: true,
        at: at + 3,
    })
}

/// The request line that starts at `at`, and the status behind its quote.
fn request(line: &[u8], at: usize) -> Option<(&[u8], u16)> {
    let text = line.get(at..)?;
    let length = memchr(b'"', text)?;
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
    Some(Head { format: Format::Plain, level, time_ms, known: true, at: message_start(line, bracket) })
}

/// Text with a time or a level in front.
fn plain(line: &[u8]) -> Option<Head> {
    let bracket = usize::from(matches!(line.first(), Some(b'[' | b'(')));
    let text = &line[bracket..];
    let time = moment::iso(text).or_else(|| moment::asctime(text)).or_else(|| moment::access(text));
    let start = time.map_or(0, |(_, end)| bracket + end);
    let level = level(line, start, time.is_some());
    if time.is_none() && level.is_none() {
        return None;
    }
    let (level, end) = level.unwrap_or((Level::Unknown, start));
    let at = message_start(line, end);
    Some(Head { format: Format::Plain, level, time_ms: time.map(|(ms, _)| ms), known: true, at })
}

/// Where the message starts behind a time or a level: behind the signs that set those off.
fn message_start(line: &[u8], at: usize) -> usize {
    let signs = line[at..].iter().take_while(|byte| b" \t:]|)>,-".contains(byte)).count();
    at + signs
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

/// The level of a line that may start a record or go on with one: `Error: text`, `java.io.IOException: text`.
fn opening(line: &[u8]) -> Level {
    const FATAL: [&[u8]; 2] = [b"panic: ", b"fatal error: "];
    const ERROR: [&[u8]; 3] = [b"Traceback (most recent call last)", b"Exception in thread ", b"Uncaught "];
    let panicked = line.starts_with(b"thread '") && memchr::memmem::find(line, b"' panicked at").is_some();
    if panicked || FATAL.iter().any(|start| line.starts_with(start)) {
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
    match head.format {
        Format::Json => {
            let (mut best, mut weaker) = (None, None);
            for member in Members::new(line) {
                match meaning(member.name) {
                    Meaning::Message => best = best.or(Some(member.value)),
                    Meaning::Event | Meaning::Log => weaker = weaker.or(Some(member.value)),
                    Meaning::Level | Meaning::Time | Meaning::Other => {}
                }
            }
            match best.or(weaker) {
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
        Format::Syslog | Format::Plain => into.extend_from_slice(line.get(head.at..).unwrap_or_default()),
    }
}

/// What the first line of a record says besides its level, time and message, in the order of the line.
pub(crate) fn fields(line: &[u8], head: &Head) -> Vec<(String, Value)> {
    let other = |name: &[u8]| matches!(meaning(name), Meaning::Other);
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
