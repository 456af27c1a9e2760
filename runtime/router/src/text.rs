//! Splits sentences into words, and reduces words to the forms that are compared.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::english::{in_full, is_around, is_filler, mended};
use crate::values::{count, says_how_much};

/// The most words that are read. Nobody asks for a card in more, and every later step is linear in it.
pub(crate) const WORDS_MAX: usize = 256;

/// What an apostrophe joins to a word.
const ENDINGS: [&str; 6] = ["s", "d", "m", "ll", "re", "ve"];

/// One word of a sentence, or one quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone, and every pack asks")]
pub(crate) struct Word {
    /// As written.
    pub(crate) text: String,
    /// In lower case.
    pub(crate) plain: String,
    /// Without its ending.
    pub(crate) stem: String,
    /// Whether the word is filler.
    pub(crate) is_filler: bool,
    /// Whether it belongs to asking, and not to what is asked for.
    pub(crate) is_around: bool,
    /// Whether it is a number or a time, which every card understands.
    pub(crate) is_amount: bool,
    /// Whether it stood in quotes, and so is a value and nothing else.
    pub(crate) quoted: bool,
    /// Whether a comma follows: then the next word may be one more of the same.
    pub(crate) comma: bool,
    /// Whether `plain` is not what was written but what was taken to be meant.
    pub(crate) corrected: bool,
    /// Where it is written, in bytes of the sentence.
    pub(crate) at: Range<usize>,
}

impl Word {
    fn new(text: &str, quoted: bool) -> Self {
        let lower = text.to_lowercase();
        let (plain, corrected) = match in_full(&lower).filter(|_| !quoted) {
            Some(full) => (full.to_owned(), false),
            None => match mended(&lower).filter(|_| !quoted) {
                Some(meant) => (meant.to_owned(), true),
                None => (lower, false),
            },
        };
        Self {
            text: text.to_owned(),
            stem: stem(&plain),
            is_filler: !quoted && is_filler(&plain),
            is_around: is_around(&plain),
            is_amount: !quoted && says_how_much(&plain),
            plain,
            quoted,
            comma: false,
            corrected,
            at: 0..0,
        }
    }

    /// The same word, taken to mean this known one.
    pub(crate) fn correct(&mut self, meant: &str) {
        let Self { text, comma, at, .. } = self;
        let (text, comma, at) = (std::mem::take(text), *comma, at.clone());
        *self = Self { text, comma, at, corrected: true, ..Self::new(meant, false) };
    }

    fn quotation(inside: &str) -> Option<Self> {
        let text = inside.trim();
        (!text.is_empty()).then(|| Self::new(text, true))
    }

    /// Trims the punctuation of the sentence from a word, and leaves what belongs to it: `#12345`, `WEB-42`, `v1.2`.
    /// Leading dots and slashes stay, so that `../web` does not turn into `web`.
    fn plain(raw: &str) -> Option<Self> {
        // What is joined to a word by an apostrophe says nothing of its own: `WEB-42's`, `I'd`, `we'll`.
        let joined = raw.rsplit_once(['\'', '’']).filter(|(_, ending)| ENDINGS.contains(ending));
        let text = joined.map_or(raw, |(word, _)| word).replace(['\'', '’'], "");
        let text = text.trim_start_matches([':', '@']).trim_end_matches(['.', ':', '-', '/', '@', '#']);
        let has_substance = text.chars().any(char::is_alphanumeric);
        has_substance.then(|| Self::new(text, false))
    }
}

