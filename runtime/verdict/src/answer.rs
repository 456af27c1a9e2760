//! Validates the guest's final message before the host trusts it. **This file is a boundary.**
//!
//! A guest's message becomes values of the host here, and what a worker forwards passes the same gate. Whatever the
//! bytes are, an answer is strict JSON within the run's limits, and every text is within its bound. Nothing here does
//! I/O.

use intentbox_abi::{Ended as Said, Raised, ResultMeasure, decode, shortened};
use serde_json::value::RawValue;

use crate::ending::{Ending, Exception, Exhausted, Resource};
use crate::limits::Limits;

/// The most bytes of traceback that are kept.
pub const TRACEBACK_BYTES_MAX: u32 = 16 << 10;

/// The most bytes of a class name, a path in an answer or the reason why it cannot be serialized. The script chooses
/// them.
pub const NAME_BYTES_MAX: usize = 1 << 10;

/// The most bytes of an exception's text. The guest keeps to half of it; a guest that was taken over might not.
pub const MESSAGE_BYTES_MAX: usize = 8 << 10;

/// The most bytes of an exception's hint. The guest keeps to half of it, as with the text.
pub const HINT_BYTES_MAX: usize = 2 << 10;

/// The answer in the guest's last message, not validated yet, if there is one and it is within its limit.
#[must_use]
pub fn unchecked<'a>(message: &'a [u8], limits: &Limits) -> Option<&'a str> {
    match decode::<Said<'a>>(message) {
        Ok(Said::Returned { result }) if result.len() as u64 <= limits.result_bytes => Some(result),
        _ => None,
    }
}

/// The ending with this answer. An answer that is not strict JSON within the limits is a crash of the guest.
#[must_use]
pub fn checked(json: &str, limits: &Limits) -> Ending {
    match returned(json, limits) {
        Ok(json) => Ending::Returned(json),
        Err(reason) => Ending::Crashed { reason: reason.to_owned() },
    }
}

/// The ending that the guest's last message reports. Bytes that are not a message are a crash of the guest.
#[must_use]
pub fn read(message: &[u8], limits: &Limits) -> Ending {
    match decode::<Said<'_>>(message) {
        Ok(Said::Returned { result }) => checked(result, limits),
        Ok(Said::Raised(raised)) => Ending::Raised(exception(&raised)),
        Ok(Said::SyntaxError(raised)) => Ending::SyntaxError(exception(&raised)),
        Ok(Said::ResultInvalid { path, reason }) => result_invalid(path, reason),
        // The limit is the host's own; only how far the guest came is the guest's to say.
        Ok(Said::ResultLimit { measure, observed, .. }) => {
            let (resource, limit) = match measure {
                ResultMeasure::Bytes => (Resource::ResultBytes, limits.result_bytes),
                ResultMeasure::Depth => (Resource::ResultDepth, limits.result_depth),
            };
            Ending::Exhausted(Exhausted { resource, limit, observed })
        }
        Err(_) => Ending::Crashed { reason: "the answer is not a message".to_owned() },
    }
}

/// An answer, or why it is invalid.
fn returned(json: &str, limits: &Limits) -> Result<Box<RawValue>, &'static str> {
    if json.len() as u64 > limits.result_bytes {
        return Err("the answer is larger than its limit");
    }
    let json = serde_json::from_str::<&RawValue>(json).map_err(|_| "the answer is not JSON")?;
    match levels(json.get()) {
        None => Err("the answer contains an unpaired surrogate"),
        Some(levels) if levels > limits.result_depth => Err("the answer is deeper than its limit"),
        Some(_) => Ok(json.to_owned()),
    }
}

/// An exception with each text shortened to its bound.
#[must_use]
pub fn exception(raised: &Raised<'_>) -> Exception {
    Exception {
        class: shortened(raised.class, NAME_BYTES_MAX),
        message: shortened(raised.message, MESSAGE_BYTES_MAX),
        traceback: shortened(raised.traceback, TRACEBACK_BYTES_MAX as usize),
        hint: shortened(raised.hint, HINT_BYTES_MAX),
        cause: raised.cause,
    }
}

