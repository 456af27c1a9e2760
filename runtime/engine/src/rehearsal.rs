//! Runs a template's cases in the real sandbox, against the replies and files of the case.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_capability::Method;
use intentbox_catalog::case::{Reply as Canned, ToolReply};
use intentbox_catalog::json::parse_value;
use intentbox_catalog::{Case, CaseFile, Template};
use intentbox_report::Spent;
use intentbox_sandbox::abi::{Call, FileEntry, HttpReply, HttpRequest, Reply, decode};
use intentbox_sandbox::{Answer, Calls, Deterministic, Job, Pending, RunError, Sandbox};
use serde_json::Value;
use url::Url;

use crate::ended::{HostRecord, of_run};
use crate::plan::{limits_of, script_of};
use crate::result_check;

/// When every case takes place, in milliseconds after 1970: 2026-11-20T12:00:00Z. Files were changed at that moment too.
const NOW_UNIX_MS: u64 = 1_795_176_000_000;

/// Answers each request with the next canned reply, if it is the request that the reply is for, and reads from the files
/// of the case.
#[derive(Debug)]
struct CannedCalls {
    replies: Mutex<Vec<Canned>>,
    files: Vec<CaseFile>,
    tools: Mutex<CannedTools>,
}

/// The calls of tools that are to come, and those that were begun.
#[derive(Debug)]
struct CannedTools {
    left: VecDeque<ToolReply>,
    begun: BTreeMap<u32, Result<Value, String>>,
}

/// Runs one case, and returns how the run differs from it, including replies that were never requested.
pub(crate) async fn rehearse(sandbox: &Sandbox, template: &Template, case: &Case) -> Result<(), String> {
    let expected = &case.outcome;
    let arguments = match template.check(&case.arguments, &case.settings) {
        Ok(arguments) => arguments,
        Err(error) => {
            let (kind, message) = ("param_invalid", error.to_string());
            let fits = expected.kind == kind && expected.error.iter().all(|part| message.contains(part));
            return if fits { Ok(()) } else { Err(format!("ends as {kind}: {message}")) };
        }
    };
    let script = template.render(&arguments).map_err(|error| format!("it does not render: {error}"))?;
    if case.script.as_deref() != Some(script.source()) {
        return Err("the script kept beside the case is not the one that it renders to".to_owned());
    }
    let limits = limits_of(template).check().map_err(|error| error.to_string())?;
    let parsed = script_of(template, &script, &limits).map_err(|error| error.to_string())?;
    let params = serde_json::to_string(&arguments).map_err(|error| error.to_string())?;
    let tools = CannedTools { left: case.tools.iter().cloned().collect(), begun: BTreeMap::new() };
    let (replies, tools) = (Mutex::new(case.replies.clone()), Mutex::new(tools));
    let calls = Arc::new(CannedCalls { replies, files: case.files.clone(), tools });
    let deterministic = Some(Deterministic { seed: 0, unix_ns: NOW_UNIX_MS * 1_000_000 });
    let job = Job { limits, deterministic, ..Job::new(&parsed, &params) };
    let ended = sandbox.run(job, Arc::clone(&calls) as Arc<_>).await;
    let ended = ended.map_err(|error: RunError| error.to_string())?;
    let asked = case.replies.len() as u64;
    let spent = Spent { http_requests: asked, tool_calls: case.tools.len() as u64, ..Spent::default() };
    let record = HostRecord { spent, ..HostRecord::default() };
    let report = result_check::checked(template, of_run(crate::new_run_id(), ended, record));
    let kind = report.outcome().terms().name;
    let error = report.failure.as_ref().map_or(String::new(), |error| {
        format!("{}\n{}", error.message, error.traceback.as_deref().unwrap_or_default())
    });
    if kind != expected.kind {
        return Err(format!("ends as {kind}, not as {}: {error}", expected.kind));
    }
    if let Some(part) = expected.error.as_ref().filter(|part| !error.contains(*part)) {
        return Err(format!("its error does not say {part:?}: {error}"));
    }
    let result: Option<Value> = report.result.and_then(|json| parse_value(json.get()).ok());
    if result != expected.result {
        let shown = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), ToString::to_string);
        return Err(format!("its result is {}, not {}", shown(&result), shown(&expected.result)));
    }
    let left = calls.replies.lock().unwrap_or_else(PoisonError::into_inner).len();
    if left > 0 {
        return Err(format!("{left} of its replies were never asked for"));
    }
    let left = calls.tools.lock().unwrap_or_else(PoisonError::into_inner).left.len();
    if left > 0 {
        return Err(format!("{left} of its tools were never called"));
    }
    Ok(())
}

