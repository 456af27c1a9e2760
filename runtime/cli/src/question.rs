//! Questions at a terminal: what an intent leaves open, asked of the person who typed it.
//!
//! There are two: which of several templates is meant, and what the value of a missing parameter is. A question is
//! derived from a plan, and the reply completes that plan; the engine checks it as it checks a flag. Without a reply,
//! the plan stays as it is, and the command ends as it does where there is no terminal.

use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal as _, Read as _, Write, stderr, stdin};

use intentbox_engine::{Caller, Engine, Given, Plan};

use crate::show::line;

/// The longest reply that is read, in bytes: the longest line that a terminal hands over at once.
const REPLY_BYTES_MAX: u64 = 4096;

/// How often one question is asked. Whoever replies something else three times wants something else.
const TRIES_MAX: usize = 3;

/// The most questions about one intent: which template, and each of the 48 parameters that one may have.
const QUESTIONS_MAX: usize = 49;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Question {
    /// Which of these templates is meant? Each has a summary.
    Which(Vec<(String, String)>),
    /// What is the value of this parameter?
    Value { template: String, name: String, description: String, example: String },
}

/// Whether somebody can be asked: they type on a terminal, and see what is asked on one.
pub(crate) fn can_be_asked() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// The plan with the replies to what it leaves open, as far as there are any.
pub(crate) async fn completed(mut plan: Plan, engine: &Engine, caller: &Caller) -> Plan {
    for _ in 0..QUESTIONS_MAX {
        let Some(question) = Question::of(&plan) else { break };
        let Some(reply) = reply(question.clone()).await else { break };
        plan = match (plan, question) {
            (Plan::Which(which), _) => engine.choose(which, &reply, caller),
            (Plan::Incomplete(incomplete), Question::Value { name, .. }) => {
                engine.supply(incomplete, BTreeMap::from([(name, Given::Text(reply))]), caller)
            }
            (plan, _) => plan,
        };
    }
    plan
}

/// The reply of the person at the terminal. It is read on a thread of its own, so that an interrupt ends the command.
async fn reply(question: Question) -> Option<String> {
    let asked = tokio::task::spawn_blocking(move || question.ask(&mut stdin().lock(), &mut stderr()));
    asked.await.ok()?.ok()?
}

impl Question {
    /// The question that a plan leaves open, if a reply can help.
    fn of(plan: &Plan) -> Option<Self> {
        match plan {
            Plan::Which(which) => {
                let templates = which.candidates().iter();
                let templates = templates.map(|candidate| (candidate.template.clone(), candidate.summary.clone()));
                Some(Question::Which(templates.collect()))
            }
            Plan::Incomplete(incomplete) => {
                let spec = incomplete.missing().first()?;
                Some(Question::Value {
                    template: incomplete.template(),
                    name: spec.name().to_owned(),
                    description: spec.description().to_owned(),
                    example: spec.example(),
                })
            }
            _ => None,
        }
    }

