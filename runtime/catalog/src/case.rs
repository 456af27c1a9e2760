//! Case files: examples of a template that serve as its tests.
//!
//! A case is a file `<pack>/<name>/cases/<case>.toml`, where `<case>` is a name like those of templates. It describes
//! one run: arguments and settings, requests with their replies, and the outcome. The script that the arguments render to is
//! kept beside it, unless the arguments are rejected: that of the case `default` as `default.py`, that of another as
//! `<case>.bindings`, the lines that bind other values than `default` ([`bindings`]), or as `<case>.py` where it differs in more.
//! This crate's tests compare the scripts, and the engine runs them against the replies; both read the files through here.
//!
//! Folders of templates are untrusted: a case is bounded, and describes only what could happen.
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
//! [[files]]                   # files in the directories that the template reads
//! path = "logs:app.log"
//! body = "…"                  # or: body_file
//!
//! [[tools]]                   # calls of tools of upstream servers
//! tool = "git: git_log"       # as a rule of the policy names one
//! arguments = '{"max_count": 3}'
//! result = '["a", "b"]'       # JSON, as the script gets it; or: error = "the text of a tool that failed"
//!
//! [outcome]
//! kind = "ok"                 # a name of an outcome, as a report has it
//! result = "[]"               # JSON; or: error = "a part of the error's text"
//! ```

use std::collections::BTreeMap;

use intentbox_capability::{Alias, Method, PATH_BYTES_MAX, Reads, ServerId, URL_BYTES_MAX, is_tool_name};
use serde::Deserialize;
use serde_json::Value;

use crate::bindings::{bindings, with_bindings};
use crate::catalog::{CatalogError, FILE_BYTES_MAX, Problem};
use crate::id::{TemplateId, is_name};
use crate::json::parse_value;
use crate::param_error::shown;

/// The case whose script is kept whole.
const DEFAULT: &str = "default";

/// The most replies, and the most files, of a case. A run may send 64 requests unless it is given more, so that this is
/// enough for every template; the longest case so far has ten.
const TOLD_MAX: usize = 100;

/// The most headers of one reply: what HTTP servers and clients commonly accept.
const HEADERS_MAX: usize = 100;

/// The most bytes that the replies and files of a case hold together. One file beside the case can be the body of all
/// replies, and each has a copy of it: 64 KiB of case would otherwise become many megabytes.
const BODIES_BYTES_MAX: usize = 1 << 20;

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
    /// The tools that the script calls, in the order in which the calls begin, each with its answer. A call that is not the next
    /// one here is a failure, and so is one that never comes.
    pub tools: Vec<ToolReply>,
    /// How the run ends.
    pub outcome: ExpectedOutcome,
    /// The script as it was last reviewed; nothing when none is kept.
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

