//! Arguments as models and frameworks send them, and what is made of each.

use super::*;

/// The call, or the whole message about it.
fn told(name: &str, arguments: &str) -> String {
    match Call::parse(name, arguments) {
        Ok(Call::Execute(execute)) => format!("{execute:?}"),
        Ok(Call::Intent(run)) => format!("{run:?}"),
        Ok(Call::Read(read)) => format!("{read:?}"),
        Err(error) => error.to_string(),
    }
}

/// The hint for wrong arguments.
fn hint(name: &str, arguments: &Value) -> &'static str {
    match Call::parse(name, &arguments.to_string()) {
        Err(CallError::Arguments { hint, .. }) => hint,
        other => panic!("{arguments}: {other:?}"),
    }
}

#[test]
fn arguments_are_what_the_tool_declares_and_nothing_else() {
    for (name, arguments, expected) in [
        ("read_result", json!({"handle": "a", "offset": 7}), "ReadResult { handle: \"a\", offset: 7 }"),
        ("read_result", json!({"handle": "a", "offset": -1}), "`offset` must be a whole number, and is -1"),
        ("read_result", json!({"handle": "a", "offset": 1.5}), "`offset` must be a whole number, and is 1.5"),
        ("read_result", json!({"handle": "a", "offset": "x"}), "`offset` must be a whole number, and is \"x\""),
        ("read_result", json!({"handle": 5}), "`handle` must be a string, and is 5"),
        ("read_result", json!({}), "missing field `handle`"),
        ("execute_code", json!({}), "missing field `code`"),
        ("execute_code", json!(null), "missing field `code`"),
        ("execute_code", json!({"code": null}), "missing field `code`"),
        ("execute_code", json!({"code": ["1"]}), "`code` must be a string, and is [\"1\"]"),
        ("execute_code", json!(["1", {}]), "the arguments must be an object, and are [\"1\",{}]"),
        (
            "execute_code",
            json!("{\"code\": \"1\"}"),
            "the arguments must be an object, and are \"{\\\"code\\\": \\\"1\\\"}\"",
        ),
        (
            "execute_code",
            json!({"code": "1", "file": "/etc/passwd"}),
            "unknown field `file`, expected one of `code`, `params`, `intent`, `limits`",
        ),
        (
            "execute_code",
            json!({"code": "1", "params": [1]}),
            "`params` must be an object, such as {\"limit\": 5}, and is [1]",
        ),
        (
            "execute_code",
            json!({"code": "1", "params": "limit=5"}),
            "`params` must be an object, such as {\"limit\": 5}, and is \"limit=5\"",
        ),
        ("execute_code", json!({"code": "1", "intent": 5}), "`intent` must be a string, and is 5"),
        ("run_intent", json!({"intent": 5}), "`intent` must be a string, and is 5"),
        ("run_intent", json!({"intent": null}), "missing field `intent`"),
        (
            "run_intent",
            json!({"intent": "a", "params": [1]}),
            "`params` must be an object, such as {\"limit\": 5}, and is [1]",
        ),
        (
            "execute_code",
            json!({"code": "1", "limits": "\u{7f}5000 ms"}),
            "`limits` must be an object, such as {\"wall_ms\": 5000}, and is \"\\u{7f}5000 ms\"",
        ),
        (
            "execute_code",
            json!({"code": "1", "limits": {"wall_ms": "5s"}}),
            "the limit `wall_ms` must be a whole number, such as 5000, and is \"5s\"",
        ),
        ("rm", json!({}), "there is no such tool"),
    ] {
        assert_eq!(told(name, &arguments.to_string()), expected);
    }
    assert_eq!(told("execute_code", ""), "missing field `code`");
    for (arguments, expected) in [
        ("{\"code\":\"1\",\"code\":\"2\"}", "the field `code` is given twice"),
        ("{\"code\":\"1\",\"limits\":{\"fuel\":1,\"fuel\":2}}", "the limit `fuel` is given twice"),
        ("{\"code\":\"1\"", "the arguments are not a JSON object: EOF while parsing an object"),
    ] {
        assert_eq!(told("execute_code", arguments), expected);
    }
    let limits = |count: usize| {
        let limits: JsonObject = (0..count).map(|index| (format!("limit{index}"), json!(1))).collect();
        told("execute_code", &json!({"code": "1", "limits": limits}).to_string())
    };
    assert!(limits(LIMITS_MAX).starts_with("Execute"));
    assert_eq!(limits(LIMITS_MAX + 1), "at most 32 limits can be set");
}

