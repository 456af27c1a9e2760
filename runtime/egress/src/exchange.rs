//! The HTTP requests of one run: admits each, counts it against the budget, sends it, and follows redirects.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intentbox_capability::{Alias, AllowedUrl, Grant, Method, Refusal};
use reqwest::header::{ACCEPT_ENCODING, CONNECTION, HeaderMap, HeaderName, HeaderValue, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode};
use tokio::time::Instant;

use crate::origin_client::OriginClient;
use crate::unpack::{Unpackable, Unpacking};
use crate::{Egress, header, retry};

/// How much one run may send and receive. The defaults suit a script that reads some pages of an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Requests, refused ones and each hop of a redirect included.
    pub requests_max: u64,
    /// Bytes of URLs, headers and bodies that the script sends.
    pub bytes_up_max: u64,
    /// Bytes of bodies that it receives, decompressed, or as they were sent where that is more.
    pub bytes_down_max: u64,
    /// Bytes of any one body, decompressed.
    pub body_bytes_max: u64,
    /// Time for one request, from admission to the last byte, redirects included.
    pub timeout: Duration,
    /// Redirects in a row.
    pub redirects_max: u32,
    /// Time for the run as a whole. It only decides whether waiting for a rate limit could still help: ending the run
    /// is up to its runner.
    pub run: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            requests_max: 64,
            bytes_up_max: 1024 * 1024,
            bytes_down_max: 16 * 1024 * 1024,
            body_bytes_max: 8 * 1024 * 1024,
            timeout: Duration::from_secs(30),
            redirects_max: 5,
            run: Duration::from_secs(30),
        }
    }
}

/// What a run has used of its [`Budget`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests, refused ones and each hop of a redirect included.
    pub requests: u64,
    /// Bytes of URLs, headers and bodies sent.
    pub bytes_up: u64,
    /// Bytes of bodies received, decompressed.
    pub bytes_down: u64,
}

/// A request as the script states it. Nothing in it was checked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// In any case.
    pub method: &'a str,
    /// `alias:/path?query`, or an absolute URL under an origin.
    pub url: &'a str,
    /// Names and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, if it has one.
    pub body: Option<&'a [u8]>,
    /// A shorter time than the budget's; a longer one changes nothing.
    pub timeout: Option<Duration>,
}

/// What came back, as the script may see it: bounded, decompressed, redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Where it came from in the script's terms, after redirects.
    pub shown_url: String,
    /// Names in lower case, and values; without cookies.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no reply. No message holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The grant does not cover it. Nothing was sent, except when a redirect led here.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It was granted, but failed.
    #[error("{kind}: {message}")]
    Failed {
        /// `timeout`, `dns`, `connect`, `address_refused`, `tls`, `protocol`, `body_too_large`, `redirect`,
        /// `header_invalid`, `credential`.
        kind: &'static str,
        /// One line about what happened.
        message: String,
    },
    /// The run has used up its budget.
    #[error("the limit of {what} is {limit}, and this request would reach {observed}")]
    BudgetSpent {
        /// What ran out.
        what: BudgetItem,
        /// The budget's number.
        limit: u64,
        /// The value that the counter would have reached.
        observed: u64,
    },
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetItem {
    /// Requests, redirects included.
    Requests,
    /// Bytes sent.
    BytesUp,
    /// Bytes received, decompressed.
    BytesDown,
}

impl fmt::Display for BudgetItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Requests => "requests",
            Self::BytesUp => "bytes_up",
            Self::BytesDown => "bytes_down",
        })
    }
}

impl SendError {
    pub(crate) fn failed(kind: &'static str, message: String) -> Self {
        Self::Failed { kind, message }
    }
}

/// The outgoing requests of one run. Everything that runs for it may share this, and shares one budget.
#[derive(Debug)]
pub struct Exchange {
    egress: Egress,
    grant: Grant,
    budget: Budget,
    ends: Instant,
    /// Headers of this program, which a script's own of the same name precede.
    added: Vec<(&'static str, String)>,
    /// A client for each origin it talked to. Their connections are this run's alone, and end with it.
    clients: Mutex<BTreeMap<Alias, Client>>,
    record: Mutex<Record>,
}

/// What happened so far. At most `requests_max` refusals, as each was a request.
#[derive(Debug, Default)]
struct Record {
    spent: Spent,
    refusals: Vec<Refusal>,
}

impl Exchange {
    pub(crate) fn new(egress: Egress, grant: Grant, budget: Budget) -> Self {
        let ends = Instant::now() + budget.run;
        Self { egress, grant, budget, ends, added: Vec::new(), clients: Mutex::default(), record: Mutex::default() }
    }

