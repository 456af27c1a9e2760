//! Reports, and the whole answer that a model gets for each.

use intentbox_engine::{MissingOrigin, Permission, Refused, Remedy, RunId};
use serde_json::value::RawValue;

use super::*;

fn failed(cause: Cause, message: &str) -> Report {
    Report::failed(RunId::of(0), Failure::new(cause, message))
}

fn ok(json: &str) -> Report {
    let result = RawValue::from_string(json.to_owned()).expect("it is JSON");
    Report { result: Some(result), ..Report::new(RunId::of(0)) }
}

/// The text, whether it is an error, and the structured form.
fn told(report: &Report) -> (String, bool, Value) {
    noted(report, None)
}

/// The same, with a note. Every field of the structured form is one that the tool declares: typed clients drop others.
fn noted(report: &Report, note: Option<&str>) -> (String, bool, Value) {
    let result = of_report(report, note, &Principal::local(), &Results::new());
    assert_eq!(result.content.len(), 1, "some clients read the first block alone");
    assert_declared("run_intent", &result);
    let text = result.content[0].as_text().expect("the first block is text").text.clone();
    (text, result.is_error == Some(true), result.structured_content.expect("there is one"))
}

/// Checks that a tool declares every field of an answer.
fn assert_declared(tool: &str, result: &CallToolResult) {
    let tool = intentbox_mcp_wire::tools::all().iter().find(|known| known.name == tool).expect("there is one");
    let schema = tool.output_schema.as_ref().expect("it says what comes back");
    let sent = result.structured_content.as_ref().and_then(Value::as_object).expect("there is a structured form");
    for field in sent.keys() {
        assert!(schema["properties"].get(field).is_some(), "`{field}` is not declared");
    }
}

#[test]
fn an_answer_is_the_result_and_little_else() {
    for (json, text) in [
        ("2", "2"),
        ("null", "null: nothing was assigned to `result`, or None was"),
        ("[{\"id\":\"WEB-1\"}]", "[{\"id\":\"WEB-1\"}]"),
        ("\"a\\nb\"", "a\nb"),
        ("18446744073709551615", "18446744073709551615"),
        ("[-9223372036854775808,1e30,0.12345678901234567890]", "[-9223372036854775808,1e30,0.12345678901234567890]"),
        ("\"18446744073709551616 \\\" 18446744073709551616\"", "18446744073709551616 \" 18446744073709551616"),
        ("{\"$serde_json::private::RawValue\":\"5\"}", "{\"$serde_json::private::RawValue\":\"5\"}"),
    ] {
        let value = parse_value(json).expect("it is JSON");
        assert_eq!(told(&ok(json)), (text.to_owned(), false, json!({"outcome": "ok", "result": value})), "{json}");
    }
    let printed = Report { stdout: "hello\n".to_owned(), stderr: "careful\n".to_owned(), ..ok("1") };
    assert_eq!(
        told(&printed),
        (
            "1\nstdout: hello\nstderr: careful".to_owned(),
            false,
            json!({"outcome": "ok", "result": 1, "stdout": "hello\n", "stderr": "careful\n"})
        )
    );
}

/// A block that is empty or of white space is one that some models refuse.
#[test]
fn a_blank_text_is_said_in_its_quotes_and_is_structured_as_it_is() {
    for (result, text) in [
        ("", "\"\""),
        ("\n", "\"\\n\""),
        (" \t", "\" \\t\""),
        ("\u{1f}", "\"\\u001f\""),
        ("\u{3000}\u{feff}", "\"\u{3000}\u{feff}\""),
        (" a ", " a "),
        ("\"", "\""),
    ] {
        let expected = (text.to_owned(), false, json!({"outcome": "ok", "result": result}));
        assert_eq!(told(&ok(&json!(result).to_string())), expected, "{result:?}");
    }
}

