//! Kinds of values: which of them a sentence mentions, and which of them a tool takes. A sentence with a URL asks for a tool with
//! an argument for one.

use std::collections::BTreeSet;

use crate::words::telling;

/// How many kinds there are.
pub(crate) const KINDS: usize = 6;

/// A number of things, a time, a URL, a path, a number of something, a text in quotes.
pub(crate) type Kinds = [bool; KINDS];

const COUNT: usize = 0;
const TIME: usize = 1;
const URL: usize = 2;
const PATH: usize = 3;
const ID: usize = 4;
const TEXT: usize = 5;

/// Words of arguments that take a value of a kind.
const TAKES: [&[&str]; KINDS] = [
    &["limit", "max", "count", "top", "first", "last", "head", "tail", "per", "size", "num", "lines"],
    &[
        "timestamp",
        "since",
        "until",
        "date",
        "time",
        "start",
        "end",
        "before",
        "after",
        "from",
        "period",
        "day",
        "timezone",
    ],
    &["url", "uri", "link", "href"],
    &["path", "paths", "file", "files", "filename", "directory", "dir", "folder", "source", "destination", "repo"],
    &["id", "ids", "iid", "number", "sha", "hash", "uid", "uuid", "ref", "index", "key", "line"],
    &[
        "text",
        "query",
        "message",
        "content",
        "body",
        "title",
        "description",
        "name",
        "search",
        "value",
        "sql",
        "expression",
        "comment",
    ],
];

/// Words that say when, wherever they stand.
const WHEN: [&str; 12] = [
    "yesterday",
    "today",
    "tomorrow",
    "tonight",
    "ago",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Words that mention a time or a span of it, and say when behind others: "since last week", "between two dates".
const SPANS: [&str; 17] = [
    "date", "dates", "day", "days", "evening", "hour", "hours", "minute", "minutes", "month", "months", "morning",
    "night", "week", "weeks", "year", "years",
];

/// Other words that mention a time.
const TIMES: [&str; 4] = ["since", "until", "between", "recent"];

/// Words before a number of things.
const COUNTS: [&str; 7] = ["last", "top", "first", "latest", "newest", "recent", "oldest"];

/// The kinds of values that a sentence mentions.
pub(crate) fn mentioned(text: &str) -> Kinds {
    let mut kinds = [false; KINDS];
    let text_words: Vec<&str> = text.split_whitespace().collect();
    let words: Vec<String> = text_words.iter().map(|word| word.to_lowercase()).collect();
    for (at, raw) in words.iter().enumerate() {
        let word = raw.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '#' && letter != '/');
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_counted = at > 0 && COUNTS.contains(&words[at - 1].as_str());
        kinds[COUNT] |= is_number && is_counted;
        kinds[TIME] |= [&WHEN[..], &SPANS, &TIMES].iter().any(|words| words.contains(&word)) || is_date(word);
        let is_url = word.starts_with("http://") || word.starts_with("https://") || word.starts_with("www.");
        kinds[URL] |= is_url;
        let is_zone = is_zone(text_words[at]);
        kinds[TIME] |= is_zone;
        kinds[PATH] |= !is_url && !is_zone && (word.contains('/') || is_file_name(word));
        let is_hash = word.len() >= 7
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && word.bytes().any(|byte| byte.is_ascii_digit());
        kinds[ID] |= (is_number && !is_counted)
            || is_hash
            || word.trim_start_matches(['#', '!']).bytes().all(|byte| byte.is_ascii_digit()) && word.len() > 1;
    }
    kinds[TEXT] = text.matches(['"', '“', '”']).count() >= 2 || text.matches('\'').count() >= 2;
    kinds
}

/// The kinds of values that a tool with these arguments takes. `words` splits a name.
pub(crate) fn taken(arguments: &[String], words: impl Fn(&str) -> Vec<String>) -> Kinds {
    let mut kinds = [false; KINDS];
    for argument in arguments {
        for word in words(argument) {
            for (kind, names) in TAKES.iter().enumerate() {
                kinds[kind] |= names.contains(&word.as_str());
            }
        }
    }
    kinds
}

