//! Serves routes on a port, behind checks of every request.
//!
//! All checks come before a body is read: the number and the pace of connections, the `Host`, the `Origin`, the token,
//! and how many requests the caller has in flight. A browser page of another site is rejected by its `Origin`, and one
//! that made its name resolve to this machine by its `Host`.
//!
//! - `connection`: limits on connections, and `places` for them. `gate`: one layer before every path, and one before the routes.
//! - `host_and_origin`: which requests are meant for this server. `origin`: how both headers are parsed. `cookie`: a browser's token.
//! - `options`: the operator's settings. `rejection`: why a request is rejected. `trace`: what it is a part of.

mod connection;
mod cookie;
mod gate;
mod host_and_origin;
mod options;
mod origin;
mod places;
mod rejection;
mod trace;

use std::io;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowHeaders, CorsLayer};

use crate::scope::Scope;
use gate::Gate;

pub use cookie::COOKIE;
pub use host_and_origin::is_same_origin;
pub use options::{InvalidOption, Options, TokenNeeded};
pub use rejection::Rejection;
pub use trace::trace;

/// Gives the body of a rejection, in the form that callers of this path read, with its `Content-Type`. The status and the
/// headers that HTTP wants are set after it.
pub type Refuse = fn(&Uri, Rejection) -> Response;

/// What the token of a request has to be for, by its method and path.
pub type Needs = fn(&Method, &Uri) -> Scope;

/// Gives the answer for a path that is not served. The status is set after it.
pub type Unknown = fn(&Uri) -> Response;

/// What is served.
#[derive(Debug, Clone)]
pub struct Surface {
    /// The routes. Requests that reach them have the `Principal` of their caller in their extensions.
    pub routes: Router,
    /// Routes that need no token, such as those by which a machine asks whether the server lives. They know no caller.
    pub open: Router,
    /// The headers of answers that pages of allowed sites may read, besides those that every page may.
    pub exposed: Vec<HeaderName>,
    /// What the token of a request has to be for.
    pub needs: Needs,
    /// The form of a rejection.
    pub refuse: Refuse,
    /// The answer for a path that none of the routes has.
    pub unknown: Unknown,
}

/// Serves until `stop` is cancelled; requests in flight then have a few seconds to end.
///
/// # Errors
/// When the listener has no address.
pub async fn serve(
    listener: TcpListener,
    surface: Surface,
    options: Options,
    stop: CancellationToken,
) -> io::Result<()> {
    let bound = listener.local_addr()?.ip();
    let app = guarded(surface, options.with_bound(bound));
    connection::accept(listener, app, stop).await;
    Ok(())
}

/// The routes behind both parts of the gate. A path that is not served is behind the first part only: clients look for
/// OAuth at such paths before they have a token, and take a 401 there for a sign that they found it.
fn guarded(surface: Surface, options: Options) -> Router {
    let Surface { routes, open, exposed, needs, refuse, unknown } = surface;
    let cors = cors(&options, exposed);
    let gate = Gate::new(options, needs, refuse);
    let not_found = move |uri: Uri| async move {
        let mut response = unknown(&uri);
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    };
    routes
        .route_layer(from_fn_with_state(gate.clone(), gate::admit))
        .merge(open)
        .fallback(not_found)
        .layer(from_fn_with_state(gate, gate::check_site))
        .layer(cors)
}

/// The CORS headers: pages of the allowed sites may use the server. Pages on this machine may not unless the operator
/// names them, although their requests are not rejected either. Preflights are answered here, without a token: browsers
/// send none with them.
fn cors(options: &Options, exposed: Vec<HeaderName>) -> CorsLayer {
    let as_sent = options.origins.iter().filter_map(|origin| HeaderValue::from_str(&origin.to_string()).ok());
    CorsLayer::new()
        .allow_origin(as_sent.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
}