#[test]
fn a_whole_number_beyond_64_bits_is_a_text_at_its_place_alone() {
    for (json, result) in [
        ("18446744073709551616", json!("18446744073709551616")),
        ("-9223372036854775809", json!("-9223372036854775809")),
        ("[-18446744073709551615,1]", json!(["-18446744073709551615", 1])),
        ("{\"a\":18446744073709551616,\"b\":1}", json!({"a": "18446744073709551616", "b": 1})),
        (
            "{\"a\":[-12345678901234567890123,\"18446744073709551616\",1.5],\"b\":99999999999999999999}",
            json!({"a": ["-12345678901234567890123", "18446744073709551616", 1.5], "b": "99999999999999999999"}),
        ),
    ] {
        let note = "whole numbers beyond 64 bits are texts in `result`";
        let expected = (json.to_owned(), false, json!({"outcome": "ok", "result": result, "note": note}));
        assert_eq!(told(&ok(json)), expected);
        let (text, _, structured) = noted(&ok(json), Some("demo"));
        assert_eq!((text, &structured["note"]), (format!("{json}\ndemo"), &json!(format!("demo; {note}"))));
    }
    let many = format!("[{}]", vec!["18446744073709551616"; 1_000].join(","));
    let (text, _, structured) = told(&ok(&many));
    assert!(text.contains("The result is a list of 1000 items, "), "{}", text.lines().last().unwrap_or_default());
    assert_eq!(structured.get("note"), None, "the pages are the text of the result");
}

#[test]
fn a_page_says_where_it_is_and_is_whole_behind_its_first_line() {
    let text: String = " é\n".chars().cycle().take(PAGE_CHARS_MAX).collect();
    let (next, of) = (PAGE_CHARS_MAX, 2 * PAGE_CHARS_MAX + 1);
    for (page, offset, said, structured) in [
        (
            Page { text: text.clone(), next: Some(next), of },
            0,
            "page 1 of 3: characters 0 to 8192 of 16385; continue with offset 8192",
            json!({"text": text, "next": next, "of": of}),
        ),
        (
            Page { text: "\n".to_owned(), next: None, of },
            2 * PAGE_CHARS_MAX,
            "page 3 of 3: characters 16384 to 16385 of 16385; this is the end",
            json!({"text": "\n", "of": of}),
        ),
        (
            Page { text: text.clone(), next: Some(7 + next), of },
            7,
            "characters 7 to 8199 of 16385; continue with offset 8199",
            json!({"text": text, "next": 7 + next, "of": of}),
        ),
    ] {
        let expected = page.text.clone();
        let result = of_page(page, offset);
        assert_declared("read_result", &result);
        let blocks: Vec<&str> =
            result.content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
        assert_eq!(blocks, [format!("{said}\n{expected}")]);
        assert_eq!(result.structured_content, Some(structured));
    }
}

#[test]
fn the_largest_result_that_is_said_and_the_smallest_that_is_kept() {
    let fits = "x".repeat(INLINE_CHARS_MAX);
    assert_eq!(told(&ok(&json!(fits).to_string())).0, fits);

    let results = Results::new();
    let too_long = json!("é".repeat(INLINE_CHARS_MAX + 1));
    let result = of_report(&ok(&too_long.to_string()), None, &Principal::local(), &results);
    let structured = result.structured_content.expect("there is one");
    assert_eq!(structured.get("result"), None);
    assert_eq!(structured["characters"], json!(INLINE_CHARS_MAX + 1));
    assert_eq!(structured["preview"], json!(format!("{}…", "é".repeat(PREVIEW_CHARS))));
    let handle = structured["handle"].as_str().expect("there is a handle");
    let page = results.read(&Principal::local(), handle, 0).expect("it is kept");
    assert_eq!((page.next, page.of), (Some(PAGE_CHARS_MAX), INLINE_CHARS_MAX + 1));
    let text = &result.content[0].as_text().expect("the first block is text").text;
    assert_eq!(
        text.lines().last(),
        Some(
            format!(
                "The result is a text, {} characters in all. Read it with read_result, handle {handle}, in 2 pages of 8192 \
                 characters, or return less.",
                INLINE_CHARS_MAX + 1
            )
            .as_str()
        )
    );

    let long = "z".repeat(INLINE_CHARS_MAX);
    for (keys, shape) in [
        (vec!["a", "b"], "The result is an object with the keys a, b, "),
        (vec!["a", "b", "c", "d", "e", "f"], "The result is an object with the keys a, b, c, d, e, …, "),
    ] {
        let pairs: JsonObject = keys.into_iter().map(|key| (key.to_owned(), json!([long]))).collect();
        let text = told(&ok(&json!(pairs).to_string())).0;
        assert!(text.contains(shape), "{}", text.lines().last().unwrap_or_default());
    }
    let rows: Vec<Value> = (0..2_000).map(|row| json!({"row": row})).collect();
    assert!(told(&ok(&json!(rows).to_string())).0.contains("The result is a list of 2000 items, "));
    let printed = Report { stdout: "y".repeat(INLINE_CHARS_MAX + 1), ..ok("1") };
    let structured = told(&printed).2;
    assert_eq!(structured["result"], json!(1));
    assert_eq!(structured["stdout_handle"].as_str().map(str::len), Some(32));
}

