//! Properties of every value, template and script, for the fuzz targets `literal` and `render` and for property tests
//! over fewer inputs.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::catalog::Catalog;
use crate::literal::{self, DEPTH_MAX, LiteralError, reader};
use crate::script::{RenderError, SCRIPT_BYTES_MAX, Script};
use crate::template::{Arguments, Template};

/// The manifest that random script templates get: a parameter of each kind that holds text, and a number.
const MANIFEST: &str = r#"
summary = "Anything."
phrases = ["anything"]
effects = "read"

[params.a]
type = "string"
description = "Text."
length_max = 1000

[params.b]
type = "list"
items = "string"
description = "Texts."

[params.c]
type = "integer"
description = "A number."
"#;

/// Any bytes, as JSON if they are, and as text: the literal is one line of printable ASCII that reads back as the
/// value.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn literal(bytes: &[u8]) {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        reads_back(&value);
    }
    reads_back(&Value::from(String::from_utf8_lossy(bytes)));
}

/// The bytes up to the first NUL are a script template, the rest a value for it: loading the template rejects it, or
/// its script is the author's text with one literal in each place, and no larger than a script may be.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn render(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let value = String::from_utf8_lossy(bytes.get(end + 1..).unwrap_or_default()).into_owned();
    let files = [("p/t/template.toml", MANIFEST.as_bytes()), ("p/t/script.py.j2", &bytes[..end])];
    let Ok(catalog) = Catalog::from_files(files) else { return };
    let template = catalog.get("p/t").expect("it was just loaded");
    let texts: Vec<&str> = value.split(',').collect();
    let all = BTreeMap::from([
        ("a".to_owned(), Value::from(value.as_str())),
        ("b".to_owned(), Value::from(texts)),
        ("c".to_owned(), Value::from(bytes.len())),
    ]);
    for given in [all, BTreeMap::new()] {
        // A text with control characters, or of more than its length, is refused here.
        let Ok(arguments) = template.check(&given, &BTreeMap::new()) else { continue };
        match shape(template, &arguments) {
            Ok(script) => assert!(script.source().len() <= SCRIPT_BYTES_MAX),
            Err(error) => {
                assert!(matches!(error, RenderError::TooLarge { .. } | RenderError::Exhausted { .. }), "{error}");
            }
        }
    }
}

/// Renders, and holds the script to its template: between the author's own texts there is one literal for each place,
/// equal to the argument of that name, and it touches no letter, digit or quote.
///
/// # Errors
/// When the template does not render.
///
/// # Panics
/// When the script is something else: it is an oracle.
pub fn shape(template: &Template, arguments: &Arguments) -> Result<Script, RenderError> {
    let script = template.render(arguments)?;
    let (first, places) = pieces(template.source());
    let mut rest = after(script.source(), &first);
    let mut before = first.chars().next_back();
    for (name, text) in places {
        let value = arguments.get(&name).unwrap_or_else(|| panic!("`{name}` has no argument"));
        let next = text.chars().next();
        for beside in before.into_iter().chain(next) {
            let glued = beside.is_alphanumeric() || matches!(beside, '_' | '\'' | '"' | '\\');
            assert!(!glued, "{beside:?} touches `{name}` in {:?}", script.source());
        }
        let line = rest.find('\n').unwrap_or(rest.len());
        let mut ends = (0..=line).filter(|end| rest.is_char_boundary(*end) && rest[*end..].starts_with(&text));
        let end = ends.find(|end| reader::read(&rest[..*end]).as_ref() == Some(value));
        let end = end.unwrap_or_else(|| panic!("`{name}` is not {value} in {:?}", &rest[..line]));
        rest = &rest[end + text.len()..];
        before = text.chars().next_back();
    }
    assert!(rest.is_empty(), "the script goes on: {rest:?}");
    Ok(script)
}

/// The author's text up to the first place, and then each place by its name with the text after it. Comments are left
/// out.
fn pieces(source: &str) -> (String, Vec<(String, String)>) {
    let mut first = String::new();
    let mut places: Vec<(String, String)> = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('{') {
        let (text, tag) = rest.split_at(at);
        let (own, after) = if let Some(inside) = tag.strip_prefix("{#") {
            (text, inside.split_once("#}").expect("a loaded template closes its comments").1)
        } else if let Some(inside) = tag.strip_prefix("{{") {
            let (expression, after) = inside.split_once("}}").expect("a loaded template closes its places");
            places.last_mut().map_or(&mut first, |(_, text)| text).push_str(text);
            let name = expression.split('|').next().unwrap_or_default().trim();
            places.push((name.to_owned(), String::new()));
            ("", after)
        } else {
            rest.split_at(at + 1)
        };
        places.last_mut().map_or(&mut first, |(_, text)| text).push_str(own);
        rest = after;
    }
    places.last_mut().map_or(&mut first, |(_, text)| text).push_str(rest);
    (first, places)
}

fn after<'a>(script: &'a str, first: &str) -> &'a str {
    script.strip_prefix(first).unwrap_or_else(|| panic!("the script does not start as its template: {script:?}"))
}

fn reads_back(value: &Value) {
    match literal::python(value) {
        Ok(text) => {
            assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')), "not printable ASCII: {text:?}");
            assert_eq!(reader::read(&text).as_ref(), Some(value), "{text}");
        }
        Err(error) => {
            assert_eq!(error, LiteralError::TooDeep, "JSON has finite numbers only");
            assert!(levels(value) > DEPTH_MAX);
        }
    }
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of templates, and text that could be mistaken for them.
    const PIECES: [&str; 34] = [
        "x = ",
        "{{ a | py }}",
        "{{ b | py }}",
        "{{c|py}}",
        "{{ d | py }}",
        "{{ a }}",
        "{{ a | py | py }}",
        "{{- a | py }}",
        "{{ a | py -}}",
        "{# note #}",
        "{##}",
        "{% raw %}",
        "{% endraw %}",
        "{",
        "}",
        "{{",
        "}}",
        "#}",
        "{#",
        "'",
        "\"",
        "'''",
        "\"\"\"",
        "\\",
        "#",
        "\n",
        "\r\n",
        " ",
        "f",
        "(",
        ")",
        ", ",
        "# comment\n",
        "\u{2028}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn t04_any_bytes_as_a_value_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            literal(&bytes);
        }

        #[test]
        fn t04_any_json_as_a_value_reads_back(text in "[\\[\\]{}:, \"\\\\nu0-9aeE.+-]{0,60}") {
            literal(text.as_bytes());
        }

        #[test]
        fn t06_any_template_is_refused_or_keeps_its_shape(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..12),
            value in "[a-z{}'\"\\\\# \u{2028},]{0,30}",
        ) {
            render(format!("{}\0{value}", pieces.concat()).as_bytes());
        }
    }

    #[test]
    fn t05_a_value_nested_too_deeply_is_refused() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [0, 1, DEPTH_MAX, DEPTH_MAX + 1, 120, 100_000] {
            literal(nested(depth).as_bytes());
        }
    }
}
