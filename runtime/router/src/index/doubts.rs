//! What speaks against the reading of a card: the words that it does not explain, each with why it may mean something else.

use serde_json::Value;

use super::{Entry, Reading};
use crate::clause;
use crate::english::{asks_for, is_deed, negates};
use crate::explain::Scored;
use crate::text::Word;
use crate::trust::{Doubt, Doubts, Why};
use crate::values::{CONFIRMED, Found, How, KNOWN_NAME, REST, ValueRead, count};
use crate::weights::{Feature, WeightMap};

/// How far before a word its number stands: "5 most frequent issues".
const COUNTED_WITHIN: usize = 3;

/// The lowest trained weight of a word that may be passed over.
const HARMLESS_WEIGHT: f64 = 0.1;

impl Entry {
    /// Words that the card does not explain, each with why it may mean something else, and what there is in the sentence besides.
    ///
    /// The clause that says most about the card is the request: who tells a story first uses words that nobody foresees.
    pub(super) fn doubts(
        &self,
        reading: &Reading<'_>,
        scored: &Scored,
        found: &[Found],
        general: &WeightMap,
    ) -> Doubts {
        let Reading { words, canonical, clauses: clause_of, .. } = reading;
        let in_value = |index: usize| found.iter().any(|value| value.span.contains(&index));
        let is_topic = |index: usize| !words[index].is_filler && self.topics.contains(&canonical[index]);
        let joins = |index: usize| {
            let mut after = (index + 1..words.len()).filter(|at| !words[*at].is_filler || in_value(*at));
            let is_known = |at: usize| in_value(at) || is_topic(at) || words[at].is_around;
            words[index].plain == "and" && !words[index].quoted && after.next().is_some_and(is_known)
        };
        let (says, has_value, has_sure_value) = self.said_by_clause(reading, found);
        let most = says.iter().copied().max().unwrap_or(0);
        let first_request = says.iter().position(|says| *says == most).unwrap_or(0);
        let excepts = excepting(words, clause_of, first_request, says.len());
        let mut name = String::new();
        let mut doubts = Doubts {
            says,
            has_value,
            has_sure_value,
            announced: announced(words, found),
            all_words: words.len(),
            text_words: found.iter().map(|found| found.text.len()).sum(),
            ..Doubts::default()
        };
        for (index, word) in words.iter().enumerate() {
            if !scored.unexplained.contains(&word.text) || in_value(index) {
                doubts.explained += usize::from(in_value(index) || is_topic(index));
                continue;
            }
            Feature::Unexplained(&canonical[index]).name(&mut name);
            let trained = general.get(&name).copied();
            let is_name = || self.is_named(reading, index);
            // "Payment errors" and "errors for payments" are some errors, whatever the word.
            let before = index.checked_sub(1).map_or("", |before| words[before].plain.as_str());
            let is_next =
                |at: usize| at < words.len() && (is_topic(at) || (in_value(at) && word.plain.ends_with("ly")));
            let is_attribute = is_next(index + 1) && !asks_for(&word.plain);
            let is_led =
                matches!(before, "for" | "about" | "with" | "in" | "on" | "of" | "from" | "by" | "without" | "like");
            let is_elsewhere = self.is_of_another_pack(words, index) || self.is_counted_elsewhere(words, index);
            let absent = || {
                let is_harmless = trained.is_some_and(|weight| weight >= HARMLESS_WEIGHT);
                let names = reading.said.question.names;
                (!is_harmless).then(|| self.readers.absent(words, canonical, index, &scored.values, names)).flatten()
            };
            let mut parameter = None;
            let clause = clause_of[index];
            let is_request = doubts.says[clause] == most || excepts[clause];
            // "Then delete them" asks for it, "before I could fix it" tells a story.
            let is_command = |index: usize| {
                let before = (0..index).rev().take_while(|at| clause_of[*at] == clause).map(|at| &words[at]);
                before.into_iter().all(|word| {
                    word.is_filler || matches!(word.plain.as_str(), "afterwards" | "and" | "finally" | "then")
                })
            };
            let why = if word.quoted {
                Why::Quoted
            } else if word.text.bytes().all(|byte| byte.is_ascii_digit()) {
                Why::Number
            } else if negates(&word.plain) && (clause >= first_request || doubts.has_value[clause]) {
                Why::Negates
            } else if (is_deed(&word.plain) || word.plain == "will") && (is_request || is_command(index)) {
                Why::Deed
            } else if self.readers.announces_missing(&canonical[index], &scored.values)
                || joins(index)
                || is_of_column(word, &scored.values)
            {
                // "This issue" says what will be asked for. What "and" joins speaks for itself.
                Why::Harmless
            } else if self.readers.announces_unread(&canonical[index], &scored.values) {
                // "In project" without a project is a question about something that was not understood.
                Why::Announces
            } else if is_name() {
                // A name that exists is meant, and nothing took it.
                Why::Name
            } else if let Some(of) = absent() {
                parameter = Some(of.to_owned());
                Why::Absent
            } else if is_elsewhere {
                Why::Elsewhere
            } else if is_request && is_part_of_the_question(words, clause_of, index, &in_value, trained) {
                Why::Predicate
            } else if is_attribute || is_led || excepts[clause] {
                Why::Narrows
            } else if trained.is_some_and(|weight| weight >= HARMLESS_WEIGHT) {
                Why::Harmless
            } else {
                Why::Unknown
            };
            doubts.words.push(Doubt {
                text: word.text.clone(),
                at: index,
                why,
                parameter,
                clause,
                is_request,
                trained,
            });
        }
        for index in self.other_halves(words, canonical, &scored.values) {
            let (text, clause, why) = (words[index].text.clone(), clause_of[index], Why::Narrows);
            doubts.words.push(Doubt { text, at: index, why, parameter: None, clause, is_request: true, trained: None });
        }
        doubts
    }

