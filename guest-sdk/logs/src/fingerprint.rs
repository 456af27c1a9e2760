//! Fingerprints of messages: the text without its numbers, ids and quoted values.

/// Bytes of a fingerprint. Two messages that differ only after that count as one.
pub(crate) const FINGERPRINT_BYTES_MAX: usize = 200;

/// Letters that a word of hexadecimal digits has at least; shorter ones are words, like `added`.
const HEX_WORD_MIN: usize = 8;

/// Where the parts of a UUID end.
const UUID_DASHES: [usize; 4] = [8, 13, 18, 23];
const UUID_BYTES: usize = 36;

/// Writes the fingerprint of a message over `into`. Only the first line counts.
pub(crate) fn fingerprint(message: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let message = &message[..memchr::memchr(b'\n', message).unwrap_or(message.len())];
    let mut at = 0;
    while at < message.len() && into.len() < FINGERPRINT_BYTES_MAX {
        let byte = message[at];
        let rest = &message[at..];
        let before = at.checked_sub(1).map_or(b' ', |before| message[before]);
        if byte.is_ascii_alphanumeric() {
            let length = word_length(rest);
            if is_value(&rest[..length]) {
                mask(into);
            } else {
                into.extend_from_slice(&rest[..length]);
            }
            at += length;
        } else if let Some(length) = quoted_length(rest, before) {
            into.extend([byte, b'*', byte]);
            at += length;
        } else if byte == b'?' && rest.get(1).is_some_and(|next| !next.is_ascii_whitespace()) {
            into.extend_from_slice(b"?*");
            at += rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        } else {
            into.push(byte);
            at += 1;
        }
    }
    into.truncate(FINGERPRINT_BYTES_MAX);
}

/// A run of letters and digits, or a whole UUID.
fn word_length(text: &[u8]) -> usize {
    let run = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_uuid =
        text.get(..UUID_BYTES).is_some_and(|uuid| {
            uuid.iter().enumerate().all(|(index, byte)| {
                if UUID_DASHES.contains(&index) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
            })
        });
    if is_uuid { UUID_BYTES + run(&text[UUID_BYTES..]) } else { run(text) }
}

/// Whether a word varies from one message to the next: it has a digit, or is a long run of hexadecimal letters.
fn is_value(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
        || word.len() >= HEX_WORD_MIN && word.iter().all(u8::is_ascii_hexdigit)
        || word.len() >= UUID_BYTES && word[UUID_DASHES[0]] == b'-'
}

/// Adds a `#`. Numbers that one sign holds together, such as dates and addresses, share one.
fn mask(into: &mut Vec<u8>) {
    match into.as_slice() {
        [.., b'#', b'.' | b':' | b'-' | b',' | b'_' | b'/'] => {
            into.pop();
        }
        [.., b'#'] => {}
        _ => into.push(b'#'),
    }
}

/// The length of a quoted text with its quotes. An apostrophe inside a word starts none.
fn quoted_length(text: &[u8], before: u8) -> Option<usize> {
    let quote = *text.first()?;
    if !matches!(quote, b'"' | b'\'' | b'`') || before.is_ascii_alphanumeric() {
        return None;
    }
    Some(memchr::memchr(quote, &text[1..])? + 2)
}
