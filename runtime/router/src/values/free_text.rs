//! Free text: several words that are one value, as in "search for out of memory in the logs".

use std::ops::Range;

use super::confirmed::CONFIRMED;
use super::known::KNOWN_NAME;
use super::{Found, Pull, Sentence, ValueRead};
use crate::english::{is_deed, is_filler};
use crate::text::{Word, ends_clause};

/// By what the words are read that nothing explains.
pub(crate) const REST: &str = "the words that are left";

/// Words that stand for a text and are none: "look for it", "a given string".
pub(super) const VAGUE: [&str; 21] = [
    "any",
    "certain",
    "given",
    "her",
    "him",
    "his",
    "it",
    "me",
    "particular",
    "some",
    "something",
    "somewhere",
    "specific",
    "string",
    "text",
    "that",
    "them",
    "these",
    "this",
    "those",
    "us",
];

/// Words with which no text begins.
pub(super) const NO_TEXT: [&str; 33] = [
    "according",
    "across",
    "among",
    "and",
    "at",
    "between",
    "by",
    "contain",
    "containing",
    "contains",
    "during",
    "for",
    "from",
    "in",
    "includes",
    "inside",
    "is",
    "more",
    "most",
    "of",
    "on",
    "or",
    "please",
    "say",
    "says",
    "search",
    "their",
    "through",
    "to",
    "turn",
    "up",
    "with",
    "within",
];

/// What a text is called: "my text", "a certain string" are none.
pub(super) const CALLED: [&str; 8] = ["keyword", "message", "phrase", "string", "term", "text", "word", "words"];

/// What calls the text that follows a text: "the word timeout".
pub(super) const CALLS: [&str; 7] = ["keyword", "phrase", "string", "substring", "term", "text", "word"];

/// Verbs that after "and" ask for more about what was found: "and return the newest".
const GOING_ON: [&str; 10] = ["give", "limit", "only", "order", "report", "restrict", "return", "show", "sort", "tell"];

/// Words that say where something is, and name nothing: "in the gateway folder".
pub(super) const PLACES: [&str; 11] =
    ["column", "columns", "dir", "directory", "file", "files", "folder", "folders", "matching", "place", "table"];

/// Words that ask for something, and are no text by themselves.
pub(super) const ASKED_WITH: [&str; 9] = ["how", "not", "what", "when", "where", "which", "who", "whose", "why"];

/// Words between what is looked for and a text that it has.
const ANNOUNCING: [&str; 10] =
    ["about", "concerning", "containing", "contains", "mentioning", "regarding", "saying", "says", "titled", "with"];

/// Verbs behind which words are said as they are: a name among them is a part of what is said.
const QUOTING: [&str; 10] =
    ["contain", "containing", "contains", "mention", "mentioning", "mentions", "say", "saying", "says", "titled"];

/// How many words may stand between such a verb and a name.
const BEFORE_NAME_MAX: usize = 3;

/// Words that begin what is said about a text, and no part of it: "timeouts which somebody ignored".
pub(super) const BEHIND: [&str; 14] = [
    "appear", "appears", "come", "happen", "happens", "occur", "occurs", "seen", "that", "turn", "where", "which",
    "who", "whose",
];

/// Words before a text that the question has in its place: "who used sudo".
const ASKING: [&str; 10] = ["been", "did", "do", "does", "has", "have", "use", "used", "uses", "using"];

/// Words with which a text begins only where it is announced: "about your card was declined".
pub(super) const LEADING: [&str; 16] = [
    "a",
    "all",
    "an",
    "at",
    "each",
    "every",
    "everything",
    "in",
    "most",
    "my",
    "on",
    "our",
    "out",
    "the",
    "up",
    "your",
];

