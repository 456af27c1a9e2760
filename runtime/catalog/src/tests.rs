//! The rows `t…` of the threat model, and those of `s…` that are about templates: values stay data, templates stay
//! small.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalog::FILE_BYTES_MAX;
use crate::oracle::shape;
use crate::script::SCRIPT_BYTES_MAX;
use crate::{Catalog, CatalogError, ParamError, ParamKind, RenderError, Template, TemplateId};

static EMBEDDED: LazyLock<Arc<Catalog>> =
    LazyLock::new(|| Catalog::embedded().unwrap_or_else(|error| panic!("{error}")));

/// One parameter of each type.
const MANIFEST: &str = r#"
summary = "Takes anything."
phrases = ["take anything"]
effects = "read"

[params.text]
type = "string"
description = "Text."
length_max = 1000

[params.count]
type = "integer"
description = "A number."

[params.share]
type = "number"
description = "A number with a fraction."

[params.flag]
type = "boolean"
description = "Yes or no."

[params.sort]
type = "enum"
description = "One of two."
values = ["date", "freq"]

[params.period]
type = "duration"
description = "A time."

[params.since]
type = "datetime"
description = "A point in time."

[params.names]
type = "list"
items = "string"
items_max = 1000
length_max = 10000
description = "Several texts."
"#;
const SCRIPT: &str = "text = {{ text | py }}\nvalues = [{{ count | py }}, {{ share | py }}, {{ flag | py }}]\n\
                      more = ({{ sort | py }}, {{ period | py }}, {{ since | py }}, {{ names | py }})\n";

/// Texts that have left a string, a line or a template somewhere.
const HOSTILE: [&str; 34] = [
    "\"); import os; (\"",
    "'); import os; ('",
    "'''",
    "\"\"\"",
    "\\",
    "\\'",
    "'\\",
    "\\\\'",
    "trailing \\",
    "\\N{BULLET}",
    "\\x27",
    "\\u0027",
    "\\",
    "#",
    "' # ",
    "{__import__('os')}",
    "{{ 7*7 }}",
    "{% include 'x' %}",
    "{# note #}",
    "%s%n%1000000d",
    "${HOME}",
    "$(id)",
    "`id`",
    "a;b",
    "'; DROP TABLE x; --",
    "../../etc/passwd",
    "\u{2028}",
    "\u{2029}'",
    "\u{202e}'+'",
    "\u{feff}",
    "\u{200b}'",
    "\u{ff07}",
    "\u{fdd0}\u{10ffff}",
    "é'\u{301}",
];

fn load(manifest: &str, script: &str) -> Result<Catalog, CatalogError> {
    Catalog::from_files([("p/t/template.toml", manifest.as_bytes()), ("p/t/script.py.j2", script.as_bytes())])
}

/// Checks values against the template with one parameter of each type, and renders it.
fn run(given: &Value) -> Result<String, String> {
    static ANYTHING: LazyLock<Catalog> = LazyLock::new(|| load(MANIFEST, SCRIPT).expect("it is well formed"));
    let template = ANYTHING.get("p/t").expect("it was just loaded");
    let given: BTreeMap<String, Value> = serde_json::from_value(given.clone()).expect("it is an object");
    let arguments = template.check(&given, &BTreeMap::new()).map_err(|error| error.to_string())?;
    let script = shape(template, &arguments).map_err(|error| error.to_string())?;
    Ok(script.source().to_owned())
}

/// Values for what a template cannot do without.
fn required(template: &Template) -> BTreeMap<String, Value> {
    let required = template.parameters().iter().filter(|spec| spec.is_required());
    required.map(|spec| (spec.name().to_owned(), spec.read(&spec.example()).expect("its own example"))).collect()
}

/// Every parameter of every embedded template that takes text, alone or in a list.
fn slots() -> Vec<(&'static Template, &'static str, bool)> {
    let of = |template: &'static Template| {
        template.parameters().iter().filter_map(move |spec| match spec.kind() {
            ParamKind::String { .. } => Some((template, spec.name(), false)),
            ParamKind::List { item, .. } if matches!(**item, ParamKind::String { .. }) => {
                Some((template, spec.name(), true))
            }
            _ => None,
        })
    };
    EMBEDDED.templates().flat_map(of).collect()
}

