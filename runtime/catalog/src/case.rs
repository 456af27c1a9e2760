//! Case files: examples of a template that are also its tests.
//!
//! A case lies in `<pack>/<name>/cases/<case>.toml` and tells one run as a story: these arguments and settings, these
//! requests with these replies, this outcome. The script that the arguments render to lies beside it as
//! `<case>.py`, except when the arguments are refused. This crate's tests hold the scripts to that; the sandbox's run
//! them against the replies. Both read the files through here.
//!
//! ```toml
//! [arguments]
//! limit = 2
//!
//! [settings]
//! "sentry.organization" = "acme"
//!
//! [[replies]]
//! method = "GET"
//! url = "sentry:/api/0/organizations/acme/issues/?limit=2"
//! status = 200
//! body = "[]"                 # or: body_file = "issues.json", beside the case
//!
//! [replies.headers]
//! Link = '<https://sentry.example.com/…>; rel="next"; results="false"; cursor="0:2:0"'
//!
//! # Every case takes place at 2026-11-20T12:00:00Z, with a fixed seed, so that it repeats.
//!
//! [[files]]                   # what lies in the directories that the template reads
//! path = "logs:app.log"
//! body = "…"                  # or: body_file
//!
//! [outcome]
//! kind = "ok"                 # a name of an outcome, as a report has it
//! result = "[]"               # JSON; or: error = "a part of the error's text"
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::catalog::{CatalogError, Problem};
use crate::id::TemplateId;

/// One example of a template.
#[derive(Debug, Clone)]
pub struct Case {
    /// The template it is an example of.
    pub template: TemplateId,
    /// Its own name: the file's, without the ending.
    pub name: String,
    /// The values given.
    pub arguments: BTreeMap<String, Value>,
    /// The settings of the configured origin.
    pub settings: BTreeMap<String, String>,
    /// The requests the script makes, in order, each with its reply. A request that is not the next one here is a
    /// failure, and so is one that never comes.
    pub replies: Vec<Reply>,
    /// The files in the directories that the script reads.
    pub files: Vec<CaseFile>,
    /// How the run ends.
    pub outcome: ExpectedOutcome,
    /// The script as it was last reviewed; nothing when there is no `<case>.py`.
    pub script: Option<String>,
}

/// One expected request and what it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The method of the request.
    pub method: String,
    /// Its URL with an origin's alias in place of the host, as `urllib.parse` writes it: compare the decoded pairs of
    /// the query, since `+` and `%20` are the same question.
    pub url: String,
    /// The status of the reply.
    pub status: u16,
    /// Its headers.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: String,
}

/// One file of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// `alias:folder/file`.
    pub path: String,
    /// What it holds.
    pub body: String,
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedOutcome {
    /// The outcome's name, such as `ok`, `python_error` or `param_invalid`.
    pub kind: String,
    /// The result, when the run has one.
    pub result: Option<Value>,
    /// Text that the error's message holds.
    pub error: Option<String>,
}

impl Case {
    /// The cases compiled into the program, in the order of their paths.
    ///
    /// # Errors
    ///
    /// When a case file is not well formed, with its file and line.
    pub fn embedded() -> Result<Vec<Self>, CatalogError> {
        Self::from_files(crate::embedded::files())
    }

    /// The cases among the files of a folder of templates, in the order of their paths.
    ///
    /// # Errors
    ///
    /// When a case file is not well formed, with its file and line.
    pub fn from_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Vec<Self>, CatalogError> {
        let files: BTreeMap<&str, &[u8]> = files.into_iter().collect();
        let text = |path: &str| files.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
        let mut cases = Vec::new();
        for path in files.keys() {
            let Some((folder, file)) = path.split_once("/cases/") else {
                continue;
            };
            let (Ok(template), Some(name)) = (folder.parse::<TemplateId>(), file.strip_suffix(".toml")) else {
                continue;
            };
            let source = text(path).unwrap_or_default();
            let mut case = Self::parse(template, name, path, &source, |side| text(&format!("{folder}/cases/{side}")))?;
            case.script = text(&format!("{folder}/cases/{name}.py"));
            cases.push(case);
        }
        Ok(cases)
    }

