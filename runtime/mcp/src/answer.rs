//! Formats a report for a model.
//!
//! Every word costs tokens, twice if a client shows both forms. So the text is the result alone, and the structured
//! form has the same content with names. On failure, the first line says what went wrong, and the last what to change.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use intentbox_catalog::json::{Shape, parse_value};
use intentbox_engine::{Cause, Failure, NearName, Outcome, Principal, Rephrase, Report, Takes};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

use crate::results::{PAGE_CHARS_MAX, Page, Results};
use crate::words;

/// The longest result that is sent whole, in characters; of a longer one only the start is sent.
pub(crate) const INLINE_CHARS_MAX: usize = PAGE_CHARS_MAX;

/// How much of a longer one is sent, in characters: enough to see its shape.
const PREVIEW_CHARS: usize = 1_000;

/// How much of a traceback, in frames: the last ones say where it happened.
const FRAMES_MAX: usize = 3;

/// The longest message, hint or line of a traceback, in characters.
const LINE_CHARS_MAX: usize = 1_000;

/// The most refusals and candidates that are listed.
pub(crate) const LISTED_MAX: usize = 5;

/// The note on a structured result with whole numbers that 64 bits do not hold.
const LONG_NUMBERS: &str = "whole numbers beyond 64 bits are texts in `result`";

/// The answer to a finished call. A result that is too large is kept in `results` for `principal`.
pub(crate) fn of_report(
    report: &Report,
    note: Option<&str>,
    principal: &Principal,
    results: &Results,
) -> CallToolResult {
    let (text, structured) = (String::new(), JsonObject::new());
    let mut answer = AnswerBuilder { text, structured, has_long_numbers: false, principal, results };
    answer.put("outcome", json!(report.outcome().terms().name));
    match &report.failure {
        None => answer.result(report),
        Some(failure) => answer.failure(failure, report),
    }
    for mended in &report.mended {
        answer.line(&format!("read: {} as {}", mended.said, mended.meant));
    }
    if !report.mended.is_empty() {
        answer.put("mended", json!(report.mended));
    }
    if report.failure.is_none() && !report.passed_over.is_empty() {
        answer.line(&format!("passed over: {}", report.passed_over.join(", ")));
        answer.put("passed_over", json!(report.passed_over));
    }
    for inferred in &report.inferred {
        answer.line(&inferred.to_string());
    }
    if !report.inferred.is_empty() {
        answer.put("inferred", json!(report.inferred));
    }
    // Who asked in words sees what was read from them, and what was not.
    if let Some(chosen) = report.chosen.as_ref().filter(|_| report.failure.is_none()) {
        answer.line(&cut(&format!("asked with: {}", Value::Object(chosen.clone()))));
        answer.put("asked_with", json!(chosen));
    }
    if let Some(window) = report.window.as_ref().filter(|_| report.failure.is_none()) {
        answer.line(&window.to_string());
        answer.put("window", json!(window.words));
    }
    if let Some(unlisted) = report.listed.and_then(words::unlisted) {
        answer.line(&unlisted);
        answer.put("listed", json!(report.listed));
    }
    if let Some(unread) = &report.unread {
        answer.line(&format!("note: {unread}"));
        answer.put("unread", json!(unread));
    }
    answer.output("stdout", &report.stdout, report.stdout_truncated);
    // What a template writes there is about its answer, and no error.
    let is_note = report.failure.is_none() && report.target.as_ref().is_some_and(|target| target.template().is_some());
    if is_note && report.stderr.chars().nth(INLINE_CHARS_MAX).is_none() && !report.stderr.is_empty() {
        answer.line(&format!("note: {}", report.stderr.trim_end()));
        answer.put("stderr", json!(report.stderr));
    } else {
        answer.output("stderr", &report.stderr, report.stderr_truncated);
    }
    if report.outcome() != Outcome::CapabilityDenied {
        let refused: Vec<&str> =
            report.refusals.iter().take(LISTED_MAX).map(|refused| refused.message.as_str()).collect();
        if !refused.is_empty() {
            answer.line(&format!("refused: {}", refused.join("; ")));
            answer.put("refused", json!(refused));
        }
    }
    if let Some(note) = note {
        answer.line(note);
    }
    // The text has the numbers as they are, so the note about them is for the structured form alone.
    let notes: Vec<&str> = note.into_iter().chain(answer.has_long_numbers.then_some(LONG_NUMBERS)).collect();
    if !notes.is_empty() {
        answer.put("note", json!(notes.join("; ")));
    }
    answer.finish(report.failure.is_some())
}

