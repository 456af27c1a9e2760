//! Decodes bytes in pieces to text. The encoding is detected from the bytes.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, WINDOWS_1252};

use crate::problem::Problem;

/// Bytes from the first one that is not ASCII, by which UTF-8 is told from what older spreadsheets write. Few texts in
/// Windows-1252 have only letters that happen to be UTF-8, and none of this length.
const WINDOW_BYTES: usize = 64 << 10;

/// Bytes that are decoded at a time.
const STEP_BYTES: usize = 16 << 10;

/// What a file's bytes are, as far as they were read.
#[derive(Debug)]
enum State {
    /// Fewer than the three bytes of the longest mark of an encoding.
    Start,
    /// All ASCII so far.
    Ascii,
    /// Behind the first byte that is not: held until there are enough to know.
    Unknown,
    /// Known.
    Decoding,
}

/// A decoder that chooses the encoding: by its mark; else UTF-8 if the text is that, and Windows-1252 if not.
pub(crate) struct Text {
    state: State,
    held: Vec<u8>,
    decoder: Decoder,
    output: Vec<u8>,
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("state", &self.state).field("held", &self.held.len()).finish_non_exhaustive()
    }
}

impl Text {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Start,
            held: Vec::new(),
            decoder: UTF_8.new_decoder_without_bom_handling(),
            output: Vec::new(),
        }
    }

    /// Decodes the next bytes, and passes their text on in one or more pieces.
    pub(crate) fn feed(
        &mut self,
        piece: &[u8],
        pass: &mut impl FnMut(&str) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        match self.state {
            State::Start => {
                self.held.extend_from_slice(piece);
                if self.held.len() < 3 {
                    return Ok(());
                }
                self.begin(pass)
            }
            State::Ascii => {
                let end = piece.iter().position(|byte| !byte.is_ascii()).unwrap_or(piece.len());
                let (ascii, rest) = piece.split_at(end);
                pass_text(ascii, pass)?;
                if rest.is_empty() {
                    return Ok(());
                }
                self.state = State::Unknown;
                self.feed(rest, pass)
            }
            State::Unknown => {
                // No more than what decides is held.
                let (wanted, rest) = piece.split_at(piece.len().min(WINDOW_BYTES - self.held.len()));
                self.held.extend_from_slice(wanted);
                if self.held.len() < WINDOW_BYTES {
                    return Ok(());
                }
                self.decide(false, pass)?;
                self.decode(rest, false, pass)
            }
            State::Decoding => self.decode(piece, false, pass),
        }
    }

    /// Passes on what is left.
    pub(crate) fn end(&mut self, pass: &mut impl FnMut(&str) -> Result<(), Problem>) -> Result<(), Problem> {
        if matches!(self.state, State::Start) {
            self.begin(pass)?;
        }
        match self.state {
            State::Start | State::Ascii => Ok(()),
            State::Unknown => self.decide(true, pass),
            State::Decoding => self.decode(&[], true, pass),
        }
    }

    /// Looks for the mark of an encoding.
    fn begin(&mut self, pass: &mut impl FnMut(&str) -> Result<(), Problem>) -> Result<(), Problem> {
        let held = std::mem::take(&mut self.held);
        self.state = State::Ascii;
        let Some((encoding, length)) = Encoding::for_bom(&held) else { return self.feed(&held, pass) };
        self.state = State::Decoding;
        self.decoder = encoding.new_decoder_without_bom_handling();
        self.decode(&held[length..], false, pass)
    }

    /// Chooses between UTF-8 and Windows-1252.
    fn decide(&mut self, is_all: bool, pass: &mut impl FnMut(&str) -> Result<(), Problem>) -> Result<(), Problem> {
        let held = std::mem::take(&mut self.held);
        let is_utf8 = match std::str::from_utf8(&held) {
            Ok(_) => true,
            // A character may be cut at the end of what is held.
            Err(error) => error.error_len().is_none() && !is_all,
        };
        self.state = State::Decoding;
        let encoding = if is_utf8 { UTF_8 } else { WINDOWS_1252 };
        self.decoder = encoding.new_decoder_without_bom_handling();
        self.decode(&held, is_all, pass)
    }

    fn decode(
        &mut self,
        mut bytes: &[u8],
        is_last: bool,
        pass: &mut impl FnMut(&str) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        loop {
            let (step, rest) = bytes.split_at(bytes.len().min(STEP_BYTES));
            let is_end = is_last && rest.is_empty();
            // Three bytes for each of these, the most that any of the encodings makes, and what the decoder holds.
            self.output.resize(3 * STEP_BYTES + 64, 0);
            let mut at = 0;
            loop {
                let (result, read, written, _) = self.decoder.decode_to_utf8(&step[at..], &mut self.output, is_end);
                at += read;
                pass_text(&self.output[..written], pass)?;
                if result == CoderResult::InputEmpty {
                    break;
                }
            }
            bytes = rest;
            if bytes.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Passes decoded bytes on as text, up to the first zero byte, which no text has.
fn pass_text(bytes: &[u8], pass: &mut impl FnMut(&str) -> Result<(), Problem>) -> Result<(), Problem> {
    let zero = memchr::memchr(0, bytes);
    let text = std::str::from_utf8(&bytes[..zero.unwrap_or(bytes.len())]).map_err(|_| Problem::NotText)?;
    if !text.is_empty() {
        pass(text)?;
    }
    if zero.is_some() { Err(Problem::NotText) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], size: usize) -> Result<String, Problem> {
        let (mut text, mut all) = (Text::new(), String::new());
        let mut pass = |piece: &str| {
            all.push_str(piece);
            Ok(())
        };
        for piece in bytes.chunks(size) {
            text.feed(piece, &mut pass)?;
        }
        text.end(&mut pass)?;
        Ok(all)
    }

    #[test]
    fn the_encoding_is_the_one_that_the_bytes_show() {
        let wide = |mark: [u8; 2], swap: bool, text: &str| {
            let units = text.encode_utf16().flat_map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() });
            [&mark[..], &units.collect::<Vec<_>>()].concat()
        };
        let long = "a,b\n".repeat(30_000) + "Ä,ö\n" + &"ü,€\n".repeat(30_000);
        let mixed = [b"a,b\n".repeat(30_000), b"M\xfcller \x80\n".to_vec()].concat();
        let mixed_text = "a,b\n".repeat(30_000) + "Müller €\n";
        for (bytes, expected) in [
            (b"".to_vec(), ""),
            (b"a".to_vec(), "a"),
            (b"\xef\xbb\xbfa,\xc3\xa4".to_vec(), "a,ä"),
            (b"\xef\xbb\xbf".to_vec(), ""),
            (b"M\xfcller \x80".to_vec(), "Müller €"),
            ("M\u{fc}ller".as_bytes().to_vec(), "Müller"),
            (wide([0xff, 0xfe], false, "Ä;😀\r\n"), "Ä;😀\r\n"),
            (wide([0xfe, 0xff], true, "Ä;😀\r\n"), "Ä;😀\r\n"),
            (long.as_bytes().to_vec(), &*long),
            (mixed, &*mixed_text),
        ] {
            for size in [1, 2, 3, 7, 70_000, usize::MAX] {
                // A byte at a time, of megabytes, would be all the time there is.
                if size > 100 || bytes.len() < 1000 {
                    assert_eq!(decoded(&bytes, size).as_deref(), Ok(expected), "pieces of {size}");
                }
            }
        }
    }

    #[test]
    fn zero_bytes_are_no_text() {
        for bytes in [&b"a,\0"[..], b"\x89PNG\r\n\x1a\n\0\0", b"\xff\xfea\0\0\0"] {
            assert_eq!(decoded(bytes, 4), Err(Problem::NotText));
        }
    }
}
