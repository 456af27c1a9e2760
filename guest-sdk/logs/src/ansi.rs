//! Terminal codes: colours and the like, which programs write for people and which hide levels and times.

use memchr::{memchr, memchr2};

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Whether there may be codes in a text.
pub(crate) fn is_in(text: &[u8]) -> bool {
    memchr(ESCAPE, text).is_some()
}

/// Adds a text without its codes.
pub(crate) fn strip(mut text: &[u8], into: &mut Vec<u8>) {
    while let Some(at) = memchr(ESCAPE, text) {
        into.extend_from_slice(&text[..at]);
        text = &text[at + code_length(&text[at..])..];
    }
    into.extend_from_slice(text);
}

/// The length of the code that a text starts with. Of what is no code, the escape alone goes.
///
/// No search goes beyond the next escape, so that a line of nothing but escapes costs no more than its length.
fn code_length(text: &[u8]) -> usize {
    match text.get(1) {
        // `ESC [ 31 m`: parameters up to a letter.
        Some(b'[') => {
            let parameters = text[2..].iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            let end = 2 + parameters;
            end + usize::from(matches!(text.get(end), Some(0x40..=0x7e)))
        }
        // `ESC ] 8 ; ; url BEL`: text up to a bell or `ESC \`.
        Some(b']') => match memchr2(BELL, ESCAPE, &text[2..]).map(|length| 2 + length) {
            Some(end) if text[end] == BELL => end + 1,
            Some(end) if text.get(end + 1) == Some(&b'\\') => end + 2,
            _ => 2,
        },
        // `ESC ( B`: a set of characters.
        Some(b'(' | b')') => text.len().min(3),
        _ => 1,
    }
}