/// Puts `text` into one slot: it is refused as a parameter, or its script has the shape of its template, with the text
/// in it as one literal. Returns whether it got that far.
fn put(&(template, name, is_list): &(&'static Template, &'static str, bool), text: &str) -> bool {
    let mut given = required(template);
    given.insert(name.to_owned(), if is_list { json!([text]) } else { json!(text) });
    let arguments = match template.check(&given, &BTreeMap::new()) {
        Ok(arguments) => arguments,
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 1000 && !message.contains(char::is_control), "{}: {message}", template.id());
            return false;
        }
    };
    let script = shape(template, &arguments).unwrap_or_else(|error| panic!("{}: {error}", template.id()));
    let unset = template.check(&required(template), &BTreeMap::new()).expect("it has what it needs");
    let unset = template.render(&unset).expect("it renders");
    let lines = |source: &str| source.split('\n').count();
    assert_eq!(lines(script.source()), lines(unset.source()), "{}: {name} = {text:?}", template.id());
    true
}

#[test]
fn t01_no_value_leaves_its_place_in_any_embedded_template() {
    let slots = slots();
    assert!(slots.len() >= EMBEDDED.templates().count() / 2, "most templates take text");
    let mut reached = 0;
    for slot in &slots {
        for text in HOSTILE {
            reached += usize::from(put(slot, text));
            reached += usize::from(put(slot, &format!("a{text}b")));
        }
    }
    assert!(reached > HOSTILE.len() * 2, "some parameters take any text: {reached}");
}

/// A hundred thousand values of each run, or as many as `PROPTEST_CASES` asks for: a million take some minutes.
fn many() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(100_000), ..default }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn t01_any_text_in_any_place_keeps_the_shape(
        slot in 0_usize..1000,
        text in prop_oneof![
            proptest::collection::vec(any::<char>(), 0..12).prop_map(|letters| letters.into_iter().collect::<String>()),
            "[a-z'\"\\\\{}()#%\\[\\], \u{2028}\u{202e}\u{feff}é]{0,20}",
        ],
    ) {
        static SLOTS: LazyLock<Vec<(&'static Template, &'static str, bool)>> = LazyLock::new(slots);
        put(&SLOTS[slot % SLOTS.len()], &text);
    }
}

/// As a literal writes it: braces and quotes are escaped.
fn escaped(text: &str) -> String {
    text.replace('\'', "\\'").replace('{', "\\x7b").replace('}', "\\x7d")
}

#[test]
fn t02_a_value_that_is_a_template_is_text() {
    for text in [
        "{{ 7*7 }}",
        "{{ text | py }}",
        "{% include 'p/t/script.py.j2' %}",
        "{% for x in y %}",
        "{# note #}",
        "{{ count }}",
        "{% raw %}",
        "{% endraw %}",
        "{{",
        "}}",
        "{%",
        "#}",
    ] {
        let script = run(&json!({"text": text, "names": [text, text]})).unwrap();
        assert!(script.starts_with(&format!("text = '{}'\n", escaped(text))), "{script}");
        assert!(!script.contains("49"), "{script}");
    }
}

#[test]
fn t03_a_value_of_another_type_is_refused() {
    let deep = (0..1000).fold(json!(1), |value, _| json!([value]));
    let large: Value = serde_json::from_str("1000000000000000000000000").unwrap();
    for (name, value) in [
        ("count", json!({"__class__": 1})),
        ("count", json!(true)),
        ("count", json!("1")),
        ("count", json!(1.5)),
        ("count", json!([1])),
        ("count", json!(null)),
        ("count", json!(u64::MAX)),
        ("count", large.clone()),
        ("count", deep.clone()),
        ("share", json!("0.5")),
        ("share", json!("NaN")),
        ("flag", json!(0)),
        ("flag", json!("true")),
        ("text", json!(true)),
        ("text", json!({"a": 1})),
        ("text", deep.clone()),
        ("sort", json!("size")),
        ("sort", json!(["date"])),
        ("period", json!(24)),
        ("period", json!("9".repeat(400))),
        ("since", json!("yesterday\0")),
        ("names", json!("a")),
        ("names", json!([1])),
        ("names", json!([["a"]])),
        ("names", json!([null])),
        ("names", json!({"0": "a"})),
        ("names", deep),
        ("names", json!(vec!["a"; 1001])),
        ("text", json!("a".repeat(1001))),
        ("__class__", json!(1)),
        ("__proto__", json!({})),
        ("Text", json!("a")),
        ("text ", json!("a")),
        ("", json!(1)),
    ] {
        let error = run(&json!({name: value})).unwrap_err();
        assert!(error.len() < 1000 && !error.contains(char::is_control), "{name}: {error}");
    }
    // Numbers that no JSON value here can hold do not become others.
    assert!(serde_json::from_str::<Value>(&format!("1{}", "0".repeat(400))).is_err());
    assert!(serde_json::from_str::<Value>("NaN").is_err());
}

