//! Failures of upstream servers and their tools, as failures of a request.

use intentbox_report::{Cause, Failure, Remedy, ToolAdvice};
use intentbox_tools::{NextAction, ServerError, ServerFault, ToolError};

/// Why a call of a tool failed, with what would change that.
#[must_use]
pub fn tool_failure(error: &ToolError) -> Failure {
    let with = |cause: Cause, advice: ToolAdvice| Failure::new(cause, error.to_string()).with(Remedy::Tool(advice));
    match error {
        ToolError::Refused(refusal) => Failure::new(Cause::NotPermitted, refusal.to_string()),
        ToolError::NoServer { nearest: Some(nearest), .. } => {
            with(Cause::Parameter, ToolAdvice::DidYouMean { server: nearest.clone(), tool: None })
        }
        ToolError::NoServer { .. } => with(Cause::Parameter, ToolAdvice::ListTools { server: None }),
        ToolError::NoTool { server, nearest: Some(nearest), .. } => {
            let (server, tool) = (server.to_string(), Some(nearest.clone()));
            with(Cause::Parameter, ToolAdvice::DidYouMean { server, tool })
        }
        ToolError::NoTool { server, .. } => {
            with(Cause::Parameter, ToolAdvice::ListTools { server: Some(server.to_string()) })
        }
        ToolError::Changed { server, tool, is_new: _ } => {
            with(Cause::UpstreamChanged, ToolAdvice::Approve { server: server.to_string(), tool: tool.clone() })
        }
        ToolError::Arguments { server, tool, .. } => {
            with(Cause::Parameter, ToolAdvice::ShowTool { server: server.to_string(), tool: tool.clone() })
        }
        ToolError::Failed(server) => of_server(server, Cause::UpstreamFailed, error.to_string(), None),
        ToolError::UnknownOutcome(server, tool) => {
            let advice = ToolAdvice::CheckEffect { tool: tool.clone() };
            of_server(server, Cause::UnknownOutcome, error.to_string(), Some(advice))
        }
        ToolError::Tool { advice: Some(advice), .. } => with(Cause::UpstreamFailed, ToolAdvice::Other(advice.clone())),
        ToolError::Tool { .. } | ToolError::Result { .. } => Failure::new(Cause::UpstreamFailed, error.to_string()),
        ToolError::Store(_) => Failure::new(Cause::Internal, error.to_string()),
    }
}

/// Why a server failed, with what it wrote to stderr and what to do about it.
#[must_use]
pub fn server_failure(error: &ServerError) -> Failure {
    of_server(error, Cause::UpstreamFailed, error.to_string(), None)
}

fn of_server(error: &ServerError, cause: Cause, message: String, advice: Option<ToolAdvice>) -> Failure {
    let message = match error.stderr.as_str() {
        "" => message,
        stderr => {
            format!("{message}; its last words: {}", stderr.lines().map(str::trim).collect::<Vec<_>>().join(" | "))
        }
    };
    let advice = advice.or_else(|| match (&error.fault, error.fault.next_action()) {
        (ServerFault::NotTrusted, _) => Some(ToolAdvice::Trust { server: error.server.to_string() }),
        (_, NextAction::User(what)) => Some(ToolAdvice::Other(what)),
        (ServerFault::Resting { left, .. }, _) => {
            Some(ToolAdvice::Other(format!("try again in {} s", left.as_secs().max(1))))
        }
        // Where the server itself says what is wrong, that is all there is to say.
        (ServerFault::Error { .. }, _) | (_, NextAction::GiveUp) => None,
        (_, NextAction::Retry(_)) => {
            let id = &error.server;
            Some(ToolAdvice::Other(format!("run `intentbox tools refresh {id}` to see whether it answers at all")))
        }
    });
    let failure = Failure::new(cause, message);
    match advice {
        Some(advice) => failure.with(Remedy::Tool(advice)),
        None => failure,
    }
}
