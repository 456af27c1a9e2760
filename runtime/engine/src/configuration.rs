//! What the operator says: which origins exist, and what runs may ask of them.
//!
//! ```toml
//! [origins.sentry]
//! base_url = "https://sentry.example.com"
//! token_env = "SENTRY_TOKEN"            # or token_file = "/run/secrets/sentry"
//! settings = { organization = "acme" }  # not secret; templates take defaults from it
//!
//! [grant.templates]                     # what templates may use of what they want; without it: GET and HEAD
//! http = ["sentry: GET /api/0/**"]
//!
//! [grant.exec]                          # what scripts of `exec` may reach; without it: nothing
//! http = ["sentry: GET /api/0/organizations/*/issues/"]
//! ```
//!
//! Reading files and the environment is the caller's; here is only what the text means.

use std::collections::BTreeMap;

use intentbox_capability::{Alias, HttpRule, Origin};
use intentbox_egress::{OriginConfig, Secret};
use serde::Deserialize;

/// The largest configuration that is read, in bytes.
pub const CONFIGURATION_BYTES_MAX: usize = 1 << 20;

/// What the operator configured, with secrets resolved.
#[derive(Debug)]
pub struct Configuration {
    /// The origins.
    pub origins: Vec<OriginConfig>,
    /// Settings of origins by `alias.name`, not secret.
    pub settings: BTreeMap<String, String>,
    /// What templates may use of what they want.
    pub templates: Vec<HttpRule>,
    /// What scripts of `exec` may reach.
    pub exec: Vec<HttpRule>,
}

/// Where an origin's token lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// An environment variable.
    Environment(String),
    /// A file.
    File(String),
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// Not the TOML this file has to be.
    #[error("{0}")]
    Syntax(String),
    /// An origin's alias or base URL is wrong.
    #[error("[origins.{alias}]: {reason}")]
    Origin {
        /// Its alias.
        alias: String,
        /// What is wrong.
        reason: String,
    },
    /// A grant names an origin that is not configured.
    #[error("[grant.{table}]: `{rule}` names the origin `{alias}`, and there is no [origins.{alias}]")]
    UnknownOrigin {
        /// `templates` or `exec`.
        table: &'static str,
        /// The rule.
        rule: String,
        /// The alias it names.
        alias: String,
    },
    /// A token is not where the configuration says.
    #[error("[origins.{alias}]: {reason}")]
    Token {
        /// The origin's alias.
        alias: String,
        /// Why, without the value.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    origins: BTreeMap<String, WrittenOrigin>,
    #[serde(default)]
    grant: WrittenGrant,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOrigin {
    base_url: String,
    token_env: Option<String>,
    token_file: Option<String>,
    #[serde(default)]
    private_addresses: bool,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenGrant {
    templates: Option<WrittenRules>,
    exec: Option<WrittenRules>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRules {
    http: Vec<HttpRule>,
}

impl Configuration {
    /// Reads a configuration. `token` fetches a token from where it lies, or says why it cannot.
    ///
    /// # Errors
    /// When the text is not a configuration, names what is not there, or a token is missing.
    pub fn parse(
        text: &str,
        token: &dyn Fn(&TokenSource) -> Result<String, String>,
    ) -> Result<Configuration, ConfigurationError> {
        let written: Written = toml::from_str(text).map_err(|error| {
            // The error's own display quotes the line, and the line may hold a token that was put in the wrong place.
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..at].split(|byte| *byte == b'\n').count();
            ConfigurationError::Syntax(format!("line {line}: {}", error.message()))
        })?;
        let mut origins = Vec::new();
        let mut settings = BTreeMap::new();
        for (name, origin) in written.origins {
            let wrong = |reason: String| ConfigurationError::Origin { alias: name.clone(), reason };
            let source = match (origin.token_env, origin.token_file) {
                (Some(_), Some(_)) => return Err(wrong("token_env and token_file are both set; keep one".to_owned())),
                (Some(variable), None) => Some(TokenSource::Environment(variable)),
                (None, Some(file)) => Some(TokenSource::File(file)),
                (None, None) => None,
            };
            let secret = source.as_ref().map(token).transpose();
            let secret = secret.map_err(|reason| ConfigurationError::Token { alias: name.clone(), reason })?;
            let alias: Alias = name.parse().map_err(|error| wrong(format!("{error}")))?;
            let base = Origin::new(alias, &origin.base_url).map_err(|error| wrong(format!("base_url: {error}")))?;
            origins.push(OriginConfig {
                origin: base,
                secret: secret.map(Secret::new),
                private_addresses: origin.private_addresses,
            });
            settings.extend(origin.settings.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
        }
        let known = |rule: &HttpRule| origins.iter().any(|config| config.origin.alias() == rule.alias());
        let rules = |table, rules: Option<WrittenRules>| match rules {
            None => Ok(None),
            Some(WrittenRules { http }) => match http.iter().find(|rule| !known(rule)) {
                None => Ok(Some(http)),
                Some(rule) => Err(ConfigurationError::UnknownOrigin {
                    table,
                    rule: rule.to_string(),
                    alias: rule.alias().to_string(),
                }),
            },
        };
        let reading = || origins.iter().map(|config| reading_only(config.origin.alias())).collect();
        let templates = rules("templates", written.grant.templates)?.unwrap_or_else(reading);
        let exec = rules("exec", written.grant.exec)?.unwrap_or_default();
        Ok(Configuration { origins, settings, templates, exec })
    }

    /// A configuration with one origin that everything may read: the demo's.
    #[must_use]
    pub fn reading(origin: OriginConfig, settings: BTreeMap<String, String>) -> Configuration {
        let rule = reading_only(origin.origin.alias());
        Configuration { origins: vec![origin], settings, templates: vec![rule.clone()], exec: vec![rule] }
    }
}

/// Every path of an origin, for methods that change nothing.
fn reading_only(alias: &Alias) -> HttpRule {
    format!("{alias}: GET,HEAD /**").parse().expect("an alias, two methods and a path make a rule")
}
