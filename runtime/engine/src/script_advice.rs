//! Advice on scripts that expect something else than Python in the sandbox provides.

use std::borrow::Cow;

use intentbox_report::{Remedy, ScriptAdvice};
use intentbox_sandbox::limits;

use crate::ended::raise;

/// What to do about an exception of a class with a message.
pub(crate) fn about(class: &str, message: &str) -> Option<Remedy> {
    let advice = match class {
        // Where the sandbox knows the module it has said what to use already.
        "ModuleNotFoundError" if message.starts_with("No module named") => without_module(message),
        "RecursionError" => ScriptAdvice::RecurseLess,
        "NameError" => without_name(message)?,
        // The number is that of the script's own files: what a granted directory misses is told without one.
        "FileNotFoundError" if message.starts_with("[Errno 44]") => ScriptAdvice::OpenGranted,
        "TypeError" if message.contains("can't be awaited") || message.contains("can't be used in 'await'") => {
            ScriptAdvice::NotAsync
        }
        "EOFError" if message == "EOF when reading a line" => ScriptAdvice::UseParams,
        "MemoryError" => return Some(raise(limits::MEMORY_BYTES, Some(ScriptAdvice::HoldLess))),
        _ => return None,
    };
    Some(Remedy::Script(advice))
}

/// What to write instead of what no Python script holds. `traceback` shows the line at fault.
pub(crate) fn about_syntax(message: &str, traceback: &str) -> Option<ScriptAdvice> {
    let has_line = |start: &str| traceback.lines().any(|line| line.trim_start().starts_with(start));
    if message.contains("'return' outside function") {
        Some(ScriptAdvice::AssignResult)
    } else if message.contains("'await' outside async function") {
        Some(ScriptAdvice::AwaitInFunction)
    } else if ["!", "%", "pip install", "$ "].into_iter().any(has_line) {
        Some(ScriptAdvice::NoCommands)
    } else if has_line("```") {
        Some(ScriptAdvice::WithoutFence)
    } else {
        None
    }
}

/// A script without the Markdown fence around it, with which models send code. Its lines keep their numbers.
pub(crate) fn unfenced(source: &[u8]) -> Cow<'_, [u8]> {
    let starts = source.trim_ascii_start();
    let inner = starts.strip_prefix(FENCE).and_then(|rest| source.trim_ascii_end().strip_suffix(FENCE).zip(Some(rest)));
    let Some((before_end, rest)) = inner else { return Cow::Borrowed(source) };
    let language = rest.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let is_named = language.iter().all(u8::is_ascii_alphanumeric) && language.len() < rest.len();
    let ends_a_line = before_end.iter().rfind(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'\n');
    let start = source.len() - rest.len() + language_end(rest);
    if !is_named || !ends_a_line || start > before_end.len() {
        return Cow::Borrowed(source);
    }
    let mut script: Vec<u8> = source[..start].iter().copied().filter(|byte| *byte == b'\n').collect();
    script.extend_from_slice(&before_end[start..]);
    Cow::Owned(script)
}

