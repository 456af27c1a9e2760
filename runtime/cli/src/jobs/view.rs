//! A job as the command line shows it, wherever it is kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use intentbox_catalog::json::parse_value;
use intentbox_engine::Outcome;
use intentbox_jobs::{Asks, Job, JobEvent, JobState, Schedule};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::{show, table};

/// How much of what a job asks for stands in its line, in characters.
const ASKED_CHARS_MAX: usize = 60;

/// A job.
#[derive(Debug, Clone)]
pub(crate) struct JobView {
    pub(super) id: String,
    pub(super) state: JobState,
    created_at: String,
    /// When it may begin, where that is not at once.
    run_at: Option<String>,
    started_at: Option<String>,
    finished_at: Option<String>,
    attempt: u32,
    attempts: u32,
    priority: i64,
    labels: BTreeMap<String, String>,
    outcome: String,
    pub(super) trouble: String,
    /// The request as it was submitted, as JSON; empty in a list of a server.
    pub(super) request: String,
    /// The report as JSON; empty before the end, and in a list of a server.
    report: String,
    /// The beginning of what it asks for, where that is known.
    asks: String,
}

/// A schedule.
#[derive(Debug, Clone)]
pub(crate) struct ScheduleView {
    pub(crate) id: String,
    cron: String,
    timezone: String,
    created_at: String,
    /// Nothing where there is no further time.
    next_at: Option<String>,
    pub(crate) last_job: String,
    submitted: u64,
    skipped: u64,
    /// The request of its jobs, as JSON.
    job: String,
}

/// A schedule as the HTTP API gives it.
#[derive(Deserialize)]
pub(super) struct ReceivedSchedule<'a> {
    id: String,
    cron: String,
    timezone: String,
    created_at: String,
    next_at: Option<String>,
    #[serde(default)]
    last_job: String,
    submitted: u64,
    skipped: u64,
    #[serde(borrow)]
    job: Option<&'a RawValue>,
}

impl From<Schedule> for ScheduleView {
    fn from(schedule: Schedule) -> Self {
        Self {
            id: schedule.id,
            cron: schedule.cron,
            timezone: schedule.zone,
            created_at: time(schedule.created_ms),
            next_at: Some(schedule.next_ms).filter(|next_ms| *next_ms != i64::MAX).map(time),
            last_job: schedule.last_job,
            submitted: schedule.submitted,
            skipped: schedule.skipped,
            job: schedule.request,
        }
    }
}

impl From<ReceivedSchedule<'_>> for ScheduleView {
    fn from(schedule: ReceivedSchedule<'_>) -> Self {
        Self {
            id: schedule.id,
            cron: schedule.cron,
            timezone: schedule.timezone,
            created_at: to_the_second(&schedule.created_at),
            next_at: schedule.next_at.as_deref().map(to_the_second),
            last_job: schedule.last_job,
            submitted: schedule.submitted,
            skipped: schedule.skipped,
            job: schedule.job.map(|job| job.get().to_owned()).unwrap_or_default(),
        }
    }
}

impl ScheduleView {
    /// The schedule in one line.
    pub(crate) fn line(&self) -> String {
        let next = self.next_at.as_ref().map_or_else(|| "never again".to_owned(), |next| format!("next {next}"));
        let (cron, zone) = (show::line(&self.cron), show::line(&self.timezone));
        let (id, next) = (show::line(&self.id), show::line(&next));
        format!("{id}  {cron:<13}  {zone}  {next}  {}\n", asked_line(&asked(&self.job)))
    }

    /// The schedule with its request, and what became of it.
    pub(crate) fn shown(&self, last_job: Option<&JobView>) -> Answer {
        let mut text = self.line();
        let _ = writeln!(text, "submitted {}, skipped {}", self.submitted, self.skipped);
        match last_job {
            Some(job) => {
                let _ = write!(text, "last job: {}", job.line());
            }
            None if self.last_job.is_empty() => {}
            None => {
                let _ = writeln!(text, "last job: {}", show::line(&self.last_job));
            }
        }
        text.push_str(&table::shown(&self.job));
        Answer::new(text).with("schedule", self.object())
    }

