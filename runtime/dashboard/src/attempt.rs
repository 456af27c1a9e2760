//! A page to try an intent: how it is read, and what it answers.

use std::fmt::Write as _;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use intentbox_engine::{Caller, Consent, Decision, INTENT_BYTES_MAX, Intent, Pending, Principal, ToolRoute};
use intentbox_listen::http::is_same_origin;
use serde_json::{Value, json};

use crate::query::{Query, encoded};
use crate::{Dashboard, inventory, render, shown};

/// How many sentences are offered.
const EXAMPLES_MAX: usize = 8;

/// How many readings are shown.
const READINGS_MAX: usize = 5;

/// Shows how an intent is read. Nothing runs.
pub(crate) async fn read(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Query::of(query.as_deref());
    let text = query.get("intent").trim();
    page(&dashboard, &principal, text, None).await
}

/// Runs an intent as the API does. A change has to be allowed by another button, after it was said what changes.
pub(crate) async fn run(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !is_same_origin(&headers) {
        return render::foreign();
    }
    let form = Query::of_form(&body);
    let text = form.get("intent").trim();
    let consent = if form.get("allow") == "writes" { Consent::Given } else { Consent::Asked };
    if text.is_empty() || text.len() > INTENT_BYTES_MAX {
        return page(&dashboard, &principal, "", None).await;
    }
    let api = &dashboard.api;
    let caller = Caller { consent, ceilings: api.ceilings.clone(), ..Caller::of(principal.clone()) };
    let intent = Intent { text: text.to_owned(), ..Intent::default() };
    let pending = Pending::new(&caller, &api.events);
    api.engine.learn_names(&intent, &caller).await;
    let plan = api.engine.plan(&intent, &caller).await;
    pending.end();
    let report = api.engine.answer(plan, &caller, &api.events).await;
    let wire = shown::wire(&report);
    page(&dashboard, &principal, text, Some(&wire)).await
}

async fn page(dashboard: &Dashboard, principal: &Principal, text: &str, report: Option<&Value>) -> Response {
    let read = if text.is_empty() || text.len() > INTENT_BYTES_MAX {
        None
    } else {
        Some(reading(dashboard, principal, text).await)
    };
    let catalog = dashboard.api.engine.catalog();
    let usable = catalog.templates().filter(|template| dashboard.api.engine.reaches(template));
    let examples: Vec<Value> = match read {
        Some(_) => Vec::new(),
        None => usable
            .filter_map(inventory::example)
            .take(EXAMPLES_MAX)
            .map(|example| json!({ "url": encoded(&example), "text": example }))
            .collect(),
    };
    let result = report.and_then(|report| report.get("result")).filter(|result| !result.is_null()).map(shown::result);
    let values =
        json!({"intent": text, "read": read, "ran": report.map(|report| ran(text, report)), "examples": examples});
    let body = render::part_with("try", &values, &[("result", result.unwrap_or_default())]);
    render::page(principal, "/ui/try", "Try an intent", body)
}

fn ran(text: &str, report: &Value) -> Value {
    let error = report.get("error").map(|error| json!({"message": error["message"], "hint": error["hint"]}));
    // The one thing that lacks is a yes.
    let asks = report["error"]["kind"] == "writes";
    let command = format!("intentbox run-intent '{}'", text.replace('\'', "'\\''"));
    json!({"outcome": report["outcome"], "error": error, "stdout": report["stdout"], "command": command, "asks": asks})
}

async fn reading(dashboard: &Dashboard, principal: &Principal, text: &str) -> Value {
    let engine = &dashboard.api.engine;
    let caller = Caller::of(principal.clone());
    let routed = engine.explain(text, &caller);
    let is_answered = !matches!(routed.decision, Decision::NoMatch { .. });
    let tools = if is_answered { None } else { engine.explain_tools(text).await.ok().flatten() };
    let explanation = &routed.explanation;
    let mut arithmetic = explanation.to_string();
    if let Some(route) = &tools {
        let _ = write!(arithmetic, "\ntools: {} of {} fits, trust {:.2}", route.verdict, route.searched, route.trust);
    }
    let tool = tools.as_ref().filter(|route| route.verdict == "one" || route.verdict == "filled");
    let best = explanation.candidates.first();
    let (values, unexplained) = match (tool, best) {
        (Some(route), _) => (values_of(route), Vec::new()),
        (None, Some(best)) => {
            let values = best.values.iter().map(|value| {
                let shown = value.value.as_str().map_or_else(|| value.value.to_string(), str::to_owned);
                json!({ "name": value.parameter, "value": shown, "words": value.text })
            });
            (values.collect(), best.unexplained.clone())
        }
        (None, None) => (Vec::new(), explanation.not_understood()),
    };
    let templates = explanation.candidates.iter().take(READINGS_MAX).map(|candidate| {
        let id = serde_json::to_value(&candidate.id).unwrap_or_default();
        json!({ "name": id, "summary": candidate.summary, "score": format!("{:.2}", candidate.score) })
    });
    let found = tools.iter().flat_map(|route| &route.best).map(|found| {
        let name = found.source.to_string();
        json!({ "name": name, "summary": found.summary, "score": format!("{:.2}", found.score) })
    });
    // Where a tool answers, tools come first.
    let candidates: Vec<Value> = match tool {
        Some(_) => found.chain(templates).collect(),
        None => templates.chain(found).collect(),
    };
    json!({
        "decision": decision(&routed.decision, tool, &engine.names_not_fetched(text, &caller)), "values": values, "unexplained": unexplained.join(", "),
        "candidates": candidates, "text": arithmetic
    })
}

fn values_of(route: &ToolRoute) -> Vec<Value> {
    let values = route.values.iter().map(|(name, value)| {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        json!({ "name": name, "value": shown, "words": "" })
    });
    values.collect()
}

/// What was decided, in a sentence.
fn decision(decision: &Decision, tool: Option<&ToolRoute>, not_fetched: &[String]) -> String {
    match decision {
        Decision::Card { id, .. } => format!("The template {id} answers this."),
        Decision::Missing { id, parameters, .. } => {
            format!("The template {id} would answer this, and needs {}.", parameters.join(", "))
        }
        Decision::Ambiguous { candidates } => format!("It may mean one of {} templates: say more.", candidates.len()),
        Decision::NoMatch { .. } => match tool.and_then(|route| route.best.first()) {
            Some(found) => format!("No template answers this. The tool {} does.", found.source),
            None if !not_fetched.is_empty() => {
                format!(
                    "Nothing answers this as far as names are known. A run first fetches {}.",
                    not_fetched.join(", ")
                )
            }
            None => "Nothing here answers this.".to_owned(),
        },
    }
}