fn is_date(word: &str) -> bool {
    word.len() == 10
        && word
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

/// Whether a word is like `Europe/Prague`.
fn is_zone(word: &str) -> bool {
    let parts: Vec<&str> = word.trim_end_matches(['?', '.', ',']).split('/').collect();
    let is_place = |part: &&str| {
        part.len() > 2
            && part.starts_with(|first: char| first.is_ascii_uppercase())
            && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    parts.len() >= 2 && parts.iter().all(is_place)
}

/// A sentence with the kinds of its values in their places: "read docs/a.txt" reads a file, whatever that is called. What stands in
/// quotes, URLs, dates and numbers are left out: they say what to do it with, and not what to do. A sentence of values alone stays.
pub(crate) fn without_values(text: &str) -> String {
    let outside: Vec<&str> = text.split(['"', '“', '”']).step_by(2).collect();
    let outside = if outside.iter().all(|part| part.trim().is_empty()) { text.to_owned() } else { outside.join(" ") };
    let mut kinds = BTreeSet::new();
    let mut said = Vec::new();
    for word in without_times(&outside) {
        match kind_of(word) {
            None => said.push(word),
            Some(kind) if !kind.is_empty() && kinds.insert(kind) => said.push(kind),
            Some(_) => {}
        }
    }
    if said.iter().all(|word| kinds.contains(word)) {
        return text.to_owned();
    }
    let said = said.join(" ");
    let has_place = outside.split_whitespace().any(|word| word.starts_with(['/', '~']) || word.starts_with("./"));
    match command(&said) {
        Some(command) => command,
        // "What's in /srv/shop": a question about a folder.
        None if has_place && telling(&said).is_empty() => "list directory".to_owned(),
        None => said,
    }
}

/// Words before those that say when with them.
const BEFORE_SPANS: [&str; 13] = [
    "after", "before", "between", "during", "few", "last", "next", "past", "previous", "since", "this", "until",
    "within",
];

/// The words of a sentence without those that say when: a tool takes them as a value, and few have them in their names.
fn without_times(text: &str) -> Vec<&str> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let is_one = |list: &[&str], word: &str| list.contains(&plain(word).as_str());
    let is_count = |word: &str| {
        let word = plain(word);
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(word.as_str(), "two" | "three" | "the" | "a")
    };
    let says_when = |at: usize| {
        let is_led = || {
            let before = all[..at].iter().rev().find(|word| !is_count(word));
            before.is_some_and(|word| is_one(&BEFORE_SPANS, word))
        };
        is_one(&WHEN, all[at]) || is_one(&SPANS, all[at]) && is_led()
    };
    let kept: Vec<&str> = (0..all.len()).filter(|at| !says_when(*at)).map(|at| all[at]).collect();
    if telling(&kept.join(" ")).is_empty() { all } else { kept }
}

/// Commands of a shell, and what they are in words.
const COMMANDS: [(&str, &str); 10] = [
    ("cat", "read file"),
    ("cp", "copy file"),
    ("head", "read file first lines"),
    ("less", "read file"),
    ("ls", "list directory"),
    ("mkdir", "create directory"),
    ("mv", "move file"),
    ("rm", "delete file"),
    ("tail", "read file last lines"),
    ("touch", "create file"),
];

/// A command of a shell in words, where a sentence begins with one and says little besides.
fn command(said: &str) -> Option<String> {
    let mut words = said.split_whitespace();
    let first = words.next()?;
    let (_, meant) = COMMANDS.iter().find(|(command, _)| *command == first)?;
    let others: Vec<&str> = words.filter(|word| !meant.contains(word)).collect();
    (others.len() <= 2).then(|| format!("{meant} {}", others.join(" ")).trim_end().to_owned())
}

/// What a value is called, by its form, or nothing where that says little. No kind for a word that is no value.
fn kind_of(word: &str) -> Option<&'static str> {
    let word = word.trim_end_matches(['?', '.', ',', ';', '!', ')', ':']).trim_start_matches('(');
    let letters = || word.bytes().filter(u8::is_ascii_alphabetic).count();
    if word.contains("://") || is_zone(word) {
        return Some("");
    }
    if is_file_name(word) {
        return Some("file");
    }
    let is_steps = |rest: &str| rest.chars().all(|letter| letter.is_ascii_digit() || "~^".contains(letter));
    let is_hash = (7..=64).contains(&word.len())
        && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase());
    if is_hash || word.strip_prefix("HEAD").is_some_and(is_steps) {
        return Some("revision");
    }
    // "Read/write" and "and/or" are words.
    let is_path = word.starts_with(['/', '~', '.']) && word.len() > 1 || word.matches('/').count() > 1;
    let is_number = word.bytes().any(|byte| byte.is_ascii_digit()) && letters() == 0;
    (is_path || is_number).then_some("")
}

/// Whether a word is like `notes.txt` or `*.psd`.
fn is_file_name(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    let is_plain = (2..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    !stem.is_empty() && is_plain && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_mentions_kinds_of_values() {
        for (text, expected) in [
            ("the last 3 commits", vec![COUNT]),
            ("commits between two dates", vec![TIME]),
            ("commits of 2026-11-20", vec![TIME]),
            ("the time in Europe/Prague?", vec![TIME]),
            ("fetch https://a.example/x", vec![URL]),
            ("read src/main.rs", vec![PATH]),
            ("find notes.txt", vec![PATH]),
            ("close issue #12", vec![ID]),
            ("merge request 7", vec![ID]),
            ("show 9f8e7d6c", vec![ID]),
            ("say \"hello\"", vec![TEXT]),
            ("nothing of it", vec![]),
            ("", vec![]),
        ] {
            let kinds: Vec<usize> = (0..KINDS).filter(|kind| mentioned(text)[*kind]).collect();
            assert_eq!(kinds, expected, "{text}");
        }
    }

    #[test]
    fn values_give_way_to_their_kinds() {
        for (text, expected) in [
            ("read docs/notes.txt, please", "read file please"),
            ("read a.txt and b.txt", "read file and"),
            ("show HEAD~2 and be8fbf7a1", "show revision and"),
            ("list /srv/shop/a and ./b", "list and"),
            ("say \"good morning\" to them", "say to them"),
            ("14:30 in Europe/Prague", "in"),
            ("commits since 2026-11-20", "commits since"),
            ("read/write and pull requests", "read/write and pull requests"),
            ("fetch https://a.example/x", "fetch"),
            ("\"git status\"", "\"git status\""),
            ("notes.txt", "notes.txt"),
            ("cat notes.txt", "read file"),
            ("ls src", "list directory src"),
            ("mkdir /srv/a", "create directory"),
            ("head office of the company in town", "head office of the company in town"),
            ("what is in /srv/shop?", "list directory"),
            ("commits between two dates", "commits between two"),
            ("what was done since Monday", "what was done since"),
            ("errors of the last 3 days", "errors of the last"),
            ("what is the date today", "what is the date"),
            ("tomorrow", "tomorrow"),
            ("", ""),
        ] {
            assert_eq!(without_values(text), expected, "{text}");
        }
    }

    #[test]
    fn arguments_take_kinds_of_values() {
        let arguments = ["repo_path", "max_count"].map(str::to_owned);
        let kinds = taken(&arguments, |name| name.split('_').map(str::to_owned).collect());
        assert_eq!((kinds[COUNT], kinds[PATH], kinds[URL]), (true, true, false));
    }
}
