//! The configuration: which origins and directories there are. The policy decides what runs may do with them.
//!
//! ```toml
//! [origins.sentry]
//! base_url = "https://sentry.example.com"
//! token_env = "SENTRY_TOKEN"            # or token_file = "/run/secrets/sentry", or token_credential = "sentry"
//! auth = "bearer"                       # how the token is sent: see `Scheme`
//! ca_file = "corporate-ca.pem"          # root certificates to trust besides the system's
//! settings = { organization = "acme" }  # not secret; templates take defaults from it
//! principals = { alice = { token_file = "alice" } } # the token, and the settings, of the holder of a token of this server
//! check = "/api/0/"                     # what `doctor` asks, to see whether the token is accepted
//! private_addresses = ["10.0.0.0/8"]    # addresses to allow besides public ones; `true` for private networks
//!
//! [directories]
//! logs = "/var/log/app"
//!
//! [templates]
//! directory = "templates"               # templates that override or extend the built-in ones
//!
//! [tools]
//! servers = ["team.mcp.json"]           # files of upstream servers, besides the mcp.json beside this file
//! refresh = "daily"                     # lists tools again when the last list is older than a day
//!
//! [routing]
//! mode = "hybrid"                       # templates, then tools; or code_execution (templates), or mcp_only (tools)
//! fallback = true                       # whether a tool answers what no template does
//! ```
//!
//! The caller reads files and the environment; this module only parses the text.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use intentbox_capability::{Access, Alias, Network, NetworkError, Origin, PrivateAddresses, ToolRule};
use intentbox_egress::{Credential, OriginConfig, Scheme, Secret, Source};
use serde::Deserialize;
use serde_json::Value;

use crate::policy::KnownTools;

/// The largest configuration that is read, in bytes.
pub const CONFIGURATION_BYTES_MAX: usize = 1 << 20;

/// What the operator configured, with secrets resolved. The default is nothing.
#[derive(Debug, Default)]
pub struct Configuration {
    /// The origins.
    pub origins: Vec<OriginConfig>,
    /// Settings of origins by `alias.name`, not secret.
    pub settings: BTreeMap<String, String>,
    /// What principals have of their own, by their names.
    pub tenants: BTreeMap<String, TenantConfig>,
    /// The directories, as written: a relative path starts at the folder of the configuration.
    pub directories: BTreeMap<Alias, PathBuf>,
    /// The folder of additional templates, as written.
    pub templates: Option<PathBuf>,
    /// The path that tells whether an origin's token is accepted, where one is configured, for `doctor`.
    pub checks: BTreeMap<Alias, String>,
    /// What answers intents.
    pub routing: Routing,
}

/// What a principal has of its own. Everything else it shares with the others.
#[derive(Debug, Default)]
pub struct TenantConfig {
    /// The origins for which it has a credential.
    pub origins: Vec<OriginConfig>,
    /// Settings of origins by `alias.name`, not secret.
    pub settings: BTreeMap<String, String>,
}

/// What answers intents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routing {
    /// Which of templates and tools.
    #[serde(default)]
    pub mode: Mode,
    /// Whether a tool answers what no template does.
    #[serde(default = "yes")]
    pub fallback: bool,
    /// Whether servers that are new, changed or due are discovered in the background. By hand they always can be.
    #[serde(default = "yes")]
    pub discovery: bool,
    /// Whether single words are learned of intents for which a person chose a tool.
    #[serde(default = "yes")]
    pub learning: bool,
}

impl Default for Routing {
    fn default() -> Self {
        Self { mode: Mode::default(), fallback: true, discovery: true, learning: true }
    }
}

/// A part of routing that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Templates: the scripts that they render to answer no intent.
    Templates,
    /// Tools do not answer what no template does.
    Fallback,
    /// Servers are not discovered in the background.
    Discovery,
    /// No words are learned.
    Learning,
}

impl Switch {
    /// The switch of this name: `templates`, `fallback`, `discovery` or `learning`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "templates" => Self::Templates,
            "fallback" => Self::Fallback,
            "discovery" => Self::Discovery,
            "learning" => Self::Learning,
            _ => return None,
        })
    }
}

fn yes() -> bool {
    true
}

/// Which of templates and tools answer intents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A template, otherwise a tool.
    #[default]
    Hybrid,
    /// Templates alone.
    CodeExecution,
    /// Tools alone.
    McpOnly,
}

impl Mode {
    /// The mode of this name: `hybrid`, `code_execution` or `mcp_only`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Hybrid, Self::CodeExecution, Self::McpOnly].into_iter().find(|mode| mode.name() == name)
    }

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::CodeExecution => "code_execution",
            Self::McpOnly => "mcp_only",
        }
    }
}

