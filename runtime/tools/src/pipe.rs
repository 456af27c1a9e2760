//! A server's stdin and stdout as a transport of the SDK: one message a line, bounded before it is parsed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::frame::{FrameFault, Frames, MESSAGE_BYTES_MAX};

/// How long a server may leave its pipe full.
const WRITE_MAX: Duration = Duration::from_secs(10);

/// How many bytes are read at once.
const READ_BYTES: usize = 64 << 10;

/// The pipes of a server.
pub(crate) struct Pipe<R, W> {
    reader: BufReader<R>,
    /// Nothing once it is closed. A message is written whole before the next begins.
    writer: Arc<Mutex<Option<W>>>,
    line: Vec<u8>,
    frames: Arc<Frames>,
}

impl<R: AsyncRead + Unpin, W> Pipe<R, W> {
    pub(crate) fn new(stdout: R, stdin: W, frames: Arc<Frames>) -> Self {
        let reader = BufReader::with_capacity(READ_BYTES, stdout);
        Self { reader, writer: Arc::new(Mutex::new(Some(stdin))), line: Vec::new(), frames }
    }

    /// Reads to the end of a line. Nothing at the end of the input, where half a line counts for nothing. What was read of a line
    /// stays if the future is dropped.
    async fn next_line(&mut self) -> Result<Option<Vec<u8>>, FrameFault> {
        loop {
            let Ok(bytes) = self.reader.fill_buf().await else { return Ok(None) };
            if bytes.is_empty() {
                return Ok(None);
            }
            let (read, is_whole) = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            };
            self.line.extend_from_slice(&bytes[..read]);
            self.reader.consume(read);
            // The end of the line does not count.
            if self.line.len() > MESSAGE_BYTES_MAX + 1 {
                return Err(FrameFault::TooLong);
            }
            if is_whole {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

impl<R, W> Transport<RoleClient> for Pipe<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.frames.sent(&message);
        let (writer, frames) = (Arc::clone(&self.writer), Arc::clone(&self.frames));
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let Some(pipe) = writer.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            let write = async {
                pipe.write_all(&line).await?;
                pipe.flush().await
            };
            if let Ok(written) = timeout(WRITE_MAX, write).await {
                written
            } else {
                // Half a line may be in the pipe: nothing can follow it.
                *writer = None;
                frames.end(FrameFault::Deaf);
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let frames = Arc::clone(&self.frames);
        loop {
            let line = tokio::select! {
                // What was written comes first.
                biased;
                line = self.next_line() => line,
                () = frames.hung_up() => Ok(None),
            };
            let line = match line {
                Ok(line) => line?,
                Err(fault) => {
                    self.frames.end(fault);
                    return None;
                }
            };
            let Ok(text) = str::from_utf8(&line) else {
                self.frames.end(FrameFault::NotText);
                return None;
            };
            match self.frames.received(text.trim_end_matches(['\r', '\n'])) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(_) => return None,
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        *self.writer.lock().await = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What arrives of these bytes, and why the connection ended.
    async fn received(bytes: &[u8]) -> (usize, Option<FrameFault>) {
        let frames = Arc::new(Frames::default());
        let mut pipe = Pipe::new(bytes, Vec::<u8>::new(), Arc::clone(&frames));
        let mut messages = 0;
        while pipe.receive().await.is_some() {
            messages += 1;
        }
        (messages, frames.fault())
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

    #[tokio::test]
    async fn a_message_is_a_line() {
        for (text, messages) in [
            (format!("{PING}\n"), 1),
            (format!("{PING}\r\n\n  \n{PING}\n"), 2),
            (format!("banner\n{PING}\n"), 1),
            (format!("{PING}\n{}", &PING[..10]), 1),
            (PING.to_owned(), 0),
        ] {
            assert_eq!(received(text.as_bytes()).await, (messages, None), "{text:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_text_or_too_long_ends_the_connection() {
        let with = |before: &[u8]| [before, b"\n", PING.as_bytes(), b"\n"].concat();
        assert_eq!(received(&with(b"\xff")).await, (0, Some(FrameFault::NotText)));
        assert_eq!(received(&with(b"\0")).await, (1, None));
        assert_eq!(received(&with(&vec![b' '; MESSAGE_BYTES_MAX])).await, (1, None));
        assert_eq!(received(&with(&vec![b' '; MESSAGE_BYTES_MAX + 1])).await, (0, Some(FrameFault::TooLong)));
        assert_eq!(received(&vec![b'a'; MESSAGE_BYTES_MAX + READ_BYTES]).await, (0, Some(FrameFault::TooLong)));
    }
}
