//! Names that exist, in a sentence: where a card takes them as values.

use std::ops::Range;

use intentbox_catalog::ParamKind;
use intentbox_catalog::ParamSpec;
use intentbox_catalog::param::ValuesFrom;

use serde_json::Value;

use super::confirmed::CONFIRMED;
use super::pattern::{Part, Pattern};
use super::{Found, How, NameMention, Pull, Reads, ValueRead};
use crate::names::{NAME_WORDS_MAX, Name, NameList};
use crate::text::stem;

/// By what a name is read that stands alone.
pub(crate) const KNOWN_NAME: &str = "a known name";

/// What names of this parameter are called: those of `columns.column` columns.
fn kind(spec: &ParamSpec) -> Option<String> {
    match spec.values_from()? {
        ValuesFrom::Files => Some("file".to_owned()),
        ValuesFrom::Template { field, .. } => Some(field.clone()),
    }
}

/// Whether a value is this name, or a list that has it.
fn holds(value: &Value, name: &str) -> bool {
    *value == *name || value.as_array().is_some_and(|items| items.iter().any(|item| *item == *name))
}

/// A name as a value: a list has it as its only item.
pub(super) fn value(spec: &ParamSpec, name: &str) -> Option<Value> {
    let item = spec.read_item(name).ok()?;
    Some(if matches!(spec.kind(), ParamKind::List { .. }) { Value::Array(vec![item]) } else { item })
}

