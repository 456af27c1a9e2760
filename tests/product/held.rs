//! An origin that answers when the test says so: what waits for it is in flight until then.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long anything here is waited for: no test takes this long unless it fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// Code that waits for the origin: [`Held::configure`]. Its value is the status of the reply, 200.
pub(crate) const ASK: &str = "http.get('held:/').status";

const REPLY: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]";

/// The origin. It is closed at first, and held requests are answered once it opens; what changes something is answered at once.
/// Dropping it answers nobody.
#[derive(Debug)]
pub(crate) struct Held {
    port: u16,
    /// A message for each request that has arrived.
    arrived: Receiver<()>,
    gate: Arc<Gate>,
}

#[derive(Debug, Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn wait(&self) {
        let closed = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(closed, |is_open| !*is_open).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Held {
    pub(crate) fn start() -> Held {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let gate = Arc::new(Gate::default());
        let (arrive, arrived) = channel();
        let of_threads = Arc::clone(&gate);
        // The threads end with the test's process: nothing else holds the port.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (gate, arrive) = (Arc::clone(&of_threads), arrive.clone());
                std::thread::spawn(move || serve(stream, &gate, &arrive));
            }
        });
        Held { port, arrived, gate }
    }

    /// Its base URL.
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Writes `c.toml` and `policy.toml` into a folder: with them, code can ask this origin as [`ASK`] does.
    pub(crate) fn configure(&self, folder: &Path) {
        let base_url = self.base_url();
        let configuration = format!("[origins.held]\nbase_url = \"{base_url}\"\nprivate_addresses = [\"127.0.0.1\"]\n");
        std::fs::write(folder.join("c.toml"), configuration).expect("it can be written");
        std::fs::write(folder.join("policy.toml"), "[exec]\nhttp = [\"held: GET /\"]\n").expect("it can be written");
    }

    /// Waits until this many more requests have arrived.
    pub(crate) fn until_arrived(&self, count: usize) {
        for number in 0..count {
            let arrived = self.arrived.recv_timeout(PATIENCE);
            arrived.unwrap_or_else(|error| panic!("{number} of {count} requests have arrived: {error}"));
        }
    }

    /// Whether another request has arrived.
    pub(crate) fn has_arrived(&self) -> bool {
        self.arrived.try_recv().is_ok()
    }

    /// Answers every request that waits, and all later ones at once.
    pub(crate) fn open(&self) {
        *self.gate.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.gate.opened.notify_all();
    }
}

fn serve(mut stream: TcpStream, gate: &Gate, arrive: &Sender<()>) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    // The test may be over, and the client may have gone.
    let _ = arrive.send(());
    if request.starts_with(b"GET ") {
        gate.wait();
    }
    let _ = stream.write_all(REPLY);
}
