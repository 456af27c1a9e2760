//! Many clients, over streamable HTTP at `/mcp`: sessions for the stateful revisions, single requests for the stateless one.
//!
//! Who may come in is decided before a body is read: the connection, the `Host`, the `Origin`, the token, and the share of the
//! caller; and a body has a size and a time. A browser page of another site is refused by its `Origin`, and one that made its
//! name resolve to this machine by its `Host`.

mod connection;
mod host_and_origin;
mod options;
mod origin;
mod session;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use rmcp::ServerHandler;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowHeaders, CorsLayer};

use crate::bodies::{INLINE_BYTES_MAX, LargeBodies};
use crate::concurrency::{ConcurrencyLimit, InFlight, Permit};
use crate::message::{self, Fault, Message, Method as About};
use crate::tokens::Tokens;
use intentbox_engine::Principal;

pub use options::{InvalidOption, Options, TokenNeeded};
pub(crate) use session::Ended;

/// Where the server is.
pub const PATH: &str = "/mcp";

/// The longest body of a request, in bytes: the largest script and parameters that are worth a message.
pub const BODY_BYTES_MAX: usize = 4 << 20;

/// The longest body of a request that opens a session, in bytes, and the most values and keys in it. What it says of its client
/// is kept with the session, as values of up to 300 bytes each. Clients say some forty; an icon fits in.
const OPENING_BYTES_MAX: usize = 16 << 10;
const OPENING_NODES_MAX: usize = 256;

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// The most requests at a time whose answer has not begun: of one principal, and of all.
const REQUESTS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 512, total: 1_024 };

/// A session that nobody uses ends after this.
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

/// What is decided about each request before its body is read.
#[derive(Clone)]
struct Gate {
    tokens: Arc<Tokens>,
    host_and_origin: Arc<host_and_origin::HostAndOrigin>,
    requests: InFlight,
    bodies: LargeBodies,
    sessions: Arc<session::Owners>,
}

/// Serves until `stop` is cancelled; what is under way then may take a few seconds. `make` gives the handler of a session or
/// of a single request.
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
    let bound = listener.local_addr()?.ip();
    let app = router(make, options.with_bound(bound), streams);
    connection::accept(listener, app, stop).await;
    Ok(())
}

fn router<H: ServerHandler>(
    make: impl Fn() -> H + Send + Sync + 'static,
    options: Options,
    stop: CancellationToken,
) -> Router {
    let cors = cors(&options);
    // Whoever comes that far has passed the check of `Host` and `Origin`; the SDK's reads the first of several headers.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(stop);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    let sessions = Arc::new(sessions);
    let gate = Gate {
        tokens: Arc::new(options.tokens),
        host_and_origin: Arc::new(host_and_origin::HostAndOrigin::new(options.hosts, options.origins)),
        requests: InFlight::new(REQUESTS),
        bodies: LargeBodies::default(),
        sessions: Arc::new(session::Owners::new(Arc::clone(&sessions))),
    };
    let service = StreamableHttpService::new(move || Ok(make()), sessions, config);
    Router::new().route_service(PATH, service).layer(from_fn_with_state(gate, admit)).layer(cors)
}

/// What browsers are told: pages of the allowed sites may use the server. Pages on this machine may not unless the operator
/// names them, although their requests are not rejected either.
fn cors(options: &Options) -> CorsLayer {
    let as_sent = options.origins.iter().filter_map(|origin| HeaderValue::from_str(&origin.to_string()).ok());
    CorsLayer::new()
        .allow_origin(as_sent.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static(SESSION)])
}

/// Lets a request in, or says why not.
async fn admit(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    match gate.admit(request).await {
        // A session that is being opened is noted as somebody's, also where its client has gone meanwhile.
        Ok(admitted) if admitted.opening.is_some() => {
            let opened = tokio::spawn(admitted.answer(gate, next)).await;
            opened.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        }
        Ok(admitted) => admitted.answer(gate, next).await,
        Err(refused) => refused.into_response(),
    }
}

/// A request that may be answered.
struct Admitted {
    request: Request,
    principal: Principal,
    session: Option<String>,
    /// The place of the session that it opens, if it opens one.
    opening: Option<Permit>,
    _permit: Permit,
}

