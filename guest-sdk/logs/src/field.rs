//! One field of a record, by the name under which somebody asks for it.

use std::net::Ipv4Addr;

use crate::json::{self, Members};
use crate::line::{self, Format, Head};
use crate::logfmt::Pairs;
use crate::{exception, journal, proxy};

/// Bytes of a value that are told apart.
const VALUE_BYTES_MAX: usize = 200;

/// Names of one thing: programs call a field as they like, and who asks for it does not know how. Those that an access log or syslog
/// gives its fields come first.
const SAME: [&[&str]; 8] = [
    &[
        "exception",
        "exception_type",
        "exception.type",
        "exception.class",
        "exc_type",
        "error_type",
        "error.type",
        "error.name",
        "err.type",
        "err.name",
        "exception_class",
    ],
    &[
        "client",
        "ip",
        "ip_address",
        "client_ip",
        "remote_addr",
        "remote_ip",
        "remote_address",
        "request.remote_ip",
        "request.client_ip",
        "source_ip",
        "src_ip",
        "address",
    ],
    &["path", "url", "uri", "endpoint", "route", "request_path", "request.uri", "request.path", "req.url"],
    &[
        "status",
        "status_code",
        "http_status",
        "response_code",
        "code",
        "statusCode",
        "http.status_code",
        "http.status",
        "response.status",
        "res.statusCode",
    ],
    &["method", "http_method", "verb", "request.method", "req.method"],
    &["host", "hostname", "_HOSTNAME", "node"],
    &["program", "process", "SYSLOG_IDENTIFIER", "app", "service"],
    &["user", "user_id", "username", "user_name", "uid"],
];

/// A field that is asked for.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name, and others of the same thing.
    names: Vec<String>,
}

impl Field {
    pub(crate) fn new(asked: &str) -> Self {
        let asked = asked.trim();
        // Who names a field inside another one means that alone.
        let is_usual = |name: &str| !name.contains('.');
        let same =
            SAME.into_iter().find(|names| names.iter().any(|name| is_usual(name) && name.eq_ignore_ascii_case(asked)));
        let mut names = vec![asked.to_owned()];
        names.extend(same.into_iter().flatten().map(|name| (*name).to_owned()));
        Self { names }
    }

    /// Reads the value that a record has for it, and says whether it has one. Only exceptions are looked for behind its first line.
    pub(crate) fn read(&self, record: &[u8], head: &Head, value: &mut Vec<u8>) -> bool {
        value.clear();
        let line = &record[..memchr::memchr(b'\n', record).unwrap_or(record.len())];
        let is_thrown = self.is("exception") && thrown(record, head, value);
        let found = is_thrown
            || match head.format {
                Format::Json => self.in_json(line, value),
                Format::Access => self.in_access(line, head, value),
                Format::Journal => {
                    let written = journal::written(line.get(..head.at).unwrap_or_default());
                    self.take(written, value)
                }
                Format::Proxy => self.in_proxy(line, head, value) || self.in_syslog(line, head, value),
                Format::Syslog => self.in_syslog(line, head, value) || self.in_pairs(line, value),
                Format::Logfmt | Format::Plain => self.in_pairs(line, value),
            };
        let found = found || (self.is("client") && address(line, value));
        value.truncate(VALUE_BYTES_MAX);
        found && !value.is_empty()
    }

