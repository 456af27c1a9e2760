//! Rows and their cells, as the file has them, and the names of columns.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::{COLUMNS_MAX, DEPTH_MAX};

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// The row has no such cell, or JSON says `null`.
    Missing,
    /// Text, and every cell of CSV.
    Text(Cow<'a, str>),
    /// What else JSON has, as it is written: a number, `true`, a list, an object.
    Other(&'a str),
}

impl<'a> Cell<'a> {
    /// A value of JSON as it is written.
    fn of_json(raw: &'a str) -> Self {
        match raw.as_bytes().first() {
            Some(b'"') => Self::Text(string(raw)),
            Some(b'n') | None => Self::Missing,
            Some(_) => Self::Other(raw),
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::Missing => true,
            Self::Text(text) => text.is_empty(),
            Self::Other(_) => false,
        }
    }

    /// The value as text: a list or an object as JSON with a space behind each comma and colon.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Missing => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Other(raw) if raw.starts_with(['[', '{']) => Cow::Owned(spaced(raw)),
            Self::Other(raw) => Cow::Borrowed(raw),
        }
    }
}

/// The content of a JSON string.
fn string(raw: &str) -> Cow<'_, str> {
    let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let read = serde_json::from_str::<String>(raw);
    // Only half a surrogate pair is left to be wrong: the row was parsed.
    Cow::Owned(read.or_else(|_| serde_json::from_str(&mended(raw))).unwrap_or_else(|_| inside.to_owned()))
}

/// A list or an object with a space behind each comma and colon, and its text without needless escapes.
fn spaced(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let (one, after) = rest.split_at(string_length(rest));
            text.push_str(&serde_json::to_string(&string(one)).unwrap_or_default());
            rest = after;
            continue;
        }
        match first {
            ',' => text.push_str(", "),
            ':' => text.push_str(": "),
            first if first.is_ascii_whitespace() => {}
            first => text.push(first),
        }
        rest = &rest[first.len_utf8()..];
    }
    text
}

/// The bytes of the JSON string that a text starts with, or of all if it does not end.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// JSON that other programs write and the standard does not have: `NaN` and the infinities become `null`, which no
/// answer could hold anyway, and half a surrogate pair becomes U+FFFD.
pub(crate) fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let (one, after) = rest.split_at(string_length(rest));
            push_mended(one, &mut mended);
            rest = after;
            continue;
        }
        if let Some(name) = ["NaN", "Infinity", "-Infinity"].into_iter().find(|name| rest.starts_with(name)) {
            mended.push_str("null");
            rest = &rest[name.len()..];
            continue;
        }
        mended.push(first);
        rest = &rest[first.len_utf8()..];
    }
    mended
}

/// Adds a string of JSON whose surrogates are all in pairs.
fn push_mended(mut text: &str, mended: &mut String) {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    while let Some(at) = text.find('\\') {
        mended.push_str(&text[..at]);
        text = &text[at..];
        let length = match (unit(text), text.get(6..).and_then(unit)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                mended.push('\u{fffd}');
                text = &text[6..];
                continue;
            }
            _ => text.char_indices().nth(2).map_or(text.len(), |(end, _)| end),
        };
        mended.push_str(&text[..length]);
        text = &text[length..];
    }
    mended.push_str(text);
}

/// The cells of a row of CSV: all in one text, with the places where they end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) text: &'a str,
    pub(crate) ends: &'a [usize],
}

impl<'a> Cells<'a> {
    pub(crate) fn len(self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(self, place: usize) -> Option<&'a str> {
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        self.text.get(start..end)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).filter_map(move |place| self.get(place))
    }
}

