//! One upstream server as it is configured: how it is reached, and within which bounds.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use intentbox_capability::ServerId;
use intentbox_egress::{Scheme, Source};
use sha2::{Digest as _, Sha256};

use crate::definition::Effect;
use crate::secret::{may_be_secret, without_query_secrets, without_secrets};
use crate::writable::{holds_settings, normal};

/// How long discovering a server's tools may take, if its configuration does not say.
pub const DISCOVERY_DEFAULT: Duration = Duration::from_secs(30);

/// The longest that a configuration can choose for [`Bounds::discovery_max`].
pub const DISCOVERY_MAX: Duration = Duration::from_mins(2);

/// How long one call of a tool may take, if the server's configuration does not say.
pub const CALL_DEFAULT: Duration = Duration::from_mins(1);

/// The longest that a configuration can choose for [`Bounds::call_max`].
pub const CALL_MAX: Duration = Duration::from_mins(10);

/// The memory of a server that is started, in bytes of resident pages, if its configuration does not say: 512 MiB.
pub const MEMORY_DEFAULT: u64 = 512 << 20;

/// An upstream server as configured, with all variables expanded.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The name in the configuration. It prefixes the server's tools.
    pub id: ServerId,
    /// How it is reached.
    pub transport: Transport,
    /// The same as a person is told it: a variable is its name where its value may be secret, and the file says the rest. A new value
    /// of a variable is the same entry.
    pub told: Transport,
    /// What a server must not repeat, besides the values of its headers: the values of variables and parameters whose names are those
    /// of secrets, wherever in the entry they stand.
    pub secrets: Vec<String>,
    /// Whether it is used at all.
    pub is_enabled: bool,
    /// Whether its tools may change without a person's approval.
    pub is_trusted: bool,
    /// The bounds of its process and of its calls.
    pub bounds: Bounds,
    /// The file that the entry stands in.
    pub file: PathBuf,
    /// Whose file that is.
    pub origin: FileOrigin,
}

/// Whose configuration file an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileOrigin {
    /// The user's own, beside the configuration: its entries are used as they are, and run where this program does.
    Own,
    /// One that the operator named: its entries are used as they are, and run in its folder.
    Named,
    /// One that was found in a project's folder, which somebody else may have written: a person approves each entry first.
    Project,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that is started, with the protocol on its pipes.
    Stdio(Program),
    /// A URL of the streamable HTTP transport.
    Http(Endpoint),
}

/// A program and what it is started with. No shell takes part.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// A path, or a name that is looked up in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables besides those that every server gets. Their values may be secret.
    pub env: BTreeMap<String, String>,
    /// The working directory; the folder that the configuration file is for if there is none.
    pub cwd: Option<PathBuf>,
}

/// A URL and the headers that each request to it carries.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// `http` or `https`.
    pub url: String,
    /// Names are in lower case. Their values may be secret.
    pub headers: BTreeMap<String, String>,
    /// A credential that is loaded when the server is connected to.
    pub credential: Option<EndpointCredential>,
    /// A file of root certificates (PEM) to trust besides the system's.
    pub ca_file: Option<PathBuf>,
}

/// Where the credential of an endpoint is, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointCredential {
    /// Where the secret is. A path of a file is absolute.
    pub source: Source,
    /// How it is sent.
    pub scheme: Scheme,
}

/// What a server may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// How long discovery may take, from the start of the process to the last page of tools.
    pub discovery_max: Duration,
    /// How long one call may take.
    pub call_max: Duration,
    /// Resident pages of the process and its children, in bytes.
    pub memory_bytes: u64,
    /// Whether the process may use the network. Launchers such as `npx` and `uvx` fetch packages.
    pub network: bool,
    /// Whether the process gets a view of its own of files and processes where bubblewrap can make one. Some programs need that of
    /// their user: OpenSSH refuses settings of the system that seem to be nobody's.
    pub namespaces: bool,
    /// Folders that the process may write to, besides its working and temporary folder and the caches of launchers.
    pub writable: Vec<PathBuf>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            discovery_max: DISCOVERY_DEFAULT,
            call_max: CALL_DEFAULT,
            memory_bytes: MEMORY_DEFAULT,
            network: true,
            namespaces: true,
            writable: Vec::new(),
        }
    }
}