/// One expected call of a tool and what it gets.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The arguments: an object.
    pub arguments: Value,
    /// What the script gets, or the text of a tool that says that it failed.
    pub answer: Result<Value, String>,
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
        let text = |path: &str| -> Result<Option<String>, CatalogError> {
            let Some(bytes) = files.get(path) else { return Ok(None) };
            let refuse = |problem| CatalogError::at_start(path.to_owned(), problem);
            if bytes.len() > FILE_BYTES_MAX {
                return Err(refuse(Problem::TooLarge { bytes: bytes.len(), bytes_max: FILE_BYTES_MAX }));
            }
            let text = std::str::from_utf8(bytes).map_err(|_| refuse(Problem::NotUtf8))?;
            Ok(Some(text.to_owned()))
        };
        let mut cases = Vec::new();
        for path in files.keys() {
            let Some((folder, file)) = path.split_once("/cases/") else {
                continue;
            };
            let (Ok(template), Some(name)) = (folder.parse::<TemplateId>(), file.strip_suffix(".toml")) else {
                continue;
            };
            let source = text(path)?.unwrap_or_default();
            let side = |side: &str| text(&format!("{folder}/cases/{side}"));
            let mut case = Self::parse(template, name, path, &source, side)?;
            case.script = match (side(&format!("{name}.py"))?, side(&format!("{name}.bindings"))?) {
                // Lines that no longer fit are those of another script, and show as such when the case is rendered.
                (None, Some(lines)) => {
                    side(&format!("{DEFAULT}.py"))?.and_then(|default| with_bindings(&default, &lines))
                }
                (whole, _) => whole,
            };
            cases.push(case);
        }
        Ok(cases)
    }

    /// The files that keep `script` for this case: path in the folder of templates and text, or no text for a file that must not be
    /// there. `default` is the script of the template's case of that name.
    #[must_use]
    pub fn kept(&self, script: &str, default: Option<&str>) -> [(String, Option<String>); 2] {
        let lines = default.filter(|_| self.name != DEFAULT).and_then(|default| bindings(default, script));
        let whole = lines.is_none().then(|| script.to_owned());
        let path = |ending| format!("{}/cases/{}.{ending}", self.template, self.name);
        [(path("py"), whole), (path("bindings"), lines)]
    }

    /// Whether this is the case whose script those of the others are compared with.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT
    }

    /// Parses one case from the `text` of `file`; `side` returns the text of a file beside it, or `None` if there is
    /// none.
    fn parse(
        template: TemplateId,
        name: &str,
        file: &str,
        text: &str,
        side: impl Fn(&str) -> Result<Option<String>, CatalogError>,
    ) -> Result<Self, CatalogError> {
        let refuse = |offset: usize, problem: Problem| CatalogError::at_offset(file, text, offset, problem);
        let expected = |at: usize, expected: &str| refuse(at, Problem::Expected { expected: expected.to_owned() });
        if !is_name(name) {
            return Err(refuse(0, Problem::Name { found: shown(name) }));
        }
        let raw: RawCase = toml::from_str(text).map_err(|error| {
            let message = error.message().trim_end().to_owned();
            refuse(error.span().map_or(0, |span| span.start), Problem::Toml { message })
        })?;
        for (what, told) in [
            ("replies", raw.replies.get(TOLD_MAX).map(toml::Spanned::span)),
            ("files", raw.files.get(TOLD_MAX).map(toml::Spanned::span)),
            ("tools", raw.tools.get(TOLD_MAX).map(toml::Spanned::span)),
        ] {
            if let Some(first_too_many) = told {
                return Err(expected(first_too_many.start, &format!("at most {TOLD_MAX} {what}")));
            }
        }
        let mut bytes_left = BODIES_BYTES_MAX;
        let mut body = |at: usize, body: Option<String>, body_file: Option<String>| -> Result<String, CatalogError> {
            let text = match (body, body_file) {
                (Some(body), None) => Some(body),
                (None, Some(file)) => side(&file)?,
                _ => None,
            };
            let text = text.ok_or_else(|| expected(at, "either `body` or `body_file`, a file beside the case"))?;
            let left = bytes_left.checked_sub(text.len());
            let too_many = || expected(at, &format!("at most {BODIES_BYTES_MAX} bytes in all bodies of the case"));
            bytes_left = left.ok_or_else(too_many)?;
            Ok(text)
        };
        let mut files = Vec::new();
        for file in raw.files {
            let at = file.span().start;
            let file = file.into_inner();
            if !is_file(&file.path) {
                let path = format!("a path such as `logs:app/api.log` of at most {PATH_BYTES_MAX} bytes");
                return Err(expected(at, &path));
            }
            files.push(CaseFile { path: file.path, body: body(at, file.body, file.body_file)? });
        }
        let mut replies = Vec::new();
        for reply in raw.replies {
            let at = reply.span().start;
            let reply = reply.into_inner();
            if let Some(fault) = fault_of(&reply) {
                return Err(expected(at, &fault));
            }
            replies.push(Reply {
                method: reply.method,
                url: reply.url,
                status: reply.status,
                headers: reply.headers,
                body: body(at, reply.body, reply.body_file)?,
            });
        }
        let mut tools = Vec::new();
        for tool in raw.tools {
            let at = tool.span().start;
            tools.push(tool_reply(tool.into_inner()).map_err(|fault| expected(at, &fault))?);
        }
        let at = raw.outcome.span().start;
        let outcome = raw.outcome.into_inner();
        if !is_name(&outcome.kind) {
            return Err(expected(at, "the name of an outcome as `kind`, such as ok or python_error"));
        }
        let result = outcome.result.map(|json| parse_value(&json)).transpose();
        let result = result.map_err(|error| expected(at, &format!("JSON: {error}")))?;
        Ok(Self {
            template,
            name: name.to_owned(),
            arguments: raw.arguments,
            settings: raw.settings,
            replies,
            files,
            tools,
            outcome: ExpectedOutcome { kind: outcome.kind, result, error: outcome.error },
            script: None,
        })
    }
}

