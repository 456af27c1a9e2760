//! Values whose form says what they are: a revision, a time of day, a path, a pattern of names. They need no word before them.

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
    /// A path that begins with `/`, `./`, `../` or `~/`.
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
        let is_relative = |rest: &str| rest.chars().all(|letter| letter.is_ascii_digit() || "~^".contains(letter));
        let is_head = ["HEAD", "@"].iter().any(|head| word.strip_prefix(head).is_some_and(is_relative)) && word != "@";
        let is_hash = (7..=64).contains(&word.len())
            && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_lowercase());
        if is_head || is_hash {
            return Some(Self::Revision);
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

/// Whether a parameter is for a path.
pub(crate) fn is_path(spec: &ParamSpec) -> bool {
    ValueForm::Path.fits(spec)
}

/// Gives a word to the one parameter for values of its form that has none. Nothing is given where several could have it.
pub(crate) fn take(word: &str, template: &Template, values: &mut BTreeMap<String, Value>) -> bool {
    let Some(form) = ValueForm::of(word) else { return false };
    let mut open = template.parameters().iter().filter(|spec| form.fits(spec) && !values.contains_key(spec.name()));
    let (Some(spec), None) = (open.next(), open.next()) else { return false };
    values.insert(spec.name().to_owned(), Value::from(word));
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
            ("", None),
        ] {
            assert_eq!(ValueForm::of(word), form, "{word}");
        }
    }
}
