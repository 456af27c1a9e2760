//! Advice on scripts: what to write instead, as data.
//!
//! Its text is about Python and the modules of the sandbox. Those are the same on every surface, and so is the text.

use std::fmt;

/// What to change in a script. Its text is an imperative, or says what the sandbox has instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptAdvice {
    /// The script returns at its top level.
    AssignResult,
    /// A function awaits that is not `async`.
    AwaitInFunction,
    /// The script uses a module of the standard library without importing it.
    Import {
        /// The module.
        module: &'static str,
    },
    /// The script imports a module that the sandbox does not have.
    StandardLibrary {
        /// What to do without it, as an imperative.
        instead: &'static str,
    },
    /// The script calls a tool of the MCP server as if it were a function.
    CallTool {
        /// The tool.
        tool: &'static str,
    },
    /// The script uses a name that it does not define.
    DefineFirst,
    /// The script holds a command of a notebook or a shell, such as `!pip install`.
    NoCommands,
    /// The script is wrapped in the fence of a Markdown block.
    WithoutFence,
    /// The script awaits what is no coroutine, such as the answer of `files.list`.
    NotAsync,
    /// The script opens a file that is not in its scratch directory.
    OpenGranted,
    /// The script reads from stdin.
    UseParams,
    /// The stack ran out.
    RecurseLess,
    /// Memory ran out.
    HoldLess,
    /// The result has a value that JSON cannot express.
    ConvertResult,
    /// The interpreter crashed.
    Simplify,
    /// There was too much output.
    PrintLess,
    /// The result is too large.
    ReturnLess,
    /// There were too many requests, or too much in them.
    FewerRequests,
    /// There were too many listings and pieces of files.
    FewerFileCalls,
}

impl fmt::Display for ScriptAdvice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            ScriptAdvice::Import { module } => return write!(formatter, "write `import {module}` first"),
            ScriptAdvice::StandardLibrary { instead } => {
                return write!(
                    formatter,
                    "the sandbox has Python's standard library, `http`, `requests` and `files`, nothing else: {instead}"
                );
            }
            ScriptAdvice::CallTool { tool } => {
                return write!(
                    formatter,
                    "`{tool}` is a tool of the MCP server and no function of scripts: call the tool, and pass what a script \
                     needs of its answer in `params`"
                );
            }
            ScriptAdvice::DefineFirst => {
                "define the name in this script: each run starts anew, without the variables, imports and files of others"
            }
            ScriptAdvice::NoCommands => {
                "send Python alone: a script runs no shell or notebook commands, and packages cannot be installed"
            }
            ScriptAdvice::WithoutFence => "send the code without the ``` lines around it",
            ScriptAdvice::AssignResult => "assign the answer to `result`, as in `result = 1 + 1`",
            ScriptAdvice::AwaitInFunction => "make the function `async def`, and await it where it is called",
            ScriptAdvice::NotAsync => {
                "leave out `await`: `files`, `http` and `requests` answer at once; only coroutines of your own are awaited"
            }
            ScriptAdvice::OpenGranted => {
                "`open` finds only files that this run wrote: granted directories are read with files.open(\"alias:name\")"
            }
            ScriptAdvice::UseParams => "there is nobody to ask: values come in `params`",
            ScriptAdvice::RecurseLess => "recurse less deeply: a loop with a list of its own has no such limit",
            ScriptAdvice::HoldLess => "hold less at a time",
            ScriptAdvice::ConvertResult => {
                "make it a str, number, list or dict before it becomes the result (str(x), list(x))"
            }
            ScriptAdvice::Simplify => "only this run is affected; simplify what the script last did",
            ScriptAdvice::PrintLess => "print less; return the answer as `result`",
            ScriptAdvice::ReturnLess => "return less: the fields and rows that are needed, or a summary",
            ScriptAdvice::FewerRequests => "ask for less: larger pages, fewer requests, narrower queries",
            ScriptAdvice::FewerFileCalls => {
                "read less: fewer files, and each once and from its start to its end, since a call brings up to 1 MiB of one \
                 file"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_module_that_it_is_about() {
        for (advice, expected) in [
            (ScriptAdvice::Import { module: "csv" }, "write `import csv` first"),
            (
                ScriptAdvice::StandardLibrary { instead: "use `json`" },
                "the sandbox has Python's standard library, `http`, `requests` and `files`, nothing else: use `json`",
            ),
            (
                ScriptAdvice::CallTool { tool: "run_intent" },
                "`run_intent` is a tool of the MCP server and no function of scripts: call the tool, and pass what a script \
                 needs of its answer in `params`",
            ),
            (ScriptAdvice::UseParams, "there is nobody to ask: values come in `params`"),
        ] {
            assert_eq!(advice.to_string(), expected);
        }
    }
}