/// The call of a tool. Its bounds are those of the file that it stands in.
///
/// # Errors
/// What to write in place of what no script could call or get.
fn tool_reply(raw: RawToolReply) -> Result<ToolReply, String> {
    let named = raw.tool.split_once(':').map(|(server, tool)| (server.trim(), tool.trim()));
    let named = named.filter(|(server, tool)| server.parse::<ServerId>().is_ok() && is_tool_name(tool));
    let (server, tool) = named.ok_or("one tool of a server as `tool`, such as `git: git_log`")?;
    let (server, tool) = (server.to_owned(), tool.to_owned());
    let arguments = raw.arguments.as_deref().map_or(Ok(Value::Object(serde_json::Map::new())), parse_value);
    let arguments = arguments.map_err(|error| format!("JSON as `arguments`: {error}"))?;
    if !arguments.is_object() {
        return Err("an object as `arguments`".to_owned());
    }
    let answer = match (raw.result, raw.error) {
        (Some(result), None) => Ok(parse_value(&result).map_err(|error| format!("JSON as `result`: {error}"))?),
        (None, Some(error)) => Err(error),
        _ => return Err("either `result` or `error`".to_owned()),
    };
    Ok(ToolReply { server, tool, arguments, answer })
}

/// Whether a script can name this file: it is one whose directory it may read.
fn is_file(path: &str) -> bool {
    let Some((alias, file)) = path.split_once(':') else { return false };
    let Ok(alias) = alias.parse::<Alias>() else { return false };
    !file.is_empty() && Reads::of([alias]).admit(path).is_ok()
}

