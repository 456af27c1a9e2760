//! Credentials: what proves to a server who asks, and where in a request it stands.
//!
//! Scripts name no credential and see none. The host attaches it to admitted requests, after everything that a script chose was
//! checked, and takes it out of what comes back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::Url;

use crate::Secret;
use crate::oauth::{TokenFault, TokenServer};
use crate::redact::Redactor;
use crate::secret::sensitive;

/// The longest name of a header or query parameter, and the longest user name, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// How a secret is sent.
///
/// As configurations write it: `"bearer"`, `{ basic = { user = "robot" } }`, `{ header = { name = "X-Api-Key" } }`,
/// `{ query = { name = "api_key" } }`, `{ oauth = { token_url = "https://…", client_id = "…" } }`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheme {
    /// `Authorization: Bearer SECRET` (RFC 6750).
    #[default]
    Bearer,
    /// `Authorization: Basic …` with the secret as the password (RFC 7617).
    Basic {
        /// The user name.
        user: String,
    },
    /// A header of any name, with the secret behind a prefix.
    Header {
        /// The name, such as `X-Api-Key` or `Authorization`.
        name: String,
        /// What stands before the secret, such as `Token `.
        #[serde(default)]
        prefix: String,
    },
    /// A parameter of the URL's query.
    Query {
        /// The name, such as `api_key`.
        name: String,
    },
    /// An access token, which a token server gives for the secret of a client (RFC 6749, section 4.4).
    Oauth {
        /// The URL of the token server.
        token_url: String,
        /// Who asks for the token.
        client_id: String,
        /// What the token is for.
        #[serde(default)]
        scopes: Vec<String>,
        /// Further parameters of the request for a token, such as `audience` or `resource`.
        #[serde(default)]
        params: BTreeMap<String, String>,
        /// Whether id and secret go into the body: for servers that do not accept them in a header.
        #[serde(default)]
        in_body: bool,
    },
}

/// Where something is that a configuration names and does not hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A token in an environment variable.
    Environment(String),
    /// A token in a file.
    File(String),
    /// A token that systemd hands to the service, by its name.
    Credential(String),
    /// A file of root certificates (PEM).
    Certificates(String),
}

/// A secret and how it is sent. It prints neither.
pub struct Credential {
    secret: Secret,
    kind: Kind,
    redactor: Arc<Redactor>,
}

enum Kind {
    Header(HeaderName, HeaderValue),
    Query(String),
    Oauth(Box<TokenServer>),
}

/// Why a credential cannot be used. No message holds the secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// A secret that no request can carry.
    #[error("the secret cannot be sent: it is empty, too long, or not plain ASCII")]
    Secret,
    /// A header or parameter that cannot be sent, or that is not for a credential.
    #[error("auth: {what} cannot be {name:?}")]
    Name {
        /// `the header`, `the query parameter`, `the user` or the like.
        what: &'static str,
        /// What was written.
        name: String,
    },
    /// A token server that cannot be asked.
    #[error("auth: the token server cannot be asked: {0}")]
    TokenServer(String),
}

impl Credential {
    /// Takes a secret, how to send it, and root certificates (PEM) that a token server may have besides the system's.
    ///
    /// # Errors
    /// When it cannot be sent so.
    pub fn new(scheme: &Scheme, secret: Secret, roots: &[u8]) -> Result<Self, CredentialError> {
        if !secret.fits_a_header() {
            return Err(CredentialError::Secret);
        }
        let kind = match scheme {
            Scheme::Bearer => Kind::Header(AUTHORIZATION, sensitive(&format!("Bearer {}", secret.expose()))?),
            Scheme::Basic { user } => {
                // RFC 7617, section 2: a colon ends the name.
                if user.len() > NAME_BYTES_MAX || user.contains(|char: char| char == ':' || char.is_control()) {
                    return Err(CredentialError::Name { what: "the user", name: user.clone() });
                }
                let pair = SecretString::from(format!("{user}:{}", secret.expose()));
                let encoded = SecretString::from(STANDARD.encode(pair.expose_secret()));
                Kind::Header(AUTHORIZATION, sensitive(&format!("Basic {}", encoded.expose_secret()))?)
            }
            Scheme::Header { name, prefix } => {
                let wrong = || CredentialError::Name { what: "the header", name: name.clone() };
                let header = name.parse::<HeaderName>().ok().filter(carries_a_credential).ok_or_else(wrong)?;
                let prefix_wrong = || CredentialError::Name { what: "the prefix", name: prefix.clone() };
                let is_plain = prefix.len() <= NAME_BYTES_MAX && prefix.bytes().all(|byte| matches!(byte, b' '..=b'~'));
                let prefix = Some(prefix).filter(|_| is_plain).ok_or_else(prefix_wrong)?;
                Kind::Header(header, sensitive(&format!("{prefix}{}", secret.expose()))?)
            }
            Scheme::Query { name } => {
                if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains(char::is_control) {
                    return Err(CredentialError::Name { what: "the query parameter", name: name.clone() });
                }
                Kind::Query(name.clone())
            }
            Scheme::Oauth { token_url, client_id, scopes, params, in_body } => {
                let server = TokenServer::new(token_url, client_id, &secret, scopes, params, *in_body, roots);
                Kind::Oauth(Box::new(server.map_err(|fault| CredentialError::TokenServer(fault.to_string()))?))
            }
        };
        let redactor = Arc::new(Redactor::new(secret.expose()));
        Ok(Self { secret, kind, redactor })
    }