impl Pull<'_> {
    /// "Orders of customer Tanaka" is about the file of orders, not about that of customers: where one is said as it is called,
    /// another word is no file.
    pub(super) fn exact_files(&self, all: &mut Vec<Found>) {
        for (reader, spec) in self.readers.specs.iter().enumerate() {
            let Some(mentions) = self.names[reader].as_ref() else { continue };
            let source = &self.readers.sources[reader];
            let is_only = self.readers.sources.iter().filter(|other| *other == source).count() == 1;
            let is_list = matches!(spec.kind(), ParamKind::List { .. });
            if spec.is_text() || is_list || !is_only || !mentions.iter().any(|mention| mention.how == How::Exactly) {
                continue;
            }
            let is_file = matches!(spec.values_from(), Some(ValuesFrom::Files));
            let is_loose = |(of, read): &(usize, ValueRead)| {
                let mut same = mentions.iter().filter(|mention| read.value == *mention.name.text).peekable();
                let is_unknown = same.peek().is_none() && !is_file;
                *of == reader
                    && (is_unknown || (same.peek().is_some() && !same.any(|mention| mention.how == How::Exactly)))
            };
            all.retain(|found| !found.reads.iter().any(is_loose));
        }
    }

    /// "Mean and p95 of `duration_ms`", "lowest, median and highest price": a measure that "and" joins to another is of the same column.
    pub(super) fn share_columns(&self, values: &mut [Found], taken: &mut [bool], read: &mut [bool]) {
        let words = self.sentence.words;
        for at in (0..words.len()).rev() {
            let measure =
                self.readers.measure(&self.sentence.canonical[at]).filter(|_| !taken[at] && !words[at].quoted);
            let Some(reader) = measure.filter(|reader| !read[*reader]) else { continue };
            let is_joint =
                |at: usize| words.get(at).is_some_and(|word| matches!(word.plain.as_str(), "and" | "plus" | "&" | "n"));
            let next = at + 1 + usize::from(is_joint(at + 1));
            if next == at + 1 && !words[at].comma {
                continue;
            }
            let beside = values.iter_mut().find(|found| found.span.start == next);
            let Some(found) = beside.and_then(|found| self.with_measure(found, reader, at)) else { continue };
            found.span.start = at;
            taken[at..next].fill(true);
            read[reader] = true;
        }
    }

    /// "Price: lowest and highest": a measure that "and" joins to one behind its column is of the same column.
    pub(super) fn share_columns_behind(&self, values: &mut [Found], taken: &mut [bool], read: &mut [bool]) {
        let words = self.sentence.words;
        for at in 2..words.len() {
            let is_joint = matches!(words[at - 1].plain.as_str(), "and" | "plus" | "&" | "n");
            let measure = self.readers.measure(&self.sentence.canonical[at]);
            let Some(reader) = measure.filter(|reader| is_joint && !taken[at] && !words[at].quoted && !read[*reader])
            else {
                continue;
            };
            let before = values.iter_mut().find(|found| found.span.end == at - 1);
            let Some(found) = before.and_then(|found| self.with_measure(found, reader, at)) else { continue };
            found.span.end = at + 1;
            taken[at - 1..=at].fill(true);
            read[reader] = true;
        }
    }

    /// A measure of a column with another measure of it, which the word at `at` names; nothing where that takes no such column.
    fn with_measure<'f>(&self, found: &'f mut Found, reader: usize, at: usize) -> Option<&'f mut Found> {
        let mentions = self.names[reader].as_deref().unwrap_or_default();
        let is_of = |value: &Value| mentions.iter().any(|mention| *value == *mention.name.text);
        let mut columns = found.reads.iter().filter(|(other, _)| self.readers.one_of.contains(other));
        let value = columns.next().map(|(_, read)| read.value.clone()).filter(is_of)?;
        let parameter = self.readers.specs[reader].name().to_owned();
        let text = self.sentence.words[at].text.clone();
        let pattern = "the column of the measure beside it".to_owned();
        found.reads.push((reader, ValueRead { parameter, pattern, text, value, is_guess: false }));
        Some(found)
    }

    /// Names take the word beside them that says what they are: "the amount column", "our products file".
    pub(super) fn with_kinds(&self, values: &mut [Found], taken: &mut [bool]) {
        let words = self.sentence.words;
        for found in values.iter_mut().filter(|found| !found.span.is_empty()) {
            let is_name = |(reader, read): &&(usize, ValueRead)| {
                let mentions = self.names[*reader].as_deref().unwrap_or_default();
                !self.readers.specs[*reader].is_text()
                    && mentions.iter().any(|mention| {
                        found.span.contains(&mention.span.start) && holds(&read.value, &mention.name.text)
                    })
            };
            let kinds = found.reads.iter().filter(is_name).filter_map(|(reader, _)| kind(&self.readers.specs[*reader]));
            let kinds: Vec<String> = kinds.collect();
            let says = |at: usize| {
                let is_kind =
                    kinds.iter().any(|kind| stem(kind) == words[at].stem || *kind == self.sentence.canonical[at]);
                !words[at].quoted && is_kind
            };
            if found.span.end < words.len() && !taken[found.span.end] && says(found.span.end) {
                taken[found.span.end] = true;
                found.span.end += 1;
            }
            if let Some(before) = found.span.start.checked_sub(1).filter(|before| !taken[*before] && says(*before)) {
                taken[before] = true;
                found.span.start = before;
            }
        }
    }

    /// Notes which values are names that were guessed.
    pub(super) fn mark_guesses(&self, values: &mut [Found]) {
        for Found { span, reads, .. } in values {
            for (reader, read) in reads.iter_mut().filter(|(_, read)| read.pattern != CONFIRMED) {
                let mentions = self.names[*reader].as_deref().unwrap_or_default();
                let is_guess =
                    |mention: &&&NameMention| mention.how == How::Guessed && span.contains(&mention.span.start);
                let is_guess = mentions.iter().filter(is_guess).any(|mention| holds(&read.value, &mention.name.text));
                read.is_guess = is_guess;
            }
        }
    }

    /// Names that exist are values wherever they stand, if they can be of one parameter only.
    pub(super) fn bare_names(&self, all: &mut Vec<Found>) {
        for (reader, source) in self.readers.sources.iter().enumerate() {
            let is_only = self.readers.sources.iter().filter(|other| *other == source).count() == 1;
            let Some(mentions) = self.names[reader].as_ref().filter(|_| is_only && !self.readers.writes) else {
                continue;
            };
            for NameMention { span, name, how } in mentions {
                let spec = &self.readers.specs[reader];
                if !spec.is_text() && self.is_told(span) || spec.is_text() && self.is_contained(span) {
                    continue;
                }
                let is_exact = *how == How::Exactly;
                let Some(value) = value(spec, &name.text) else { continue };
                // What something is said to be in is more likely meant than another name: "customers in orders".
                let before = span.start.checked_sub(1).map_or("", |before| self.sentence.words[before].plain.as_str());
                let is_led = matches!(before, "in" | "of" | "from" | "for" | "on" | "at" | "within")
                    || (before == "the" && is_exact);
                // "Where the customer is Globex" does not name the file of customers.
                let after = self.sentence.canonical.get(span.end).map_or("", String::as_str);
                let is_file = matches!(spec.values_from(), Some(ValuesFrom::Files));
                if is_file && !is_exact && matches!(after, "is" | "equal" | "contain" | "contains") {
                    continue;
                }
                let weight = 6 * usize::from(is_exact) + 10 * span.len() + 2 * usize::from(is_led);
                // A value is one of thousands: where its word is one of the card's, that is what was said.
                let is_word = |at: usize| {
                    let form = &self.sentence.canonical[at];
                    self.topics.contains(form) || self.readers.announcing.contains(form)
                };
                // "Returned orders" are no list of returns.
                let is_participle =
                    is_exact && span.len() == 1 && self.sentence.words[span.start].plain.ends_with("ed");
                if spec.is_text() && !is_led && !is_participle && span.clone().all(is_word) {
                    continue;
                }
                // "No more than 5" is about no column of yes and no.
                let answers = |at: usize| {
                    matches!(self.sentence.words[at].plain.as_str(), "false" | "n" | "no" | "true" | "y" | "yes")
                };
                if spec.is_text() && span.len() == 1 && answers(span.start) {
                    continue;
                }
                // "Done by Ines" says who did it, and not that it is done.
                if spec.is_text() && self.is_done_by(reader, span) {
                    continue;
                }
                let done = if spec.is_text() { self.doing_before(span.start) } else { 0 };
                let mut found = self.found(reader, span.clone(), weight, KNOWN_NAME, value);
                found.span.start -= done;
                found.reads.extend(self.given_by(spec, name));
                all.push(found);
            }
        }
    }

    /// Whether a name is a verb of which the words behind "by" say who did it.
    fn is_done_by(&self, reader: usize, span: &Range<usize>) -> bool {
        let mut names = self.names[reader].iter().flatten();
        span.len() == 1
            && names.any(|mention| mention.span.start == span.end + 1 && self.doing_before(mention.span.start) == 2)
    }

    /// How many words before a name say that it is who did something, and nothing more: "done by".
    fn doing_before(&self, start: usize) -> usize {
        const DOING: [&str; 5] = ["carried", "done", "handled", "made", "performed"];
        let words = self.sentence.words;
        let is_by = start >= 2 && words[start - 1].plain == "by" && !words[start - 2].quoted;
        if is_by && DOING.contains(&words[start - 2].plain.as_str()) { 2 } else { 0 }
    }

    /// Whether these words are a name that gives a parameter another value than was read: "amount paid" is no amount.
    pub(super) fn is_of_other_column(&self, reader: usize, span: Range<usize>, reads: &Reads) -> bool {
        let spec = &self.readers.specs[reader];
        let Some(mentions) = self.names[reader].as_ref().filter(|_| !spec.values_give().is_empty()) else {
            return false;
        };
        let Some(mention) = mentions.iter().find(|mention| mention.span == span) else { return false };
        self.given_by(spec, &mention.name)
            .iter()
            .any(|(other, given)| reads.iter().any(|(reader, read)| reader == other && read.value != given.value))
    }

    /// The values that a name gives other parameters: the column that holds it.
    pub(super) fn given_by(&self, spec: &ParamSpec, name: &Name) -> Vec<(usize, ValueRead)> {
        let given = spec.values_give().iter().filter_map(|(parameter, field)| {
            let reader = self.readers.specs.iter().position(|spec| spec.name() == parameter)?;
            let value = self.readers.specs[reader].read_item(name.fields.get(field)?).ok()?;
            let pattern = KNOWN_NAME.to_owned();
            Some((
                reader,
                ValueRead { parameter: parameter.clone(), pattern, text: String::new(), value, is_guess: false },
            ))
        });
        given.collect()
    }

    /// Several known names in a row are a list: "name and email of all customers".
    pub(super) fn enumerations(&self, all: &mut Vec<Found>) {
        for (reader, spec) in self.readers.specs.iter().enumerate() {
            let ParamKind::List { items_max, .. } = spec.kind() else { continue };
            let Some(mentions) = &self.names[reader] else { continue };
            let pattern =
                Pattern::new("known names".to_owned(), vec![Part::Slot { reader, choices: None, shape: None }]);
            for mention in mentions {
                let start = mention.span.start;
                let width = self.enumerated(reader, start, *items_max).min(self.sentence.words.len() - start);
                if width <= mention.span.len() {
                    continue;
                }
                if let Some(value) = self.value(&pattern, reader, None, start..start + width) {
                    all.push(self.found(reader, start..start + width, 10 * width, "known names", value));
                }
            }
        }
    }

    /// The file that the word says, if this card may read it: "the average order amount" names the file on its way.
    pub(super) fn file_at(&self, at: usize) -> Option<(usize, &str)> {
        let is_file = |reader: &usize| matches!(self.readers.specs[*reader].values_from(), Some(ValuesFrom::Files));
        let mut readers = (0..self.readers.specs.len()).filter(is_file);
        readers.find_map(|reader| Some((reader, self.named(reader, at..at + 1)?)))
    }

    /// Whether a word is no file that this card may read, and one that cards of another pack may: `visits.jsonl` is no log, and no text
    /// in one.
    pub(super) fn is_file_of_another_pack(&self, at: usize) -> bool {
        let Some(word) = self.sentence.words.get(at).filter(|word| !word.quoted && word.text.contains('.')) else {
            return false;
        };
        let says = |list: &NameList| list.find(&word.text).is_some();
        let own = self.readers.sources().find(|source| source.values == ValuesFrom::Files);
        let is_foreign = own.and_then(|own| self.sentence.known.get(own)).is_some_and(|list| !says(list));
        is_foreign && self.sentence.known.files().any(says)
    }

    /// How many words from `at` on an enumeration has, "and" included: `web, api and worker` has four.
    pub(super) fn enumerated(&self, reader: usize, at: usize, items_max: usize) -> usize {
        let mut end = at + self.item_width(reader, at);
        for _ in 1..items_max {
            let has_comma = self.sentence.words.get(end.wrapping_sub(1)).is_some_and(|word| word.comma);
            let joining = (end..self.sentence.words.len()).take_while(|at| self.joins(*at)).count();
            let next = end + joining;
            if next >= self.sentence.words.len() || !(has_comma || (joining > 0 && self.is_and(end))) {
                break;
            }
            end = next + self.item_width(reader, next);
        }
        end.saturating_sub(at).max(1)
    }

    /// How many words the item at `at` has: those of the longest name there, or one.
    pub(super) fn item_width(&self, reader: usize, at: usize) -> usize {
        let named = |width: &usize| self.named(reader, at..at + width).is_some();
        (1..=NAME_WORDS_MAX).rev().find(named).unwrap_or(1)
    }

    pub(super) fn is_and(&self, index: usize) -> bool {
        self.sentence.words.get(index).is_some_and(|word| !word.quoted && matches!(word.plain.as_str(), "and" | "n"))
    }

    /// Whether a word only joins items: "by country and each city".
    pub(super) fn joins(&self, index: usize) -> bool {
        let words = &self.sentence.words;
        self.is_and(index)
            || (index > 0
                && self.is_and(index - 1)
                && !words[index].quoted
                && matches!(words[index].plain.as_str(), "by" | "each" | "every" | "per" | "the"))
    }

    /// The name that these words say, if names are known for the parameter.
    pub(super) fn named(&self, reader: usize, span: Range<usize>) -> Option<&str> {
        let mentions = self.names[reader].as_ref()?;
        mentions.iter().find(|mention| mention.span == span).map(|mention| mention.name.text.as_str())
    }
}