    /// Whether it is this thing.
    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    fn has(&self, name: &[u8]) -> bool {
        self.names.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(name))
    }

    /// The first value with one of the names.
    fn take<'a>(&self, mut pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>, value: &mut Vec<u8>) -> bool {
        let found = pairs.find(|(name, _)| self.has(name));
        found.map(|(_, text)| value.extend_from_slice(text)).is_some()
    }

    fn in_json(&self, line: &[u8], value: &mut Vec<u8>) -> bool {
        let member = Members::new(line).find(|member| self.has(member.name)).map(|member| member.value).or_else(|| {
            // `http.status` is also what `{"http": {"status": 200}}` has.
            self.names.iter().filter_map(|name| name.split_once('.')).find_map(|(outer, inner)| {
                let outer = Members::new(line).find(|member| member.name == outer.as_bytes())?;
                Members::new(outer.value).find(|member| member.name == inner.as_bytes()).map(|member| member.value)
            })
        });
        match member {
            Some([b'{' | b'[', ..] | b"null") | None => false,
            Some(text) => {
                json::unescape(json::inside(text), value);
                true
            }
        }
    }

    /// `name=value` anywhere in the line.
    fn in_pairs(&self, line: &[u8], value: &mut Vec<u8>) -> bool {
        let opens = |byte: &u8| matches!(byte, b'(' | b'[' | b'{' | b'<');
        let named = |key: &[u8]| self.has(&key[key.iter().take_while(|byte| opens(byte)).count()..]);
        let Some(pair) = Pairs::new(line).find(|pair| named(pair.key)) else { return false };
        json::unescape(pair.value, value);
        while matches!(value.last(), Some(b',' | b';' | b')' | b']')) {
            value.pop();
        }
        true
    }

    fn in_access(&self, line: &[u8], head: &Head, value: &mut Vec<u8>) -> bool {
        let Some((request, status)) = line::request(line, head.at) else { return false };
        let mut words = request.split(|byte| *byte == b' ');
        if self.is("client") {
            value.extend_from_slice(line.split(|byte| *byte == b' ').next().unwrap_or_default());
        } else if self.is("method") {
            value.extend_from_slice(words.next().unwrap_or_default());
        } else if self.is("path") {
            // What is asked of a page is no page of its own.
            let path = words.nth(1).unwrap_or_default();
            value.extend_from_slice(path.split(|byte| *byte == b'?').next().unwrap_or_default());
        } else if self.is("status") {
            value.extend_from_slice(status.to_string().as_bytes());
        } else {
            return false;
        }
        true
    }

    fn in_proxy(&self, line: &[u8], head: &Head, value: &mut Vec<u8>) -> bool {
        let Some(request) = line.get(head.at..).and_then(proxy::read) else { return false };
        if self.is("status") {
            value.extend_from_slice(request.status.to_string().as_bytes());
            return true;
        }
        let found = request.texts().into_iter().find(|(name, _)| self.is(name));
        found.map(|(_, text)| value.extend_from_slice(text)).is_some()
    }

    /// The host is the word before the message, and the program what stands before its colon.
    fn in_syslog(&self, line: &[u8], head: &Head, value: &mut Vec<u8>) -> bool {
        let end = line.get(1..).and_then(|rest| memchr::memchr(b'>', rest)).map_or(0, |end| end + 2);
        let (host, program) = if line.starts_with(b"<") && line[end..].starts_with(b"1 ") {
            let mut words = line[end..].split(|byte| *byte == b' ').skip(2);
            (words.next().unwrap_or_default(), words.next().unwrap_or_default())
        } else {
            let before = line.get(..head.at).unwrap_or_default().trim_ascii_end();
            let host = before.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
            let rest = line.get(head.at..).unwrap_or_default();
            let length = rest.iter().position(|byte| matches!(byte, b'[' | b':' | b' ')).unwrap_or(0);
            (host, &rest[..length])
        };
        if self.is("host") {
            value.extend_from_slice(host);
        } else if self.is("program") {
            value.extend_from_slice(program);
        }
        !value.is_empty()
    }
}

/// The exception that a record tells of. JSON has a traceback as a text.
fn thrown(record: &[u8], head: &Head, value: &mut Vec<u8>) -> bool {
    const TRACES: [&[u8]; 8] = [
        b"exception",
        b"exc_info",
        b"traceback",
        b"stack",
        b"stack_trace",
        b"stacktrace",
        b"error.stack",
        b"error.stack_trace",
    ];
    let mut text = Vec::new();
    let text: &[u8] = match head.format {
        Format::Json => {
            let is_trace = |name: &[u8]| TRACES.iter().any(|trace| trace.eq_ignore_ascii_case(name));
            let nested =
                |member: &json::Member<'_>| matches!(member.name, b"error" | b"err") && member.value.starts_with(b"{");
            let found = Members::new(record).find_map(|member| {
                if is_trace(member.name) && member.value.starts_with(b"\"") {
                    return Some(member.value);
                }
                let mut inner = Members::new(member.value).filter(|_| nested(&member));
                inner.find(|inner| is_trace(inner.name)).map(|inner| inner.value)
            });
            let Some(found) = found else { return false };
            json::unescape(json::inside(found), &mut text);
            &text
        }
        _ => record,
    };
    exception::thrown(text).map(|name| value.extend_from_slice(name)).is_some()
}