    /// Whether a word is a name that exists: one of this card's, or a file of another pack. "Status in access.log" is about no table.
    fn is_named(&self, reading: &Reading<'_>, index: usize) -> bool {
        let names = reading.names.iter().filter(|(source, _)| self.readers.sources().any(|own| own == *source));
        let mut names = names.flat_map(|(_, names)| names);
        names.any(|name| name.how == How::Exactly && name.span.contains(&index))
            || reading.said.question.names.files_say(&reading.words[index].text)
    }

    /// How many words of each clause the card explains, which clauses hold a value, and which a name that exists or what fits a narrow
    /// pattern.
    fn said_by_clause(&self, reading: &Reading<'_>, found: &[Found]) -> (Vec<usize>, Vec<bool>, Vec<bool>) {
        let Reading { words, canonical, clauses: clause_of, .. } = reading;
        let clauses = clause_of.last().map_or(1, |last| last + 1);
        let in_value = |index: usize| found.iter().any(|value| value.span.contains(&index));
        let is_topic = |index: usize| !words[index].is_filler && self.topics.contains(&canonical[index]);
        let mut says = vec![0_usize; clauses];
        let mut has_value = vec![false; clauses];
        for index in 0..words.len() {
            says[clause_of[index]] += usize::from(in_value(index) || is_topic(index));
            has_value[clause_of[index]] |= in_value(index);
        }
        // A story has times and numbers of its own; a name that exists is the one that is meant.
        let is_sure = |found: &&Found| {
            found.reads.iter().any(|(reader, read)| {
                let spec = &self.readers.specs()[*reader];
                (read.pattern == KNOWN_NAME && !spec.is_text()) || spec.is_narrow()
            })
        };
        let mut has_sure_value = vec![false; clauses];
        for found in found.iter().filter(is_sure).filter(|found| !found.span.is_empty()) {
            has_sure_value[clause_of[found.span.start]] = true;
        }
        (says, has_value, has_sure_value)
    }

    /// Whether a word is what another pack is about: "in the logs".
    fn is_of_another_pack(&self, words: &[Word], index: usize) -> bool {
        let leads = |at: usize| matches!(words[at].plain.as_str(), "from" | "in" | "of");
        (index.saturating_sub(2)..index).any(leads) && self.others.contains(&words[index].plain)
    }

    /// Whether a word is what another card of the pack counts, with a number before it: "10 rows of the largest file" are no ten files.
    fn is_counted_elsewhere(&self, words: &[Word], index: usize) -> bool {
        let before = words.get(index.saturating_sub(COUNTED_WITHIN)..index).unwrap_or_default();
        let is_number = |word: &Word| !word.quoted && count(&word.plain).is_some();
        self.counted_elsewhere.contains(&words[index].plain) && before.iter().any(is_number)
    }

    /// Words that are joined to others of which one alone was read: "errors and warnings", "the min and max of age".
    fn other_halves(&self, words: &[Word], canonical: &[String], read: &[ValueRead]) -> Vec<usize> {
        let alternative = |at: usize| self.readers.alternative(canonical.get(at)?).filter(|_| !words[at].quoted);
        let is_read = |(parameter, value): &(String, Value)| {
            read.iter().any(|read| read.parameter == *parameter && (value.is_null() || read.value == *value))
        };
        let next =
            |at: usize| (at + 1..words.len()).find(|at| !matches!(words[*at].plain.as_str(), "also" | "the" | "all"));
        let mut halves = Vec::new();
        for at in 0..words.len() {
            let joined = match words.get(at + 1) {
                Some(word) if matches!(word.plain.as_str(), "and" | "n" | "or") => next(at + 1),
                _ if words[at].comma => next(at),
                _ => None,
            };
            let Some((left, (at, right))) = alternative(at).zip(joined.and_then(|at| Some((at, alternative(at)?))))
            else {
                continue;
            };
            if left != right && !(is_read(left) && is_read(right)) {
                halves.push(at);
            }
        }
        // "How many critical and how many errors": one value cannot be both.
        let said: Vec<(usize, &(String, Value))> = (0..words.len())
            .filter_map(|at| Some((at, alternative(at)?)))
            .filter(|(_, (_, value))| !value.is_null())
            .collect();
        for pair in said.windows(2) {
            let [(first, left), (second, right)] = pair else { continue };
            let joins = |at: usize| matches!(words[at].plain.as_str(), "and" | "n" | "or" | "versus" | "vs");
            let is_other = left.0 == right.0 && left.1 != right.1 && (first + 1..*second).any(joins);
            if is_other && !(is_read(left) && is_read(right)) && !halves.contains(second) {
                halves.push(*second);
            }
        }
        halves
    }
}

