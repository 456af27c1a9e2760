//! Checks whether a template's result is what the template declares.
//!
//! The check builds the result as values, which take many times the memory of its text. A result that would take too
//! much is counted and not built.

use intentbox_catalog::json::{Counter, parse_value};
use intentbox_catalog::{ResultSchema, Template};
use intentbox_report::{Cause, Failure, Remedy, Report};

/// The most values and keys of a template's result. A table of 2,000 rows with 40 columns has 162,000. At the worst, in
/// nested lists, each takes some 300 bytes: 60 MB, for as long as the check takes.
const NODES_MAX: usize = 200_000;

/// The report, or one that says how its result differs from the declaration.
pub(crate) fn checked(template: &Template, report: Report) -> Report {
    let (Some(schema), Some(result)) = (template.result(), &report.result) else { return report };
    if report.failure.is_some() {
        return report;
    }
    let Some(message) = fault_of(schema, result.get()) else { return report };
    let remedy = Remedy::MendTemplate { template: template.id().to_string() };
    let failure = Failure::new(Cause::ResultInvalid, message).with(remedy);
    Report { result: None, failure: Some(failure), ..report }
}

fn fault_of(schema: &ResultSchema, result: &str) -> Option<String> {
    let mut counter = Counter::up_to(NODES_MAX);
    let read = counter.count(result);
    if counter.is_over() {
        return Some(format!("the result has more than {NODES_MAX} values and keys, too many to check"));
    }
    match read.and_then(|()| parse_value(result)) {
        Ok(result) => schema.check(&result).err().map(|error| error.to_string()),
        Err(error) => Some(format!("the result cannot be checked: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::Catalog;
    use intentbox_report::RunId;
    use serde_json::value::RawValue;

    use super::*;

    /// The outcome of a result of `data/find_rows`, and what is wrong with it.
    fn told(result: &str) -> (&'static str, String) {
        let catalog = Catalog::embedded().expect("whole");
        let template = catalog.get("data/find_rows").expect("it is part of the data pack");
        let result = RawValue::from_string(result.to_owned()).expect("it is JSON");
        let report = checked(template, Report { result: Some(result), ..Report::new(RunId::of(0)) });
        (report.outcome().terms().name, report.failure.map(|failure| failure.message).unwrap_or_default())
    }

    fn ok() -> (&'static str, String) {
        ("ok", String::new())
    }

    #[test]
    fn a_result_is_checked_as_it_is_delivered_whatever_its_keys_are_called() {
        let key = "$serde_json::private::RawValue";
        for cell in ["1", "{\\\"amount\\\": 5}", "no JSON", "[[["] {
            let result = format!("{{\"rows\":[{{\"{key}\":\"{cell}\"}}],\"matching\":1,\"more\":false}}");
            assert_eq!(told(&result), ok(), "{result}");
        }
        // The text below the key would be as declared. What is delivered is not.
        let result = format!("{{\"{key}\":\"{{\\\"rows\\\":[],\\\"matching\\\":0,\\\"more\\\":false}}\"}}");
        assert_eq!(told(&result).0, "result_invalid");
    }

    #[test]
    fn c10_the_largest_result_that_is_checked_and_the_smallest_that_is_only_counted() {
        // The object, three keys, three values, the row, and its cell: a key, a list, and what is in it.
        let result = |items: usize| {
            format!("{{\"rows\":[{{\"a\":[{}]}}],\"matching\":1,\"more\":false}}", vec!["0"; items].join(","))
        };
        assert_eq!(told(&result(NODES_MAX - 10)), ok());
        let message = "the result has more than 200000 values and keys, too many to check";
        assert_eq!(told(&result(NODES_MAX - 9)), ("result_invalid", message.to_owned()));
    }
}
