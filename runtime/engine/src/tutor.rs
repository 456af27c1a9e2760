//! Advice on scripts that expect something else than Python in the sandbox provides.

/// What to do about a stack that ran out, Python's own or the interpreter's.
pub(crate) const LESS_DEEP: &str = "recurse less deeply: a loop with a list of its own has no such limit";

/// What to do about an exception of a class with a message.
pub(crate) fn about(class: &str, message: &str) -> Option<String> {
    match class {
        // Where the sandbox knows the module it has said what to use already.
        "ModuleNotFoundError" if message.starts_with("No module named") => Some(without_module(message)),
        "RecursionError" => Some(LESS_DEEP.to_owned()),
        "NameError" => import_of(message),
        // The number is that of the script's own files: what a granted directory misses is told without one.
        "FileNotFoundError" if message.starts_with("[Errno 44]") => Some(
            "`open` finds the script's own files only: granted directories are read with files.open(\"alias:name\")"
                .to_owned(),
        ),
        "EOFError" if message == "EOF when reading a line" => {
            Some("there is nobody to ask: values come in `params`".to_owned())
        }
        "MemoryError" => Some("raise `memory_bytes`, or hold less at a time".to_owned()),
        _ => None,
    }
}

/// What to write instead of a statement that needs a function: scripts are often written as if they were one.
pub(crate) fn at_top_level(message: &str) -> Option<String> {
    let instead = if message.contains("'return' outside function") {
        "assign the answer to `result`, as in `result = 1 + 1`"
    } else if message.contains("'await' outside function") {
        "put it into `async def main():`, and run that with `asyncio.run(main())`"
    } else {
        return None;
    };
    Some(instead.to_owned())
}

/// The missing import, if an unknown name is that of a module which scripts often use without importing it.
fn import_of(message: &str) -> Option<String> {
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
    let name = message.split('\'').nth(1)?;
    MODULES.contains(&name).then(|| format!("write `import {name}` first"))
}

/// The closest alternative in the sandbox to a missing module, by the name in Python's message.
fn without_module(message: &str) -> String {
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
    format!("the sandbox has Python's standard library, `http`, `requests` and `files`, nothing else: {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_advised_on_where_the_sandbox_is_not_what_was_expected() {
        let own =
            "`open` finds the script's own files only: granted directories are read with files.open(\"alias:name\")";
        let missing = "[Errno 44] No such file or directory (os error 44): 'data.csv'";
        assert_eq!(about("FileNotFoundError", missing).as_deref(), Some(own));
        assert_eq!(about("FileNotFoundError", "[Errno 2] there is no such file or folder: 'data:x'"), None);
        let nobody = "there is nobody to ask: values come in `params`";
        assert_eq!(about("EOFError", "EOF when reading a line").as_deref(), Some(nobody));
        assert_eq!(about("EOFError", "compressed file ended"), None);
        assert_eq!(about("MemoryError", "").as_deref(), Some("raise `memory_bytes`, or hold less at a time"));
    }
}
