//! What the documents name: tests, files and links. Each of them exists.

use std::collections::BTreeSet;

use crate::tree::{self, File};

/// Names in three words or more that are no tests.
const NO_TESTS: &[(&str, &str)] = &[
    ("clock_res_get", "a function of WASI"),
    ("clock_time_get", "a function of WASI"),
    ("host_and_origin", "a module of listen"),
    ("host_call_failed", "an outcome"),
    ("host_call_limit", "an outcome"),
    ("out_of_memory", "an import of the guest"),
    ("run_in_executor", "a method of asyncio"),
    ("scratch_fd_read", "an export of the guest"),
    ("target_not_found", "an outcome"),
];

/// Paths that are not of this repository.
const NO_FILES: &[(&str, &str)] = &[
    (".cursor/mcp.json", "a file of an MCP client"),
    (".mcp.json", "a file of an MCP client"),
    (".vscode/mcp.json", "a file of an MCP client"),
    ("NAME.py", "stands for a file of a case"),
    ("claude_desktop_config.json", "a file of an MCP client"),
    ("mcp.json", "the user's own file of upstream servers"),
    ("expected-failures-REVISION.yaml", "stands for a file of each revision"),
    ("rust-toolchain.toml", "the document says why there is none"),
];

/// A span that ends in one of these is a path.
const EXTENSIONS: &[&str] = &["j2", "json", "lock", "md", "pem", "py", "rs", "toml", "txt", "yaml"];

/// A span that begins with one of these is a path.
const FOLDERS: &[&str] = &[".ci/", "fuzz/", "guest-sdk/", "runtime/", "templates/", "tests/"];

/// A Markdown text on one line, without its fenced blocks.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    prose
}

/// What stands between backticks in a Markdown text.
fn spans(text: &str) -> Vec<String> {
    prose(text).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The targets of a Markdown text's links to files.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://")).map(str::to_owned).collect()
}

/// Whether a span is a name in three words or more, such as a test has.
fn is_name(span: &str) -> bool {
    let word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    span.starts_with(|first: char| first.is_ascii_lowercase())
        && span.split('_').count() >= 3
        && span.split('_').all(word)
}

/// Whether a span is a path that could be one of this repository.
fn is_path(span: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte);
    let ours = EXTENSIONS.contains(&tree::extension(span))
        || span.ends_with('/')
        || FOLDERS.iter().any(|folder| span.starts_with(folder));
    ours && span.bytes().all(plain) && !span.starts_with('/')
}

/// What the repository holds that a document can name.
struct Known {
    paths: Vec<String>,
    tests: BTreeSet<String>,
    scripts: BTreeSet<String>,
}

impl Known {
    fn new() -> Known {
        let paths = tree::paths("");
        let sources = ["guest-sdk", "runtime", "tests"].into_iter().flat_map(|folder| tree::files(folder, &["rs"]));
        let tests = sources.flat_map(|file| tree::tests(&file.text).into_iter().map(str::to_owned).collect::<Vec<_>>());
        let script = |path: &String| {
            let name = path.strip_prefix("tests/")?.rsplit('/').next()?.strip_suffix(".py")?;
            Some(name.to_owned())
        };
        Known { tests: tests.collect(), scripts: paths.iter().filter_map(script).collect(), paths }
    }

    /// Whether a file or a folder of the repository ends in `path`.
    fn holds(&self, path: &str) -> bool {
        let path = format!("/{}/", path.trim_end_matches('/'));
        self.paths.iter().any(|known| format!("/{known}/").contains(&path))
    }

    /// What is wrong with a span, if anything is.
    fn fault(&self, span: &str) -> Option<String> {
        if let Some(row) = span.strip_suffix('…').filter(|row| row.ends_with('_')) {
            let known = self.tests.iter().chain(&self.scripts).any(|name| name.starts_with(row));
            return (!known).then(|| format!("no test begins with `{row}`"));
        }
        if is_name(span) && !self.tests.contains(span) {
            return Some(format!("`{span}` is no test"));
        }
        if span.strip_suffix(".py").is_some_and(|name| is_name(name) && !self.scripts.contains(name)) {
            return Some(format!("`{span}` is no script below tests/"));
        }
        (is_path(span) && !self.holds(span)).then(|| format!("`{span}` is no file"))
    }

