//! Many clients, over streamable HTTP at `/mcp`: sessions for the stateful revisions, single requests for the stateless one.
//!
//! Who may come in is decided before anything is read: the connection, the `Host`, the `Origin`, the token, and the size. A
//! browser page of another site is refused by its `Origin`, and one that made its name resolve to this machine by its `Host`.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, serve as serve_connections};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowHeaders, CorsLayer};

use crate::principal::{Principal, Tokens};

/// The code of an error that has no request: one of the range that is left to servers.
const REFUSED: i32 = -32_000;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// Where the server is.
pub const PATH: &str = "/mcp";

/// The longest body of a request, in bytes.
pub const BODY_BYTES_MAX: usize = 4 << 20;

/// The most requests at a time, streams that wait included.
const REQUESTS_MAX: usize = 1_024;

/// The most sessions at a time. A session costs some kilobytes.
const SESSIONS_MAX: usize = 1_024;

/// A session that nobody uses ends after this.
const SESSION_IDLE: Duration = Duration::from_mins(5);

/// How long requests under way may take when the server is told to stop.
const DRAIN: Duration = Duration::from_secs(5);

/// Who may come in.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names by which clients reach the server, besides those of this machine itself: `mcp.example.com`.
    pub hosts: Vec<String>,
    /// Sites whose pages may use it, besides those on this machine: `https://app.example.com:443`.
    pub origins: Vec<String>,
    /// The tokens, if any is needed.
    pub tokens: Tokens,
}

/// The server cannot listen so.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OptionsError {
    /// It must not be reached from there without a token.
    #[error("{address} can be reached by others: give tokens with --token-file, or listen on 127.0.0.1")]
    TokenNeeded {
        /// Where it would listen.
        address: SocketAddr,
    },
    /// An origin is none.
    #[error("--allow-origin {origin}: write it as browsers do, such as https://app.example.com")]
    Origin {
        /// What was given.
        origin: String,
    },
    /// A host is none.
    #[error("--allow-host {host}: write a name, or a name with a port, such as mcp.example.com")]
    Host {
        /// What was given.
        host: String,
    },
}

impl Options {
    /// Clients of this machine, without a token.
    #[must_use]
    pub fn loopback() -> Self {
        Self::default()
    }

    /// Whether a server with these options may listen there.
    ///
    /// # Errors
    /// When others than this machine could reach it and no token is asked for, and when a host or an origin is none.
    pub fn may_listen(&self, address: SocketAddr) -> Result<(), OptionsError> {
        if self.tokens.is_empty() && !address.ip().is_loopback() {
            return Err(OptionsError::TokenNeeded { address });
        }
        let is_authority = |text: &str| {
            text.parse::<Authority>().is_ok_and(|authority| !text.contains('@') && !authority.host().is_empty())
        };
        let is_origin = |text: &str| {
            let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            rest.is_some_and(is_authority)
        };
        if let Some(origin) = self.origins.iter().find(|origin| !is_origin(origin)) {
            return Err(OptionsError::Origin { origin: origin.clone() });
        }
        if let Some(host) = self.hosts.iter().find(|host| !is_authority(host)) {
            return Err(OptionsError::Host { host: host.clone() });
        }
        Ok(())
    }
}

/// What is decided about each request before it is read.
#[derive(Clone)]
struct Gate {
    tokens: Arc<Tokens>,
    requests: Arc<Semaphore>,
    sessions: Arc<LocalSessionManager>,
    owners: Arc<Mutex<HashMap<String, Principal>>>,
}

/// Serves until `stop` is cancelled; what is under way then may take [`DRAIN`]. `make` gives the handler of a session or of
/// a single request.
///
/// # Errors
/// When the listener fails.
pub async fn serve<H: ServerHandler>(
    listener: TcpListener,
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    stop: CancellationToken,
) -> io::Result<()> {
    // What is under way goes on for a while: the streams end after that, with the drop of their token's guard.
    let streams = CancellationToken::new();
    let _at_the_end = streams.clone().drop_guard();
    let app = router(make, options, streams);
    let stopped = stop.clone();
    let serving = serve_connections(listener, app).with_graceful_shutdown(async move { stopped.cancelled().await });
    let drained = async {
        stop.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        served = serving.into_future() => served,
        () = drained => Ok(()),
    }
}

