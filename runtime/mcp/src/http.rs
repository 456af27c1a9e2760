//! Many clients, over streamable HTTP at `/mcp`: sessions for the stateful revisions, single requests for the stateless one.
//!
//! `intentbox-listen` decides before this which requests are admitted. Here a body has a bounded size and time, a
//! session belongs to a principal, and a rejected request is answered with an error of JSON-RPC.
//!
//! - `sessions`: which sessions there are, and which one ends when. `live`: the same with the SDK's part of each.
//! - `streams`: the events that a client reads. `backlog`: those that it may have missed.
//! - `headers`: what the SDK reads more narrowly than clients write it. `error`: why a request is not answered.

mod backlog;
mod error;
mod headers;
mod live;
mod sessions;
mod streams;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router};
use intentbox_engine::Principal;
use intentbox_listen::Scope;
use intentbox_listen::bodies::{INLINE_BYTES_MAX, LargeBodies};
use intentbox_listen::http::{Options, Rejection, Surface};
use intentbox_mcp_wire::message::{self, Fault, Message, Method as About};
use intentbox_mcp_wire::stdio::STOP_WITHIN;
use intentbox_mcp_wire::stop::Stopping;
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use error::{RpcError, error};
use live::{LiveSessions, Place};
use sessions::AllInUse;

pub(crate) use live::Ended;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// The longest body of a request, in bytes: room for the largest script and its parameters.
pub const BODY_BYTES_MAX: usize = 4 << 20;

/// The longest body of a request that opens a session, in bytes, and the most values and keys in it. The client's
/// description is kept with the session, as values of up to 300 bytes each. Clients send some forty; an icon fits in.
const OPENING_BYTES_MAX: usize = 16 << 10;
const OPENING_NODES_MAX: usize = 256;

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// How long a session lasts without a request and without an open stream, unless the operator says otherwise. Clients do not
/// open a session again by themselves, and people pause for longer than minutes.
pub const SESSION_IDLE: Duration = Duration::from_hours(24);

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// The header that names the last event that a client has received.
const LAST_EVENT: &str = "last-event-id";

/// The header that names the revision of a request.
const REVISION: &str = "mcp-protocol-version";

/// The first revision without sessions.
const STATELESS: &str = "2026-07-28";

/// Codes of errors: what JSON-RPC has for text that cannot be read and for methods that there are not, and one of those that
/// are left to servers.
const UNREADABLE: i32 = -32_700;
const UNKNOWN_METHOD: i32 = -32_601;
pub(crate) const REFUSED: i32 = -32_000;

/// The checks of this endpoint before the SDK parses a request.
#[derive(Clone)]
struct Endpoint {
    bodies: LargeBodies,
    sessions: Arc<LiveSessions>,
    stopping: Stopping,
}

/// When sessions, streams and calls end.
#[derive(Debug, Clone)]
pub struct Ends {
    /// How long a session lasts without a request and without an open stream.
    pub session_idle: Duration,
    /// The end of streams that have no call in flight.
    pub idle_streams: CancellationToken,
    /// The end of calls in flight: they are answered with an error.
    pub calls: Stopping,
    /// The end of everything.
    pub all: CancellationToken,
}

/// Serves `/mcp` alone until `stop` is cancelled. Streams without a call end then, and calls in flight may take a second. `make`
/// gives the handler of a session or of a single request; `session_idle` is how long a session lasts without use, such as
/// [`SESSION_IDLE`].
///
/// # Errors
/// When the listener fails.
pub async fn serve<H: ServerHandler>(
    listener: TcpListener,
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    session_idle: Duration,
    stop: CancellationToken,
) -> io::Result<()> {
    serve_beside(listener, make, options, session_idle, stop, |surface| surface).await
}

/// The same, beside what `beside` adds to the routes of `/mcp`.
///
/// # Errors
/// When the listener fails.
pub async fn serve_beside<H: ServerHandler>(
    listener: TcpListener,
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    session_idle: Duration,
    stop: CancellationToken,
    beside: impl FnOnce(Surface) -> Surface,
) -> io::Result<()> {
    // What is in flight goes on for a while: the rest ends after that, with the drop of its token's guard.
    let all = CancellationToken::new();
    let _at_the_end = all.clone().drop_guard();
    let calls = Stopping::default();
    let ends = Ends { session_idle, idle_streams: stop.clone(), calls: calls.clone(), all };
    let stopping = async {
        stop.cancelled().await;
        tokio::time::sleep(STOP_WITHIN).await;
        calls.0.cancel();
        std::future::pending::<io::Result<()>>().await
    };
    let surface = beside(surface(make, LargeBodies::default(), ends));
    tokio::select! {
        served = intentbox_listen::http::serve(listener, surface, options, stop.clone()) => served,
        never = stopping => never,
    }
}

