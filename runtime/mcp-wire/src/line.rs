//! Lines from a client. Of a line that is too long its ends are kept: who sent it waits for an answer to its id.

use std::io;

use intentbox_listen::lines::{LineDecoder, TooLong};
use rmcp::model::RequestId;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::Decoder;

/// How much is kept of each end of a line that is too long, in bytes. Clients write the members around `params` first
/// or last, and they take some hundred bytes.
const KEPT_BYTES: usize = 1 << 10;

/// What the decoder of lines gives.
type Decoded = io::Result<Option<Result<Bytes, TooLong>>>;

/// Splits bytes into lines of bounded length.
#[derive(Debug)]
pub(crate) struct LineReader {
    lines: LineDecoder,
    /// The line that is being skipped.
    skipping: Option<Ends>,
}

/// The first and the last bytes of a line that was too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl LineReader {
    /// Lines of up to `bytes_max` bytes, the line feed not counted.
    pub(crate) fn up_to(bytes_max: usize) -> Self {
        Self { lines: LineDecoder::up_to(bytes_max), skipping: None }
    }

    /// Skips what has come of a line that is too long. Gives its ends when it has come to its own end.
    fn skip(&mut self, bytes: &mut BytesMut, is_end: bool) -> io::Result<Option<Ends>> {
        let feed = bytes.iter().position(|byte| *byte == b'\n');
        let mut part = bytes.split_to(feed.map_or(bytes.len(), |at| at + 1));
        if let Some(ends) = &mut self.skipping {
            ends.add(&part[..feed.unwrap_or(part.len())]);
        }
        // The decoder skips as well, up to the same line feed: it gives nothing.
        self.lines.decode(&mut part)?;
        Ok(if feed.is_some() || is_end { self.skipping.take() } else { None })
    }

    /// The next line, as `decode` of the lines gives it, or the ends of one that is too long.
    fn next(
        &mut self,
        bytes: &mut BytesMut,
        decode: fn(&mut LineDecoder, &mut BytesMut) -> Decoded,
        is_end: bool,
    ) -> io::Result<Option<Result<Bytes, Ends>>> {
        if self.skipping.is_none() {
            match decode(&mut self.lines, bytes)? {
                Some(Ok(line)) => return Ok(Some(Ok(line))),
                Some(Err(TooLong)) => self.skipping = Some(Ends::starting(bytes)),
                None => return Ok(None),
            }
        }
        self.skip(bytes, is_end).map(|ends| ends.map(Err))
    }
}

impl Decoder for LineReader {
    type Item = Result<Bytes, Ends>;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(bytes, LineDecoder::decode, false)
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        self.next(bytes, LineDecoder::decode_eof, true)
    }
}

impl Ends {
    fn starting(bytes: &[u8]) -> Self {
        Self { first: bytes[..bytes.len().min(KEPT_BYTES)].to_vec(), last: Vec::new() }
    }

    fn add(&mut self, part: &[u8]) {
        let part = &part[part.len().saturating_sub(KEPT_BYTES)..];
        let excess = (self.last.len() + part.len()).saturating_sub(KEPT_BYTES);
        self.last.drain(..excess);
        self.last.extend_from_slice(part);
    }

    /// The id to answer, if the line is a request as far as can be seen, and has one id. An answer to the wrong id would
    /// end another request: in doubt there is none.
    pub(crate) fn id(&self) -> Option<RequestId> {
        let members: Vec<Member<'_>> = leading(&self.first).into_iter().chain(trailing(&self.last)).collect();
        let named = |name: &str| members.iter().filter(move |(key, _)| *key == name.as_bytes()).count();
        let is_request = named("method") == 1 && named("result") == 0 && named("error") == 0;
        let (_, value) = members.iter().find(|(key, _)| *key == b"id").filter(|_| is_request && named("id") == 1)?;
        let value = value.filter(|value| value.first().is_some_and(|byte| b"\"-0123456789".contains(byte)))?;
        serde_json::from_slice::<RequestId>(value).ok()
    }
}

/// A member of the outermost object: its key without the quotes, and its value if that is whole and is a text without
/// escapes, a number or a word.
type Member<'a> = (&'a [u8], Option<&'a [u8]>);