    pub(crate) fn object(&self) -> Value {
        json!({
            "id": self.id, "cron": self.cron, "timezone": self.timezone, "created_at": self.created_at,
            "next_at": self.next_at, "last_job": self.last_job, "submitted": self.submitted, "skipped": self.skipped,
            "job": parse_value(&self.job).unwrap_or_default(),
        })
    }
}

/// The beginning of what a request asks for.
fn asked(request: &str) -> String {
    Asks::of(request).map(|asks| asks.text).unwrap_or_default()
}

/// The same in one line that is safe to print.
fn asked_line(asks: &str) -> String {
    let short: String = asks.chars().take(ASKED_CHARS_MAX).collect();
    show::line(&short)
}

/// Something that happened to a job.
#[derive(Debug, Clone)]
pub(super) struct EventView {
    pub(super) at: String,
    pub(super) kind: String,
    /// What else is known, as JSON: an object.
    pub(super) data: String,
}

/// A job as the HTTP API gives it.
#[derive(Deserialize)]
pub(super) struct Received<'a> {
    id: String,
    state: String,
    created_at: String,
    run_at: Option<String>,
    started_at: Option<String>,
    finished_at: Option<String>,
    attempt: u32,
    attempts: u32,
    priority: i64,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    trouble: String,
    #[serde(default)]
    asks: Option<String>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow)]
    report: Option<&'a RawValue>,
}

impl From<Job> for JobView {
    fn from(job: Job) -> Self {
        Self {
            created_at: time(job.created_ms),
            run_at: (job.run_at_ms > job.created_ms).then(|| time(job.run_at_ms)),
            started_at: job.started_ms.map(time),
            finished_at: job.finished_ms.map(time),
            id: job.id,
            state: job.state,
            attempt: job.attempt,
            attempts: job.attempts_max,
            priority: job.priority,
            labels: job.labels.into_iter().collect(),
            outcome: job.outcome,
            trouble: job.trouble,
            asks: asked(&job.request),
            request: job.request,
            report: job.report,
        }
    }
}

impl JobView {
    /// A job that a server told of; nothing if its state is none that this version knows.
    pub(super) fn received(job: Received<'_>) -> Option<Self> {
        let raw = |text: Option<&RawValue>| text.map(|text| text.get().to_owned()).unwrap_or_default();
        Some(Self {
            state: JobState::of(&job.state)?,
            id: job.id,
            created_at: to_the_second(&job.created_at),
            run_at: job.run_at.as_deref().map(to_the_second),
            started_at: job.started_at.as_deref().map(to_the_second),
            finished_at: job.finished_at.as_deref().map(to_the_second),
            attempt: job.attempt,
            attempts: job.attempts,
            priority: job.priority,
            labels: job.labels,
            outcome: job.outcome,
            trouble: job.trouble,
            asks: job.asks.unwrap_or_else(|| asked(job.request.map(RawValue::get).unwrap_or_default())),
            request: raw(job.request),
            report: raw(job.report),
        })
    }

    /// How it ended. One that was given up, or never begun, has no outcome of a run.
    pub(super) fn ending(&self) -> Outcome {
        let known = Outcome::ALL.iter().find(|outcome| outcome.terms().name == self.outcome);
        known.copied().unwrap_or(match self.state {
            JobState::Cancelled => Outcome::Cancelled,
            JobState::Expired => Outcome::Overloaded,
            _ => Outcome::WorkerLost,
        })
    }

