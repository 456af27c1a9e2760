//! Serves routes on a port, behind checks of every request.
//!
//! All checks come before a body is read: the number and the pace of connections, the `Host`, the `Origin`, the token,
//! and how many requests the caller has in flight. A browser page of another site is rejected by its `Origin`, and one
//! that made its name resolve to this machine by its `Host`.
//!
//! - `connection`: limits on connections. `gate`: one layer before all routes.
//! - `host_and_origin`: which requests are meant for this server. `origin`: how both headers are parsed.
//! - `options`: the operator's settings. `rejection`: why a request is rejected.

mod connection;
mod gate;
mod host_and_origin;
mod options;
mod origin;
mod rejection;

use std::io;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowHeaders, CorsLayer};

use gate::Gate;

pub use options::{InvalidOption, Options, TokenNeeded};
pub use rejection::Rejection;

/// Gives the body of a rejection, in the form that callers of this path read, with its `Content-Type`. The status and the
/// headers that HTTP wants are set after it.
pub type Refuse = fn(&Uri, Rejection) -> Response;

/// What is served.
#[derive(Debug, Clone)]
pub struct Surface {
    /// The routes. Requests that reach them have the `Principal` of their caller in their extensions.
    pub routes: Router,
    /// The headers of answers that pages of allowed sites may read, besides those that every page may.
    pub exposed: Vec<HeaderName>,
    /// The form of a rejection.
    pub refuse: Refuse,
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

/// The routes behind the gate. Unknown paths are behind it, too: a rejected caller learns nothing about them.
fn guarded(surface: Surface, options: Options) -> Router {
    let Surface { routes, exposed, refuse } = surface;
    let cors = cors(&options, exposed);
    routes.layer(from_fn_with_state(Gate::new(options, refuse), gate::admit)).layer(cors)
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
