//! Two layers: the first, before every path, rejects requests of other sites. The second, before the routes, identifies the
//! caller and limits requests in flight.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Uri};
use axum::middleware::Next;
use axum::response::Response;
use intentbox_report::Principal;

use super::host_and_origin::HostAndOrigin;
use super::{Options, Refuse, Rejection};
use crate::concurrency::{ConcurrencyLimit, InFlight, Permit};
use crate::tokens::Tokens;

/// The most requests in flight until their answer begins.
const REQUESTS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 512, total: 1_024 };

/// The checks of each request before its body is read.
#[derive(Clone)]
pub(super) struct Gate {
    host_and_origin: Arc<HostAndOrigin>,
    tokens: Arc<Tokens>,
    requests: InFlight,
    refuse: Refuse,
}

impl Gate {
    pub(super) fn new(options: Options, refuse: Refuse) -> Self {
        let Options { hosts, origins, tokens } = options;
        Self {
            host_and_origin: Arc::new(HostAndOrigin::new(hosts, origins)),
            tokens: Arc::new(tokens),
            requests: InFlight::new(REQUESTS),
            refuse,
        }
    }

    /// The caller by these headers, and a permit for the request.
    fn identify(&self, headers: &HeaderMap) -> Result<(Principal, Permit), Rejection> {
        let principal = self.principal(headers).ok_or(Rejection::Unauthorized)?;
        let permit = self.requests.admit(&principal).map_err(|_| Rejection::Overloaded)?;
        Ok((principal, permit))
    }

    /// The principal. A token is accepted in its header only: in a query it would end up in logs and histories.
    fn principal(&self, headers: &HeaderMap) -> Option<Principal> {
        if self.tokens.is_empty() {
            return Some(Principal::local());
        }
        bearer(headers).and_then(|token| self.tokens.holder(token))
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
    let (principal, _permit) = match gate.identify(request.headers()) {
        Ok(admitted) => admitted,
        Err(rejection) => return gate.answer(request.uri(), rejection),
    };
    request.extensions_mut().insert(principal);
    next.run(request).await
}

/// The token of a request that has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next()?, given.next()) else { return None };
    let (scheme, token) = first.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
