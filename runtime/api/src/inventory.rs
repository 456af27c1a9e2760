//! What is here: templates, tools, and whether the server can do its work.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use intentbox_catalog::{ParamSpec, Template};
use intentbox_engine::{Caller, Principal};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::Api;
use crate::jobs::json;
use crate::problem::{FULL, Problem};

/// The templates, and whether what they need is configured.
pub(crate) async fn templates(State(api): State<Api>) -> Response {
    let row = |template: &Template| {
        json!({
            "id": template.id().as_str(),
            "summary": template.summary(),
            "effects": template.effects().to_string(),
            "usable": api.engine.reaches(template),
            "parameters": template.parameters().iter().map(ParamSpec::name).collect::<Vec<_>>(),
        })
    };
    let catalog = api.engine.catalog();
    json(StatusCode::OK, &json!({"templates": catalog.templates().map(row).collect::<Vec<Value>>()}))
}

/// The tools of upstream servers as they were last listed. Reaches no server.
pub(crate) async fn tools(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
) -> Result<Response, Problem> {
    let Some(upstreams) = api.engine.upstreams() else {
        return Ok(json(StatusCode::OK, &json!({"servers": [], "tools": []})));
    };
    let states = upstreams.states().await.map_err(|error| Problem::store(&error))?;
    let changed = upstreams.kept().changed_names().await.map_err(|error| Problem::store(&error))?;
    let may_call = api.engine.permitted_tools(&Caller::of(principal));
    let (mut servers, mut tools) = (Vec::new(), Vec::new());
    for (id, state) in &states {
        let is_enabled = upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled);
        let is_available = is_enabled && upstreams.is_approved(id.as_str()) && !state.listing.tools.is_empty();
        let listed = Timestamp::from_millisecond(state.discovered_ms).map(|time| time.to_string()).unwrap_or_default();
        let last_discovered = if state.discovered_ms == 0 { Value::Null } else { listed.into() };
        servers.push(json!({
            "id": id.as_str(), "status": state.status.as_str(), "last_discovered": &last_discovered,
            "available": is_available, "tools": state.listing.tools.len(),
        }));
        tools.extend(state.listing.tools.iter().map(|row| {
            // What waits for a person is not called, whatever the policy says.
            let (may_be_called, told) = match changed.get(&(id.clone(), row.name.clone())) {
                Some(true) => (false, "new"),
                Some(false) => (false, "changed"),
                None => (true, state.status.as_str()),
            };
            json!({
                "name": row.name, "source": id.as_str(), "type": row.effect, "complexity": row.complexity,
                "summary": row.summary, "available": is_available && may_be_called, "status": told,
                "last_discovered": last_discovered,
                "policy": if may_call(id.as_str(), &row.name, row.effect) { "permitted" } else { "refused" },
            })
        }));
    }
    Ok(json(StatusCode::OK, &json!({"servers": servers, "tools": tools})))
}

/// What the API takes and gives, as `OpenAPI` 3.1.
const OPENAPI: &str = include_str!("openapi.json");

pub(crate) async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// The process answers.
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// How long the store may take for the answer whether the server is ready. Whoever asks waits a few seconds at most, and a server whose
/// store takes longer is not ready.
const READY_MAX: Duration = Duration::from_secs(2);

/// The server can accept jobs: its store takes what is written. Says what it would answer with.
pub(crate) async fn ready(State(api): State<Api>) -> Result<Response, Problem> {
    let silent = || Problem::storage(format!("the database has not answered for {} s", READY_MAX.as_secs()));
    // In a task of its own: the connection waits for the answer to a question in any case.
    let counting = tokio::spawn({
        let queue = api.queue.clone();
        async move { queue.counts().await }
    });
    let jobs = match timeout(READY_MAX, counting).await {
        Ok(counts) => {
            let counts = counts.map_err(|_| silent())?.map_err(|error| Problem::store(&error))?;
            Some(counts.into_iter().map(|(state, count)| (state.as_str(), count)).collect::<BTreeMap<&str, u64>>())
        }
        // Somebody's long list of jobs makes counting wait, and is no reason to send clients elsewhere.
        Err(_) => None,
    };
    if !api.queue.has_written_within(READY_MAX) {
        return Err(silent());
    }
    if api.queue.lacks_room() {
        return Err(Problem::storage(FULL.to_owned()));
    }
    let catalog = api.engine.catalog();
    let templates = catalog.templates().filter(|template| api.engine.reaches(template)).count();
    let tools = match api.engine.upstreams() {
        Some(upstreams) => {
            let states = timeout(READY_MAX, upstreams.states()).await.map_err(|_| silent())?;
            let states = states.map_err(|error| Problem::store(&error))?;
            states.values().map(|state| state.listing.tools.len()).sum()
        }
        None => 0,
    };
    let mode = api.engine.mode();
    let mut ready = json!({"status": "ready", "mode": mode, "templates": templates, "tools": tools});
    if let Some(jobs) = jobs {
        ready["jobs"] = json!(jobs);
    }
    Ok(json(StatusCode::OK, &ready))
}
