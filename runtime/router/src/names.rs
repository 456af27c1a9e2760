//! Names that exist: projects, files, columns. A sentence may say one without saying what it is.
//!
//! The router gets them handed in. It is *not* for fetching them, or for keeping them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use intentbox_catalog::param::ValuesFrom;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::english::is_same_but_one;
use crate::text::{self, singular};

/// The most names of one list that are known. A list from outside may have any length.
pub const NAMES_MAX: usize = 20_000;

/// The longest name that is known, in bytes. Nobody types a longer one.
const NAME_BYTES_MAX: usize = 200;

/// The most words of a name that a sentence is compared with.
pub(crate) const NAME_WORDS_MAX: usize = 6;

/// How many ways to say names are searched for one that is nearly what was said. Among more, chance decides.
const GUESSED_MAX: usize = 2_000;

/// A shorter abbreviation could be of anything.
const ABBREVIATION_LETTERS_MIN: usize = 3;

/// A word with more letters has few left to leave out.
const ABBREVIATION_LETTERS_MAX: usize = 6;

/// Among so few names three letters are enough: `dev` is `development`.
const FEW: usize = 4;

/// A shorter beginning of a name is no abbreviation of it: `pro` is not `products`.
const BEGINNING_LETTERS_MIN: usize = 4;

/// Units with which names of columns end.
const UNITS: [&str; 26] = [
    "bytes", "chf", "cm", "days", "eur", "gb", "gbp", "h", "hours", "hrs", "kb", "kg", "km", "kwh", "m", "mb", "min",
    "mins", "minutes", "ms", "pct", "percent", "s", "sec", "seconds", "usd",
];

/// What names of columns begin with that says how they count.
const COUNTED: [&str; 6] = ["count_of_", "n_", "no_of_", "num_", "number_of_", "qty_"];

/// Among more names a short beginning is one of some word.
const ABBREVIATED_MAX: usize = 60;

/// A longer beginning is a word of its own: a `product` is no `production`.
const BEGINNING_LETTERS_MAX: usize = 5;

/// From so many letters on, a word in which one letter is another is still the same word.
const OTHER_LETTER_MIN: usize = 8;

/// The field of a name that is said in another way than it is written.
const SAID: &str = "said";

/// How names of companies end.
const COMPANIES: [&str; 20] = [
    "ab", "ag", "as", "bv", "co", "corp", "gmbh", "inc", "kg", "limited", "llc", "ltd", "nv", "oy", "plc", "sa",
    "sarl", "se", "spa", "srl",
];

/// The field that says what a name is for: such names are of columns.
pub(crate) const ROLE: &str = "role";

/// Where names come from, as one pack declares it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// The name of the pack.
    pub pack: String,
    /// What its template declares.
    pub values: ValuesFrom,
}

/// The names that are known for one sentence.
#[derive(Debug, Clone, Default)]
pub struct Names {
    lists: BTreeMap<Source, Arc<NameList>>,
}

/// The names of one source, prepared for looking them up.
#[derive(Debug, Default)]
pub struct NameList {
    /// What may be said → the name that it may mean.
    said: HashMap<String, Meant>,
    names: Vec<Arc<Name>>,
}

/// A name that exists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    /// The name as its source writes it.
    pub text: String,
    /// What else its source says about it: the texts of the row that has it, by their fields.
    pub fields: BTreeMap<String, String>,
}

/// What a key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meant {
    name: Arc<Name>,
    rank: Rank,
    /// Whether another name of the same rank is said so too.
    is_shared: bool,
}

/// How a key says a name. A better one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Whole,
    Folder,
    FileName,
    Stem,
    Undated,
    Part,
}

impl Names {
    /// Adds what is known of a source, in place of what was known before.
    pub fn insert(&mut self, source: Source, list: Arc<NameList>) {
        self.lists.insert(source, list);
    }

    /// What is known of a source.
    #[must_use]
    pub fn get(&self, source: &Source) -> Option<&NameList> {
        self.lists.get(source).map(Arc::as_ref)
    }

    /// Whether a sentence names a file that is known, of whichever pack, with its ending.
    #[must_use]
    pub fn mention_a_file(&self, text: &str) -> bool {
        text::split(text).iter().any(|word| self.files_say(&word.text))
    }

