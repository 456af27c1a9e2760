//! The end of what a server wrote to stderr, for errors.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_catalog::terminal::printable;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How many bytes of a server's stderr are kept: the last ones.
const TAIL_BYTES_MAX: usize = 64 << 10;

/// How many lines and bytes of that an error shows.
const SHOWN_LINES_MAX: usize = 8;
const SHOWN_BYTES_MAX: usize = 2 << 10;

/// The last bytes of a stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Reads a stream to its end, so that its writer never waits.
    pub(crate) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = [0; 8 << 10];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(TAIL_BYTES_MAX)..];
        let over = (kept.len() + bytes.len()).saturating_sub(TAIL_BYTES_MAX);
        kept.drain(..over);
        kept.extend(bytes);
    }

    /// The last lines, safe to print, with these texts hidden. Empty if nothing was written.
    pub(crate) fn shown(&self, secrets: &[String]) -> String {
        let bytes: Vec<u8> = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        for secret in secrets {
            text = text.replace(secret.as_str(), "[redacted]");
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(SHOWN_LINES_MAX)..].join("\n");
        let mut start = last.len().saturating_sub(SHOWN_BYTES_MAX);
        while !last.is_char_boundary(start) {
            start += 1;
        }
        printable(&last[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_and_shown_without_secrets() {
        let tail = Tail::default();
        let many: String = {
            let lines: Vec<String> = (0..20_000).map(|number| format!("line {number}")).collect();
            format!("{}\n", lines.join("\n"))
        };
        tail.clone().drain(many.as_bytes()).await;
        assert!(tail.shown(&[]).starts_with("line 19992\n") && tail.shown(&[]).ends_with("line 19999"));
        tail.clone().drain("\n\x1b[31mtoken s3cr3t\n\u{fffd}".as_bytes()).await;
        let shown = tail.shown(&["s3cr3t".to_owned()]);
        assert!(shown.ends_with("\\u{1b}[31mtoken [redacted]\n\u{fffd}"), "{shown}");
        assert!(tail.0.lock().expect("no panic").len() <= TAIL_BYTES_MAX);
        assert_eq!(Tail::default().shown(&[]), "");
    }

    #[tokio::test]
    async fn a_single_long_line_is_cut_at_its_beginning() {
        let tail = Tail::default();
        tail.clone().drain("ü".repeat(TAIL_BYTES_MAX).as_bytes()).await;
        let shown = tail.shown(&[]);
        assert!(shown.len() <= SHOWN_BYTES_MAX && shown.ends_with('ü'), "{}", shown.len());
    }
}