/// The answer with a page of a result: its place in the first line, and the page from the second line on.
///
/// Both are one block. Some clients hand on the first block alone: a page in a block of its own would lose its place, or
/// the place its page. And a page may be blank, which some models refuse as a block. Whoever needs the page by itself, to
/// the byte, has `text` of the structured form, or the block from behind its first line feed.
pub(crate) fn of_page(page: Page, offset: usize) -> CallToolResult {
    let Page { text, next, of } = page;
    let end = offset + text.chars().count();
    let mut block = if offset.is_multiple_of(PAGE_CHARS_MAX) {
        let (page, pages) = (offset / PAGE_CHARS_MAX + 1, pages(of));
        format!("page {page} of {pages}: characters {offset} to {end} of {of}")
    } else {
        format!("characters {offset} to {end} of {of}")
    };
    match next {
        Some(next) => _ = write!(block, "; continue with offset {next}"),
        None => block.push_str("; this is the end"),
    }
    block.push('\n');
    block.push_str(&text);
    let mut structured = JsonObject::new();
    structured.insert("text".to_owned(), json!(text));
    if let Some(next) = next {
        structured.insert("next".to_owned(), json!(next));
    }
    structured.insert("of".to_owned(), json!(of));
    let mut result = CallToolResult::success(vec![ContentBlock::text(block)]);
    result.structured_content = Some(Value::Object(structured));
    result
}

/// How many pages a text of so many characters has.
fn pages(of: usize) -> usize {
    of.div_ceil(PAGE_CHARS_MAX).max(1)
}