/// Where the first line of a text ends.
fn language_end(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

const FENCE: &[u8] = b"```";

/// What an unknown name was meant to be.
fn without_name(message: &str) -> Option<ScriptAdvice> {
    const TOOLS: [&str; 3] = ["execute_code", "read_result", "run_intent"];
    let name = message.split('\'').nth(1)?;
    let tool = TOOLS.into_iter().find(|tool| *tool == name);
    tool.map(|tool| ScriptAdvice::CallTool { tool }).or_else(|| import_of(name)).or(Some(ScriptAdvice::DefineFirst))
}

/// The missing import, if an unknown name is that of a module which scripts often use without importing it.
fn import_of(name: &str) -> Option<ScriptAdvice> {
    const MODULES: [&str; 16] = [
        "asyncio",
        "base64",
        "collections",
        "csv",
        "datetime",
        "hashlib",
        "io",
        "itertools",
        "json",
        "math",
        "os",
        "random",
        "re",
        "requests",
        "sys",
        "time",
    ];
    let module = MODULES.into_iter().find(|module| *module == name)?;
    Some(ScriptAdvice::Import { module })
}

/// The closest alternative in the sandbox to a missing module, by the name in Python's message.
fn without_module(message: &str) -> ScriptAdvice {
    let named = message.split('\'').nth(1).unwrap_or_default();
    let instead = match named.split('.').next().unwrap_or_default() {
        "pycurl" | "treq" => "use `requests`",
        "pandas" | "polars" | "numpy" | "scipy" => "use `csv`, `statistics`, `math` and lists of dicts",
        "bs4" | "html5lib" => "use `html.parser` or `re`",
        "lxml" | "defusedxml" => "use `xml.etree.ElementTree` or `html.parser`",
        "yaml" | "toml" => "use `json` or `tomllib`",
        "dateutil" | "pytz" | "arrow" | "pendulum" => "use `datetime`",
        "orjson" | "ujson" | "simplejson" => "use `json`",
        "pydantic" | "attr" | "attrs" => "use `dataclasses`",
        "regex" => "use `re`",
        _ => "do without it",
    };
    ScriptAdvice::StandardLibrary { instead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_around_a_script_is_left_out() {
        for (sent, script) in [
            ("```python\nx = 1\n```", "\nx = 1\n"),
            ("\n```\nx = 1\n```\n", "\n\nx = 1\n"),
            ("```py\nx = 1\n```\ny\n```  ", "\nx = 1\n```\ny\n"),
            ("```python\n```", "\n"),
            ("```python\nx = 1", "```python\nx = 1"),
            ("``` no language\nx = 1\n```", "``` no language\nx = 1\n```"),
            ("```python x = 1```", "```python x = 1```"),
            ("```", "```"),
            ("", ""),
            ("x = 1", "x = 1"),
            ("x = '```'", "x = '```'"),
        ] {
            assert_eq!(String::from_utf8_lossy(&unfenced(sent.as_bytes())), script, "{sent:?}");
        }
    }

    #[test]
    fn an_exception_is_advised_on_where_the_sandbox_is_not_what_was_expected() {
        let script = |advice| Some(Remedy::Script(advice));
        let missing = "[Errno 44] No such file or directory (os error 44): 'data.csv'";
        for (class, message, expected) in [
            ("FileNotFoundError", missing, script(ScriptAdvice::OpenGranted)),
            ("FileNotFoundError", "[Errno 2] there is no such file or folder: 'data:x'", None),
            ("TypeError", "'Listing' object can't be awaited", script(ScriptAdvice::NotAsync)),
            ("TypeError", "object str can't be used in 'await' expression", script(ScriptAdvice::NotAsync)),
            ("EOFError", "EOF when reading a line", script(ScriptAdvice::UseParams)),
            ("EOFError", "compressed file ended", None),
            ("MemoryError", "", Some(raise(limits::MEMORY_BYTES, Some(ScriptAdvice::HoldLess)))),
            ("NameError", "name 'csv' is not defined", script(ScriptAdvice::Import { module: "csv" })),
            ("NameError", "name 'rows' is not defined", script(ScriptAdvice::DefineFirst)),
            ("NameError", "name 'run_intent' is not defined", script(ScriptAdvice::CallTool { tool: "run_intent" })),
            (
                "ModuleNotFoundError",
                "No module named 'lxml.etree'",
                script(ScriptAdvice::StandardLibrary { instead: "use `xml.etree.ElementTree` or `html.parser`" }),
            ),
            ("ModuleNotFoundError", "use intentbox.http", None),
        ] {
            assert_eq!(about(class, message), expected, "{class}: {message}");
        }
        for (message, line, expected) in [
            ("'return' outside function", "return 5", Some(ScriptAdvice::AssignResult)),
            ("'await' outside async function", "await g()", Some(ScriptAdvice::AwaitInFunction)),
            ("invalid syntax", "!pip install pandas", Some(ScriptAdvice::NoCommands)),
            ("invalid syntax", "```python", Some(ScriptAdvice::WithoutFence)),
            ("invalid syntax", "x = = 1", None),
        ] {
            let traceback = format!("  File \"script.py\", line 1\n    {line}\n    ^");
            assert_eq!(about_syntax(message, &traceback), expected, "{line}");
        }
    }
}
