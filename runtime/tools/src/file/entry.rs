//! One entry of a file: a server.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use intentbox_capability::ServerId;
use intentbox_catalog::json::parse_value;
use intentbox_egress::{Scheme, Source};
use serde_json::{Map, Value};
use url::Url;

use super::{FileContext, json, shown};
use crate::secret::{self, names_secret};
use crate::server::{
    Bounds, CALL_MAX, DISCOVERY_MAX, Endpoint, EndpointCredential, Program, ServerConfig, Transport, workspace,
};
use crate::variables::expand;

/// How many arguments, variables and headers an entry may have.
const ITEMS_MAX: usize = 256;

/// The longest name of a variable or of a systemd credential, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// What `memory_mib` may be.
const MEMORY_MIB_MIN: u64 = 32;
const MEMORY_MIB_MAX: u64 = 65_536;

/// The keys that are read. Others are ignored with a warning.
pub(super) const KEYS: [&str; 10] =
    ["type", "command", "args", "env", "cwd", "url", "headers", "disabled", "enabled", "intentbox"];

/// Keys of other clients that mean nothing to us, and that nobody should be told about.
const SILENT: [&str; 8] =
    ["description", "name", "timeout", "alwaysAllow", "autoApprove", "disabledTools", "icon", "gallery"];

/// The names of the streamable HTTP transport.
const HTTP: [&str; 3] = ["http", "streamable-http", "streamableHttp"];

/// Reads an entry. Returns what is ignored besides.
///
/// # Errors
/// All that is wrong with it, a line each.
pub(super) fn parse(
    id: ServerId,
    text: &str,
    context: &FileContext<'_>,
) -> Result<(ServerConfig, Vec<String>), Vec<String>> {
    let Ok(fields) = json::fields(text) else { return Err(vec!["it is not an object".to_owned()]) };
    let mut seen = BTreeSet::new();
    if let Some((twice, _)) = fields.iter().find(|(key, _)| !seen.insert(key.as_str())) {
        return Err(vec![format!("it has `{}` twice", shown(twice))]);
    }
    let mut reader = Reader {
        fields: Map::new(),
        faults: Vec::new(),
        warnings: Vec::new(),
        context,
        is_told: false,
        secrets: RefCell::default(),
    };
    for (key, value) in &fields {
        match parse_value(value.get()) {
            // What is absent may be written as null.
            Ok(Value::Null) => {}
            Ok(value) if KEYS.contains(&key.as_str()) => {
                reader.fields.insert(key.clone(), value);
            }
            Ok(_) if SILENT.contains(&key.as_str()) => {}
            Ok(_) => reader.warnings.push(format!("`{}` is ignored", shown(key))),
            Err(error) => reader.faults.push(format!("`{}`: {error}", shown(key))),
        }
    }
    // What is told is read as the same entry, with names in the place of variables. Its faults are those of the entry.
    reader.is_told = true;
    let told = reader.transport();
    reader.faults.clear();
    reader.is_told = false;
    let transport = reader.transport();
    let is_enabled = reader.is_enabled();
    let own = reader.own();
    let Reader { faults, warnings, secrets, .. } = reader;
    match (transport.zip(told), faults.is_empty()) {
        (Some((transport, told)), true) => {
            let Own { is_trusted, bounds, secret, scheme, ca_file } = own;
            let credential = secret.map(|source| EndpointCredential { source, scheme: scheme.unwrap_or_default() });
            let with_own = |transport: Transport| match transport {
                Transport::Http(endpoint) => {
                    let (credential, ca_file) = (credential.clone(), ca_file.clone());
                    Transport::Http(Endpoint { credential, ca_file, ..endpoint })
                }
                stdio @ Transport::Stdio(_) => stdio,
            };
            let (transport, told) = (with_own(transport), with_own(told));
            let secrets = secret::secrets(&transport, secrets.into_inner());
            let (file, origin) = (context.path.to_owned(), context.origin);
            Ok((ServerConfig { id, transport, told, secrets, is_enabled, is_trusted, bounds, file, origin }, warnings))
        }
        _ => Err(faults),
    }
}

/// What our own key says.
#[derive(Default)]
struct Own {
    is_trusted: bool,
    bounds: Bounds,
    secret: Option<Source>,
    scheme: Option<Scheme>,
    ca_file: Option<PathBuf>,
}