#[test]
fn a_failure_says_what_where_and_what_to_change() {
    let class = "ZeroDivisionError".to_owned();
    let mut raised = failed(Cause::Raised { class }, "ZeroDivisionError: division by zero");
    if let Some(failure) = &mut raised.failure {
        failure.traceback = Some(
            "Traceback (most recent call last):\n  File \"script.py\", line 9, in <module>\n    a()\n  File \"script.py\", \
             line 7, in a\n    b()\n  File \"script.py\", line 5, in b\n    c()\n  File \"script.py\", line 3, in c\n    1 / \
             0\nZeroDivisionError: division by zero\n"
                .to_owned(),
        );
    }
    let frames = "  …\n  File \"script.py\", line 7, in a\n    b()\n  File \"script.py\", line 5, in b\n    \
                  c()\n  File \"script.py\", line 3, in c\n    1 / 0";
    for (report, text, structured) in [
        (
            raised,
            format!("python_error: ZeroDivisionError: division by zero\n{frames}"),
            json!({"outcome": "python_error", "error": {
                "kind": "ZeroDivisionError", "message": "ZeroDivisionError: division by zero", "traceback": frames,
            }}),
        ),
        (
            {
                let failure = Failure::new(Cause::TargetNotFound, "there is no project x").with_text("name another");
                Report::failed(RunId::of(0), Failure { traceback: Some("Traceback".to_owned()), ..failure })
            },
            "target_not_found: there is no project x\nhint: name another".to_owned(),
            json!({"outcome": "target_not_found", "error": {
                "kind": "target_not_found", "message": "there is no project x", "hint": "name another",
            }}),
        ),
        (
            {
                let rephrase = Rephrase {
                    not_understood: vec!["delete".to_owned(), "all\\u{202e}".to_owned()],
                    nearest: Some("errors".to_owned()),
                    ..Rephrase::default()
                };
                let failure = Failure::new(Cause::NotFound, "no template fits this intent");
                Report::failed(RunId::of(0), failure.with(Remedy::Rephrase(Box::new(rephrase))))
            },
            "not_found: no template fits this intent\nnot understood: delete, all\\u{202e}\nhint: run_intent answers \
             \"errors\"; or write Python for execute_code"
                .to_owned(),
            json!({"outcome": "not_found", "error": {
                "kind": "not_found",
                "message": "no template fits this intent",
                "not_understood": ["delete", "all\\u{202e}"],
                "nearest": "errors",
                "hint": "run_intent answers \"errors\"; or write Python for execute_code",
            }}),
        ),
        (
            Report::failed(
                RunId::of(0),
                Failure::new(
                    Cause::Exhausted { limit: "result_bytes", outcome: Outcome::ResultLimit },
                    "result_bytes: 100 of 100",
                )
                .with_text("do less"),
            ),
            "result_limit: result_bytes: 100 of 100\nhint: do less".to_owned(),
            json!({"outcome": "result_limit", "error": {
                "kind": "result_bytes", "message": "result_bytes: 100 of 100", "hint": "do less",
            }}),
        ),
        (
            Report {
                access: Some(intentbox_capability::Access {
                    http: vec!["sentry: GET /api/0/**".parse().expect("a rule")],
                    ..intentbox_capability::Access::default()
                }),
                ..Report::failed(
                    RunId::of(0),
                    Failure::new(
                        Cause::Refused { class: "CapabilityDenied".to_owned() },
                        "no rule for https://example.com/",
                    )
                    .with(Remedy::Permit(Permission::Origin {
                        origin: MissingOrigin::Named("jira".parse().expect("an alias")),
                        tables: vec!["exec".to_owned()],
                    })),
                )
            },
            "capability_denied: CapabilityDenied: no rule for https://example.com/\nhint: granted here: sentry: GET \
             /api/0/**. The operator can allow more: add a table [origins.jira] with its `base_url` to the configuration, \
             and rules for `jira` to http under [exec] in policy.toml"
                .to_owned(),
            json!({"outcome": "capability_denied", "error": {
                "kind": "CapabilityDenied",
                "message": "no rule for https://example.com/",
                "hint": "granted here: sentry: GET /api/0/**. The operator can allow more: add a table [origins.jira] with \
                         its `base_url` to the configuration, and rules for `jira` to http under [exec] in policy.toml",
            }}),
        ),
    ] {
        assert_eq!(told(&report), (text, true, structured));
    }
}