    /// The same, and each request carries these headers: those of a trace, which are no secret. Where a script sets one of them
    /// itself, that one is sent.
    #[must_use]
    pub fn traced(self, headers: Vec<(&'static str, String)>) -> Self {
        Self { added: headers, ..self }
    }

    /// Sends a request, if the grant admits it, and follows redirects that it admits too. Where the origin says when to
    /// come back (429 or 503 with `Retry-After`), a request that only reads waits for it, if the run lives that long.
    /// Dropping the future closes the connection.
    ///
    /// # Errors
    ///
    /// [`SendError`] tells a refusal from a failure from a spent budget.
    pub async fn send(&self, request: Request<'_>) -> Result<Reply, SendError> {
        self.count_request()?;
        let origins = self.egress.origins();
        let to = self.noted(self.grant.admit(origins, request.method, request.url))?;
        let headers = header::check(request.headers)?;
        let longest = self.budget.timeout;
        let timeout = request.timeout.map_or(longest, |asked| asked.min(longest));
        let shown = format!("{} {}", to.method(), to.shown());
        let ends = self.ends.min(Instant::now() + timeout);
        let answer = tokio::time::timeout(timeout, self.follow(to, headers, request.body, ends)).await;
        answer.unwrap_or_else(|_| {
            let message = format!("{shown} took longer than {} ms", timeout.as_millis());
            Err(SendError::failed("timeout", message))
        })
    }

    /// What the run has used so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.record().spent
    }

    /// What was refused so far, in order, redirects included.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        self.record().refusals.clone()
    }

    async fn follow(
        &self,
        mut to: AllowedUrl,
        mut headers: HeaderMap,
        mut body: Option<&[u8]>,
        ends: Instant,
    ) -> Result<Reply, SendError> {
        let home = to.alias().clone();
        // Once another origin chose where to go, no secret is attached any more, not even on the way back home.
        let mut trusted = true;
        let mut redirects = 0;
        let mut waits = 0;
        let mut has_asked_again = false;
        loop {
            trusted = trusted && *to.alias() == home;
            let origin = self.egress.client(to.alias());
            // What was carried to one place is not for another unless a rule there says so too.
            self.noted(header::admit(&headers, &to))?;
            origin.check_parts(&headers)?;
            origin.check_place(to.url(), &headers)?;
            let response = self.dispatch(origin, &to, &headers, body, trusted).await?;
            // A token can be revoked before its time: one more is asked for, once. Whoever answers so did nothing.
            if response.status() == StatusCode::UNAUTHORIZED
                && trusted
                && !has_asked_again
                && let Some(credential) = origin.credential()
                && credential.rejected().await
            {
                drop(response);
                has_asked_again = true;
                self.count_request()?;
                continue;
            }
            if let Some(wait) =
                retry::wait(to.method(), &response, waits, ends.saturating_duration_since(Instant::now()))
            {
                // The next request may use the connection.
                drop(response);
                tokio::time::sleep(wait).await;
                waits += 1;
                self.count_request()?;
                continue;
            }
            if response.status() == StatusCode::PARTIAL_CONTENT && !headers.contains_key(RANGE) {
                let message = format!("{} sent a partial reply to a request without `Range`", to.shown());
                return Err(SendError::failed("protocol", message));
            }
            let Some(location) = location(&response, origin, &to)? else {
                return self.reply(origin, &to, response).await;
            };
            if redirects == self.budget.redirects_max {
                let message = format!("{}: too many redirects (limit {redirects})", to.shown());
                return Err(SendError::failed("redirect", message));
            }
            redirects += 1;
            let method = next_method(response.status(), to.method());
            if method != to.method() {
                body = None;
                for name in ["content-type", "content-encoding", "content-language", "content-location"] {
                    headers.remove(name);
                }
            }
            self.count_request()?;
            let next = to.redirect(&self.grant, self.egress.origins(), method, &location);
            // A second look, at what the gate made of it: that is what the script sees, and the report.
            let told =
                next.as_ref().map_or_else(|refusal| format!("{refusal} {refusal:?}"), |next| next.shown().to_owned());
            if origin.redactor().finds_hidden(told.as_bytes()) {
                return Err(leads(&to, HOLDS_THE_SECRET));
            }
            to = self.noted(next)?;
        }
    }

