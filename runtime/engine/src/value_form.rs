//! Values whose form says what they are: a revision, a time of day, a path, a pattern of names. They need no word before them. Places
//! say which time zone is meant.

use std::collections::BTreeMap;

use intentbox_catalog::{ParamKind, ParamSpec, Template};
use serde_json::Value;

/// What the form of a word says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    /// A commit: `HEAD`, or at least seven hexadecimal digits, a decimal one among them.
    Revision,
    /// A time of day: `14:30`.
    Clock,
    /// A pattern of names with `*`.
    Glob,
    /// A path that begins with `/`, `./`, `../` or `~/`, leads on from here (`docs/a`), or ends like the name of a file.
    Path,
}

impl ValueForm {
    fn of(word: &str) -> Option<Self> {
        let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| word.starts_with(beginning));
        if begins(&["/", "./", "../", "~/"]) && !begins(&["//"]) {
            return Some(Self::Path);
        }
        if word.contains('*') && word.chars().any(char::is_alphanumeric) {
            return Some(Self::Glob);
        }
        let is_steps = |rest: &str| rest.chars().all(|letter| letter.is_ascii_digit() || "~^".contains(letter));
        let is_head = ["HEAD", "@"].iter().any(|head| word.strip_prefix(head).is_some_and(is_steps)) && word != "@";
        let is_hash = (7..=64).contains(&word.len())
            && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_lowercase());
        if is_head || is_hash {
            return Some(Self::Revision);
        }
        if is_relative_path(word) {
            return Some(Self::Path);
        }
        let (hour, minute) = word.split_once(':')?;
        let below = |text: &str, end: u8| {
            (1..=2).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_digit())
                && text.parse::<u8>().is_ok_and(|number| number < end)
        };
        (below(hour, 24) && minute.len() == 2 && below(minute, 60)).then_some(Self::Clock)
    }

    /// Words with which the names of parameters end that take such values.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Revision => &["revision", "rev", "ref", "commit", "sha", "target", "hash"],
            Self::Clock => &["time"],
            Self::Glob => &["pattern", "glob"],
            Self::Path => &["path", "file", "filename", "directory", "folder", "dir", "root"],
        }
    }

    fn fits(self, spec: &ParamSpec) -> bool {
        let is_word = matches!(spec.kind(), ParamKind::String { several_words: false, .. });
        is_word && spec.name().rsplit('_').next().is_some_and(|last| self.names().contains(&last))
    }
}

/// Whether a word is like `docs/a` or `notes.txt`, and unlike `and/or`, `Europe/Prague`, `api:8080/x`, `1.5` and `example.com.`.
fn is_relative_path(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    if !word.chars().all(is_plain) || word.chars().any(char::is_whitespace) {
        return false;
    }
    let capital = |part: &str| part.starts_with(char::is_uppercase);
    let parts: Vec<&str> = word.split('/').collect();
    let is_below = parts.len() > 1 && parts[..parts.len() - 1].iter().all(|part| !part.is_empty());
    let is_pair_of_words = matches!(parts.as_slice(), ["and" | "either", "or"] | ["yes", "no"] | ["read", "write"]);
    is_file(word) || is_below && !parts.iter().all(|part| capital(part)) && !is_pair_of_words
}

/// The name of the time zone of a place: `Asia/Tokyo` for `tokyo`, `America/New_York` for `new_york`. A name of a zone is itself.
/// Nothing where the machine knows no such place, or several.
pub(crate) fn zone(place: &str) -> Option<String> {
    let mut named: Vec<String> = Vec::new();
    for name in jiff::tz::db().available() {
        let name = name.as_str();
        let is_it = name.eq_ignore_ascii_case(place)
            || name.contains('/') && name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(place));
        // Copies of the whole list under other names.
        if is_it && !["Etc/", "posix/", "right/", "SystemV/"].iter().any(|prefix| name.starts_with(prefix)) {
            named.push(name.to_owned());
        }
    }
    match named.as_slice() {
        [one] => Some(one.clone()),
        several => several.iter().find(|name| name.eq_ignore_ascii_case(place)).cloned(),
    }
}

