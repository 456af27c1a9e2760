//! Which exception a record tells of: `KeyError`, `java.io.IOException`.

use memchr::memchr;

/// Bytes of the name of a class, with its packages.
const NAME_BYTES_MAX: usize = 150;

/// How names of exceptions end that no traceback precedes.
const ENDINGS: [&[u8]; 4] = [b"Error", b"Exception", b"Throwable", b"Interrupt"];

/// The class of the exception that was thrown last. Causes of Java stand behind what they caused, and those of Python before it.
pub(crate) fn thrown(record: &[u8]) -> Option<&[u8]> {
    let (mut found, mut is_traced, mut is_python) = (None, false, false);
    for line in record.split(|byte| *byte == b'\n') {
        let is_inside = line.first().is_some_and(u8::is_ascii_whitespace);
        if line.starts_with(b"Traceback (most recent call last)") {
            (is_traced, is_python) = (true, true);
        } else if let Some(name) = named(line, is_traced).filter(|_| !is_inside) {
            is_traced = false;
            if is_python || found.is_none() {
                found = Some(name);
            }
        }
    }
    found
}

/// The class at the start of a line, or behind what Java writes before an exception that nothing caught.
fn named(line: &[u8], is_traced: bool) -> Option<&[u8]> {
    let line = match line.strip_prefix(b"Exception in thread \"") {
        Some(rest) => rest.get(memchr(b'"', rest)? + 2..)?,
        None => line,
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$');
    let length = line.iter().take_while(|byte| is_part(byte)).count();
    let (name, rest) = line.split_at(length);
    let is_ended = matches!(rest, [] | [b':'] | [b':', b' ', ..] | [b'\r', ..]);
    let is_class = name.first().is_some_and(u8::is_ascii_alphabetic) && name.len() <= NAME_BYTES_MAX;
    let is_thrown = is_traced || ENDINGS.iter().any(|ending| name.ends_with(ending));
    (is_ended && is_class && is_thrown && !name.ends_with(b".")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exception_that_was_thrown_is_named() {
        let python = "no\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nrequests.exceptions.ReadTimeout: late";
        let chain = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'a'\n\n\
                     During handling of the above exception, another exception occurred:\n\n\
                     Traceback (most recent call last):\n  File \"a.py\", line 2, in f\na.b.Failed";
        let java = "2026-11-20 ERROR a - no\njava.lang.IllegalStateException: outer\n\tat a.B(B.java:1)\n\
                    Caused by: java.io.IOException: disk\n\tat a.B(B.java:2)";
        for (record, expected) in [
            (python, Some("requests.exceptions.ReadTimeout")),
            (chain, Some("a.b.Failed")),
            (java, Some("java.lang.IllegalStateException")),
            ("Exception in thread \"main\" java.lang.OutOfMemoryError: heap", Some("java.lang.OutOfMemoryError")),
            ("ERROR a\nTypeError: x is not a function\n    at f (a.js:1:2)", Some("TypeError")),
            ("2026-11-20 ERROR a - no route\n  at nothing", None),
            ("Error 17 in a", None),
            ("TimeoutError is what it says", None),
            ("", None),
        ] {
            let found = thrown(record.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned());
            assert_eq!(found.as_deref(), expected, "{record}");
        }
    }
}