/// What frameworks send for arguments that were left out.
#[test]
fn null_is_absent_wherever_an_argument_is_optional() {
    for (name, left_out, sent) in [
        ("execute_code", json!({"code": "1"}), json!({"code": "1", "params": null, "intent": null, "limits": null})),
        ("execute_code", json!({"code": "1"}), json!({"code": "1", "limits": {"wall_ms": null, "fuel": null}})),
        (
            "execute_code",
            json!({"code": "1", "limits": {"fuel": 7}}),
            json!({"code": "1", "limits": {"wall_ms": null, "fuel": 7}}),
        ),
        ("run_intent", json!({"intent": "a"}), json!({"intent": "a", "params": null})),
        ("read_result", json!({"handle": "a"}), json!({"handle": "a", "offset": null})),
    ] {
        let expected = told(name, &left_out.to_string());
        assert!(expected.contains(" { "), "it is a call: {expected}");
        assert_eq!(told(name, &sent.to_string()), expected, "{sent}");
    }
}

#[test]
fn what_has_exactly_one_meaning_is_read_however_it_is_written() {
    for (name, plain, sent) in [
        (
            "execute_code",
            "{\"code\":\"1\",\"limits\":{\"wall_ms\":60000}}",
            vec![
                json!({"code": "1", "limits": {"wall_ms": "60000"}}),
                json!({"code": "1", "limits": {"wall_ms": 60000.0}}),
                json!({"code": "1", "limits": {"wall_ms": "6e4"}}),
                json!({"code": "1", "limits": "{\"wall_ms\": 60000}"}),
                json!({"code": "1", "limits": " {\"wall_ms\": \"60000\"}\n"}),
            ],
        ),
        (
            "execute_code",
            "{\"code\":\"1\",\"params\":{\"limit\": 5}}",
            vec![json!({"code": "1", "params": "{\"limit\": 5}"}), json!({"code": "1", "params": "\n{\"limit\": 5} "})],
        ),
        (
            "run_intent",
            "{\"intent\":\"a\",\"params\":{\"limit\":5}}",
            vec![json!({"intent": "a", "params": "{\"limit\": 5}"})],
        ),
        (
            "read_result",
            "{\"handle\":\"0a1b\",\"offset\":8192}",
            vec![
                json!({"handle": "0a1b", "offset": "8192"}),
                json!({"handle": "0a1b", "offset": 8192.0}),
                json!({"handle": "\"0a1b\"", "offset": 8192}),
                json!({"handle": "handle 0a1b", "offset": 8192}),
                json!({"handle": " Handle: `0a1b`, ", "offset": 8192}),
            ],
        ),
    ] {
        let expected = told(name, plain);
        assert!(expected.contains(" { "), "it is a call: {expected}");
        for sent in sent {
            assert_eq!(told(name, &sent.to_string()), expected, "{sent}");
        }
    }
    // The largest number that is exact with a point, and numbers that are not whole or not exact.
    for (number, expected) in [
        ("9007199254740992.0", Some(9_007_199_254_740_992)),
        ("18446744073709551615", Some(u64::MAX)),
        ("\"0\"", Some(0)),
        ("18446744073709551616", None),
        ("9007199254740994.0", None),
        ("1.5", None),
        ("-5", None),
        ("\"5_000\"", None),
        ("\"inf\"", None),
        ("true", None),
        ("[1]", None),
    ] {
        assert_eq!(whole_number(number), expected, "{number}");
    }
    // A text is no way round what is checked in an object.
    for params in ["{\"a\": 1e999}", "{\"a\": 1} {}", "{\"$serde_json::private::RawValue\": \"5\"}", "[1]", "null", ""]
    {
        let sent = json!({"code": "1", "params": params}).to_string();
        assert!(told("execute_code", &sent).starts_with("`params` must be an object"), "{params}");
    }
}

#[test]
fn a_field_of_another_name_is_led_to_the_right_one() {
    const TIME: &str = "the time limit is `wall_ms` of `limits`, in milliseconds: {\"code\": \"…\", \"limits\": \
                        {\"wall_ms\": 30000}} allows 30 seconds";
    const OFFSET: &str = "`offset` counts characters: leave it out for the first page, and send the `next` of a page as \
                          the `offset` of the one after it";
    const LIMITS: &str = "send `limits` as an object of names and whole numbers, such as {\"wall_ms\": 5000, \
                          \"memory_bytes\": 134217728}, and leave out what needs no other limit";
    for (name, arguments, expected) in [
        ("execute_code", json!({"code": "1", "timeout": 30}), TIME),
        ("execute_code", json!({"code": "1", "timeoutMs": 30_000}), TIME),
        ("execute_code", json!({"code": "1", "limits": {"timeout": 30}}), TIME),
        ("execute_code", json!({"code": "1", "limits": {"wall_ms": "30s"}}), LIMITS),
        ("execute_code", json!({"code": "1", "limits": 5}), LIMITS),
        (
            "execute_code",
            json!({"code": "1", "more": 1}),
            "send {\"code\": \"result = 1 + 1\"}; `params`, `intent` and `limits` are optional",
        ),
        (
            "execute_code",
            json!({"code": "1", "params": 5}),
            "send `params` as an object of names and values, or leave it out",
        ),
        ("run_intent", json!({"intent": "a", "timeout": 5}), "only execute_code takes limits: leave them out"),
        ("read_result", json!({"handle": "a", "page": 2}), OFFSET),
        ("read_result", json!({"handle": "a", "offset": "second"}), OFFSET),
        ("read_result", json!({"handle": "a", "limit": 100}), "pages have one size: `offset` alone says which is read"),
    ] {
        assert_eq!(hint(name, &arguments), expected, "{arguments}");
    }
    let timeout = json!({"code": "1", "limits": {"timeout": 30}}).to_string();
    assert_eq!(told("execute_code", &timeout), "there is no limit `timeout`");
}