    /// The secret with which [`Scheme::Bearer`] asks.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub fn bearer(secret: Secret) -> Result<Self, CredentialError> {
        Self::new(&Scheme::Bearer, secret, &[])
    }

    /// What removes the secret, and every token that was obtained with it, from what comes back.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        match &self.kind {
            Kind::Oauth(server) => server.redactor(),
            Kind::Header(..) | Kind::Query(_) => Arc::clone(&self.redactor),
        }
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// What a request of a script has in the place of the credential, if it has: two would go out, and the script's might win.
    pub(crate) fn conflict(&self, url: &Url, headers: &HeaderMap) -> Option<String> {
        match &self.kind {
            Kind::Header(name, _) => {
                let plain = |name: &HeaderName| name.as_str().replace(['_', '.'], "-");
                let is_there = headers.keys().any(|other| plain(other) == plain(name));
                is_there.then(|| format!("the header `{name}`"))
            }
            Kind::Query(name) => {
                let is_there = url.query_pairs().any(|(other, _)| other.eq_ignore_ascii_case(name));
                is_there.then(|| format!("the query parameter `{name}`"))
            }
            Kind::Oauth(_) => None,
        }
    }

    /// Puts the credential into a request. Asks the token server first where there is one and no token is at hand.
    ///
    /// # Errors
    /// When the token server gives no token.
    pub(crate) async fn attach(&self, url: &mut Url, headers: &mut HeaderMap) -> Result<(), TokenFault> {
        match &self.kind {
            Kind::Header(name, value) => {
                headers.insert(name.clone(), value.clone());
            }
            Kind::Query(name) => {
                url.query_pairs_mut().append_pair(name, self.secret.expose());
            }
            Kind::Oauth(server) => {
                headers.insert(AUTHORIZATION, server.authorization().await?);
            }
        }
        Ok(())
    }

    /// Takes note that a server rejected a request with the present credential. Returns whether another one can be had: an
    /// access token may have been revoked before its time.
    pub(crate) async fn rejected(&self) -> bool {
        match &self.kind {
            Kind::Oauth(server) => server.forget().await,
            Kind::Header(..) | Kind::Query(_) => false,
        }
    }

    /// A location without the parameter that carries the credential: servers repeat the query where they redirect.
    pub(crate) fn without_query_key(&self, from: &Url, location: &str) -> Option<String> {
        let Kind::Query(name) = &self.kind else { return None };
        let mut to = from.join(location).ok()?;
        let is_key = |key: &str, value: &str| key == name && value == self.secret.expose();
        to.query_pairs().find(|(key, value)| is_key(key, value))?;
        // Pieces of the query as they are written: encoding the others anew could change them.
        let kept: Vec<&str> = to.query()?.split('&').filter(|piece| !piece_is(piece, is_key)).collect();
        let kept = kept.join("&");
        to.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
        Some(to.into())
    }
}

fn piece_is(piece: &str, is_key: impl Fn(&str, &str) -> bool) -> bool {
    url::form_urlencoded::parse(piece.as_bytes()).any(|(key, value)| is_key(&key, &value))
}

