//! A server over streamable HTTP, as a client of the SDK: requests go through egress, and replies are bounded and decided about
//! like the lines of a pipe.

use std::collections::HashMap;
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use intentbox_egress::{HeaderMap, HeaderName, HeaderValue, Upstream, UpstreamFault, UpstreamMethod, UpstreamReply};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use serde::Deserialize;
use sse_stream::{Sse, SseStream};

use crate::definition::summary;
use crate::error::ServerFault;
use crate::frame::{Frames, MESSAGE_BYTES_MAX};

/// The most bytes of a reply that is an error.
const ERROR_BYTES_MAX: usize = 64 << 10;

/// The longest id of a session, in bytes.
const SESSION_BYTES_MAX: usize = 1 << 10;

/// The header with the id of a session, in the revisions that have sessions.
const SESSION: &str = "mcp-session-id";

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// A client for one server.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    /// The URL without what may be secret, for errors.
    place: String,
    upstream: Upstream,
    frames: Arc<Frames>,
    /// The last fault of a request: what the SDK says of it is less.
    fault: Arc<Mutex<Option<ServerFault>>>,
}

/// The part of a reply that is an error of the protocol.
#[derive(Deserialize)]
struct ErrorBody {
    jsonrpc: Option<String>,
    error: ErrorFields,
}

#[derive(Deserialize)]
struct ErrorFields {
    code: i32,
    #[serde(default)]
    message: String,
}

impl HttpClient {
    pub(crate) fn new(place: String, upstream: Upstream, frames: Arc<Frames>) -> Self {
        Self { place, upstream, frames, fault: Arc::default() }
    }

    /// Why the last request failed, if one has.
    pub(crate) fn fault(&self) -> Option<ServerFault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, fault: ServerFault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    async fn send(
        &self,
        method: UpstreamMethod,
        accept: &'static str,
        session: Option<&str>,
        custom: HashMap<HeaderName, HeaderValue>,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, StreamableHttpError<UpstreamFault>> {
        let mut headers: HeaderMap = custom.into_iter().collect();
        headers.insert("accept", HeaderValue::from_static(accept));
        if body.is_some() {
            headers.insert("content-type", HeaderValue::from_static(JSON));
        }
        if let Some(session) = session.and_then(|session| session.parse().ok()) {
            headers.insert(SESSION, session);
        }
        let reply = self.upstream.send(method, headers, body).await.map_err(|fault| self.failed(fault))?;
        let status = reply.status();
        if matches!(status, 401 | 403) {
            let challenge =
                summary(reply.header("www-authenticate").as_deref().unwrap_or("it does not say what it wants"));
            self.note(ServerFault::Unauthorized { status, challenge: challenge.clone() });
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        if status == 404 && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        Ok(reply)
    }

    fn failed(&self, fault: UpstreamFault) -> StreamableHttpError<UpstreamFault> {
        self.note(ServerFault::Http(format!("{}: {fault}", self.place)));
        StreamableHttpError::Client(fault)
    }

    fn unexpected(&self, what: String) -> StreamableHttpError<UpstreamFault> {
        self.note(ServerFault::Http(format!("{}: {what}", self.place)));
        StreamableHttpError::UnexpectedServerResponse(what.into())
    }

    /// What a reply with an error means for the request that it answers.
    async fn error(
        &self,
        reply: UpstreamReply,
        request: Option<(RequestId, bool)>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<UpstreamFault>> {
        let status = reply.status();
        let body = reply.body(ERROR_BYTES_MAX).await.unwrap_or_default();
        let parsed = serde_json::from_slice::<ErrorBody>(&body).ok();
        let Some((id, is_discovery)) = request else { return Err(self.unexpected(format!("it answered {status}"))) };
        let error = match parsed {
            // Servers that do not know which request failed leave its id out: the reply belongs to it. What is not of the protocol is a
            // gateway's, which does not know what the server did.
            Some(ErrorBody { error, jsonrpc: Some(_) }) => {
                ErrorData::new(ErrorCode(error.code), self.frames.without_secrets(&error.message), None)
            }
            // An old server answers the newest greeting in its own way; the old greeting follows.
            _ if is_discovery && (400..500).contains(&status) && status != 429 => {
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("HTTP {status}"), None)
            }
            Some(ErrorBody { error, .. }) => {
                let message = summary(&self.frames.without_secrets(&error.message));
                return Err(self.unexpected(format!("it answered {status}: {message}")));
            }
            None => return Err(self.unexpected(format!("it answered {status}"))),
        };
        self.frames.forget(&id);
        Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None))
    }