/// Splits a text into words: at most one more than [`WORDS_MAX`], which tells that there were too many.
pub(crate) fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    // Once a closing quote of some kind is not found, it is not looked for again: that keeps the work linear.
    let mut unclosed: Vec<char> = Vec::new();
    while words.len() <= WORDS_MAX {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            break;
        };
        let length = first.len_utf8();
        if let Some(closing) = closing_quote(first).filter(|closing| !unclosed.contains(closing)) {
            if let Some((inside, after)) = quotation(&rest[length..], closing) {
                let end = text.len() - after.len();
                words.extend(Word::quotation(inside).map(|word| Word { at: at..end, ..word }));
                at = end;
                continue;
            }
            unclosed.push(closing);
        }
        if let Some(meant) = sign(first, &text[..at], &rest[length..]) {
            words.push(Word { text: rest[..length].to_owned(), at: at..at + length, ..Word::new(meant, false) });
            at += length;
            continue;
        }
        let end = at + rest.find(|character| !belongs_to_word(character)).unwrap_or(rest.len());
        let end = end + ancestors(&text[at..end], &text[end..]);
        if end == at {
            if let Some(last) = words.last_mut().filter(|_| first == ',') {
                last.comma = true;
            }
            at += length;
            continue;
        }
        // "top10" is two words.
        let raw = &text[at..end];
        // An option of a command line: `grep -i`.
        let option = raw.trim_start_matches('-');
        if option.len() < raw.len()
            && option.len() == 1
            && option.starts_with(|letter: char| letter.is_ascii_alphabetic())
        {
            // `tail -f` asks for what is yet to come.
            if option == "f" && words.last().is_some_and(|word| word.plain == "tail") {
                words.push(Word { text: raw.to_owned(), at: at..end, ..Word::new("follow", false) });
            }
            at = end;
            continue;
        }
        // `tail -15` asks for fifteen.
        let is_tail = words.last().is_some_and(|word| matches!(word.plain.as_str(), "head" | "tail"));
        let raw = if is_tail && option.bytes().all(|byte| byte.is_ascii_digit()) { option } else { raw };
        at = end - raw.len();
        let letters = raw.bytes().take_while(u8::is_ascii_lowercase).count();
        let counts = matches!(&raw[..letters], "top" | "last" | "first") && raw.len() > letters;
        let end =
            if counts && raw.bytes().skip(letters).all(|byte| byte.is_ascii_digit()) { at + letters } else { end };
        // "Per-day" and "hour-by-hour" are words with hyphens between.
        let parts = text[at..end].split('-');
        if raw.contains('-')
            && parts.clone().all(|part| !part.is_empty())
            && parts.clone().any(|part| JOINED.contains(&part))
        {
            for part in parts {
                words.extend(Word::plain(part).map(|word| Word { at: at..at + part.len(), ..word }));
                at += part.len() + 1;
            }
            at = end;
            continue;
        }
        // "How many 503s" is about the status.
        let word = &text[at..end];
        let is_status = |digits: &str| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let word = word.strip_suffix('s').filter(|digits| is_status(digits)).unwrap_or(word);
        let span = at..at + word.len();
        words.extend(Word::plain(word).map(|word| Word { at: span, ..word }));
        join_request(&mut words, text);
        at = end;
    }
    // "1st 5 rows" are the first five.
    for at in 1..words.len() {
        if words[at - 1].plain == "1st" && !words[at].quoted && count(&words[at].plain).is_some() {
            let Word { text, at: span, .. } = words[at - 1].clone();
            words[at - 1] = Word { text, at: span, ..Word::new("first", false) };
        }
    }
    // "Hi team" says nothing, and "errors by team" does.
    let asks = words.iter().position(|word| ASKING.contains(&word.plain.as_str()));
    for at in 1..words.len() {
        // "How many will we sell": what is yet to come is in no data.
        let is_ahead = words[at].plain == "will" && asks.is_some_and(|asks| asks < at);
        if is_ahead && words.get(at + 1).is_some_and(|next| AHEAD_OF.contains(&next.plain.as_str())) {
            words[at].is_filler = false;
            words[at].is_around = false;
        }
        let (before, word) = (&words[at - 1], &words[at]);
        let is_grouped = !before.quoted && matches!(before.plain.as_str(), "by" | "each" | "per");
        if is_grouped && matches!(word.plain.as_str(), "kind" | "kinds" | "person" | "team" | "thing") {
            words[at].is_filler = false;
            words[at].is_around = false;
        }
    }
    words
}

