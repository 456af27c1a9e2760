//! The last hour as plots, and what was refused.

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use intentbox_engine::Principal;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::history::{Minute, PATHS};
use crate::plot::Plot;
use crate::query::Query;
use crate::shown::time;
use crate::{Dashboard, render};

/// The classes of colours, in the order of the parts of a plot.
const COLOURS: [&str; 4] = ["one", "two", "three", "four"];

pub(crate) async fn trends(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    RawQuery(query): RawQuery,
) -> Response {
    let minutes = dashboard.history.minutes(Timestamp::now());
    let plots = plots(&minutes);
    if Query::of(query.as_deref()).is_part() {
        return render::fragment(plots);
    }
    let body = plots.and_then(|plots| render::part_with("trends", &json!({}), &[("plots", plots)]));
    render::page(&principal, "/ui/trends", "Trends", body)
}

#[expect(clippy::cast_precision_loss, reason = "nobody runs 2^53 requests in an hour")]
fn number(value: u64) -> f64 {
    value as f64
}

/// The time of a minute.
fn clock(minute: Option<&Minute>) -> String {
    let at = minute.and_then(|minute| Timestamp::from_second(minute.number.saturating_mul(60)).ok());
    at.map(|at| at.strftime("%H:%M UTC").to_string()).unwrap_or_default()
}

/// A part of a plot with its colour and its sum.
fn legend(parts: &[(&str, String)]) -> Vec<Value> {
    let parts = parts.iter().zip(COLOURS);
    parts.map(|((name, value), class)| json!({ "name": name, "value": value, "class": class })).collect()
}

fn plots(minutes: &[Minute]) -> Result<String, minijinja::Error> {
    let (from, to) = (clock(minutes.first()), clock(minutes.last()));
    let plot = |title, unit| Plot { title, unit, from: &from, to: &to };
    let shown = |plot: &Plot<'_>, svg: String, legend: Vec<Value>| {
        render::part_with("plot", &json!({"title": plot.title, "legend": legend}), &[("svg", svg)])
    };
    let sum = |of: &dyn Fn(&Minute) -> u64| minutes.iter().map(of).sum::<u64>();
    let mut plots = String::new();

    let requests = plot("Requests by what answered", "requests a minute");
    let bars: Vec<Vec<f64>> = minutes.iter().map(|minute| minute.runs.iter().copied().map(number).collect()).collect();
    let total = sum(&Minute::total);
    let parts: Vec<(&str, String)> = PATHS
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let count = sum(&|minute| minute.runs[place]);
            let share = (count * 100).checked_div(total).unwrap_or(0);
            (*name, format!("{count} ({share} %)"))
        })
        .collect();
    plots += &shown(&requests, requests.bars(&COLOURS, &bars), legend(&parts))?;

    let latency = plot("Time to answer", "ms");
    let line = |part: f64| -> Vec<Option<f64>> { minutes.iter().map(|minute| minute.percentile(part)).collect() };
    let (half, most) = (line(0.5), line(0.95));
    let last = |values: &[Option<f64>]| {
        let value = values.iter().rev().flatten().next();
        value.map_or_else(|| "none yet".to_owned(), |value| format!("{value:.1} ms, latest"))
    };
    let parts = [("p50", last(&half)), ("p95", last(&most))];
    plots += &shown(&latency, latency.lines(&[("one", half), ("two", most)]), legend(&parts))?;

    let cache = plot("Cache hits and failures", "requests a minute");
    let bars: Vec<Vec<f64>> = minutes.iter().map(|minute| vec![number(minute.cached), number(minute.failed)]).collect();
    let of_all = |count: u64| format!("{count} of {total}");
    let parts =
        [("from the cache", of_all(sum(&|minute| minute.cached))), ("failed", of_all(sum(&|minute| minute.failed)))];
    plots += &shown(&cache, cache.bars(&COLOURS, &bars), legend(&parts))?;
    Ok(plots)
}

pub(crate) async fn refusals(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
) -> Response {
    let refusals = dashboard.history.refusals();
    let rows: Vec<Value> = refusals
        .iter()
        .map(|refusal| {
            json!({
                "at": refusal.at.to_string(), "when": time(refusal.at.as_millisecond()), "who": refusal.who,
                "what": refusal.what, "message": refusal.message, "hint": refusal.hint
            })
        })
        .collect();
    render::page(&principal, "/ui/refusals", "Refusals", render::part("refusals", &json!({"refusals": rows})))
}
