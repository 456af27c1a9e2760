//! Requests of this program itself to upstream MCP servers: to one URL each, which the user configured or approved.
//!
//! The rules are those of scripts' requests: no redirect is followed, no proxy of the environment is used, names are resolved
//! once, and the addresses are checked. Naming a host of this machine or of a private network in the URL is the permission for
//! that host; a name of the internet must resolve to a public address.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intentbox_capability::{Network, PrivateAddresses};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
pub use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use url::{Host, Url};

use crate::origin_client::{allowed, root, tls};
use crate::redact::Redactor;

/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// The longest header value of a reply that is looked at, in bytes.
const HEADER_BYTES_MAX: usize = 8 << 10;

/// The shortest header value that is hidden in messages. Shorter ones are words such as `true`.
const SECRET_BYTES_MIN: usize = 6;

/// How many characters of a library's error text a message repeats.
const DETAIL_CHARS_MAX: usize = 200;

/// Names that belong to a private network by custom (RFC 6762, RFC 8375, ICANN's `.internal`).
const PRIVATE_SUFFIXES: [&str; 5] = [".local", ".internal", ".lan", ".home.arpa", ".localdomain"];

/// An upstream server's URL, and the client for it. Cloning is cheap and shares the connections.
#[derive(Clone)]
pub struct Upstream(Arc<Inner>);

struct Inner {
    url: Url,
    headers: HeaderMap,
    private: PrivateAddresses,
    redactor: Arc<Redactor>,
    client: OnceLock<Client>,
}

/// Why an upstream server was not reached, in one line without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UpstreamFault(String);

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
    redactor: Arc<Redactor>,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Upstream({})", self.0.url)
    }
}

impl Upstream {
    /// Takes a URL and the headers that each request carries. Connects to nothing.
    ///
    /// # Errors
    /// When the URL or a header cannot be used.
    pub fn new<'a>(url: &str, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, UpstreamFault> {
        let fault = |text: &str| UpstreamFault(text.to_owned());
        let url = Url::parse(url).map_err(|_| fault("its URL is invalid"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fault("its URL begins with neither http:// nor https://"));
        }
        let (mut map, mut secrets) = (HeaderMap::new(), Vec::new());
        for (name, value) in headers {
            let key: HeaderName = name.parse().map_err(|_| fault("a header of it has an invalid name"))?;
            let mut parsed: HeaderValue =
                value.parse().map_err(|_| UpstreamFault(format!("its header `{key}` has an invalid value")))?;
            parsed.set_sensitive(true);
            map.insert(key, parsed);
            // Of `Bearer TOKEN`, the token.
            let secret = value.rsplit(' ').next().unwrap_or(value);
            secrets.extend(Some(secret).filter(|secret| secret.len() >= SECRET_BYTES_MIN));
        }
        let redactor = Arc::new(secrets.first().map(|secret| Redactor::new(secret)).unwrap_or_default());
        let private = permitted(&url);
        Ok(Self(Arc::new(Inner { url, headers: map, private, redactor, client: OnceLock::new() })))
    }

    /// Sends a request with these headers besides the configured ones, which win.
    ///
    /// # Errors
    /// When the server was not reached, or answers with a redirect.
    pub async fn send(
        &self,
        method: UpstreamMethod,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, UpstreamFault> {
        let Inner { url, headers: own, redactor, .. } = &*self.0;
        let method = match method {
            UpstreamMethod::Post => Method::POST,
            UpstreamMethod::Get => Method::GET,
            UpstreamMethod::Delete => Method::DELETE,
        };
        self.check_literal()?;
        let mut request = self.client()?.request(method, url.clone()).headers(headers).headers(own.clone());
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|error| self.failed(&error))?;
        if response.status().is_redirection() {
            let to = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            let to: String = to.chars().take(DETAIL_CHARS_MAX).collect();
            let (status, to) = (response.status().as_u16(), to.escape_debug());
            let told =
                format!("it answered {status} with a redirect to {to}, which is not followed: configure the final URL");
            return Err(UpstreamFault(told));
        }
        Ok(UpstreamReply { response, redactor: Arc::clone(redactor) })
    }

    fn check_literal(&self) -> Result<(), UpstreamFault> {
        let literal = match self.0.url.host() {
            Some(Host::Ipv4(ip)) => Some(ip.into()),
            Some(Host::Ipv6(ip)) => Some(ip.into()),
            Some(Host::Domain(_)) | None => None,
        };
        match literal.filter(|ip| !self.0.private.allow(*ip)) {
            Some(ip) => Err(UpstreamFault(format!("its address {ip} is not allowed"))),
            None => Ok(()),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "egress is the crate that builds clients")]
    fn client(&self) -> Result<&Client, UpstreamFault> {
        let Inner { url, private, client, .. } = &*self.0;
        if let Some(client) = client.get() {
            return Ok(client);
        }
        let is_encrypted = url.scheme() == "https";
        let tls = tls(is_encrypted).map_err(|error| UpstreamFault(error.to_string()))?;
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
            .map_err(|error| UpstreamFault(root(&error).to_string()))?;
        Ok(client.get_or_init(|| built))
    }

    fn failed(&self, error: &reqwest::Error) -> UpstreamFault {
        let what = if error.is_timeout() {
            "it did not answer in time"
        } else if error.is_connect() {
            "it cannot be connected to"
        } else {
            "it does not speak HTTP as it should"
        };
        let detail: String = root(error).to_string().chars().take(DETAIL_CHARS_MAX).collect();
        let detail = self.0.redactor.redact(detail.into_bytes());
        UpstreamFault(format!("{what}: {}", String::from_utf8_lossy(&detail).escape_debug()))
    }
}

impl UpstreamReply {
    /// The status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header, if it is there and is text of a reasonable length.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = self.response.headers().get(name)?;
        if value.len() > HEADER_BYTES_MAX { None } else { value.to_str().ok() }
    }

    /// The next part of the body; nothing at its end.
    ///
    /// # Errors
    /// When the connection broke.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, UpstreamFault> {
        match self.response.chunk().await {
            Ok(chunk) => Ok(chunk.map(|bytes| bytes.to_vec())),
            Err(error) => {
                let detail = self.redactor.redact(root(&error).to_string().into_bytes());
                let detail = String::from_utf8_lossy(&detail).escape_debug().to_string();
                Err(UpstreamFault(format!("its reply broke off: {detail}")))
            }
        }
    }

    /// The whole body, which has at most so many bytes.
    ///
    /// # Errors
    /// When it has more, or the connection broke.
    pub async fn body(mut self, bytes_max: usize) -> Result<Vec<u8>, UpstreamFault> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > bytes_max {
                return Err(UpstreamFault(format!("its reply has more than {bytes_max} bytes")));
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

    #[test]
    fn what_cannot_be_sent_is_said_without_its_value() {
        let headers = [("authorization", "Bearer s3cr3t\n")];
        let fault = Upstream::new("http://a.example", headers).expect_err("a line feed");
        assert_eq!(fault.to_string(), "its header `authorization` has an invalid value");
        assert!(Upstream::new("ftp://a.example", []).is_err() && Upstream::new("x", []).is_err());
    }
}