#[test]
fn a_field_of_another_name_with_one_meaning_is_that_field() {
    for (name, sent, plain) in [
        ("execute_code", json!({"script": "1"}), json!({"code": "1"})),
        ("execute_code", json!({"code": "1", "args": {"a": 1}}), json!({"code": "1", "params": {"a": 1}})),
        ("execute_code", json!({"code": "1", "more": null}), json!({"code": "1"})),
        ("run_intent", json!({"query": "list errors"}), json!({"intent": "list errors"})),
        (
            "run_intent",
            json!({"query": "list errors", "limit": 2}),
            json!({"intent": "list errors", "params": {"limit": 2}}),
        ),
        // What the sentence is about, where there is one.
        (
            "run_intent",
            json!({"intent": "search", "query": "a"}),
            json!({"intent": "search", "params": {"query": "a"}}),
        ),
        (
            "run_intent",
            json!({"intent": "a", "params": {"limit": 1}, "limit": 2}),
            json!({"intent": "a", "params": {"limit": 1}}),
        ),
        ("read_result", json!({"id": "a"}), json!({"handle": "a"})),
    ] {
        let plain = told(name, &plain.to_string());
        assert!(plain.contains(" { "), "it is a call: {plain}");
        assert_eq!(told(name, &sent.to_string()), plain, "{sent}");
    }
    for (name, sent, expected) in [
        (
            "execute_code",
            json!({"code": "1", "script": "2"}),
            "unknown field `script`, expected one of `code`, `params`, `intent`, `limits`",
        ),
        ("run_intent", json!({"intent": "a", "code": "1"}), "unknown field `code`, expected one of `intent`, `params`"),
    ] {
        assert_eq!(told(name, &sent.to_string()), expected);
    }
    assert_eq!(told("run_intent", "{\"intent\":\"a\",\"b\":1,\"b\":2}"), "the field `b` is given twice");
    let many = |count: usize| {
        let mut sent: JsonObject = (0..count).map(|index| (format!("value{index}"), json!(1))).collect();
        sent.insert("intent".to_owned(), json!("a"));
        told("run_intent", &Value::Object(sent).to_string())
    };
    assert!(many(OTHERS_MAX).starts_with("RunIntent"));
    assert_eq!(many(OTHERS_MAX + 1), "the arguments are not a JSON object: more than 32 unknown fields");
}

#[test]
fn params_of_code_are_the_text_that_was_sent_and_an_intent_is_the_same_however_it_is_written() {
    let sent = "{\"code\": \"1\", \"params\": {\"a\" : [1.0, 1e2]}}";
    let Ok(Call::Execute(execute)) = Call::parse("execute_code", sent) else { panic!("it is a call: {sent}") };
    assert_eq!(execute.params.expect("there are some").get(), "{\"a\" : [1.0, 1e2]}");
    let text = |arguments: &str| match Call::parse("run_intent", arguments) {
        Ok(Call::Intent(run)) => run.text,
        other => panic!("{other:?}"),
    };
    let one = text("{\"intent\":\"list errors\",\"params\":{\"limit\":5}}");
    assert_eq!(one, text(" { \"intent\": \"list \\u0065rrors\",\n \"params\": {\"limit\": 5} } ".trim()));
    assert_eq!(one, text("{\"params\": \"{\\\"limit\\\": 5}\", \"intent\": \"list errors\"}"));
    assert_ne!(one, text("{\"intent\":\"list errors\",\"params\":{\"limit\":6}}"));
}

#[test]
fn the_longest_arguments_of_an_intent_and_the_first_that_are_refused() {
    let of = |length: usize| {
        let rest = "{\"intent\":\"\"}".len();
        told("run_intent", &format!("{{\"intent\":\"{}\"}}", "x".repeat(length - rest)))
    };
    assert!(of(INTENT_BYTES_MAX).starts_with("RunIntent"));
    assert_eq!(of(INTENT_BYTES_MAX + 1), "the arguments have 65537 bytes; at most 65536 are read");
}
