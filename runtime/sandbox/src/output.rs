//! stdout and stderr of a run: kept in memory, bounded, and over when the bound is reached.
//!
//! wasmtime-wasi's own pipes answer a full buffer with an error that a script can catch. Here an exceeded limit traps.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use crate::ending::{Exhausted, Output, Resource};

/// The most bytes that one write call may carry.
const WRITE_BYTES_MAX: usize = 64 << 10;

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    exhausted: Option<Exhausted>,
}

/// One stream of one run. Clones share what was written.
#[derive(Debug, Clone)]
pub(crate) struct Captured {
    kept: Arc<Mutex<Kept>>,
    resource: Resource,
    bytes_max: u64,
}

impl Captured {
    pub(crate) fn new(resource: Resource, bytes_max: u64) -> Captured {
        Captured { kept: Arc::default(), resource, bytes_max }
    }

    /// The limit that this stream hit, if it did.
    pub(crate) fn exhausted(&self) -> Option<Exhausted> {
        self.with(|kept| kept.exhausted)
    }

    /// What was written, as text.
    pub(crate) fn take(&self) -> Output {
        self.with(|kept| Output {
            text: String::from_utf8_lossy(&std::mem::take(&mut kept.bytes)).into_owned(),
            truncated: kept.exhausted.is_some(),
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        // A panic while the lock is held could only come from the allocator; the bytes are whole either way.
        act(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, bytes: &[u8]) -> Result<(), Exhausted> {
        self.with(|kept| {
            let observed = kept.bytes.len() as u64 + bytes.len() as u64;
            if observed <= self.bytes_max {
                kept.bytes.extend_from_slice(bytes);
                return Ok(());
            }
            let room = usize::try_from(self.bytes_max).unwrap_or(usize::MAX).saturating_sub(kept.bytes.len());
            kept.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
            let exhausted = Exhausted { resource: self.resource, limit: self.bytes_max, observed };
            kept.exhausted = Some(exhausted);
            Err(exhausted)
        })
    }
}

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Only WASI 0.3 asks for this form, and no guest of ours speaks it.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Captured {
    async fn ready(&mut self) {}
}

impl OutputStream for Captured {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        self.push(&bytes).map_err(|exhausted| StreamError::Trap(wasmtime::format_err!("{exhausted}")))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_allowed_and_the_first_refused() {
        let stream = Captured::new(Resource::StdoutBytes, 4);
        assert_eq!(stream.push(b"abcd"), Ok(()));
        let exhausted = Exhausted { resource: Resource::StdoutBytes, limit: 4, observed: 5 };
        assert_eq!(stream.push(b"e"), Err(exhausted));
        assert_eq!(stream.exhausted(), Some(exhausted));
        assert_eq!(stream.take(), Output { text: "abcd".to_owned(), truncated: true });
    }

    #[test]
    fn what_fits_of_the_last_write_is_kept() {
        let stream = Captured::new(Resource::StderrBytes, 3);
        assert!(stream.push(b"abcdef").is_err());
        assert_eq!(stream.take().text, "abc");
    }
}