/// A SHA-256 of an entry. [`ServerConfig::hash`] is of what decides which tools a server has: its command, arguments, environment
/// and working directory, or its URL and headers. Another one means that the tools must be discovered anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigHash([u8; 32]);

impl ConfigHash {
    /// The hash in hexadecimal.
    #[must_use]
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }
}

impl fmt::Debug for ConfigHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl ServerConfig {
    /// The file with the secret that is sent to the server, if there is one.
    #[must_use]
    pub fn token_file(&self) -> Option<PathBuf> {
        match &self.transport {
            Transport::Http(Endpoint {
                credential: Some(EndpointCredential { source: Source::File(path), .. }),
                ..
            }) => Some(path.into()),
            _ => None,
        }
    }

    /// The file of certificates that the server is trusted by, if there is one.
    #[must_use]
    pub fn ca_file(&self) -> Option<PathBuf> {
        match &self.transport {
            Transport::Http(Endpoint { ca_file, .. }) => ca_file.clone(),
            Transport::Stdio(_) => None,
        }
    }

    /// The hash of what decides which tools the server has. Policies, bounds and the file's path do not.
    #[must_use]
    pub fn hash(&self) -> ConfigHash {
        self.transport.hash()
    }
}

impl Transport {
    fn hash(&self) -> ConfigHash {
        let mut hasher = Sha256::new();
        // Each text is preceded by its length, so that no two lists of texts are the same bytes.
        let mut add = |text: &str| {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        };
        match self {
            Transport::Stdio(Program { command, args, env, cwd }) => {
                add("stdio");
                add(command);
                add(&cwd.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default());
                add(&args.len().to_string());
                for argument in args {
                    add(argument);
                }
                env.iter().flat_map(|(name, value)| [name, value]).for_each(|text| add(text));
            }
            Transport::Http(Endpoint { url, headers, credential, ca_file }) => {
                add("http");
                add(url);
                headers.iter().flat_map(|(name, value)| [name, value]).for_each(|text| add(text));
                // Where the credential is, and not what it is: a new token is the same caller.
                if let Some(EndpointCredential { source, scheme }) = credential {
                    add(&format!("{source:?} {scheme:?}"));
                }
                if let Some(ca_file) = ca_file {
                    add(&ca_file.to_string_lossy());
                }
            }
        }
        ConfigHash(hasher.finalize().into())
    }
}

impl ServerConfig {
    /// Under what the server is kept: its name and the file of its entry.
    #[must_use]
    pub(crate) fn key(&self) -> String {
        crate::kept::key(&self.id, &self.file)
    }

    /// The hash of all that a person approves of an entry in a project's file: what is started or reached, which variables are sent,
    /// what it may use, and whether its tools may change. A new value of a variable that only the user sets needs no new approval.
    #[must_use]
    pub fn approval_hash(&self) -> ConfigHash {
        let Bounds { memory_bytes, network, namespaces, writable, discovery_max: _, call_max: _ } = &self.bounds;
        let mut hasher = Sha256::new();
        hasher.update(self.told.hash().0);
        hasher.update([u8::from(*network), u8::from(self.is_trusted)]);
        hasher.update(memory_bytes.to_le_bytes());
        for path in writable {
            let path = path.as_os_str().as_encoded_bytes();
            hasher.update((path.len() as u64).to_le_bytes());
            hasher.update(path);
        }
        if !namespaces {
            hasher.update(b"namespaces");
        }
        ConfigHash(hasher.finalize().into())
    }

