//! `templates try`: which templates the sentences of a file select. Nothing runs, and no names are fetched.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;
use intentbox_catalog::{Catalog, TemplateId};
use intentbox_engine::{Caller, Decision, Routed};
use serde_json::{Value, json};

use super::sentences::{self, FILE_BYTES_MAX, Sentence};
use crate::answer::Answer;
use crate::arguments::{Isolation, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::show::count;
use crate::{input, setup, words};

/// What a sentence selects.
#[derive(Debug, Clone, PartialEq)]
struct Selection {
    decision: Kind,
    /// The template that it selects.
    template: Option<String>,
    values: BTreeMap<String, Value>,
    /// Parameters that the template needs and the sentence does not have.
    missing: Vec<String>,
    /// The templates that it may mean with their scores, best first.
    candidates: Vec<(String, f64)>,
    not_understood: Vec<String>,
}

/// What kind of decision it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Selects,
    Needs,
    Asks,
    Nothing,
}

pub(crate) async fn run(sources: &Sources, file: &Path) -> Result<Answer, CommandError> {
    let name = if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() };
    let bytes = input::read(file, FILE_BYTES_MAX).class(Class::Usage)?;
    let sentences = sentences::parse(&bytes).with_context(|| name.clone()).class(Class::Usage)?;
    if sentences.is_empty() {
        return Err(Class::Usage.error(format!("{name} has no sentence")).hint("write one sentence a line"));
    }
    let setup = setup::engine(sources, Isolation::InProcess).await?;
    let (engine, caller) = (&setup.engine, Caller::local());
    let catalog = engine.catalog();
    must_exist(&catalog, &name, &sentences)?;
    let (mut text, mut rows) = (String::new(), Vec::new());
    let (mut right, mut of) = (0, 0);
    for sentence in &sentences {
        let selection = Selection::of(engine.route(&sentence.text, &caller));
        let holds = selection.holds(sentence);
        of += usize::from(holds.is_some());
        right += usize::from(holds == Some(true));
        let _ = write!(text, "{} -> {selection}", sentence.text);
        if let Some(expected) = sentence.expected.as_ref().filter(|_| holds == Some(false)) {
            let _ = write!(text, "; expected {expected}");
            let lacks = catalog.get(expected.as_str()).map(|template| engine.lacks(template)).unwrap_or_default();
            if !lacks.is_empty() {
                let _ = write!(text, ", which needs {}", words::all(&lacks));
            }
        }
        text.push('\n');
        rows.push(selection.row(sentence, holds));
    }
    if of > 0 {
        let _ = writeln!(text, "{right} of {of} as expected");
    }
    let answer = Answer::new(text).with("sentences", rows).with("right", right).with("of", of);
    if right == of {
        return Ok(answer);
    }
    let wrong = count(of - right, "sentence");
    let error = Class::Check.error(format!("{wrong} of {of} did not select the expected template"));
    Ok(answer.failing(error.hint("run `intentbox run-intent SENTENCE --explain` to see the scores")))
}

/// Rejects an expected id of no template: the slip would look like a sentence that selects another template.
fn must_exist(catalog: &Catalog, name: &str, sentences: &[Sentence]) -> Result<(), CommandError> {
    for Sentence { line, expected, .. } in sentences {
        if let Some(id) = expected.as_ref().filter(|id| catalog.get(id.as_str()).is_none()) {
            let error = Class::Usage.error(format!("{name}: line {line}: there is no template `{id}`"));
            return Err(error.hint("run `intentbox templates list` to see all"));
        }
    }
    Ok(())
}

impl Selection {
    fn of(routed: Routed) -> Self {
        let not_understood = routed.explanation.not_understood();
        let none = Self {
            decision: Kind::Nothing,
            template: None,
            values: BTreeMap::new(),
            missing: Vec::new(),
            candidates: Vec::new(),
            not_understood,
        };
        let scored = routed.explanation.candidates.first().map(|best| (best.id.as_str().to_owned(), best.score));
        match routed.decision {
            Decision::Card { id, values } => Self {
                decision: Kind::Selects,
                template: Some(id.as_str().to_owned()),
                values,
                candidates: scored.into_iter().collect(),
                ..none
            },
            Decision::Missing { id, values, parameters } => Self {
                decision: Kind::Needs,
                template: Some(id.as_str().to_owned()),
                values,
                missing: parameters,
                candidates: scored.into_iter().collect(),
                ..none
            },
            Decision::Ambiguous { candidates } => {
                let candidates = candidates.into_iter().map(|one| (one.id.as_str().to_owned(), one.score)).collect();
                Self { decision: Kind::Asks, candidates, ..none }
            }
            Decision::NoMatch { closest } => {
                let candidates = closest.into_iter().map(|one| (one.id.as_str().to_owned(), one.score)).collect();
                Self { candidates, ..none }
            }
        }
    }