/// Which of so many clauses take something away from the request before them, and so belong to it: "orders per country, only
/// delivered ones".
fn excepting(words: &[Word], clause_of: &[usize], first_request: usize, clauses: usize) -> Vec<bool> {
    let mut excepts = vec![false; clauses];
    let mut start = 0;
    for of in clause_of.chunk_by(|left, right| left == right) {
        let end = start + of.len();
        excepts[of[0]] = of[0] > first_request && clause::excepts(&words[start..end]);
        start = end;
    }
    excepts
}

/// Whether a word begins like a column that was read: "assigned" says nothing besides `assignee`.
fn is_of_column(word: &Word, read: &[ValueRead]) -> bool {
    let columns = read.iter().filter(|read| read.parameter.ends_with("column")).filter_map(|read| read.value.as_str());
    let least = word.plain.chars().count().saturating_sub(3).max(5);
    columns.map(str::to_lowercase).any(|column| {
        let alike = word.plain.chars().zip(column.chars()).take_while(|(left, right)| left == right).count();
        alike >= least
    })
}

/// Whether this is what something is said to be, "managers" of "how many employees are managers": without it another question is asked,
/// however harmless the word is in a story. What happens to something, "errors are coming in", and that there is something, does not.
fn is_said_to_be(words: &[Word], clauses: &[usize], index: usize) -> bool {
    const BETWEEN: [&str; 7] = ["a", "also", "an", "both", "currently", "still", "the"];
    let word = &words[index].plain;
    let before = words[..index].iter().rev().find(|word| !BETWEEN.contains(&word.plain.as_str()));
    let is_said = before.is_some_and(|word| matches!(word.plain.as_str(), "are" | "is"));
    let is_last = clauses.get(index + 1).is_none_or(|next| *next != clauses[index]);
    is_said
        && is_last
        && !["ed", "en", "ing", "ly"].iter().any(|ending| word.ends_with(ending))
        && !["available", "left", "there"].contains(&word.as_str())
}

/// Whether another question is asked without this word: what something is said to be, what is counted, and an "or" between values.
fn is_part_of_the_question(
    words: &[Word],
    clauses: &[usize],
    index: usize,
    in_value: &impl Fn(usize) -> bool,
    trained: Option<f64>,
) -> bool {
    let is_strange = trained.is_none_or(|weight| weight < HARMLESS_WEIGHT);
    is_said_to_be(words, clauses, index)
        || is_either(words, index, in_value)
        || (is_strange && is_counted(words, index))
}

/// Whether this is what is counted, "monstera" of "how many monstera do I have": without it, all there is would be.
fn is_counted(words: &[Word], index: usize) -> bool {
    // These are whoever or whatever the question is about.
    if matches!(words[index].plain.as_str(), "people" | "persons" | "ppl" | "times") {
        return false;
    }
    let before = |back: usize| index.checked_sub(back).map_or("", |at| words[at].plain.as_str());
    matches!((before(2), before(1)), ("how", "many" | "much") | ("number", "of"))
}

/// Whether this is an "or" between two values, of which no card makes one condition: both would have to hold.
fn is_either(words: &[Word], index: usize, in_value: &impl Fn(usize) -> bool) -> bool {
    const BETWEEN: usize = 2;
    let near = |at: &mut dyn Iterator<Item = usize>| at.take(BETWEEN).any(in_value);
    words[index].plain == "or" && near(&mut (0..index).rev()) && near(&mut (index + 1..words.len()))
}

/// The texts that a word announces.
fn announced(words: &[Word], found: &[Found]) -> Vec<String> {
    let texts = found.iter().filter(|found| !found.text.is_empty() && !words[found.text.start].quoted);
    let reads = texts.filter_map(|found| found.reads.last()).map(|(_, read)| read);
    reads
        .filter(|read| ![REST, CONFIRMED, "{}"].contains(&read.pattern.as_str()))
        .map(|read| read.text.clone())
        .collect()
}