/// What [`intentbox_listen::http::serve`] serves at `/mcp`; other routes can be merged with these. A request without a
/// [`Principal`] in its extensions fails.
#[must_use]
pub fn surface<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    bodies: LargeBodies,
    ends: Ends,
) -> Surface {
    let Ends { session_idle, idle_streams, calls, all } = ends;
    // A request that comes here has passed the check of `Host` and `Origin`; the SDK's reads the first of several
    // headers. The first event of an answer comes from its session, which knows whether the client can parse it.
    let config = StreamableHttpServerConfig::default()
        .with_sse_retry(None)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(all);
    let sessions = Arc::new(LiveSessions::new(session_idle, idle_streams));
    let endpoint = Endpoint { bodies, sessions: Arc::clone(&sessions), stopping: calls };
    let service = StreamableHttpService::new(move || Ok(make()), sessions, config);
    Surface {
        routes: Router::new().route_service(PATH, service).route_layer(from_fn_with_state(endpoint, admit)),
        open: Router::new(),
        exposed: vec![HeaderName::from_static(SESSION)],
        needs: |_, _| Scope::Run,
        refuse,
        unknown,
    }
}

/// The answer for a path that is not served, if MCP alone is. Clients look for OAuth at some, and guess others from older transports.
fn unknown(uri: &Uri) -> Response {
    let path = uri.path();
    let is_oauth = path.contains("/.well-known/oauth-")
        || path.contains("/.well-known/openid-configuration")
        || path == "/register";
    let what = if is_oauth { "this server has no OAuth" } else { "there is nothing here" };
    format!("{what}: MCP is at {PATH}\n").into_response()
}

/// A rejection of the port as an error of JSON-RPC.
#[must_use]
pub fn refuse(_: &Uri, rejection: Rejection) -> Response {
    let message = match rejection {
        Rejection::HostOrOrigin => {
            format!("{rejection}; the operator can add it with --allow-host or --allow-origin")
        }
        Rejection::Unauthorized | Rejection::Scope { .. } | Rejection::Rate { .. } | Rejection::Overloaded => {
            rejection.to_string()
        }
    };
    error(rejection.status(), REFUSED, &message).into_response()
}

/// Passes a request on to the SDK, or rejects it.
async fn admit(
    State(endpoint): State<Endpoint>,
    Extension(principal): Extension<Principal>,
    request: Request,
    next: Next,
) -> Response {
    match endpoint.admit(request, principal).await {
        // A session that is being opened is noted as somebody's, also where its client has gone meanwhile.
        Ok(admitted) if admitted.opening.is_some() => {
            let opened = tokio::spawn(admitted.answer(endpoint, next)).await;
            opened.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        }
        Ok(admitted) => admitted.answer(endpoint, next).await,
        Err(error) => error.into_response(),
    }
}

/// An admitted request.
struct Admitted {
    request: Request,
    /// Whether it belongs to a session.
    is_in_session: bool,
    /// The place of the session that it opens, if it opens one.
    opening: Option<Place>,
}

impl Endpoint {
    async fn admit(&self, request: Request, principal: Principal) -> Result<Admitted, RpcError> {
        let (mut parts, body) = request.into_parts();
        headers::name_accepted_types(&mut parts.headers);
        let session = parts.headers.get(SESSION).map(|id| id.to_str().unwrap_or_default().to_owned());
        if let Some(id) = &session {
            let Some(ended) = self.sessions.of(&principal, id) else {
                let message = "there is no such session, or it has expired: initialize again";
                return Err(error(StatusCode::NOT_FOUND, REFUSED, message));
            };
            parts.extensions.insert(ended);
            if parts.method == Method::GET {
                self.check_last_event(id, &parts.headers)?;
            }
        }
        parts.extensions.insert(self.stopping.clone());
        let mut opening = None;
        let body = if parts.method == Method::POST {
            let (message, length) = self.read(body, &principal).await?;
            if message.method == About::Initialize {
                opening = Some(self.opening(&principal, &parts.headers, &message, length)?);
            }
            if let Some(arguments) = message.arguments {
                parts.extensions.insert(arguments);
            }
            Body::from(message.text)
        } else {
            body
        };
        Ok(Admitted { request: Request::from_parts(parts, body), is_in_session: session.is_some(), opening })
    }