#[test]
fn t04_strange_characters_are_data_or_refused() {
    for text in [
        "\u{2028}",
        "\u{2029}",
        "\u{202e}a\u{202c}",
        "\u{2066}",
        "\u{feff}",
        "\u{200d}",
        "\u{fdd0}",
        "\u{10ffff}",
        "e\u{301}",
    ] {
        let script = run(&json!({"text": text})).unwrap();
        assert!(script.is_ascii() && script.lines().count() == 3, "{script:?}");
    }
    for text in ["\0", "a\0b", "\n", "\r", "\u{b}", "\u{c}", "\u{1b}[2J", "\u{7f}", "\u{85}", "\u{9b}31m"] {
        let error = run(&json!({"text": text})).unwrap_err();
        assert!(error.contains("must not hold control characters"), "{text:?}: {error}");
    }
    for key in ["te\u{445}t", "text\u{200b}", "\u{feff}text", "tex\u{74}\u{301}", "\u{202e}txet", "text\0"] {
        let error = run(&json!({key: "a"})).unwrap_err();
        assert!(error.contains("has no parameter"), "{key:?}: {error}");
        assert!(
            !error.contains(['\u{200b}', '\u{feff}', '\u{202e}', '\0']),
            "what cannot be seen is shown as an escape"
        );
    }
    // Half a surrogate pair is no text in JSON either.
    assert!(serde_json::from_str::<Value>("\"\\ud800\"").is_err());
}

/// Templates that are learned do not exist yet. A template of anybody is held by what is here: its file is small, the
/// dialect has no statements, so nothing in it repeats, and its script has a length.
#[test]
fn t05_a_template_cannot_repeat_anything() {
    for script in [
        "{% for x in range(1000000000) %}x{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% include 'p/t/script.py.j2' %}",
        "{% import 'p/t/script.py.j2' as t %}",
        "{% extends 'p/t/script.py.j2' %}",
        "{% set x = 'a' * 100000000 %}",
        "x = {{ 'a' * 100000000 | py }}",
        "x = {{ text * 100000000 | py }}",
        "x = {{ range(1000000000) | list | py }}",
        "x = {{ text | replace('a', 'aaaaaaaaaa') | py }}",
        "x = {{ '%1000000000d' | format(1) | py }}",
        "x = {{ text | center(1000000000) | py }}",
    ] {
        let error = load(MANIFEST, script).map(|_| ()).unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("p/t/script.py.j2", 1), "{script}");
    }
    let fill = |bytes: usize| "#".repeat(bytes);
    assert!(load(MANIFEST, &fill(FILE_BYTES_MAX)).is_ok());
    assert!(load(MANIFEST, &fill(FILE_BYTES_MAX + 1)).is_err());
    // The most places that a file has room for.
    let script = "{{text|py}},".repeat(FILE_BYTES_MAX / 12);
    let catalog = load(MANIFEST, &script).unwrap();
    let template = catalog.get("p/t").unwrap();
    let long = BTreeMap::from([("text".to_owned(), json!("\u{10ffff}".repeat(1000)))]);
    let error = template.render(&template.check(&long, &BTreeMap::new()).unwrap()).unwrap_err();
    assert!(matches!(error, RenderError::TooLarge { .. } | RenderError::Exhausted { .. }), "{error}");
}

#[test]
fn t06_a_name_that_is_no_parameter_is_refused_when_the_template_is_loaded() {
    for name in [
        "x",
        "debug",
        "loop",
        "params",
        "os",
        "py",
        "text2",
        "range",
        "dict",
        "Text",
        "TEXT",
        "te xt",
        "text.x",
        "_text",
        "__class__",
        "debug()",
        "text()",
    ] {
        assert!(load(MANIFEST, &format!("x = {{{{ {name} | py }}}}\n")).is_err(), "{name}");
    }
    assert!(load(MANIFEST, "x = {{ text | py }}\n").is_ok());
}

