//! The configuration: which origins and directories there are. The policy decides what runs may do with them.
//!
//! ```toml
//! [origins.sentry]
//! base_url = "https://sentry.example.com"
//! token_env = "SENTRY_TOKEN"            # or token_file = "/run/secrets/sentry", or token_credential = "sentry"
//! settings = { organization = "acme" }  # not secret; templates take defaults from it
//! check = "/api/0/"                     # what `doctor` asks, to see whether the token is accepted
//! private_addresses = ["10.0.0.0/8"]    # addresses to allow besides public ones; `true` for private networks
//!
//! [directories]
//! logs = "/var/log/app"
//!
//! [templates]
//! directory = "templates"               # templates that override or extend the built-in ones
//! ```
//!
//! The caller reads files and the environment; this module only parses the text.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use intentbox_capability::{Alias, Network, NetworkError, Origin, PrivateAddresses};
use intentbox_egress::{OriginConfig, Secret};
use serde::Deserialize;
use serde_json::Value;

/// The largest configuration that is read, in bytes.
pub const CONFIGURATION_BYTES_MAX: usize = 1 << 20;

/// What the operator configured, with secrets resolved. The default is nothing.
#[derive(Debug, Default)]
pub struct Configuration {
    /// The origins.
    pub origins: Vec<OriginConfig>,
    /// Settings of origins by `alias.name`, not secret.
    pub settings: BTreeMap<String, String>,
    /// The directories, as written: a relative path starts at the folder of the configuration.
    pub directories: BTreeMap<Alias, PathBuf>,
    /// The folder of additional templates, as written.
    pub templates: Option<PathBuf>,
    /// The path that tells whether an origin's token is accepted, where one is configured, for `doctor`.
    pub checks: BTreeMap<Alias, String>,
}

/// Where an origin's token is.
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
    /// The text is not TOML of the expected shape.
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
    private_addresses: Option<Value>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
    check: Option<String>,
}

/// `true` for the ordinary private networks, or the networks themselves.
fn private_addresses(written: Option<&Value>) -> Result<PrivateAddresses, String> {
    let expected = || {
        "private_addresses: write true for private networks, or a list of networks such as [\"10.0.0.0/8\"]".to_owned()
    };
    match written {
        None | Some(Value::Bool(false)) => Ok(PrivateAddresses::None),
        Some(Value::Bool(true)) => Ok(PrivateAddresses::Ordinary),
        Some(Value::Array(networks)) => {
            // The text is not repeated: it may be a token in the wrong place.
            let network = |(at, written): (usize, &Value)| {
                let text = written.as_str().ok_or_else(expected)?;
                let wrong = |error: NetworkError| format!("private_addresses: number {}: {error}", at + 1);
                text.parse::<Network>().map_err(wrong)
            };
            let networks = networks.iter().enumerate().map(network).collect::<Result<Vec<_>, _>>();
            networks.map(PrivateAddresses::Networks)
        }
        Some(_) => Err(expected()),
    }
}

/// A parser's message without the text that it found: in the wrong place, that may be a token.
fn without_text(message: &str) -> String {
    match (message.find("string \""), message.rfind('"')) {
        (Some(start), Some(end)) if end > start + "string".len() + 1 => {
            format!("{}a string{}", &message[..start], &message[end + 1..])
        }
        _ => message.to_owned(),
    }
}

impl Configuration {
    /// Parses a configuration. `token` loads a token from its source. Its error says why it cannot, without the value.
    ///
    /// # Errors
    /// When the text is not a configuration, names something that does not exist, or a token is missing.
    pub fn parse<E: fmt::Display>(
        text: &str,
        token: &dyn Fn(&TokenSource) -> Result<String, E>,
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
            let missing = |error: E| ConfigurationError::Token { alias: name.clone(), reason: error.to_string() };
            let secret = secret.map_err(missing)?;
            let alias: Alias = name.parse().map_err(|error| wrong(format!("{error}")))?;
            if let Some(check) = origin.check {
                if !check.starts_with('/') {
                    return Err(wrong("check: write a path that begins with a slash".to_owned()));
                }
                checks.insert(alias.clone(), check);
            }
            let private_addresses = private_addresses(origin.private_addresses.as_ref()).map_err(wrong)?;
            let base = Origin::new(alias, &origin.base_url).map_err(|error| wrong(format!("base_url: {error}")))?;
            origins.push(OriginConfig { origin: base, secret: secret.map(Secret::new), private_addresses });
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(private_addresses: &str) -> Result<PrivateAddresses, String> {
        let text = format!("[origins.a]\nbase_url = \"http://a.example\"\n{private_addresses}\n");
        let configuration = Configuration::parse(&text, &|_| Err("there is no token".to_owned()));
        let mut origins = configuration.map_err(|error| error.to_string())?.origins;
        Ok(origins.remove(0).private_addresses)
    }

    #[test]
    fn h02_private_addresses_are_none_or_all_ordinary_ones_or_networks() {
        let network = |text: &str| text.parse::<Network>().expect(text);
        for (written, expected) in [
            ("", PrivateAddresses::None),
            ("private_addresses = false", PrivateAddresses::None),
            ("private_addresses = true", PrivateAddresses::Ordinary),
            ("private_addresses = []", PrivateAddresses::Networks(Vec::new())),
            (
                "private_addresses = [\"10.0.0.0/8\", \"127.0.0.1\"]",
                PrivateAddresses::Networks(vec![network("10.0.0.0/8"), network("127.0.0.1")]),
            ),
        ] {
            assert_eq!(parse(written), Ok(expected), "{written}");
        }
        for (written, part) in [
            ("private_addresses = \"10.0.0.0/8\"", "write true for private networks, or a list of networks"),
            ("private_addresses = [1]", "write true for private networks, or a list of networks"),
            ("private_addresses = [\"10.0.0.0/8\", \"s3cr3t\"]", "number 2: it is neither an address nor a network"),
            ("private_addresses = [\"10.0.0.1/8\"]", "number 1: its address has bits set after the prefix"),
        ] {
            let message = parse(written).expect_err(written);
            assert!(message.contains(part) && !message.contains("s3cr3t"), "{written}: {message}");
        }
    }
}