/// What to write in place of a reply that no server could send, or a request that no script could make.
fn fault_of(reply: &RawReply) -> Option<String> {
    // The form of a name in HTTP, and a value on one line.
    let is_field = |name: &str| {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        !name.is_empty() && name.bytes().all(is_token)
    };
    let is_value = |value: &str| !value.contains(|letter: char| letter.is_control() && letter != '\t');
    let is_blank = |letter: char| letter.is_control() || letter.is_whitespace();
    if reply.method.parse::<Method>().is_err() {
        Some("a method: GET, HEAD, POST, PUT, PATCH or DELETE".to_owned())
    } else if reply.url.is_empty() || reply.url.len() > URL_BYTES_MAX || reply.url.contains(is_blank) {
        Some(format!("a URL of at most {URL_BYTES_MAX} bytes without white space, such as `sentry:/api/0/`"))
    } else if !(200..=599).contains(&reply.status) {
        // What comes before an answer (1xx) no script sees.
        Some(format!("a status from 200 to 599, found {}", reply.status))
    } else if reply.headers.len() > HEADERS_MAX {
        Some(format!("at most {HEADERS_MAX} headers, found {}", reply.headers.len()))
    } else {
        let mut headers = reply.headers.iter();
        let wrong = headers.find(|(name, value)| !is_field(name) || !is_value(value))?;
        Some(format!("a header that HTTP can carry, found {}", shown(wrong.0)))
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
    #[serde(default)]
    tools: Vec<toml::Spanned<RawToolReply>>,
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
struct RawToolReply {
    tool: String,
    arguments: Option<String>,
    result: Option<String>,
    error: Option<String>,
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
        let side = |name: &str| {
            Ok(match name {
                "page.json" => Some("[1]".to_owned()),
                "large.json" => Some("x".repeat(FILE_BYTES_MAX)),
                _ => None,
            })
        };
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

    /// A reply with one line of [`REPLY`] replaced, and what else is given after it.
    fn reply(line: &str, other: &str, more: &str) -> String {
        let reply = REPLY.replace(line, other);
        assert!(line.is_empty() || reply != REPLY, "{line} is a line of it");
        format!("{reply}body = \"\"\n{more}\n{OUTCOME}")
    }

    #[test]
    fn what_could_not_happen_is_no_reply() {
        let (get, url, ok) = ("method = \"GET\"", "url = \"t:/\"", "status = 200");
        let long = |bytes: usize| format!("url = \"t:/{}\"", "x".repeat(bytes - "t:/".len()));
        let headers = |count: usize| {
            let lines: Vec<String> = (0..count).map(|at| format!("x-{at} = \"1\"\n")).collect();
            format!("[replies.headers]\n{}", lines.concat())
        };
        for good in [
            reply(get, "method = \"delete\"", ""),
            reply(url, &long(URL_BYTES_MAX), ""),
            reply(ok, "status = 599", ""),
            reply("", "", &headers(HEADERS_MAX)),
            reply("", "", "[replies.headers]\nLink = '<t:/>; rel=\"next\",\t<t:/>'"),
        ] {
            assert!(parse(&good).is_ok(), "{good}");
        }
        for (bad, rule) in [
            (reply(get, "method = \"TRACE\"", ""), "expected a method: GET, HEAD, POST, PUT, PATCH or DELETE"),
            (reply(url, &long(URL_BYTES_MAX + 1), ""), "expected a URL of at most 8192 bytes"),
            (reply(url, "url = \"\"", ""), "expected a URL of at most 8192 bytes"),
            (reply(url, "url = \"t:/\\n\"", ""), "expected a URL of at most 8192 bytes without white space"),
            (reply(ok, "status = 199", ""), "expected a status from 200 to 599, found 199"),
            (reply(ok, "status = 600", ""), "expected a status from 200 to 599, found 600"),
            (reply("", "", &headers(HEADERS_MAX + 1)), "expected at most 100 headers, found 101"),
            (reply("", "", "[replies.headers]\n\"a b\" = \"\""), "a header that HTTP can carry, found \"a b\""),
            (reply("", "", "[replies.headers]\na = \"b\\nc\""), "a header that HTTP can carry, found \"a\""),
        ] {
            let error = parse(&bad).expect_err(rule);
            assert!(error.to_string().contains(rule) && error.line == 1, "{error}");
        }
    }

    #[test]
    fn a_call_of_a_tool_is_read_with_its_answer() {
        let tools = |lines: &str| parse(&format!("[[tools]]\n{lines}\n{OUTCOME}"));
        let read = tools("tool = \"git: git_log\"\narguments = '{\"a\": 1}'\nresult = '[2]'").expect("a call");
        let (server, tool) = ("git".to_owned(), "git_log".to_owned());
        let arguments = serde_json::json!({"a": 1});
        assert_eq!(read.tools, [ToolReply { server, tool, arguments, answer: Ok(serde_json::json!([2])) }]);
        let failed = tools("tool = \"git: git_log\"\nerror = \"no\"").expect("a call");
        assert_eq!(failed.tools[0].answer, Err("no".to_owned()));
        for (lines, rule) in [
            ("tool = \"git\"\nresult = '1'", "expected one tool of a server as `tool`"),
            ("tool = \"git: *\"\nresult = '1'", "expected one tool of a server as `tool`"),
            ("tool = \"git: a\"\nresult = 'x'", "expected JSON as `result`"),
            ("tool = \"git: a\"\nresult = '1'\narguments = '5'", "expected an object as `arguments`"),
            ("tool = \"git: a\"\nresult = '1'\narguments = '{'", "expected JSON as `arguments`"),
            ("tool = \"git: a\"", "expected either `result` or `error`"),
            ("tool = \"git: a\"\nresult = '1'\nerror = \"x\"", "expected either `result` or `error`"),
        ] {
            let error = tools(lines).expect_err(rule);
            assert!(error.to_string().contains(rule) && error.line == 1, "{error}");
        }
        let many =
            |count: usize| parse(&format!("{}{OUTCOME}", "[[tools]]\ntool = \"a: b\"\nresult = '1'\n".repeat(count)));
        assert_eq!(many(TOLD_MAX).expect("that many").tools.len(), TOLD_MAX);
        assert!(many(TOLD_MAX + 1).expect_err("one too many").to_string().contains("expected at most 100 tools"));
    }

    #[test]
    fn a_case_is_bounded() {
        let replies = |count: usize| format!("{}{OUTCOME}", format!("{REPLY}body = \"\"\n").repeat(count));
        assert_eq!(parse(&replies(TOLD_MAX)).expect("that many").replies.len(), TOLD_MAX);
        let error = parse(&replies(TOLD_MAX + 1)).expect_err("one too many");
        assert!(error.to_string().contains("expected at most 100 replies"), "{error}");
        assert_eq!(error.line, 1 + 5 * TOLD_MAX, "the first that is too many");

        let files = |count: usize, path: &str| {
            format!("{}{OUTCOME}", format!("[[files]]\npath = \"{path}\"\nbody = \"\"\n").repeat(count))
        };
        assert_eq!(parse(&files(TOLD_MAX, "logs:a/b.log")).expect("that many").files.len(), TOLD_MAX);
        let error = parse(&files(TOLD_MAX + 1, "logs:a/b.log")).expect_err("one too many");
        assert!(error.to_string().contains("expected at most 100 files"), "{error}");
        for path in ["logs", "logs:", ":a", "logs:../a", "logs:/a", "LOGS:a", &format!("logs:{}", "a/".repeat(9_000))] {
            let error = parse(&files(1, path)).expect_err(path);
            assert!(error.to_string().contains("expected a path such as `logs:app/api.log`"), "{error}");
        }

        // Sixteen times 64 KiB are as many bytes as a case may have, and each is one line of text here.
        let large = format!("{REPLY}body_file = \"large.json\"\n");
        assert!(parse(&format!("{}{OUTCOME}", large.repeat(16))).is_ok());
        let error = parse(&format!("{}{OUTCOME}", large.repeat(17))).expect_err("too many bytes");
        assert!(error.to_string().contains("expected at most 1048576 bytes in all bodies"), "{error}");

        let kind = OUTCOME.replace("ok", "no outcome\\n");
        assert!(parse(&kind).expect_err("no name").to_string().contains("expected the name of an outcome"));
    }

    #[test]
    fn files_of_cases_are_text_of_bounded_length() {
        let read = |name: &str, bytes: &[u8]| {
            let case = OUTCOME.as_bytes();
            let files = [("t/things/cases/default.toml", case), (name, bytes)];
            let cases = Case::from_files(files).map_err(|error| format!("{}: {}", error.file, error.problem))?;
            Ok::<_, String>(cases.len())
        };
        let long = vec![b'#'; FILE_BYTES_MAX + 1];
        assert_eq!(read("t/things/cases/other.toml", OUTCOME.as_bytes()), Ok(2));
        for file in ["t/things/cases/other.toml", "t/things/cases/default.py"] {
            assert_eq!(read(file, &long), Err(format!("{file}: expected at most 65536 bytes, found 65537")));
            assert_eq!(read(file, b"\xff"), Err(format!("{file}: expected UTF-8 text")));
        }
        let name = format!("t/things/cases/{}.toml", "x".repeat(41));
        for name in [name.as_str(), "t/things/cases/a b.toml", "t/things/cases/a/b.toml"] {
            let error = read(name, OUTCOME.as_bytes()).expect_err(name);
            assert!(error.contains("expected a name of [a-z][a-z0-9_]*, at most 40 characters"), "{error}");
        }
    }
}
