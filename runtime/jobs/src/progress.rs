//! How far a run is, as events of its job: its calls, and what it prints. Both are bounded; the report has all of it.

use std::sync::{Arc, Mutex, PoisonError};

use intentbox_engine::{Event, Events, Of, OutputStream};
use serde_json::json;
use tokio::sync::mpsc;

/// How many calls of one attempt become events.
const CALLS_MAX: usize = 200;

/// How many pieces of output become events, and how many bytes: two minutes of a script that prints all the time.
const OUTPUTS_MAX: usize = 500;
const OUTPUT_BYTES_MAX: u64 = 256 << 10;

/// The longest piece of output that a step tells, in bytes, as while a script runs.
const PIECE_BYTES: usize = 16 << 10;

/// How many steps wait for the store.
const WAITING_MAX: usize = 200;

/// An event to be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// `call` or `output`.
    pub(crate) kind: &'static str,
    /// What else there is to say: a JSON object.
    pub(crate) data: String,
}

/// Receives the events of a run: passes them on, and makes steps of some.
pub(crate) struct Progress {
    others: Arc<dyn Events>,
    steps: mpsc::Sender<Step>,
    told: Mutex<Told>,
}

/// What was told so far.
#[derive(Default)]
struct Told {
    calls: usize,
    outputs: usize,
    stdout_bytes: u64,
    stderr_bytes: u64,
}

impl Progress {
    /// The progress of one attempt, and its steps. Who does not take them fast enough misses some.
    pub(crate) fn new(others: Arc<dyn Events>) -> (Self, mpsc::Receiver<Step>) {
        let (steps, taken) = mpsc::channel(WAITING_MAX);
        (Self { others, steps, told: Mutex::default() }, taken)
    }

    fn printed(&self, told: &mut Told, stream: OutputStream, text: &str) {
        let Some((from, text)) = told.output(stream, text) else { return };
        let mut data = json!({"stream": stream.name(), "from": from, "text": text});
        if told.is_cut() {
            data["truncated"] = true.into();
        }
        self.step("output", &data);
    }

    fn step(&self, kind: &'static str, data: &serde_json::Value) {
        let _ = self.steps.try_send(Step { kind, data: data.to_string() });
    }
}

impl Told {
    fn may_tell_a_call(&mut self) -> bool {
        self.calls += 1;
        self.calls <= CALLS_MAX
    }

    /// Where in its stream this text begins, and the part of it to tell; nothing once the output was cut.
    fn output<'a>(&mut self, stream: OutputStream, text: &'a str) -> Option<(u64, &'a str)> {
        if self.is_cut() {
            return None;
        }
        self.outputs += 1;
        let bytes = match stream {
            OutputStream::Stdout => &mut self.stdout_bytes,
            OutputStream::Stderr => &mut self.stderr_bytes,
        };
        let from = *bytes;
        *bytes += text.len() as u64;
        Some((from, if self.is_cut() { "" } else { text }))
    }

    /// What of all that was printed is not told yet.
    fn untold<'a>(&self, stream: OutputStream, printed: &'a str) -> &'a str {
        let told = match stream {
            OutputStream::Stdout => self.stdout_bytes,
            OutputStream::Stderr => self.stderr_bytes,
        };
        usize::try_from(told).ok().and_then(|told| printed.get(told..)).unwrap_or_default()
    }

    fn is_cut(&self) -> bool {
        self.outputs > OUTPUTS_MAX || self.stdout_bytes + self.stderr_bytes > OUTPUT_BYTES_MAX
    }
}