/// Whether a word looks like a name from a program: `NullPointerException`, `order_id`, `10.0.0.7`, `bbaa7c8f-81b5`.
pub(super) fn is_identifier(text: &str) -> bool {
    let has = |test: fn(char) -> bool| text.chars().any(test);
    let inner_capital = text.chars().skip(1).any(char::is_uppercase) && has(char::is_lowercase);
    let joined = text.trim_matches(['.', ':', '/', '-']).contains(['_', ':', '/', '#', '@', '.']);
    let mixed = has(char::is_alphabetic) && has(|letter| letter.is_ascii_digit());
    text.len() >= 3 && has(char::is_alphanumeric) && (inner_capital || joined || mixed)
}

/// Whether a word is the full name of a class, and no file: `java.lang.OutOfMemoryError`.
pub(super) fn is_class(text: &str) -> bool {
    let last = text.trim_end_matches(['.', ':', ',']).rsplit('.').next().unwrap_or_default();
    let is_written_so = last.starts_with(char::is_uppercase) && last.contains(char::is_lowercase);
    !text.contains('/') && text.contains('.') && is_written_so && last.chars().all(char::is_alphanumeric)
}

impl Pull<'_> {
    /// A text goes on to the next value, or to where the sentence says where to look.
    pub(super) fn extend_texts(&self, values: &mut [Found], taken: &mut [bool]) {
        let words = self.sentence.words;
        for found in values {
            let is_text = |(reader, read): &&mut (usize, ValueRead)| {
                self.readers.specs[*reader].is_text() && read.pattern != CONFIRMED && !read.pattern.contains(":status>")
            };
            let Some((reader, read)) = found.reads.iter_mut().rev().find(is_text) else { continue };
            // A second value is of the kind of the first.
            let reader = self.readers.first_of(*reader);
            let spec = &self.readers.specs[reader];
            let end = found.span.end;
            found.text = end - 1..end;
            let is_last = read.text == words[end - 1].text;
            // A value of a column goes on as long as it looks like one.
            let is_name = spec.values_from().is_some();
            // A name from a program is a text by itself, unless a colon says that it goes on.
            let first = self.sentence.source.get(words[end - 1].at.clone()).unwrap_or_default();
            let before = found.text.start.checked_sub(1).map_or("", |before| words[before].plain.as_str());
            let is_one_word = matches!(before, "keyword" | "term" | "word");
            let is_after_colon = self.is_after_colon(found.text.start);
            let is_alone = is_one_word || (read.pattern == "{}" && !first.ends_with(':') && !is_after_colon);
            let is_known = (0..end).any(|start| self.named(reader, start..end).is_some_and(|name| read.value == name));
            if !is_last || is_known || words[end - 1].quoted {
                continue;
            }
            let mut last = end;
            // What is written without a space belongs together: `user_id=9917`.
            while last < words.len() && !taken[last] && self.touches(last) {
                last += 1;
            }
            let end = last;
            if is_alone && end == found.span.end {
                continue;
            }
            while !is_alone
                && last < words.len()
                && !taken[last]
                && self.is_joined(last)
                && !BEHIND.contains(&words[last].plain.as_str())
                && (!is_name || self.looks_like_name(last))
                && !self.is_elsewhere(last, taken)
            {
                last += 1;
            }
            let is_end = |word: &Word| {
                (word.is_filler || matches!(word.plain.as_str(), "and" | "but" | "inside" | "or")) && !word.quoted
            };
            // "Log in" ends with a preposition, "somewhere in it" does not.
            let is_verb = match words[last - 1].plain.as_str() {
                "in" => !is_end(&words[last - 2]),
                // As written: "timed" may have been put right to "time".
                "off" | "out" | "up" => words[last - 2].text.to_lowercase().ends_with("ed"),
                _ => false,
            };
            while last > end && is_end(&words[last - 1]) && !is_verb {
                last -= 1;
            }
            // "Grep deadlock logs" says where to look.
            if last > end && last == words.len() && words[last - 1].plain == "logs" {
                last -= 1;
            }
            let first = self.begin_of(found.text.start, last);
            let written = self.sentence.source.get(words[first].at.start..words[last - 1].at.end).unwrap_or_default();
            let closing = |letter: char| matches!(letter, ',' | ';' | '!' | '?' | '.' | ':');
            let text = written.trim_matches(closing).trim();
            // A bracket that a text opens belongs to it with what closes it.
            let behind = self.sentence.source.get(words[last - 1].at.end..).unwrap_or_default();
            let is_open = text.matches('(').count() > text.matches(')').count() && behind.starts_with(')');
            let text = if is_open { format!("{text})") } else { text.to_owned() };
            if let Ok(value) = spec.read_item(&text) {
                read.value = value;
                read.text = text;
                taken[found.span.end..last].fill(true);
                found.text = first..last;
                found.span.end = last;
            }
        }
    }

    /// Where a text begins that goes from one word to another: "records about an expired certificate" are about a certificate.
    pub(super) fn begin_of(&self, first: usize, last: usize) -> usize {
        let words = self.sentence.words;
        // "The title has unexpected end of input", "the user 4412".
        let plain = |at: usize| if words[at].quoted { "" } else { words[at].plain.as_str() };
        let first = first + usize::from(first + 1 < last && matches!(plain(first), "a" | "an" | "the"));
        let is_kind = first + 2 == last && matches!(plain(first), "id" | "identifier" | "ip" | "status" | "user");
        let is_id = |word: &Word| word.text.contains(|letter: char| letter.is_ascii_digit() || letter == '@');
        let is_verb = first + 1 < last && matches!(plain(first), "contains" | "has" | "have");
        let first = match (is_verb, is_kind && is_id(&words[last - 1])) {
            (_, true) => last - 1,
            (true, _) => first + 1,
            _ => first,
        };
        let leads = |at: usize| {
            let is_topic = self.topics.contains(&self.sentence.canonical[at]) && !words[at].quoted;
            is_topic && !words[at + 1].quoted && ANNOUNCING.contains(&words[at + 1].plain.as_str())
        };
        let Some(lead) = (first..last.saturating_sub(2)).rev().find(|at| leads(*at)) else { return first };
        let is_article = |at: &usize| !words[*at].quoted && matches!(words[*at].plain.as_str(), "a" | "an" | "the");
        (lead + 2..last).find(|at| !is_article(at)).unwrap_or(first)
    }

    /// A name right behind a text that was announced is the end of that text: "with stainless steel water bottle", where a product
    /// is called a water bottle.
    pub(super) fn join_texts(&self, values: &mut Vec<Found>) {
        let Sentence { words, source, .. } = *self.sentence;
        let is_bare = |found: &Found| {
            found
                .reads
                .first()
                .is_some_and(|(reader, read)| read.pattern == KNOWN_NAME && self.readers.specs[*reader].is_text())
        };
        let Some(behind) = values.iter().position(is_bare) else { return };
        let start = values[behind].span.start;
        let is_before = |found: &Found| {
            !found.text.is_empty()
                && found.text.end == start
                && found.span.end == start
                && !words[found.text.start].quoted
        };
        let Some(before) = values.iter().position(is_before) else { return };
        let span = values[before].text.start..values[behind].span.end;
        let is_joined = (start..span.end).all(|at| self.is_joined(at));
        let Some((reader, read)) = values[before].reads.last_mut().filter(|(reader, read)| {
            is_joined && read.pattern != REST && self.readers.specs[*reader].values_from().is_none()
        }) else {
            return;
        };
        let Some(text) = source.get(words[span.start].at.start..words[span.end - 1].at.end) else { return };
        let Ok(value) = self.readers.specs[*reader].read_item(text) else { return };
        read.value = value;
        text.clone_into(&mut read.text);
        values[before].span.end = span.end;
        values[before].text = span;
        values.remove(behind);
    }

    /// Whether a text is one only by its place: "my text" and "a certain string" are called a text, and are none.
    pub(super) fn says_nothing(&self, (reader, read): &(usize, ValueRead)) -> bool {
        let is_nothing = |word: &str| {
            VAGUE.contains(&word)
                || LEADING.contains(&word)
                || CALLED.contains(&word)
                || ASKED_WITH.contains(&word)
                || is_filler(word)
        };
        self.readers.specs[*reader].is_text()
            && !read.text.is_empty()
            && read.text.split(' ').all(|word| is_nothing(&word.to_lowercase()))
    }

    /// Whether a word for a text stands before a text, or an article before that.
    pub(super) fn is_called_text(&self, reader: usize, at: usize) -> bool {
        let plain =
            |at: usize| self.sentence.words.get(at).filter(|word| !word.quoted).map_or("", |word| word.plain.as_str());
        let is_article = matches!(plain(at), "the" | "a" | "an" | "any");
        let is_called = if is_article { CALLED.contains(&plain(at + 1)) } else { CALLS.contains(&plain(at)) };
        let is_text = self.readers.specs[reader].is_text() && self.readers.sources[reader].is_none();
        is_text && is_called && self.sentence.words.len() > at + 1 + usize::from(is_article)
    }

    /// Whether a name is a part of what something says, with more of that behind it: "records that say worker lost heartbeat".
    pub(super) fn is_told(&self, span: &Range<usize>) -> bool {
        let Sentence { words, source, .. } = *self.sentence;
        let plain = |at: usize| if words[at].quoted { "" } else { words[at].plain.as_str() };
        let is_new = |at: usize| ends_clause(source, &words[at - 1], &words[at]);
        let is_text = |at: usize| {
            let word = &words[at];
            let form = &self.sentence.canonical[at];
            let is_known = self.topics.contains(form) || self.readers.announcing.contains(form);
            let is_place = PLACES.contains(&word.plain.as_str()) || NO_TEXT.contains(&word.plain.as_str());
            let is_spoken = word.is_filler || word.is_around || self.is_time(at) || self.file_at(at).is_some();
            !(word.quoted || is_known || is_place || is_spoken)
        };
        let goes_on = span.end < words.len() && !is_new(span.end) && is_text(span.end);
        let before = (0..span.start).rev().take(BEFORE_NAME_MAX + 1);
        let mut verb = before.take_while(|at| !is_new(at + 1)).skip_while(|at| is_text(*at));
        goes_on && verb.next().is_some_and(|at| QUOTING.contains(&plain(at)))
    }

    /// Whether the word before says that groups are made by this one: "errors per errorCode".
    pub(super) fn is_grouping(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| &self.sentence.words[before]);
        before.is_some_and(|word| !word.quoted && matches!(word.plain.as_str(), "by" | "each" | "per"))
    }

    /// Whether a name is what rows are to contain: that is a text, and no value of a column.
    pub(super) fn is_contained(&self, span: &Range<usize>) -> bool {
        let before = span.start.checked_sub(1).map(|before| &self.sentence.words[before]);
        before.is_some_and(|word| !word.quoted && matches!(word.plain.as_str(), "contain" | "containing" | "contains"))
    }

    /// "Out of memory" is what people search for.
    pub(super) fn is_out_of(&self, at: usize) -> bool {
        let plain = |at: usize| self.sentence.words.get(at).map_or("", |word| word.plain.as_str());
        plain(at) == "out" && plain(at + 1) == "of"
    }

    /// Whether a word is written as names are: with a capital inside a sentence, or with digits.
    pub(super) fn looks_like_name(&self, at: usize) -> bool {
        let word = &self.sentence.words[at];
        let written = word.text.as_str();
        let starts = at == 0 || ends_clause(self.sentence.source, &self.sentence.words[at - 1], word);
        let is_capital = written.starts_with(char::is_uppercase) && !starts;
        word.quoted || is_capital || written.contains(|letter: char| letter.is_ascii_digit())
    }

    /// The longest row of words that nothing explains.
    pub(super) fn rest(&self, reader: usize, taken: &[bool], request: usize) -> Option<Found> {
        let words = self.sentence.words;
        let is_open = |at: usize| {
            let word = &words[at];
            let form = &self.sentence.canonical[at];
            let is_known = self.topics.contains(form) || self.readers.announcing.contains(form);
            let is_said = is_known || word.is_around || is_deed(&word.plain) || self.is_file_of_another_pack(at);
            !taken[at] && (word.quoted || !is_said)
        };
        // Behind the colon of "show log records: too many open files", every word is said as it is.
        let colon = (1..words.len()).find(|at| self.is_after_colon(*at));
        let colon = colon.filter(|colon| !(0..*colon).any(|at| is_open(at) && !words[at].is_filler));
        let is_open = |at: usize| is_open(at) || (!taken[at] && colon.is_some_and(|colon| at >= colon));
        let mut best = 0..0;
        let mut at = 0;
        while at < words.len() {
            let mut end = at;
            while end < words.len() && is_open(end) && (end == at || self.is_joined(end)) {
                end += 1;
            }
            let mut row = at..end;
            at = end.max(at + 1);
            if self.is_before_request(row.start, request) && !self.readers.specs[reader].must_be_given() {
                continue;
            }
            // "Logs 4 timeout" is short for "for".
            let asks = |word: &Word| {
                let plain = word.plain.as_str();
                word.is_filler || plain == "4" || ASKED_WITH.contains(&plain) || ASKING.contains(&plain)
            };
            while row.len() > 1 && asks(&words[row.start]) && !words[row.start].quoted {
                row.start += 1;
            }
            while !row.is_empty() && words[row.start].is_filler {
                row.start += 1;
            }
            while !row.is_empty() && words[row.end - 1].is_filler {
                row.end -= 1;
            }
            if row.len() > best.len() {
                best = row;
            }
        }
        if best.is_empty() {
            return None;
        }
        let written = self.sentence.source.get(words[best.start].at.start..words[best.end - 1].at.end)?;
        let text = if best.len() == 1 { words[best.start].text.as_str() } else { written };
        let spec = &self.readers.specs[reader];
        let value = spec.read_item(text).ok().filter(|value| spec.check_item(value).is_ok())?;
        let mut found = self.found(reader, best.clone(), 0, REST, value);
        found.text = best;
        Some(found)
    }

    /// Whether a colon stands before a word: "find issues: deadlock detected".
    fn is_after_colon(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.sentence.words[before]) else { return false };
        let gap = self.sentence.source.get(before.at.start..self.sentence.words[at].at.start).unwrap_or_default();
        gap.ends_with(' ') && gap.trim_end().ends_with(':')
    }

    /// Whether nothing but a sign stands between a word and the one before it.
    fn touches(&self, at: usize) -> bool {
        let words = self.sentence.words;
        let gap = self.sentence.source.get(words[at - 1].at.end..words[at].at.start).unwrap_or(" ");
        !gap.contains(char::is_whitespace) && !gap.contains(',')
    }

    /// Whether a word goes on with the clause of the word before it.
    fn is_joined(&self, at: usize) -> bool {
        let words = self.sentence.words;
        let is_new = ends_clause(self.sentence.source, &words[at - 1], &words[at]);
        let goes_on = |at: usize| {
            let is_list = self.sentence.canonical.get(at).is_some_and(|word| word == "list");
            is_list || self.sentence.words.get(at).is_some_and(|word| GOING_ON.contains(&word.plain.as_str()))
        };
        let asks_more = self.is_and(at) && goes_on(at + 1);
        !(is_new || asks_more)
    }

    /// Whether the rest of the sentence says where to look, or nothing: "in the logs", "please".
    pub(super) fn is_elsewhere(&self, at: usize, taken: &[bool]) -> bool {
        let words = self.sentence.words;
        let leads = matches!(
            words[at].plain.as_str(),
            "in" | "from" | "at" | "on" | "within" | "please" | "since" | "during" | "across" | "inside" | "among"
        );
        let says_nothing = |index: usize| {
            let word = &words[index];
            let is_place = PLACES.contains(&word.plain.as_str());
            let is_known = word.is_filler || is_place || self.topics.contains(&self.sentence.canonical[index]);
            taken[index] || (!word.quoted && is_known)
        };
        let says_where = |index: usize| taken[index] || self.topics.contains(&self.sentence.canonical[index]);
        let is_polite = words[at].plain == "please";
        leads && (at + 1..words.len()).all(says_nothing) && (is_polite || (at..words.len()).any(says_where))
    }
}
