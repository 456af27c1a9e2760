//! Many clients, over streamable HTTP at `/mcp`: sessions for the stateful revisions, single requests for the stateless one.
//!
//! `intentbox-listen` decides before this which requests are admitted. Here a body has a bounded size and time, a
//! session belongs to a principal, and a rejected request is answered with an error of JSON-RPC.

mod session;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json, Router};
use intentbox_engine::Principal;
use intentbox_listen::Permit;
use intentbox_listen::bodies::{INLINE_BYTES_MAX, LargeBodies};
use intentbox_listen::http::{Options, Rejection, Surface};
use intentbox_mcp_wire::message::{self, Fault, Message, Method as About};
use rmcp::ServerHandler;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(crate) use session::Ended;

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

/// A session ends after this time without use.
const SESSION_IDLE: Duration = Duration::from_mins(5);

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// The header that names the revision of a request.
const REVISION: &str = "mcp-protocol-version";

/// The first revision without sessions.
const STATELESS: &str = "2026-07-28";

/// Codes of errors: what JSON-RPC has for text that cannot be read and for methods that there are not, and one of those that
/// are left to servers.
const UNREADABLE: i32 = -32_700;
const UNKNOWN_METHOD: i32 = -32_601;
const REFUSED: i32 = -32_000;

/// The checks of this endpoint before the SDK parses a request.
#[derive(Clone)]
struct Endpoint {
    bodies: LargeBodies,
    sessions: Arc<session::Owners>,
}

/// Serves `/mcp` alone until `stop` is cancelled; what is in flight then may take a few seconds. `make` gives the handler of a
/// session or of a single request.
///
/// # Errors
/// When the listener fails.
pub async fn serve<H: ServerHandler>(
    listener: TcpListener,
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    stop: CancellationToken,
) -> io::Result<()> {
    // What is in flight goes on for a while: the streams end after that, with the drop of their token's guard.
    let streams = CancellationToken::new();
    let _at_the_end = streams.clone().drop_guard();
    let surface = surface(make, LargeBodies::default(), streams);
    intentbox_listen::http::serve(listener, surface, options, stop).await
}

/// What [`intentbox_listen::http::serve`] serves at `/mcp`; other routes can be merged with these. Streams of events end with
/// `streams`. A request without a [`Principal`] in its extensions fails.
#[must_use]
pub fn surface<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    bodies: LargeBodies,
    streams: CancellationToken,
) -> Surface {
    // A request that comes here has passed the check of `Host` and `Origin`; the SDK's reads the first of several
    // headers.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(streams);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    let sessions = Arc::new(sessions);
    let endpoint = Endpoint { bodies, sessions: Arc::new(session::Owners::new(Arc::clone(&sessions))) };
    let service = StreamableHttpService::new(move || Ok(make()), sessions, config);
    Surface {
        routes: Router::new().route_service(PATH, service).route_layer(from_fn_with_state(endpoint, admit)),
        exposed: vec![HeaderName::from_static(SESSION)],
        refuse,
    }
}

/// A rejection of the port as an error of JSON-RPC.
fn refuse(_: &Uri, rejection: Rejection) -> Response {
    let message = match rejection {
        Rejection::HostOrOrigin => {
            format!("{rejection}; the operator can add it with --allow-host or --allow-origin")
        }
        Rejection::Unauthorized | Rejection::Overloaded => rejection.to_string(),
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
    principal: Principal,
    session: Option<String>,
    /// The place of the session that it opens, if it opens one.
    opening: Option<Permit>,
}

impl Endpoint {
    async fn admit(&self, request: Request, principal: Principal) -> Result<Admitted, RpcError> {
        let (mut parts, body) = request.into_parts();
        let session = parts.headers.get(SESSION).map(|id| id.to_str().unwrap_or_default().to_owned());
        if let Some(id) = &session {
            let Some(ended) = self.sessions.of(&principal, id) else {
                let message = "there is no such session, or it has expired: initialize again";
                return Err(error(StatusCode::NOT_FOUND, REFUSED, message));
            };
            parts.extensions.insert(ended);
        }
        let mut opening = None;
        let body = if parts.method == Method::POST {
            let (message, length) = self.read(body, &principal).await?;
            if message.method == About::Initialize {
                opening = Some(self.opening(&principal, &parts.headers, &message, length).await?);
            }
            if let Some(arguments) = message.arguments {
                parts.extensions.insert(arguments);
            }
            Body::from(message.text)
        } else {
            body
        };
        Ok(Admitted { request: Request::from_parts(parts, body), principal, session, opening })
    }

    /// The place of a session that is to be opened.
    async fn opening(
        &self,
        principal: &Principal,
        headers: &HeaderMap,
        message: &Message,
        length: usize,
    ) -> Result<Permit, RpcError> {
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
        self.sessions.admit(principal).await.map_err(|_| {
            let message = "overloaded: too many sessions at a time; try again later";
            let header = Some((RETRY_AFTER, "1"));
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
        if let (true, Some(id)) = (is_end && response.status().is_success(), &self.session) {
            endpoint.sessions.end(id);
            // Ended is ended, and not "accepted for later".
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        let opened = response.headers().get(SESSION).and_then(|id| id.to_str().ok());
        if let (Some(id), Some(permit)) = (opened, self.opening) {
            endpoint.sessions.opened(self.principal, id, permit);
        }
        response
    }
}

fn error(status: StatusCode, code: i32, message: &str) -> RpcError {
    RpcError { status, code, message: message.to_owned(), id: None, header: None }
}

/// Why a request is not answered, as an error that clients can parse.
struct RpcError {
    status: StatusCode,
    code: i32,
    message: String,
    /// The id of the request, if it is known.
    id: Option<RequestId>,
    header: Option<(HeaderName, &'static str)>,
}

impl RpcError {
    fn into_response(self) -> Response {
        let RpcError { status, code, message, id, header } = self;
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let mut response = (status, Json(error)).into_response();
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