    /// Whether a word is a file that is known, of whichever pack, with its ending.
    pub(crate) fn files_say(&self, word: &str) -> bool {
        word.contains('.') && self.files().any(|files| files.says(word))
    }

    /// Whether a word is a name that is known and no file: a column, a text in one, a project.
    pub(crate) fn hold(&self, word: &str) -> bool {
        let mut lists = self.lists.iter().filter(|(source, _)| source.values != ValuesFrom::Files);
        lists.any(|(_, list)| list.find(word).is_some())
    }

    /// The lists of files that are known.
    pub(crate) fn files(&self) -> impl Iterator<Item = &NameList> {
        self.files_of(|_| true)
    }

    /// The same of some packs, by their names.
    pub(crate) fn files_of(&self, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &NameList> {
        let files = self.lists.iter().filter(|(source, _)| source.values == ValuesFrom::Files);
        files.filter(move |(source, _)| is_wanted(&source.pack)).map(|(_, list)| list.as_ref())
    }
}

impl NameList {
    /// Names as an origin gives them. A part after the last dot may be said alone if it is the only one: `city` for `address.city`.
    #[must_use]
    pub fn of_words(names: impl IntoIterator<Item = String>) -> Self {
        Self::of_names(names.into_iter().map(|text| Name { text, fields: BTreeMap::new() }))
    }

    /// The same with what their rows say about them. Equal names of different rows are told apart by those fields only; what is in the
    /// field `said` is how people say the name.
    #[must_use]
    pub fn of_names(names: impl IntoIterator<Item = Name>) -> Self {
        let mut list = Self::default();
        for name in names.into_iter().take(NAMES_MAX) {
            let name = Arc::new(name);
            let text = name.text.as_str();
            // "Unpaid" is a way to say no.
            if let Some(said) = name.fields.get(SAID) {
                list.add(said, &name, Rank::Whole);
                list.names.push(name);
                continue;
            }
            list.add(text, &name, Rank::Whole);
            // Not every keyboard has `ö`.
            if !text.is_ascii() {
                list.add(&unaccented(text), &name, Rank::Stem);
            }
            // Nobody says what kind of company one is. One word by itself is a name of many things.
            let company = text.trim_end_matches('.').rsplit_once(' ');
            let is_called = |(called, last): &(&str, &str)| {
                called.contains(' ') && COMPANIES.contains(&last.to_lowercase().as_str())
            };
            if let Some((called, _)) = company.filter(is_called) {
                list.add(called.trim_end_matches(','), &name, Rank::Stem);
            }
            // `monthly_salary` is the salary, where there is no other.
            if let Some((_, last)) =
                text.rsplit_once(['_', ' ']).filter(|(_, last)| last.len() > 3 && name.fields.contains_key(ROLE))
            {
                list.add(last, &name, Rank::Undated);
            }
            // `ordered_at` is when something was ordered.
            if let Some((first, _)) =
                text.rsplit_once('_').filter(|(_, last)| matches!(*last, "at" | "date" | "on" | "time"))
            {
                list.add(first, &name, Rank::Stem);
            }
            if let Some((_, last)) = text.rsplit_once('.') {
                list.add(last, &name, Rank::Stem);
            }
            if let Some((first, _)) = text.split_once(" (") {
                list.add(first, &name, Rank::Stem);
            }
            // `duration_ms` is a duration.
            if let Some((first, _)) = text.rsplit_once('_').filter(|(_, unit)| UNITS.contains(unit)) {
                list.add(first, &name, Rank::Stem);
            }
            // `qty_on_hand` is what is on hand.
            if let Some(counted) = COUNTED.iter().find_map(|count| text.strip_prefix(count)) {
                list.add(counted, &name, Rank::Undated);
            }
            list.names.push(name);
        }
        list
    }

