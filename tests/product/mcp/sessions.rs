//! Sessions over HTTP: how long they last, what a client gets that comes back, and how they end.

#![expect(clippy::disallowed_methods, reason = "these are clients that open connections")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{PATIENCE, STATEFUL, endless_call, exit_code, structured, workers_are};
use super::port::{Reply, Server, execute, hello};
use crate::held::{self, Held};

/// As many sessions as one principal may have.
const SESSIONS_MAX: usize = 256;

/// A session of a client.
struct Session {
    id: String,
    revision: &'static str,
}

/// A stream of events.
struct Events(BufReader<TcpStream>);

/// One event: its id and its data, either of which may be empty.
type Event = (String, String);

impl Session {
    fn open(server: &Server, revision: &'static str) -> Session {
        let greeting = server.post(&[], &hello().replace(STATEFUL, revision));
        Session { id: greeting.header("mcp-session-id").expect("a session").to_owned(), revision }
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        vec![("mcp-session-id", &self.id), ("mcp-protocol-version", self.revision)]
    }

    fn ping(&self, server: &Server) -> u16 {
        server.post(&self.headers(), &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()).status
    }

    /// Sends a request and reads the stream of its answer.
    fn call(&self, server: &Server, method: &str, params: &Value) -> Events {
        let message = json!({"jsonrpc": "2.0", "id": 9, "method": method, "params": params});
        Events::of(server, &server.request(&self.headers(), &message.to_string()))
    }

    fn get(&self, server: &Server, last_event: Option<&str>) -> Vec<u8> {
        let mut headers = self.headers();
        headers.extend(last_event.map(|id| ("last-event-id", id)));
        server.line("GET /mcp", &headers, "")
    }

    /// Opens a stream of what belongs to no call.
    fn listen(&self, server: &Server) -> Events {
        Events::of(server, &self.get(server, None))
    }

    /// Comes back after an event.
    fn comes_back(&self, server: &Server, last_event: &str) -> Events {
        Events::of(server, &self.get(server, Some(last_event)))
    }

    /// Comes back after an event that the server does not have.
    fn comes_back_in_vain(&self, server: &Server, last_event: &str) -> Reply {
        server.raw(&self.get(server, Some(last_event)))
    }
}

impl Events {
    /// Sends a request, and waits for the head of a stream.
    fn of(server: &Server, request: &[u8]) -> Events {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        stream.write_all(request).expect("it reads");
        let mut events = Events(BufReader::new(stream));
        assert_eq!(events.line().as_deref(), Some("HTTP/1.1 200 OK"));
        while events.line().is_some_and(|line| !line.is_empty()) {}
        events
    }

