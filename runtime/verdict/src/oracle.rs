//! Properties of every ending. Compiled for the tests of this crate and for the fuzz target `result`.

use serde_json::Value;

use crate::answer::{HINT_BYTES_MAX, MESSAGE_BYTES_MAX, NAME_BYTES_MAX, TRACEBACK_BYTES_MAX, read};
use crate::ending::{Ending, Resource};
use crate::limits::Limits;

/// Small enough that random answers run into them.
const LIMITS: Limits = Limits {
    fuel: 1,
    wall_ms: 1,
    memory_bytes: 1,
    stdout_bytes: 8,
    stderr_bytes: 8,
    result_bytes: 64,
    result_depth: 3,
    host_calls: 1,
    script_bytes: 1,
    params_bytes: 1,
    scratch_bytes: 1,
    scratch_entries: 1,
};

/// Any bytes as a guest's last message are an ending: strict JSON within the limits, and texts within their bounds.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn result(bytes: &[u8]) {
    let ending = read(bytes, &LIMITS);
    check(&ending);
    if let Ending::Exhausted(exhausted) = ending {
        let limit = match exhausted.resource {
            Resource::ResultBytes => LIMITS.result_bytes,
            Resource::ResultDepth => LIMITS.result_depth,
            other => panic!("a guest cannot say that {other:?} ran out"),
        };
        assert_eq!(exhausted.limit, limit);
    }
}

fn check(ending: &Ending) {
    match ending {
        Ending::Returned(json) => {
            assert!(json.get().len() as u64 <= LIMITS.result_bytes, "{json}");
            match serde_json::from_str::<Value>(json.get()) {
                Ok(value) => assert!(levels(&value) <= LIMITS.result_depth, "{json}"),
                // Python's integers have any size; a parser that wants 64 bits says so.
                Err(error) => assert!(error.to_string().starts_with("number out of range"), "{json}: {error}"),
            }
        }
        Ending::Raised(exception) | Ending::SyntaxError(exception) => {
            assert!(exception.class.len() <= NAME_BYTES_MAX);
            assert!(exception.message.len() <= MESSAGE_BYTES_MAX);
            assert!(exception.traceback.len() <= TRACEBACK_BYTES_MAX as usize);
            assert!(exception.hint.len() <= HINT_BYTES_MAX);
        }
        Ending::ResultInvalid { path, reason } => {
            assert!(path.len() <= NAME_BYTES_MAX && reason.len() <= NAME_BYTES_MAX);
        }
        Ending::Crashed { reason } => assert!(reason.len() <= MESSAGE_BYTES_MAX),
        Ending::Exhausted(_) => {}
    }
}

/// Levels as the limit counts them: an empty list or object does not count.
fn levels(value: &Value) -> u64 {
    let deepest = match value {
        Value::Array(elements) => elements.iter().map(levels).max(),
        Value::Object(members) => members.values().map(levels).max(),
        _ => None,
    };
    deepest.map_or(0, |deepest| deepest + 1)
}

#[cfg(test)]
mod tests {
    use intentbox_abi::{Cause, Ended as Said, Raised, encode};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn e14_any_bytes_are_an_ending(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            super::result(&bytes);
        }

        #[test]
        fn e14_any_text_is_strict_json_or_refused(result in "[\\[\\]{}:, \"\\\\ua0-9dDeE.+-]{0,70}") {
            super::result(&encode(&Said::Returned { result: &result }));
        }

        #[test]
        fn e14_nearly_json_is_strict_json_or_refused(depth in 0_usize..6, inner in "[0-9]{0,3}|\"\\\\u[dD][89c-f]00\"|\\[\\]") {
            let result = format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
            super::result(&encode(&Said::Returned { result: &result }));
        }

        #[test]
        fn e14_texts_of_any_length_are_bounded(text in "[a-zü€𝄞]{0,400}", times in 1_usize..60) {
            let text = text.repeat(times);
            for cause in [Cause::Refused, Cause::NotFound, Cause::Invalid] {
                let raised = Raised { class: &text, message: &text, traceback: &text, hint: &text, cause };
                super::result(&encode(&Said::Raised(raised.clone())));
                super::result(&encode(&Said::SyntaxError(raised)));
            }
            super::result(&encode(&Said::ResultInvalid { path: &text, reason: &text }));
        }
    }
}