impl Routing {
    /// Switches a part off. Without templates, tools answer alone.
    pub fn switch_off(&mut self, switch: Switch) {
        match switch {
            Switch::Templates => self.mode = Mode::McpOnly,
            Switch::Fallback => self.fallback = false,
            Switch::Discovery => self.discovery = false,
            Switch::Learning => self.learning = false,
        }
    }

    /// Reads the part of a configuration that is about routing. Nothing that the configuration names is loaded.
    ///
    /// # Errors
    /// When the text is not a configuration.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        Ok(Written::parse(text)?.routing)
    }

    /// As reports show it.
    pub(crate) fn shown(self) -> intentbox_report::Mode {
        let switches = [(self.fallback, "fallback"), (self.discovery, "discovery"), (self.learning, "learning")];
        let without = switches.into_iter().filter(|(is_on, _)| !is_on).map(|(_, name)| name).collect();
        intentbox_report::Mode { name: self.mode.name(), without }
    }

    /// Whether templates answer.
    pub(crate) fn has_templates(self) -> bool {
        self.mode != Mode::McpOnly
    }

    /// Whether tools answer what templates do not.
    pub(crate) fn has_tools(self) -> bool {
        match self.mode {
            Mode::Hybrid => self.fallback,
            Mode::CodeExecution => false,
            Mode::McpOnly => true,
        }
    }
}

/// What a configuration says of upstream servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    /// Files of servers, as written: a relative path starts at the folder of the configuration.
    #[serde(default)]
    pub servers: Vec<PathBuf>,
    /// When tools are listed again by themselves.
    #[serde(default)]
    pub refresh: Refresh,
    /// The folder of a model of static embeddings, as written, which the search for tools uses besides words.
    #[serde(default)]
    pub embedding: Option<PathBuf>,
}

/// The files of tokens that a configuration names, as written.
///
/// # Errors
/// When the text is not a configuration.
pub fn token_files(text: &str) -> Result<Vec<PathBuf>, ConfigurationError> {
    let origins = Written::parse(text)?.origins.into_values();
    let files = origins.flat_map(|origin| {
        let own = origin.principals.into_values().map(|own| own.token_file);
        [origin.token_file].into_iter().chain(own).flatten()
    });
    Ok(files.map(PathBuf::from).collect())
}

/// The folder of additional templates that a configuration names, as written.
///
/// # Errors
/// When the text is not a configuration.
pub fn templates_folder(text: &str) -> Result<Option<PathBuf>, ConfigurationError> {
    Ok(Written::parse(text)?.templates.directory)
}

/// The files and folders that a configuration obeys and that hold no secret, as written: templates, certificates and the model of a search.
///
/// # Errors
/// When the text is not a configuration.
pub fn obeyed_files(text: &str) -> Result<Vec<PathBuf>, ConfigurationError> {
    let Written { origins, templates, tools, .. } = Written::parse(text)?;
    let certificates = origins.into_values().filter_map(|origin| origin.ca_file).map(PathBuf::from);
    Ok(certificates.chain(templates.directory).chain(tools.embedding).collect())
}

/// When the tools of servers are listed again without being asked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// When the configuration of a server has changed.
    #[default]
    OnChange,
    /// Also when the last list is older than a day.
    Daily,
}

impl ToolSettings {
    /// Reads the part of a configuration that is about upstream servers. Nothing that the configuration names is loaded.
    ///
    /// # Errors
    /// When the text is not a configuration.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        Ok(Written::parse(text)?.tools)
    }
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
    /// A token or certificate is not where the configuration says.
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
    #[serde(default)]
    tools: ToolSettings,
    #[serde(default)]
    routing: Routing,
}