/// An answer that JSON cannot represent, with both texts shortened to their bound.
#[must_use]
pub fn result_invalid(path: &str, reason: &str) -> Ending {
    Ending::ResultInvalid { path: shortened(path, NAME_BYTES_MAX), reason: shortened(reason, NAME_BYTES_MAX) }
}

/// How deep the lists and objects of well-formed JSON go, where an empty one is no level, as the guest counts. `None`
/// when a text contains an unpaired surrogate: JSON's grammar allows that, and common parsers reject all of the answer.
fn levels(json: &str) -> Option<u64> {
    let (mut open, mut deepest) = (0_u64, 0);
    let mut rest = json;
    while let Some(at) = rest.find(['"', '[', '{', ']', '}']) {
        let (token, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = match token {
            b'"' => {
                let text = &rest[at..];
                let mut texts = serde_json::Deserializer::from_str(text).into_iter::<String>();
                texts.next()?.ok()?;
                &text[texts.byte_offset()..]
            }
            b'[' | b'{' => {
                open += 1;
                if !after.trim_ascii_start().starts_with([']', '}']) {
                    deepest = deepest.max(open);
                }
                after
            }
            _ => {
                open = open.saturating_sub(1);
                after
            }
        };
    }
    Some(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(json: &str) -> Result<String, &'static str> {
        let limits = Limits { result_bytes: 24, result_depth: 2, ..Limits::default() };
        returned(json, &limits).map(|json| json.get().to_owned())
    }

    #[test]
    fn the_last_answer_allowed_and_the_first_refused() {
        for json in [
            "\"1234567890123456789012\"",
            "[[1]]",
            "[[[]],{\"a\":{}}]",
            "\"[[[\\\"[[[\"",
            "1e999",
            "\"\\ud83d\\ude00\"",
        ] {
            assert_eq!(told(json), Ok(json.to_owned()));
        }
        for (json, reason) in [
            ("\"12345678901234567890123\"", "the answer is larger than its limit"),
            ("[[[1]]]", "the answer is deeper than its limit"),
            ("{\"a\":[{\"b\":1}]}", "the answer is deeper than its limit"),
            ("\"\\ud83d\"", "the answer contains an unpaired surrogate"),
            ("{\"\\ude00\":1}", "the answer contains an unpaired surrogate"),
            ("NaN", "the answer is not JSON"),
            ("1 2", "the answer is not JSON"),
            ("", "the answer is not JSON"),
        ] {
            assert_eq!(told(json), Err(reason), "{json}");
        }
    }

    #[test]
    fn what_a_script_claims_is_read_with_its_hint() {
        use intentbox_abi::{Cause, encode};

        for cause in [Cause::NotFound, Cause::Invalid] {
            let long = "ü".repeat(HINT_BYTES_MAX);
            for (hint, kept) in
                [("name another", "name another".to_owned()), (long.as_str(), shortened(&long, HINT_BYTES_MAX))]
            {
                let raised = Raised { class: "NotFound", message: "no project x", traceback: "t", hint, cause };
                let expected = Exception {
                    class: "NotFound".to_owned(),
                    message: "no project x".to_owned(),
                    traceback: "t".to_owned(),
                    hint: kept,
                    cause,
                };
                match read(&encode(&Said::Raised(raised)), &Limits::default()) {
                    Ending::Raised(exception) => assert_eq!(exception, expected),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_text_is_cut_once() {
        let text = "ü".repeat(600);
        let cut = shortened(&text, NAME_BYTES_MAX);
        assert!(
            cut.len() <= NAME_BYTES_MAX && cut.contains(" […] ") && cut.starts_with('ü') && cut.ends_with('ü'),
            "{cut}"
        );
        assert_eq!(shortened(&cut, NAME_BYTES_MAX), cut);
        assert_eq!(shortened(&text[..NAME_BYTES_MAX], NAME_BYTES_MAX), text[..NAME_BYTES_MAX]);
    }
}