    /// The job with its answer.
    pub(super) fn shown(&self) -> Answer {
        let report = self.parsed_report();
        let mut text = self.line();
        match (&report["error"]["message"], &report["result"]) {
            (Value::String(message), _) => {
                // Whoever wrote the script is helped by where it failed, and the last line of that says why.
                match report["error"]["traceback"].as_str().filter(|_| self.is_script()) {
                    Some(traceback) => traceback.lines().for_each(|line| {
                        let _ = writeln!(text, "{}", show::line(line));
                    }),
                    None => {
                        let _ = writeln!(text, "{}", show::line(message));
                    }
                }
                let words = report["error"]["not_understood"].as_array().into_iter().flatten();
                let words: Vec<&str> = words.filter_map(Value::as_str).collect();
                if !words.is_empty() {
                    let _ = writeln!(text, "not understood: {}", show::line(&words.join(", ")));
                }
                if let Some(hint) = report["error"]["hint"].as_str() {
                    let hint = hint.replace("\"allow_writes\": true to the request", "--allow-writes");
                    let _ = writeln!(text, "hint: {}", show::line(&hint));
                }
            }
            (_, Value::Null) => {}
            (_, result) => text.push_str(&table::shown(&result.to_string())),
        }
        let mut note = String::new();
        let route = &report["route"];
        for mended in route["mended"].as_array().into_iter().flatten() {
            let word = |name: &str| show::line(mended[name].as_str().unwrap_or_default());
            let _ = writeln!(note, "read: {} as {}", word("said"), word("meant"));
        }
        if let (Some(window), Value::Null) = (route["window"].as_str(), &report["error"]) {
            let _ = writeln!(note, "time: {}", show::line(window));
        }
        let answer = Answer::new(text).noting(note.trim_end());
        answer.with("job", self.object()).with("report", report)
    }

    /// When it begins, where that is not at once.
    pub(super) fn begins(&self) -> Option<&str> {
        self.run_at.as_deref().filter(|_| self.state == JobState::Scheduled)
    }

    /// Whether its request holds a script.
    fn is_script(&self) -> bool {
        parse_value(&self.request).unwrap_or_default()["code"].is_string()
    }

    /// What its script printed.
    pub(super) fn logs(&self) -> Answer {
        let report = self.parsed_report();
        let printed = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
        let (stdout, stderr) = (printed("stdout"), printed("stderr"));
        let note = match (stdout.is_empty(), stderr.is_empty()) {
            _ if !self.state.is_final() => {
                format!("the job is {}; see `intentbox jobs watch {}`", self.state.as_str(), self.id)
            }
            (true, true) if self.report.is_empty() => {
                format!(
                    "there is no report of the job; `intentbox jobs watch {}` tells what it printed before its end",
                    self.id
                )
            }
            (true, true) => "the job printed nothing; `intentbox jobs show` has its answer".to_owned(),
            _ => stderr.trim_end().lines().map(show::line).collect::<Vec<_>>().join("\n"),
        };
        let mut text = String::new();
        for line in stdout.lines() {
            let _ = writeln!(text, "{}", show::line(line));
        }
        let answer = Answer::new(text).with("stdout", stdout).with("stderr", stderr);
        let answer = if note.is_empty() { answer } else { answer.noting(note) };
        ["stdout_truncated", "stderr_truncated"]
            .into_iter()
            .fold(answer, |answer, name| answer.with(name, report[name].as_bool().unwrap_or_default()))
    }

    fn parsed_report(&self) -> Value {
        parse_value(&self.report).unwrap_or_default()
    }

    /// The job in one line.
    pub(super) fn line(&self) -> String {
        let (id, created_at) = (show::line(&self.id), show::line(&self.created_at));
        let mut text = format!("{id}  {created_at}  {:<9}", self.state.as_str());
        for part in [&self.outcome, &self.trouble] {
            if !part.is_empty() && part != self.state.as_str() {
                let _ = write!(text, "  {}", show::line(part));
            }
        }
        if let Some(run_at) = self.begins() {
            let _ = write!(text, "  begins {}", show::line(run_at));
        }
        let _ = writeln!(text, "  {}", asked_line(&self.asks));
        text
    }

    pub(super) fn object(&self) -> Value {
        json!({
            "id": self.id, "state": self.state.as_str(), "outcome": self.outcome, "created_at": self.created_at,
            "run_at": self.run_at, "started_at": self.started_at, "finished_at": self.finished_at, "attempt": self.attempt, "attempts": self.attempts,
            "priority": self.priority, "trouble": self.trouble, "asks": self.asks,
            "labels": self.labels.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect::<Map<String, Value>>(),
        })
    }
}