/// The members of a JSON object, with the values as they are written.
#[derive(Debug)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// The value of a member; of several with one name the last, as in Python.
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Adds the columns of this object, those of objects inside it behind a dot.
    fn add_columns(&self, front: &str, depth: usize, columns: &mut Known) -> Result<(), Problem> {
        for (name, value) in self.members() {
            let name = if front.is_empty() { name.to_owned() } else { format!("{front}.{name}") };
            if value.starts_with('{')
                && depth < DEPTH_MAX
                && let Ok(inner) = Object::parse(value)
                && !inner.0.is_empty()
            {
                inner.add_columns(&name, depth + 1, columns)?;
            } else {
                columns.add(name)?;
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    let value: &'de RawValue = map.next_value()?;
                    members.push((name, value.get()));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The name of a member, borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    /// Of CSV.
    Cells(Cells<'a>),
    /// Of JSON.
    Object(&'a Object<'a>),
}

impl<'a> Row<'a> {
    pub(crate) fn cell(self, column: &Column) -> Cell<'a> {
        match self {
            Self::Cells(cells) => cells.get(column.place).map_or(Cell::Missing, |text| Cell::Text(Cow::Borrowed(text))),
            Self::Object(object) => {
                let value = object.get(&column.name);
                // A name may have a dot of its own.
                let value = if value.is_none() && column.name.contains('.') { column.inside(object) } else { value };
                value.map_or(Cell::Missing, Cell::of_json)
            }
        }
    }

    /// Whether any of its cells fits, those behind the last column included.
    pub(crate) fn any(self, mut fits: impl FnMut(&Cell<'a>) -> bool) -> bool {
        match self {
            Self::Cells(cells) => cells.iter().any(|text| fits(&Cell::Text(Cow::Borrowed(text)))),
            Self::Object(object) => object.members().any(|(_, value)| fits(&Cell::of_json(value))),
        }
    }

    /// Whether it has a cell for each column. Empty cells behind the last column do no harm.
    pub(crate) fn fits(self, columns: &Columns) -> bool {
        match self {
            Self::Cells(cells) => cells.len() >= columns.len() && cells.iter().skip(columns.len()).all(str::is_empty),
            Self::Object(_) => true,
        }
    }

    /// Whether it has just as many cells as there are columns.
    pub(crate) fn is_as_wide_as(self, columns: &Columns) -> bool {
        match self {
            Self::Cells(cells) => cells.len() == columns.len(),
            Self::Object(_) => true,
        }
    }
}

/// A row that is kept.
#[derive(Debug)]
pub(crate) enum Kept {
    Cells { text: String, ends: Vec<usize> },
    Json(String),
}

impl Kept {
    /// Looks at it. What was parsed once can be parsed again.
    pub(crate) fn with<T>(&self, look: impl FnOnce(Row<'_>) -> T) -> Option<T> {
        match self {
            Self::Cells { text, ends } => Some(look(Row::Cells(Cells { text, ends }))),
            Self::Json(text) => Object::parse(text).ok().map(|object| look(Row::Object(&object))),
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Cells { text, ends } => text.len() + ends.len(),
            Self::Json(text) => text.len(),
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    place: usize,
    name: String,
    /// As it is shown: the name as the file has it, unless several have it or it has none.
    pub(crate) label: String,
}

impl Column {
    /// What an object holds behind the parts of the name between dots.
    fn inside<'a>(&self, object: &Object<'a>) -> Option<&'a str> {
        let mut steps = self.name.split('.');
        let mut value = object.get(steps.next()?)?;
        for step in steps {
            value = Object::parse(value).ok()?.get(step)?;
        }
        Some(value)
    }
}

/// The columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Columns(Vec<Column>);

impl Columns {
    /// The columns that the first row of CSV names. One without a name is called by its place, and several with one name
    /// by their order: `amount#2`.
    pub(crate) fn of_header(header: Cells<'_>) -> Result<Self, Problem> {
        if header.len() > COLUMNS_MAX {
            return Err(Problem::TooManyColumns);
        }
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for name in &names {
            *counts.entry(name).or_default() += 1;
        }
        let (mut seen, mut labels) = (HashMap::<&str, usize>::new(), HashSet::<String>::new());
        let mut columns = Vec::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            let nth = seen.entry(name).or_default();
            *nth += 1;
            let mut label = match (name.is_empty(), counts[name]) {
                (true, _) => format!("column_{}", place + 1),
                (false, 1) => (*name).to_owned(),
                (false, _) => format!("{name}#{nth}"),
            };
            // What is made of a name may be the name of another column.
            while labels.contains(&label) || (label != **name && counts.contains_key(label.as_str())) {
                label = format!("{label}#{}", place + 1);
            }
            labels.insert(label.clone());
            columns.push(Column { place, name: (*name).to_owned(), label });
        }
        Ok(Self(columns))
    }

    /// The columns of these objects, in the order in which they first appear.
    pub(crate) fn of_objects(rows: &[Kept]) -> Result<Self, Problem> {
        let mut known = Known::default();
        for row in rows {
            row.with(|row| match row {
                Row::Object(object) => object.add_columns("", 1, &mut known),
                Row::Cells(_) => Ok(()),
            })
            .transpose()?;
        }
        let column = |(place, name): (usize, String)| Column { place, label: name.clone(), name };
        Ok(Self(known.names.into_iter().enumerate().map(column).collect()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Column> {
        self.0.iter()
    }

    pub(crate) fn labels(&self) -> Vec<String> {
        self.iter().map(|column| column.label.clone()).collect()
    }

    /// The column that a name means, in any case.
    pub(crate) fn find(&self, name: &str) -> Result<Column, Problem> {
        let lower = name.trim().to_lowercase();
        let exact = |column: &&Column| column.label == name;
        if let Some(column) = self.iter().find(exact) {
            return Ok(column.clone());
        }
        for same in [
            self.iter().filter(|column| column.name == name).collect::<Vec<_>>(),
            self.iter()
                .filter(|column| column.label.to_lowercase() == lower || column.name.to_lowercase() == lower)
                .collect(),
        ] {
            match same[..] {
                [] => {}
                [column] => return Ok(column.clone()),
                _ => {
                    let labels = same.iter().map(|column| column.label.clone()).collect();
                    return Err(Problem::SeveralColumns { name: name.to_owned(), labels });
                }
            }
        }
        Err(Problem::NoColumn { name: name.to_owned(), nearest: self.nearest(&lower), labels: self.labels() })
    }

    /// The column whose name is closest to a word, if one is close.
    fn nearest(&self, lower: &str) -> Option<String> {
        let letters: Vec<char> = lower.chars().collect();
        // Longer ones are no slips of the keyboard, and each costs the product of both lengths.
        if !(2..=40).contains(&letters.len()) {
            return None;
        }
        let most = (letters.len() / 3).max(1);
        self.iter()
            .take(1000)
            .filter_map(|column| {
                let label: Vec<char> = column.label.to_lowercase().chars().take(60).collect();
                let distance = distance(&letters, &label);
                (distance <= most).then_some((distance, &column.label))
            })
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, label)| label.clone())
    }
}

/// How many letters have to be changed, added or left out to make one word of another.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.iter().enumerate() {
        let mut before = row[0];
        row[0] = place + 1;
        for (column, known) in other.iter().enumerate() {
            let changed = before + usize::from(letter != known);
            before = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

/// Names in the order in which they first appear.
#[derive(Debug, Default)]
struct Known {
    names: Vec<String>,
    set: HashSet<String>,
}

impl Known {
    fn add(&mut self, name: String) -> Result<(), Problem> {
        if self.set.contains(&name) {
            return Ok(());
        }
        if self.names.len() == COLUMNS_MAX {
            return Err(Problem::TooManyColumns);
        }
        self.set.insert(name.clone());
        self.names.push(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Columns {
        let text = names.concat();
        let mut end = 0;
        let ends: Vec<usize> = names
            .iter()
            .map(|name| {
                end += name.len();
                end
            })
            .collect();
        Columns::of_header(Cells { text: &text, ends: &ends }).expect("few columns")
    }

    #[test]
    fn a_name_that_several_columns_have_means_none_of_them() {
        let columns = header(&["city", " City ", "city", "", "column_4", "id"]);
        assert_eq!(columns.labels(), ["city#1", "City", "city#2", "column_4#4", "column_4", "id"]);
        let found = |name: &str| columns.find(name).map(|column| column.place);
        assert_eq!((found("City"), found("city#2"), found("CITY#1"), found("ID")), (Ok(1), Ok(2), Ok(0), Ok(5)));
        let labels = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            found("city"),
            Err(Problem::SeveralColumns { name: "city".to_owned(), labels: labels(&["city#1", "city#2"]) })
        );
        assert_eq!(
            found("CITY"),
            Err(Problem::SeveralColumns { name: "CITY".to_owned(), labels: labels(&["city#1", "City", "city#2"]) })
        );
    }

    #[test]
    fn the_nearest_column_is_one_that_is_near() {
        let columns = header(&["id", "country", "amount", "note"]);
        for (name, nearest) in [
            ("contry", Some("country")),
            ("county", Some("country")),
            ("amuont", Some("amount")),
            ("price", None),
            ("x", None),
        ] {
            let Err(Problem::NoColumn { nearest: found, .. }) = columns.find(name) else { panic!("{name} is there") };
            assert_eq!(found.as_deref(), nearest, "{name}");
        }
    }

    #[test]
    fn json_is_read_where_other_programs_bend_it() {
        let text = r#"{"a": NaN, "b": [-Infinity, "NaN"], "c": "\ud83d\ude00 \ud83d \n", "NaN": 1}"#;
        assert!(Object::parse(text).is_err());
        let mended = mended(text);
        assert_eq!(mended, "{\"a\": null, \"b\": [null, \"NaN\"], \"c\": \"\\ud83d\\ude00 \u{fffd} \\n\", \"NaN\": 1}");
        let object = Object::parse(&mended).expect("it is JSON now");
        let cell = |name: &str| object.get(name).map(Cell::of_json);
        assert_eq!(cell("a"), Some(Cell::Missing));
        assert_eq!(cell("c").expect("there").text(), "😀 \u{fffd} \n");
        assert_eq!(cell("b").expect("there").text(), "[null, \"NaN\"]");
    }

    #[test]
    fn lists_and_objects_are_shown_with_spaces_and_without_escapes() {
        let text = Cell::Other(r#"{"a":[1,2.50, "x,\u00e4:\"\/"],"b":{ }}"#);
        assert_eq!(text.text(), r#"{"a": [1, 2.50, "x,ä:\"/"], "b": {}}"#);
    }
}