impl Gate {
    async fn admit(&self, request: Request) -> Result<Admitted, Refusal> {
        let (mut parts, body) = request.into_parts();
        if !self.host_and_origin.admits(&parts.headers) {
            let message = "Host or Origin is not allowed; add it with --allow-host or --allow-origin";
            return Err(refusal(StatusCode::FORBIDDEN, REFUSED, message));
        }
        let principal = self.principal(&parts.headers)?;
        let Ok(permit) = self.requests.admit(&principal) else {
            return Err(busy("requests"));
        };
        let session = parts.headers.get(SESSION).map(|id| id.to_str().unwrap_or_default().to_owned());
        if let Some(id) = &session {
            let Some(ended) = self.sessions.of(&principal, id) else {
                let message = "there is no such session, or none any more: initialize again";
                return Err(refusal(StatusCode::NOT_FOUND, REFUSED, message));
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
        parts.extensions.insert(principal.clone());
        Ok(Admitted { request: Request::from_parts(parts, body), principal, session, opening, _permit: permit })
    }

    /// The place of a session that is to be opened.
    async fn opening(
        &self,
        principal: &Principal,
        headers: &HeaderMap,
        message: &Message,
        length: usize,
    ) -> Result<Permit, Refusal> {
        let id = message.id.clone();
        if headers.get(REVISION).is_some_and(|revision| revision == STATELESS) {
            let message = format!("revision {STATELESS} has no sessions, and nothing to initialize");
            return Err(Refusal { id, ..refusal(StatusCode::NOT_FOUND, UNKNOWN_METHOD, &message) });
        }
        if length > OPENING_BYTES_MAX || message.nodes > OPENING_NODES_MAX {
            let message = format!(
                "what opens a session has at most {OPENING_BYTES_MAX} bytes, and {OPENING_NODES_MAX} values and keys"
            );
            return Err(Refusal { id, ..refusal(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, &message) });
        }
        self.sessions.admit(principal).await.map_err(|_| busy("sessions"))
    }

    /// Reads a body, within its size and its time, or says what is wrong with it. Gives its length as well.
    async fn read(&self, body: Body, principal: &Principal) -> Result<(Message, usize), Refusal> {
        let is_short = body.size_hint().upper().is_some_and(|length| length <= INLINE_BYTES_MAX as u64);
        let held = if is_short { None } else { Some(self.bodies.hold(principal).await) };
        let arrived = tokio::time::timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MAX)).await;
        let Ok(arrived) = arrived else {
            let message = format!("the body did not arrive within {} seconds", BODY_WITHIN.as_secs());
            return Err(refusal(StatusCode::REQUEST_TIMEOUT, REFUSED, &message));
        };
        let Ok(bytes) = arrived else {
            let message = format!("a body has at most {BODY_BYTES_MAX} bytes, and arrives whole");
            return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, &message));
        };
        let length = bytes.len();
        let message = match held {
            Some(held) if length > INLINE_BYTES_MAX => held.read(move || message::read(&bytes)).await,
            _ => message::read(&bytes),
        };
        let message = message.map_err(|fault| match fault {
            Fault::Unreadable(why) => {
                let message = format!("this is no JSON that can be read: {why}");
                refusal(StatusCode::BAD_REQUEST, UNREADABLE, &message)
            }
            Fault::Refused { id, why } => Refusal { id, ..refusal(StatusCode::BAD_REQUEST, REFUSED, &why) },
        })?;
        Ok((message, length))
    }

    /// Who asks. A token counts where it is meant to be: in a query it would be in logs and histories.
    fn principal(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        if self.tokens.is_empty() {
            return Ok(Principal::local());
        }
        bearer(headers).and_then(|token| self.tokens.holder(token)).ok_or_else(|| {
            let message = "unauthorized: send the header `Authorization: Bearer TOKEN` with a token of this server";
            Refusal {
                header: Some((WWW_AUTHENTICATE, "Bearer")),
                ..refusal(StatusCode::UNAUTHORIZED, REFUSED, message)
            }
        })
    }
}

impl Admitted {
    async fn answer(self, gate: Gate, next: Next) -> Response {
        let is_end = self.request.method() == Method::DELETE;
        let mut response = next.run(self.request).await;
        if let (true, Some(id)) = (is_end && response.status().is_success(), &self.session) {
            gate.sessions.end(id);
            // Ended is ended, and not "accepted for later".
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        let opened = response.headers().get(SESSION).and_then(|id| id.to_str().ok());
        if let (Some(id), Some(permit)) = (opened, self.opening) {
            gate.sessions.opened(self.principal, id, permit);
        }
        response
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next()?, given.next()) else { return None };
    let (scheme, token) = first.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn busy(what: &str) -> Refusal {
    let message = format!("overloaded: too many {what} at a time; try again later");
    Refusal { header: Some((RETRY_AFTER, "1")), ..refusal(StatusCode::SERVICE_UNAVAILABLE, REFUSED, &message) }
}

fn refusal(status: StatusCode, code: i32, message: &str) -> Refusal {
    Refusal { status, code, message: message.to_owned(), id: None, header: None }
}

/// Why a request is not answered, in the form in which clients read errors.
struct Refusal {
    status: StatusCode,
    code: i32,
    message: String,
    /// The request that is refused, where it is known.
    id: Option<RequestId>,
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    fn into_response(self) -> Response {
        let Refusal { status, code, message, id, header } = self;
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let mut response = (status, Json(error)).into_response();
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
