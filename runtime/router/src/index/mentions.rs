//! Names that exist, as a sentence says them.

use std::ops::Range;
use std::sync::Arc;

use intentbox_catalog::param::ValuesFrom;

use super::{PackIndex, Said};
use crate::names::{NAME_WORDS_MAX, NameList, ROLE};
use crate::ranker::Ranker;
use crate::text::Word;
use crate::values::{How, Mentions, NameMention, count, is_code};

/// A shorter part of a file's name is no way to say the file, unless "log" follows.
const PART_LETTERS_MIN: usize = 3;

impl<R: Ranker> PackIndex<R> {
    /// Which known names the sentence mentions. A word that nobody knows may misspell one.
    pub(super) fn mentions(&self, said: Said<'_>) -> Mentions {
        let mut mentions = Mentions::new();
        let words = said.words;
        // "Since the deploy" is a time, and no `deploy.log`.
        let is_of_file = |span: &Range<usize>| !is_timed(words, span.start);
        for (source, list) in self.sources.iter().filter_map(|source| Some((source, said.question.names.get(source)?)))
        {
            let mut found = Vec::new();
            for (start, word) in words.iter().enumerate() {
                let before = found.len();
                let spans = (1..=NAME_WORDS_MAX.min(words.len() - start)).map(|width| start..start + width);
                let is_file = source.values == ValuesFrom::Files;
                let spans = spans.filter(|span| !is_file || is_of_file(span));
                found.extend(spans.filter_map(|span| self.mention(said, list, span)));
                let is_strange = self.abbreviations.contains(&word.plain)
                    || (!word.is_filler && !word.is_amount && !said.known[start]);
                // `POST` is no `postgresql.log`.
                let is_method = matches!(word.plain.as_str(), "delete" | "get" | "head" | "patch" | "post" | "put");
                let is_other = is_method || word.is_around || word.text.contains('*');
                let is_strange = is_strange && found.len() == before && !is_other;
                if let Some(name) = list.guess(&word.text).filter(|_| is_strange) {
                    found.push(NameMention { span: start..start + 1, name: Arc::clone(name), how: How::Guessed });
                }
            }
            mentions.insert(source.clone(), found);
        }
        leave_dates(&mut mentions, said);
        // A text that is there is said as it is written.
        for (source, list) in
            self.confirming.iter().filter_map(|source| Some((source, said.question.names.get(source)?)))
        {
            let spans = (0..words.len())
                .flat_map(|start| (1..=NAME_WORDS_MAX.min(words.len() - start)).map(move |width| start..start + width));
            let found =
                spans.filter_map(|span| self.mention(said, list, span.clone()).or_else(|| code(words, list, span)));
            mentions.insert(source.clone(), found.collect());
        }
        mentions
    }

    /// The name of a list that these words are.
    fn mention(&self, said: Said<'_>, list: &NameList, span: Range<usize>) -> Option<NameMention> {
        let inside = &said.words[span.clone()];
        let (first, end) = (inside.first()?, inside.last()?);
        let is_one = inside.len() == 1;
        let is_sign = |word: &Word| !word.text.contains(char::is_alphanumeric);
        if is_sign(first) || is_sign(end) || (!is_one && inside.iter().any(|word| word.quoted)) {
            return None;
        }
        // `month` may be a column, `5` is none.
        let may_be_name = |word: &Word| !word.is_filler && count(&word.plain).is_none();
        // "Event, user_id and at": after others, a column may be called like any word.
        let is_listed = || {
            let before = span.start.checked_sub(1).map(|before| &said.words[before]);
            before.is_some_and(|word| word.comma || word.plain == "and") && list.says(&first.text)
        };
        // "Department IT" is no pronoun.
        let is_capital = || {
            let text = first.text.as_str();
            let is_upper = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_uppercase());
            is_upper && list.find(text).is_some_and(|name| name.text == text)
        };
        if !inside.iter().any(may_be_name) && !(is_one && (is_listed() || is_capital())) {
            return None;
        }
        let written = said.question.text.get(first.at.start..end.at.end).unwrap_or_default();
        // That is a pattern of names.
        if written.contains('*') {
            return None;
        }
        // "Error logs" are no file: they are what the pack is about.
        let is_topic = is_one && self.numbers.contains_key(self.synonyms.head(&first.stem));
        let ends_part = |word: &Word| {
            let is_many = is_topic && word.plain.ends_with('s');
            matches!(word.stem.as_str(), "log" | "fil" | "servic") && !is_many
        };
        let part = || list.find_part(written).filter(|_| said.words.get(span.end).is_some_and(ends_part));
        // "Usrs" is short for users, and may be their file.
        let is_short = || is_one && first.plain != first.text.to_lowercase();
        let in_full = || if is_short() { list.find(&first.plain) } else { None };
        // "Parts" may be `parts_stock.csv`, if no other file is about parts.
        let is_many = || is_one && !is_topic && first.plain.ends_with('s') && first.plain.len() > 4;
        // "Without the banned" says what "without banned" does.
        let bare = || {
            let has_article = inside.get(1..inside.len() - 1).unwrap_or_default().iter().any(is_article);
            let kept = inside.iter().filter(|word| !is_article(word)).map(|word| word.text.as_str());
            if has_article { list.find(&kept.collect::<Vec<_>>().join(" ")) } else { None }
        };
        let done = || is_did(said.words, span.start).then(|| list.find_done(&first.plain)).flatten();
        let loose = list.find(written).or_else(in_full).or_else(part).or_else(|| if is_one { done() } else { bare() });
        let Some(name) = loose else {
            let name = list.find_part(written)?;
            let is_file = is_one && !is_topic && first.plain.len() >= PART_LETTERS_MIN;
            let at = span.start;
            // What nobody else knows may stand anywhere, but where words group, or say a text.
            let is_strange = || {
                let is_known = self.vocabulary.knows(first) || said.question.names.hold(&first.text);
                !is_known && !is_grouped(said.words, at)
            };
            let is_placed = is_file && (is_led(said.words, at) || self.narrows(said.words, at) || is_strange());
            let how = if is_many() { How::Loosely } else { How::Guessed };
            return (is_many() || is_placed).then(|| NameMention { span, name: Arc::clone(name), how });
        };
        // "Employees in Sales" is not about `sales-2026.csv`.
        let is_proper = span.start > 0 && first.text.starts_with(char::is_uppercase);
        let says = if is_proper { list.says_all(written) } else { list.says(written) };
        let says = says || (!is_one && bare().is_some());
        let how = if says { How::Exactly } else { How::Loosely };
        Some(NameMention { span, name: Arc::clone(name), how })
    }

    /// Whether a word stands before what the pack is about: "nginx" in "nginx errors".
    fn narrows(&self, words: &[Word], at: usize) -> bool {
        let next = words.get(at + 1).filter(|next| !next.quoted && !next.is_filler);
        let is_topic = |head: &str| self.entries.iter().any(|entry| entry.topics.contains(head));
        next.is_some_and(|next| is_topic(self.synonyms.head(&next.stem)))
    }
}