impl Events for Progress {
    fn note(&self, of: Of<'_>, event: Event<'_>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::HostCall { kind, target, outcome } if told.may_tell_a_call() => {
                self.step("call", &json!({"kind": kind, "target": target, "outcome": outcome}));
            }
            Event::Printed { stream, text } => self.printed(&mut told, stream, text),
            // A script that ends at once has printed before anybody looked.
            Event::Ended { report } => {
                for (stream, text) in [(OutputStream::Stdout, &report.stdout), (OutputStream::Stderr, &report.stderr)] {
                    let mut rest = told.untold(stream, text);
                    while !rest.is_empty() {
                        let (piece, later) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
                        self.printed(&mut told, stream, piece);
                        rest = later;
                    }
                }
            }
            _ => {}
        }
        drop(told);
        self.others.note(of, event);
    }

    fn follows_output(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{Caller, NoEvents, Report, new_run_id};

    use super::*;

    /// The steps that come of these pieces of output.
    fn steps(pieces: impl IntoIterator<Item = (OutputStream, String)>) -> Vec<String> {
        let (progress, mut steps) = Progress::new(Arc::new(NoEvents));
        let (caller, id) = (Caller::local(), new_run_id());
        let mut told = Vec::new();
        for (stream, text) in pieces {
            progress.note(Of::request(id, &caller), Event::Printed { stream, text: &text });
            told.extend(std::iter::from_fn(|| steps.try_recv().ok()).map(|step| step.data));
        }
        told
    }

    #[test]
    fn a_piece_of_output_says_where_in_its_stream_it_begins() {
        let piece = |stream, text: &str| (stream, text.to_owned());
        assert_eq!(
            steps([
                piece(OutputStream::Stdout, "ü\n"),
                piece(OutputStream::Stderr, "no\n"),
                piece(OutputStream::Stdout, "b"),
            ]),
            [
                r#"{"stream":"stdout","from":0,"text":"ü\n"}"#,
                r#"{"stream":"stderr","from":0,"text":"no\n"}"#,
                r#"{"stream":"stdout","from":3,"text":"b"}"#,
            ]
        );
    }

    #[test]
    fn output_is_told_up_to_its_bounds_and_then_that_there_is_more() {
        let cut = |from: u64| format!(r#"{{"stream":"stdout","from":{from},"text":"","truncated":true}}"#);
        let many = steps((0..OUTPUTS_MAX + 9).map(|_| (OutputStream::Stdout, "a".to_owned())));
        assert_eq!((many.len(), many.last()), (OUTPUTS_MAX + 1, Some(&cut(OUTPUTS_MAX as u64))));
        let half = "a".repeat(usize::try_from(OUTPUT_BYTES_MAX / 2).expect("it is small"));
        let long = steps([&half, &half, "b", "c"].map(|text: &str| (OutputStream::Stdout, text.to_owned())));
        assert_eq!((long.len(), long.last()), (3, Some(&cut(OUTPUT_BYTES_MAX))));
    }

    #[test]
    fn what_was_printed_and_not_told_is_told_at_the_end() {
        let (progress, mut steps) = Progress::new(Arc::new(NoEvents));
        let (caller, id) = (Caller::local(), new_run_id());
        let of = Of::request(id, &caller);
        progress.note(of, Event::Printed { stream: OutputStream::Stdout, text: "ü" });
        let last = "a".repeat(PIECE_BYTES);
        let report = Report { stdout: format!("üb\n{last}"), stderr: "no".to_owned(), ..Report::new(id) };
        progress.note(of, Event::Ended { report: &report });
        let told: Vec<String> = std::iter::from_fn(|| steps.try_recv().ok()).map(|step| step.data).collect();
        let piece = |from: usize, text: &str| format!(r#"{{"stream":"stdout","from":{from},"text":{text:?}}}"#);
        let (second, third) = (format!("b\n{}", &last[2..]), "aa".to_owned());
        let stderr = r#"{"stream":"stderr","from":0,"text":"no"}"#.to_owned();
        assert_eq!(told, [piece(0, "ü"), piece(2, &second), piece(2 + PIECE_BYTES, &third), stderr]);
        // Nothing is told twice.
        progress.note(of, Event::Ended { report: &report });
        assert!(steps.try_recv().is_err());
    }

    #[test]
    fn calls_are_told_up_to_a_bound_and_who_does_not_take_them_misses_some() {
        let (progress, mut steps) = Progress::new(Arc::new(NoEvents));
        let (caller, id) = (Caller::local(), new_run_id());
        let call = || {
            progress.note(Of::request(id, &caller), Event::HostCall { kind: "http", target: "GET a:", outcome: "200" });
        };
        for _ in 0..CALLS_MAX {
            call();
            assert_eq!(
                steps.try_recv().map(|step| step.data).as_deref(),
                Ok(r#"{"kind":"http","target":"GET a:","outcome":"200"}"#)
            );
        }
        call();
        assert!(steps.try_recv().is_err(), "one more is not told");
        let print =
            || progress.note(Of::request(id, &caller), Event::Printed { stream: OutputStream::Stdout, text: "a" });
        (0..=WAITING_MAX).for_each(|_| print());
        assert_eq!(std::iter::from_fn(|| steps.try_recv().ok()).count(), WAITING_MAX);
        // The place of the next one shows that one is missing.
        print();
        let next = steps.try_recv().expect("there is room").data;
        assert!(next.contains(&format!("\"from\":{}", WAITING_MAX + 1)), "{next}");
    }
}
