//! `requests`, `urllib.request` and `http` against a server on the loopback interface: what arrives there, what the
//! script makes of the reply, and how the run is reported.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::product::{Run, run_in};

/// How long the server waits for the rest of a request: no test takes this long unless it fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// A server that answers by path, and the requests that it saw, each as its whole text.
struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        // The thread ends with the test's process: nothing else holds the port.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let record = Arc::clone(&record);
                std::thread::spawn(move || serve(stream, &record));
            }
        });
        Server { port, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no server thread panics").clone()
    }

    /// Runs a script that may reach this server as `api`.
    fn exec(&self, source: &str) -> Run {
        exec(self.port, source)
    }

    /// The value of a script that ends well.
    fn result(&self, source: &str) -> Value {
        let run = self.exec(source);
        let report = run.report();
        assert_eq!(report["outcome"], "ok", "{run:#?}");
        report["result"].clone()
    }
}

fn exec(port: u16, source: &str) -> Run {
    let home = tempfile::tempdir().expect("a temporary folder");
    let configuration =
        format!("[origins.api]\nbase_url = \"http://127.0.0.1:{port}\"\nprivate_addresses = [\"127.0.0.1\"]\n");
    let rule = "api: GET,HEAD,POST,PUT,PATCH,DELETE /**";
    let policy =
        format!("[exec]\nhttp = [{{ rule = \"{rule}\", headers = [\"X-A\", \"X-B\", \"X-Id\", \"X-Why\"] }}]\n");
    std::fs::write(home.path().join("c.toml"), configuration).expect("written");
    std::fs::write(home.path().join("policy.toml"), policy).expect("written");
    run_in(home.path(), &["exec", "-", "--config", "c.toml", "--json"], source.as_bytes(), &[])
}

