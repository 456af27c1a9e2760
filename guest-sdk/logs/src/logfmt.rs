//! The pairs of a logfmt line: `key=value key="quoted value" flag`.

use memchr::memchr2;

/// A pair: its key, and its value without quotes, escapes untouched.
pub(crate) struct Pair<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

/// The pairs of a line. Words without `=` are skipped, except that the line must start with a pair.
pub(crate) struct Pairs<'a> {
    rest: &'a [u8],
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }
}

/// Whether a line starts like logfmt does.
pub(crate) fn starts(line: &[u8]) -> bool {
    let length = line.iter().take_while(|byte| is_key(**byte)).count();
    length > 0 && line.get(length) == Some(&b'=') && line[0].is_ascii_alphabetic()
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'@' | b'/')
}

impl<'a> Iterator for Pairs<'a> {
    type Item = Pair<'a>;

    fn next(&mut self) -> Option<Pair<'a>> {
        loop {
            let start = self.rest.iter().position(|byte| *byte != b' ')?;
            let text = &self.rest[start..];
            let end = memchr2(b'=', b' ', text).unwrap_or(text.len());
            let key = &text[..end];
            if text.get(end) != Some(&b'=') {
                self.rest = &text[end..];
                continue;
            }
            let text = &text[end + 1..];
            if let [b'"', inside @ ..] = text {
                let end = quote_end(inside);
                self.rest = inside.get(end + 1..).unwrap_or_default();
                return Some(Pair { key, value: &inside[..end] });
            }
            let end = memchr::memchr(b' ', text).unwrap_or(text.len());
            self.rest = &text[end..];
            return Some(Pair { key, value: &text[..end] });
        }
    }
}

/// The index of the closing quote, or the end of a line that was cut.
fn quote_end(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += next;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}
