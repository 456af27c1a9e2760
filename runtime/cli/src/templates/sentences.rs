//! A file of sentences to try: one a line, with the id of the expected template after a tab, if anything is expected.
//!
//! This module only parses. The file may be anything: its size is bounded before it is read, its lines here.

use anyhow::{Context as _, bail};
use intentbox_catalog::TemplateId;
use intentbox_engine::INTENT_BYTES_MAX;

/// The most lines of a file, comments and empty ones included. Each takes some tenths of a millisecond to route, so that the
/// longest file takes seconds.
pub(super) const LINES_MAX: usize = 10_000;

/// The longest line, in bytes: that of an intent.
pub(super) const LINE_BYTES_MAX: usize = INTENT_BYTES_MAX;

/// The largest file, in bytes: as many of the longest lines as there may be, with the ends of lines.
pub(super) const FILE_BYTES_MAX: u64 = LINES_MAX as u64 * (LINE_BYTES_MAX as u64 + 2);

/// One sentence of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The number of its line, from 1 on.
    pub(super) line: usize,
    pub(super) text: String,
    /// The template that it should select, if the file says so.
    pub(super) expected: Option<TemplateId>,
}

/// Reads the sentences of a file. Errors name the line.
pub(super) fn parse(bytes: &[u8]) -> anyhow::Result<Vec<Sentence>> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        bail!("more than {FILE_BYTES_MAX} bytes; split the file");
    }
    let text = std::str::from_utf8(bytes).context("not UTF-8 text")?;
    // Some editors mark UTF-8 by a character that is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sentences = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if number > LINES_MAX {
            bail!("more than {LINES_MAX} lines; split the file");
        }
        sentences.extend(sentence(number, line).with_context(|| format!("line {number}"))?);
    }
    Ok(sentences)
}

/// The sentence of a line, if it has one.
fn sentence(number: usize, line: &str) -> anyhow::Result<Option<Sentence>> {
    if line.len() > LINE_BYTES_MAX {
        bail!("more than {LINE_BYTES_MAX} bytes; say what you want in one sentence");
    }
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return Ok(None);
    }
    let (text, expected) = line.split_once('\t').unwrap_or((line, ""));
    let (text, expected) = (text.trim(), expected.trim());
    if text.is_empty() {
        bail!("no sentence before the tab");
    }
    let expected = if expected.is_empty() { None } else { Some(expected.parse::<TemplateId>()?) };
    Ok(Some(Sentence { line: number, text: text.to_owned(), expected }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: usize, text: &str, expected: Option<&str>) -> Sentence {
        let expected = expected.map(|id| id.parse().expect("it is an id"));
        Sentence { line, text: text.to_owned(), expected }
    }

    fn fault(text: &[u8]) -> String {
        format!("{:#}", parse(text).expect_err("it is invalid"))
    }

    #[test]
    fn a_line_is_a_sentence_with_what_is_expected_of_it() {
        let file = "\u{feff}# what people ask\n\nlist open orders\tmine/list\r\n  greet ada  \n\t \nwho \t mine/first\t\n #x\nlast";
        let expected = [
            one(3, "list open orders", Some("mine/list")),
            one(4, "greet ada", None),
            one(6, "who", Some("mine/first")),
            one(8, "last", None),
        ];
        assert_eq!(parse(file.as_bytes()).expect("it is a file of sentences"), expected);
        assert!(parse(b"").expect("nothing is no fault").is_empty());
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let rule = "`pack/name`, both [a-z][a-z0-9_]* of at most 40 characters";
        for (text, expected) in [
            (&b"list\n\tmine/list"[..], "line 2: no sentence before the tab".to_owned()),
            (b"list\tmine", format!("line 1: \"mine\" is not a template id: {rule}")),
            (b"\n\nlist\ta/b\tc/d", format!("line 3: \"a/b\\tc/d\" is not a template id: {rule}")),
        ] {
            assert_eq!(fault(text), expected);
        }
        let not_text = fault(b"list \xff");
        assert!(not_text.starts_with("not UTF-8 text: "), "{not_text}");
    }

    #[test]
    fn the_last_line_and_the_last_byte_allowed_are_read_and_the_next_are_not() {
        let longest = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(parse(longest.as_bytes()).expect("it is just short enough"), [one(1, &longest, None)]);
        let rule = "more than 4096 bytes; say what you want in one sentence";
        assert_eq!(fault(format!("a\n{longest}x").as_bytes()), format!("line 2: {rule}"));

        let most = "x\n".repeat(LINES_MAX);
        assert_eq!(parse(most.as_bytes()).expect("they are just few enough").len(), LINES_MAX);
        assert_eq!(fault(format!("{most}#").as_bytes()), "more than 10000 lines; split the file");
    }
}