    /// Sends one hop, and waits for the reply's headers.
    async fn dispatch(
        &self,
        origin: &OriginClient,
        to: &AllowedUrl,
        headers: &HeaderMap,
        body: Option<&[u8]>,
        trusted: bool,
    ) -> Result<Response, SendError> {
        origin.check_literal(to.url())?;
        let body = body.filter(|body| !body.is_empty());
        let client = match body {
            Some(_) => origin.client_of_one_request()?.clone(),
            None => self.client(origin, to.alias())?,
        };
        let bytes = to.url().as_str().len() + header::bytes(headers) + body.map_or(0, <[u8]>::len);
        let limit = self.budget.bytes_up_max;
        self.charge(BudgetItem::BytesUp, limit, bytes, |spent| &mut spent.bytes_up)?;
        // After the charge: looking at a body costs something, too.
        self.noted(to.admit_body(body.unwrap_or_default(), &header::content_types(headers)))?;
        let (mut url, mut headers) = (to.url().clone(), headers.clone());
        let is_part = headers.contains_key(RANGE);
        for (name, value) in &self.added {
            if let (false, Ok(value)) = (headers.contains_key(*name), HeaderValue::from_str(value)) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        // Last, so that nothing which a script chose is behind it.
        if let Some(credential) = origin.credential().filter(|_| trusted) {
            let attached = credential.attach(&mut url, &mut headers).await;
            attached.map_err(|fault| SendError::failed("credential", format!("{}: {fault}", to.alias())))?;
        }
        let mut request = client.request(wire_method(to.method()), url).headers(headers);
        // A piece of what is packed cannot be unpacked.
        if !is_part {
            request = request.header(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Some(body) = body {
            // An origin that honours this reads nothing behind its reply, where it did not read the body.
            request = request.header(CONNECTION, HeaderValue::from_static("close")).body(body.to_vec());
        }
        request.send().await.map_err(|error| origin.failure(&error))
    }

    /// Reads the reply, chunk by chunk against the limits, and takes the secret out.
    async fn reply(&self, origin: &OriginClient, to: &AllowedUrl, mut response: Response) -> Result<Reply, SendError> {
        let status = response.status().as_u16();
        // A secret could hide in an encoding that nobody undoes.
        let Some(mut unpacking) = Unpacking::of(response.headers_mut()) else {
            let message = format!("{} sent a content encoding that was not requested", to.shown());
            return Err(SendError::failed("protocol", message));
        };
        let headers = header::received(response.headers(), &origin.redactor())?;
        let body_max = usize::try_from(self.budget.body_bytes_max).unwrap_or(usize::MAX);
        let too_large = || {
            let message = format!("{} has a body of more than {body_max} bytes", to.shown());
            SendError::failed("body_too_large", message)
        };
        if response.content_length().is_some_and(|length| length > self.budget.body_bytes_max) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        let mut keep = |piece: &[u8]| {
            let limit = self.budget.bytes_down_max;
            self.charge(BudgetItem::BytesDown, limit, piece.len(), |spent| &mut spent.bytes_down)?;
            if piece.len() > body_max - body.len() {
                return Err(BodyError::Send(too_large()));
            }
            body.extend_from_slice(piece);
            Ok(())
        };
        let failed = |error: BodyError| error.into_send_error(to);
        let mut sent = 0;
        while let Some(chunk) = response.chunk().await.map_err(|error| origin.failure(&error))? {
            // Bytes that become nothing count as well.
            sent += chunk.len();
            if sent > body_max {
                return Err(too_large());
            }
            unpacking.take(&chunk, &mut keep).map_err(failed)?;
        }
        unpacking.end(&mut keep).map_err(failed)?;
        let limit = self.budget.bytes_down_max;
        self.charge(BudgetItem::BytesDown, limit, sent.saturating_sub(body.len()), |spent| &mut spent.bytes_down)?;
        Ok(Reply { status, shown_url: to.shown().to_owned(), headers, body: origin.redactor().redact(body) })
    }

    /// The run's own client for an origin.
    fn client(&self, origin: &OriginClient, alias: &Alias) -> Result<Client, SendError> {
        // A poisoned lock still holds whole clients.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(alias) {
            return Ok(client.clone());
        }
        let client = origin.client_of_a_run()?;
        clients.insert(alias.clone(), client.clone());
        Ok(client)
    }

    /// The answer of the gate; a refusal is kept for the report.
    fn noted<T>(&self, answer: Result<T, Refusal>) -> Result<T, SendError> {
        answer.map_err(|refusal| {
            self.record().refusals.push(refusal.clone());
            SendError::Refused(refusal)
        })
    }

    fn count_request(&self) -> Result<(), SendError> {
        let limit = self.budget.requests_max;
        self.charge(BudgetItem::Requests, limit, 1, |spent| &mut spent.requests)
    }

    /// Charges the budget, or charges nothing and returns what is exhausted.
    fn charge(
        &self,
        what: BudgetItem,
        limit: u64,
        amount: usize,
        counter: impl FnOnce(&mut Spent) -> &mut u64,
    ) -> Result<(), SendError> {
        let mut record = self.record();
        let counter = counter(&mut record.spent);
        let observed = counter.saturating_add(u64::try_from(amount).unwrap_or(u64::MAX));
        if observed > limit {
            return Err(SendError::BudgetSpent { what, limit, observed });
        }
        *counter = observed;
        Ok(())
    }

    /// A poisoned lock still holds whole numbers: each change is one assignment or one push.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the reading of a body ended early.
enum BodyError {
    Send(SendError),
    Unpackable(Unpackable),
}

impl From<SendError> for BodyError {
    fn from(error: SendError) -> BodyError {
        BodyError::Send(error)
    }
}

impl From<Unpackable> for BodyError {
    fn from(why: Unpackable) -> BodyError {
        BodyError::Unpackable(why)
    }
}

impl BodyError {
    fn into_send_error(self, to: &AllowedUrl) -> SendError {
        match self {
            BodyError::Send(error) => error,
            BodyError::Unpackable(why) => {
                let kind = match why {
                    Unpackable::Broken(_) | Unpackable::Members => "protocol",
                    Unpackable::Bomb => "body_too_large",
                };
                SendError::failed(kind, format!("{} has a body that {why}", to.shown()))
            }
        }
    }
}

const HOLDS_THE_SECRET: &str = "holds the origin's secret";

/// Where a reply says to go next, if it does.
fn location(response: &Response, origin: &OriginClient, from: &AllowedUrl) -> Result<Option<String>, SendError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    // A server that repeats the query repeats the key in it: the next request has the key again.
    let without_key = location.to_str().ok().and_then(|location| {
        origin.credential().and_then(|credential| credential.without_query_key(from.url(), location))
    });
    if let Some(location) = without_key {
        let is_hidden = origin.redactor().finds_hidden(location.as_bytes());
        return if is_hidden { Err(leads(from, HOLDS_THE_SECRET)) } else { Ok(Some(location)) };
    }
    if origin.redactor().finds_hidden(location.as_bytes()) {
        return Err(leads(from, HOLDS_THE_SECRET));
    }
    match location.to_str() {
        Ok("") => Err(leads(from, "is empty")),
        // A host is decoded and lower-cased by the parser, and other parts lose tabs: the secret may appear only there.
        Ok(location)
            if from.url().join(location).is_ok_and(|url| origin.redactor().finds_hidden(url.as_str().as_bytes())) =>
        {
            Err(leads(from, HOLDS_THE_SECRET))
        }
        Ok(location) => Ok(Some(location.to_owned())),
        Err(_) => Err(leads(from, "is not plain ASCII")),
    }
}

/// The failure for a location that is not followed. The message does not repeat the location.
fn leads(from: &AllowedUrl, why: &str) -> SendError {
    SendError::failed("redirect", format!("{} redirects to a location that {why}", from.shown()))
}

/// The method after a redirect, as browsers have it.
fn next_method(status: StatusCode, method: Method) -> Method {
    match (status.as_u16(), method) {
        (303, Method::Head) => Method::Head,
        (303, _) | (301 | 302, Method::Post) => Method::Get,
        _ => method,
    }
}

fn wire_method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Head => reqwest::Method::HEAD,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
        Method::Delete => reqwest::Method::DELETE,
    }
}