    /// Whether it selects the expected template, if one is expected. A template that needs a value is selected.
    fn holds(&self, sentence: &Sentence) -> Option<bool> {
        let expected = sentence.expected.as_ref()?;
        Some(self.template.as_deref() == Some(expected.as_str()))
    }

    /// A sentence for a program.
    fn row(&self, sentence: &Sentence, holds: Option<bool>) -> Value {
        let candidate = |(id, score): &(String, f64)| json!({"template": id, "score": score});
        json!({
            "text": sentence.text,
            "decision": self.decision.name(),
            "template": self.template,
            "values": self.values,
            "missing": self.missing,
            "candidates": self.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "not_understood": self.not_understood,
            "expected": sentence.expected.as_ref().map(TemplateId::as_str),
            "holds": holds,
        })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.template.as_deref().unwrap_or_default())?;
        if !self.values.is_empty() {
            let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            write!(f, " ({})", values.join(", "))?;
        }
        match self.decision {
            Kind::Selects => Ok(()),
            Kind::Needs => write!(f, " needs: {}", self.missing.join(", ")),
            Kind::Asks => {
                let ids: Vec<&str> = self.candidates.iter().map(|(id, _)| id.as_str()).collect();
                write!(f, "asks: {}", ids.join(", "))
            }
            Kind::Nothing if self.not_understood.is_empty() => f.write_str("nothing"),
            Kind::Nothing => write!(f, "nothing (not understood: {})", self.not_understood.join(", ")),
        }
    }
}

impl Kind {
    /// The stable name: `decision` in JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::Selects => "selects",
            Self::Needs => "needs",
            Self::Asks => "asks",
            Self::Nothing => "nothing",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(decision: Kind, template: Option<&str>) -> Selection {
        Selection {
            decision,
            template: template.map(str::to_owned),
            values: BTreeMap::new(),
            missing: vec!["name".to_owned()],
            candidates: vec![("a/b".to_owned(), 0.5), ("c/d".to_owned(), 0.5)],
            not_understood: vec!["door".to_owned(), "key".to_owned()],
        }
    }

    #[test]
    fn each_decision_is_a_line() {
        let values = BTreeMap::from([("limit".to_owned(), json!(5)), ("to".to_owned(), json!("ada"))]);
        let nothing = selection(Kind::Nothing, None);
        for (selection, expected) in [
            (selection(Kind::Selects, Some("a/b")), "a/b"),
            (
                Selection { values: values.clone(), ..selection(Kind::Selects, Some("a/b")) },
                "a/b (limit = 5, to = \"ada\")",
            ),
            (Selection { values, ..selection(Kind::Needs, Some("a/b")) }, "a/b (limit = 5, to = \"ada\") needs: name"),
            (selection(Kind::Asks, None), "asks: a/b, c/d"),
            (nothing.clone(), "nothing (not understood: door, key)"),
            (Selection { not_understood: Vec::new(), ..nothing }, "nothing"),
        ] {
            assert_eq!(selection.to_string(), expected);
        }
    }

    #[test]
    fn only_the_one_template_that_is_selected_is_as_expected() {
        let sentence = |expected: Option<&str>| Sentence {
            line: 1,
            text: "x".to_owned(),
            expected: expected.map(|id| id.parse().expect("it is an id")),
        };
        for (selection, expected, holds) in [
            (selection(Kind::Selects, Some("a/b")), Some("a/b"), Some(true)),
            (selection(Kind::Needs, Some("a/b")), Some("a/b"), Some(true)),
            (selection(Kind::Selects, Some("a/b")), Some("c/d"), Some(false)),
            (selection(Kind::Asks, None), Some("a/b"), Some(false)),
            (selection(Kind::Nothing, None), Some("a/b"), Some(false)),
            (selection(Kind::Nothing, None), None, None),
        ] {
            assert_eq!(selection.holds(&sentence(expected)), holds, "{selection}");
        }
    }
}
