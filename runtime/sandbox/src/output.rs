//! stdout and stderr of a run: kept in memory, bounded, and over when the bound is reached.

use crate::ending::{Exhausted, Output, Resource};

/// One stream of one run.
#[derive(Debug)]
pub(crate) struct Stream {
    bytes: Vec<u8>,
    resource: Resource,
    bytes_max: u64,
    truncated: bool,
}

impl Stream {
    pub(crate) fn new(resource: Resource, bytes_max: u64) -> Stream {
        Stream { bytes: Vec::new(), resource, bytes_max, truncated: false }
    }

    /// Keeps `bytes`, or what still fits of them.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Exhausted> {
        let observed = self.bytes.len() as u64 + bytes.len() as u64;
        if observed <= self.bytes_max {
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let room = usize::try_from(self.bytes_max).unwrap_or(usize::MAX).saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.truncated = true;
        Err(Exhausted { resource: self.resource, limit: self.bytes_max, observed })
    }

    /// What was written, as text.
    pub(crate) fn take(&mut self) -> Output {
        let mut text = String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned();
        // A broken byte becomes the three of U+FFFD: the limit holds for what is told, too.
        let fits = text.floor_char_boundary(usize::try_from(self.bytes_max).unwrap_or(usize::MAX));
        let truncated = self.truncated || fits < text.len();
        text.truncate(fits);
        Output { text, truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_allowed_and_the_first_refused() {
        let mut stream = Stream::new(Resource::StdoutBytes, 4);
        assert_eq!(stream.push(b"abcd"), Ok(()));
        let exhausted = Exhausted { resource: Resource::StdoutBytes, limit: 4, observed: 5 };
        assert_eq!(stream.push(b"e"), Err(exhausted));
        assert_eq!(stream.take(), Output { text: "abcd".to_owned(), truncated: true });
    }

    #[test]
    fn bytes_that_are_no_text_stay_within_the_limit_as_well() {
        let mut stream = Stream::new(Resource::StdoutBytes, 4);
        assert_eq!(stream.push(b"\xff\xff"), Ok(()));
        assert_eq!(stream.take(), Output { text: "\u{fffd}".to_owned(), truncated: true });
    }

    #[test]
    fn what_fits_of_the_last_write_is_kept() {
        let mut stream = Stream::new(Resource::StderrBytes, 3);
        assert!(stream.push(b"abcdef").is_err());
        assert_eq!(stream.take().text, "abc");
    }
}