/// Whether a header may carry a credential: not one that frames or routes the message.
fn carries_a_credential(name: &HeaderName) -> bool {
    if matches!(name.as_str(), "authorization" | "x-authorization" | "cookie" | "proxy-authorization") {
        return true;
    }
    name.as_str().parse::<intentbox_capability::HeaderName>().is_ok_and(|name| !name.is_ordinary())
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("****")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr3t-0123+/=";

    fn credential(written: &str) -> Result<Credential, String> {
        let scheme: Scheme = serde_json::from_str(written).map_err(|error| error.to_string())?;
        Credential::new(&scheme, Secret::new(SECRET), &[]).map_err(|error| error.to_string())
    }

    fn attached(written: &str, url: &str) -> (String, HeaderMap) {
        let credential = credential(written).expect(written);
        assert_eq!(format!("{credential:?}"), "****");
        let (mut url, mut headers) = (Url::parse(url).expect(url), HeaderMap::new());
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(credential.attach(&mut url, &mut headers)).expect("no token server takes part");
        (url.into(), headers)
    }

    #[test]
    fn a_secret_is_sent_as_its_scheme_says() {
        let url = "https://a.example/x?b=1";
        for (written, name, value) in [
            ("\"bearer\"", "authorization", "Bearer s3cr3t-0123+/="),
            (r#"{"basic": {"user": "robot"}}"#, "authorization", "Basic cm9ib3Q6czNjcjN0LTAxMjMrLz0="),
            (r#"{"header": {"name": "X-Api-Key"}}"#, "x-api-key", "s3cr3t-0123+/="),
            (r#"{"header": {"name": "Authorization", "prefix": "Token "}}"#, "authorization", "Token s3cr3t-0123+/="),
        ] {
            let (to, headers) = attached(written, url);
            assert_eq!((to.as_str(), headers.len()), (url, 1), "{written}");
            assert!(headers[name] == value && headers[name].is_sensitive(), "{written}");
        }
        let (to, headers) = attached(r#"{"query": {"name": "api key"}}"#, url);
        assert_eq!((to.as_str(), headers.len()), ("https://a.example/x?b=1&api+key=s3cr3t-0123%2B%2F%3D", 0));
    }

    #[test]
    fn what_cannot_carry_a_credential_is_refused() {
        for (written, told) in [
            (r#"{"basic": {"user": "a:b"}}"#, "auth: the user cannot be \"a:b\""),
            (r#"{"header": {"name": "Host"}}"#, "auth: the header cannot be \"Host\""),
            (r#"{"header": {"name": "X-HTTP-Method"}}"#, "auth: the header cannot be \"X-HTTP-Method\""),
            (r#"{"header": {"name": "Accept"}}"#, "auth: the header cannot be \"Accept\""),
            (r#"{"header": {"name": "a b"}}"#, "auth: the header cannot be \"a b\""),
            (r#"{"header": {"name": "X-K", "prefix": "a\nb"}}"#, "auth: the prefix cannot be \"a\\nb\""),
            (r#"{"query": {"name": ""}}"#, "auth: the query parameter cannot be \"\""),
            (
                r#"{"oauth": {"token_url": "ftp://a", "client_id": "x"}}"#,
                "auth: the token server cannot be asked: its URL begins with neither http:// nor https://",
            ),
        ] {
            assert_eq!(credential(written).expect_err(written), told);
        }
        assert!(credential(r#"{"header": {"name": "X-K", "prefx": ""}}"#).is_err());
        assert_eq!(Credential::bearer(Secret::new("a b")).expect_err("a space"), CredentialError::Secret);
    }

    #[test]
    fn a_script_puts_nothing_in_the_place_of_a_credential() {
        let conflict = |written: &str, url: &str, header: &str| {
            let headers = [(header.parse::<HeaderName>().expect(header), HeaderValue::from_static("x"))];
            credential(written).expect(written).conflict(&Url::parse(url).expect(url), &headers.into_iter().collect())
        };
        let header = r#"{"header": {"name": "X-Api-Key"}}"#;
        assert_eq!(conflict(header, "https://a/?x-api-key=1", "accept"), None);
        assert_eq!(conflict(header, "https://a/", "x_api_key").as_deref(), Some("the header `x-api-key`"));
        let query = r#"{"query": {"name": "api_key"}}"#;
        assert_eq!(conflict(query, "https://a/?api_keys=1", "api_key"), None);
        assert_eq!(conflict(query, "https://a/?x&API%5Fkey", "x").as_deref(), Some("the query parameter `api_key`"));
    }

    #[test]
    fn a_redirect_loses_the_key_of_the_query_and_nothing_else() {
        let credential = credential(r#"{"query": {"name": "key"}}"#).expect("a credential");
        let from = Url::parse("https://a.example/x").expect("a URL");
        for (location, expected) in [
            ("/y?a=%7e&key=s3cr3t-0123%2B%2F%3D&b", Some("https://a.example/y?a=%7e&b")),
            ("/y?key=s3cr3t-0123%2b%2f%3d", Some("https://a.example/y")),
            ("/y?key=other", None),
            ("/y", None),
        ] {
            assert_eq!(credential.without_query_key(&from, location).as_deref(), expected, "{location}");
        }
    }
}
