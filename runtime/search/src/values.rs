//! Kinds of values: which of them a sentence mentions, and which of them a tool takes. A sentence with a URL asks for a tool with
//! an argument for one.

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

/// Words that mention a time or a span of it.
const TIMES: [&str; 26] = [
    "since",
    "until",
    "between",
    "yesterday",
    "today",
    "tomorrow",
    "ago",
    "week",
    "month",
    "year",
    "hour",
    "hours",
    "days",
    "day",
    "dates",
    "date",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "night",
    "morning",
    "recent",
];

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
        kinds[TIME] |= TIMES.contains(&word) || is_date(word);
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
    fn arguments_take_kinds_of_values() {
        let arguments = ["repo_path", "max_count"].map(str::to_owned);
        let kinds = taken(&arguments, |name| name.split('_').map(str::to_owned).collect());
        assert_eq!((kinds[COUNT], kinds[PATH], kinds[URL]), (true, true, false));
    }
}