    /// What is wrong with the spans and links of `document`, without what `exceptions` excuse.
    fn faults(&self, document: &File, exceptions: &[&[(&str, &str)]]) -> Vec<String> {
        let mut spans = spans(&document.text);
        spans.retain(|span| !exceptions.iter().any(|excused| excused.iter().any(|(name, _)| name == span)));
        let mut faults: Vec<String> = spans.iter().filter_map(|span| self.fault(span)).collect();
        let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in links(&document.text) {
            if !tree::root().join(folder).join(&link).exists() {
                faults.push(format!("the link to {link} leads nowhere"));
            }
        }
        faults.into_iter().map(|fault| format!("{}: {fault}", document.path)).collect()
    }

    /// The exceptions that no document needs.
    fn idle(&self, documents: &[File], exceptions: &[&[(&str, &str)]]) -> Vec<String> {
        let spans: BTreeSet<String> = documents.iter().flat_map(|document| spans(&document.text)).collect();
        let needed = |name: &str| spans.contains(name) && self.fault(name).is_some();
        let idle = exceptions.iter().copied().flatten().filter(|(name, _)| !needed(name));
        idle.map(|(name, reason)| format!("the exception for `{name}` ({reason}) is not needed")).collect()
    }
}

/// Every document, but for the list of rows, which a test writes.
fn documents() -> Vec<File> {
    let mut documents = tree::files("", &["md"]);
    documents.retain(|document| document.path != "tests/ROWS.md");
    documents
}

#[test]
fn every_test_file_and_link_that_a_document_names_exists() {
    let (known, documents) = (Known::new(), documents());
    let exceptions = [NO_TESTS, NO_FILES];
    let mut faults: Vec<String> = documents.iter().flat_map(|document| known.faults(document, &exceptions)).collect();
    faults.extend(known.idle(&documents, &exceptions));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for expected in ["README.md", "guest-sdk/README.md", "runtime/ARCHITECTURE.md", "runtime/SECURITY.md"] {
        assert!(documents.iter().any(|document| document.path == expected), "{expected} is read");
    }
}

#[test]
fn spans_and_links_are_read_outside_of_blocks() {
    let text =
        "A `span`, `two\nlines` and\n```sh\na `fenced` one\n```\n[a](b.md#c) [d](https://example.com) [e](#f) `end`.";
    assert_eq!(spans(text), ["span", "two lines", "end"]);
    assert_eq!(links(text), ["b.md"]);
}

#[test]
fn a_name_or_a_path_that_is_not_there_is_found() {
    let known = Known {
        paths: vec!["runtime/egress/src/retry.rs".to_owned(), "tests/cases/a_b_c.py".to_owned()],
        tests: BTreeSet::from(["h01_it_holds".to_owned()]),
        scripts: BTreeSet::from(["a_b_c".to_owned()]),
    };
    let fine =
        ["h01_it_holds", "a_b_c.py", "h01_…", "a_b", "A_B_C", "retry.rs", "egress/src/retry.rs", "runtime/egress/"];
    let elsewhere = ["/etc/hosts.md", "a/b", "sentry:/a.json", "three words here", ".py", "a__b", "1_000_000"];
    for span in fine.into_iter().chain(elsewhere) {
        assert_eq!(known.fault(span), None, "{span}");
    }
    for (span, fault) in [
        ("h01_it_held", "`h01_it_held` is no test"),
        ("a_b_d.py", "`a_b_d.py` is no script below tests/"),
        ("h02_…", "no test begins with `h02_`"),
        ("etry.rs", "`etry.rs` is no file"),
        ("runtime/retry.rs", "`runtime/retry.rs` is no file"),
        ("fuzz/run", "`fuzz/run` is no file"),
        ("retries/", "`retries/` is no file"),
    ] {
        assert_eq!(known.fault(span).as_deref(), Some(fault), "{span}");
    }
}

#[test]
fn an_exception_excuses_and_must_be_needed() {
    let known = Known { paths: Vec::new(), tests: BTreeSet::new(), scripts: BTreeSet::new() };
    let document = File { path: "runtime/A.md".to_owned(), text: "`is_no_test` and [b](no/such/file.md)".to_owned() };
    let exceptions: &[(&str, &str)] = &[("is_no_test", "an outcome"), ("not_named_here", "an outcome")];
    let link = "runtime/A.md: the link to no/such/file.md leads nowhere";
    assert_eq!(known.faults(&document, &[]), ["runtime/A.md: `is_no_test` is no test", link]);
    assert_eq!(known.faults(&document, &[exceptions]), [link]);
    let idle = known.idle(&[document], &[exceptions]);
    assert_eq!(idle, ["the exception for `not_named_here` (an outcome) is not needed"]);
}
