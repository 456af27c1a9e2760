//! The HTTP clients of one origin, its secret, and the check of the addresses that its name resolves to.

use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use intentbox_capability::{Alias, Network, PrivateAddresses};
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, IF_RANGE, RANGE};
use reqwest::redirect::Policy;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use rustls_platform_verifier::{BuilderVerifierExt as _, Verifier};
use url::{Host, Url};

use crate::exchange::SendError;
use crate::redact::Redactor;
use crate::{Credential, OriginConfig, header};

/// How long connecting may take, as part of the request's own time. A server that does not answer a SYN within this is
/// not going to.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// How many characters of a library's error text a message repeats.
const DETAIL_CHARS_MAX: usize = 200;

/// How many connections of a run wait for its next request. A script waits for each reply, so that one is in use at a
/// time; the client opens another where the first has not become free yet.
const KEPT_MAX: usize = 2;

/// The one way to an origin: no other code builds a client for it, attaches its secret or connects to its addresses.
#[derive(Debug)]
pub(crate) struct OriginClient {
    config: OriginConfig,
    tls: OnceLock<ClientConfig>,
    single: OnceLock<Client>,
}

impl OriginClient {
    pub(crate) fn new(config: OriginConfig) -> Self {
        Self { config, tls: OnceLock::new(), single: OnceLock::new() }
    }

    pub(crate) fn secret_version(&self, versions: &RandomState) -> u64 {
        versions.hash_one(self.config.credential.as_ref().map(|credential| credential.secret().expose()))
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.config.credential.as_ref().map(Credential::redactor).unwrap_or_default()
    }

    pub(crate) fn credential(&self) -> Option<&Credential> {
        self.config.credential.as_ref()
    }

    /// Rejects a request for a part of a reply if the origin has a secret: each part could hold too little of it to be
    /// found, and all of them together would be the secret.
    pub(crate) fn check_parts(&self, headers: &HeaderMap) -> Result<(), SendError> {
        let asked = [RANGE, IF_RANGE].into_iter().find(|name| headers.contains_key(name));
        match (&self.config.credential, asked) {
            (Some(_), Some(name)) => {
                let alias = self.config.origin.alias();
                let message = format!(
                    "the header `{name}` is not for scripts to set where the origin has a secret, as `{alias}` has: \
                     ask for the whole reply"
                );
                Err(SendError::failed("header_invalid", message))
            }
            _ => Ok(()),
        }
    }

    /// Rejects a request of a script that puts something in the place of the origin's credential.
    pub(crate) fn check_place(&self, url: &Url, headers: &HeaderMap) -> Result<(), SendError> {
        match self.credential().and_then(|credential| credential.conflict(url, headers)) {
            Some(place) => {
                let alias = self.config.origin.alias();
                let message =
                    format!("{place} carries the credential of `{alias}`, which intentbox adds: leave it out");
                Err(SendError::failed("header_invalid", message))
            }
            None => Ok(()),
        }
    }

