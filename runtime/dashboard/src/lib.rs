//! The dashboard: what a server does, as pages for people.
//!
//! Pages are rendered here, with every value escaped, and are complete without a script: a small one of our own replaces the table of
//! jobs as they change. No page asks another site for anything, and a Content-Security-Policy says so to the browser.
//!
//! - `jobs`, `inventory`, `trends` and `attempt` are the pages. `plot`: plots as SVG. `history`: what the plots and refusals are made of.
//! - `live`: tells a page that jobs have changed. `sign_in`: a token as a cookie.
//! - `render`: page templates, and the headers of an answer. `shown`: values for people. `query`: queries and forms.

mod attempt;
mod history;
mod inventory;
mod jobs;
mod live;
mod plot;
mod query;
mod render;
mod shown;
mod sign_in;
mod trends;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use intentbox_api::Api;
use intentbox_listen::Scope;
use intentbox_listen::http::{Rejection, Surface};
use intentbox_store::Place;

pub use crate::history::History;

/// The most bytes of a form.
const FORM_BYTES_MAX: usize = 32 << 10;

/// What the pages are made of.
#[derive(Clone)]
pub struct Dashboard {
    /// What the API answers from.
    pub api: Api,
    /// What happened since the server started.
    pub history: Arc<History>,
    /// Where the records of runs are.
    pub records: Place,
}

impl std::fmt::Debug for Dashboard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Dashboard").finish_non_exhaustive()
    }
}

/// The pages, which can be merged with other routes.
#[must_use]
pub fn surface(dashboard: Dashboard) -> Surface {
    let routes = Router::new()
        .route("/", get(jobs::list))
        .route("/ui/jobs/{id}", get(jobs::one))
        .route("/ui/jobs/{id}/cancel", post(jobs::cancel))
        .route("/ui/jobs/{id}/again", post(jobs::again))
        .route("/ui/templates", get(inventory::templates))
        .route("/ui/tools", get(inventory::tools))
        .route("/ui/trends", get(trends::trends))
        .route("/ui/refusals", get(trends::refusals))
        .route("/ui/try", get(attempt::read).post(attempt::run))
        .route("/ui/live", get(live::live))
        // A form has a sentence or a token.
        .layer(DefaultBodyLimit::max(FORM_BYTES_MAX))
        .with_state(dashboard);
    let open = Router::new()
        .route("/ui/style.css", get(render::style))
        .route("/ui/script.js", get(render::script))
        .route("/ui/sign-in", post(sign_in::sign_in))
        .route("/ui/sign-out", post(sign_in::sign_out))
        .layer(DefaultBodyLimit::max(FORM_BYTES_MAX));
    Surface { routes, open, exposed: Vec::new(), needs, refuse, unknown: intentbox_api::unknown }
}

/// Whether this path is one of the dashboard.
#[must_use]
pub fn is_page(uri: &Uri) -> bool {
    uri.path() == "/" || uri.path().starts_with("/ui/")
}

/// What a token has to be for: what everybody did is for those who manage the server.
#[must_use]
pub fn needs(method: &Method, uri: &Uri) -> Scope {
    match (method.as_str(), uri.path()) {
        (_, "/ui/trends" | "/ui/refusals" | "/ui/templates") => Scope::Manage,
        ("GET" | "HEAD", _) => Scope::Read,
        _ => Scope::Run,
    }
}

/// A rejection of the port as a page: where a token is missing, one that asks for it.
#[must_use]
pub fn refuse(_: &Uri, rejection: Rejection) -> Response {
    match rejection {
        Rejection::Unauthorized => sign_in::page(""),
        other => render::message("Not allowed", &other.to_string()),
    }
}