    /// The events of a reply, each decided about before the SDK sees it.
    fn events(&self, reply: UpstreamReply) -> BoxStream<'static, Result<Sse, SseError>> {
        // The parser holds an event until its end: what it has read since the last one is bounded here.
        let held = Arc::new(AtomicUsize::new(0));
        let read = Arc::clone(&held);
        let redaction = reply.redaction();
        let bytes = stream::unfold(Some(reply), move |reply| {
            let read = Arc::clone(&read);
            async move {
                let mut reply = reply?;
                match reply.chunk().await {
                    Ok(None) => None,
                    Ok(Some(chunk)) => {
                        let now = read.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                        if now > MESSAGE_BYTES_MAX {
                            let told =
                                std::io::Error::other(format!("an event has more than {MESSAGE_BYTES_MAX} bytes"));
                            return Some((Err(told), None));
                        }
                        Some((Ok(Bytes::from(chunk)), Some(reply)))
                    }
                    Err(fault) => Some((Err(std::io::Error::other(fault)), None)),
                }
            }
        });
        let (frames, fault) = (Arc::clone(&self.frames), Arc::clone(&self.fault));
        let events = SseStream::from_bytes_stream(bytes.boxed()).map(move |event| {
            held.store(0, Ordering::Relaxed);
            let mut event = event?;
            if let Some(data) = event.data.take().filter(|data| !data.trim().is_empty()) {
                match frames.received(&redaction.text(&data)) {
                    Ok(Some(message)) => event.data = serde_json::to_string(&message).ok(),
                    Ok(None) => {}
                    Err(fault) => return Err(SseError::Body(Box::new(fault))),
                }
            }
            Ok(event)
        });
        // After an error there is nothing more.
        let events = events.scan(false, move |has_failed, event| {
            let ends = *has_failed;
            if let Err(error) = &event {
                *has_failed = true;
                let told = ServerFault::Http(summary(&format!("its events broke off: {error}")));
                *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
            }
            ready(if ends { None } else { Some(event) })
        });
        events.boxed()
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = UpstreamFault;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<UpstreamFault>> {
        self.frames.sent(&message);
        let request = match &message {
            JsonRpcMessage::Request(request) => {
                Some((request.id.clone(), matches!(request.request, ClientRequest::DiscoverRequest(_))))
            }
            _ => None,
        };
        let body = serde_json::to_vec(&message)?;
        let accept = "application/json, text/event-stream";
        let reply = self.send(UpstreamMethod::Post, accept, session.as_deref(), custom, Some(body)).await?;
        if reply.status() >= 400 {
            return self.error(reply, request).await;
        }
        let session = reply.header(SESSION).filter(|id| id.len() <= SESSION_BYTES_MAX);
        let kind = reply.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if matches!(reply.status(), 202 | 204) || request.is_none() {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(reply), session));
        }
        if !kind.starts_with(JSON) {
            return Err(self.unexpected(format!("it answered with {:?} in place of JSON", summary(&kind))));
        }
        let body = reply.body(MESSAGE_BYTES_MAX).await.map_err(|fault| self.failed(fault))?;
        let Ok(text) = str::from_utf8(&body) else {
            return Err(self.unexpected("its reply is not UTF-8 text".to_owned()));
        };
        match self.frames.received(text) {
            Ok(Some(message)) => Ok(StreamableHttpPostResponse::Json(message, session)),
            Ok(None) => Err(self.unexpected("its reply answers another request, or none".to_owned())),
            Err(fault) => Err(self.unexpected(fault.to_string())),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<UpstreamFault>> {
        self.send(UpstreamMethod::Delete, JSON, Some(&session), custom, None).await.map(|_| ())
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        mut custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<UpstreamFault>> {
        if let Some(last) = last_event.and_then(|last| last.parse().ok()) {
            custom.insert(HeaderName::from_static("last-event-id"), last);
        }
        let reply = self.send(UpstreamMethod::Get, EVENTS, session.as_deref(), custom, None).await?;
        let is_events = reply.header("content-type").is_some_and(|kind| kind.to_ascii_lowercase().starts_with(EVENTS));
        if reply.status() == 405 || !is_events {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(self.events(reply))
    }
}