    /// Checks an address that is the host of a URL: a client connects to it without resolving anything.
    pub(crate) fn check_literal(&self, url: &Url) -> Result<(), SendError> {
        let literal = match url.host() {
            Some(Host::Ipv4(ip)) => Some(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => Some(IpAddr::V6(ip)),
            Some(Host::Domain(_)) | None => None,
        };
        if let Some(ip) = literal.filter(|ip| !self.config.private_addresses.allow(*ip)) {
            let host = url.host_str().unwrap_or_default().to_owned();
            let alias = self.config.origin.alias().clone();
            return Err(address_refused(&AddressRefused { alias, host, found: Some(Network::of(ip)) }));
        }
        Ok(())
    }

    /// A new client for the requests of one run that carry no body: it has connections of its own, and keeps them until
    /// it is dropped. Whatever an origin sends without being asked then reaches the run that talked to it, and no other.
    pub(crate) fn client_of_a_run(&self) -> Result<Client, SendError> {
        self.build(KEPT_MAX)
    }

    /// The client for requests that carry a body: each has a connection of its own, which is closed after the reply,
    /// whatever the origin does about `Connection: close`. An origin that does not read a body takes the rest of it for
    /// the next request, and the script would choose that request.
    pub(crate) fn client_of_one_request(&self) -> Result<&Client, SendError> {
        if let Some(client) = self.single.get() {
            return Ok(client);
        }
        // Two first requests at once build two clients, and one is dropped.
        let client = self.build(0)?;
        Ok(self.single.get_or_init(|| client))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that builds clients")]
    fn build(&self, kept_max: usize) -> Result<Client, SendError> {
        let OriginConfig { origin, private_addresses, .. } = &self.config;
        let resolver = Resolver { alias: origin.alias().clone(), private_addresses: private_addresses.clone() };
        let client = Client::builder()
            .user_agent(concat!("intentbox/", env!("CARGO_PKG_VERSION")))
            // Each hop passes the gate, each failure is the script's to repeat, and nothing asks the environment.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .https_only(self.is_encrypted())
            .http1_max_headers(header::RECEIVED_MAX)
            .pool_max_idle_per_host(kept_max)
            .connect_timeout(CONNECT_MAX)
            .dns_resolver(Arc::new(resolver))
            .tls_backend_preconfigured(self.tls()?)
            .build();
        client.map_err(|error| self.failed("tls", root(&error)))
    }

    /// What the origin's TLS connections share: the system's root certificates, which take a while to load, and session
    /// tickets, with which a new connection costs less.
    fn tls(&self) -> Result<ClientConfig, SendError> {
        if let Some(tls) = self.tls.get() {
            return Ok(tls.clone());
        }
        let tls = tls(self.is_encrypted(), &self.config.roots).map_err(|error| self.failed("tls", &error))?;
        Ok(self.tls.get_or_init(|| tls).clone())
    }

    fn is_encrypted(&self) -> bool {
        self.config.origin.base_url().scheme() == "https"
    }

    /// What a client's error means for the script. The URL is left out, and so is every layer but the innermost.
    pub(crate) fn failure(&self, error: &reqwest::Error) -> SendError {
        let refused = chain(error).find_map(|error| error.downcast_ref::<AddressRefused>());
        let kind = if let Some(refused) = refused {
            return address_refused(refused);
        } else if is_tls(error) {
            "tls"
        } else if error.is_timeout() {
            "timeout"
        } else if error.is_dns() {
            "dns"
        } else if error.is_connect() {
            "connect"
        } else {
            "protocol"
        };
        self.failed(kind, root(error))
    }

    fn failed(&self, kind: &'static str, detail: &dyn Error) -> SendError {
        let detail: String = detail.to_string().chars().take(DETAIL_CHARS_MAX).collect();
        let detail = self.redactor().redact(detail.into_bytes());
        let detail = String::from_utf8_lossy(&detail);
        let message = format!("{}: {}", self.config.origin.alias(), detail.escape_debug());
        SendError::failed(kind, message)
    }
}

/// What a connection is encrypted with. `roots` are certificates (PEM) to trust besides the system's.
pub(crate) fn tls(encrypted: bool, roots: &[u8]) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let mut config = if encrypted && !roots.is_empty() {
        let verifier = Verifier::new_with_extra_roots(certificates(roots)?, provider)?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
    } else if encrypted {
        builder.with_platform_verifier()?.with_no_client_auth()
    } else {
        // Nothing is verified where nothing is encrypted, so there is no need to load the system's roots.
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The certificates of a PEM file: at least one.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, rustls::Error> {
    let invalid = |_| rustls::Error::InvalidCertificate(CertificateError::BadEncoding);
    let found = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    if found.is_empty() { Err(rustls::Error::NoCertificatesPresented) } else { Ok(found) }
}

/// Resolves a name once and returns the addresses that may be connected to, so that no second look-up can answer
/// differently.
#[derive(Debug)]
struct Resolver {
    alias: Alias,
    private_addresses: PrivateAddresses,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (alias, private_addresses) = (self.alias.clone(), self.private_addresses.clone());
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let allowed = allowed(found, &private_addresses);
            let allowed = allowed.map_err(|found| AddressRefused { alias, host, found })?;
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// The allowed addresses of those that a name resolved to. Each address is checked by itself, and exactly the checked
/// ones are returned. If none is allowed, the error is the first one found.
pub(crate) fn allowed(
    found: impl IntoIterator<Item = SocketAddr>,
    private_addresses: &PrivateAddresses,
) -> Result<Vec<SocketAddr>, Option<Network>> {
    let (allowed, refused): (Vec<SocketAddr>, Vec<SocketAddr>) =
        found.into_iter().partition(|address| private_addresses.allow(address.ip()));
    if allowed.is_empty() { Err(refused.first().map(|address| Network::of(address.ip()))) } else { Ok(allowed) }
}

/// A host that is, or resolves to, only addresses that the origin may not have.
#[derive(Debug)]
struct AddressRefused {
    alias: Alias,
    host: String,
    /// The address, as the network that would allow it.
    found: Option<Network>,
}

impl Error for AddressRefused {}

impl fmt::Display for AddressRefused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alias, host, found } = self;
        match found {
            Some(found) => write!(
                formatter,
                "{alias}: `{host}` resolves to {found}, which is not a public address: to allow it, add \
                 `private_addresses = [\"{found}\"]` under [origins.{alias}] in the configuration"
            ),
            None => write!(formatter, "{alias}: `{host}` has no address"),
        }
    }
}

/// The failure for a host of the configuration, which needs no escaping, with the line that would allow its address.
fn address_refused(refused: &AddressRefused) -> SendError {
    SendError::failed("address_refused", refused.to_string())
}

/// An error and what caused it. An I/O error hides what it wraps from `source`, and TLS errors come wrapped in two.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
        None => error.source(),
    })
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    chain(error).any(<dyn Error>::is::<rustls::Error>)
}

