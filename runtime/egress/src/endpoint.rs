//! One URL that this program itself sends requests to, and the client for it.
//!
//! The rules are those of scripts' requests: no redirect is followed, no proxy of the environment is used, names are resolved
//! once, and the addresses are checked. Naming a host of this machine or of a private network in the URL is the permission for
//! that host; a name of the internet must resolve to a public address.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intentbox_capability::{Network, PrivateAddresses};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use url::{Host, Url};

use crate::origin_client::{allowed, root, tls};
use crate::redact::Redactor;

/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// The longest header value of a reply that is looked at, in bytes.
const HEADER_BYTES_MAX: usize = 8 << 10;

/// How many characters of a library's error text a message repeats.
const DETAIL_CHARS_MAX: usize = 200;

/// Names that belong to a private network by custom (RFC 6762, RFC 8375, ICANN's `.internal`).
const PRIVATE_SUFFIXES: [&str; 5] = [".local", ".internal", ".lan", ".home.arpa", ".localdomain"];

/// A URL, which addresses its host may have, and the client for it.
pub(crate) struct Endpoint {
    url: Url,
    private: PrivateAddresses,
    roots: Vec<u8>,
    client: OnceLock<Client>,
}

/// Why an upstream server was not reached, in one line without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub struct UpstreamFault {
    told: String,
    may_have_arrived: bool,
}

impl UpstreamFault {
    /// One before anything was sent.
    pub(crate) fn new(told: impl Into<String>) -> Self {
        Self { told: told.into(), may_have_arrived: false }
    }

    /// One after the request may have arrived.
    fn after(told: impl Into<String>) -> Self {
        Self { told: told.into(), may_have_arrived: true }
    }

    /// Whether the server may have got the request: what it asks for may have been done.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        self.may_have_arrived
    }
}

/// What is done with the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamMethod {
    /// Sends a message.
    Post,
    /// Opens a stream.
    Get,
    /// Ends a session.
    Delete,
}

/// A reply whose body has not been read.
#[derive(Debug)]
pub struct UpstreamReply {
    response: Response,
    redaction: Redaction,
}

/// Takes the secrets of a server out of what it sends back. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Redaction(Vec<Arc<Redactor>>);

impl Redaction {
    /// Looks for each of these texts, in all forms that an origin may repeat them in. One of fewer than eight bytes is left alone.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let redactor = Redactor::of(secrets);
        if redactor.is_empty() { Self::default() } else { Self(vec![Arc::new(redactor)]) }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of(redactors: impl IntoIterator<Item = Arc<Redactor>>) -> Self {
        Self(redactors.into_iter().collect())
    }

    /// The bytes without the secrets.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.0.iter().fold(bytes, |bytes, redactor| redactor.redact(bytes))
    }

    /// The text without the secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes().to_vec())).into_owned()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.url.as_str())
    }
}

impl Endpoint {
    /// Takes a URL, and root certificates (PEM) to trust besides the system's. Connects to nothing.
    pub(crate) fn new(url: &str, roots: &[u8]) -> Result<Self, UpstreamFault> {
        let url = Url::parse(url).map_err(|_| UpstreamFault::new("its URL is invalid"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UpstreamFault::new("its URL begins with neither http:// nor https://"));
        }
        let private = permitted(&url);
        Ok(Self { url, private, roots: roots.to_vec(), client: OnceLock::new() })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Sends a request to the URL, or to the URL with another query.
    pub(crate) async fn send(
        &self,
        method: UpstreamMethod,
        url: Url,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
        redaction: Redaction,
    ) -> Result<UpstreamReply, UpstreamFault> {
        let method = match method {
            UpstreamMethod::Post => Method::POST,
            UpstreamMethod::Get => Method::GET,
            UpstreamMethod::Delete => Method::DELETE,
        };
        self.check_literal()?;
        let mut request = self.client()?.request(method, url).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|error| failed(&error, &redaction))?;
        if response.status().is_redirection() {
            let to = response.headers().get("location").map_or(&b"nowhere"[..], |to| to.as_bytes());
            let to: String =
                String::from_utf8_lossy(&redaction.bytes(to.to_vec())).chars().take(DETAIL_CHARS_MAX).collect();
            let (status, to) = (response.status().as_u16(), to.escape_debug());
            let told =
                format!("it answered {status} with a redirect to {to}, which is not followed: configure the final URL");
            return Err(UpstreamFault::after(told));
        }
        Ok(UpstreamReply { response, redaction })
    }