/// The members of an object, from its start as far as the text goes.
fn leading(text: &[u8]) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let mut rest = text.strip_prefix(b"{");
    while let Some((key, after)) = rest.and_then(|rest| text_at(rest.trim_ascii_start())) {
        let Some(after) = after.trim_ascii_start().strip_prefix(b":") else { break };
        let Some((value, after)) = value_at(after.trim_ascii_start()) else {
            members.push((key, None));
            break;
        };
        members.push((key, value));
        rest = after.trim_ascii_start().strip_prefix(b",");
    }
    members
}

/// The text that something starts with, without its quotes, and what is behind it.
fn text_at(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = rest.strip_prefix(b"\"")?;
    let mut is_escaped = false;
    let end = inside.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// The value that something starts with, unless it is a list or an object or has escapes, and what is behind it.
/// `None` if it is not whole.
fn value_at(rest: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    match rest.first()? {
        b'"' => {
            let (inside, after) = text_at(rest)?;
            let whole = &rest[..inside.len() + 2];
            Some(((!inside.contains(&b'\\')).then_some(whole), after))
        }
        b'{' | b'[' => {
            let (mut depth, mut left) = (0_usize, rest);
            loop {
                left = match left.first()? {
                    b'"' => {
                        left = text_at(left)?.1;
                        continue;
                    }
                    b'{' | b'[' => {
                        depth += 1;
                        &left[1..]
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        &left[1..]
                    }
                    _ => &left[1..],
                };
                if depth == 0 {
                    return Some((None, left));
                }
            }
        }
        _ => {
            let end = rest.iter().position(|byte| !is_plain(*byte))?;
            Some((Some(&rest[..end]), &rest[end..]))
        }
    }
}

/// The members of an object, from its end backwards, as long as they are plain. The end of a message is outside every
/// text, so a quote without an escape before it begins or ends one.
fn trailing(text: &[u8]) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    let Some(mut rest) = text.trim_ascii_end().strip_suffix(b"}") else { return members };
    loop {
        let Some((value, before)) = value_before(rest.trim_ascii_end()) else { return members };
        let Some(before) = before.trim_ascii_end().strip_suffix(b":") else { return members };
        let Some((key, before)) = text_before(before.trim_ascii_end()) else { return members };
        // What is at the very start of the text may be the end of something longer.
        let Some(before) = before.trim_ascii_end().strip_suffix(b",") else { return members };
        members.push((key, Some(value)));
        rest = before;
    }
}

/// The text that something ends with, without its quotes, and what is before it. One with escapes is none.
fn text_before(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = rest.strip_suffix(b"\"")?;
    let start = inside.iter().rposition(|byte| *byte == b'"')?;
    let (before, text) = (&inside[..start], &inside[start + 1..]);
    (!text.contains(&b'\\') && before.last() != Some(&b'\\')).then_some((text, before))
}

/// The text, number or word that something ends with, and what is before it.
fn value_before(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    if rest.ends_with(b"\"") {
        let (text, before) = text_before(rest)?;
        return Some((&rest[rest.len() - text.len() - 2..], before));
    }
    let start = rest.iter().rposition(|byte| !is_plain(*byte))? + 1;
    (start < rest.len()).then(|| (&rest[start..], &rest[..start]))
}

