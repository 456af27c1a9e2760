//! stdout and stderr of a run: kept in memory, up to a bound that ends the run.

use intentbox_verdict::{Exhausted, Output, Resource};

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

    /// How much more this process will hold once so many bytes more are kept. Room doubles as it runs out, up to the limit.
    pub(crate) fn grows_by(&self, length: usize) -> usize {
        let needed = self.bytes.len().saturating_add(length).min(self.most());
        match self.bytes.capacity() {
            capacity if needed <= capacity => 0,
            capacity => needed.max((2 * capacity).min(self.most())) - capacity,
        }
    }

    /// Keeps `bytes`, or what still fits of them.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Exhausted> {
        let observed = self.bytes.len() as u64 + bytes.len() as u64;
        let more = self.grows_by(bytes.len());
        self.bytes.reserve_exact(self.bytes.capacity() - self.bytes.len() + more);
        if observed <= self.bytes_max {
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let room = self.most().saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.truncated = true;
        Err(Exhausted { resource: self.resource, limit: self.bytes_max, observed })
    }

    fn most(&self) -> usize {
        usize::try_from(self.bytes_max).unwrap_or(usize::MAX)
    }

    /// What was written, as text.
    pub(crate) fn take(&mut self) -> Output {
        let mut text = String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned();
        // A broken byte becomes the three of U+FFFD: the limit holds for what is told, too.
        let fits = text.floor_char_boundary(self.most());
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
    fn c11_what_a_stream_holds_is_what_it_was_said_to_hold() {
        let mut stream = Stream::new(Resource::StdoutBytes, 1_000);
        let mut charged = 0;
        for length in [0, 1, 1, 2, 7, 100, 0, 500, 300, 400] {
            charged += stream.grows_by(length);
            let _ = stream.push(&vec![b'x'; length]);
            assert!(stream.bytes.capacity() <= charged, "{} held, {charged} charged", stream.bytes.capacity());
        }
        assert_eq!((stream.bytes.len(), charged), (1_000, 1_000), "never more than the limit");
    }

    #[test]
    fn what_fits_of_the_last_write_is_kept() {
        let mut stream = Stream::new(Resource::StderrBytes, 3);
        assert!(stream.push(b"abcdef").is_err());
        assert_eq!(stream.take().text, "abc");
    }
}
