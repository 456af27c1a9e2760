//! The trace that a request is a part of, by its headers.

use axum::http::HeaderMap;
use intentbox_report::TraceContext;

/// The trace of a request. What is no trace is none: a client is not refused for it.
#[must_use]
pub fn trace(headers: &HeaderMap) -> Option<TraceContext> {
    let mut parents = headers.get_all("traceparent").iter();
    let (Some(parent), None) = (parents.next(), parents.next()) else { return None };
    let states: Vec<&str> = headers.get_all("tracestate").iter().filter_map(|state| state.to_str().ok()).collect();
    TraceContext::parse(parent.to_str().ok()?.trim(), Some(&states.join(",")))
}
