//! Admission of requests. **This file is the boundary** between a script's text and the network.
//!
//! Invariant: an [`AllowedUrl`] exists only for a method and URL that every layer of a grant covers, below the base URL
//! of a configured origin, parsed by the parser that the client uses. Headers and bodies pass
//! [`AllowedUrl::admit_header`] and [`AllowedUrl::admit_body`], which apply the same rules.

use std::cmp::Reverse;

use url::Url;

use crate::grant::Grant;
use crate::header::HeaderName;
use crate::origin::{Origin, Origins};
use crate::path::{self, Flaw};
use crate::refusal::{Place, Refusal, shown, shown_url};
use crate::rule::{Alias, Extra, Method};
use crate::tunnel::{self, Finding, Tunnel};

/// A request that was admitted. Only [`Grant::admit`] and [`AllowedUrl::redirect`] make one, so holding it is the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedUrl {
    alias: Alias,
    method: Method,
    url: Url,
    shown: String,
    /// The path below the origin, in canonical spelling.
    path: String,
    /// What the request may carry in addition to ordinary headers and bodies.
    extra: Extra,
    /// What the grant covers at this path; a body may name these methods.
    methods: Vec<Method>,
}

impl AllowedUrl {
    /// The origin it goes to.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// The method it was admitted with.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The URL to send to: no credentials, no fragment.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The URL in the script's own terms, `alias:/path?query`.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Admits a header of the request by its name.
    ///
    /// # Errors
    ///
    /// When it is not an ordinary one, and not every layer of the grant has a rule for this request that names it.
    pub fn admit_header(&self, name: &HeaderName) -> Result<(), Refusal> {
        if name.is_ordinary() || self.extra.headers.contains(name) {
            return Ok(());
        }
        let (alias, path) = (self.alias.clone(), self.path.clone());
        Err(Refusal::Header { method: self.method, alias, path, header: name.clone() })
    }

    /// Admits the body of the request, sent with these content types. An empty body counts as none.
    ///
    /// A form is searched for another method. JSON and everything else is for the origin to interpret.
    ///
    /// # Errors
    ///
    /// When a GET or HEAD has one, and not every layer of the grant has a rule for this request with `body = true`: many
    /// servers do not read it, and take it for the next request. When a form in it names a method that is not granted, or is
    /// written so that it cannot be searched for one.
    pub fn admit_body(&self, body: &[u8], content_types: &[&str]) -> Result<(), Refusal> {
        if body.is_empty() {
            return Ok(());
        }
        if matches!(self.method, Method::Get | Method::Head) && !self.extra.body {
            let (alias, path) = (self.alias.clone(), self.path.clone());
            return Err(Refusal::Body { method: self.method, alias, path });
        }
        let is = |kind: &str| content_types.iter().any(|found| found.to_ascii_lowercase().contains(kind));
        // Without a type, frameworks take a body for a form.
        let is_form = content_types.iter().all(|found| found.trim().is_empty()) || is("urlencoded");
        let urlencoded = || {
            let tunnel = tunnel::in_form(body, self.method, &self.methods).map(Finding::Tunnel);
            tunnel.or_else(|| tunnel::in_other_letters(body, content_types, &self.methods))
        };
        let in_parts = || tunnel::in_parts(body, content_types, &self.methods);
        let found = is_form.then(urlencoded).flatten();
        let found = found.or_else(|| is("multipart").then(in_parts).flatten());
        let (method, alias, path) = (self.method, &self.alias, self.path.clone());
        match found {
            None => Ok(()),
            Some(Finding::Tunnel(tunnel)) => Err(refused(&tunnel, Place::Body, method, alias, path)),
            Some(Finding::Unsearched(what)) => Err(Refusal::Unsearched { method, alias: alias.clone(), path, what }),
        }
    }

    /// Admits the target of a reply's `Location`, through the same gate. `method` is the one the next request would
    /// have.
    ///
    /// A relative location is resolved first. An alias in it means nothing: it is the server's text, not the script's.
    ///
    /// # Errors
    ///
    /// The [`Refusal`] a script would get for asking this itself.
    pub fn redirect(&self, grant: &Grant, origins: &Origins, method: Method, location: &str) -> Result<Self, Refusal> {
        let gate = Gate { grant, origins, method, text: location };
        path::check(location).map_err(|flaw| gate.malformed(flaw))?;
        let url = self.url.join(location);
        let url = url.map_err(|_| gate.malformed(Flaw::Invalid))?;
        // Resolving may have made it longer, and the rest of the gate reads text: start over with the whole URL.
        let text = url.as_str();
        path::check(text).map_err(|flaw| gate.malformed(flaw))?;
        Gate { text, ..gate }.absolute(Some(&self.alias))
    }
}

