//! Between the script's host calls and egress: one broker a run, with that run's grant and budget.

use std::time::Duration;

use intentbox_egress::{BudgetItem, Exchange, Request, SendError};
use intentbox_sandbox::abi::{HttpReply, HttpRequest, Reply};
use intentbox_sandbox::{Answer, Exhausted, HostCalls, Pending, Resource};

use crate::report::{Refused, Spent};

/// Answers a run's host calls out of its grant.
#[derive(Debug)]
pub(crate) struct Broker {
    exchange: Exchange,
    /// The configuration table whose line would allow what is refused.
    table: &'static str,
}

impl Broker {
    pub(crate) fn new(exchange: Exchange, table: &'static str) -> Broker {
        Broker { exchange, table }
    }

    /// What was refused so far.
    pub(crate) fn refusals(&self) -> Vec<Refused> {
        let refusals = self.exchange.refusals();
        refusals
            .iter()
            .map(|refusal| Refused { message: refusal.to_string(), hint: refusal.hint(self.table) })
            .collect()
    }

    /// What HTTP cost so far; the rest is the sandbox's to say.
    pub(crate) fn spent(&self) -> Spent {
        let spent = self.exchange.spent();
        Spent {
            fuel: 0,
            memory_bytes_peak: 0,
            wall_ms: 0.0,
            host_calls: 0,
            http_requests: spent.requests,
            http_bytes_up: spent.bytes_up,
            http_bytes_down: spent.bytes_down,
        }
    }
}

impl HostCalls for Broker {
    fn http<'a>(&'a self, request: HttpRequest<'a>) -> Pending<'a, Answer> {
        Box::pin(async move {
            let sent = self.exchange.send(Request {
                method: request.method,
                url: request.url,
                headers: &request.headers,
                body: request.body,
                timeout: request.timeout_ms.map(|ms| Duration::from_millis(ms.into())),
            });
            match sent.await {
                Ok(reply) => Answer::reply(&Reply::Http(HttpReply {
                    status: reply.status,
                    url: &reply.shown_url,
                    headers: reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
                    body: &reply.body,
                })),
                Err(SendError::Refused(refusal)) => Answer::reply(&Reply::Refused {
                    message: &refusal.to_string(),
                    hint: refusal.hint(self.table).as_deref().unwrap_or_default(),
                }),
                Err(SendError::Failed { kind, message }) => Answer::reply(&Reply::Failed { kind, message: &message }),
                Err(SendError::BudgetSpent { what, limit, observed }) => {
                    let resource = match what {
                        BudgetItem::Requests => Resource::HttpRequests,
                        BudgetItem::BytesUp => Resource::HttpBytesUp,
                        BudgetItem::BytesDown => Resource::HttpBytesDown,
                    };
                    Answer::Exhausted(Exhausted { resource, limit, observed })
                }
            }
        })
    }
}
