//! Origins: an alias and its base URL.

use std::collections::BTreeMap;

use url::Url;

use crate::path::{self, Flaw};
use crate::rule::Alias;

/// An alias and its base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    alias: Alias,
    base_url: Url,
    /// The base path, without a trailing slash.
    base_segments: Vec<String>,
}

impl Origin {
    /// Binds an alias to a base URL: `http` or `https`, a host, perhaps a port and a path, and nothing else.
    ///
    /// # Errors
    ///
    /// [`OriginError`] says what else it holds.
    pub fn new(alias: Alias, base_url: &str) -> Result<Self, OriginError> {
        let invalid = |flaw| OriginError::BaseUrl { alias: alias.clone(), flaw };
        if base_url.contains(['?', '#']) {
            return Err(OriginError::NotABase { alias });
        }
        path::check(base_url).map_err(invalid)?;
        let (base_url, mut base_segments) = path::absolute(base_url).map_err(invalid)?;
        if base_segments.last().is_some_and(String::is_empty) {
            base_segments.pop();
        }
        Ok(Self { alias, base_url, base_segments })
    }

    /// The name rules and scripts use.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// Where it is.
    #[must_use]
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// How long the base path is: the longest one decides when several origins cover a URL.
    pub(crate) fn depth(&self) -> usize {
        self.base_segments.len()
    }

    /// The path of a URL relative to the base URL, if it is below it: same scheme, host, port and leading segments.
    pub(crate) fn below(&self, url: &Url) -> Option<String> {
        let same_server = url.scheme() == self.base_url.scheme()
            && url.host() == self.base_url.host()
            && url.port_or_known_default() == self.base_url.port_or_known_default();
        let rest = path::segments(url.path()).ok()?;
        if !same_server || rest.len() <= self.depth() || !rest.starts_with(&self.base_segments) {
            return None;
        }
        let raw: Vec<&str> = url.path().split('/').skip(1 + self.depth()).collect();
        Some(format!("/{}", raw.join("/")))
    }

    /// The URL of a path and query below the base URL. It comes from the parser that the client uses, and is compared
    /// with the request: same server, same path.
    pub(crate) fn at(&self, path: &str, query: Option<&str>) -> Result<Url, Flaw> {
        let mut text = format!("{}{path}", self.base_url.as_str().trim_end_matches('/'));
        if let Some(query) = query {
            text.push('?');
            text.push_str(query);
        }
        let url = Url::parse(&text).map_err(|_| Flaw::Invalid)?;
        let below = self.below(&url).ok_or(Flaw::Invalid)?;
        if path::segments(&below)? == path::segments(path)? { Ok(url) } else { Err(Flaw::Invalid) }
    }
}

/// The origins of a configuration, each alias once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<Alias, Origin>);

impl Origins {
    /// Collects origins.
    ///
    /// # Errors
    ///
    /// When two have the same alias.
    pub fn new(origins: impl IntoIterator<Item = Origin>) -> Result<Self, OriginError> {
        let mut all = BTreeMap::new();
        for origin in origins {
            let alias = origin.alias.clone();
            if all.insert(alias.clone(), origin).is_some() {
                return Err(OriginError::Twice { alias });
            }
        }
        Ok(Self(all))
    }

    /// The origin of that alias.
    #[must_use]
    pub fn get(&self, alias: &Alias) -> Option<&Origin> {
        self.0.get(alias)
    }

    /// All of them, by alias.
    pub fn iter(&self) -> impl Iterator<Item = &Origin> {
        self.0.values()
    }

    /// The origin a script calls by that name.
    pub(crate) fn named(&self, name: &str) -> Option<&Origin> {
        self.iter().find(|origin| origin.alias.as_str() == name)
    }
}

/// Why an origin is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// The base URL is not usable. The URL itself is not repeated: it may hold credentials.
    #[error("the base URL of `{alias}` cannot be used: {flaw}")]
    BaseUrl {
        /// Whose.
        alias: Alias,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// The base URL has a query or a fragment.
    #[error("the base URL of `{alias}` cannot be used: it has a `?` or `#`, and a base has only a host and a path")]
    NotABase {
        /// Whose.
        alias: Alias,
    },
    /// The same alias again.
    #[error("there are two origins called `{alias}`")]
    Twice {
        /// Which.
        alias: Alias,
    },
}
