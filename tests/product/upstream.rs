//! Upstream servers: the binary against servers that fail in each way of the threat model's row M, and the files they are
//! configured in.

mod definitions;
mod files;
mod hostile;
mod http;
mod intents;
mod scripts;
mod servers;
mod uses;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::product::{Run, run_in};
use crate::tree;

/// A folder with a file of servers.
pub(crate) struct Upstream {
    pub(crate) home: TempDir,
}

/// How long servers that hang have, in seconds, and those that answer: on a machine that is three times slower, too.
const SOON: u32 = 1;
const LATE: u32 = 120;

impl Upstream {
    /// A server `faulty` with this fault, and these arguments besides.
    pub(crate) fn with(fault: &str, arguments: &[&str]) -> Self {
        Self::bounded(fault, arguments, &json!({"discovery_s": LATE, "call_s": LATE}))
    }

    /// The same with settings of its own.
    pub(crate) fn bounded(fault: &str, arguments: &[&str], settings: &Value) -> Self {
        let upstream = Self { home: tempfile::tempdir().expect("a folder") };
        let mut args = vec![program().display().to_string(), fault.to_owned()];
        args.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        upstream.configure(&json!({"faulty": {"command": "python3", "args": args, "intentbox": settings}}));
        upstream
    }

    /// The servers of a file with these entries.
    pub(crate) fn of(entries: &Value) -> Self {
        let upstream = Self { home: tempfile::tempdir().expect("a folder") };
        upstream.configure(entries);
        upstream
    }

    pub(crate) fn configure(&self, entries: &Value) {
        let text = json!({"mcpServers": entries}).to_string();
        std::fs::write(self.path("servers.json"), text).expect("it can be written");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Runs the binary with this file named.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(&[&["--servers", "servers.json"][..], arguments].concat(), b"")
    }

    /// Runs the binary as it is.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Run {
        self.run_where(&[], arguments, stdin)
    }

    /// The same with these variables.
    pub(crate) fn run_where(&self, variables: &[(&str, &str)], arguments: &[&str], stdin: &[u8]) -> Run {
        run_in(self.home.path(), arguments, stdin, &[&[("PATH", search_path().as_str())], variables].concat())
    }

    /// Runs the binary as the same user in a folder of his.
    pub(crate) fn run_at(&self, folder: &str, arguments: &[&str]) -> Run {
        let (home, path) = (self.shown(""), search_path());
        run_in(&self.path(folder), arguments, b"", &[("HOME", home.as_str()), ("PATH", path.as_str())])
    }

    /// The object of a command.
    pub(crate) fn object(&self, arguments: &[&str]) -> Value {
        self.run(&[&["--json"], arguments].concat()).report()
    }

    /// The outcome of a call, with its result or its error's message.
    pub(crate) fn call(&self, tool: &str, arguments: &[&str]) -> (String, String) {
        let report = self.object(&[&["tools", "call", "faulty", tool], arguments].concat());
        let told = match &report["error"]["message"] {
            Value::String(message) => message.clone(),
            _ => match &report["result"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        };
        (report["outcome"].as_str().expect("an outcome").to_owned(), told)
    }

    /// How a discovery ended: the status, and the error's message if there is one.
    pub(crate) fn refresh(&self) -> (String, String) {
        let report = self.object(&["tools", "refresh", "faulty"]);
        let server = &report["servers"][0];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&server["status"]), text(&server["error"]["message"]))
    }
}

/// Where servers are looked up.
#[expect(clippy::disallowed_methods, reason = "servers are looked up in the PATH of the tests")]
pub(crate) fn search_path() -> String {
    std::env::var_os("PATH").and_then(|path| path.into_string().ok()).unwrap_or_default()
}

fn program() -> PathBuf {
    tree::root().join("tests/upstream/faulty.py")
}

/// Whether a server runs that was told of this file, or a child of it. The number that it has itself is one of its own namespace.
pub(crate) fn runs_with(file: &Path) -> bool {
    let file = file.display().to_string();
    let is_one = |entry: std::fs::DirEntry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let program = line.split('\0').next().and_then(|program| program.rsplit('/').next());
        program.is_some_and(|name| name.starts_with("python")) && line.split('\0').any(|word| word == file)
    };
    std::fs::read_dir("/proc").expect("it is listed").flatten().any(is_one)
}
