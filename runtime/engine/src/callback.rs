//! Callbacks: requests of this program itself, by which it tells the ends of jobs. They pass the same admission as scripts' requests,
//! under the table `callbacks` of the policy and that of the principal.

use std::time::Duration;

use futures_util::future::BoxFuture;
use intentbox_egress::{Budget, Request, SendError};
use intentbox_report::{Principal, TraceContext};

use crate::Engine;

/// The headers of a callback, as Standard Webhooks names them.
pub const CALLBACK_HEADERS: [&str; 3] = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/// How long a callback may take, redirects included.
const CALLBACK_MAX: Duration = Duration::from_secs(15);

/// How many bytes are read of what it answers: nobody looks at them.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

impl Engine {
    /// Whether the policy lets the ends of a principal's jobs be told there.
    ///
    /// # Errors
    /// Why not, and the line that would allow it.
    pub fn admit_callback(&self, principal: &Principal, url: &str) -> Result<(), String> {
        let admits = |principal: &Principal| {
            let admitted = self.policy.callbacks(principal).admit(self.tenants.common().egress.origins(), "POST", url);
            admitted.is_ok()
        };
        if admits(principal) {
            return Ok(());
        }
        let shown: String = url.chars().filter(|letter| !letter.is_control()).take(200).collect();
        Err(match principal.name().filter(|_| admits(&Principal::local())) {
            // The table of everybody does, and what a client may is what both tables allow.
            Some(name) => format!(
                "no line of [principals.{name}] in policy.toml allows POST {shown}; an operator can add http = [\"ORIGIN: POST /PATH\"] there"
            ),
            None => format!(
                "no line of [callbacks] in policy.toml allows POST {shown}; write it as ORIGIN:/PATH, where an operator has [origins.ORIGIN] \
                 in config.toml, and [callbacks] http = [\"ORIGIN: POST /PATH\"] in policy.toml"
            ),
        })
    }

    /// Sends a callback, as a part of `trace` if there is one. Returns the status.
    ///
    /// # Errors
    /// Why there is none, without a secret.
    pub fn send_callback<'a>(
        &'a self,
        principal: &'a Principal,
        url: &'a str,
        headers: [(&'a str, &'a str); 3],
        body: &'a [u8],
        trace: Option<&'a TraceContext>,
    ) -> BoxFuture<'a, Result<u16, SendError>> {
        Box::pin(async move {
            let budget = Budget {
                bytes_up_max: u64::try_from(body.len()).unwrap_or(u64::MAX).saturating_add(64 << 10),
                body_bytes_max: ANSWER_BYTES_MAX,
                timeout: CALLBACK_MAX,
                run: CALLBACK_MAX,
                ..Budget::default()
            };
            let exchange = self.tenants.of(principal).egress.open(self.policy.callbacks(principal), budget);
            let exchange = exchange.traced(trace.map(crate::headers_of).unwrap_or_default());
            let [id, at, signature] = headers;
            let headers = [("content-type", "application/json"), id, at, signature];
            let request = Request { method: "POST", url, headers: &headers, body: Some(body), timeout: None };
            exchange.send(request).await.map(|reply| reply.status)
        })
    }
}