/// Whether a byte is one of a number or a word.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 4 << 10;

    /// The lines of a text that arrives in pieces of this size and ends there.
    fn lines(text: &[u8], piece: usize) -> Vec<Result<Bytes, Ends>> {
        let (mut reader, mut bytes, mut lines) = (LineReader::up_to(BYTES_MAX), BytesMut::new(), Vec::new());
        for piece in text.chunks(piece) {
            bytes.extend_from_slice(piece);
            while let Some(line) = reader.decode(&mut bytes).expect("no pipe is involved") {
                lines.push(line);
            }
        }
        while let Some(line) = reader.decode_eof(&mut bytes).expect("no pipe is involved") {
            lines.push(line);
        }
        lines
    }

    #[test]
    fn the_ends_of_a_line_that_is_too_long_are_kept_and_the_next_line_is_read() {
        let whole = |text: &[u8]| Ok(Bytes::copy_from_slice(text));
        let fits = [b"a".as_slice(), "é".repeat(BYTES_MAX / 2 - 1).as_bytes(), b"b".as_slice()].concat();
        let long: Vec<u8> = (0..20_000_u32).map(|at| b'a' + u8::try_from(at % 26).unwrap_or_default()).collect();
        let ends = |line: &[u8]| {
            Err(Ends { first: line[..KEPT_BYTES].to_vec(), last: line[line.len() - KEPT_BYTES..].to_vec() })
        };
        let one_more = [fits.as_slice(), b"c".as_slice()].concat();
        for piece in [1, 7, 1_000, 5_000, 100_000] {
            for (text, expected) in [
                ([fits.as_slice(), b"\nx\n".as_slice()].concat(), vec![whole(&fits), whole(b"x")]),
                ([one_more.as_slice(), b"\nx\n".as_slice()].concat(), vec![ends(&one_more), whole(b"x")]),
                ([long.as_slice(), b"\n\nx".as_slice()].concat(), vec![ends(&long), whole(b""), whole(b"x")]),
                (
                    [long.as_slice(), b"\n".as_slice(), long.as_slice(), b"\n".as_slice()].concat(),
                    vec![ends(&long), ends(&long)],
                ),
                (long.clone(), vec![ends(&long)]),
            ] {
                assert!(lines(&text, piece) == expected, "{} bytes in pieces of {piece}", text.len());
            }
        }
    }

    /// The id of a line, of which only the ends are seen.
    fn id(line: &str) -> Option<RequestId> {
        let mut ends = Ends::starting(line.as_bytes());
        ends.add(line.as_bytes());
        ends.id()
    }

    #[test]
    fn the_id_of_a_line_that_is_too_long_is_found_at_either_end_and_nowhere_else() {
        let long = "x".repeat(3 * KEPT_BYTES);
        let call = format!("{{\"name\":\"execute_code\",\"arguments\":{{\"code\":\"{long}\"}}}}");
        let forged = format!("{long}\\\",\\\"id\\\":6,\\\"method\\\":\\\"");
        for (line, expected) in [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{call}}}"), Some(77)),
            (format!("{{\"method\":\"tools/call\",\"params\":{call},\"jsonrpc\":\"2.0\",\"id\":77}}"), Some(77)),
            (format!(" {{ \"id\" : 77 , \"method\" : \"a\", \"params\" : {call} }} "), Some(77)),
            (format!("{{\"params\":{call}, \"id\": 77, \"method\": \"a\"}}"), Some(77)),
            (
                format!("{{\"_meta\":{{\"id\":5,\"a\":[\"}}\"]}},\"id\":77,\"method\":\"a\",\"params\":{call}}}"),
                Some(77),
            ),
            // The method is longer than what is kept of it.
            (format!("{{\"id\":77,\"method\":\"{long}\"}}"), Some(77)),
            // Not of the outermost object, or inside a text.
            (format!("{{\"method\":\"a\",\"params\":{{\"id\":5,\"code\":\"{long}\"}}}}"), None),
            (format!("{{\"method\":\"a\",\"params\":{{\"code\":\"{long}\",\"id\":5}}}}"), None),
            (format!("{{\"method\":\"a\",\"code\":\"{forged}\"}}"), None),
            (format!("{{\"method\":\"a\",\"code\":\"{long}, \\\"id\\\": 5}}\"}}"), None),
            // Two, none that can be answered, and no request.
            (format!("{{\"id\":77,\"method\":\"a\",\"params\":{call},\"id\":78}}"), None),
            (format!("{{\"id\":77,\"params\":{call},\"id\":77,\"method\":\"a\"}}"), None),
            (format!("{{\"id\":1.5,\"method\":\"a\",\"params\":{call}}}"), None),
            (format!("{{\"id\":null,\"method\":\"a\",\"params\":{call}}}"), None),
            (format!("{{\"id\":[77],\"method\":\"a\",\"params\":{call}}}"), None),
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{call}}}"), None),
            (format!("{{\"method\":\"a\",\"params\":{call}}}"), None),
            (format!("[{{\"id\":77,\"method\":\"a\",\"params\":{call}}}]"), None),
            (long.clone(), None),
        ] {
            assert_eq!(id(&line), expected.map(RequestId::Number), "{}…{}", &line[..60], &line[line.len() - 60..]);
        }
        let named = format!("{{\"id\":\"a-1\",\"method\":\"a\",\"params\":{call}}}");
        assert_eq!(id(&named), Some(RequestId::String("a-1".into())));
    }
}