impl Calls for CannedCalls {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        let answer = match decode::<Call<'_>>(&message) {
            Ok(Call::Http(request)) => Some(self.http(&request)),
            Ok(Call::ListFiles { folder }) => Some(self.list_files(folder)),
            Ok(Call::ReadFile { path, offset, length }) => Some(self.read_file(path, offset, length)),
            Ok(Call::Tool { server, tool, arguments }) => Some(match self.tool(server, tool, arguments) {
                Ok(answer) => answered(&answer),
                Err(message) => failed("case", &message),
            }),
            Ok(Call::BeginTool { server, tool, arguments }) => Some(match self.tool(server, tool, arguments) {
                Ok(answer) => {
                    let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
                    let number = tools.begun.keys().next_back().map_or(1, |last| last + 1);
                    tools.begun.insert(number, answer);
                    Answer::reply(&Reply::Begun(number))
                }
                Err(message) => failed("case", &message),
            }),
            Ok(Call::EndTool { call }) => {
                let begun = self.tools.lock().unwrap_or_else(PoisonError::into_inner).begun.get(&call).cloned();
                Some(begun.map_or_else(
                    || failed("no_such_call", "no call with this number goes on"),
                    |begun| answered(&begun),
                ))
            }
            Ok(Call::FindTools { .. } | Call::DescribeTool { .. }) => {
                Some(failed("case", "a case tells answers of tools that are called, and no others"))
            }
            Err(_) => None,
        };
        Box::pin(std::future::ready(answer))
    }
}

fn failed(kind: &str, message: &str) -> Answer {
    Answer::reply(&Reply::Failed { kind, message })
}

fn answered(answer: &Result<Value, String>) -> Answer {
    match answer {
        Ok(value) => Answer::reply(&Reply::Tool(&value.to_string())),
        Err(text) => failed("tool_failed", text),
    }
}

impl CannedCalls {
    /// The answer to the next call, if it is the one that comes.
    fn tool(&self, server: &str, tool: &str, arguments: &str) -> Result<Result<Value, String>, String> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(next) = tools.left.pop_front() else {
            return Err(format!("the case has no answer left for {server}: {tool}"));
        };
        if (next.server.as_str(), next.tool.as_str()) != (server, tool)
            || parse_value(arguments).ok().as_ref() != Some(&next.arguments)
        {
            let ToolReply { server: other, tool: expected, arguments: with, .. } = &next;
            return Err(format!(
                "the case expects {other}: {expected} with {with}, and the script called {server}: {tool} with {arguments}"
            ));
        }
        Ok(next.answer)
    }

    fn http(&self, request: &HttpRequest<'_>) -> Answer {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let fail = |message: String| Answer::reply(&Reply::Failed { kind: "case", message: &message });
        if replies.is_empty() {
            return fail(format!("the case has no reply left for {} {}", request.method, request.url));
        }
        let reply = replies.remove(0);
        let asked = (request.method.parse::<Method>().ok(), parts(request.url));
        if asked != (reply.method.parse().ok(), parts(&reply.url)) {
            let (method, url) = (request.method, request.url);
            return fail(format!(
                "the case expects {} {}, and the script asked {method} {url}",
                reply.method, reply.url
            ));
        }
        // Egress hands names over in lower case, and so does this.
        let headers: Vec<_> = reply.headers.iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
        Answer::reply(&Reply::Http(HttpReply {
            status: reply.status,
            url: request.url,
            headers: headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            body: reply.body.as_bytes(),
        }))
    }

    fn list_files(&self, folder: &str) -> Answer {
        let inside = |path: &str| {
            let below = path.strip_prefix(folder.trim_end_matches('/'));
            below.is_some_and(|below| folder.ends_with(':') || below.starts_with('/'))
        };
        let mut files: Vec<&CaseFile> = self.files.iter().filter(|file| inside(&file.path)).collect();
        files.sort_by(|one, two| one.path.cmp(&two.path));
        let modified_unix_ms = NOW_UNIX_MS.cast_signed();
        let entries =
            files.iter().map(|file| FileEntry { path: &file.path, bytes: file.body.len() as u64, modified_unix_ms });
        Answer::reply(&Reply::Files { files: entries.collect(), unread: Vec::new() })
    }

    fn read_file(&self, path: &str, offset: u64, length: u32) -> Answer {
        let Some(file) = self.files.iter().find(|file| file.path == path) else {
            let message = format!("{path}: there is no such file");
            return Answer::reply(&Reply::Failed { kind: "not_found", message: &message });
        };
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(file.body.len());
        let end = start.saturating_add(length as usize).min(file.body.len());
        Answer::reply(&Reply::Piece(&file.body.as_bytes()[start..end]))
    }
}

/// A URL with its query as pairs: `+` and `%20` are the same request.
fn parts(url: &str) -> Option<(String, Vec<(String, String)>)> {
    let url = Url::parse(url).ok()?;
    Some((url.path().to_owned(), url.query_pairs().into_owned().collect()))
}