impl From<&JobEvent> for EventView {
    fn from(event: &JobEvent) -> Self {
        Self { at: time(event.at_ms), kind: event.kind.clone(), data: event.data.clone() }
    }
}

impl EventView {
    /// An event that a server sent: its data hold the time.
    pub(super) fn received(kind: &str, data: &str) -> Self {
        let mut fields = match parse_value(data) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let at = fields.shift_remove("at");
        let at = at.as_ref().and_then(Value::as_str).map(to_the_second).unwrap_or_default();
        Self { at, kind: kind.to_owned(), data: Value::Object(fields).to_string() }
    }

    /// The event in lines: one, or one for each of the output that it tells.
    pub(super) fn lines(&self) -> Vec<String> {
        if let Some(Printed { stream, text, .. }) = self.printed() {
            return printed(&self.at, &stream, &text);
        }
        let data = if self.data == "{}" { String::new() } else { format!("  {}", self.data) };
        vec![show::line(&format!("{}  {}{data}", self.at, self.kind))]
    }

    /// Whether a job has its final state with this event.
    pub(super) fn is_end(&self) -> bool {
        JobState::of(&self.kind).is_some_and(JobState::is_final)
    }

    fn printed(&self) -> Option<Printed> {
        if self.kind == "output" { serde_json::from_str::<Printed>(&self.data).ok() } else { None }
    }
}

/// A piece of output, as an event tells it.
#[derive(Deserialize)]
struct Printed {
    stream: String,
    /// Where in the stream it begins, in bytes.
    from: usize,
    text: String,
}

/// How much of the output of a job was shown already, in bytes.
#[derive(Debug, Default)]
pub(super) struct Shown {
    stdout: usize,
    stderr: usize,
}

impl Shown {
    /// Counts the output of an event that was shown. The report is that of the last attempt.
    pub(super) fn note(&mut self, event: &EventView) {
        if JobState::of(&event.kind) == Some(JobState::Running) {
            *self = Self::default();
        }
        if let Some(Printed { stream, from, text }) = event.printed() {
            let shown = if stream == "stderr" { &mut self.stderr } else { &mut self.stdout };
            // What was missed in between is not shown any more: it would come out of order.
            *shown = from + text.len();
        }
    }

    /// The lines of the output that were not shown while the job ran.
    pub(super) fn rest(&self, job: &JobView) -> Vec<String> {
        let (report, at) = (job.parsed_report(), job.finished_at.as_deref().unwrap_or_default());
        let rest = |stream: &str, shown: usize| {
            let text = report[stream].as_str().and_then(|text| text.get(shown..)).unwrap_or_default();
            printed(at, stream, text)
        };
        [rest("stdout", self.stdout), rest("stderr", self.stderr)].concat()
    }
}

/// Output in lines, each with its time and its stream.
fn printed(at: &str, stream: &str, text: &str) -> Vec<String> {
    text.lines().map(|line| show::line(&format!("{at}  {stream}  {line}"))).collect()
}

/// A time to the second.
pub(crate) fn time(ms: i64) -> String {
    Timestamp::from_second(ms.div_euclid(1_000)).map(|time| time.to_string()).unwrap_or_default()
}

