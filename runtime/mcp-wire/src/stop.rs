//! The end of the server, as its calls see it.

use tokio_util::sync::CancellationToken;

/// Is cancelled when the server waits for calls no longer. It travels with each request, so that a call can be answered with
/// an error instead of not at all.
#[derive(Debug, Clone, Default)]
pub struct Stopping(pub CancellationToken);