/// A time of day as a clock shows it: `09:00` for `9am`, `12:00` for `noon`.
fn clock(word: &str) -> Option<String> {
    let plain = word.to_ascii_lowercase();
    let plain = plain.strip_prefix("at ").unwrap_or(&plain).replace([' ', '.'], "");
    match plain.as_str() {
        "noon" | "midday" => return Some("12:00".to_owned()),
        "midnight" => return Some("00:00".to_owned()),
        _ => {}
    }
    let (digits, is_later) = match (plain.strip_suffix("am"), plain.strip_suffix("pm")) {
        (Some(digits), _) => (digits, false),
        (_, Some(digits)) => (digits, true),
        _ => return None,
    };
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "00"));
    let is_number = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) {
        return None;
    }
    let (hour, minute): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
    let is_shown = (1..=12).contains(&hour) && minute < 60;
    is_shown.then(|| format!("{:02}:{minute:02}", hour % 12 + if is_later { 12 } else { 0 }))
}

/// Moves a path that was read as a free text to the one parameter for a path that has none: in "write hello to a.txt", "a.txt" is no
/// content.
pub(crate) fn mend(template: &Template, values: &mut BTreeMap<String, Value>) {
    pattern_of_names(template, values);
    let reads_as_path = |text: &str| ValueForm::of(text) == Some(ValueForm::Path);
    let mut texts = template.parameters().iter().filter(|spec| spec.is_text());
    let text = texts.find(|spec| values.get(spec.name()).and_then(Value::as_str).is_some_and(reads_as_path));
    let Some(text) = text else { return };
    let is_open = |spec: &&ParamSpec| {
        is_path(spec) && spec.is_required() && spec.default_from().is_none() && !values.contains_key(spec.name())
    };
    let mut open = template.parameters().iter().filter(is_open);
    if let (Some(path), None) = (open.next(), open.next())
        && let Some(value) = values.remove(text.name())
    {
        values.insert(path.name().to_owned(), value);
    }
}

/// Moves a pattern of names that was read as a path to the one parameter for patterns: in "files named *.txt", that is no folder.
fn pattern_of_names(template: &Template, values: &mut BTreeMap<String, Value>) {
    let is_pattern = |spec: &&ParamSpec| {
        is_path(spec)
            && values.get(spec.name()).and_then(Value::as_str).and_then(ValueForm::of) == Some(ValueForm::Glob)
    };
    let Some(path) = template.parameters().iter().find(is_pattern) else { return };
    let is_open = |spec: &&ParamSpec| ValueForm::Glob.fits(spec) && !values.contains_key(spec.name());
    let mut open = template.parameters().iter().filter(is_open);
    if let (Some(open), None) = (open.next(), open.next())
        && let Some(value) = values.remove(path.name())
    {
        values.insert(open.name().to_owned(), value);
    }
}

/// Words that say where the caller is, besides the `.` at the end.
const HERE: [&[&str]; 6] = [
    &["this", "folder"],
    &["this", "directory"],
    &["current", "folder"],
    &["current", "directory"],
    &["working", "directory"],
    &["here"],
];

/// Gives the folder that the caller is in to the one path that is needed and that the sentence does not say, if it says "here": the words
/// that say so, or nothing.
pub(crate) fn take_here(
    sentence: &str,
    template: &Template,
    values: &mut BTreeMap<String, Value>,
) -> &'static [&'static str] {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_end_matches(['?', '!', ',', '.'])).collect();
    let said = HERE.iter().find(|said| words.windows(said.len()).any(|window| window == **said));
    let is_dot = lower.split_whitespace().any(|word| word == "." || word == "./");
    if said.is_none() && !is_dot {
        return &[];
    }
    let is_open = |spec: &&ParamSpec| {
        is_path(spec)
            && spec.is_required()
            && spec.default_from().is_none()
            && !values.contains_key(spec.name())
            && spec.check(&Value::from(".")).is_ok()
    };
    let mut open = template.parameters().iter().filter(is_open);
    let (Some(path), None) = (open.next(), open.next()) else { return &[] };
    values.insert(path.name().to_owned(), Value::from("."));
    said.copied().unwrap_or_default()
}

/// Whether the form of a word says that it is for a parameter of another kind: the name of a file is no revision. What may be a branch, as
/// `docs/a` may, is for any.
pub(crate) fn is_of_another(word: &str, spec: &ParamSpec) -> bool {
    if word.bytes().all(|byte| byte.is_ascii_digit()) && names_files(spec) {
        return true;
    }
    let is_place = |part: &str| ["source", "destination", "target", "uri"].contains(&part);
    match ValueForm::of(word) {
        None => false,
        Some(ValueForm::Path) => {
            let is_sure = word.starts_with(['/', '.', '~']) || is_file(word);
            is_sure && !ValueForm::Path.fits(spec) && !spec.name().split('_').any(is_place)
        }
        Some(form) => !form.fits(spec),
    }
}