impl Written {
    fn parse(text: &str) -> Result<Written, ConfigurationError> {
        toml::from_str(text).map_err(|error| {
            // The error's own display quotes the line, and the line may hold a token that was put in the wrong place.
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..at].split(|byte| *byte == b'\n').count();
            ConfigurationError::Syntax(format!("line {line}: {}", without_text(error.message())))
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTemplates {
    directory: Option<PathBuf>,
}

/// Where a token is: the one place of three, if there is any.
fn source(
    environment: Option<String>,
    file: Option<String>,
    credential: Option<String>,
) -> Result<Option<Source>, String> {
    let sources = [environment.map(Source::Environment), file.map(Source::File), credential.map(Source::Credential)];
    let mut sources = sources.into_iter().flatten();
    match (sources.next(), sources.next()) {
        (source, None) => Ok(source),
        _ => Err("more than one of token_env, token_file and token_credential is set; keep one".to_owned()),
    }
}

/// What a principal has of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTenant {
    token_env: Option<String>,
    token_file: Option<String>,
    token_credential: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOrigin {
    base_url: String,
    token_env: Option<String>,
    token_file: Option<String>,
    token_credential: Option<String>,
    #[serde(default)]
    principals: BTreeMap<String, WrittenTenant>,
    auth: Option<Scheme>,
    ca_file: Option<String>,
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
    if let Some((before, rest)) = message.split_once("unknown variant `")
        && let Some((_, after)) = rest.split_once('`')
    {
        return format!("{before}unknown value{after}");
    }
    match (message.find("string \""), message.rfind('"')) {
        (Some(start), Some(end)) if end > start + "string".len() + 1 => {
            format!("{}a string{}", &message[..start], &message[end + 1..])
        }
        _ => message.to_owned(),
    }
}

impl Configuration {
    /// Parses a configuration. `load` loads what it names. Its error says why it cannot, without the value.
    ///
    /// # Errors
    /// When the text is not a configuration, names something that does not exist, or a token is missing.
    pub fn parse<E: fmt::Display>(
        text: &str,
        load: &dyn Fn(&Source) -> Result<String, E>,
    ) -> Result<Configuration, ConfigurationError> {
        let written = Written::parse(text)?;
        let mut origins = Vec::new();
        let mut settings = BTreeMap::new();
        let mut tenants: BTreeMap<String, TenantConfig> = BTreeMap::new();
        let mut checks = BTreeMap::new();
        for (name, origin) in written.origins {
            let wrong = |reason: String| ConfigurationError::Origin { alias: name.clone(), reason };
            let missing = |error: E| ConfigurationError::Token { alias: name.clone(), reason: error.to_string() };
            let own = source(origin.token_env, origin.token_file, origin.token_credential).map_err(wrong)?;
            let certificates = origin.ca_file.map(Source::Certificates);
            let roots = certificates.as_ref().map(load).transpose().map_err(missing)?.unwrap_or_default().into_bytes();
            let has_auth = origin.auth.is_some();
            let scheme = origin.auth.unwrap_or_default();
            let credential = |source: &Source| {
                let secret = load(source).map_err(|error| error.to_string())?;
                Credential::new(&scheme, Secret::new(secret), &roots).map_err(|error| error.to_string())
            };
            let common = own.as_ref().map(credential).transpose().map_err(wrong)?;
            let alias: Alias = name.parse().map_err(|error| wrong(format!("{error}")))?;
            if let Some(check) = origin.check {
                if !check.starts_with('/') {
                    return Err(wrong("check: write a path that begins with a slash".to_owned()));
                }
                checks.insert(alias.clone(), check);
            }
            let private_addresses = private_addresses(origin.private_addresses.as_ref()).map_err(wrong)?;
            let base = Origin::new(alias, &origin.base_url).map_err(|error| wrong(format!("base_url: {error}")))?;
            let of_alias = |settings: BTreeMap<String, String>| {
                settings.into_iter().map(|(key, value)| (format!("{name}.{key}"), value))
            };
            let mut has_secret = common.is_some();
            for (principal, own) in origin.principals {
                let wrong = |reason: String| wrong(format!("principals.{principal}: {reason}"));
                let source = source(own.token_env, own.token_file, own.token_credential).map_err(wrong)?;
                let credential = source.as_ref().map(credential).transpose().map_err(wrong)?;
                let tenant = tenants.entry(principal.clone()).or_default();
                tenant.settings.extend(of_alias(own.settings));
                if credential.is_some() {
                    has_secret = true;
                    tenant.origins.push(OriginConfig {
                        origin: base.clone(),
                        credential,
                        roots: roots.clone(),
                        private_addresses: private_addresses.clone(),
                    });
                }
            }
            if has_auth && !has_secret {
                let reason = "auth: there is no secret to send; set token_env, token_file or token_credential";
                return Err(wrong(reason.to_owned()));
            }
            settings.extend(of_alias(origin.settings));
            origins.push(OriginConfig { origin: base, credential: common, roots, private_addresses });
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
        let (templates, routing) = (written.templates.directory, written.routing);
        Ok(Configuration { origins, settings, tenants, directories, templates, checks, routing })
    }

    /// What a rule of the policy names that is not there, in words; nothing where all of it is.
    pub(crate) fn unknown(&self, rule: &Access, servers: &KnownTools) -> Option<String> {
        let origin = rule.http.iter().find_map(|rule| {
            let alias = rule.alias();
            let is_missing = self.origins.iter().all(|config| config.origin.alias() != alias);
            is_missing.then(|| format!("`{rule}` names the origin `{alias}`, and there is no [origins.{alias}]"))
        });
        let directory = rule.read.iter().find_map(|alias| {
            let is_missing = !self.directories.contains_key(alias);
            is_missing.then(|| format!("`{alias}` is no directory of [directories]"))
        });
        origin.or(directory).or_else(|| rule.tools.iter().find_map(|rule| unknown_tools(rule, servers)))
    }

    /// A configuration with one origin and nothing else: the demo's. `check` is a path that needs the token.
    #[must_use]
    pub fn of_origin(origin: OriginConfig, settings: BTreeMap<String, String>, check: String) -> Configuration {
        let checks = BTreeMap::from([(origin.origin.alias().clone(), check)]);
        Configuration { origins: vec![origin], settings, checks, ..Configuration::default() }
    }
}

/// The server or the tools of a rule that are not known.
fn unknown_tools(rule: &ToolRule, servers: &KnownTools) -> Option<String> {
    let server = rule.server();
    let Some(tools) = servers.get(server.as_str()) else {
        return Some(format!("`{rule}` names the server `{server}`, and none of this name is configured"));
    };
    let missing: Vec<&str> = rule.named().filter(|tool| !tools.contains(*tool)).collect();
    (!tools.is_empty() && !missing.is_empty())
        .then(|| format!("`{rule}` names `{}`, and `{server}` lists no such tool", missing.join("`, `")))
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
    fn principals_have_tokens_and_settings_of_their_own() {
        let load = |source: &Source| match source {
            Source::Environment(name) => Ok(format!("s3cr3t-{name}")),
            _ => Err("it is not there"),
        };
        let parse = |lines: &str| {
            let text = format!(
                "[origins.a]\nbase_url = \"http://a.example\"\n{lines}\n[origins.b]\nbase_url = \"http://b.example\"\n"
            );
            Configuration::parse(&text, &load).map_err(|error| error.to_string())
        };
        let both = "auth = { header = { name = \"X-Key\" } }\nsettings = { team = \"all\", page = \"1\" }\n\
                    principals = { alice = { token_env = \"A\", settings = { team = \"web\" } }, bob = { settings = { team = \"b\" } } }";
        let parsed = parse(both).expect("alice has a secret to send");
        let has_token: Vec<bool> = parsed.origins.iter().map(|config| config.credential.is_some()).collect();
        assert_eq!(has_token, [false, false]);
        let of = |name: &str| {
            let own = &parsed.tenants[name];
            let origins: Vec<&str> = own.origins.iter().map(|config| config.origin.alias().as_str()).collect();
            (origins, own.settings.clone())
        };
        let team = |team: &str| BTreeMap::from([("a.team".to_owned(), team.to_owned())]);
        assert_eq!((of("alice"), of("bob")), ((vec!["a"], team("web")), (vec![], team("b"))));
        for (own, told) in [
            ("token_file = \"x\"", "[origins.a]: principals.carol: it is not there"),
            (
                "token_env = \"A\", token_file = \"x\"",
                "[origins.a]: principals.carol: more than one of token_env, token_file and token_credential is set; keep one",
            ),
        ] {
            let fault = parse(&format!("principals = {{ carol = {{ {own} }} }}")).expect_err(own);
            assert_eq!(fault, told);
        }
    }

    #[test]
    fn a_credential_is_sent_as_auth_says() {
        let parse = |lines: &str| {
            let text = format!("[origins.a]\nbase_url = \"http://a.example\"\n{lines}\n");
            let load = |source: &Source| match source {
                Source::Environment(_) => Ok("s3cr3t-0123"),
                Source::Certificates(_) => Ok("none"),
                other => Err(format!("{other:?}")),
            };
            Configuration::parse(&text, &|source| load(source).map(str::to_owned)).map_err(|error| error.to_string())
        };
        for auth in [
            "",
            "auth = \"bearer\"",
            "auth = { basic = { user = \"robot\" } }",
            "auth = { header = { name = \"X-Api-Key\" } }",
            "auth = { query = { name = \"api_key\" } }",
            "auth = { oauth = { token_url = \"https://a.example/token\", client_id = \"robot\", scopes = [\"read\"] } }",
        ] {
            let parsed = parse(&format!("token_env = \"A\"\n{auth}")).expect(auth);
            assert!(parsed.origins[0].credential.is_some(), "{auth}");
        }
        let expected = "expected one of `bearer`, `basic`, `header`, `query`, `oauth`";
        for (lines, told) in [
            (
                "auth = \"bearer\"",
                "[origins.a]: auth: there is no secret to send; set token_env, token_file or token_credential"
                    .to_owned(),
            ),
            ("token_env = \"A\"\nauth = \"s3cr3t-0123\"", format!("line 4: unknown value, {expected}")),
            (
                "token_env = \"A\"\nauth = { header = { name = \"Host\" } }",
                "[origins.a]: auth: the header cannot be \"Host\"".to_owned(),
            ),
        ] {
            assert_eq!(parse(lines).expect_err(lines), told);
        }
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
