//! Heads of lines that one program alone writes: Redis and Unreal Engine.

use crate::level::Level;
use crate::line::Head;
use crate::moment;

/// `611:M 20 Nov 2026 09:58:12.123 # text`: the process, its role, and a sign for the level.
pub(crate) fn redis(line: &[u8]) -> Option<Head> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let [b':', b'C' | b'M' | b'S' | b'X', b' ', dated @ ..] = line.get(digits..)? else { return None };
    let (time_ms, end) = moment::day_first(dated)?;
    let [b' ', sign, b' ', ..] = dated.get(end..)? else { return None };
    let level = match sign {
        b'.' | b'-' => Level::Debug,
        b'*' => Level::Info,
        b'#' => Level::Warning,
        _ => return None,
    };
    let at = line.len() - dated.len() + end + 3;
    Some(Head { level, time_ms: Some(time_ms), at, ..Head::KNOWN })
}

/// `[2026.11.20-09.58.12:123][ 80]LogNet: Warning: text`: the time in UTC, the frame, a category, and a level unless it is `Log`.
pub(crate) fn unreal(line: &[u8]) -> Option<Head> {
    let (time_ms, end) = moment::unreal(line.strip_prefix(b"[")?)?;
    let frame = line.get(end + 1..)?.strip_prefix(b"][")?;
    let close = frame.iter().take(8).position(|byte| *byte == b']')?;
    if !frame[..close].iter().all(|byte| byte.is_ascii_digit() || *byte == b' ') {
        return None;
    }
    let message = &frame[close + 1..];
    let category = message.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let said = message.get(category..)?.strip_prefix(b": ");
    let level = said.map_or(&b""[..], |rest| &rest[..rest.iter().position(|byte| *byte == b':').unwrap_or(0)]);
    let level = match level {
        b"Fatal" => Level::Fatal,
        b"Error" => Level::Error,
        b"Warning" => Level::Warning,
        b"Verbose" | b"VeryVerbose" => Level::Debug,
        _ => Level::Info,
    };
    Some(Head { level, time_ms: Some(time_ms), at: line.len() - message.len(), ..Head::KNOWN })
}
