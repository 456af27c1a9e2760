//! `templates check --phrases`: which declared phrases select another template as well.

use intentbox_engine::{Phrases, Selects, StrayPhrase};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::Sources;
use crate::error::{Class, CommandError};
use crate::setup;
use crate::show::count;

/// Checks the phrases of the folder's templates, or of all where there is no folder, against all templates.
pub(crate) async fn run(sources: &Sources, ids: &[String]) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let catalog = configured.catalog()?;
    let checked = super::check::meant(&catalog, configured.templates.as_deref(), ids)?;
    let phrases = Phrases::of(&catalog);
    let stray: Vec<StrayPhrase> = checked.iter().flat_map(|template| phrases.stray(template)).collect();
    let number: usize = checked.iter().map(|template| template.phrases().len()).sum();
    let findings: Vec<Value> = stray.iter().map(row).collect();
    let text = if stray.is_empty() {
        let of = count(checked.len(), "template");
        format!("{} of {of} checked: each selects its own template\n", count(number, "phrase"))
    } else {
        stray.iter().map(|stray| line(stray) + "\n").collect()
    };
    let answer = Answer::new(text).with("phrases", number).with("findings", findings);
    if stray.is_empty() {
        return Ok(answer);
    }
    Ok(answer.failing(Class::Check.error(format!("{} of {} failed", stray.len(), count(number, "phrase")))))
}

/// A finding for a program: what is decided, and among which templates.
fn row(stray: &StrayPhrase) -> Value {
    let decided = match &stray.selects {
        Selects::Other(id) => Some(id.as_str()),
        Selects::Several | Selects::Nothing => None,
    };
    let mut candidates = vec![(stray.template.as_str(), stray.score)];
    candidates.extend(stray.rivals.iter().map(|(id, score)| (id.as_str(), *score)));
    // The sort is stable: of equals, its own template comes first.
    candidates.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let candidates: Vec<Value> =
        candidates.into_iter().map(|(id, score)| json!({"template": id, "score": score})).collect();
    json!({
        "template": stray.template.as_str(),
        "phrase": stray.phrase,
        "decided": decided,
        "candidates": candidates,
    })
}

/// A finding for a person, in one line with what to do.
fn line(stray: &StrayPhrase) -> String {
    let StrayPhrase { template, phrase, selects, score, rivals } = stray;
    let rival_ids: Vec<&str> = rivals.iter().map(|(id, _)| id.as_str()).collect();
    let rival_scores: Vec<String> = rivals.iter().map(|(_, score)| format!("{score:.2}")).collect();
    let scores = format!("{score:.2} and {}", rival_scores.join(", "));
    let advice = if rivals.len() == 1 {
        "give one of them a word that the other does not have"
    } else {
        "give each of them a word that the others do not have"
    };
    let said = match selects {
        Selects::Several => format!("also means {} ({scores}): {advice}", rival_ids.join(", ")),
        Selects::Other(id) => format!("rather means {id} ({scores}): {advice}"),
        Selects::Nothing if phrase.contains('<') => {
            format!(
                "selects no template ({score:.2}): give the parameters of its slots `words` that read their examples"
            )
        }
        Selects::Nothing => format!("selects no template ({score:.2}): write it as a request and not as a question"),
    };
    format!("{template}: phrase {phrase:?} {said}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stray(phrase: &str, selects: Selects, score: f64, rivals: &[(&str, f64)]) -> StrayPhrase {
        StrayPhrase {
            template: "mine/list".parse().expect("it is an id"),
            phrase: phrase.to_owned(),
            selects,
            score,
            rivals: rivals.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect(),
        }
    }

    #[test]
    fn a_finding_is_one_line_that_says_what_to_do() {
        let other = || Selects::Other("shop/search".to_owned());
        for (found, expected) in [
            (
                stray("open orders", Selects::Several, 0.48, &[("shop/search", 0.41)]),
                "mine/list: phrase \"open orders\" also means shop/search (0.48 and 0.41): give one of them a word that the \
                 other does not have",
            ),
            (
                stray("open orders", Selects::Several, 0.4, &[("shop/search", 0.3), ("shop/tail", 0.2)]),
                "mine/list: phrase \"open orders\" also means shop/search, shop/tail (0.40 and 0.30, 0.20): give each of them \
                 a word that the others do not have",
            ),
            (
                stray("open orders", other(), 0.26, &[("shop/search", 0.63)]),
                "mine/list: phrase \"open orders\" rather means shop/search (0.26 and 0.63): give one of them a word that \
                 the other does not have",
            ),
            (
                stray("orders of <customer>", Selects::Nothing, 0.1, &[]),
                "mine/list: phrase \"orders of <customer>\" selects no template (0.10): give the parameters of its slots \
                 `words` that read their examples",
            ),
            (
                stray("is it closed", Selects::Nothing, 0.0, &[]),
                "mine/list: phrase \"is it closed\" selects no template (0.00): write it as a request and not as a question",
            ),
        ] {
            assert_eq!(line(&found), expected);
        }
    }

    #[test]
    fn a_finding_for_a_program_has_the_best_candidate_first() {
        let found = stray("open orders", Selects::Other("shop/search".to_owned()), 0.25, &[("shop/search", 0.5)]);
        let expected = json!({
            "template": "mine/list",
            "phrase": "open orders",
            "decided": "shop/search",
            "candidates": [{"template": "shop/search", "score": 0.5}, {"template": "mine/list", "score": 0.25}],
        });
        assert_eq!(row(&found), expected);
        let equals = stray("open orders", Selects::Several, 0.5, &[("a/b", 0.5)]);
        assert_eq!(row(&equals)["decided"], Value::Null);
        assert_eq!(row(&equals)["candidates"][0]["template"], "mine/list");
    }
}