/// The innermost error: the one that says what happened.
pub(crate) fn root(error: &reqwest::Error) -> &(dyn Error + 'static) {
    chain(error).last().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that resolves to a private address only sometimes, or at the second look-up, is checked at each look-up.
    #[test]
    fn h04_of_mixed_answers_the_public_ones_are_left_and_of_private_ones_none() {
        let addresses = |texts: &[&str]| -> Vec<SocketAddr> {
            texts.iter().map(|text| SocketAddr::new(text.parse().expect("an address"), 0)).collect()
        };
        for (found, expected) in [
            (&["93.184.216.34"][..], Some(&["93.184.216.34"][..])),
            (
                &["127.0.0.1", "93.184.216.34", "10.0.0.1", "2606:2800:220:1::1", "::1"],
                Some(&["93.184.216.34", "2606:2800:220:1::1"]),
            ),
            (&["169.254.169.254", "::ffff:127.0.0.1"], None),
            (&[], None),
        ] {
            let public = allowed(addresses(found), &PrivateAddresses::None).ok();
            assert_eq!(public, expected.map(addresses), "{found:?}");
        }
        let found = ["10.0.0.1", "127.0.0.1", "93.184.216.34", "169.254.169.254", "::ffff:10.0.0.2", "::1"];
        for (private, expected) in [
            (PrivateAddresses::Ordinary, &["10.0.0.1", "93.184.216.34", "::ffff:10.0.0.2"][..]),
            (PrivateAddresses::loopback(), &["127.0.0.1", "93.184.216.34", "::1"]),
        ] {
            assert_eq!(allowed(addresses(&found), &private).ok(), Some(addresses(expected)), "{private:?}");
        }
    }

    #[test]
    fn a_wrapped_tls_error_is_found() {
        let inner = io::Error::new(io::ErrorKind::InvalidData, rustls::Error::DecryptError);
        let outer = io::Error::other(inner);
        assert!(is_tls(&outer));
    }
}
