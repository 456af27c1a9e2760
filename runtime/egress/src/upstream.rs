//! Requests of this program itself to upstream MCP servers: to one URL each, which the user configured or approved.

use std::fmt;
use std::sync::Arc;

pub use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::Credential;
use crate::endpoint::{Endpoint, Redaction, UpstreamFault, UpstreamMethod, UpstreamReply};
use crate::redact::Redactor;

/// An upstream server's URL, and the client for it. Cloning is cheap and shares the connections.
#[derive(Clone)]
pub struct Upstream(Arc<Inner>);

struct Inner {
    endpoint: Endpoint,
    headers: HeaderMap,
    credential: Option<Credential>,
    redactor: Arc<Redactor>,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Upstream({:?})", self.0.endpoint)
    }
}

impl Upstream {
    /// Takes a URL, the headers that each request carries, a credential if there is one, and root certificates (PEM) to trust
    /// besides the system's. Connects to nothing.
    ///
    /// # Errors
    /// When the URL, a header or the certificates cannot be used.
    pub fn new<'a>(
        url: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        credential: Option<Credential>,
        roots: &[u8],
    ) -> Result<Self, UpstreamFault> {
        let endpoint = Endpoint::new(url, roots)?;
        let (mut map, mut secrets) = (HeaderMap::new(), Vec::new());
        for (name, value) in headers {
            let key: HeaderName = name.parse().map_err(|_| UpstreamFault::new("a header of it has an invalid name"))?;
            let mut parsed: HeaderValue =
                value.parse().map_err(|_| UpstreamFault::new(format!("its header `{key}` has an invalid value")))?;
            parsed.set_sensitive(true);
            map.insert(key, parsed);
            // Of `Bearer TOKEN`, the token.
            secrets.push(value.rsplit(' ').next().unwrap_or(value));
        }
        let redactor = Arc::new(Redactor::of(secrets));
        Ok(Self(Arc::new(Inner { endpoint, headers: map, credential, redactor })))
    }

    /// Sends a request with these headers besides the configured ones, which win. Where an access token is rejected, another one
    /// is asked for, once.
    ///
    /// # Errors
    /// When the server was not reached, or answers with a redirect.
    pub async fn send(
        &self,
        method: UpstreamMethod,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, UpstreamFault> {
        self.send_to(self.0.endpoint.url(), method, headers, body).await
    }

    /// The same to a path below the URL, with this query in place of its own.
    ///
    /// # Errors
    /// As [`Upstream::send`].
    pub async fn send_below(
        &self,
        method: UpstreamMethod,
        path: &[&str],
        query: &[(&str, &str)],
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, UpstreamFault> {
        let mut url = self.0.endpoint.url().clone();
        match url.path_segments_mut() {
            Ok(mut segments) => drop(segments.pop_if_empty().extend(path)),
            Err(()) => return Err(UpstreamFault::new("its URL has no path")),
        }
        url.set_query(None);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.send_to(&url, method, headers, body).await
    }

    async fn send_to(
        &self,
        url: &Url,
        method: UpstreamMethod,
        mut headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, UpstreamFault> {
        let Inner { endpoint, headers: own, credential, redactor } = &*self.0;
        for (name, value) in own {
            headers.insert(name.clone(), value.clone());
        }
        let Some(credential) = credential else {
            return endpoint.send(method, url.clone(), headers, body, Redaction::of([Arc::clone(redactor)])).await;
        };
        let mut has_asked_again = false;
        loop {
            let (mut url, mut headers) = (url.clone(), headers.clone());
            credential.attach(&mut url, &mut headers).await.map_err(|fault| UpstreamFault::new(fault.to_string()))?;
            let redaction = Redaction::of([Arc::clone(redactor), credential.redactor()]);
            let reply = endpoint.send(method, url, headers, body.clone(), redaction).await?;
            if reply.status() != 401 || has_asked_again || !credential.rejected().await {
                return Ok(reply);
            }
            has_asked_again = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_sent_is_said_without_its_value() {
        let headers = [("authorization", "Bearer s3cr3t\n")];
        let fault = Upstream::new("http://a.example", headers, None, &[]).expect_err("a line feed");
        assert_eq!(fault.to_string(), "its header `authorization` has an invalid value");
        assert!(Upstream::new("ftp://a.example", [], None, &[]).is_err() && Upstream::new("x", [], None, &[]).is_err());
    }
}
