//! The client of a call: its principal, elicitation from its user, progress notifications, and disconnects.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    ProgressNotificationParam, ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RequestHandle, RoleServer};
use tokio_util::bytes::Bytes;

use intentbox_engine::{Principal, TraceContext};
use intentbox_listen::http::trace;
use intentbox_mcp_wire::message::Arguments;
use intentbox_mcp_wire::stop::Stopping;

use crate::http::{Ended, REFUSED};
use crate::question::Question;

/// How long a person may take to answer a question.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_mins(5);

/// The interval of progress notifications. Clients give up after some tens of seconds of silence.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// The key under which a question is asked and answered in the stateless protocol.
pub(crate) const ANSWER: &str = "answer";

/// How to elicit an answer from the user of a client.
pub(crate) enum Elicitation {
    /// With a request of the server's own.
    Legacy(Box<Peer<RoleServer>>),
    /// With the answer to this request: the next request of the same call brings the reply.
    Stateless(Option<ElicitResult>),
    /// Not at all.
    Not,
}

/// Elicits an answer from the user of a stateful client. If the call ends first, the question is cancelled.
pub(crate) async fn ask(peer: &Peer<RoleServer>, question: &Question) -> Option<ElicitResult> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(question)?));
    let options = PeerRequestOptions::no_options();
    let mut asked = OpenElicitation(Some(peer.send_cancellable_request(request, options).await.ok()?));
    let handle = asked.0.as_mut()?;
    let answer = tokio::time::timeout(ANSWER_WITHIN, &mut handle.rx).await.ok()?;
    asked.0 = None;
    match answer.ok()?.ok()? {
        ClientResult::ElicitResult(answer) => Some(answer),
        _ => None,
    }
}

/// A pending elicitation. Dropping it cancels it.
struct OpenElicitation(Option<RequestHandle<RoleServer>>);

impl Drop for OpenElicitation {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            tokio::spawn(handle.cancel(Some("the call has ended".to_owned())));
        }
    }
}

pub(crate) fn form(question: &Question) -> Option<ElicitRequestParams> {
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message(),
        requested_schema: question.form()?,
    })
}

/// The principal: as the HTTP side identified it, or else the user who started the program.
pub(crate) fn principal_of(context: &RequestContext<RoleServer>) -> Principal {
    let parts = context.extensions.get::<axum::http::request::Parts>();
    parts.and_then(|parts| parts.extensions.get::<Principal>()).cloned().unwrap_or_else(Principal::local)
}

/// The trace that a call is a part of: as its `_meta` says (SEP-414), or else the headers that it came with.
pub(crate) fn trace_of(context: &RequestContext<RoleServer>) -> Option<TraceContext> {
    if let Some(parent) = context.meta.get_traceparent() {
        return TraceContext::parse(parent, context.meta.get_tracestate());
    }
    trace(&context.extensions.get::<axum::http::request::Parts>()?.headers)
}

/// The arguments of a call as they were sent; empty where there were none, or where they have been taken.
pub(crate) fn arguments_of(context: &RequestContext<RoleServer>) -> Bytes {
    let of_http = || context.extensions.get::<axum::http::request::Parts>()?.extensions.get::<Arguments>();
    context.extensions.get::<Arguments>().or_else(of_http).map(Arguments::take).unwrap_or_default()
}

/// How to elicit from the user: by this request's protocol and the client's capabilities.
pub(crate) fn elicitation_of(context: &RequestContext<RoleServer>, request: &CallToolRequestParams) -> Elicitation {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // An empty declaration means forms; one that names only links means links.
    if !elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none()) {
        return Elicitation::Not;
    }
    let stateless = ProtocolVersion::V_2026_07_28;
    if context.protocol_version().is_some_and(|version| version.as_str() >= stateless.as_str()) {
        // Without the state of a question there was none.
        let responses = request.input_responses.as_ref().filter(|_| request.request_state.is_some());
        let answer = responses.and_then(|responses| responses.get(ANSWER));
        return Elicitation::Stateless(answer.and_then(|answer| serde_json::from_value(answer.clone()).ok()));
    }
    Elicitation::Legacy(Box::new(context.peer.clone()))
}

/// Waits for the end of the session that a call belongs to, if it belongs to one.
pub(crate) async fn session_ended(context: &RequestContext<RoleServer>) {
    let parts = context.extensions.get::<axum::http::request::Parts>();
    match parts.and_then(|parts| parts.extensions.get::<Ended>()) {
        Some(Ended(token)) => token.cancelled().await,
        None => std::future::pending().await,
    }
}

/// What a call is answered with that the end of the server cut off. How far it had come is not known.
const CUT_OFF: &str = "the server is stopping, and this call was cut off: if it may have changed something, look whether it did before you \
                       send it again";

/// Waits until the server waits for this call no longer, and gives the error to answer.
pub(crate) async fn server_stops(context: &RequestContext<RoleServer>) -> ErrorData {
    let of_http = || context.extensions.get::<axum::http::request::Parts>()?.extensions.get::<Stopping>();
    match context.extensions.get::<Stopping>().or_else(of_http) {
        Some(Stopping(token)) => token.cancelled().await,
        None => std::future::pending().await,
    }
    ErrorData::new(ErrorCode(REFUSED), CUT_OFF, None)
}

/// Waits for the work, and meanwhile sends progress notifications to a client that wants them.
///
/// Notifying and working are independent: a client that does not read its notifications does not delay its own run.
pub(crate) async fn with_progress<T>(work: impl Future<Output = T>, context: &RequestContext<RoleServer>) -> T {
    let Some(token) = context.meta.get_progress_token() else { return work.await };
    let started = Instant::now();
    let tell = async {
        loop {
            tokio::time::sleep(PROGRESS_EVERY).await;
            let seconds = started.elapsed().as_secs_f64();
            let progress = ProgressNotificationParam::new(token.clone(), seconds);
            let told = context.peer.notify_progress(progress.with_message(format!("running for {seconds:.0} s"))).await;
            if told.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    let mut tell = pin!(tell);
    tokio::select! {
        done = work => done,
        () = &mut tell => unreachable!("telling goes on"),
    }
}