    /// The folder where its program runs and that it may write: as configured, or the one that the file of its entry is for. Nothing
    /// for an entry of the user's own file that names none: its program runs where this one does, and writes nothing there.
    #[must_use]
    pub(crate) fn working_directory(&self, program: &Program) -> Option<PathBuf> {
        let of_file = || workspace(&self.file).filter(|_| self.origin != FileOrigin::Own).map(ToOwned::to_owned);
        program.cwd.clone().or_else(of_file)
    }

    /// The folders that its program may write, as configured.
    pub(crate) fn writable_folders(&self) -> Vec<PathBuf> {
        let Transport::Stdio(program) = &self.transport else { return Vec::new() };
        self.working_directory(program).into_iter().chain(self.bounds.writable.clone()).collect()
    }

    /// A folder with settings of the kernel or devices among those that its program would write. It is not started then.
    #[must_use]
    pub fn folder_with_settings(&self) -> Option<PathBuf> {
        self.writable_folders().into_iter().find(|folder| holds_settings(&normal(folder)))
    }

    /// What to do where a tool failed because its program may not write: its text has the system's words for that, or it is there to
    /// change something and may write no folder at all.
    pub(crate) fn advice_of_denial(&self, text: &str, effect: Effect) -> Option<String> {
        let Transport::Stdio(_) = &self.transport else { return None };
        let text = text.to_ascii_lowercase();
        let denials = ["permission denied", "eacces", "operation not permitted", "eperm", "read-only file system"];
        let folders: Vec<String> = self.writable_folders().iter().map(|path| quoted(&path.to_string_lossy())).collect();
        let changes_nowhere = folders.is_empty() && effect != Effect::Reads;
        if !changes_nowhere && !denials.iter().any(|denial| text.contains(denial)) {
            return None;
        }
        let (id, file) = (&self.id, quoted(&self.file.to_string_lossy()));
        let may = if folders.is_empty() { "no folder of yours".to_owned() } else { folders.join(", ") };
        Some(format!(
            "`{id}` may write {may}; to let it write another, add \"intentbox\": {{\"write\": [\"FOLDER\"]}} to its entry in {file}"
        ))
    }

    /// What a person who approves it is shown: what it runs, and then its privileges.
    #[must_use]
    pub fn told_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("would run  {}", self.told.summary())];
        lines.extend(self.privileges());
        lines
    }

    /// What it may use besides what every server may, a line each, for a person who approves it.
    #[must_use]
    pub fn privileges(&self) -> Vec<String> {
        let Bounds { memory_bytes, network, namespaces, writable, .. } = &self.bounds;
        let mut lines: Vec<String> =
            writable.iter().map(|path| format!("may write  {}", quoted(&normal(path).to_string_lossy()))).collect();
        if let Transport::Stdio(program) = &self.transport {
            let folder = self.working_directory(program);
            let told = |path: PathBuf| {
                let path = normal(&path);
                let with = if self.file.starts_with(&path) { "with .git and this file" } else { "with its .git" };
                format!("may write  {} (where it runs, {with})", quoted(&path.to_string_lossy()))
            };
            lines.extend(folder.map(told));
            lines.push(format!("network    {}", if *network { "yes" } else { "no" }));
            if !namespaces {
                lines
                    .push("namespaces no: it sees other processes, and can change modes and times of files".to_owned());
            }
        }
        if *memory_bytes != MEMORY_DEFAULT {
            lines.push(format!("memory     {} MiB", memory_bytes >> 20));
        }
        if self.is_trusted {
            lines.push("its tools may change without an approval (`trusted`)".to_owned());
        }
        lines
    }
}

/// The folder that a file is for, where its servers run: its own, or that of the project whose `.vscode` or `.cursor` it lies in.
pub(crate) fn workspace(file: &Path) -> Option<&Path> {
    let folder = file.parent()?;
    let is_settings = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    if is_settings { folder.parent() } else { Some(folder) }
}

