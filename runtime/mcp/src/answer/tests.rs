//! Reports and what a model is told of each, whole.

use intentbox_engine::{Problem, Refused, Route};
use serde_json::value::RawValue;

use super::*;

fn report(outcome: Outcome, kind: &str, message: &str, hint: &str) -> Report {
    let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
    let problem = Problem { kind: kind.to_owned(), message: message.to_owned(), traceback: None, hint };
    Report::without_run(outcome, problem)
}

fn ok(json: &str) -> Report {
    let result = RawValue::from_string(json.to_owned()).expect("it is JSON");
    Report { outcome: Outcome::Ok, error: None, result: Some(result), ..report(Outcome::Ok, "", "", "") }
}

/// The text, whether it is an error, and the structured form.
fn told(report: &Report) -> (String, bool, Value) {
    let result = of_report(report, None, &Principal::local(), &Results::new());
    let text = result.content[0].as_text().expect("the first block is text").text.clone();
    (text, result.is_error == Some(true), result.structured_content.expect("there is one"))
}

#[test]
fn an_answer_is_the_result_and_little_else() {
    for (json, text) in [
        ("2", "2"),
        ("null", "null"),
        ("[{\"id\":\"WEB-1\"}]", "[{\"id\":\"WEB-1\"}]"),
        ("\"a\\nb\"", "a\nb"),
        ("12345678901234567890123", "12345678901234567890123"),
    ] {
        let value: Value = serde_json::from_str(json).expect("it is JSON");
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
                "The result is a text, {} characters in all. Read it with read_result, handle {handle}, or return less.",
                INLINE_CHARS_MAX + 1
            )
            .as_str()
        )
    );

    let rows: Vec<Value> = (0..2_000).map(|row| json!({"row": row})).collect();
    assert!(told(&ok(&json!(rows).to_string())).0.contains("The result is a list of 2000 items, "));
    let printed = Report { stdout: "y".repeat(INLINE_CHARS_MAX + 1), ..ok("1") };
    let structured = told(&printed).2;
    assert_eq!(structured["result"], json!(1));
    assert_eq!(structured["stdout_handle"].as_str().map(str::len), Some(32));
}

#[test]
fn a_failure_says_what_where_and_what_to_change() {
    let mut raised = report(Outcome::PythonError, "ZeroDivisionError", "ZeroDivisionError: division by zero", "");
    if let Some(error) = &mut raised.error {
        error.traceback = Some(
            "Traceback (most recent call last):\n  File \"script.py\", line 9, in <module>\n    a()\n  File \"script.py\", \
             line 7, in a\n    b()\n  File \"script.py\", line 5, in b\n    c()\n  File \"script.py\", line 3, in c\n    1 / \
             0\nZeroDivisionError: division by zero\n"
                .to_owned(),
        );
    }
    let frames = "… 1 frames before\n  File \"script.py\", line 7, in a\n    b()\n  File \"script.py\", line 5, in b\n    \
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
            report(Outcome::FuelExhausted, "fuel", "fuel: 100 of 100", "do less"),
            "fuel_exhausted: fuel: 100 of 100\nhint: do less".to_owned(),
            json!({"outcome": "fuel_exhausted", "error": {"kind": "fuel", "message": "fuel: 100 of 100", "hint": "do less"}}),
        ),
        (
            Report {
                grant: Some(vec!["sentry: GET /api/0/**".to_owned()]),
                ..report(
                    Outcome::CapabilityDenied,
                    "CapabilityDenied",
                    "no rule for https://example.com/",
                    "add a line",
                )
            },
            "capability_denied: CapabilityDenied: no rule for https://example.com/\nhint: granted here: sentry: GET \
             /api/0/**. The operator can allow more: add a line"
                .to_owned(),
            json!({"outcome": "capability_denied", "error": {
                "kind": "CapabilityDenied",
                "message": "no rule for https://example.com/",
                "hint": "granted here: sentry: GET /api/0/**. The operator can allow more: add a line",
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
    });
    let route = Route { template: None, arguments: None, candidates: candidates.collect() };
    let ambiguous =
        Report { route: Some(route), ..report(Outcome::Ambiguous, "ambiguous", "several fit", "say which") };
    let (text, is_error, structured) = told(&ambiguous);
    assert!(is_error);
    assert_eq!(text.lines().count(), 2 + TOLD_MAX, "{text}");
    assert_eq!(structured["candidates"].as_array().map(Vec::len), Some(TOLD_MAX));

    let refused = Refused { message: "GET https://example.com/ is not granted".to_owned(), hint: None };
    let went_on = Report { refusals: vec![refused], ..ok("0") };
    assert_eq!(told(&went_on).0, "0\nrefused: GET https://example.com/ is not granted");
}

#[test]
fn what_is_told_is_bounded_whatever_the_report_holds() {
    let flood = "Ω".repeat(1 << 20);
    let mut flooded = report(Outcome::PythonError, "E", &flood, &flood);
    if let Some(error) = &mut flooded.error {
        error.traceback = Some(format!("  File \"{flood}\", line 1, in a\n    {flood}\n").repeat(20));
    }
    let flooded = Report { stdout: flood.clone(), stderr: flood.clone(), ..flooded };
    let (text, _, structured) = told(&flooded);
    assert!(text.chars().count() < 2 * INLINE_CHARS_MAX, "{} characters", text.chars().count());
    assert!(structured.to_string().chars().count() < 2 * INLINE_CHARS_MAX);
}
