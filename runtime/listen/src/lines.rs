//! Lines of bytes on a pipe, each of bounded length.

use std::io;

use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder};

/// Splits bytes into lines. A line that is too long is skipped, and reading continues after it: the pipe has not
/// failed.
#[derive(Debug)]
pub struct LineDecoder(AnyDelimiterCodec);

/// A line had more bytes than the bound. It was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

impl LineDecoder {
    /// Lines of up to `bytes_max` bytes, the line feed not counted.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), bytes_max))
    }
}

/// What the codec found, with a line that is too long as a line.
fn line(decoded: Result<Option<Bytes>, AnyDelimiterCodecError>) -> io::Result<Option<Result<Bytes, TooLong>>> {
    match decoded {
        Ok(line) => Ok(line.map(Ok)),
        Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(Err(TooLong))),
        Err(AnyDelimiterCodecError::Io(error)) => Err(error),
    }
}

impl Decoder for LineDecoder {
    type Item = Result<Bytes, TooLong>;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        line(self.0.decode(bytes))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        line(self.0.decode_eof(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text that ends there.
    fn lines(text: &str) -> Vec<Result<Bytes, TooLong>> {
        let (mut decoder, mut bytes) = (LineDecoder::up_to(4), BytesMut::from(text));
        std::iter::from_fn(|| decoder.decode_eof(&mut bytes).expect("no pipe is involved")).collect()
    }

    #[test]
    fn the_longest_line_is_read_and_one_that_is_longer_is_skipped_alone() {
        let whole = |text: &'static str| Ok(Bytes::from_static(text.as_bytes()));
        for (text, expected) in [
            ("", vec![]),
            ("a", vec![whole("a")]),
            ("a\n\nb\n", vec![whole("a"), whole(""), whole("b")]),
            ("1234\n5", vec![whole("1234"), whole("5")]),
            ("12345\n6", vec![Err(TooLong), whole("6")]),
            ("1234567890\n1\n", vec![Err(TooLong), whole("1")]),
            ("12345", vec![Err(TooLong)]),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
