//! Whether a sentence asks for a change: "delete all" does, and "deleted entities", "the commit" and "commit history" do not.

use crate::english::changes;
use crate::text::{self, Word};

/// Deeds besides those that no template makes: what people tell tools to do.
const ORDERS: [&str; 30] = [
    "book", "change", "checkout", "cp", "discard", "execute", "forget", "generate", "make", "mkdir", "mv", "note",
    "open", "order", "pay", "post", "put", "record", "register", "remember", "run", "set", "stage", "start", "store",
    "submit", "switch", "toggle", "turn", "unstage",
];

/// Deeds whose names are nouns too, of which there are records.
const RECORDED: [&str; 22] = [
    "alert", "backup", "change", "checkout", "commit", "copy", "deploy", "edit", "merge", "move", "order", "patch",
    "post", "push", "reset", "run", "start", "sync", "tag", "ticket", "update", "upgrade",
];

/// What follows such a noun: "commit history", "commits by Ada".
const RECORDS: [&str; 19] = [
    "about",
    "author",
    "authors",
    "by",
    "count",
    "counts",
    "date",
    "dates",
    "from",
    "history",
    "list",
    "log",
    "logs",
    "message",
    "messages",
    "since",
    "statistics",
    "stats",
    "status",
];

/// Words before a noun.
const BEFORE_NOUNS: [&str; 9] = ["a", "an", "any", "each", "every", "that", "the", "these", "this"];

/// What makes a change with a "back" behind it: "take the last commit back".
const BACK: [&str; 6] = ["bring", "go", "put", "roll", "switch", "take"];

/// The word with which a sentence asks for a change, as written, if it begins with one: `delete` of "please delete all". The "commit
/// history" is no change. Of "take it back" it is `back`.
#[must_use]
pub fn change_asked(text: &str) -> Option<String> {
    let words = text::split(text);
    if let Some(back) = taken_back(&words) {
        return Some(back.text.clone());
    }
    let at = words.iter().position(|word| !word.is_filler)?;
    let first = &words[at];
    let is_change = !first.quoted && changes(&first.plain) && !is_noun(&words, at);
    is_change.then(|| first.text.clone())
}

/// The "back" of a sentence that takes something back.
fn taken_back(words: &[Word]) -> Option<&Word> {
    let is_said = |word: &Word, known: &[&str]| !word.quoted && known.contains(&word.plain.as_str());
    let verb = words.iter().position(|word| is_said(word, &BACK))?;
    let is_first = words[..verb].iter().all(|word| word.is_filler);
    // "Take a look back".
    let is_other = words.iter().any(|word| word.plain == "look");
    (is_first && !is_other).then(|| words[verb + 1..].iter().find(|word| is_said(word, &["back"]))).flatten()
}

/// Whether a sentence tells somebody to do something, by its first word that says something: a deed, or `verb`, which the name of a
/// tool begins with. `name` is that of its server, which may come first: "git commit".
#[must_use]
pub fn orders(text: &str, name: &str, verb: &str) -> bool {
    let words = text::split(text);
    let says = |word: &Word| !word.is_filler || ORDERS.contains(&word.plain.as_str());
    let mut places = (0..words.len()).filter(|at| says(&words[*at]) && words[*at].text != name);
    let Some(at) = places.next() else { return false };
    let first = &words[at];
    let is_order = changes(&first.plain) || ORDERS.contains(&first.plain.as_str()) || first.plain == verb;
    // "Make a commit" is one.
    let is_made = at > 0 && matches!(words[at - 1].plain.as_str(), "a" | "an" | "the") && makes(&words[..at]);
    is_order && !first.quoted && (is_made || !is_noun(&words, at))
}

/// Whether a word tells somebody to change something there.
pub(crate) fn is_order(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    let is_deed = changes(&word.plain) || ORDERS.contains(&word.plain.as_str());
    is_deed && !word.quoted && !is_noun(words, at)
}

/// Whether "do a" or "make the" leads to what follows.
fn makes(before: &[Word]) -> bool {
    before.iter().rev().nth(1).is_some_and(|word| matches!(word.plain.as_str(), "do" | "make" | "perform"))
}

/// Whether the deed at `at` is a noun there: behind an article, before "of", or with records of it.
fn is_noun(words: &[Word], at: usize) -> bool {
    let deed = words[at].plain.as_str();
    let before = at.checked_sub(1).map(|before| words[before].plain.as_str());
    let is_led = before.is_some_and(|before| BEFORE_NOUNS.contains(&before)) && !makes(&words[..at]);
    let Some(next) = words.get(at + 1).filter(|next| !next.quoted) else { return is_led };
    is_led || next.plain == "of" || RECORDED.contains(&deed) && RECORDS.contains(&next.plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_begins_with_a_deed_asks_for_a_change() {
        for (text, expected) in [
            ("mark all issues in web as resolved", Some("mark")),
            ("Please Delete old errors", Some("Delete")),
            ("could you resolve everything", Some("resolve")),
            ("resolved issues", None),
            ("compare errors with last week", None),
            ("issues that nobody assigned", None),
            ("\"delete\" in the logs", None),
            ("do a commit in /srv", Some("commit")),
            ("commit", Some("commit")),
            ("commit history of /srv", None),
            ("the deploy logs", None),
            ("delete logs", Some("delete")),
            ("take the last commit back", Some("back")),
            ("please go back to main", Some("back")),
            ("take a look back at the errors", None),
            ("errors going back a week", None),
            ("", None),
        ] {
            assert_eq!(change_asked(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_order_is_no_statement_and_no_noun() {
        for text in [
            "commit with message \"fix typo\"",
            "git commit with message x",
            "please commit the staged changes",
            "make a commit",
            "checkout feature",
            "switch to branch feature",
            "put \"hello\" into a.txt",
            "write hello to a.txt",
            "could you delete the entity Bob",
            "frob the widget",
            "mkdir reports",
            "mv a.txt b.txt",
        ] {
            assert!(orders(text, "git", "frob"), "{text}");
        }
        for text in [
            "history of \"notes.txt\"",
            "commits by \"Ada\"",
            "commits with message \"fix typo\"",
            "the commit \"fix typo\"",
            "committed \"fix typo\"",
            "commit log \"notes.txt\"",
            "git commit history \"notes.txt\"",
            "commit by Ada",
            "log of commit \"fix typo\"",
            "reset history",
            "reset status",
            "the reset",
            "created branch hotfix",
            "branch x created",
            "deleted entity Bob",
            "entity Bob was deleted",
            "the deleted entity \"Bob\"",
            "renamed b.txt to c.txt",
            "move of b.txt to c.txt",
            "checkout of feature",
            "adds notes.txt",
            "staged untracked.txt",
            "\"delete\" it",
            "",
        ] {
            assert!(!orders(text, "git", "frob"), "{text}");
        }
    }
}