#[test]
fn several_templates_are_listed_and_refusals_on_the_way_are_told() {
    let candidates = (0..9).map(|index| intentbox_engine::Candidate {
        template: format!("pack/t{index}"),
        summary: "Does it.".to_owned(),
        score: 0.8,
        ..intentbox_engine::Candidate::default()
    });
    let failure = Failure::new(Cause::Ambiguous, "several fit").with(Remedy::Choose);
    let ambiguous = Report { candidates: candidates.collect(), ..Report::failed(RunId::of(0), failure) };
    let (text, is_error, structured) = told(&ambiguous);
    assert!(is_error);
    assert_eq!(text.lines().count(), 2 + LISTED_MAX, "{text}");
    assert_eq!(structured["candidates"].as_array().map(Vec::len), Some(LISTED_MAX));

    let refused = Refused { message: "GET https://example.com/ is not granted".to_owned(), remedy: None };
    let went_on = Report { refusals: vec![refused], ..ok("0") };
    assert_eq!(told(&went_on).0, "0\nrefused: GET https://example.com/ is not granted");
}

#[test]
fn what_is_told_is_bounded_whatever_the_report_holds() {
    let flood = "Ω".repeat(1 << 20);
    let failure = Failure::new(Cause::Raised { class: "E".to_owned() }, flood.clone()).with_text(flood.clone());
    let mut flooded = Report::failed(RunId::of(0), failure);
    if let Some(failure) = &mut flooded.failure {
        failure.traceback = Some(format!("  File \"{flood}\", line 1, in a\n    {flood}\n").repeat(20));
    }
    let flooded = Report { stdout: flood.clone(), stderr: flood.clone(), ..flooded };
    let (text, _, structured) = told(&flooded);
    assert!(text.chars().count() < 2 * INLINE_CHARS_MAX, "{} characters", text.chars().count());
    assert!(structured.to_string().chars().count() < 2 * INLINE_CHARS_MAX);
}

/// What a model can change is in its own lines, however deep in the library it went wrong.
#[test]
fn frames_of_the_script_are_kept_before_those_of_the_library() {
    let own = |line: u32| format!("  File \"script.py\", line {line}, in f\n    f()\n");
    let library = |name: &str| format!("  File \"{name}\", line 94, in request\n    send()\n");
    let raised = "CapabilityDenied: no\n";
    for (frames, expected) in [
        (
            vec![own(1), library("requests.sessions"), library("intentbox.exchange")],
            vec![own(1), "  …\n".to_owned(), library("intentbox.exchange")],
        ),
        (
            vec![
                own(1),
                own(2),
                own(3),
                own(4),
                own(5),
                library("requests.sessions"),
                library("json"),
                library("<frozen>"),
            ],
            vec!["  … 2 frames\n".to_owned(), own(3), own(4), own(5), "  … 2 frames\n".to_owned(), library("<frozen>")],
        ),
        (vec![library("json")], vec![library("json")]),
        (
            vec!["  File \"script.py\", line 1\n    result = (\n             ^\n".to_owned()],
            vec!["  File \"script.py\", line 1\n    result = (\n             ^\n".to_owned()],
        ),
    ] {
        let traceback = format!("Traceback (most recent call last):\n{}{raised}", frames.concat());
        assert_eq!(last_frames(&traceback), expected.concat().trim_end(), "{traceback}");
    }
}
