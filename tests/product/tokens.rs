//! The size of answers for a model, in tokens of `o200k_base`.
//!
//! It is one tokenizer among many, and one that anybody can count with; other models count a little differently.
//! `cargo test --test product tokens -- --nocapture` shows the figures.

use bpe_openai::o200k_base;
use intentbox_catalog::{Case, Catalog};
use serde_json::json;

use crate::product::intentbox;

/// The most that the default answer of `list errors` may cost: four rows with whole titles and times.
const ANSWER_TOKENS_MAX: usize = 200;

/// The most that asking for it and the answer may cost together.
const EXCHANGE_TOKENS_MAX: usize = 300;

/// The most that the answer of any template's default case may cost. The longest lists releases; a template that needs more
/// should answer with less unless it is asked for more.
const DEFAULT_TOKENS_MAX: usize = 400;

fn tokens(text: &str) -> usize {
    o200k_base().count(text)
}

/// Request and reply are what a tool call says: the tool with its arguments, and the outcome with the result.
#[test]
fn a_list_of_errors_costs_few_tokens() {
    let run = intentbox(&["run-intent", "list errors", "--json"], b"", &[]);
    let report = run.report();
    assert_eq!((&report["outcome"], report["result"].as_array().map(Vec::len)), (&json!("ok"), Some(4)), "{run:#?}");
    let answer = report["result"].to_string();
    assert!(run.stdout.contains(&answer), "it is counted as it was written: {run:#?}");
    let request = json!({"name": "run_intent", "arguments": {"intent": "list errors"}}).to_string();
    let reply = json!({"outcome": report["outcome"], "result": report["result"]}).to_string();
    let (of_answer, of_exchange) = (tokens(&answer), tokens(&request) + tokens(&reply));
    println!("list errors: {of_answer} tokens of answer, {of_exchange} with the request and the outcome");
    assert!(of_answer <= ANSWER_TOKENS_MAX, "{of_answer} tokens: {answer}");
    assert!(of_exchange <= EXCHANGE_TOKENS_MAX, "{of_exchange} tokens: {request} {reply}");
}

/// What each template answers in its default case, also as a table to read.
#[test]
fn no_default_answer_costs_many_tokens() {
    let catalog = Catalog::embedded().expect("the templates are whole");
    let cases = Case::embedded().expect("the cases are whole");
    println!("{:<28} {:>6} {:>6}", "default case of", "bytes", "tokens");
    for template in catalog.templates() {
        let id = template.id();
        let case = cases.iter().find(|case| case.template == *id && case.name == "default");
        let result = case.and_then(|case| case.outcome.result.as_ref());
        let text = result.unwrap_or_else(|| panic!("{id}: cases/default.toml has no result")).to_string();
        let count = tokens(&text);
        println!("{:<28} {:>6} {count:>6}", id.as_str(), text.len());
        assert!(count <= DEFAULT_TOKENS_MAX, "{id}: {count} tokens: {text}");
    }
}