    /// The next line, or `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = self.0.read_line(&mut line).expect("it sends text");
        (length > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event, or `None` where the stream ends. A stream that breaks off has no end.
    fn next(&mut self) -> Option<Event> {
        let (mut id, mut data) = (None, None);
        loop {
            let line = self.line().expect("the stream does not break off");
            match line.split_once(':') {
                Some(("id", value)) => id = Some(value.trim().to_owned()),
                Some(("data", value)) => data = Some(value.trim().to_owned()),
                // The last of the chunks.
                None if line == "0" => return None,
                None if line.is_empty() && (id.is_some() || data.is_some()) => {
                    return Some((id.unwrap_or_default(), data.unwrap_or_default()));
                }
                // Lengths of chunks, signs of life, and the time after which to come back.
                _ => {}
            }
        }
    }

    fn rest(mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

/// The message of an event.
fn message(event: &Event) -> Value {
    serde_json::from_str(&event.1).unwrap_or_else(|error| panic!("no message: {error}: {event:?}"))
}

#[test]
fn a_session_ends_when_it_was_idle_for_its_limit_and_not_while_its_client_listens() {
    let server = Server::start(&["--workers", "1", "--session-idle", "2s"]);
    let listening = Session::open(&server, STATEFUL);
    let _stream = listening.listen(&server);
    let idle = Session::open(&server, STATEFUL);
    let stream = idle.call(&server, "tools/call", &endless_call());
    workers_are(server.child.id(), true);
    // Nobody reads any more, and the end of the session ends its run.
    drop(stream);
    workers_are(server.child.id(), false);
    assert_eq!((idle.ping(&server), listening.ping(&server)), (404, 200));
}

#[test]
fn a_new_session_takes_the_place_of_the_idle_one_and_never_of_one_that_listens() {
    let server = Server::start(&[]);
    let sessions: Vec<Session> = (0..SESSIONS_MAX).map(|_| Session::open(&server, STATEFUL)).collect();
    let (idle, others) = sessions.split_first().expect("there are some");
    let _streams: Vec<Events> = others.iter().map(|session| session.listen(&server)).collect();
    let new = Session::open(&server, STATEFUL);
    assert_eq!((idle.ping(&server), others[0].ping(&server), new.ping(&server)), (404, 200, 200));
    let _stream = new.listen(&server);
    let refused = server.post(&[], &hello());
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("10")), "{refused:?}");
    let message = "overloaded: too many sessions have an open stream; close one, or try again later";
    let expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": message}});
    assert_eq!(refused.message(), expected);
}

#[test]
fn a_result_is_delivered_to_a_client_that_comes_back_before_and_after_it_is_there() {
    let held = Held::start();
    let home = tempfile::tempdir().expect("a temporary folder");
    held.configure(home.path());
    let server = Server::start_in(home, &["--config", "c.toml"]);
    let session = Session::open(&server, STATEFUL);
    let mut stream = session.call(&server, "tools/call", &execute(held::ASK));
    let (last, data) = stream.next().expect("the stream begins with an event");
    assert_eq!(data, "");
    held.until_arrived(1);
    // The connection breaks while the run goes on.
    drop(stream);
    let stream = session.comes_back(&server, &last);
    held.open();
    let before = stream.rest();
    let [event] = before.as_slice() else { panic!("one event: {before:?}") };
    assert_eq!(structured(&message(event)["result"])["result"], 200);
    // Now the result was there before its client.
    assert_eq!(session.comes_back(&server, &last).rest(), before);
    assert_eq!(session.comes_back(&server, &event.0).rest(), Vec::<Event>::new(), "it has everything");
}

#[test]
fn an_event_that_nobody_has_is_an_error_and_not_an_empty_stream() {
    let server = Server::start(&[]);
    let (session, other) = (Session::open(&server, STATEFUL), Session::open(&server, STATEFUL));
    let events = session.call(&server, "tools/list", &json!({})).rest();
    let last = events.last().expect("an answer").0.as_str();
    let message =
        "no event with this Last-Event-ID is kept: send the request again, or open a stream without the header";
    let expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": message}});
    for (session, id) in [(&session, "99/99"), (&session, "99-0"), (&session, "abc"), (&session, "-1"), (&other, last)]
    {
        let reply = session.comes_back_in_vain(&server, id);
        assert_eq!((reply.status, reply.message()), (400, expected.clone()), "{id}");
    }
    assert_eq!((session.ping(&server), other.ping(&server)), (200, 200), "the sessions go on");
}

#[test]
fn clients_that_cannot_parse_an_empty_event_get_none() {
    let server = Server::start(&[]);
    for (revision, expected) in [
        ("2024-11-05", vec![false]),
        ("2025-03-26", vec![false]),
        ("2025-06-18", vec![false]),
        (STATEFUL, vec![true, false]),
    ] {
        let session = Session::open(&server, revision);
        let events = session.call(&server, "tools/list", &json!({})).rest();
        let are_empty: Vec<bool> = events.iter().map(|(_, data)| data.is_empty()).collect();
        assert_eq!(are_empty, expected, "{revision}: {events:?}");
        assert!(events.iter().all(|(id, _)| !id.is_empty()), "{revision}: {events:?}");
    }
}

#[test]
fn a_stream_without_a_call_ends_with_the_server() {
    let mut server = Server::start(&[]);
    let stream = Session::open(&server, STATEFUL).listen(&server);
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("it runs");
    // It ends as streams end, and is not cut off with the process.
    assert_eq!(stream.rest(), Vec::<Event>::new());
    assert_eq!(exit_code(&mut server.child), Some(0));
}

#[test]
fn a_call_that_goes_on_is_answered_with_an_error_before_the_server_ends() {
    let mut server = Server::start(&["--workers", "1"]);
    let stream = Session::open(&server, STATEFUL).call(&server, "tools/call", &endless_call());
    workers_are(server.child.id(), true);
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("it runs");
    let events = stream.rest();
    let message_of_the_end = "the server is stopping, and this call was cut off: if it may have changed something, look whether it did before \
                   you send it again";
    let expected = json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -32000, "message": message_of_the_end}});
    assert_eq!(message(events.last().expect("an answer")), expected);
    assert_eq!(exit_code(&mut server.child), Some(0));
}