    /// Paths of files. A file may be said by its name and by its name without the extension; a folder stands for what is in it.
    #[must_use]
    pub fn of_files(paths: impl IntoIterator<Item = String>) -> Self {
        let mut list = Self::default();
        for path in paths.into_iter().take(NAMES_MAX) {
            let name = Arc::new(Name { text: path, fields: BTreeMap::new() });
            let path = name.text.as_str();
            list.add(path, &name, Rank::Whole);
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            if !folder.is_empty() {
                let folder = Arc::new(Name { text: folder.to_owned(), fields: BTreeMap::new() });
                list.add(&folder.text, &folder, Rank::Folder);
                list.add(file, &name, Rank::FileName);
            }
            let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
            list.add(stem, &name, Rank::Stem);
            // "Postgres" is `postgresql-16-main.log`.
            let begins = stem.split(['-', '_']).next().filter(|first| *first != stem && first.len() > 7);
            if let Some(first) = begins.and_then(|first| first.get(..first.len() - 2)) {
                list.add(first, &name, Rank::Undated);
            }
            // "The java orders log" is `orders-java.log`.
            if let Some((first, last)) = stem.split_once(['-', '_']).filter(|(_, last)| !last.contains(['-', '_'])) {
                list.add(&format!("{last} {first}"), &name, Rank::Stem);
            }
            // `sales-2026` is "sales" where there is no other.
            let undated = stem.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '_'));
            if undated != stem {
                list.add(undated, &name, Rank::Undated);
            }
            for part in stem.split(['-', '_']).filter(|part| part.len() > 2 && *part != stem) {
                list.add(part, &name, Rank::Part);
            }
            list.names.push(name);
        }
        list
    }

    fn add(&mut self, said: &str, name: &Arc<Name>, rank: Rank) {
        if said.len() > NAME_BYTES_MAX || name.text.len() > NAME_BYTES_MAX {
            return;
        }
        let key = key(said);
        if key.is_empty() {
            return;
        }
        let meant = Meant { name: Arc::clone(name), rank, is_shared: false };
        match self.said.get_mut(&key) {
            Some(known) if known.name == *name || known.rank < rank => {}
            Some(known) if known.rank == rank => known.is_shared = true,
            Some(known) => *known = meant,
            None => {
                self.said.insert(key, meant);
            }
        }
    }

    /// The name that a text says, whatever its case, its punctuation and its number.
    pub(crate) fn find(&self, text: &str) -> Option<&Arc<Name>> {
        self.meant(text).map(|meant| &meant.name)
    }

    /// The only name that has this text in a field of its row.
    pub(crate) fn only(&self, text: &str) -> Option<&Name> {
        let mut names = self.names.iter().filter(|name| name.fields.values().any(|value| value == text));
        let first = names.next()?;
        // One that is said in several ways is still one.
        names.all(|name| name.text == first.text).then_some(first)
    }

    /// The names, each with what its source says about it.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.names.iter().map(Arc::as_ref)
    }

    /// The names, as their source writes them.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.text.as_str())
    }

    /// Whether a text is a way to say a name as it is.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        self.said.contains_key(&key(text))
    }

    /// Whether a text says a name without leaving a year of it out.
    pub(crate) fn says_all(&self, text: &str) -> bool {
        self.said.get(&key(text)).is_some_and(|meant| meant.rank < Rank::Undated)
    }

    /// The name that says that this was done: `rejected` for "reject".
    pub(crate) fn find_done(&self, deed: &str) -> Option<&Arc<Name>> {
        let last = deed.chars().last()?;
        let forms = [format!("{deed}ed"), format!("{deed}d"), format!("{deed}{last}ed")];
        forms.iter().find_map(|form| self.find(form)).filter(|name| name.fields.contains_key("of"))
    }

    /// The name that a text says only as a part of it: `access` for `nginx-access.log`.
    pub(crate) fn find_part(&self, text: &str) -> Option<&Arc<Name>> {
        let meant = self.said.get(&key(text))?;
        (meant.rank == Rank::Part && !meant.is_shared).then_some(&meant.name)
    }

    fn meant(&self, text: &str) -> Option<&Meant> {
        let key = key(text);
        let found = self.said.get(&key).or_else(|| {
            let (head, last) = key.rsplit_once(' ').map_or(("", key.as_str()), |(head, last)| (head, last));
            let joined = |last: &str| if head.is_empty() { last.to_owned() } else { format!("{head} {last}") };
            let one = singular(last);
            let without_es = last.strip_suffix("es").unwrap_or(last);
            let of_y = last.strip_suffix('y').map_or_else(|| last.to_owned(), |stem| format!("{stem}ies"));
            let variants = [joined(&one), joined(without_es), joined(&format!("{last}s")), joined(&of_y)];
            variants.iter().find_map(|key| self.said.get(key))
        });
        found.filter(|meant| !meant.is_shared && meant.rank != Rank::Part)
    }

    /// The one name that a text abbreviates or misspells: `prod` is `production`, `qty` is `quantity`, `chekout` is `checkout`,
    /// where those exist and nothing else is as near.
    pub(crate) fn guess(&self, text: &str) -> Option<&Arc<Name>> {
        let short = key(text);
        let letters = short.len();
        // A name from a program is written as it is: `duration_ms` is no `duration_min`.
        let is_code = text.contains('_');
        if is_code || letters < ABBREVIATION_LETTERS_MIN || self.said.len() > GUESSED_MAX || !short.is_ascii() {
            return None;
        }
        let known = || self.said.iter().filter(|(_, meant)| meant.rank != Rank::Part && !meant.is_shared);
        let only = |fits: &dyn Fn(&str) -> bool| {
            let mut names = known().filter(|(said, _)| fits(said)).map(|(_, meant)| &meant.name);
            let first = names.next()?;
            names.all(|name| name == first).then_some(first)
        };
        let slips_max = match letters {
            0..=4 => 0,
            5..=7 => 1,
            _ => 2,
        };
        let misspelled = |said: &str| {
            said.len().abs_diff(letters) <= slips_max
                && said.as_bytes()[0] == short.as_bytes()[0]
                // "Staring" is no staging: another letter makes another word.
                && (letters >= OTHER_LETTER_MIN || said.len() != letters || !is_same_but_one(said, &short))
                && strsim::osa_distance(said, &short) <= slips_max
        };
        let begins = |said: &str| said.starts_with(&short) && !said.contains(' ');
        only(&begins)
            .filter(|_| letters >= BEGINNING_LETTERS_MIN || self.names.len() <= FEW)
            .filter(|_| letters <= BEGINNING_LETTERS_MAX && self.names.len() <= ABBREVIATED_MAX)
            .or_else(|| only(&misspelled).filter(|_| slips_max > 0))
            .or_else(|| {
                only(&|said: &str| abbreviates(&short, said))
                    .filter(|_| letters <= ABBREVIATION_LETTERS_MAX && self.names.len() <= ABBREVIATED_MAX)
            })
    }

    /// The name that a misspelled word is nearest to, for asking back.
    #[must_use]
    pub fn nearest(&self, text: &str) -> Option<&str> {
        let key = key(text);
        let slips_max = if key.len() >= 8 { 2 } else { 1 };
        if key.len() < 3 {
            return None;
        }
        let near = self.names.iter().take(GUESSED_MAX).filter_map(|name| {
            let known = self::key(&name.text);
            let is_near = known.len().abs_diff(key.len()) <= slips_max;
            let slips = if is_near { strsim::osa_distance(&known, &key) } else { usize::MAX };
            (slips <= slips_max).then_some((slips, name.text.as_str()))
        });
        near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
    }
}

