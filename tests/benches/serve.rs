//! What `intentbox serve` carries: short runs, the time from a submission to its result, and jobs a second.
//!
//! `cargo bench --bench serve`. The load comes from threads of this program on the same cores, over loopback, with one connection
//! each. The bare requests of `/healthz` are beside it: what the HTTP server and the load cost alone.
//!
//! `tests/postgres/run cargo bench --bench serve` measures jobs in a `PostgreSQL` on the same cores, with one process that does everything,
//! and with one that accepts them and one or three that run them.

#![expect(clippy::disallowed_methods, reason = "this is a client that opens connections")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Connections at a time, and requests over each of them.
const CONNECTIONS: usize = 64;
const REQUESTS: usize = 100;

/// Submissions one after the other.
const ALONE: usize = 200;

/// Jobs in the queue, submitted over as many connections at once.
const JOBS: usize = 5_000;
const SUBMITTERS: usize = 32;

struct Server {
    child: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// A server with a state folder of its own, and its jobs there, or in the database that a file names.
    fn start(role: &str, database: Option<&Path>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--state", "state", "--require-hardening=false"]);
        command.args(["--role", role]).args(database.map(|file| format!("--database={}", file.display())));
        command.current_dir(folder.path()).env_clear().env("HOME", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let said = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).expect("where it is");
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
        Self { child, address: address.parse().expect("an address"), folder }
    }
}

/// One connection that is kept.
struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("it can be set");
        Self { stream: BufReader::new(stream), host: address.to_string() }
    }

    fn ask(&mut self, line: &str, body: &str) -> Vec<u8> {
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).expect("it reads");
        let (mut length, mut head) = (0, String::new());
        loop {
            head.clear();
            self.stream.read_line(&mut head).expect("it answers");
            if head.trim().is_empty() {
                break;
            }
            if let Some(value) = head.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        body
    }

    fn json(&mut self, line: &str, body: &str) -> Value {
        serde_json::from_slice::<Value>(&self.ask(line, body)).expect("JSON")
    }
}

fn main() {
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let Ok(postgres) = std::env::var("INTENTBOX_TEST_POSTGRES") else {
        short_runs();
        let server = Server::start("all", None);
        println!("  a wait for the disk: {:.1} ms", waits(server.folder.path()));
        return jobs("SQLite, one process", &server);
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, workers) in [("all", 0), ("one", 1), ("three", 3)] {
        let file = new_database(&postgres, folder.path(), name);
        let role = if workers == 0 { "all" } else { "api" };
        let server = Server::start(role, Some(&file));
        let _workers: Vec<Server> = (0..workers).map(|_| Server::start("worker", Some(&file))).collect();
        jobs(&format!("PostgreSQL, {role} and {workers} workers"), &server);
    }
}

/// A new database, and the file with its URL.
fn new_database(server: &str, folder: &Path, name: &str) -> PathBuf {
    let made = Command::new("createdb").args(["--maintenance-db", server, name]).status();
    assert!(made.expect("the tools of PostgreSQL are on the path").success());
    let file = folder.join(name);
    std::fs::write(&file, server.replacen('?', &format!("/{name}?"), 1)).expect("written");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
    file
}

/// What runs cost that are not kept.
fn short_runs() {
    let server = Server::start("all", None);
    // The workers start with the first run.
    let mut connection = Connection::open(server.address);
    let run = json!({"code": "1 + 1"}).to_string();
    for _ in 0..50 {
        assert_eq!(connection.json("POST /v1/run", &run)["result"], 2);
    }
    println!("{CONNECTIONS} connections, {REQUESTS} requests each:");
    for (name, line, body) in
        [("GET /healthz", "GET /healthz", ""), ("POST /v1/run of 1 + 1", "POST /v1/run", run.as_str())]
    {
        let (rate, times) = load(server.address, line, body);
        println!("  {name:<24} {rate:>7.0}/s  p50 {:.1} ms  p99 {:.1} ms", at(&times, 0.5), at(&times, 0.99));
    }
}

/// What jobs cost.
fn jobs(place: &str, server: &Server) {
    println!("{place}:");
    let mut connection = Connection::open(server.address);
    alone(&mut connection, ALONE / 4);
    let mut times = alone(&mut connection, ALONE);
    times.sort_unstable();
    println!(
        "  a job alone, from its submission to its result: p50 {:.1} ms  p99 {:.1} ms",
        at(&times, 0.5),
        at(&times, 0.99)
    );
    let (accepted, ended) = many(server.address);
    println!("  {JOBS} jobs over {SUBMITTERS} connections: accepted {accepted:.0}/s, ended {ended:.0}/s");
}

/// Milliseconds at a share of sorted times.
fn at(times: &[Duration], share: f64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let index = ((times.len() as f64 * share) as usize).min(times.len() - 1);
    times[index].as_secs_f64() * 1e3
}

/// Requests a second, and how long each took, the shortest first.
fn load(address: SocketAddr, line: &str, body: &str) -> (f64, Vec<Duration>) {
    let begun = Instant::now();
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let client = || {
            let mut connection = Connection::open(address);
            let ask = |_| {
                let begun = Instant::now();
                connection.ask(line, body);
                begun.elapsed()
            };
            (0..REQUESTS).map(ask).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(client)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    times.sort_unstable();
    (per_second(CONNECTIONS * REQUESTS, begun.elapsed()), times)
}

fn per_second(count: usize, elapsed: Duration) -> f64 {
    f64::from(u32::try_from(count).expect("it is small")) / elapsed.as_secs_f64()
}

fn alone(connection: &mut Connection, count: usize) -> Vec<Duration> {
    let job = json!({"code": "1 + 1"}).to_string();
    let one = |_| {
        let begun = Instant::now();
        let id = connection.json("POST /v1/jobs", &job)["id"].as_str().expect("an id").to_owned();
        while connection.json(&format!("GET /v1/jobs/{id}"), "")["state"] != "finished" {}
        begun.elapsed()
    };
    (0..count).map(one).collect()
}

/// How long a write takes to be on the disk, in milliseconds: the middle of fifty.
fn waits(folder: &Path) -> f64 {
    let mut file = std::fs::File::create(folder.join("probe")).expect("a file");
    let mut times: Vec<Duration> = (0..50)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&[0; 4_096]).expect("it is written");
            file.sync_data().expect("it is synced");
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    at(&times, 0.5)
}

/// Jobs a second that are accepted, and that are accepted and ended.
fn many(address: SocketAddr) -> (f64, f64) {
    let job = json!({"code": "1 + 1", "labels": {"load": "many"}}).to_string();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..SUBMITTERS {
            scope.spawn(|| {
                let mut connection = Connection::open(address);
                for _ in 0..JOBS / SUBMITTERS {
                    assert!(connection.json("POST /v1/jobs", &job)["id"].is_string());
                }
            });
        }
    });
    let accepted = per_second(JOBS / SUBMITTERS * SUBMITTERS, begun.elapsed());
    let mut connection = Connection::open(address);
    loop {
        let jobs = connection.json("GET /readyz", "")["jobs"].clone();
        if jobs["ready"].as_u64().unwrap_or(0) + jobs["running"].as_u64().unwrap_or(0) == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    (accepted, per_second(JOBS / SUBMITTERS * SUBMITTERS, begun.elapsed()))
}
