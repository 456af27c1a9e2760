//! Access tokens for the secret of a client: one POST (RFC 6749, section 4.4), written out here because the crate `oauth2` would
//! add old majors of four crates for three fields.
//!
//! The token server is reached as an upstream server is: no redirect is followed, addresses are checked, and replies are bounded.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::Secret;
use crate::endpoint::{Endpoint, Redaction, UpstreamFault, UpstreamMethod};
use crate::redact::{Redactor, SECRET_BYTES_MIN};
use crate::secret::sensitive;

/// The largest reply of a token server, in bytes.
const REPLY_BYTES_MAX: usize = 64 << 10;

/// How many tokens are remembered for redaction.
const GIVEN_MAX: usize = 16;

/// How many characters of an error a message repeats.
const ERROR_CHARS_MAX: usize = 200;

/// A token is not used in the last part of its time: the request that carries it has to arrive.
const MARGIN: Duration = Duration::from_secs(30);

/// A token lives at most so long here, whatever the server says: a day.
const LIFETIME_MAX: Duration = Duration::from_hours(24);

/// The kinds of parameters that a request for a token has of its own.
const RESERVED: [&str; 4] = ["grant_type", "scope", "client_id", "client_secret"];

/// A token server, and the token that it gave last.
pub(crate) struct TokenServer {
    endpoint: Endpoint,
    /// The headers of each request: they carry the secret, unless the body does.
    headers: HeaderMap,
    body: SecretString,
    /// The secret, and it as a request for a token writes it.
    secrets: Vec<SecretString>,
    /// The tokens that were given so far, the last ones of them: those before the present one may be in use elsewhere.
    given: RwLock<Vec<SecretString>>,
    /// Held while a token is asked for, so that many runs ask once.
    token: Mutex<Option<Token>>,
    redactor: RwLock<Arc<Redactor>>,
}

struct Token {
    authorization: HeaderValue,
    value: SecretString,
    /// Nothing where the server does not say how long it lives: until it is rejected.
    until: Option<Instant>,
    /// Whether it was used before: one that is rejected at once would be rejected again.
    is_used: bool,
}

/// Why there is no token, in one line without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TokenFault(String);

/// RFC 6749, section 5.1. Other fields are ignored.
#[derive(Deserialize)]
struct Granted {
    access_token: SecretString,
    #[serde(default)]
    token_type: String,
    /// Some servers write a text.
    expires_in: Option<serde_json::Value>,
}

/// RFC 6749, section 5.2.
#[derive(Deserialize)]
struct Denied {
    error: String,
    #[serde(default)]
    error_description: String,
}

impl TokenServer {
    pub(crate) fn new(
        url: &str,
        client_id: &str,
        secret: &Secret,
        scopes: &[String],
        params: &BTreeMap<String, String>,
        in_body: bool,
        roots: &[u8],
    ) -> Result<Self, UpstreamFault> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let mut secrets: Vec<SecretString> = vec![secret.expose().into(), encoded(secret.expose()).into()];
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if !scopes.is_empty() {
            form.append_pair("scope", &scopes.join(" "));
        }
        if in_body {
            form.append_pair("client_id", client_id).append_pair("client_secret", secret.expose());
        } else {
            // Section 2.3.1: both are encoded as a form has them before they become user and password.
            let pair = SecretString::from(format!("{}:{}", encoded(client_id), encoded(secret.expose())));
            let pair = SecretString::from(STANDARD.encode(pair.expose_secret()));
            let basic = sensitive(&format!("Basic {}", pair.expose_secret()));
            secrets.push(pair);
            headers.insert(AUTHORIZATION, basic.map_err(|error| UpstreamFault::new(error.to_string()))?);
        }
        if let Some(name) = params.keys().find(|name| RESERVED.contains(&name.as_str())) {
            return Err(UpstreamFault::new(format!("`params` cannot set `{name}`")));
        }
        form.extend_pairs(params);
        Ok(Self {
            endpoint: Endpoint::new(url, roots)?,
            headers,
            body: form.finish().into(),
            redactor: RwLock::new(Arc::new(Redactor::of(secrets.iter().map(ExposeSecret::expose_secret)))),
            secrets,
            given: RwLock::default(),
            token: Mutex::default(),
        })
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.redactor.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The header with a token, which is asked for where none is at hand.
    pub(crate) async fn authorization(&self) -> Result<HeaderValue, TokenFault> {
        let mut held = self.token.lock().await;
        let now = Instant::now();
        if let Some(token) = held.as_mut().filter(|token| token.until.is_none_or(|until| now < until)) {
            token.is_used = true;
            return Ok(token.authorization.clone());
        }
        let token = self.ask(now).await?;
        let mut given = self.given.write().unwrap_or_else(PoisonError::into_inner);
        if given.len() >= GIVEN_MAX {
            given.remove(0);
        }
        given.push(token.value.expose_secret().into());
        let known = self.secrets.iter().chain(given.iter()).map(ExposeSecret::expose_secret);
        let redactor = Arc::new(Redactor::of(known));
        drop(given);
        *self.redactor.write().unwrap_or_else(PoisonError::into_inner) = redactor;
        let authorization = token.authorization.clone();
        *held = Some(token);
        Ok(authorization)
    }

