//! What the operator says about the world: which origins and directories there are. What runs may do with them is the
//! policy's.
//!
//! ```toml
//! [origins.sentry]
//! base_url = "https://sentry.example.com"
//! token_env = "SENTRY_TOKEN"            # or token_file = "/run/secrets/sentry", or token_credential = "sentry"
//! settings = { organization = "acme" }  # not secret; templates take defaults from it
//! check = "/api/0/"                     # what `doctor` asks, to see whether the token is accepted
//!
//! [directories]
//! logs = "/var/log/app"
//!
//! [templates]
//! directory = "templates"               # more templates, or others in the place of the built-in ones
//! ```
//!
//! Reading files and the environment is the caller's; here is only what the text means.

use std::collections::BTreeMap;
use std::path::PathBuf;

use intentbox_capability::{Alias, Origin};
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
    /// The directories, as written: a relative one lies beside the configuration.
    pub directories: BTreeMap<Alias, PathBuf>,
    /// Where more templates lie, as written.
    pub templates: Option<PathBuf>,
    /// The path of each origin that tells whether its token is accepted, for `doctor`.
    pub checks: BTreeMap<Alias, String>,
}

/// Where an origin's token lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// An environment variable.
    Environment(String),
    /// A file.
    File(String),
    /// A credential that systemd hands to the service, by its name.
    Credential(String),
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
    /// A directory's alias is wrong, or its path is empty.
    #[error("[directories]: `{alias}`: {reason}")]
    Directory {
        /// Its alias.
        alias: String,
        /// What is wrong.
        reason: String,
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
    directories: BTreeMap<String, PathBuf>,
    #[serde(default)]
    templates: WrittenTemplates,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTemplates {
    directory: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOrigin {
    base_url: String,
    token_env: Option<String>,
    token_file: Option<String>,
    token_credential: Option<String>,
    #[serde(default)]
    private_addresses: bool,
    #[serde(default)]
    settings: BTreeMap<String, String>,
    check: Option<String>,
}

/// A parser's message without the text that it found: where it expected something else, it may have found a token.
fn without_text(message: &str) -> String {
    match (message.find("string \""), message.rfind('"')) {
        (Some(start), Some(end)) if end > start + "string".len() + 1 => {
            format!("{}a string{}", &message[..start], &message[end + 1..])
        }
        _ => message.to_owned(),
    }
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
            ConfigurationError::Syntax(format!("line {line}: {}", without_text(error.message())))
        })?;
        let mut origins = Vec::new();
        let mut settings = BTreeMap::new();
        let mut checks = BTreeMap::new();
        for (name, origin) in written.origins {
            let wrong = |reason: String| ConfigurationError::Origin { alias: name.clone(), reason };
            let mut sources = [
                origin.token_env.map(TokenSource::Environment),
                origin.token_file.map(TokenSource::File),
                origin.token_credential.map(TokenSource::Credential),
            ]
            .into_iter()
            .flatten();
            let source = sources.next();
            if sources.next().is_some() {
                let keys = "token_env, token_file and token_credential";
                return Err(wrong(format!("more than one of {keys} is set; keep one")));
            }
            let secret = source.as_ref().map(token).transpose();
            let secret = secret.map_err(|reason| ConfigurationError::Token { alias: name.clone(), reason })?;
            let alias: Alias = name.parse().map_err(|error| wrong(format!("{error}")))?;
            let check = origin.check.unwrap_or_else(|| "/".to_owned());
            if !check.starts_with('/') {
                return Err(wrong("check: write a path that begins with a slash".to_owned()));
            }
            checks.insert(alias.clone(), check);
            let base = Origin::new(alias, &origin.base_url).map_err(|error| wrong(format!("base_url: {error}")))?;
            origins.push(OriginConfig {
                origin: base,
                secret: secret.map(Secret::new),
                private_addresses: origin.private_addresses,
            });
            settings.extend(origin.settings.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
        }
        let mut directories = BTreeMap::new();
        for (name, path) in written.directories {
            let wrong = |reason: String| ConfigurationError::Directory { alias: name.clone(), reason };
            let alias: Alias = name.parse().map_err(|error| wrong(format!("{error}")))?;
            if path.as_os_str().is_empty() {
                return Err(wrong("the path is empty".to_owned()));
            }
            // One name is one thing: `x:/a` would otherwise be a request, and `x:a` a file.
            if origins.iter().any(|config| *config.origin.alias() == alias) {
                return Err(wrong("an origin has this name already".to_owned()));
            }
            directories.insert(alias, path);
        }
        Ok(Configuration { origins, settings, directories, templates: written.templates.directory, checks })
    }

    /// A configuration with one origin and nothing else: the demo's. `check` is a path that needs the token.
    #[must_use]
    pub fn of_origin(origin: OriginConfig, settings: BTreeMap<String, String>, check: String) -> Configuration {
        let checks = BTreeMap::from([(origin.origin.alias().clone(), check)]);
        Configuration { origins: vec![origin], settings, directories: BTreeMap::new(), templates: None, checks }
    }
}