/// How much of an entry is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// What a person approves.
    All,
    /// What a list shows: no value of a variable or of a header.
    Names,
}

impl Transport {
    /// The URL of a server over HTTP, without what looks like a secret; nothing of a program.
    pub(crate) fn url(&self) -> String {
        match self {
            Transport::Http(endpoint) => without_query_secrets(&endpoint.url),
            Transport::Stdio(_) => String::new(),
        }
    }

    /// The same as [`Transport::summary`] for lists: what looks like a secret in an argument or in a query is left out.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Transport::Stdio(program) => {
                let program = Program { args: without_secrets(&program.args), ..program.clone() };
                Transport::Stdio(program).line(Detail::Names)
            }
            Transport::Http(endpoint) => {
                let endpoint = Endpoint { url: without_query_secrets(&endpoint.url), ..endpoint.clone() };
                Transport::Http(endpoint).line(Detail::Names)
            }
        }
    }

    /// What starting or calling the server means, in one line for a person who approves it: the command with its arguments and
    /// variables, or the URL and its headers. A value that may be secret is left out, unless it names the variable that it comes from.
    #[must_use]
    pub fn summary(&self) -> String {
        self.line(Detail::All)
    }

    fn line(&self, detail: Detail) -> String {
        let told = |name: &str, value: &str, may_be_secret: bool| {
            let is_told = detail == Detail::All && (value.contains("${") || !may_be_secret);
            if is_told { format!("{}={}", quoted(name), quoted(value)) } else { quoted(name) }
        };
        match self {
            Transport::Stdio(Program { command, args, env, cwd }) => {
                let words = std::iter::once(command).chain(args).map(|word| quoted(word));
                let mut line = words.collect::<Vec<_>>().join(" ");
                if !env.is_empty() {
                    let told = env.iter().map(|(name, value)| told(name, value, may_be_secret(name)));
                    let _ = write!(line, " (sets {})", told.collect::<Vec<_>>().join(", "));
                }
                if let Some(cwd) = cwd {
                    let _ = write!(line, " (in {})", quoted(&cwd.to_string_lossy()));
                }
                line
            }
            Transport::Http(Endpoint { url, headers, credential, ca_file }) => {
                let mut line = quoted(url);
                if !headers.is_empty() {
                    let told = headers.iter().map(|(name, value)| told(name, value, true));
                    let _ = write!(line, " (sends {})", told.collect::<Vec<_>>().join(", "));
                }
                if let Some(EndpointCredential { source, scheme }) = credential {
                    let _ = write!(line, " (sends the secret of {}", place(source));
                    if let Scheme::Oauth { token_url, client_id, .. } = scheme {
                        let _ = write!(line, " as client {client_id:?} to {}", quoted(token_url));
                    }
                    line.push(')');
                }
                if let Some(ca_file) = ca_file {
                    let _ = write!(line, " (trusts the certificates of {})", quoted(&ca_file.to_string_lossy()));
                }
                line
            }
        }
    }
}

/// Where a secret is, for a person.
fn place(source: &Source) -> String {
    match source {
        Source::Environment(name) => format!("the variable {}", quoted(name)),
        Source::File(path) | Source::Certificates(path) => format!("the file {}", quoted(path)),
        Source::Credential(name) => format!("the systemd credential {}", quoted(name)),
    }
}

/// A word as a shell would read it back, with everything that is not plain text escaped.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
}