    /// Gives up the token. Returns whether asking for another may help.
    pub(crate) async fn forget(&self) -> bool {
        let mut held = self.token.lock().await;
        match held.as_mut() {
            Some(token) if token.is_used => {
                // Kept for redaction, and not used again.
                token.until = Some(Instant::now());
                true
            }
            Some(_) => false,
            None => true,
        }
    }

    /// What the server says, without secrets.
    fn told(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redactor().redact(text.as_bytes().to_vec())).into_owned()
    }

    async fn ask(&self, now: Instant) -> Result<Token, TokenFault> {
        let fault = |told: String| TokenFault(format!("the token server: {told}"));
        let body = self.body.expose_secret().to_owned().into_bytes();
        let reply = self
            .endpoint
            .send(
                UpstreamMethod::Post,
                self.endpoint.url().clone(),
                self.headers.clone(),
                Some(body),
                Redaction::of([self.redactor()]),
            )
            .await;
        let reply = reply.map_err(|error| fault(error.to_string()))?;
        let status = reply.status();
        let bytes = reply.whole_body(REPLY_BYTES_MAX).await.map_err(|error| fault(error.to_string()))?;
        let Ok(granted) = serde_json::from_slice::<Granted>(&bytes) else {
            let Ok(Denied { error, error_description }) = serde_json::from_slice::<Denied>(&bytes) else {
                return Err(fault(format!("it answered {status} without a token")));
            };
            let told = if error_description.is_empty() { error } else { format!("{error}: {error_description}") };
            let told: String = self.told(&told).chars().take(ERROR_CHARS_MAX).collect();
            return Err(fault(format!("it answered {status}, {}", told.escape_debug())));
        };
        if !granted.token_type.is_empty() && !granted.token_type.eq_ignore_ascii_case("bearer") {
            let kind: String = self.told(&granted.token_type).chars().take(40).collect();
            return Err(fault(format!("it gave a token of the type {kind:?}, and only bearer tokens are sent")));
        }
        let token = Secret::new(granted.access_token.expose_secret());
        if !token.fits_a_header() {
            return Err(fault("it gave a token that no header can carry".to_owned()));
        }
        // A shorter one is not redacted, and the secret is for the token server alone.
        let gives_away = |known: &SecretString| token.expose().contains(known.expose_secret());
        if token.expose().len() < SECRET_BYTES_MIN || self.secrets.iter().any(gives_away) {
            return Err(fault("it gave a token that is too short, or holds the client's secret".to_owned()));
        }
        let seconds = granted.expires_in.and_then(|value| match value {
            serde_json::Value::Number(number) => number.as_u64(),
            serde_json::Value::String(text) => text.parse().ok(),
            _ => None,
        });
        let lifetime = seconds.map(|seconds| {
            let whole = Duration::from_secs(seconds).min(LIFETIME_MAX);
            // A short one is used for half of its time.
            whole.saturating_sub(MARGIN).max(whole / 2)
        });
        let authorization = sensitive(&format!("Bearer {}", token.expose()));
        let authorization = authorization.map_err(|error| fault(error.to_string()))?;
        let until = lifetime.map(|lifetime| now + lifetime);
        Ok(Token { authorization, value: token.expose().into(), until, is_used: false })
    }
}

impl fmt::Debug for TokenServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TokenServer({:?})", self.endpoint)
    }
}
