//! Requests as `HAProxy` logs them (`option httplog`): behind a head of syslog, and other than an access log has them.
//!
//! `haproxy[17]: 10.0.0.1:3876 [20/Nov/2026:09:58:12.789] front back/web1 0/0/1/97/102 404 895 - - ---- 3/2/1/1/0 0/0 "GET /a HTTP/1.1"`

use memchr::memchr;

/// What a request is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    /// The address that it came from, without its port.
    pub(crate) client: &'a [u8],
    pub(crate) frontend: &'a [u8],
    pub(crate) backend: &'a [u8],
    pub(crate) server: &'a [u8],
    pub(crate) status: u16,
    pub(crate) method: &'a [u8],
    /// Without what is asked of it.
    pub(crate) path: &'a [u8],
}

impl<'a> Request<'a> {
    /// What it has besides its status, by the names of fields.
    pub(crate) fn texts(&self) -> [(&'static str, &'a [u8]); 6] {
        [
            ("client", self.client),
            ("method", self.method),
            ("path", self.path),
            ("frontend", self.frontend),
            ("backend", self.backend),
            ("server", self.server),
        ]
    }
}

/// Reads a message of syslog, from the program on; nothing where another program wrote it, or the proxy something else.
pub(crate) fn read(message: &[u8]) -> Option<Request<'_>> {
    let rest = message.strip_prefix(b"haproxy[")?;
    let rest = &rest[memchr(b':', rest)?..];
    let mut words = rest.strip_prefix(b": ")?.split(|byte| *byte == b' ');
    let client = words.next()?;
    let client = &client[..client.iter().rposition(|byte| *byte == b':')?];
    words.next().filter(|time| time.starts_with(b"[") && time.ends_with(b"]"))?;
    // A tilde behind it says that the connection was encrypted.
    let frontend = words.next()?;
    let frontend = frontend.strip_suffix(b"~").unwrap_or(frontend);
    let (backend, server) = halves(words.next()?, b'/')?;
    words.next().filter(|times| times.split(|byte| *byte == b'/').count() == 5)?;
    let status = std::str::from_utf8(words.next()?).ok()?.parse().ok().filter(|status| (100..600).contains(status))?;
    // A header that was captured may hold a quote, and the request is the last of the line.
    let quoted = rest.trim_ascii_end().strip_suffix(b"\"")?;
    let mut request = quoted[quoted.iter().rposition(|byte| *byte == b'"')? + 1..].split(|byte| *byte == b' ');
    let method = request.next()?;
    let path = request.next()?;
    let path = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    Some(Request { client, frontend, backend, server, status, method, path })
}

fn halves(text: &[u8], between: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(between, text)?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_and_nothing_else_that_the_proxy_writes() {
        let line = br#"haproxy[17]: [::1]:3876 [20/Nov/2026:09:58:12.789] front~ back/web1 0/0/1/97/+102 404 895 - - ---- 3/2/1/1/0 0/0 {a "b} "GET /a?b=1 HTTP/1.1""#;
        assert_eq!(read(line).map(|request| (request.status, request.path)), Some((404, &b"/a"[..])));
        let plain = br#"haproxy[17]: 10.0.0.1:3876 [20/Nov/2026:09:58:12.789] front back/web1 0/0/1/97/102 503 895 - - SC-- 3/2/1/1/0 0/0 "GET /a?b=1 HTTP/1.1""#;
        let expected = Request {
            client: b"10.0.0.1",
            frontend: b"front",
            backend: b"back",
            server: b"web1",
            status: 503,
            method: b"GET",
            path: b"/a",
        };
        assert_eq!(read(plain), Some(expected));
        for other in [
            &b"haproxy[17]: Server back/web1 is DOWN"[..],
            b"haproxy[17]: 10.0.0.1:3876 [20/Nov/2026:09:58:12.789] front back/web1 0/0/0 895 -- 3/2/1/1/0 0/0",
            br#"haproxy[17]: 10.0.0.1:3876 [a] f b/w 0/0/1/97/102 -1 895 - - CR-- 3/2/1/1/0 0/0 "<BADREQ>""#,
            br#"nginx: 10.0.0.1:3876 [a] f b/w 0/0/1/97/102 404 895 "GET / HTTP/1.1""#,
            b"haproxy[",
            b"",
        ] {
            assert_eq!(read(other), None, "{}", String::from_utf8_lossy(other));
        }
    }
}
