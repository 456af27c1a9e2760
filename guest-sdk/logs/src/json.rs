//! The members of a JSON object on one line, without building it: spans of the line, found in one pass.
//!
//! It checks no more than it needs to find the next member. A line that is cut short gives the members before the cut.

use memchr::memchr2;

/// A member: its name without quotes, escapes untouched, and its value as written.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
}

/// The members of the object that a line starts with.
pub(crate) struct Members<'a> {
    text: &'a [u8],
    at: usize,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    /// After the opening brace or a comma.
    Open,
    /// After the closing brace.
    Closed,
    /// What follows is not JSON.
    Broken,
}

impl<'a> Members<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let state = if text.first() == Some(&b'{') { State::Open } else { State::Broken };
        Self { text, at: 1, state }
    }

    /// Whether the object was read to its end. An empty one has no members and is no record.
    pub(crate) fn is_complete(&self) -> bool {
        self.state == State::Closed
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    fn skip(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.text.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    fn member(&mut self) -> Option<Member<'a>> {
        self.skip(b'"')?;
        let name_end = string_end(self.text, self.at)?;
        let name = &self.text[self.at..name_end];
        self.at = name_end + 1;
        self.skip(b':')?;
        self.skip_space();
        let end = value_end(self.text, self.at)?;
        let value = &self.text[self.at..end];
        self.at = end;
        self.skip_space();
        self.state = match self.text.get(self.at)? {
            b',' => State::Open,
            b'}' => State::Closed,
            _ => return None,
        };
        self.at += 1;
        Some(Member { name, value })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        if self.state != State::Open {
            return None;
        }
        let member = self.member();
        if member.is_none() {
            self.state = State::Broken;
        }
        member
    }
}

/// The index of the quote that ends the string whose content starts at `at`.
pub(crate) fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// The index after the value that starts at `at`; a value has at least one byte.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => Some(string_end(text, at + 1)? + 1),
        b'{' | b'[' => {
            let (mut at, mut depth) = (at, 0_usize);
            loop {
                match text.get(at)? {
                    b'"' => at = string_end(text, at + 1)?,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        _ => {
            let rest = text.get(at..)?;
            let length = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b' ' | b'\t'))?;
            (length > 0).then_some(at + length)
        }
    }
}

/// The content of a value that is a string, escapes untouched; any other value as written.
pub(crate) fn inside(value: &[u8]) -> &[u8] {
    match value {
        [b'"', inside @ .., b'"'] => inside,
        _ => value,
    }
}

/// Adds the bytes of an array of numbers below 256, as the journal writes what is no text, and says whether it is one.
pub(crate) fn bytes(value: &[u8], into: &mut Vec<u8>) -> bool {
    let Some(inside) = value.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) else { return false };
    let start = into.len();
    for number in inside.split(|byte| *byte == b',') {
        let byte = std::str::from_utf8(number.trim_ascii()).ok().and_then(|number| number.parse::<u8>().ok());
        let Some(byte) = byte else {
            into.truncate(start);
            return false;
        };
        into.push(byte);
    }
    true
}

/// Adds the text of a string's content. What is no escape stays as it is; half a surrogate pair becomes U+FFFD.
pub(crate) fn unescape(mut text: &[u8], into: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(b'\\', text) {
        into.extend_from_slice(&text[..at]);
        text = &text[at + 1..];
        let Some((&escape, rest)) = text.split_first() else {
            into.push(b'\\');
            return;
        };
        text = rest;
        match escape {
            b'n' => into.push(b'\n'),
            b't' => into.push(b'\t'),
            b'r' => into.push(b'\r'),
            b'b' => into.push(8),
            b'f' => into.push(12),
            b'u' => text = unescape_unicode(text, into),
            b'"' | b'\\' | b'/' => into.push(escape),
            _ => into.extend([b'\\', escape]),
        }
    }
    into.extend_from_slice(text);
}

/// Adds the character whose digits `text` starts with, and gives what follows it.
fn unescape_unicode<'a>(text: &'a [u8], into: &mut Vec<u8>) -> &'a [u8] {
    let Some(first) = hex4(text) else {
        into.extend_from_slice(b"\\u");
        return text;
    };
    let mut rest = &text[4..];
    let mut code = first;
    if (0xd800..0xdc00).contains(&first)
        && let Some(low) = rest.strip_prefix(b"\\u").and_then(hex4)
        && (0xdc00..0xe000).contains(&low)
    {
        code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
        rest = &rest[6..];
    }
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

fn hex4(text: &[u8]) -> Option<u32> {
    let mut number = 0;
    for &byte in text.get(..4)? {
        number = number << 4 | char::from(byte).to_digit(16)?;
    }
    Some(number)
}
