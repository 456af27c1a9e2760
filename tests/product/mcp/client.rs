//! A client at the level of messages: it can send what a correct client never would.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use intentbox_sandbox::limits;
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::held::Held;

/// How long anything here is waited for: no test takes this long unless it fails.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// The last revision with a handshake, and the one without.
pub(crate) const STATEFUL: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

/// A server on pipes and the client at the other end.
pub(crate) struct Client {
    pub(crate) child: Child,
    pipe: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    era: &'static str,
    capabilities: Value,
    /// What the server asked, and what it told without being asked.
    pub(crate) heard: Vec<Value>,
    _home: TempDir,
}

/// `intentbox mcp` with no configuration but what is given.
pub(crate) fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
    command.arg("mcp").args(arguments).current_dir(home).env_clear().env("HOME", home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

impl Client {
    /// A client that speaks this revision and can do this.
    pub(crate) fn start(era: &'static str, capabilities: Value, arguments: &[&str]) -> Client {
        let home = tempfile::tempdir().expect("a temporary folder");
        let command = command(home.path(), arguments);
        let mut client = Client::spawn(command, home, era, capabilities);
        client.greet();
        client
    }

    /// A client of a server whose scripts can ask this origin: [`held::ASK`](crate::held::ASK).
    pub(crate) fn holding(era: &'static str, held: &Held) -> Client {
        let home = tempfile::tempdir().expect("a temporary folder");
        held.configure(home.path());
        let command = command(home.path(), &["--config", "c.toml"]);
        let mut client = Client::spawn(command, home, era, json!({}));
        client.greet();
        client
    }

    /// A client of any command, before it said anything.
    pub(crate) fn spawn(mut command: Command, home: TempDir, era: &'static str, capabilities: Value) -> Client {
        let mut child = command.spawn().expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let pipe = child.stdin.take();
        Client { child, pipe, lines, next_id: 0, era, capabilities, heard: Vec::new(), _home: home }
    }

    /// The handshake, where the revision has one.
    pub(crate) fn greet(&mut self) -> Value {
        if self.era == STATELESS {
            return self.ask("server/discover", json!({}));
        }
        let hello = json!({
            "protocolVersion": self.era,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.ask("initialize", hello);
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends one message.
    pub(crate) fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let pipe = self.pipe.as_mut().expect("it is open");
        pipe.write_all(bytes).and_then(|()| pipe.flush()).expect("the server reads");
    }

    /// Closes this end.
    pub(crate) fn close(&mut self) {
        self.pipe = None;
    }

    /// Sends a request, and gives its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.era == STATELESS {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(STATELESS);
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.say(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    /// Sends a request and waits for its answer, whole.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// The answer to a request. What comes before it is kept in `heard`.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.message();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// The next message.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no message: {error}"));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("stdout is for the protocol: {error}: {line}"))
    }

    /// Closes this end, and gives the lines that come until the server has closed its own.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        self.close();
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the server keeps its end open"),
            }
        }
    }

    /// Calls a tool, and gives the result.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        answer.get("result").unwrap_or_else(|| panic!("no result: {answer}")).clone()
    }

    /// Waits for the program to end, and gives its exit code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        exit_code(&mut self.child)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process to end, and gives its exit code. One that does not end is killed.
pub(crate) fn exit_code(child: &mut Child) -> Option<i32> {
    let process = Pid::from_child(child);
    let (ended, deadline) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let is_late = deadline.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
        if is_late {
            // It may have ended at this moment.
            let _ = kill_process(process, Signal::KILL);
        }
        is_late
    });
    let status = child.wait().expect("it is our child");
    drop(ended);
    assert!(!watch.join().expect("the watch does not panic"), "still running after {PATIENCE:?}");
    status.code()
}

/// The time that the workers of a server have computed, in ticks of the system's clock.
fn ticks(server: u32) -> u64 {
    let processes = std::fs::read_dir("/proc").expect("it can be listed").flatten();
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    // After the name, which may hold anything, come the state, the parent, and further on the two times.
    let fields = stats.filter_map(|stat| Some(stat.rsplit_once(')')?.1.to_owned()));
    fields
        .filter_map(|fields| {
            let fields: Vec<u64> = fields.split_whitespace().skip(1).map(|field| field.parse().unwrap_or(0)).collect();
            (fields.first() == Some(&u64::from(server))).then(|| fields[10] + fields[11])
        })
        .sum()
}

/// A call that goes on until somebody ends it: its own limits let it run for longer than [`PATIENCE`].
pub(crate) fn endless_call() -> Value {
    let limits = json!({"fuel": limits::FUEL.most, "wall_ms": limits::WALL_MS.most});
    json!({"name": "execute_code", "arguments": {"code": "while True: pass", "limits": limits}})
}

/// Waits until the workers of a server compute, or until they no longer do.
pub(crate) fn workers_are(server: u32, busy: bool) {
    /// How often in a row they must be seen so. A loop takes all it gets, but may have to wait on a machine with other work;
    /// what an idle worker does is less than a tick.
    const LOOKS: u32 = 5;
    let started = Instant::now();
    let mut seen = 0;
    while started.elapsed() < PATIENCE {
        let before = ticks(server);
        std::thread::park_timeout(Duration::from_millis(200));
        seen = if (ticks(server) > before + 2) == busy { seen + 1 } else { 0 };
        if seen == LOOKS || (busy && seen > 0) {
            return;
        }
    }
    panic!("the workers are still {}", if busy { "idle" } else { "busy" });
}

/// Whether no thread of a process has anything to do.
fn is_asleep(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs").flatten();
    let mut stats = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    // After the name, which may hold anything, comes the state.
    stats.all(|stat| stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('S')))
}

/// Waits until a server that has answered something sleeps although there is more for it to read: it has stopped reading.
pub(crate) fn stops_reading(server: u32, requests: &impl AsFd, answers: &impl AsFd) {
    /// How often in a row it must be seen so. What is there to read wakes whoever waits for it.
    const LOOKS: u32 = 5;
    let waiting = |pipe: BorrowedFd<'_>| ioctl_fionread(pipe).expect("it is a pipe");
    let started = Instant::now();
    let (mut before, mut seen) = (0, 0);
    while started.elapsed() < PATIENCE {
        let asleep = is_asleep(server) && waiting(answers.as_fd()) > 0;
        let unread = waiting(requests.as_fd());
        seen = if asleep && unread > 0 && unread == before { seen + 1 } else { 0 };
        if seen == LOOKS {
            return;
        }
        before = unread;
        std::thread::park_timeout(Duration::from_millis(5));
    }
    panic!("the server still reads");
}

/// The text that a model sees.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// The structured form.
pub(crate) fn structured(result: &Value) -> &Value {
    &result["structuredContent"]
}
