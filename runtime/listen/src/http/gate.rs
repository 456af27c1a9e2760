//! Two layers: the first, before every path, rejects requests of other sites. The second, before the routes, identifies the
//! caller and limits requests in flight.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt as _;
use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use intentbox_report::Principal;

use super::host_and_origin::HostAndOrigin;
use super::{Needs, Options, Refuse, Rejection, cookie};
use crate::concurrency::{ConcurrencyLimit, InFlight, Permit};
use crate::scope::Scopes;
use crate::tokens::{TokenDigest, Tokens, token_digest};

/// The most requests in flight until their answer begins.
const REQUESTS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 512, total: 1_024 };

/// The checks of each request before its body is read.
#[derive(Clone)]
pub(super) struct Gate {
    host_and_origin: Arc<HostAndOrigin>,
    tokens: Arc<Tokens>,
    requests: InFlight,
    rate: Option<Arc<Rate>>,
    needs: Needs,
    refuse: Refuse,
}

/// How many requests each principal may send.
type Rate = RateLimiter<Principal, HashMapStateStore<Principal>, DefaultClock>;

impl Gate {
    pub(super) fn new(options: Options, needs: Needs, refuse: Refuse) -> Self {
        let Options { hosts, origins, tokens, rate } = options;
        Self {
            host_and_origin: Arc::new(HostAndOrigin::new(hosts, origins)),
            tokens: Arc::new(tokens),
            requests: InFlight::new(REQUESTS),
            rate: rate.map(|rate| Arc::new(RateLimiter::hashmap(Quota::per_second(rate)))),
            needs,
            refuse,
        }
    }

    /// The caller of a request, its token, and a permit for it.
    fn identify(&self, request: &Request) -> Result<(Principal, Option<TokenDigest>, Permit), Rejection> {
        let known = self.principal(request.method(), request.headers());
        let (principal, scopes, token) = known.ok_or(Rejection::Unauthorized)?;
        let scope = (self.needs)(request.method(), request.uri());
        if !scopes.has(scope) {
            return Err(Rejection::Scope { scope });
        }
        if let Some(rate) = &self.rate {
            rate.check_key(&principal).map_err(|not_until| {
                let wait = not_until.wait_time_from(rate.clock().now());
                Rejection::Rate { after_s: u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1) }
            })?;
        }
        let permit = self.requests.admit(&principal).map_err(|_| Rejection::Overloaded)?;
        Ok((principal, token, permit))
    }

    /// The principal, and what it may do. A token is accepted in its header, or as a browser's cookie: in a query it would end up in logs
    /// and histories.
    fn principal(&self, method: &Method, headers: &HeaderMap) -> Option<(Principal, Scopes, Option<TokenDigest>)> {
        if !self.tokens.are_needed() {
            return Some((Principal::local(), Scopes::ALL, None));
        }
        let token = if headers.contains_key(AUTHORIZATION) { bearer(headers) } else { cookie::token(method, headers) };
        let (principal, scopes) = self.tokens.holder(token?)?;
        Some((principal, scopes, token.map(token_digest)))
    }

    fn answer(&self, uri: &Uri, rejection: Rejection) -> Response {
        let mut response = (self.refuse)(uri, rejection);
        *response.status_mut() = rejection.status();
        if let Some((name, value)) = rejection.header() {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// Passes on a request that is meant for this server and comes from a page that may use it, or rejects it.
pub(super) async fn check_site(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    if !gate.host_and_origin.admits(request.headers()) {
        return gate.answer(request.uri(), Rejection::HostOrOrigin);
    }
    next.run(request).await
}

/// Admits a request of a known caller, or rejects it. Its permit is released when its answer begins.
pub(super) async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let (principal, token, _permit) = match gate.identify(&request) {
        Ok(admitted) => admitted,
        Err(rejection) => return gate.answer(request.uri(), rejection),
    };
    request.extensions_mut().insert(principal);
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Known);
    if is_event_stream(&response) { until_ended(response, Arc::clone(&gate.tokens), token) } else { response }
}

/// Whether an answer goes on for as long as its client listens.
fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

/// The same answer, which ends when its token is accepted no more.
fn until_ended(response: Response, tokens: Arc<Tokens>, token: Option<TokenDigest>) -> Response {
    response.map(|body| {
        let ended = Box::pin(async move { tokens.ended(token).await });
        Body::from_stream(body.into_data_stream().take_until(ended))
    })
}

/// Marks the answers to requests of known callers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known;

/// The token of a request that has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next()?, given.next()) else { return None };
    let (scheme, token) = first.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