/// The first IPv4 address of a line.
fn address(line: &[u8], value: &mut Vec<u8>) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let words = line.split(|byte| !is_part(byte)).filter(|word| (7..=16).contains(&word.len()));
    // A sentence may end with one.
    let words = words.map(|word| word.strip_suffix(b".").unwrap_or(word));
    let found = words.filter_map(|word| std::str::from_utf8(word).ok()).find(|word| word.parse::<Ipv4Addr>().is_ok());
    found.map(|word| value.extend_from_slice(word.as_bytes())).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Context, head};

    #[test]
    fn a_field_is_found_in_every_format() {
        let context = Context { needs_time: false, now_ms: Some(1_795_000_000_000), outer_ms: None };
        let access = r#"10.0.0.1 - bo [19/Nov/2026:01:02:03 +0100] "GET /a?b=1 HTTP/1.1" 503 17"#;
        let json = r#"{"level":"error","msg":"no","http":{"status":502},"userId":7,"tags":["a"],"provider":"Ady\u0065n","ok":false,"x":null}"#;
        let logfmt = r#"level=warn msg="a b" order_id=17 client_ip=10.1.2.3"#;
        let syslog = "Nov 19 01:02:03 web-1 sshd[77]: Failed password for root from 192.168.7.9 port 22 ssh2";
        let new_syslog = "<165>1 2026-11-19T01:02:03.004Z db-2 postgres 7 id - text";
        let proxy = r#"Nov 19 01:02:03 lb-1 haproxy[7]: 10.0.0.2:38768 [19/Nov/2026:01:02:03.789] front~ back/web1 0/0/1/97/102 404 895 - - ---- 3/2/1/1/0 0/0 "GET /a?b=1 HTTP/1.1""#;
        let trace =
            "2026-11-19T01:02:03Z ERROR a: no\nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'";
        let in_json = r#"{"level":"error","msg":"no","exception":"Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'"}"#;
        let pino = r#"{"level":50,"msg":"no","err":{"type":"TypeError","stack":"TypeError: x\n    at a.js:1"}}"#;
        let plain = "2026-11-19T01:02:03Z  INFO ingest: stored shard=3, rows=17 (took=3ms)";
        for (line, name, expected) in [
            (access, "IP", Some("10.0.0.1")),
            (access, "url", Some("/a")),
            (access, "status", Some("503")),
            (access, "method", Some("GET")),
            (access, "provider", None),
            (json, "provider", Some("Adyen")),
            (json, "Provider", Some("Adyen")),
            (json, "http.status", Some("502")),
            (json, "ok", Some("false")),
            (json, "userid", Some("7")),
            (json, "tags", None),
            (json, "x", None),
            (json, "http", None),
            (logfmt, "order_id", Some("17")),
            (logfmt, "ip", Some("10.1.2.3")),
            (syslog, "host", Some("web-1")),
            (syslog, "program", Some("sshd")),
            (syslog, "ip", Some("192.168.7.9")),
            (new_syslog, "hostname", Some("db-2")),
            (new_syslog, "app", Some("postgres")),
            (proxy, "status", Some("404")),
            (proxy, "ip", Some("10.0.0.2")),
            (proxy, "url", Some("/a")),
            (proxy, "server", Some("web1")),
            (proxy, "host", Some("lb-1")),
            (proxy, "app", Some("haproxy")),
            (trace, "exception", Some("KeyError")),
            (in_json, "exception", Some("KeyError")),
            (pino, "exception", Some("TypeError")),
            (json, "exception", None),
            (plain, "exception", None),
            (plain, "shard", Some("3")),
            (plain, "took", Some("3ms")),
            (plain, "ip", None),
            ("version 1.2.3.4.5 of 300.1.1.1", "ip", None),
            ("seen 10.0.0.300 and 10.0.0.30.", "ip", Some("10.0.0.30")),
        ] {
            let head = head(line.as_bytes(), context);
            let mut value = Vec::new();
            let found = Field::new(name).read(line.as_bytes(), &head, &mut value).then_some(value);
            let found = found.map(|value| String::from_utf8_lossy(&value).into_owned());
            assert_eq!(found.as_deref(), expected, "{name} of {line}");
        }
    }
}
