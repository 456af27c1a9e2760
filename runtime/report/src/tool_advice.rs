//! Advice on upstream servers and their tools: commands, which are the same on every surface.

use std::fmt;

/// What to do about an upstream server or a tool of it. Its text is an imperative for the operator, or for who made the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAdvice {
    /// The server stands in a project's file that nobody has approved.
    Trust {
        /// The server.
        server: String,
    },
    /// The tool is not what was approved.
    Approve {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The name is nearly one that exists.
    DidYouMean {
        /// The server.
        server: String,
        /// The tool, if the server is right.
        tool: Option<String>,
    },
    /// No name is near.
    ListTools {
        /// The server, if it exists.
        server: Option<String>,
    },
    /// The arguments do not match the schema.
    ShowTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// Words cannot say what the tool needs: call it by its name.
    CallByName {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// Nothing is known about whether the call had its effect.
    CheckEffect {
        /// The tool.
        tool: String,
    },
    /// What else would help, as an imperative.
    Other(String),
}

impl fmt::Display for ToolAdvice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolAdvice::Trust { server } => {
                write!(formatter, "read what it would run and approve it with `intentbox tools trust {server}`")
            }
            ToolAdvice::Approve { server, tool } => write!(
                formatter,
                "run `intentbox tools diff {server} {tool}`, and `intentbox tools approve {server} {tool}` if the change is fine"
            ),
            ToolAdvice::CallByName { server, tool } => write!(
                formatter,
                "see `intentbox tools show {server} {tool}`, and call it with `intentbox tools call {server} {tool} NAME=VALUE`, or \
                 from a script as tools[{server:?}][{tool:?}](…)"
            ),
            ToolAdvice::DidYouMean { server, tool: None } => write!(formatter, "did you mean `{server}`?"),
            ToolAdvice::DidYouMean { tool: Some(tool), .. } => write!(formatter, "did you mean `{tool}`?"),
            ToolAdvice::ListTools { server: None } => {
                write!(formatter, "run `intentbox tools list` to see all servers")
            }
            ToolAdvice::ListTools { server: Some(server) } => {
                write!(
                    formatter,
                    "run `intentbox tools list {server}` to see its tools, or `intentbox tools refresh {server}`"
                )
            }
            ToolAdvice::ShowTool { server, tool } => {
                write!(formatter, "run `intentbox tools show {server} {tool}` to see its arguments")
            }
            ToolAdvice::CheckEffect { tool } => {
                write!(formatter, "check whether `{tool}` has had its effect before calling it again")
            }
            ToolAdvice::Other(advice) => formatter.write_str(advice),
        }
    }
}
