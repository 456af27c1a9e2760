//! What a tool answered, admitted. It is data of a stranger, with a bound.

use std::fmt::Write as _;

use intentbox_catalog::json::{Counter, parse_value};
use intentbox_catalog::terminal::printable;
use serde_json::{Map, Value};

/// The largest result, in bytes of JSON.
pub const REPLY_BYTES_MAX: usize = 8 << 20;

/// The most values and keys of a result.
const NODES_MAX: usize = 500_000;

/// How many bytes of an error's text are repeated.
const ERROR_BYTES_MAX: usize = 4 << 10;

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// `structuredContent`, if there is any.
    pub structured: Option<Value>,
    /// The blocks of `content`, as they came.
    pub content: Vec<Value>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

impl Reply {
    /// Admits a result.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn admit(text: &str) -> Result<Self, String> {
        if text.len() > REPLY_BYTES_MAX {
            return Err(format!("it has {} bytes, and may have {REPLY_BYTES_MAX}", text.len()));
        }
        let mut counter = Counter::up_to(NODES_MAX);
        if let Err(error) = counter.count(text) {
            let is_over = counter.is_over();
            return Err(if is_over { format!("it has more than {NODES_MAX} values") } else { error.to_string() });
        }
        let Ok(Value::Object(mut fields)) = parse_value(text) else { return Err("it is not an object".to_owned()) };
        let content = match fields.remove("content") {
            None => Vec::new(),
            Some(Value::Array(blocks)) if blocks.iter().all(Value::is_object) => blocks,
            Some(_) => return Err("its content is not a list of blocks".to_owned()),
        };
        let is_error = match fields.remove("isError") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(is_error)) => is_error,
            Some(_) => return Err("its isError is neither true nor false".to_owned()),
        };
        let structured = fields.remove("structuredContent").filter(|value| !value.is_null());
        Ok(Self { structured, content, is_error })
    }

    /// The texts of its content, one after the other. Images, sounds and resources are named with their types and sizes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &self.content {
            if !text.is_empty() {
                text.push('\n');
            }
            write_block(&mut text, block);
        }
        text
    }

    /// The text of a tool that says that it failed, bounded and safe to print.
    #[must_use]
    pub fn error_text(&self) -> String {
        let mut text = self.text();
        if text.trim().is_empty() {
            text = self.structured.as_ref().map_or_else(|| "it gives no reason".to_owned(), Value::to_string);
        }
        let mut end = text.len().min(ERROR_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = if end < text.len() { "…" } else { "" };
        // Its lines stand below the message, so that none of them reads like one of ours.
        format!("{}{cut}", printable(text[..end].trim()).replace('\n', "\n  "))
    }
}

fn write_block(text: &mut String, block: &Value) {
    let field = |fields: &Value, name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = field(block, "type");
    let resource = block.get("resource").cloned().unwrap_or(Value::Object(Map::new()));
    let _ = match kind.as_str() {
        "text" => write!(text, "{}", field(block, "text")),
        "image" | "audio" => {
            let (mime, bytes) = (field(block, "mimeType"), field(block, "data").len() / 4 * 3);
            write!(text, "[{kind} {mime}, {bytes} bytes]")
        }
        "resource" if resource.get("text").is_some() => write!(text, "{}", field(&resource, "text")),
        "resource" => write!(text, "[resource {}]", field(&resource, "uri")),
        "resource_link" => write!(text, "[link {} {}]", field(block, "name"), field(block, "uri")),
        other => write!(text, "[{other}]"),
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_read_with_all_its_blocks() {
        let text = r#"{"content":[{"type":"text","text":"a\nb"},{"type":"image","mimeType":"image/png","data":"AAAA"},
            {"type":"resource","resource":{"uri":"x:1","text":"c"}},{"type":"resource","resource":{"uri":"x:2","blob":"AA"}},
            {"type":"resource_link","name":"n","uri":"x:3"},{"type":"new"}],"structuredContent":{"n":1},"more":2}"#;
        let reply = Reply::admit(text).expect("a result");
        assert_eq!(reply.text(), "a\nb\n[image image/png, 3 bytes]\nc\n[resource x:2]\n[link n x:3]\n[new]");
        assert_eq!((reply.structured, reply.is_error), (Some(json!({"n": 1})), false));
    }

    #[test]
    fn m12_what_is_no_result_or_too_large_is_refused() {
        let sized = |bytes: usize| format!(r#"{{"content":[],"x":"{}"}}"#, "x".repeat(bytes - 21));
        assert!(Reply::admit(&sized(REPLY_BYTES_MAX)).is_ok());
        let nested = format!("{{\"x\":[{}0]}}", "0,".repeat(NODES_MAX));
        for (text, reason) in [
            (sized(REPLY_BYTES_MAX + 1).as_str(), "it has 8388609 bytes"),
            (nested.as_str(), "it has more than 500000 values"),
            ("5", "it is not an object"),
            (r#"{"content":"x"}"#, "its content is not a list of blocks"),
            (r#"{"content":["x"]}"#, "its content is not a list of blocks"),
            (r#"{"isError":"yes"}"#, "its isError is neither true nor false"),
        ] {
            assert!(Reply::admit(text).expect_err(reason).starts_with(reason));
        }
    }

    #[test]
    fn a_failure_is_told_with_its_text_safe_to_print() {
        let told = |text: &str| Reply::admit(text).expect("a result").error_text();
        assert_eq!(told(r#"{"isError":true,"content":[{"type":"text","text":" no\u001b[31m "}]}"#), "no\\u{1b}[31m");
        assert_eq!(told(r#"{"isError":true,"structuredContent":{"a":1}}"#), r#"{"a":1}"#);
        assert_eq!(told(r#"{"isError":true}"#), "it gives no reason");
        let long =
            format!(r#"{{"isError":true,"content":[{{"type":"text","text":"{}"}}]}}"#, "ü".repeat(ERROR_BYTES_MAX));
        let told = told(&long);
        assert!(told.len() <= ERROR_BYTES_MAX + 3 && told.ends_with('…'));
    }
}