/// Whether a word ends like the name of a file: `docs/notes.txt`.
fn is_file(word: &str) -> bool {
    let parts = word.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    parts.is_some_and(|(stem, ending)| {
        let is_ending = (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !stem.is_empty() && is_ending && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// Whether words are numbers and a parameter is for paths: "add 3 and 5" is about no files, unless it says so.
pub(crate) fn are_numbers_for_files(sentence: &str, items: &[String], spec: &ParamSpec) -> bool {
    let is_number = |item: &String| item.bytes().all(|byte| byte.is_ascii_digit());
    items.iter().all(is_number) && names_files(spec) && !sentence.to_ascii_lowercase().contains("file")
}

/// Whether a parameter is for paths.
fn names_files(spec: &ParamSpec) -> bool {
    let last = spec.name().rsplit('_').next().unwrap_or_default();
    is_path(spec) || matches!(last, "files" | "paths" | "filenames" | "directories" | "folders")
}

/// Whether a parameter is for a path.
pub(crate) fn is_path(spec: &ParamSpec) -> bool {
    ValueForm::Path.fits(spec)
}

/// Gives a word to the one parameter for values of its form that has none. Nothing is given where several could have it.
pub(crate) fn take(word: &str, template: &Template, values: &mut BTreeMap<String, Value>) -> bool {
    let clock = clock(word);
    let form = clock.as_ref().map(|_| ValueForm::Clock).or_else(|| ValueForm::of(word));
    let (Some(form), value) = (form, Value::from(clock.as_deref().unwrap_or(word))) else { return false };
    // "9am" may have been read as it is written.
    let is_open = |spec: &ParamSpec| values.get(spec.name()).is_none_or(|read| clock.is_some() && *read == word);
    let can_be = |spec: &&ParamSpec| form.fits(spec) && is_open(spec) && spec.check(&value).is_ok();
    let mut open = template.parameters().iter().filter(can_be);
    let (Some(spec), None) = (open.next(), open.next()) else { return false };
    values.insert(spec.name().to_owned(), value);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_tells_a_value_from_a_word() {
        for (word, form) in [
            ("HEAD", Some(ValueForm::Revision)),
            ("HEAD~2", Some(ValueForm::Revision)),
            ("HEAD^^", Some(ValueForm::Revision)),
            ("@~1", Some(ValueForm::Revision)),
            ("be8fbf7", Some(ValueForm::Revision)),
            ("be8fbf", None),
            ("defaced", None),
            ("1234567", None),
            ("HEADER", None),
            ("@", None),
            ("14:30", Some(ValueForm::Clock)),
            ("9:05", Some(ValueForm::Clock)),
            ("24:00", None),
            ("14:60", None),
            ("14:5", None),
            ("+1:30", None),
            ("api:8080", None),
            ("*.txt", Some(ValueForm::Glob)),
            ("src/**/*.rs", Some(ValueForm::Glob)),
            ("*", None),
            ("/var/*.log", Some(ValueForm::Path)),
            ("/var/log", Some(ValueForm::Path)),
            ("./src", Some(ValueForm::Path)),
            ("~/notes", Some(ValueForm::Path)),
            ("//host/x", None),
            ("and/or", None),
            ("docs/a", Some(ValueForm::Path)),
            ("docs/", Some(ValueForm::Path)),
            ("notes.txt", Some(ValueForm::Path)),
            ("a.b/notes.txt", Some(ValueForm::Path)),
            ("Europe/Prague", None),
            ("1.5", None),
            ("api:8080/x", None),
            ("end.", None),
            ("", None),
        ] {
            assert_eq!(ValueForm::of(word), form, "{word}");
        }
    }

    #[test]
    fn a_time_of_day_is_what_a_clock_shows() {
        for (word, shown) in [
            ("9am", Some("09:00")),
            ("9 AM", Some("09:00")),
            ("at 12am", Some("00:00")),
            ("12pm", Some("12:00")),
            ("5:30 p.m.", Some("17:30")),
            ("noon", Some("12:00")),
            ("midnight", Some("00:00")),
            ("13pm", None),
            ("0am", None),
            ("9:60am", None),
            ("+9am", None),
            ("am", None),
            ("spam", None),
            ("14:30", None),
        ] {
            assert_eq!(clock(word).as_deref(), shown, "{word}");
        }
    }

    #[test]
    fn a_place_says_its_time_zone() {
        for (place, zone_of_it) in [
            ("tokyo", Some("Asia/Tokyo")),
            ("New_York", Some("America/New_York")),
            ("europe/prague", Some("Europe/Prague")),
            ("nowhere", None),
            ("", None),
        ] {
            assert_eq!(zone(place).as_deref(), zone_of_it, "{place}");
        }
    }
}
