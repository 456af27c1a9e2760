//! `run-intent`: answers an intent given in words.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use intentbox_catalog::terminal::printable;
use intentbox_engine::{Caller, Consent, Decision, Engine, Given, INTENT_BYTES_MAX, Intent, Pending, ToolRoute};
use intentbox_tools::Effect;
use serde_json::Value;

use crate::answer::{Answer, Ending};
use crate::arguments::{RunIntent, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::run::{events, protect, settings, until_interrupted};
use crate::{input, question, setup, show};

/// The intent of a command without one.
const HELP: &str = "help";

/// Runs the command. With `json` a program reads the answer, and nobody is asked anything.
pub(crate) async fn run(sources: &Sources, command: RunIntent, json: bool) -> Result<Ending, CommandError> {
    let typed = command.text.unwrap_or_else(|| HELP.to_owned());
    let is_piped = typed == "-";
    let text = if is_piped { from_stdin().class(Class::Usage)? } else { typed };
    let setup = setup::engine_here(sources, command.run.isolation).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    if command.explain {
        return explain(&setup.engine, &text).await.map(Ending::Verb);
    }
    let params = command.params.into_iter().map(|(name, text)| (name, Given::Text(text))).collect();
    let intent = Intent { text, params, template: command.template, settings: settings(&command.run) };
    let consent = if command.allow_writes { Consent::Given } else { Consent::Asked };
    let caller = Caller { consent, trace: setup::trace(), ..Caller::local() };
    protect(&setup.engine).await;
    let events = events();
    let report = until_interrupted(async {
        let mut pending = Pending::new(&caller, &events);
        setup.engine.learn_names(&intent, &caller).await;
        let mut plan = setup.engine.plan(&intent, &caller).await;
        if !json && !is_piped && question::can_be_asked() {
            pending.planned(&plan);
            plan = question::completed(plan, &setup.engine, &caller).await;
        }
        // From here on the engine notes the end.
        pending.end();
        setup.engine.answer(plan, &caller, &events).await
    });
    let report = report.await;
    setup.close().await;
    Ok(Ending::Run(Box::new(report)))
}

fn from_stdin() -> anyhow::Result<String> {
    let bytes = input::read(Path::new("-"), INTENT_BYTES_MAX as u64)?;
    String::from_utf8(bytes).context("the intent is not UTF-8 text")
}

/// Says which template an intent selects, and why.
async fn explain(engine: &Engine, text: &str) -> Result<Answer, CommandError> {
    let caller = Caller::local();
    let begun = Instant::now();
    let routed = engine.explain(text, &caller);
    let templates_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    let is_answered = !matches!(routed.decision, Decision::NoMatch { .. });
    let explanation = routed.explanation;
    let not_fetched = engine.names_not_fetched(text, &caller);
    let fields = serde_json::to_value(&explanation).context("the explanation").class(Class::Internal)?;
    let mut told = format!("{explanation}\n");
    if !not_fetched.is_empty() {
        let _ = writeln!(told, "not fetched, though a run would: {}", not_fetched.join(", "));
    }
    let tools = if is_answered { None } else { engine.explain_tools(text).await.class(Class::Unavailable)? };
    if let Some(route) = &tools {
        let _ = writeln!(told, "templates: {templates_us} µs");
        told.push_str(&of_tools(route));
    }
    let mut answer = Answer::new(told).with("names_not_fetched", not_fetched);
    if let Some(route) = &tools {
        let route = serde_json::to_value(route).context("the explanation").class(Class::Internal)?;
        answer = answer.with("templates_us", templates_us).with("tools", route);
    }
    Ok(match fields {
        Value::Object(fields) => answer.with_all(fields),
        other => answer.with("explanation", other),
    })
}

/// The second step of a decision: the search for a tool.
fn of_tools(route: &ToolRoute) -> String {
    let ToolRoute { searched, verdict, trust, best, values, passed_over, kept_for, search_us, read_us } = route;
    let verdict = match *verdict {
        "filled" => "one, which only reads and for which the words hold all values,",
        other => other,
    };
    let mut told = format!(
        "tools: {verdict} of {searched} fits, trust {trust:.2}, {search_us} µs; reading values, {read_us} µs\n"
    );
    for found in best {
        let effect = match found.effect {
            Effect::Reads => "reads",
            Effect::Adds => "adds",
            Effect::Writes => "writes",
            Effect::Unknown => "may write",
        };
        let _ = writeln!(told, "  {:.2}  {}  {effect}", found.score, printable(&found.source.to_string()));
    }
    if !values.is_empty() {
        let values = serde_json::to_string(values).unwrap_or_default();
        let _ = writeln!(told, "  values for the first: {}", printable(&values));
    }
    if let Some(template) = kept_for {
        let _ = writeln!(told, "  not called: {} would answer this if its access were configured", printable(template));
    }
    if !passed_over.is_empty() {
        let _ = writeln!(told, "  a call of it would pass over: {}", printable(&passed_over.join(", ")));
    }
    told
}