/// Makes one word of a method and a path, as logs write requests: "POST /api/payments".
fn join_request(words: &mut Vec<Word>, source: &str) {
    let [.., method, path] = words.as_slice() else { return };
    let is_request = !method.quoted
        && METHODS.contains(&method.text.as_str())
        && path.text.starts_with('/')
        && source.get(method.at.end..path.at.start) == Some(" ");
    if is_request {
        let joined = Word::new(&format!("{} {}", method.text, path.text), false);
        let joined = Word { at: method.at.start..path.at.end, ..joined };
        words.truncate(words.len() - 2);
        words.push(joined);
    }
}

/// How many bytes after a word belong to it because they name an ancestor of a commit, as in `HEAD~2` and `main^`.
fn ancestors(word: &str, after: &str) -> usize {
    let is_of_them = |character: char| matches!(character, '~' | '^') || character.is_ascii_digit();
    let length = after.find(|character| !is_of_them(character)).unwrap_or(after.len());
    let ends = after[length..].chars().next().is_none_or(|next| next.is_whitespace() || ",;?!)".contains(next));
    let names = word.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '@')
        && !word.bytes().all(|byte| byte.is_ascii_digit());
    if after.starts_with(['~', '^']) && ends && names { length } else { 0 }
}

/// Methods of HTTP, as requests have them.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Words that join others by hyphens.
const JOINED: [&str; 5] = ["by", "level", "per", "seen", "to"];

/// Words that ask, and behind "will" those of whom it is asked what they do.
const ASKING: [&str; 6] = ["how", "what", "when", "where", "which", "who"];
const AHEAD_OF: [&str; 9] = ["be", "come", "have", "it", "our", "the", "there", "they", "we"];

fn closing_quote(character: char) -> Option<char> {
    match character {
        '"' | '`' | '\'' => Some(character),
        '“' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        _ => None,
    }
}

/// What is inside a quotation, and what follows it. An apostrophe inside a word ends nothing: `'can't connect'`.
fn quotation(text: &str, closing: char) -> Option<(&str, &str)> {
    let is_end = |after: &str| !matches!(closing, '\'' | '’') || !after.starts_with(char::is_alphanumeric);
    let mut ends = text.match_indices(closing).map(|(at, _)| (at, &text[at + closing.len_utf8()..]));
    ends.find(|(_, after)| is_end(after)).map(|(at, after)| (&text[..at], after))
}

/// The word that a sign stands for. `user_id=9917` may be a text, `status = open` is none.
fn sign(character: char, before: &str, after: &str) -> Option<&'static str> {
    match character {
        '!' if after.starts_with('=') => Some("not"),
        '>' if after.starts_with('=') => Some("atleast"),
        '<' if after.starts_with('=') => Some("atmost"),
        '<' if after.starts_with('>') => Some("not"),
        '>' if before.ends_with('<') => None,
        '>' => Some("above"),
        '<' => Some("below"),
        '=' if before.ends_with(' ') && after.starts_with(' ') => Some("is"),
        '+' | '&' if before.ends_with(' ') && after.starts_with(' ') => Some("and"),
        _ => None,
    }
}

fn belongs_to_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '/' | '#' | '@' | ':' | '\'' | '’' | '*')
}

/// Whether a clause of a sentence ends between two neighbouring words.
pub(crate) fn ends_clause(source: &str, before: &Word, word: &Word) -> bool {
    let gap = source.get(before.at.end..word.at.start).unwrap_or_default();
    let raw = source.get(before.at.clone()).unwrap_or_default();
    let stops = raw.ends_with(['.', '?', '!', ';']) && !gap.is_empty();
    stops || gap.contains([',', ';', '?', '!', '–', '—', '\n']) || gap.contains(" - ")
}

/// The text that two sentences share when only case and punctuation differ.
pub(crate) fn normal(words: &[Word]) -> String {
    let mut normal = String::new();
    for word in words {
        if !normal.is_empty() {
            normal.push(' ');
        }
        if word.quoted {
            normal.push('"');
            normal.push_str(&word.plain);
            normal.push('"');
        } else {
            normal.push_str(&word.plain);
        }
    }
    normal
}