/// The same of a time in words; what is none stays as it is.
fn to_the_second(text: &str) -> String {
    text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), |at| time(at.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_tells_is_shown_as_what_is_kept_here() {
        let event = EventView::received("call", r#"{"at":"2026-11-18T11:06:40.5Z","kind":"http","outcome":"200"}"#);
        assert_eq!(event.lines(), [r#"2026-11-18T11:06:40Z  call  {"kind":"http","outcome":"200"}"#]);
        assert_eq!(
            EventView::received("started", r#"{"at":"2026-11-18T11:06:40Z"}"#).lines(),
            ["2026-11-18T11:06:40Z  started"]
        );
        assert_eq!(EventView::received("x", "no JSON").lines(), ["  x"]);
        let job = |state: &str| {
            let text = format!(
                r#"{{"id":"a","state":"{state}","created_at":"2026-11-18T11:06:40.123Z","attempt":1,"attempts":3,"priority":0,"new":1,"report":{{"outcome":"ok","result":2}}}}"#
            );
            JobView::received(serde_json::from_str(&text).expect("a job"))
        };
        let finished = job("finished").expect("a state");
        assert_eq!(finished.line(), "a  2026-11-18T11:06:40Z  finished   \n");
        assert_eq!(finished.shown().text(), "a  2026-11-18T11:06:40Z  finished   \n2\n");
        let waits = JobView { run_at: Some("2026-11-18T12:00:00Z".to_owned()), ..job("scheduled").expect("a state") };
        assert_eq!(waits.line(), "a  2026-11-18T11:06:40Z  scheduled  begins 2026-11-18T12:00:00Z  \n");
        assert!(job("dreaming").is_none());
    }

    #[test]
    fn an_answer_says_how_it_was_read_and_a_failed_script_where() {
        let told = |request: &str, report: &str| {
            let text = format!(
                r#"{{"id":"a","state":"finished","created_at":"2026-11-18T11:06:40Z","attempt":1,"attempts":3,"priority":0,"request":{request},"report":{report}}}"#
            );
            let answer = JobView::received(serde_json::from_str(&text).expect("a job")).expect("a state").shown();
            (answer.text().lines().skip(1).collect::<Vec<_>>().join("\n"), answer.messages())
        };
        let read = told(
            r#"{"intent":"list errors in chekout"}"#,
            r#"{"result":2,"route":{"mended":[{"said":"chekout","meant":"checkout"}],"window":"the last 14 days"}}"#,
        );
        assert_eq!(read, ("2".to_owned(), "read: chekout as checkout\ntime: the last 14 days\n".to_owned()));
        let failure = r#"{"error":{"message":"division by zero","traceback":"Traceback:\n  line 1\nZeroDivisionError: division by zero\n"}}"#;
        let failed = told(r#"{"code":"1/0"}"#, failure);
        assert_eq!(failed, ("Traceback:\n  line 1\nZeroDivisionError: division by zero".to_owned(), String::new()));
        assert_eq!(told(r#"{"intent":"list errors"}"#, failure).0, "division by zero");
        let refused =
            r#"{"error":{"message":"no","hint":"add \"allow_writes\": true to the request to allow the change"}}"#;
        assert_eq!(
            told(r#"{"intent":"resolve WEB-3M"}"#, refused).0,
            "no\nhint: add --allow-writes to allow the change"
        );
    }

    #[test]
    fn output_is_shown_once_whether_an_event_told_it_or_the_report() {
        let told = r#"{"at":"2026-11-18T11:06:40Z","stream":"stdout","from":0,"text":"a\n\u001b[2Jb\n"}"#;
        let event = EventView::received("output", told);
        let lines = ["2026-11-18T11:06:40Z  stdout  a", "2026-11-18T11:06:40Z  stdout  \\u{1b}[2Jb"];
        assert_eq!(event.lines(), lines);
        let job = r#"{"id":"a","state":"finished","created_at":"2026-11-18T11:06:40Z","finished_at":"2026-11-18T11:06:42Z",
                      "attempt":1,"attempts":3,"priority":0,"report":{"stdout":"a\n\u001b[2Jb\nü\n","stderr":"no"}}"#;
        let job = JobView::received(serde_json::from_str(job).expect("a job")).expect("a state");
        let mut shown = Shown::default();
        shown.note(&event);
        assert_eq!(shown.rest(&job), ["2026-11-18T11:06:42Z  stdout  ü", "2026-11-18T11:06:42Z  stderr  no"]);
        // A place inside a letter is no place.
        shown.stdout = 9;
        assert_eq!(shown.rest(&job).len(), 1);
        // Of another attempt nothing was shown yet.
        shown.note(&EventView::received("running", r#"{"attempt":2}"#));
        assert_eq!(shown.rest(&job).len(), 4);
    }
}