fn serve(mut stream: TcpStream, record: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    if stream.set_read_timeout(Some(PATIENCE)).is_err() {
        return;
    }
    while !complete(&request) {
        match stream.read(&mut buffer) {
            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let without_body = request.starts_with("HEAD ");
    record.lock().expect("no server thread panics").push(request);
    let (status, headers, body) = match target.split('?').next().unwrap_or_default() {
        "/slow" => {
            // Nothing is said until the client leaves.
            let _ = stream.read(&mut buffer);
            return;
        }
        "/moved" => ("302 Found", "location: /landed?from=moved\r\n", ""),
        "/loop" => ("302 Found", "location: /loop\r\n", ""),
        "/missing" => ("404 Not Found", "content-type: application/json\r\n", "{\"detail\": \"not here\"}"),
        "/broken" => ("503 Service Unavailable", "", "later"),
        "/links" => (
            "200 OK",
            "link: <http://api.test/?page=2>; rel=\"next\"; title=\"two\", <http://api.test/?page=9>; rel=last\r\n",
            "[]",
        ),
        "/lines" => ("200 OK", "content-type: text/plain; charset=utf-8\r\n", "é\nline 2\r\nlast"),
        _ => ("200 OK", "content-type: application/json\r\nx-twice: 1\r\nx-twice: 2\r\n", "{\"rows\": [1, 2.5, null]}"),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    // The client may leave at any time; a failing write is then the expected end.
    let _ = stream.write_all(head.as_bytes());
    if !without_body {
        let _ = stream.write_all(body.as_bytes());
    }
}

/// Whether the head and as much body as it announces have arrived.
fn complete(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| request.len() - end - 4 >= length.trim().parse::<usize>().unwrap_or(usize::MAX))
}

/// A request as a person compares it: the first line, the headers that a script chose in the order of their names, and
/// the body. What the client adds by itself is left out, once it is known to be there.
fn told(request: &str) -> String {
    let (head, body) = request.split_once("\r\n\r\n").expect("a whole request");
    let (first, headers) = head.split_once("\r\n").expect("a request has a host at least");
    let mut chosen: Vec<&str> = headers.split("\r\n").collect();
    for own in ["host: ", "user-agent: intentbox/", "accept-encoding: gzip"] {
        assert!(chosen.iter().any(|header| header.starts_with(own)), "no `{own}`: {request}");
        chosen.retain(|header| !header.starts_with(own));
    }
    let closes = chosen.contains(&"connection: close");
    assert_eq!(closes, !body.is_empty(), "a connection that carried a body is not used again: {request}");
    chosen.retain(|header| !matches!(*header, "accept: */*" | "connection: close"));
    chosen.sort_unstable();
    format!("{first}\n{}\n\n{body}", chosen.join("\n"))
}

#[test]
fn every_verb_arrives_as_it_was_sent() {
    let server = Server::start();
    let sent = [
        ("requests.get('api:/x', params={'b': 'x y', 'a': [1, None, 2]})", "GET /x?b=x+y&a=1&a=2 HTTP/1.1\n\n\n"),
        ("requests.head('api:/x')", "HEAD /x HTTP/1.1\n\n\n"),
        ("requests.delete('api:/x/7', headers={'X-Why': 'old'})", "DELETE /x/7 HTTP/1.1\nx-why: old\n\n"),
        (
            "requests.post('api:/x', json={'a': [1, None, 'é']})",
            "POST /x HTTP/1.1\ncontent-length: 26\ncontent-type: application/json\n\n{\"a\": [1, null, \"\\u00e9\"]}",
        ),
        (
            "requests.put('api:/x?q=1', data={'a': 1, 'b': ['x y', 'é']})",
            "PUT /x?q=1 HTTP/1.1\ncontent-length: 18\ncontent-type: application/x-www-form-urlencoded\n\n\
             a=1&b=x+y&b=%C3%A9",
        ),
        (
            "requests.patch('api:/x', data='é', headers={'Content-Type': 'text/plain'})",
            "PATCH /x HTTP/1.1\ncontent-length: 2\ncontent-type: text/plain\n\né",
        ),
        ("requests.post('api:/x', data=io.BytesIO(b'file'))", "POST /x HTTP/1.1\ncontent-length: 4\n\nfile"),
        (
            "http.post('api:/x', json={'a': [1, None, 'é']})",
            "POST /x HTTP/1.1\ncontent-length: 26\ncontent-type: application/json\n\n{\"a\": [1, null, \"\\u00e9\"]}",
        ),
        ("http.get('api:/x', params={'b': 'x y', 'a': [1, 2], 'c': None})", "GET /x?b=x+y&a=1&a=2 HTTP/1.1\n\n\n"),
        (
            "urllib.request.urlopen('api:/x', b'a=1')",
            "POST /x HTTP/1.1\ncontent-length: 3\ncontent-type: application/x-www-form-urlencoded\n\na=1",
        ),
        (
            "urllib.request.urlopen(urllib.request.Request('api:/x', headers={'X-Id': '1'}, method='DELETE'))",
            "DELETE /x HTTP/1.1\nx-id: 1\n\n",
        ),
    ];
    let script: Vec<&str> = sent.iter().map(|(call, _)| *call).collect();
    server.result(&format!("import io, requests, urllib.request\n{}\nNone", script.join("\n")));
    let seen: Vec<String> = server.seen().iter().map(|request| told(request)).collect();
    let expected: Vec<&str> = sent.iter().map(|(_, expected)| *expected).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_session_says_what_its_requests_have_in_common() {
    let server = Server::start();
    server.result(
        "import requests\n\
         with requests.Session() as session:\n    \
             session.headers.update({'X-A': 'session', 'X-B': 'session'})\n    \
             session.params = {'a': 'session', 'b': 'session'}\n    \
             session.get('api:/x?u=1', params={'b': 'own'}, headers={'x-a': 'own', 'X-B': None}) and None",
    );
    let seen: Vec<String> = server.seen().iter().map(|request| told(request)).collect();
    assert_eq!(seen, ["GET /x?u=1&a=session&b=own HTTP/1.1\nx-a: own\n\n"]);
}

#[test]
fn a_reply_has_what_scripts_look_at() {
    let server = Server::start();
    let result = server.result(
        "import requests\n\
         r = requests.get('api:/x')\n\
         with requests.get('api:/lines', stream=True) as lines:\n    \
             parts = [list(lines.iter_lines(decode_unicode=True)), [len(c) for c in lines.iter_content(10)]]\n\
             parts.append(lines.text)\n\
         links = requests.get('api:/links').links\n\
         [r.status_code, r.status, r.reason, r.ok, r.json(), r.headers['Content-TYPE'], r.headers['X-Twice'],\n \
          r.url, r.history, r.encoding, parts, links['next'], links['last']['url'], http.get('api:/x').status_code]",
    );
    assert_eq!(
        result,
        json!([
            200, 200, "OK", true, {"rows": [1, 2.5, null]}, "application/json", "1, 2", "api:/x", [], "utf-8",
            [["é", "line 2", "last"], [10, 5], "é\nline 2\r\nlast"],
            {"url": "http://api.test/?page=2", "rel": "next", "title": "two"}, "http://api.test/?page=9", 200
        ])
    );
}

#[test]
fn redirects_are_followed_and_counted() {
    let server = Server::start();
    let result = server.result(
        "import requests, urllib.request\n\
         found = [requests.post('api:/moved', data='once').url, urllib.request.urlopen('api:/moved').geturl()]\n\
         try:\n    requests.get('api:/loop')\n\
         except requests.TooManyRedirects as error:\n    found.append(error.kind)\n\
         found",
    );
    assert_eq!(result, json!(["api:/landed?from=moved", "api:/landed?from=moved", "redirect"]));
    let seen: Vec<String> = server.seen().iter().map(|request| told(request)).collect();
    assert_eq!(seen[..2], ["POST /moved HTTP/1.1\ncontent-length: 4\n\nonce", "GET /landed?from=moved HTTP/1.1\n\n\n"]);
}

#[test]
fn an_error_status_is_an_exception_with_the_reply() {
    let server = Server::start();
    let result = server.result(
        "import requests, urllib.error, urllib.request\n\
         reply = requests.get('api:/missing')\n\
         try:\n    reply.raise_for_status()\n\
         except requests.HTTPError as error:\n    \
             found = [str(error), error.response is reply, error.request.method, error.response.json(), bool(reply)]\n\
         try:\n    urllib.request.urlopen('api:/missing')\n\
         except urllib.error.HTTPError as error:\n    \
             found += [error.code, error.reason, error.read().decode(), error.headers.get_content_type()]\n\
         found",
    );
    assert_eq!(
        result,
        json!([
            "404 Client Error: Not Found for url: api:/missing", true, "GET", {"detail": "not here"}, false,
            404, "Not Found", "{\"detail\": \"not here\"}", "application/json"
        ])
    );
}

#[test]
fn what_fails_is_reported_as_a_failed_call() {
    let server = Server::start();
    let slow = "GET api:/slow took longer than 200 ms";
    for (call, class, message) in [
        ("requests.get('api:/slow', timeout=0.2)", "ReadTimeout", slow),
        ("requests.get('api:/slow', timeout=(0.1, 0.1))", "ReadTimeout", slow),
        ("http.get('api:/slow', timeout=0.2)", "HostCallFailed", slow),
        ("urllib.request.urlopen('api:/slow', timeout=0.2)", "TimeoutError", slow),
        (
            "requests.get('api:/broken').raise_for_status()",
            "HTTPError",
            "503 Server Error: Service Unavailable for url: api:/broken",
        ),
        ("urllib.request.urlopen('api:/broken')", "HTTPError", "HTTP Error 503: Service Unavailable"),
        (
            "requests.get('api:/x', auth=('user', 'password'))",
            "InvalidHeader",
            "the header `Authorization` is not for scripts to set: the host adds the credential of the origin, so \
             leave out auth and Authorization",
        ),
    ] {
        let run = server.exec(&format!("import requests, urllib.request\n{call}"));
        let report = run.report();
        assert_eq!((run.code, &report["outcome"]), (5, &json!("host_call_failed")), "{call}: {run:#?}");
        assert_eq!((&report["error"]["kind"], &report["error"]["message"]), (&json!(class), &json!(message)), "{call}");
    }
    // Scripts written for the library catch these by its classes.
    let result = server.result(
        "import requests, urllib.request\n\
         found = []\n\
         for call in (requests.get, urllib.request.urlopen):\n    \
             try:\n        call('api:/slow', timeout=0.2)\n    \
             except (requests.Timeout, TimeoutError) as error:\n        found.append([error.kind, str(error)])\n\
         found",
    );
    assert_eq!(result, json!([["timeout", slow], ["timeout", slow]]));
}

#[test]
fn a_server_that_is_not_there_is_a_connection_error() {
    // A port that was free a moment ago: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port is free").port();
    let run = exec(
        port,
        "import requests, urllib.error, urllib.request\n\
         found = []\n\
         try:\n    requests.get('api:/x')\n\
         except requests.ConnectionError as error:\n    found.append(error.kind)\n\
         try:\n    urllib.request.urlopen('api:/x')\n\
         except urllib.error.URLError as error:\n    found.append(error.kind)\n\
         found",
    );
    assert_eq!(run.report()["result"], json!(["connect", "connect"]), "{run:#?}");
}

#[test]
fn h10_what_no_line_lets_a_request_carry_is_refused_with_the_line_that_would() {
    let server = Server::start();
    for (call, message, line) in [
        (
            "http.get('api:/x', headers={'X-Scope-OrgID': '7'})",
            "GET api:/x was refused: no rule for it allows the header `x-scope-orgid`",
            "{ rule = \"api: GET /x\", headers = [\"x-scope-orgid\"] }",
        ),
        (
            "requests.get('api:/x', data='{}')",
            "GET api:/x was refused: no rule for it allows a body with GET",
            "{ rule = \"api: GET /x\", body = true }",
        ),
    ] {
        let run = server.exec(&format!("import requests\n{call}"));
        let report = run.report();
        assert_eq!((run.code, &report["outcome"]), (3, &json!("capability_denied")), "{call}: {run:#?}");
        assert_eq!(report["error"]["message"], message, "{call}");
        assert_eq!(report["error"]["hint"], format!("add {line} to http under [exec] in policy.toml"), "{call}");
    }
    assert!(server.seen().is_empty(), "nothing was sent");
}

#[test]
fn a_refusal_is_reported_as_it_is_for_http() {
    let server = Server::start();
    let report = |call: &str| {
        let run = server.exec(&format!("import requests, urllib.request\n{call}"));
        let mut report = run.report();
        assert_eq!((run.code, &report["outcome"]), (3, &json!("capability_denied")), "{call}: {run:#?}");
        // What the calls go through differs, and so do the frames.
        let error = report["error"].as_object_mut().expect("an error");
        assert!(error.remove("traceback").is_some(), "{call}");
        json!([report["error"], report["refusals"]])
    };
    let expected = report("http.get('https://example.com/?page=2')");
    assert_eq!(expected[0]["kind"], "CapabilityDenied");
    assert!(expected[0]["hint"].as_str().is_some_and(|hint| hint.contains("https://example.com")), "{expected}");
    assert_eq!(report("requests.get('https://example.com/', params={'page': 2})"), expected);
    assert_eq!(report("requests.Session().get('https://example.com/?page=2')"), expected);
    assert_eq!(report("urllib.request.urlopen('https://example.com/?page=2')"), expected);
    assert!(server.seen().is_empty(), "nothing was sent");
}