    /// Rejects a client that wants to go on after an event that is not kept. The SDK would send an empty stream, which says that
    /// there was nothing more. The status is not 404: that would say that the session has ended.
    fn check_last_event(&self, session: &str, headers: &HeaderMap) -> Result<(), RpcError> {
        let Some(last) = headers.get(LAST_EVENT) else { return Ok(()) };
        if last.to_str().is_ok_and(|last| self.sessions.can_resume(session, last)) {
            return Ok(());
        }
        let message =
            "no event with this Last-Event-ID is kept: send the request again, or open a stream without the header";
        Err(error(StatusCode::BAD_REQUEST, REFUSED, message))
    }

    /// The place of a session that is to be opened.
    fn opening(
        &self,
        principal: &Principal,
        headers: &HeaderMap,
        message: &Message,
        length: usize,
    ) -> Result<Place, RpcError> {
        let id = message.id.clone();
        if headers.get(REVISION).is_some_and(|revision| revision == STATELESS) {
            let message = format!("revision {STATELESS} has no sessions: send requests without initialize");
            return Err(RpcError { id, ..error(StatusCode::NOT_FOUND, UNKNOWN_METHOD, &message) });
        }
        if length > OPENING_BYTES_MAX || message.nodes > OPENING_NODES_MAX {
            let message = format!(
                "an initialize request has at most {OPENING_BYTES_MAX} bytes, and {OPENING_NODES_MAX} values and keys"
            );
            return Err(RpcError { id, ..error(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, &message) });
        }
        self.sessions.reserve(principal).map_err(|AllInUse| {
            let message = "overloaded: too many sessions have an open stream; close one, or try again later";
            let header = Some((RETRY_AFTER, "10"));
            RpcError { header, ..error(StatusCode::SERVICE_UNAVAILABLE, REFUSED, message) }
        })
    }

    /// Reads a body, within its size and its time, or says what is wrong with it. Gives its length as well.
    async fn read(&self, body: Body, principal: &Principal) -> Result<(Message, usize), RpcError> {
        let is_short = body.size_hint().upper().is_some_and(|length| length <= INLINE_BYTES_MAX as u64);
        let permit = if is_short { None } else { Some(self.bodies.acquire(principal).await) };
        let arrived = tokio::time::timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MAX)).await;
        let Ok(arrived) = arrived else {
            let message = format!("the body did not arrive within {} seconds", BODY_WITHIN.as_secs());
            return Err(error(StatusCode::REQUEST_TIMEOUT, REFUSED, &message));
        };
        let Ok(bytes) = arrived else {
            let message = format!("the body is incomplete or longer than {BODY_BYTES_MAX} bytes");
            return Err(error(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, &message));
        };
        let length = bytes.len();
        let message = match permit {
            Some(permit) if length > INLINE_BYTES_MAX => permit.read(move || message::read(&bytes)).await,
            _ => message::read(&bytes),
        };
        let message = message.map_err(|fault| match fault {
            Fault::Unreadable(why) => {
                let message = format!("the message is not valid JSON: {why}");
                error(StatusCode::BAD_REQUEST, UNREADABLE, &message)
            }
            Fault::Refused { id, why } => RpcError { id, ..error(StatusCode::BAD_REQUEST, REFUSED, &why) },
        })?;
        Ok((message, length))
    }
}

impl Admitted {
    async fn answer(self, endpoint: Endpoint, next: Next) -> Response {
        let is_end = self.request.method() == Method::DELETE;
        let mut response = next.run(self.request).await;
        if is_end && self.is_in_session && response.status().is_success() {
            // Ended is ended, and not "accepted for later".
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        let opened = response.headers().get(SESSION).and_then(|id| id.to_str().ok());
        if let (Some(id), Some(place)) = (opened, self.opening) {
            endpoint.sessions.opened(id, place);
        }
        response
    }
}