/// Words that a whole sentence may have or not: "which logs do we have here" is "which logs".
const LIGHT: [&str; 44] = [
    "a",
    "actually",
    "all",
    "an",
    "and",
    "any",
    "anyway",
    "are",
    "at",
    "available",
    "currently",
    "do",
    "does",
    "even",
    "exist",
    "exists",
    "got",
    "have",
    "hello",
    "here",
    "hey",
    "hi",
    "i",
    "just",
    "me",
    "my",
    "now",
    "ok",
    "okay",
    "our",
    "please",
    "so",
    "tell",
    "thanks",
    "the",
    "there",
    "they",
    "this",
    "to",
    "us",
    "we",
    "you",
    "your",
    "know",
];

/// The words of a sentence without those that it may have or not; nothing where something is quoted.
pub(crate) fn bare(words: &[Word]) -> String {
    fn plain(word: &Word) -> &str {
        match word.plain.as_str() {
            "wich" => "which",
            "whats" | "wat" => "what",
            plain => plain,
        }
    }
    if words.iter().any(|word| word.quoted) {
        return String::new();
    }
    let kept = words.iter().map(plain).filter(|word| !LIGHT.contains(word));
    kept.collect::<Vec<_>>().join(" ")
}

/// The synonyms of one pack, between stems.
#[derive(Debug, Default)]
pub(crate) struct Synonyms {
    heads: BTreeMap<String, String>,
}

impl Synonyms {
    pub(crate) fn new(declared: &BTreeMap<String, Vec<String>>) -> Self {
        let mut heads = BTreeMap::new();
        for (head, words) in declared {
            for word in words {
                heads.insert(stem(word), stem(head));
            }
        }
        Self { heads }
    }

    /// The form in which words are compared: the stem, or the stem it is a synonym of.
    pub(crate) fn canonical(&self, plain: &str) -> String {
        self.head(&stem(plain)).to_owned()
    }

    /// The stem that a stem is a synonym of, or itself.
    pub(crate) fn head<'a>(&'a self, stem: &'a str) -> &'a str {
        self.heads.get(stem).map_or(stem, String::as_str)
    }
}

/// Takes the common endings of English off a word: `errors`, `crashes`, `queries`, `failing`, `resolved`.
///
/// It is light on purpose. Two words that it fails to join cost a synonym in a pack; two words that it joins wrongly
/// would choose the wrong card. `resolved` and `unresolved` stay apart.
#[must_use]
pub fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let stem = without_tense(&singular(word));
    match stem.strip_suffix('e') {
        Some(shorter) if shorter.len() >= 4 => shorter.to_owned(),
        _ => stem,
    }
}

pub(crate) fn singular(word: &str) -> String {
    if word.len() > 4
        && let Some(stem) = word.strip_suffix("ies")
    {
        return format!("{stem}y");
    }
    if ["sses", "xes", "zes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        return word[..word.len() - 2].to_owned();
    }
    let is_plural = word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    word[..word.len() - usize::from(is_plural)].to_owned()
}