    /// Asks it, and gives the template or the value that was replied. Nothing at the end of the input, after an empty
    /// line, and when nothing that was replied is an answer.
    fn ask(&self, input: &mut impl BufRead, output: &mut impl Write) -> std::io::Result<Option<String>> {
        write!(output, "{}", self.introduction())?;
        for _ in 0..TRIES_MAX {
            write!(output, "{}", self.prompt())?;
            output.flush()?;
            let mut reply = String::new();
            input.by_ref().take(REPLY_BYTES_MAX).read_line(&mut reply)?;
            if !reply.ends_with('\n') {
                // The end of the input leaves the cursor behind the question.
                writeln!(output)?;
            }
            let reply = reply.trim();
            if reply.is_empty() {
                return Ok(None);
            }
            if let Some(answer) = self.answer(reply) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// What is said once, before it is asked.
    fn introduction(&self) -> String {
        match self {
            Question::Which(templates) => {
                let widest = templates.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
                let row = |(number, (id, summary)): (usize, &(String, String))| {
                    format!("{number}) {:<widest$}  {}\n", line(id), line(summary))
                };
                (1..).zip(templates).map(row).collect()
            }
            Question::Value { template, name, description, .. } => {
                format!("{} needs {}: {}\n", line(template), line(name), line(description))
            }
        }
    }

    fn prompt(&self) -> String {
        match self {
            Question::Which(templates) => format!("Which one? [1-{}] ", templates.len()),
            Question::Value { name, example, .. } => format!("{} (such as {}): ", line(name), line(example)),
        }
    }

    /// The template or the value that a reply is, if it is one. A template is named by its number or by its id.
    fn answer(&self, reply: &str) -> Option<String> {
        match self {
            Question::Which(templates) => {
                let by_number = |number: usize| templates.get(number.checked_sub(1)?);
                let by_id = || templates.iter().find(|(id, _)| id == reply);
                let chosen = reply.parse::<usize>().ok().and_then(by_number).or_else(by_id);
                chosen.map(|(id, _)| id.clone())
            }
            Question::Value { .. } => Some(reply.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn which() -> Question {
        let template = |id: &str, summary: &str| (id.to_owned(), summary.to_owned());
        Question::Which(vec![
            template("sentry/list_errors", "Lists errors."),
            template("logs/tail", "Shows\u{1b} lines."),
        ])
    }

    fn value() -> Question {
        Question::Value {
            template: "sentry/issue_details".to_owned(),
            name: "issue".to_owned(),
            description: "Its id.".to_owned(),
            example: "WEB-42".to_owned(),
        }
    }

    /// What was replied to a question by this input, and what the terminal showed.
    fn asked(question: &Question, mut input: &[u8]) -> (Option<String>, String) {
        let mut output = Vec::new();
        let answer = question.ask(&mut input, &mut output).expect("memory can be written");
        (answer, String::from_utf8(output).expect("it is text"))
    }

    #[test]
    fn templates_are_numbered_and_a_parameter_has_an_example() {
        let list = "1) sentry/list_errors  Lists errors.\n2) logs/tail           Shows\\u{1b} lines.\n";
        assert_eq!(asked(&which(), b"2\n"), (Some("logs/tail".to_owned()), format!("{list}Which one? [1-2] ")));
        assert_eq!(
            asked(&value(), b"WEB-3M\n"),
            (
                Some("WEB-3M".to_owned()),
                "sentry/issue_details needs issue: Its id.\nissue (such as WEB-42): ".to_owned()
            )
        );
    }

    #[test]
    fn a_reply_is_an_answer_or_is_asked_for_again_a_few_times() {
        let errors = Some("sentry/list_errors");
        for (input, expected, times) in [
            ("1\n", errors, 1),
            (" 1 \n", errors, 1),
            ("sentry/list_errors\n", errors, 1),
            ("2", Some("logs/tail"), 1),
            ("0\n3\n1\n", errors, 3),
            ("0\n3\nthe first\n1\n", None, 3),
            ("0\n\n1\n", None, 2),
            ("\n1\n", None, 1),
            ("", None, 1),
            ("-1\n99999999999999999999999\n", None, 3),
        ] {
            let (answer, shown) = asked(&which(), input.as_bytes());
            assert_eq!((answer.as_deref(), shown.matches("Which one?").count()), (expected, times), "{input:?}");
        }
        for (input, expected) in [("two words\n", Some("two words")), ("\n", None), (" \n", None), ("", None)] {
            assert_eq!(asked(&value(), input.as_bytes()).0.as_deref(), expected, "{input:?}");
        }
    }

    #[test]
    fn the_end_of_the_input_ends_the_line_of_the_question() {
        assert!(asked(&value(), b"").1.ends_with("(such as WEB-42): \n"));
        assert!(asked(&value(), b"\n").1.ends_with("(such as WEB-42): "), "the terminal has shown the end of the line");
    }

    #[test]
    fn no_more_of_a_reply_is_read_than_a_line_of_a_terminal() {
        let most = usize::try_from(REPLY_BYTES_MAX).expect("it is small");
        for (length, kept) in [(most, most), (most + 1, most)] {
            let input = vec![b'x'; length];
            assert_eq!(asked(&value(), &input).0.map(|reply| reply.len()), Some(kept), "{length}");
        }
    }
}