/// Whether the letters of a word are those of a longer one in order, from the first on: `qty` and `quantity`.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut letters = long.bytes();
    let begins = long.as_bytes().first() == short.as_bytes().first();
    // Its vowels are the first to go.
    let is_dry = !short.bytes().skip(1).any(|letter| b"aeiou".contains(&letter));
    begins && is_dry && long.len() > short.len() && short.bytes().all(|letter| letters.any(|other| other == letter))
}

/// A text without what stands above and below its letters, as people type it who do not have them: `Malmo` for `Malmö`.
fn unaccented(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.nfd().filter(|letter| !is_combining_mark(*letter)) {
        match letter {
            'ß' => plain.push_str("ss"),
            'æ' | 'Æ' => plain.push_str("ae"),
            'œ' | 'Œ' => plain.push_str("oe"),
            'ø' | 'Ø' => plain.push('o'),
            'ł' | 'Ł' => plain.push('l'),
            'đ' | 'Đ' => plain.push('d'),
            _ => plain.push(letter),
        }
    }
    plain
}

/// The form in which names and what is said are compared: words of letters and digits in lower case.
fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric() {
            key.extend(character.to_lowercase());
        } else if !key.is_empty() && !key.ends_with(' ') {
            key.push(' ');
        }
    }
    key.truncate(key.trim_end().len());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_without_its_accents() {
        let list = NameList::of_words(["Malmö", "Łódź", "Straße", "Malmo Nord"].map(str::to_owned));
        for (said, name) in [("malmo", "Malmö"), ("MALMÖ", "Malmö"), ("lodz", "Łódź"), ("strasse", "Straße")] {
            assert_eq!(list.find(said).map(|name| name.text.as_str()), Some(name), "{said}");
        }
        // A name that is written so is meant first.
        let list = NameList::of_words(["Malmö", "Malmo"].map(str::to_owned));
        assert_eq!(list.find("malmo").map(|name| name.text.as_str()), Some("Malmo"));
    }

    #[test]
    fn a_name_is_found_however_it_is_written() {
        let columns = ["order_id", "Salary (EUR)", "address.city", "Remote?", "country"].map(str::to_owned);
        let columns = NameList::of_words(columns);
        for (text, expected) in [
            ("order_id", Some("order_id")),
            ("Order ID", Some("order_id")),
            ("salary", Some("Salary (EUR)")),
            ("salary eur", Some("Salary (EUR)")),
            ("city", Some("address.city")),
            ("address.city", Some("address.city")),
            ("remote", Some("Remote?")),
            ("countries", Some("country")),
            ("id", None),
            ("", None),
        ] {
            assert_eq!(columns.find(text).map(|name| name.text.as_str()), expected, "{text}");
        }
    }

    #[test]
    fn a_file_is_found_by_its_name_and_a_folder_by_its_own() {
        let paths = [
            "orders.csv",
            "inventory.csv.gz",
            "api/api.log",
            "api/api.log.1.gz",
            "nginx-error.log",
            "nginx-access.log",
        ];
        let files = NameList::of_files(paths.map(str::to_owned));
        for (text, expected) in [
            ("orders", Some("orders.csv")),
            ("Orders.CSV", Some("orders.csv")),
            ("inventory", Some("inventory.csv.gz")),
            ("api", Some("api")),
            ("api.log", Some("api/api.log")),
            ("api/api.log", Some("api/api.log")),
            ("nginx error", Some("nginx-error.log")),
            ("nginx", None),
            ("access", None),
        ] {
            assert_eq!(files.find(text).map(|name| name.text.as_str()), expected, "{text}");
        }
    }

    #[test]
    fn of_a_hundred_thousand_names_the_first_ones_are_known() {
        let names = NameList::of_words((0..100_000).map(|number| format!("name-{number}")));
        let last = format!("name-{}", NAMES_MAX - 1);
        assert_eq!(names.find(&last).map(|name| name.text.as_str()), Some(last.as_str()));
        assert_eq!(names.find(&format!("name-{NAMES_MAX}")), None);
        assert_eq!((names.guess("nmae-5"), names.nearest("nmae-5000000")), (None, None));
    }

    #[test]
    fn equal_names_of_different_rows_are_not_one() {
        let name = |text: &str, of: &str| Name {
            text: text.to_owned(),
            fields: BTreeMap::from([("of".to_owned(), of.to_owned())]),
        };
        let names = NameList::of_names([name("Oslo", "city"), name("Oslo", "birthplace"), name("Bergen", "city")]);
        assert_eq!(names.find("oslo"), None);
        assert_eq!(names.find("bergen").and_then(|name| name.fields.get("of")).map(String::as_str), Some("city"));
        assert_eq!(names.only("birthplace").map(|name| name.text.as_str()), Some("Oslo"));
        assert_eq!(names.only("city"), None);
    }

    #[test]
    fn a_beginning_counts_where_one_name_has_it() {
        let names = NameList::of_words(["production", "staging", "development", "preview"].map(str::to_owned));
        for (text, expected) in [
            ("prod", Some("production")),
            ("dev", Some("development")),
            ("pr", None),
            ("pre", Some("preview")),
            ("live", None),
            ("stging", Some("staging")),
            ("dvl", Some("development")),
        ] {
            assert_eq!(names.guess(text).map(|name| name.text.as_str()), expected, "{text}");
        }
        assert_eq!(names.nearest("prodution"), Some("production"));
        assert_eq!(names.nearest("live"), None);
    }
}