/// Names without values, which may be secret.
impl fmt::Debug for ServerConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, transport: _, told, secrets: _, is_enabled, is_trusted, bounds, file, origin } = self;
        let transport = told.shown();
        write!(
            formatter,
            "{id}: {transport}, enabled {is_enabled}, trusted {is_trusted}, {bounds:?}, {file:?}, {origin:?}"
        )
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown())
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&Transport::Stdio(self.clone()).shown())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&Transport::Http(self.clone()).shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdio(program: Program) -> ServerConfig {
        ServerConfig {
            id: "git".parse().expect("an id"),
            told: Transport::Stdio(program.clone()),
            transport: Transport::Stdio(program),
            secrets: Vec::new(),
            is_enabled: true,
            is_trusted: false,
            bounds: Bounds::default(),
            file: PathBuf::from("a.json"),
            origin: FileOrigin::Own,
        }
    }

    #[test]
    fn what_decides_about_the_tools_decides_about_the_hash() {
        let program = || Program { command: "git".to_owned(), args: vec!["a".to_owned()], ..Program::default() };
        let first = stdio(program()).hash();
        let other = ServerConfig {
            is_trusted: true,
            bounds: Bounds { network: false, ..Bounds::default() },
            file: PathBuf::from("b.json"),
            origin: FileOrigin::Project,
            ..stdio(program())
        };
        assert_eq!(other.hash(), first, "a policy does not change the tools");
        let env = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        for changed in [
            Program { command: "gi".to_owned(), args: vec!["ta".to_owned()], ..Program::default() },
            Program { args: Vec::new(), ..program() },
            Program { args: vec!["a".to_owned(), String::new()], ..program() },
            Program { env, ..program() },
            Program { cwd: Some(PathBuf::from("/")), ..program() },
        ] {
            assert_ne!(stdio(changed.clone()).hash(), first, "{changed:?}");
        }
    }

    #[test]
    fn a_summary_shows_the_exact_command_and_no_secret() {
        let program = Program {
            command: "npx".to_owned(),
            args: vec!["-y".to_owned(), "a b".to_owned(), "\u{202e}x".to_owned()],
            env: BTreeMap::from([("TOKEN".to_owned(), "s3cr3t".to_owned())]),
            cwd: None,
        };
        let shown = r#"npx -y "a b" "\u{202e}x" (sets TOKEN)"#;
        assert_eq!(Transport::Stdio(program.clone()).summary(), shown);
        assert!(!format!("{:?}", stdio(program.clone())).contains("s3cr3t"));
        let pairs = [
            ("PAGER", "/tmp/x"),
            ("NODE_OPTIONS", "--require x"),
            ("NPM_TOKEN", "s3cr3t"),
            ("GIT_CONFIG_KEY_0", "a"),
            ("T_TOKEN", "${T}"),
        ];
        let env = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let shown = Transport::Stdio(Program { env, ..program }).summary();
        let sets = r#"(sets GIT_CONFIG_KEY_0=a, NODE_OPTIONS="--require x", NPM_TOKEN, PAGER=/tmp/x, T_TOKEN="${T}")"#;
        assert!(shown.ends_with(sets), "{shown}");
        let endpoint = Endpoint {
            url: "https://a.example/mcp".to_owned(),
            headers: BTreeMap::from([("authorization".to_owned(), "Bearer s3cr3t".to_owned())]),
            ..Endpoint::default()
        };
        assert_eq!(Transport::Http(endpoint).summary(), "https://a.example/mcp (sends authorization)");
        let (token_url, client_id) = ("https://b.example/token".to_owned(), "robot".to_owned());
        let (scopes, params) = (Vec::new(), BTreeMap::new());
        let scheme = Scheme::Oauth { token_url, client_id, scopes, params, in_body: false };
        let endpoint = Endpoint {
            url: "https://a.example/mcp".to_owned(),
            credential: Some(EndpointCredential { source: Source::File("/etc/s".to_owned()), scheme }),
            ca_file: Some(PathBuf::from("/etc/ca.pem")),
            ..Endpoint::default()
        };
        assert_eq!(
            Transport::Http(endpoint).summary(),
            "https://a.example/mcp (sends the secret of the file /etc/s as client \"robot\" to https://b.example/token) \
             (trusts the certificates of /etc/ca.pem)"
        );
    }
}