/// Whether a word stands where a sentence says what something is in or who did it: "in the worker", "did nginx".
fn is_led(words: &[Word], at: usize) -> bool {
    const LEADING: [&str; 12] = ["at", "did", "do", "does", "from", "had", "has", "in", "inside", "is", "of", "on"];
    let mut before = words[..at].iter().rev().filter(|word| !is_article(word));
    let lead = before.next().filter(|word| !word.quoted);
    let doing = before.next().map_or("", |word| word.plain.as_str());
    // "Logged by the worker" says who did it, and "errors by station" groups them.
    let is_done = doing.ends_with("ed") || matches!(doing, "sent" | "written");
    let is_led = lead.is_some_and(|word| LEADING.contains(&word.plain.as_str()) || (word.plain == "by" && is_done));
    // The order in "of order 4711" is no file.
    let is_end = words
        .get(at + 1)
        .is_none_or(|next| !next.quoted && !next.text.contains(|letter: char| letter.is_ascii_digit()));
    is_led && is_end
}

fn is_article(word: &Word) -> bool {
    matches!(word.plain.as_str(), "my" | "our" | "the")
}

/// Whether the word before groups by this one, or takes it as a text.
fn is_grouped(words: &[Word], at: usize) -> bool {
    const GROUPING: [&str; 12] =
        ["about", "by", "containing", "each", "every", "for", "like", "mentioning", "per", "what", "which", "with"];
    let before = words[..at].iter().rev().find(|word| !is_article(word));
    before.is_some_and(|word| GROUPING.contains(&word.plain.as_str()))
}

/// Whether a word stands where a sentence says what somebody did: "did we reject".
fn is_did(words: &[Word], at: usize) -> bool {
    let is = |back: usize, any: &[&str]| at.checked_sub(back).is_some_and(|at| any.contains(&words[at].plain.as_str()));
    is(1, &["i", "they", "we", "you"]) && is(2, &["did", "do"])
}

/// Leaves a word to the column of dates that it names where a time follows: in "created in november" it is no value of another column.
fn leave_dates(mentions: &mut Mentions, said: Said<'_>) {
    let is_of_dates = |found: &NameMention| found.name.fields.get(ROLE).is_some_and(|role| role == "date");
    let dates: Vec<Range<usize>> =
        mentions.values().flatten().filter(|found| is_of_dates(found)).map(|found| found.span.clone()).collect();
    let is_timed = |span: &Range<usize>| said.times.iter().any(|time| time.span.start == span.end);
    let dates: Vec<Range<usize>> = dates.into_iter().filter(is_timed).collect();
    for found in mentions.values_mut() {
        found.retain(|found| found.name.fields.contains_key(ROLE) || !dates.contains(&found.span));
    }
}

/// Whether a word stands where a time is expected: "since the deploy".
fn is_timed(words: &[Word], at: usize) -> bool {
    let is_article = |word: &&Word| matches!(word.plain.as_str(), "last" | "latest" | "my" | "our" | "the");
    let lead = words[..at].iter().rev().find(|word| !is_article(word)).filter(|word| !word.quoted);
    let leads = ["after", "before", "during", "since", "till", "until", "while"];
    lead.is_some_and(|word| leads.contains(&word.plain.as_str()))
}

/// A number that is a text: "404", and of several "404s".
fn code(words: &[Word], list: &NameList, span: Range<usize>) -> Option<NameMention> {
    let word = words.get(span.clone()).filter(|inside| inside.len() == 1)?.first()?;
    let name = list.find(&word.plain).filter(|_| is_code(word.plain.trim_end_matches('s')) && !word.quoted)?;
    Some(NameMention { span, name: Arc::clone(name), how: How::Exactly })
}