fn router<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    stop: CancellationToken,
) -> Router {
    let Options { hosts, origins, tokens } = options;
    let named = origins.clone();
    let here = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let pages = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(here.into_iter().chain(hosts))
        .with_allowed_origins(pages.into_iter().chain(origins.iter().map(|origin| with_port(origin))))
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(stop);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    let sessions = Arc::new(sessions);
    let gate = Gate {
        tokens: Arc::new(tokens),
        requests: Arc::new(Semaphore::new(REQUESTS_MAX)),
        sessions: Arc::clone(&sessions),
        owners: Arc::default(),
    };
    let service = StreamableHttpService::new(move || Ok(make()), sessions, config);
    Router::new().route_service(PATH, service).layer(from_fn_with_state(gate, admit)).layer(sharing(&named))
}

/// An origin with its port: without one, any port would do.
fn with_port(origin: &str) -> String {
    let has_port = origin.parse::<Uri>().is_ok_and(|origin| origin.port().is_some());
    let usual = if origin.starts_with("https:") { 443 } else { 80 };
    if has_port { origin.to_owned() } else { format!("{origin}:{usual}") }
}

/// What browsers are told: pages of the named sites may use the server. Those on this machine may not, although their
/// requests are not refused either, as long as nobody names them.
fn sharing(origins: &[String]) -> CorsLayer {
    // Browsers leave the usual port out.
    let as_sent = |origin: &String| {
        let usual = if origin.starts_with("https:") { ":443" } else { ":80" };
        HeaderValue::from_str(origin.strip_suffix(usual).unwrap_or(origin)).ok()
    };
    CorsLayer::new()
        .allow_origin(origins.iter().filter_map(as_sent).collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static(SESSION)])
}

/// Lets a request in, or says why not.
async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let principal = if gate.tokens.is_empty() {
        Principal::local()
    } else {
        // A token counts where it is meant to be: in a query it would be in logs and histories.
        let Some(holder) = bearer(&request).and_then(|token| gate.tokens.holder(token)) else {
            let message = "unauthorized: send the header `Authorization: Bearer TOKEN` with a token of this server";
            let reply = refusal(StatusCode::UNAUTHORIZED, message);
            return ([(WWW_AUTHENTICATE, "Bearer")], reply).into_response();
        };
        holder
    };
    let Ok(_place) = Arc::clone(&gate.requests).try_acquire_owned() else {
        return busy("requests");
    };
    match request.headers().get(SESSION).map(|id| id.to_str().unwrap_or_default()) {
        Some(id) if !gate.owns(&principal, id) => {
            return refusal(StatusCode::NOT_FOUND, "there is no such session, or none any more: initialize again");
        }
        None if request.method() == Method::POST && gate.sessions.sessions.read().await.len() >= SESSIONS_MAX => {
            return busy("sessions");
        }
        _ => {}
    }
    request.extensions_mut().insert(principal.clone());
    let is_end = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    // Ended is ended, and not "accepted for later".
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
        gate.opened(principal, id).await;
    }
    response
}

impl Gate {
    /// Whether a session is this principal's. One that nobody opened is nobody's.
    fn owns(&self, principal: &Principal, id: &str) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(id) == Some(principal)
    }

    /// Notes whose a new session is, and forgets those that have ended.
    async fn opened(&self, principal: Principal, id: &str) {
        let sessions = self.sessions.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|id, _| sessions.contains_key(id.as_str()));
        owners.insert(id.to_owned(), principal);
    }
}

fn bearer(request: &Request) -> Option<&str> {
    let mut given = request.headers().get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next()?, given.next()) else { return None };
    let (scheme, token) = first.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn busy(what: &str) -> Response {
    let reply =
        refusal(StatusCode::SERVICE_UNAVAILABLE, &format!("overloaded: too many {what} at a time; try again later"));
    ([(RETRY_AFTER, "1")], reply).into_response()
}

/// A refusal in the form in which clients read errors.
fn refusal(status: StatusCode, message: &str) -> Response {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": REFUSED, "message": message}});
    (status, Json(error)).into_response()
}