/// The answer to an invalid call: the text alone, since the tool's structured form does not apply.
pub(crate) fn of_refusal(report: &Report) -> CallToolResult {
    let mut text = report.failure.as_ref().map(|failure| cut(&failure.message)).unwrap_or_default();
    if let Some(hint) = words::hint(report) {
        let _ = write!(text, "\nhint: {hint}");
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The text and the structured form of an answer, while they are made.
struct AnswerBuilder<'a> {
    text: String,
    structured: JsonObject,
    /// Whether the structured result has numbers as texts.
    has_long_numbers: bool,
    principal: &'a Principal,
    results: &'a Results,
}

impl AnswerBuilder<'_> {
    fn put(&mut self, name: &str, value: Value) {
        self.structured.insert(name.to_owned(), value);
    }

    fn line(&mut self, line: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    fn result(&mut self, report: &Report) {
        let json = report.result.as_ref().map_or("null", |json| json.get());
        // A text is a text, without the quotes and escapes of JSON.
        let said = if json.starts_with('"') { serde_json::from_str::<String>(json).ok() } else { None };
        let text = said.as_deref().unwrap_or(json);
        if text.chars().nth(INLINE_CHARS_MAX).is_none() {
            // A model that forgot to bind its answer should not have to wonder.
            let is_unsaid = json == "null" && report.target.as_ref().is_none_or(|target| target.template().is_none());
            // A block without anything to see is one that some models refuse: then the text is the JSON, in its quotes.
            let text = if is_blank(text) { json } else { text };
            // What it printed is the answer then.
            let has_printed = !report.stdout.trim().is_empty();
            match (is_unsaid, has_printed) {
                (false, _) => self.line(text),
                (true, false) => self.line("null: nothing was assigned to `result`, or None was"),
                (true, true) => {}
            }
            let (value, has_long_numbers) = exact(json);
            self.put("result", value);
            self.has_long_numbers = has_long_numbers;
            return;
        }
        // A large one is not built to be looked at: as values it would take many times its memory.
        let shape = match Shape::of(json, LISTED_MAX) {
            Ok(Shape::List(items)) => format!("a list of {items} items"),
            Ok(Shape::Object { keys, has_more }) => {
                let keys: Vec<String> = keys.iter().map(|key| cut(key)).collect();
                format!("an object with the keys {}{}", keys.join(", "), if has_more { ", …" } else { "" })
            }
            Ok(Shape::Plain) | Err(_) => "a text".to_owned(),
        };
        self.large("result", text, &format!("{shape}, "), "handle");
    }

    /// The start of a text, and a handle to all of it.
    fn large(&mut self, what: &str, text: &str, shape: &str, handle_name: &str) {
        let of = text.chars().count();
        let preview: String = text.chars().take(PREVIEW_CHARS).collect();
        let Some(handle) = self.results.keep(self.principal, text) else {
            self.line(&format!("the {what} has {of} characters and cannot be kept: return less"));
            return;
        };
        let pages = pages(of);
        self.line(&format!(
            "{preview}…\nThe {what} is {shape}{of} characters in all. Read it with read_result, handle {handle}, in {pages} \
             pages of {PAGE_CHARS_MAX} characters, or return less."
        ));
        self.put(if what == "result" { "preview" } else { what }, json!(format!("{preview}…")));
        self.put(handle_name, json!(handle));
        let characters = if what == "result" { "characters".to_owned() } else { format!("{what}_characters") };
        self.put(&characters, json!(of));
    }

    fn output(&mut self, name: &str, text: &str, truncated: bool) {
        if text.is_empty() {
            return;
        }
        if text.chars().nth(INLINE_CHARS_MAX).is_some() {
            self.large(name, text, "", &format!("{name}_handle"));
        } else {
            self.line(&format!("{name}: {}", text.trim_end()));
            self.put(name, json!(text));
        }
        if truncated {
            self.line(&format!("{name} was truncated at its limit"));
            self.put(&format!("{name}_truncated"), json!(true));
        }
    }

    fn failure(&mut self, failure: &Failure, report: &Report) {
        let (name, kind) = (report.outcome().terms().name, failure.cause.kind());
        let mut message = cut(&failure.message);
        // What is missing makes sense together with what it is for.
        let template = report.target.as_ref().and_then(|target| target.template());
        if let (Cause::Missing, Some(template)) = (&failure.cause, template) {
            message = format!("{template}: {message}");
        }
        // Python's own errors and limits name themselves.
        let subject = format!("{kind}: ");
        let is_named = kind == name || message.starts_with(&subject);
        self.line(&format!("{name}: {}{message}", if is_named { "" } else { &subject }));
        let mut error = JsonObject::new();
        error.insert("kind".to_owned(), json!(kind));
        error.insert("message".to_owned(), json!(message));
        if let Some(traceback) = report.traceback().map(last_frames) {
            self.line(&traceback);
            error.insert("traceback".to_owned(), json!(traceback));
        }
        if let Some(rephrase) = failure.rephrase() {
            self.misread(rephrase, &mut error);
        }
        if let Some(hint) = words::hint(report) {
            self.line(&format!("hint: {hint}"));
            error.insert("hint".to_owned(), json!(hint));
        }
        self.put("error", Value::Object(error));
        let candidates: Vec<_> = report.candidates.iter().take(LISTED_MAX).collect();
        for candidate in &candidates {
            let params = if candidate.values.is_empty() {
                String::new()
            } else {
                format!(" with params {}", cut(&json!(candidate.values).to_string()))
            };
            let missing = if candidate.missing.is_empty() {
                String::new()
            } else {
                format!(", needs {}", candidate.missing.join(", "))
            };
            let not_taken = if candidate.not_taken.is_empty() {
                String::new()
            } else {
                format!(", takes no {}", candidate.not_taken.join(", "))
            };
            let passes_over = if candidate.passes_over.is_empty() {
                String::new()
            } else {
                format!(", passes over {}", candidate.passes_over.join(", "))
            };
            let summary = cut(&candidate.summary);
            self.line(&format!("- {}{params}{missing}{not_taken}{passes_over}: {summary}", candidate.template));
            if !candidate.takes.is_empty() {
                self.line(&cut(&format!("  its params: {}", Takes::line(&candidate.takes))));
            }
        }
        if !candidates.is_empty() {
            let candidate = |candidate: &&intentbox_engine::Candidate| {
                let score = (candidate.score * 100.0).round() / 100.0;
                let mut told = json!({"template": candidate.template, "summary": candidate.summary, "score": score});
                if !candidate.values.is_empty() {
                    told["params"] = json!(candidate.values);
                }
                if !candidate.missing.is_empty() {
                    told["missing"] = json!(candidate.missing);
                }
                if !candidate.not_taken.is_empty() {
                    told["not_taken"] = json!(candidate.not_taken);
                }
                if !candidate.passes_over.is_empty() {
                    told["passes_over"] = json!(candidate.passes_over);
                }
                if !candidate.takes.is_empty() {
                    told["takes"] = json!(candidate.takes);
                }
                told
            };
            self.put("candidates", candidates.iter().map(candidate).collect());
        }
    }

    /// What was not understood of an intent, and what would be. The hint words the second.
    fn misread(&mut self, rephrase: &Rephrase, error: &mut JsonObject) {
        if !rephrase.not_understood.is_empty() {
            self.line(&format!("not understood: {}", rephrase.not_understood.join(", ")));
            error.insert("not_understood".to_owned(), json!(rephrase.not_understood));
        }
        if let Some(nearest) = &rephrase.nearest {
            error.insert("nearest".to_owned(), json!(nearest));
        }
        let near_name =
            |near: &NearName| json!({"parameter": near.parameter, "written": near.written, "name": near.name});
        let near_names: Vec<Value> = rephrase.near_names.iter().map(near_name).collect();
        if !near_names.is_empty() {
            error.insert("near_names".to_owned(), Value::Array(near_names));
        }
    }

    fn finish(self, is_error: bool) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(Value::Object(self.structured));
        result
    }
}