    /// Reads one case from the `text` of `file`; `side` returns the text of a file that lies beside it.
    ///
    /// # Errors
    ///
    /// When the text is not well formed, with its file and line.
    pub fn parse(
        template: TemplateId,
        name: &str,
        file: &str,
        text: &str,
        side: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, CatalogError> {
        let refuse = |offset: usize, problem: Problem| CatalogError::at_offset(file, text, offset, problem);
        let raw: RawCase = toml::from_str(text).map_err(|error| {
            let message = error.message().trim_end().to_owned();
            refuse(error.span().map_or(0, |span| span.start), Problem::Toml { message })
        })?;
        let body = |at: usize, body: Option<String>, body_file: Option<String>| {
            let text = match (body, body_file) {
                (Some(body), None) => Some(body),
                (None, Some(file)) => side(&file),
                _ => None,
            };
            let expected = "either `body` or `body_file`, a file beside the case".to_owned();
            text.ok_or_else(|| refuse(at, Problem::Expected { expected }))
        };
        let mut files = Vec::new();
        for file in raw.files {
            let at = file.span().start;
            let file = file.into_inner();
            files.push(CaseFile { path: file.path, body: body(at, file.body, file.body_file)? });
        }
        let mut replies = Vec::new();
        for reply in raw.replies {
            let at = reply.span().start;
            let reply = reply.into_inner();
            replies.push(Reply {
                method: reply.method,
                url: reply.url,
                status: reply.status,
                headers: reply.headers,
                body: body(at, reply.body, reply.body_file)?,
            });
        }
        let at = raw.outcome.span().start;
        let outcome = raw.outcome.into_inner();
        let result = outcome.result.map(|json| serde_json::from_str(&json)).transpose();
        let result = result.map_err(|error| refuse(at, Problem::Expected { expected: format!("JSON: {error}") }))?;
        Ok(Self {
            template,
            name: name.to_owned(),
            arguments: raw.arguments,
            settings: raw.settings,
            replies,
            files,
            outcome: ExpectedOutcome { kind: outcome.kind, result, error: outcome.error },
            script: None,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    #[serde(default)]
    arguments: BTreeMap<String, Value>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
    #[serde(default)]
    replies: Vec<toml::Spanned<RawReply>>,
    #[serde(default)]
    files: Vec<toml::Spanned<RawFile>>,
    outcome: toml::Spanned<RawOutcome>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReply {
    method: String,
    url: String,
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    body_file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    path: String,
    body: Option<String>,
    body_file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOutcome {
    kind: String,
    result: Option<String>,
    error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Case, CatalogError> {
        let template = "t/things".parse().expect("it is an id");
        let side = |name: &str| (name == "page.json").then(|| "[1]".to_owned());
        Case::parse(template, "default", "default.toml", text, side)
    }

    const REPLY: &str = "[[replies]]\nmethod = \"GET\"\nurl = \"t:/\"\nstatus = 200\n";
    const OUTCOME: &str = "[outcome]\nkind = \"ok\"\nresult = \"[1, 2.5]\"\n";

    #[test]
    fn a_case_is_read_with_its_side_files() {
        let case =
            parse(&format!("{REPLY}body_file = \"page.json\"\n{OUTCOME}")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(case.replies[0].body, "[1]");
        assert_eq!(case.outcome.result, Some(serde_json::json!([1, 2.5])));
    }

    #[test]
    fn faults_are_found_in_their_table() {
        for (text, line, expected) in [
            (format!("{REPLY}{OUTCOME}"), 1, "either `body` or `body_file`"),
            (format!("\n{REPLY}body_file = \"no.json\"\n{OUTCOME}"), 2, "either `body` or `body_file`"),
            (format!("{REPLY}body = \"\"\nbody_file = \"page.json\"\n{OUTCOME}"), 1, "either `body` or `body_file`"),
            ("[outcome]\nkind = \"ok\"\nresult = \"[\"\n".to_owned(), 1, "expected JSON"),
            ("[outcome]\nkind = \"ok\"\nresults = \"[]\"\n".to_owned(), 3, "unknown field `results`"),
        ] {
            let error = parse(&text).expect_err(&text);
            assert_eq!(error.line, line, "{text}{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