    fn check_literal(&self) -> Result<(), UpstreamFault> {
        let literal = match self.url.host() {
            Some(Host::Ipv4(ip)) => Some(ip.into()),
            Some(Host::Ipv6(ip)) => Some(ip.into()),
            Some(Host::Domain(_)) | None => None,
        };
        match literal.filter(|ip| !self.private.allow(*ip)) {
            Some(ip) => Err(UpstreamFault::new(format!("its address {ip} is not allowed"))),
            None => Ok(()),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "egress is the crate that builds clients")]
    fn client(&self) -> Result<&Client, UpstreamFault> {
        let Self { url, private, roots, client } = self;
        if let Some(client) = client.get() {
            return Ok(client);
        }
        let is_encrypted = url.scheme() == "https";
        let tls = tls(is_encrypted, roots).map_err(|error| UpstreamFault::new(error.to_string()))?;
        let built = Client::builder()
            .user_agent(concat!("intentbox/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .https_only(is_encrypted)
            .connect_timeout(CONNECT_MAX)
            .dns_resolver(Arc::new(Checked(private.clone())))
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|error| UpstreamFault::new(root(&error).to_string()))?;
        Ok(client.get_or_init(|| built))
    }
}

fn failed(error: &reqwest::Error, redaction: &Redaction) -> UpstreamFault {
    let what = if error.is_timeout() {
        "it did not answer in time"
    } else if error.is_connect() {
        "it cannot be connected to"
    } else {
        "it does not speak HTTP as it should"
    };
    let detail: String = root(error).to_string().chars().take(DETAIL_CHARS_MAX).collect();
    let detail = redaction.bytes(detail.into_bytes());
    let told = format!("{what}: {}", String::from_utf8_lossy(&detail).escape_debug());
    UpstreamFault { told, may_have_arrived: !error.is_connect() }
}

impl UpstreamReply {
    /// The status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header without secrets, if it is there and is text of a reasonable length.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let value = self.response.headers().get(name)?;
        if value.len() > HEADER_BYTES_MAX { None } else { value.to_str().ok().map(|text| self.redaction.text(text)) }
    }

    /// What takes the secrets out of a body that is read in parts: a secret may lie across two of them.
    #[must_use]
    pub fn redaction(&self) -> Redaction {
        self.redaction.clone()
    }

    /// The next part of the body as it was sent, secrets included; nothing at its end.
    ///
    /// # Errors
    /// When the connection broke.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, UpstreamFault> {
        match self.response.chunk().await {
            Ok(chunk) => Ok(chunk.map(|bytes| bytes.to_vec())),
            Err(error) => {
                let detail = self.redaction.bytes(root(&error).to_string().into_bytes());
                let detail = String::from_utf8_lossy(&detail).escape_debug().to_string();
                Err(UpstreamFault::after(format!("its reply broke off: {detail}")))
            }
        }
    }

    /// The whole body without secrets. It has at most so many bytes.
    ///
    /// # Errors
    /// When it has more, or the connection broke.
    pub async fn body(self, bytes_max: usize) -> Result<Vec<u8>, UpstreamFault> {
        let redaction = self.redaction();
        Ok(redaction.bytes(self.whole_body(bytes_max).await?))
    }

    /// The same with secrets: of a reply whose purpose is to hold one.
    pub(crate) async fn whole_body(mut self, bytes_max: usize) -> Result<Vec<u8>, UpstreamFault> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > bytes_max {
                return Err(UpstreamFault::after(format!("its reply has more than {bytes_max} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Which addresses that are not public the host of a URL may have.
fn permitted(url: &Url) -> PrivateAddresses {
    match url.host() {
        Some(Host::Ipv4(ip)) => PrivateAddresses::Networks(vec![Network::of(ip.into())]),
        Some(Host::Ipv6(ip)) => PrivateAddresses::Networks(vec![Network::of(ip.into())]),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            if name == "localhost" || name.ends_with(".localhost") {
                PrivateAddresses::loopback()
            } else if !name.contains('.') || PRIVATE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
                PrivateAddresses::Ordinary
            } else {
                PrivateAddresses::None
            }
        }
        None => PrivateAddresses::None,
    }
}

/// Resolves a name once, and returns the addresses that may be connected to.
#[derive(Debug)]
struct Checked(PrivateAddresses);

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (private, host) = (self.0.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let allowed = allowed(found, &private).map_err(|found| Refused { host, found })?;
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// A name that resolves only to addresses that it may not have.
#[derive(Debug)]
struct Refused {
    host: String,
    found: Option<Network>,
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(
                formatter,
                "`{}` resolves to {found}, which is not a public address: write the address itself into the URL to allow it",
                self.host
            ),
            None => write!(formatter, "`{}` has no address", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m14_only_what_the_url_names_may_be_private() {
        let private = |url: &str| permitted(&Url::parse(url).expect(url));
        let network = |text: &str| PrivateAddresses::Networks(vec![text.parse().expect(text)]);
        for (url, expected) in [
            ("http://127.0.0.1:9/mcp", network("127.0.0.1")),
            ("http://10.1.2.3/mcp", network("10.1.2.3")),
            ("http://[::1]/mcp", network("::1")),
            ("http://localhost:9/", PrivateAddresses::loopback()),
            ("http://app.localhost/", PrivateAddresses::loopback()),
            ("http://tools/", PrivateAddresses::Ordinary),
            ("http://mcp.corp.internal/", PrivateAddresses::Ordinary),
            ("https://mcp.example.com/", PrivateAddresses::None),
            ("https://local/", PrivateAddresses::Ordinary),
            ("https://notlocal.example/", PrivateAddresses::None),
        ] {
            assert_eq!(private(url), expected, "{url}");
        }
    }
}