struct Reader<'a> {
    fields: Map<String, Value>,
    faults: Vec<String>,
    warnings: Vec<String>,
    context: &'a FileContext<'a>,
    /// Whether texts are read as a person is told them.
    is_told: bool,
    /// The values of variables that may be secret, as they are read.
    secrets: RefCell<BTreeSet<String>>,
}

/// Variables that a person is told the value of. They say where a program or a folder is.
const PLAIN: [&str; 4] = ["HOME", "PWD", "USER", "TMPDIR"];

impl Reader<'_> {
    fn fault<T>(&mut self, reason: impl Into<String>) -> Option<T> {
        self.faults.push(reason.into());
        None
    }

    fn transport(&mut self) -> Option<Transport> {
        let kind = match self.fields.get("type") {
            None => None,
            Some(Value::String(kind)) => Some(kind.clone()),
            Some(_) => return self.fault("`type` is \"stdio\" or \"http\""),
        };
        let (has_command, has_url) = (self.fields.contains_key("command"), self.fields.contains_key("url"));
        match (kind.as_deref(), has_command, has_url) {
            (Some("sse"), _, _) => {
                self.fault("the old transport `sse` is not supported: use the server's streamable HTTP URL with \"type\": \"http\"")
            }
            (Some(kind), _, _) if kind != "stdio" && !HTTP.contains(&kind) => {
                self.fault(format!("`type` is \"stdio\" or \"http\", and not {:?}", shown(kind)))
            }
            (_, true, true) => self.fault("it has both `command` and `url`; keep one"),
            (_, false, false) => self.fault("it has neither `command` nor `url`"),
            (Some(kind), true, false) if kind != "stdio" => {
                self.fault(format!("\"type\": {kind:?} needs a `url`, and it has a `command`"))
            }
            (Some("stdio"), false, true) => self.fault("\"type\": \"stdio\" needs a `command`, and it has a `url`"),
            (_, true, false) => self.program().map(Transport::Stdio),
            (_, false, true) => self.endpoint().map(Transport::Http),
        }
    }

    fn program(&mut self) -> Option<Program> {
        // The program itself is told, whatever its name comes from.
        let is_told = std::mem::take(&mut self.is_told);
        let command = self.text("command");
        self.is_told = is_told;
        let command = command?;
        let args = self.list("args");
        let env = self.texts("env");
        let cwd = self.cwd();
        for name in ["headers"] {
            if self.fields.contains_key(name) {
                self.fault::<()>(format!("`{name}` is for a `url`"));
            }
        }
        if command.trim().is_empty() {
            return self.fault("`command` is empty");
        }
        if args.is_empty() && command.split_whitespace().count() > 1 && !command.contains('/') {
            let mut words = command.split_whitespace().map(|word| format!("{word:?}"));
            let (first, rest) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>().join(", "));
            return self.fault(format!("no shell splits `command`: write \"command\": {first}, \"args\": [{rest}]"));
        }
        for (name, value) in &env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                self.faults.push(format!("`env`: {:?} is no variable", shown(name)));
            }
        }
        if command.contains('\0') || args.iter().any(|argument| argument.contains('\0')) {
            return self.fault("`command` and `args` cannot hold a NUL");
        }
        Some(Program { command, args, env, cwd })
    }

    fn endpoint(&mut self) -> Option<Endpoint> {
        let written = self.text("url")?;
        let headers = self.texts("headers");
        for name in ["args", "env", "cwd"] {
            if self.fields.contains_key(name) {
                self.fault::<()>(format!("`{name}` is for a `command`"));
            }
        }
        // The variables of one that is told need not stand where a URL may have them.
        let parsed = if self.is_told { Url::parse("http://told") } else { Url::parse(written.trim()) };
        let Ok(url) = parsed else { return self.fault("`url` is not a URL") };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return self.fault("`url` begins with http:// or https:// and names a host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.fault("`url` holds a user or password: put the credential into `headers`");
        }
        let mut lower = BTreeMap::new();
        for (name, value) in headers {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let is_name = !name.is_empty() && name.bytes().all(is_token);
            let is_value = value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
            let name = name.to_ascii_lowercase();
            if !is_name {
                self.faults.push(format!("`headers`: {:?} is no name of a header", shown(&name)));
            } else if !is_value {
                // The value may be a secret.
                self.faults.push(format!("`headers`: the value of `{name}` is not plain ASCII"));
            } else if lower.insert(name.clone(), value).is_some() {
                self.faults.push(format!("`headers`: `{name}` is there twice"));
            }
        }
        let url = if self.is_told { written } else { url.to_string() };
        Some(Endpoint { url, headers: lower, ..Endpoint::default() })
    }

    fn is_enabled(&mut self) -> bool {
        let mut flag = |name: &str| match self.fields.get(name) {
            None => None,
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) => {
                self.faults.push(format!("`{name}` is true or false"));
                None
            }
        };
        match (flag("enabled"), flag("disabled")) {
            (Some(enabled), Some(disabled)) if enabled == disabled => {
                self.fault::<()>("`enabled` and `disabled` contradict each other");
                false
            }
            (Some(enabled), _) => enabled,
            (None, Some(disabled)) => !disabled,
            (None, None) => true,
        }
    }

    /// Our own settings.
    fn own(&mut self) -> Own {
        let mut read_own = Own::default();
        let Own { is_trusted, bounds, secret, scheme, ca_file } = &mut read_own;
        let own = match self.fields.get("intentbox") {
            None => return read_own,
            Some(Value::Object(own)) => own.clone(),
            Some(_) => {
                self.fault::<()>("`intentbox` is an object");
                return read_own;
            }
        };
        let mut sources = Vec::new();
        for (key, value) in &own {
            let number = |least: u64, most: u64| {
                value
                    .as_u64()
                    .filter(|number| (least..=most).contains(number))
                    .ok_or_else(|| format!("`intentbox.{key}` is a whole number from {least} to {most}"))
            };
            let flag = || value.as_bool().ok_or_else(|| format!("`intentbox.{key}` is true or false"));
            let read = match key.as_str() {
                "trusted" => flag().map(|flag| *is_trusted = flag),
                "network" => flag().map(|flag| bounds.network = flag),
                "namespaces" => flag().map(|flag| bounds.namespaces = flag),
                "memory_mib" => number(MEMORY_MIB_MIN, MEMORY_MIB_MAX).map(|mib| bounds.memory_bytes = mib << 20),
                "discovery_s" => {
                    number(1, DISCOVERY_MAX.as_secs()).map(|s| bounds.discovery_max = Duration::from_secs(s))
                }
                "call_s" => number(1, CALL_MAX.as_secs()).map(|s| bounds.call_max = Duration::from_secs(s)),
                "write" => self.paths(value).map(|paths| bounds.writable = paths),
                "token_env" => named(key, value).map(|name| sources.push(Source::Environment(name))),
                "token_credential" => named(key, value).map(|name| sources.push(Source::Credential(name))),
                "token_file" => self.file(key, value).map(|path| sources.push(Source::File(path))),
                "ca_file" => self.file(key, value).map(|path| *ca_file = Some(PathBuf::from(path))),
                "auth" => match serde_json::from_value::<Scheme>(value.clone()) {
                    Ok(read) => {
                        *scheme = Some(read);
                        Ok(())
                    }
                    // The text is not repeated: it may be a token in the wrong place.
                    Err(_) if value.is_string() => {
                        Err("`intentbox.auth` is \"bearer\", or an object with basic, header, query or oauth"
                            .to_owned())
                    }
                    Err(error) => Err(format!("`intentbox.auth`: {error}")),
                },
                _ => Err(format!(
                    "`intentbox.{}` is unknown; there are trusted, network, namespaces, memory_mib, discovery_s, call_s, write, \
                     token_env, token_file, token_credential, auth and ca_file",
                    shown(key)
                )),
            };
            if let Err(reason) = read {
                self.faults.push(reason);
            }
        }
        let is_http = self.fields.contains_key("url");
        let has_credential = !sources.is_empty() || scheme.is_some() || ca_file.is_some();
        if has_credential && !is_http {
            self.faults
                .push("`intentbox`: `token_…`, `auth` and `ca_file` are for a `url`; a program gets `env`".to_owned());
        }
        if sources.len() > 1 {
            self.faults
                .push("`intentbox`: more than one of token_env, token_file and token_credential is set".to_owned());
        }
        if scheme.is_some() && sources.is_empty() {
            let told = "`intentbox.auth`: there is no secret to send; set token_env, token_file or token_credential";
            self.faults.push(told.to_owned());
        }
        *secret = sources.pop();
        read_own
    }

    fn file(&self, key: &str, value: &Value) -> Result<String, String> {
        let text =
            value.as_str().filter(|text| !text.is_empty()).ok_or_else(|| format!("`intentbox.{key}` is a path"))?;
        let text = self.expanded(text).map_err(|error| format!("`intentbox.{key}`: {error}"))?;
        Ok(self.beside(Path::new(&text)).to_string_lossy().into_owned())
    }

    fn paths(&self, value: &Value) -> Result<Vec<PathBuf>, String> {
        let expected = || "`intentbox.write` is a list of folders".to_owned();
        let items = value.as_array().filter(|items| items.len() <= ITEMS_MAX).ok_or_else(expected)?;
        let path = |item: &Value| -> Result<PathBuf, String> {
            let text = item.as_str().filter(|text| !text.is_empty()).ok_or_else(expected)?;
            let text = self.expanded(text).map_err(|error| format!("`intentbox.write`: {error}"))?;
            Ok(self.beside(Path::new(&text)))
        };
        items.iter().map(path).collect()
    }

    fn cwd(&mut self) -> Option<PathBuf> {
        self.fields.get("cwd")?;
        let cwd = self.text("cwd")?;
        if cwd.is_empty() {
            return self.fault("`cwd` is empty");
        }
        Some(self.beside(Path::new(&cwd)))
    }

    /// A path that starts at the folder that the file is for.
    fn beside(&self, path: &Path) -> PathBuf {
        workspace(self.context.path).map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    /// A text of the entry, expanded.
    fn text(&mut self, key: &str) -> Option<String> {
        let Some(Value::String(text)) = self.fields.get(key) else { return self.fault(format!("`{key}` is a text")) };
        let text = self.expanded(text);
        text.map_err(|error| self.faults.push(format!("`{key}`: {error}"))).ok()
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        let items = match self.fields.get(key) {
            None => return Vec::new(),
            Some(Value::Array(items)) if items.len() <= ITEMS_MAX => items.clone(),
            Some(_) => {
                self.fault::<()>(format!("`{key}` is a list of at most {ITEMS_MAX} texts"));
                return Vec::new();
            }
        };
        let mut texts = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let text = plain(item).ok_or_else(|| "it is not a text".to_owned());
            match text.and_then(|text| self.expanded(&text)) {
                Ok(text) => texts.push(text),
                Err(reason) => self.faults.push(format!("`{key}[{number}]`: {reason}")),
            }
        }
        texts
    }

    fn texts(&mut self, key: &str) -> BTreeMap<String, String> {
        let fields = match self.fields.get(key) {
            None => return BTreeMap::new(),
            Some(Value::Object(fields)) if fields.len() <= ITEMS_MAX => fields.clone(),
            Some(_) => {
                self.fault::<()>(format!("`{key}` is an object of at most {ITEMS_MAX} texts"));
                return BTreeMap::new();
            }
        };
        let mut texts = BTreeMap::new();
        for (name, value) in &fields {
            let text = plain(value).ok_or_else(|| "it is not a text".to_owned());
            match text.and_then(|text| self.expanded(&text)) {
                Ok(text) => {
                    texts.insert(name.clone(), text);
                }
                Err(reason) => self.faults.push(format!("`{key}.{}`: {reason}", shown(name))),
            }
        }
        texts
    }

    /// A text with its variables expanded, and with VS Code's names of folders.
    fn expanded(&self, text: &str) -> Result<String, String> {
        let folder = workspace(self.context.path).map(|folder| folder.to_string_lossy().into_owned());
        let home = self.context.home.map(|home| home.to_string_lossy().into_owned());
        let variable = |name: &str| match name {
            "workspaceFolder" => folder.clone(),
            "userHome" => home.clone(),
            name if self.is_told && !PLAIN.contains(&name) => {
                let value = (self.context.variable)(name)?;
                Some(if value.is_empty() { value } else { format!("${{{name}}}") })
            }
            name => {
                let value = (self.context.variable)(name)?;
                if names_secret(name) {
                    self.secrets.borrow_mut().insert(value.clone());
                }
                Some(value)
            }
        };
        expand(text, &variable).map_err(|error| error.to_string())
    }
}

/// The name of a variable or of a systemd credential.
fn named(key: &str, value: &Value) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.is_empty() && text.len() <= NAME_BYTES_MAX);
    text.map(str::to_owned).ok_or_else(|| format!("`intentbox.{key}` is a name"))
}

/// A text. People write numbers and flags without quotes, and every client makes them texts.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
