//! The answer to an intent that no template fits: what was not understood, what is near, and what would have to be configured.

use std::collections::BTreeMap;

use intentbox_catalog::{Effects, Template};
use intentbox_report::{Candidate, Cause, Failure, Remedy, Report};
use intentbox_router::{self as router, Decision, Nearest, Question, Router};

use crate::caller::Caller;
use crate::intent::Intent;
use crate::library::Library;
use crate::plan::Plan;
use crate::target_name::TargetName;
use crate::{Engine, cards, offer, rephrase};

/// The most templates that are offered for a change.
const CHANGES_MAX: usize = 3;

impl Engine {
    /// The plan for a sentence that goes to no template.
    pub(crate) fn fits_none(
        &self,
        library: &Library,
        router: &Router,
        intent: &Intent,
        question: &Question<'_>,
        closest: Vec<router::Candidate>,
        caller: &Caller,
    ) -> Plan {
        let lacking = self.out_of_reach(library, question);
        let nearest = router.nearest(question);
        // An issue search for the words of a URL is no way to fetch it.
        let is_url = lacking.is_none() && names_a_url(&intent.text);
        let change = nearest.change.clone().filter(|_| lacking.is_none() && !is_url);
        let sure = |candidate| offer::as_sure(library, question, &intent.params, candidate);
        let mut candidates: Vec<Candidate> = match &change {
            _ if is_url => Vec::new(),
            // What only reads is no way to change something.
            Some(word) => self.changing(library, word).into_iter().map(sure).collect(),
            None => closest.into_iter().map(sure).collect(),
        };
        if lacking.is_none() {
            for candidate in &mut candidates {
                candidate.takes = offer::takes(library, question, &intent.params, candidate);
            }
        }
        let by_code = self.grants_of_code(caller).access().changes();
        let fits_none = if follows_up(&intent.text) {
            "no template fits this intent, and earlier ones are not remembered: say all of it again"
        } else {
            "no template fits this intent"
        };
        let (message, remedy) = match &change {
            _ if is_url => {
                (format!("{fits_none}, and none fetches a URL: only code does"), Remedy::Rephrase(Box::default()))
            }
            Some(word) if candidates.is_empty() => {
                let message = format!("no template makes the change that {} asks for", rephrase::quoted(word));
                (message, Remedy::NoChange { by_code })
            }
            Some(_) => {
                let nearest = Nearest { sentence: None, ..nearest };
                (fits_none.to_owned(), rephrase::remedy(&nearest, true, !by_code))
            }
            None => {
                let absent: Vec<String> = nearest.absent.iter().map(rephrase::absent).collect();
                let message = if absent.is_empty() {
                    fits_none.to_owned()
                } else {
                    format!("{fits_none}: {}", absent.join("; "))
                };
                (message, rephrase::remedy(&nearest, !candidates.is_empty(), false))
            }
        };
        let failure = Failure::new(Cause::NotFound, message).with(lacking.unwrap_or(remedy));
        let report = Report { candidates, ..Report::failed(crate::new_run_id(), failure) };
        Plan::Nothing(Box::new(report))
    }

    /// The templates that change something and are asked for by this word, without values: a sentence that they do not fit holds none.
    fn changing(&self, library: &Library, word: &str) -> Vec<router::Candidate> {
        let begins = |phrase: &String| phrase.split(' ').next().is_some_and(|first| first.eq_ignore_ascii_case(word));
        let changes = |template: &&Template| {
            template.effects() == Effects::Write && self.reaches(template) && template.phrases().iter().any(begins)
        };
        let candidate = |template: &Template| router::Candidate {
            id: cards::id_of(template.id()),
            summary: template.summary().to_owned(),
            score: 0.0,
            values: BTreeMap::new(),
            unexplained: Vec::new(),
        };
        library.catalog.templates().filter(changes).map(candidate).take(CHANGES_MAX).collect()
    }

    /// The answer where no template that can be reached has this name: a tool may have it.
    pub(crate) fn not_there(&self, library: &Library, name: &TargetName) -> Option<Plan> {
        let template = Some(name).filter(|name| !name.is_tool()).and_then(|name| library.catalog.get(name.as_str()));
        let (message, remedy) = match template {
            Some(template) if self.reaches(template) => return None,
            Some(template) => {
                let remedy = Remedy::Configure { template: name.to_string(), lacks: self.lacks(template) };
                (format!("the template `{name}` lacks what it needs"), remedy)
            }
            None => (format!("nothing is called `{name}`: no template and no tool"), Remedy::Rephrase(Box::default())),
        };
        let failure = Failure::new(Cause::NotFound, message).with(remedy);
        Some(Plan::Nothing(Box::new(Report::failed(crate::new_run_id(), failure))))
    }

    /// The template that would answer if what it needs were configured, and what that is.
    pub(crate) fn out_of_reach(&self, library: &Library, question: &Question<'_>) -> Option<Remedy> {
        let routed = library.route_out_of_reach(question, |template| self.reaches(template));
        let id = match routed.decision {
            Decision::Card { id, .. } | Decision::Missing { id, .. } => id,
            // Any of them is a way to get an answer.
            Decision::Ambiguous { candidates } => candidates.into_iter().next()?.id,
            Decision::NoMatch { .. } => return None,
        };
        let template = cards::template(&library.catalog, &id)?;
        Some(Remedy::Configure { template: template.id().to_string(), lacks: self.lacks(template) })
    }
}

/// Whether a sentence names a URL.
fn names_a_url(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_start_matches(['"', '\'', '`', '(', '<']);
        word.starts_with("http://") || word.starts_with("https://")
    })
}

/// Whether a sentence leans on an earlier one: "now the same per customer", "and for web?".
fn follows_up(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let begins = |first: &[&str]| words.starts_with(first);
    let has = |pair: [&str; 2]| words.windows(2).any(|window| window == pair);
    begins(&["and"])
        || begins(&["what", "about"])
        || begins(&["how", "about"])
        || has(["the", "same"])
        || has(["same", "but"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_named_by_its_scheme() {
        for (text, expected) in [
            ("fetch https://a.example/x", true),
            ("what does \"http://a.example\" say", true),
            ("errors of sentry:/api/0/", false),
            ("how do I use https", false),
        ] {
            assert_eq!(names_a_url(text), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_that_leans_on_an_earlier_one_is_told_apart() {
        for (text, expected) in [
            ("now the same per customer, only the top 5", true),
            ("same but for web", true),
            ("And for yesterday?", true),
            ("what about the worker", true),
            ("errors and warnings", false),
            ("orders with some of them", false),
            ("", false),
        ] {
            assert_eq!(follows_up(text), expected, "{text}");
        }
    }
}