/// Whether there is nothing to see in a text: spaces and line breaks of any kind, control characters, and marks of no
/// width. Models differ in what they count as white space.
fn is_blank(text: &str) -> bool {
    let is_unseen = |character: char| {
        character.is_whitespace() || character.is_control() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{feff}')
    };
    text.chars().all(is_unseen)
}

/// The result as a value, and whether it has numbers as texts: whole ones with more digits than 64 bits hold, which no
/// value is equal to. A result that is no value at all is its text.
fn exact(json: &str) -> (Value, bool) {
    let long = long_numbers(json);
    let mut quoted = String::new();
    let mut end = 0;
    for number in &long {
        let _ = write!(quoted, "{}\"{}\"", &json[end..number.start], &json[number.clone()]);
        end = number.end;
    }
    quoted.push_str(&json[end..]);
    match parse_value(&quoted) {
        Ok(value) => (value, !long.is_empty()),
        Err(_) => (json!(json), false),
    }
}

/// Where the whole numbers outside texts are that do not fit into 64 bits.
fn long_numbers(json: &str) -> Vec<Range<usize>> {
    let mut long = Vec::new();
    let mut is_text = false;
    let mut is_escaped = false;
    let mut digits = 0..0;
    let mut follows_point = false;
    for (at, byte) in json.bytes().chain([b' ']).enumerate() {
        if is_text {
            is_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        if byte.is_ascii_digit() {
            digits = if digits.end == at && !digits.is_empty() { digits.start..at + 1 } else { at..at + 1 };
            continue;
        }
        let is_whole = !follows_point && !matches!(byte, b'.' | b'e' | b'E');
        if is_whole && digits.end == at && digits.len() >= 19 {
            let is_negative = digits.start > 0 && json.as_bytes()[digits.start - 1] == b'-';
            let number = digits.start - usize::from(is_negative)..digits.end;
            let text = &json[number.clone()];
            let fits = if is_negative { text.parse::<i64>().is_ok() } else { text.parse::<u64>().is_ok() };
            long.extend((!fits).then_some(number));
        }
        follows_point = matches!(byte, b'.' | b'e' | b'E' | b'+') || (byte == b'-' && follows_point);
        is_text = byte == b'"';
    }
    long
}

/// The frames of a traceback that say where it happened: the last ones in files of the script, and the one that raised.
/// Frames of the library in between say how the library works.
fn last_frames(traceback: &str) -> String {
    let lines: Vec<&str> = traceback.trim_end().lines().collect();
    // The line that names the exception is above already.
    let until = lines.iter().rposition(|line| line.starts_with(' ')).map_or(lines.len(), |last| last + 1);
    let starts: Vec<usize> = (0..until).filter(|index| lines[*index].starts_with("  File ")).collect();
    if starts.is_empty() {
        return lines[..until].iter().map(|line| cut(line)).collect::<Vec<_>>().join("\n");
    }
    let ends = starts.iter().skip(1).copied().chain([until]);
    let frames: Vec<&[&str]> = starts.iter().zip(ends).map(|(start, end)| &lines[*start..end]).collect();
    // The library's are named as modules, the script's and a pack's as files.
    let is_own = |frame: &&[&str]| {
        let file = frame[0].split('"').nth(1).map(Path::new);
        file.and_then(Path::extension).is_some_and(|extension| extension == "py")
    };
    let own: Vec<usize> = (0..frames.len()).filter(|index| is_own(&frames[*index])).collect();
    let mut kept: Vec<usize> = own[own.len().saturating_sub(FRAMES_MAX)..].to_vec();
    kept.extend((!kept.contains(&(frames.len() - 1))).then_some(frames.len() - 1));
    let mut told: Vec<String> = Vec::new();
    let mut next = 0;
    for index in kept {
        match index - next {
            0 => {}
            1 => told.push("  …".to_owned()),
            left_out => told.push(format!("  … {left_out} frames")),
        }
        told.extend(frames[index].iter().map(|line| cut(line)));
        next = index + 1;
    }
    told.join("\n")
}

pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
