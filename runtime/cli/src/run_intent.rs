//! `run-intent`: answers an intent given in words.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use intentbox_engine::{Caller, Consent, Engine, Given, INTENT_BYTES_MAX, Intent, Pending};
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
    let setup = setup::engine(sources, command.run.isolation).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    if command.explain {
        return explain(&setup.engine, &text).map(Ending::Verb);
    }
    let params = command.params.into_iter().map(|(name, text)| (name, Given::Text(text))).collect();
    let intent = Intent { text, params, template: None, settings: settings(&command.run) };
    let consent = if command.allow_writes { Consent::Given } else { Consent::Asked };
    let caller = Caller { consent, ..Caller::local() };
    protect(&setup.engine).await;
    let events = events();
    let report = until_interrupted(async {
        let mut pending = Pending::new(&caller, &events);
        setup.engine.learn_names(&intent, &caller).await;
        let mut plan = setup.engine.plan(&intent, &caller);
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
fn explain(engine: &Engine, text: &str) -> Result<Answer, CommandError> {
    let caller = Caller::local();
    let explanation = engine.explain(text, &caller).explanation;
    let not_fetched = engine.names_not_fetched(text, &caller);
    let fields = serde_json::to_value(&explanation).context("the explanation").class(Class::Internal)?;
    let mut told = format!("{explanation}\n");
    if !not_fetched.is_empty() {
        let _ = writeln!(told, "not fetched, though a run would: {}", not_fetched.join(", "));
    }
    let answer = Answer::new(told).with("names_not_fetched", not_fetched);
    Ok(match fields {
        Value::Object(fields) => answer.with_all(fields),
        other => answer.with("explanation", other),
    })
}