impl Grant {
    /// Admits a request of a script, or says why not. The URL is `alias:/path?query`, or an absolute one below the base
    /// URL of an origin. A fragment is dropped, as clients do.
    ///
    /// # Errors
    ///
    /// A [`Refusal`], which names the rule.
    pub fn admit(&self, origins: &Origins, method: &str, url: &str) -> Result<AllowedUrl, Refusal> {
        let Ok(method) = method.parse::<Method>() else {
            return Err(Refusal::Method { method: shown(method), url: shown_url(url) });
        };
        let gate = Gate { grant: self, origins, method, text: url };
        path::check(url).map_err(|flaw| gate.malformed(flaw))?;
        match url.split_once(':') {
            Some((name, rest)) if rest.starts_with('/') && !rest.starts_with("//") => gate.term(name, rest),
            _ => gate.absolute(None),
        }
    }
}

/// One decision: who asks for what. `text` has passed [`path::check`] before anything but a message uses it.
#[derive(Clone, Copy)]
struct Gate<'a> {
    grant: &'a Grant,
    origins: &'a Origins,
    method: Method,
    text: &'a str,
}

impl Gate<'_> {
    /// `alias:/path?query`.
    fn term(self, name: &str, rest: &str) -> Result<AllowedUrl, Refusal> {
        let Ok(alias) = name.parse::<Alias>() else {
            return Err(self.malformed(Flaw::Scheme));
        };
        let Some(origin) = self.origins.named(name) else {
            return Err(Refusal::UnknownAlias {
                method: self.method,
                url: shown_url(self.text),
                alias,
                granted: self.grant.rules(),
            });
        };
        let rest = without_fragment(rest);
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        self.decide(origin, path, query)
    }

    /// An absolute URL. Of the origins that it is under, the one with the longest base path comes first, then the
    /// preferred one, and the first that is granted takes it: two aliases for one server differ in their secrets and
    /// rules.
    fn absolute(self, preferred: Option<&Alias>) -> Result<AllowedUrl, Refusal> {
        let text = without_fragment(self.text);
        let (url, _) = path::absolute(text).map_err(|flaw| self.malformed(flaw))?;
        let below = |origin: &Origin| origin.below(&url);
        let mut candidates: Vec<(&Origin, String)> =
            self.origins.iter().filter_map(|origin| Some((origin, below(origin)?))).collect();
        candidates.sort_by_key(|(origin, _)| (Reverse(origin.depth()), Some(origin.alias()) != preferred));
        let mut refusal = None;
        for (origin, path) in candidates {
            match self.decide(origin, &path, url.query()) {
                Ok(allowed) => return Ok(allowed),
                Err(first) => refusal = refusal.or(Some(first)),
            }
        }
        Err(refusal.unwrap_or_else(|| Refusal::UnknownOrigin {
            method: self.method,
            url: shown_url(url.as_str()),
            base_url: url.origin().ascii_serialization(),
            granted: self.grant.rules(),
        }))
    }

    /// The decision itself, for a path below an origin.
    fn decide(self, origin: &Origin, path: &str, query: Option<&str>) -> Result<AllowedUrl, Refusal> {
        let segments = path::segments(path).map_err(|flaw| self.malformed(flaw))?;
        let url = origin.at(path, query);
        let url = url.map_err(|flaw| self.malformed(flaw))?;
        if !self.grant.covers(origin.alias(), self.method, &segments) {
            return Err(Refusal::NotGranted {
                method: self.method,
                alias: origin.alias().clone(),
                path: format!("/{}", segments.join("/")),
                granted: self.grant.rules(),
            });
        }
        let alias = origin.alias().clone();
        let path = format!("/{}", segments.join("/"));
        let is_covered = |method: &Method| self.grant.covers(&alias, *method, &segments);
        let methods: Vec<Method> = Method::ALL.into_iter().filter(is_covered).collect();
        let query = url.query().unwrap_or_default();
        if let Some(tunnel) = tunnel::in_form(query.as_bytes(), self.method, &methods) {
            return Err(refused(&tunnel, Place::Query, self.method, &alias, path));
        }
        let extra = self.grant.extra(&alias, self.method, &segments);
        let below = origin.below(&url).expect("`Origin::at` checked it");
        let query = url.query().map_or(String::new(), |query| format!("?{query}"));
        let shown = format!("{alias}:{below}{query}");
        Ok(AllowedUrl { alias, method: self.method, url, shown, path, extra, methods })
    }

    fn malformed(self, flaw: Flaw) -> Refusal {
        Refusal::Malformed { method: self.method, url: shown_url(self.text), flaw }
    }
}

fn refused(tunnel: &Tunnel, place: Place, method: Method, alias: &Alias, path: String) -> Refusal {
    Refusal::Tunnel { method, alias: alias.clone(), path, place, name: shown(&tunnel.name), asked: tunnel.method }
}

fn without_fragment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(text, _)| text)
}

#[cfg(test)]
mod tests;
