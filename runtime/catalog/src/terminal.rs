//! Untrusted text and JSON, made safe to print: characters that would move the cursor, change colours, reorder the
//! line, break it or hide in it become escapes.

use std::fmt::Write as _;

/// Text, safe to print.
#[must_use]
pub fn printable(text: &str) -> String {
    escaped(text, |safe, letter| {
        let _ = write!(safe, "\\u{{{:x}}}", u32::from(letter));
    })
}

/// JSON, safe to print: as [`printable`], and still the same JSON. Outside of strings the only such character is a
/// carriage return, which counts as a blank there; inside of strings JSON's own escapes replace them.
#[must_use]
pub fn printable_json(json: &str) -> String {
    escaped(json, |safe, letter| {
        if letter == '\r' {
            safe.push(' ');
            return;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    })
}

fn escaped(text: &str, escape: impl Fn(&mut String, char)) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if (letter.is_control() && letter != '\n' && letter != '\t') || is_unseen(letter) {
            escape(&mut safe, letter);
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// Whether a character shows nothing of its own and changes how others show: Unicode's format characters, and its
/// separators of lines and paragraphs. Two joiners stay (U+200C and U+200D), without which Persian words and emoji fall
/// apart, and so do marks of Arabic and other scripts that are counted as format and can be seen.
fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::parse_value;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(printable("a\x1b[2Jb\u{202e}c\td\n"), "a\\u{1b}[2Jb\\u{202e}c\td\n");
        let directions = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}";
        let others = "\u{ad}\u{200b}\u{2028}\u{2029}\u{2060}\u{feff}\u{fffb}\u{1d173}\u{e0041}";
        for unseen in directions.chars().chain(others.chars()) {
            assert_eq!(printable(&format!("a{unseen}b")), format!("a\\u{{{:x}}}b", u32::from(unseen)));
        }
        // What stands beside them in Unicode, a woman with a laptop, and a Persian word.
        let beside = "\u{2027}\u{202f}\u{205f}\u{2070}";
        for seen in [beside, "\u{1f469}\u{200d}\u{1f4bb}", "\u{645}\u{6cc}\u{200c}\u{62e}"] {
            assert_eq!(printable(seen), seen);
        }
    }

    #[test]
    fn json_stays_json_when_it_is_made_printable() {
        let value = json!(["a\u{9b}b\u{202e}c\u{e0041}\u{7f}", "d\n\te"]);
        let told = printable_json(&format!("{value:#}"));
        assert!(told.contains("a\\u009bb\\u202ec\\udb40\\udc41\\u007f"), "{told}");
        assert_eq!(parse_value(&told).expect("it is JSON"), value);
        // Between its tokens JSON may have line ends of any kind.
        assert_eq!(parse_value(&printable_json("[1,\r\n2]")).expect("it is JSON"), json!([1, 2]));
        assert!(!printable_json("[1,\r2]").contains('\r'));
    }
}
