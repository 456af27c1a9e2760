//! Takes a search query apart into keys, values and words. `search` interprets them.

use crate::search::{SearchError, TERMS_MAX};

/// The part of a query that is not read yet.
pub(crate) struct Reader<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Reader<'text> {
    pub(crate) fn new(text: &'text str) -> Reader<'text> {
        Reader { text, at: 0 }
    }

    fn rest(&self) -> &'text str {
        &self.text[self.at..]
    }

    /// Goes to the next thing to read; false when there is none.
    pub(crate) fn skip_spaces(&mut self) -> bool {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.at < self.text.len()
    }

    /// The key of `key:` or `!key:` if that comes next.
    pub(crate) fn key(&mut self) -> Option<(bool, String)> {
        let rest = self.rest();
        let (negated, name) = match rest.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, rest),
        };
        let (key, _) = name.split_once(':')?;
        let plain = key.strip_prefix("tags[").and_then(|inner| inner.strip_suffix(']')).unwrap_or(key);
        let well_formed = plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        if plain.is_empty() || !well_formed {
            return None;
        }
        self.at += usize::from(negated) + key.len() + 1;
        Some((negated, key.to_owned()))
    }

    /// The value after `key:`, or all of them when it is a list in brackets.
    pub(crate) fn values(&mut self, key: &str) -> Result<Vec<String>, SearchError> {
        let empty = || SearchError::Empty { key: key.to_owned() };
        let opened = self.at;
        if !self.rest().starts_with('[') {
            let quoted = self.rest().starts_with('"');
            let value = self.word()?;
            return if value.is_empty() && !quoted { Err(empty()) } else { Ok(vec![value]) };
        }
        self.at += 1;
        let mut values = Vec::new();
        loop {
            if !self.skip_spaces() {
                return Err(SearchError::UnmatchedBracket { column: opened });
            }
            let value = if self.rest().starts_with('"') {
                self.quoted()?
            } else {
                let rest = self.rest();
                let end = rest.find([',', ']']).unwrap_or(rest.len());
                self.at += end;
                rest[..end].trim_end().to_owned()
            };
            if value.is_empty() {
                return Err(empty());
            }
            values.push(value);
            if values.len() > TERMS_MAX {
                return Err(SearchError::TooMany);
            }
            self.skip_spaces();
            let closed = self.rest().starts_with(']');
            if !closed && !self.rest().starts_with(',') {
                return Err(SearchError::UnmatchedBracket { column: opened });
            }
            self.at += 1;
            if closed {
                return Ok(values);
            }
        }
    }

    /// What comes next, up to a space or between quotes.
    pub(crate) fn word(&mut self) -> Result<String, SearchError> {
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    /// A text between quotes, in which `\"` is a quote.
    fn quoted(&mut self) -> Result<String, SearchError> {
        let opened = self.at;
        let mut text = String::new();
        let mut escaped = false;
        for (place, letter) in self.rest().char_indices().skip(1) {
            match letter {
                '"' if !escaped => {
                    self.at = opened + place + 1;
                    return Ok(text);
                }
                '\\' if !escaped => escaped = true,
                _ => {
                    // Only the quote needs the backslash; before anything else it stays, for `\*`.
                    if escaped && letter != '"' {
                        text.push('\\');
                    }
                    text.push(letter);
                    escaped = false;
                }
            }
        }
        Err(SearchError::UnmatchedQuote { column: opened })
    }
}