#[test]
fn t07_names_are_ids_and_never_paths() {
    for id in [
        "../../etc/passwd",
        "/etc/passwd",
        "sentry/../sentry/list_errors",
        "sentry//list_errors",
        "sentry/list_errors\0",
        "sentry/list_errors/",
        "./sentry/list_errors",
        "sentry\\list_errors",
        "sentry/list_errors.py",
        "SENTRY/list_errors",
        "sentry",
        "",
        "sentry/list_errors/script.py.j2",
    ] {
        assert!(id.parse::<TemplateId>().is_err() && EMBEDDED.get(id).is_none(), "{id:?}");
    }
    for folder in ["../t", "p/..", "/p/t", "p\0/t", "p/t\0", "P/t", "p/t t", "./t", "~/t", "p/.t"] {
        let (manifest, script) = (format!("{folder}/template.toml"), format!("{folder}/script.py.j2"));
        let files = [(manifest.as_str(), MANIFEST.as_bytes()), (script.as_str(), SCRIPT.as_bytes())];
        assert!(Catalog::from_files(files).is_err(), "{folder:?}");
    }
    for reference in
        ["{% include '../x/script.py.j2' %}", "{% extends '/etc/passwd' %}", "{% import 'q/t/script.py.j2' as x %}"]
    {
        assert!(load(MANIFEST, reference).is_err(), "{reference}");
    }
}

/// The host does not parse scripts, so it does not notice a template that is not Python. Its cases do: they run in the
/// sandbox, and end as `syntax_error`.
#[test]
fn t09_a_script_that_is_too_large_is_refused_before_it_runs() {
    let names = |count: usize, length: usize| json!({"names": vec!["\u{10ffff}".repeat(length); count]});
    assert!(run(&names(10, 10_000)).is_ok());
    let error = run(&names(11, 10_000)).unwrap_err();
    assert_eq!(error, format!("p/t/script.py.j2: the script would be longer than {SCRIPT_BYTES_MAX} bytes"));
    assert!(run(&names(30, 10_000)).is_err());
}

#[test]
fn s01_a_template_has_no_name_for_a_secret() {
    for name in ["token", "secret", "authorization", "sentry_token", "api_key", "origins", "settings", "env"] {
        let error = load(MANIFEST, &format!("x = {{{{ {name} | py }}}}\n")).map(|_| ()).unwrap_err();
        assert!(error.to_string().ends_with("the name is not a declared parameter"), "{error}");
    }
    // A setting is what the operator wrote beside the token, never the token; without it the parameter is missing.
    let manifest = MANIFEST.replace(
        "[params.text]\n",
        "[params.token]\ntype = \"string\"\ndescription = \"T.\"\nrequired = true\n\
         default_from = \"sentry.token\"\n\n[params.text]\n",
    );
    let catalog = load(&manifest, "x = {{ token | py }}\n").unwrap();
    let template = catalog.get("p/t").unwrap();
    let settings = BTreeMap::from([("sentry.organization".to_owned(), "acme".to_owned())]);
    assert!(matches!(template.check(&BTreeMap::new(), &settings), Err(ParamError::Missing { .. })));
}

#[test]
fn s01_no_embedded_template_asks_for_a_token_or_sets_a_credential() {
    for template in EMBEDDED.templates() {
        let source = template.source().to_ascii_lowercase();
        for word in ["authorization", "bearer", "api_key", "apikey", "password"] {
            assert!(!source.contains(word), "{}: {word}", template.id());
        }
        for spec in template.parameters() {
            for word in ["token", "secret", "password"] {
                let setting = spec.default_from().unwrap_or_default();
                assert!(!spec.name().contains(word) && !setting.contains(word), "{}: {}", template.id(), spec.name());
            }
        }
    }
}

#[test]
fn s03_a_placeholder_in_a_value_is_text() {
    for text in ["{token}", "{{ token }}", "${TOKEN}", "$TOKEN", "%(token)s", "{sentry.token}", "****"] {
        let script = run(&json!({"text": text})).unwrap();
        assert!(script.starts_with(&format!("text = '{}'\n", escaped(text))), "{script}");
    }
}
