//! A server on a port, and a client at the level of bytes.

#![expect(clippy::disallowed_methods, reason = "these are clients that open connections")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{PATIENCE, STATEFUL, STATELESS, command};

/// Tokens of two holders.
pub(crate) const ALICE: &str = "alice-0123456789abcdef";
pub(crate) const BOB: &str = "bob-0123456789abcdef00";

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    _home: TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Server {
        Server::start_in(tempfile::tempdir().expect("a temporary folder"), arguments)
    }

    pub(crate) fn start_in(home: TempDir, arguments: &[&str]) -> Server {
        let tokens = home.path().join("tokens");
        std::fs::write(&tokens, format!("alice {ALICE}\nbob {BOB}\n")).expect("it can be written");
        std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
        // Tests are also for machines that have no landlock; what is required by default has a test of its own.
        let mut command = command(home.path(), &["--http", "127.0.0.1:0", "--require-hardening=false"]);
        Server::of(command.args(arguments).stderr(Stdio::piped()).spawn().expect("the binary starts"), home)
    }

    pub(crate) fn of(child: Child, home: TempDir) -> Server {
        Server::with_log(child, home).0
    }

    /// The same with the lines of its log that follow.
    pub(crate) fn with_log(mut child: Child, home: TempDir) -> (Server, Lines<BufReader<ChildStderr>>) {
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let said =
            lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).expect("it says where it is");
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        (Server { child, address: address.parse().expect("an address"), _home: home }, lines)
    }

    /// Sends bytes and gives what comes back until the other end closes, or until enough has come.
    pub(crate) fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        // The server may answer before it has read everything, and hang up.
        let _ = stream.write_all(request);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Reply {
            status: status.unwrap_or_else(|| panic!("no reply: {reply}")),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        self.raw(&self.request(headers, body))
    }

    pub(crate) fn request(&self, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        self.line("POST /mcp", headers, body)
    }

    /// The bytes of a request by its method and path.
    pub(crate) fn line(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        let mut request = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        let host = self.address.to_string();
        let usual = [
            ("host", host.as_str()),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        let usual = usual.iter().filter(|(name, _)| !is_given(name));
        for (name, value) in usual.chain(headers) {
            write!(request, "{name}: {value}\r\n").expect("a text takes it");
        }
        write!(request, "content-length: {}\r\n\r\n{body}", body.len()).expect("a text takes it");
        request.into_bytes()
    }

    /// A request of the stateless era, and its answer.
    pub(crate) fn ask(&self, headers: &[(&str, &str)], method: &str, params: Value) -> Value {
        let (name, body) = stateless(method, params);
        let mut all = vec![("mcp-protocol-version", STATELESS), ("mcp-method", method)];
        all.extend(name.as_deref().map(|name| ("mcp-name", name)));
        all.extend(headers);
        self.post(&all, &body).message()
    }
}

/// The name that goes into a header, and the body.
pub(crate) fn stateless(method: &str, mut params: Value) -> (Option<String>, String) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    (name, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string())
}

impl Reply {
    /// The last message, alone or in a stream of events.
    pub(crate) fn message(&self) -> Value {
        let chunks = self.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let mut messages = chunks.filter_map(|line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object));
        messages.next_back().unwrap_or_else(|| panic!("no message: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(':')?;
            given.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn execute(code: &str) -> Value {
    json!({"name": "execute_code", "arguments": {"code": code}})
}

pub(crate) fn hello() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
    .to_string()
}
