//! What can be asked: templates with how often they were, and tools of upstream servers.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use intentbox_catalog::{Effects, ParamSpec, Template, words};
use intentbox_engine::Principal;
use intentbox_store::{Clock, Place, TargetStats, read_stats};
use intentbox_tools::Progress;
use serde_json::{Value, json};

use crate::query::{Query, encoded};
use crate::shown::time;
use crate::{Dashboard, render};

/// How far the counts of templates reach back.
const SINCE_MS: i64 = 7 * 24 * 3_600_000;

/// How many tools of a server are shown without being asked for.
const TOOLS_OPEN: usize = 30;

/// A sentence that asks for a template.
pub(crate) fn example(template: &Template) -> Option<String> {
    let phrase = template.phrases().first()?;
    Some(words::filled(phrase, |name| template.parameter(name).map(ParamSpec::example)))
}

/// The runs of the last days, by what answered.
async fn counted(place: &Place) -> BTreeMap<String, TargetStats> {
    let clock = Clock::system();
    let since = clock.now_unix_ms().saturating_sub(SINCE_MS);
    let stats = read_stats(place, Some(since), &clock).await.ok().flatten();
    stats.into_iter().flat_map(|stats| stats.by_target).map(|target| (target.target.clone(), target)).collect()
}

pub(crate) async fn templates(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
) -> Response {
    let engine = &dashboard.api.engine;
    let mut counted = counted(&dashboard.records).await;
    let note = if counted.is_empty() { "Nothing was recorded in these days." } else { "" };
    let catalog = engine.catalog();
    let mut rows = Vec::new();
    for template in catalog.templates() {
        let stats = counted.remove(template.id().as_str());
        let example = example(template);
        rows.push(row(
            template.id().as_str(),
            template.summary(),
            stats.as_ref(),
            json!({
                "example": example, "example_url": example.as_deref().map(encoded), "lacks": !engine.reaches(template),
                "writes": template.effects() == Effects::Write
            }),
        ));
    }
    // What ran besides: tools, code, and templates that are no longer there.
    rows.extend(counted.iter().map(|(target, stats)| {
        let summary = match target.as_str() {
            "exec" => "Code of clients.",
            "none" => "What nothing answered.",
            _ => "",
        };
        row(target, summary, Some(stats), json!({}))
    }));
    render::page(
        &principal,
        "/ui/templates",
        "Templates",
        render::part("templates", &json!({ "rows": rows, "note": note })),
    )
}

/// A row of the table, with the fields that `more` has.
fn row(id: &str, summary: &str, stats: Option<&TargetStats>, mut more: Value) -> Value {
    let ms = |ms: f64| match ms {
        ..0.1 => "under 0.1 ms".to_owned(),
        0.1..10.0 => format!("{ms:.1} ms"),
        _ => format!("{ms:.0} ms"),
    };
    let (runs, failed, cached) = stats.map_or((0, 0, 0), |stats| (stats.runs, stats.runs - stats.ok, stats.cached));
    let (p50, p95) = stats.map(|stats| (ms(stats.p50_ms), ms(stats.p95_ms))).unwrap_or_default();
    for (name, value) in [
        ("id", json!(id)),
        ("summary", json!(summary)),
        ("runs", json!(runs)),
        ("failed", json!(failed)),
        ("has_failed", json!(failed > 0)),
        ("cached", json!(cached)),
        ("p50", json!(p50)),
        ("p95", json!(p95)),
    ] {
        more[name] = value;
    }
    more
}

/// How far a discovery is, in words.
fn step(progress: Progress) -> String {
    match progress {
        Progress::Starting => "Starting.".to_owned(),
        Progress::Connecting => "Connecting.".to_owned(),
        Progress::Discovering(1) => "Listing: 1 tool so far.".to_owned(),
        Progress::Discovering(tools) => format!("Listing: {tools} tools so far."),
        Progress::Caching => "Keeping what was listed.".to_owned(),
        Progress::Complete { .. } => "Complete.".to_owned(),
        Progress::Failed => "Failed.".to_owned(),
    }
}

pub(crate) async fn tools(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    RawQuery(query): RawQuery,
) -> Response {
    let mut servers = Vec::new();
    if let Some(upstreams) = dashboard.api.engine.upstreams() {
        let states = match upstreams.states().await {
            Ok(states) => states,
            Err(error) => return render::unstored(&error),
        };
        let discovering = upstreams.discovering();
        for (id, state) in &states {
            let tools: Vec<Value> = state
                .listing
                .tools
                .iter()
                .map(|tool| {
                    let effect = serde_json::to_value(tool.effect).unwrap_or_default();
                    let complexity = serde_json::to_value(tool.complexity).unwrap_or_default();
                    json!({ "name": tool.name, "summary": tool.summary, "effect": effect, "complexity": complexity })
                })
                .collect();
            let listed = match state.discovered_ms {
                0 => "Its tools were never listed.".to_owned(),
                ms => format!("Listed {} UTC.", time(ms)),
            };
            let is_enabled = upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled);
            let approved = match (is_enabled, upstreams.is_approved(id.as_str())) {
                (false, _) => " It is switched off.",
                (true, false) => " It is not approved: run `intentbox tools trust`.",
                (true, true) => "",
            };
            let failure = state.failure.as_ref().map(|failure| format!(" {}", failure.message)).unwrap_or_default();
            let count = if tools.len() == 1 { "1 tool".to_owned() } else { format!("{} tools", tools.len()) };
            let current = discovering.get(id).copied();
            let badge = if current.is_some() { "discovering" } else { state.status.as_str() };
            servers.push(json!({
                "id": id.as_str(), "status": badge, "step": current.map(step), "words": format!("{listed}{approved}{failure}"),
                "count": count, "is_short": tools.len() <= TOOLS_OPEN, "tools": tools
            }));
        }
    }
    let body = render::part("tools", &json!({ "servers": servers }));
    if Query::of(query.as_deref()).is_part() {
        return render::fragment(body);
    }
    let body =
        body.and_then(|body| render::part_with("live", &json!({"part_url": "/ui/tools?part=1"}), &[("body", body)]));
    render::page(&principal, "/ui/tools", "Tools", body)
}