fn without_tense(word: &str) -> String {
    let past = || word.strip_suffix("ed").filter(|shorter| !shorter.ends_with('e'));
    let shorter = word.strip_suffix("ing").or_else(past);
    match shorter {
        Some(shorter) if shorter.len() >= 3 && shorter.contains(['a', 'e', 'i', 'o', 'u']) => {
            let bytes = shorter.as_bytes();
            let last = bytes[bytes.len() - 1];
            let doubled = last == bytes[bytes.len() - 2] && !b"aeiouflsz".contains(&last);
            shorter[..shorter.len() - usize::from(doubled)].to_owned()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_word_and_a_sign_between_blanks_is_one_too() {
        let words = |text: &str| split(text).into_iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(words("how many POST /api/pay, please"), ["how", "many", "POST /api/pay", "please"]);
        // A command, no method, and no path.
        for text in ["get /health", "TRACE /health", "POST api/pay", "POST, /api/pay", "\"POST\" /api/pay"] {
            assert_eq!(words(text).len(), 2, "{text}");
        }
        for (text, plain) in [("min + max", "and"), ("errors & warnings", "and"), ("status = open", "is")] {
            assert_eq!(split(text)[1].plain, plain, "{text}");
        }
        assert_eq!(words("a+b R&D"), ["a", "b", "R", "D"]);
    }

    #[test]
    fn case_and_punctuation_do_not_matter_and_names_stay_whole() {
        for (text, expected) in [
            ("List  errors!!!", "list errors"),
            ("what's broken?", "what broken"),
            ("WEB-42’s cause, the users' ids", "web-42 cause the users ids"),
            ("Errors: web, api; (all).", "errors web api all"),
            ("show #12345 and WEB-42, v1.2.", "show #12345 and web-42 v1.2"),
            ("in check-out_v2...", "in check-out_v2"),
            ("503s and 1990s, tail -f x, grep -f x", "503 and 1990s tail follow x grep x"),
            ("errors in \"My Project\"", "errors in \"my project\""),
            ("errors in “My Project”", "errors in \"my project\""),
            ("\"unclosed error", "unclosed error"),
            ("“a “b “c", "a b c"),
            ("search for 'out of memory' in the users' logs", "search for \"out of memory\" in the users logs"),
            ("'can't connect' or ‘it’s down’", "\"can't connect\" or \"it’s down\""),
            ("rows where amount > 300", "rows where amount above 300"),
            ("rows where amount >= 300", "rows where amount atleast 300"),
            ("rows where status != paid", "rows where status not paid"),
            ("rows where status <> paid", "rows where status not paid"),
            ("\"\" ''", ""),
            ("../../etc", "../../etc"),
            ("show HEAD~2, main^^ and v1~1?", "show head~2 main^^ and v1~1"),
            ("a ~ b, 5~10 and x~y", "a b 5 10 and x y"),
            ("ŽLUŤ 😀 \u{202e}x\0y", "žluť x y"),
            ("", ""),
        ] {
            assert_eq!(normal(&split(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_filler_that_groups_is_a_word() {
        for (text, is_filler) in
            [("hi team, list errors", true), ("errors by team", false), ("errors per person", false)]
        {
            let words = split(text);
            let said = words.iter().find(|word| matches!(word.plain.as_str(), "team" | "person")).expect("it is said");
            assert_eq!(said.is_filler, is_filler, "{text}");
        }
    }

    #[test]
    fn no_more_words_are_read_than_one_too_many() {
        assert_eq!(split(&"a ".repeat(WORDS_MAX)).len(), WORDS_MAX);
        assert_eq!(split(&"a ".repeat(100 * WORDS_MAX)).len(), WORDS_MAX + 1);
        assert!(split(&"“".repeat(100_000)).is_empty());
    }

    #[test]
    fn endings_are_taken_off_and_meanings_kept_apart() {
        for (left, right) in [
            ("error", "errors"),
            ("crash", "crashes"),
            ("crash", "crashed"),
            ("query", "queries"),
            ("issue", "issues"),
            ("release", "releases"),
            ("resolve", "resolved"),
            ("resolve", "resolving"),
            ("fail", "failing"),
            ("log", "logging"),
            ("list", "listing"),
        ] {
            assert_eq!(stem(left), stem(right), "{left}, {right}");
        }
        for (left, right) in [("resolved", "unresolved"), ("status", "stat"), ("string", "str"), ("need", "ne")] {
            assert_ne!(stem(left), stem(right), "{left}, {right}");
        }
    }

    #[test]
    fn synonyms_are_joined_whatever_their_ending() {
        let declared = BTreeMap::from([("error".to_owned(), vec!["bug".to_owned(), "crash".to_owned()])]);
        let synonyms = Synonyms::new(&declared);
        for word in ["error", "errors", "bug", "bugs", "crashes", "crashed"] {
            assert_eq!(synonyms.canonical(word), "error", "{word}");
        }
        assert_eq!(synonyms.canonical("issue"), "issu");
    }
}
