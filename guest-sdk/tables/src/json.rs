//! Parses objects: JSON Lines, an array of any length, or an object around such an array.

use memchr::{memchr, memchr2};
use serde_json::value::RawValue;

use crate::answer::short;
use crate::problem::Problem;
use crate::query::Format;
use crate::row::{Object, mended};
use crate::{ROW_BYTES_MAX, count};

/// What takes an object: its text, and what it holds.
pub(crate) trait Objects {
    fn object(&mut self, text: &str, object: &Object<'_>) -> Result<(), Problem>;
}

/// A reader of JSON in pieces.
#[derive(Debug)]
pub(crate) struct Json {
    state: State,
    /// Text that is not read yet: the start of a line, or of the file.
    held: String,
    /// How far it was looked through.
    looked: usize,
    /// Lines that were read, blank ones included.
    lines: u64,
    rows: u64,
}

#[derive(Debug)]
enum State {
    /// Before it is known whether these are lines, an array or an object.
    Start,
    /// An object on each line.
    Lines,
    /// The elements of an array.
    Array(Elements),
    /// Behind the array.
    ArrayEnded,
    /// One object that may fit into memory.
    Object,
    /// One that does not, but may be an array with something around it.
    Wrapped(Box<Wrapped>),
}

impl Json {
    pub(crate) fn new(format: Format) -> Self {
        let state = if format == Format::JsonLines { State::Lines } else { State::Start };
        Self { state, held: String::new(), looked: 0, lines: 0, rows: 0 }
    }

    /// Reads the next text.
    pub(crate) fn feed(&mut self, text: &str, into: &mut impl Objects) -> Result<(), Problem> {
        match &mut self.state {
            State::Lines => self.feed_lines(text, into),
            State::Array(elements) => {
                let rest = elements.feed(text, &mut self.rows, into)?;
                if let Some(rest) = rest {
                    self.state = State::ArrayEnded;
                    return self.feed(rest, into);
                }
                Ok(())
            }
            State::ArrayEnded if text.trim().is_empty() => Ok(()),
            State::ArrayEnded => {
                Err(Problem::ArrayNotJson { rows: self.rows, reason: "something follows the array".to_owned() })
            }
            State::Wrapped(wrapped) => wrapped.feed(text, &mut self.rows, into),
            State::Start => {
                let text = if self.held.is_empty() { self.without_space(text) } else { text };
                self.held.push_str(text);
                self.begin(into)
            }
            State::Object => {
                self.held.push_str(text);
                self.bound(into)
            }
        }
    }

    /// Reads what is left.
    pub(crate) fn end(&mut self, into: &mut impl Objects) -> Result<(), Problem> {
        match &self.state {
            State::Lines => {
                let line = std::mem::take(&mut self.held);
                self.line(&line, into)
            }
            State::Array(_) => {
                Err(Problem::ArrayNotJson { rows: self.rows, reason: "the array has no end".to_owned() })
            }
            State::ArrayEnded => Ok(()),
            State::Wrapped(wrapped) if wrapped.is_complete() && wrapped.lists == 1 => Ok(()),
            State::Wrapped(wrapped) if wrapped.is_complete() => Err(Problem::ObjectTooLong),
            State::Wrapped(_) => {
                Err(Problem::ArrayNotJson { rows: self.rows, reason: "the object has no end".to_owned() })
            }
            State::Start | State::Object => {
                let text = std::mem::take(&mut self.held);
                self.value(text.trim(), into)
            }
        }
    }

    /// Text without the blank start of the file, whose lines count.
    fn without_space<'a>(&mut self, text: &'a str) -> &'a str {
        let rest = text.trim_start();
        self.lines += count(memchr::memchr_iter(b'\n', &text.as_bytes()[..text.len() - rest.len()]).count());
        rest
    }

    /// Finds out what the file is.
    fn begin(&mut self, into: &mut impl Objects) -> Result<(), Problem> {
        if self.held.starts_with('[') {
            let text = std::mem::take(&mut self.held);
            self.state = State::Array(Elements::default());
            return self.feed(&text[1..], into);
        }
        let Some(end) = memchr(b'\n', &self.held.as_bytes()[self.looked..]).map(|end| self.looked + end) else {
            self.looked = self.held.len();
            return self.bound(into);
        };
        self.looked = end;
        let (line, below) = self.held.split_at(end);
        if !is_object(line) {
            self.state = State::Object;
            return self.bound(into);
        }
        if below.trim().is_empty() {
            // Lines, if anything follows.
            return self.bound(into);
        }
        let text = std::mem::take(&mut self.held);
        self.looked = 0;
        self.state = State::Lines;
        self.feed(&text, into)
    }

    /// Reads what is held as an object around a list, once it is too long to be parsed at once.
    fn bound(&mut self, into: &mut impl Objects) -> Result<(), Problem> {
        if self.held.len() <= ROW_BYTES_MAX {
            return Ok(());
        }
        let text = std::mem::take(&mut self.held);
        if !text.starts_with('{') {
            return Err(Problem::NotJson { reason: "expected a list of objects, or an object".to_owned() });
        }
        self.state = State::Wrapped(Box::default());
        self.feed(&text, into)
    }

    fn feed_lines(&mut self, mut text: &str, into: &mut impl Objects) -> Result<(), Problem> {
        while let Some(end) = memchr(b'\n', text.as_bytes()) {
            let (line, rest) = (&text[..end], &text[end + 1..]);
            text = rest;
            if self.held.is_empty() {
                self.line(line, into)?;
            } else {
                self.hold(line)?;
                let line = std::mem::take(&mut self.held);
                self.line(&line, into)?;
                self.held = line;
                self.held.clear();
            }
        }
        self.hold(text)
    }

    fn hold(&mut self, text: &str) -> Result<(), Problem> {
        if self.held.len() + text.len() > ROW_BYTES_MAX {
            return Err(Problem::RowTooLong);
        }
        self.held.push_str(text);
        Ok(())
    }

    fn line(&mut self, line: &str, into: &mut impl Objects) -> Result<(), Problem> {
        self.lines += 1;
        let line = line.trim();
        if line.is_empty() {
            return Ok(());
        }
        let number = self.lines;
        element(line, into, |reason| Problem::LineNotJson { line: number, reason })?;
        self.rows += 1;
        Ok(())
    }

    /// A file that is one value: the rows of its only list of objects, or the object itself.
    fn value(&mut self, text: &str, into: &mut impl Objects) -> Result<(), Problem> {
        if text.is_empty() {
            return Ok(());
        }
        let not_json = |reason| Problem::NotJson { reason };
        let fixed;
        let text = if Object::parse(text).is_ok() {
            text
        } else {
            fixed = mended(text);
            fixed.as_str()
        };
        // What is no object says what it is instead.
        let Ok(object) = Object::parse(text) else { return element(text, into, not_json) };
        let is_list = |value: &&str| value.strip_prefix('[').is_some_and(|inside| inside.trim_start().starts_with('{'));
        let mut lists = object.members().map(|(_, value)| value).filter(is_list);
        match (lists.next(), lists.next()) {
            (Some(list), None) => {
                Elements::default().feed(&list[1..], &mut self.rows, into)?;
                Ok(())
            }
            _ => into.object(text, &object),
        }
    }
}

/// Whether a line is an object for itself.
fn is_object(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('{') && (Object::parse(line).is_ok() || Object::parse(&mended(line)).is_ok())
}

/// Passes an object on.
fn element(text: &str, into: &mut impl Objects, not_json: impl FnOnce(String) -> Problem) -> Result<(), Problem> {
    let error = match Object::parse(text) {
        Ok(object) => return into.object(text, &object),
        Err(error) => error,
    };
    let fixed = mended(text);
    if let Ok(object) = Object::parse(&fixed) {
        return into.object(&fixed, &object);
    }
    if !text.starts_with('{') && serde_json::from_str::<&RawValue>(&fixed).is_ok() {
        return Err(Problem::NotObject { found: short(text, 40) });
    }
    Err(not_json(error.to_string()))
}

/// The inside of an array in pieces, cut at the commas between its elements.
#[derive(Debug, Default)]
struct Elements {
    /// The start of an element that is not whole yet.
    held: String,
    nesting: Nesting,
}

/// Where in nested JSON a text stops.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// The next byte from `at` on that is a mark outside of strings, and where it is. The depth is that behind it.
    fn next(&mut self, bytes: &[u8], mut at: usize) -> Option<(u8, usize)> {
        while at < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let found = at + memchr2(b'"', b'\\', &bytes[at..])?;
                self.escaped = bytes[found] == b'\\';
                self.in_string = self.escaped;
                at = found + 1;
                continue;
            }
            let byte = bytes[at];
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    return Some((byte, at));
                }
                b']' | b'}' => {
                    self.depth = self.depth.wrapping_sub(1);
                    return Some((byte, at));
                }
                b',' | b':' => return Some((byte, at)),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

impl Elements {
    /// Reads the next text, and gives what follows the end of the array, once it is there.
    fn feed<'a>(&mut self, text: &'a str, rows: &mut u64, into: &mut impl Objects) -> Result<Option<&'a str>, Problem> {
        let (mut start, mut at) = (0, 0);
        while let Some((mark, place)) = self.nesting.next(text.as_bytes(), at) {
            at = place + 1;
            // The bracket of the array is not counted on its way in.
            let is_end = self.nesting.depth == usize::MAX;
            if is_end || (mark == b',' && self.nesting.depth == 0) {
                if is_end && mark == b'}' {
                    return Err(Problem::ArrayNotJson { rows: *rows, reason: "expected ]".to_owned() });
                }
                self.pass(&text[start..place], is_end, rows, into)?;
                start = at;
                if is_end {
                    return Ok(Some(&text[at..]));
                }
            }
        }
        if self.held.len() + text.len() - start > ROW_BYTES_MAX {
            return Err(Problem::RowTooLong);
        }
        self.held.push_str(&text[start..]);
        Ok(None)
    }

    fn pass(&mut self, end: &str, is_last: bool, rows: &mut u64, into: &mut impl Objects) -> Result<(), Problem> {
        let number = *rows;
        let not_json = |reason| Problem::ArrayNotJson { rows: number, reason };
        if self.held.len() + end.len() > ROW_BYTES_MAX {
            return Err(Problem::RowTooLong);
        }
        let held = std::mem::take(&mut self.held);
        let together;
        let text = if held.is_empty() {
            end
        } else {
            together = held + end;
            &together
        };
        let text = text.trim();
        if text.is_empty() {
            // An array without elements has one that is blank.
            return if is_last && number == 0 { Ok(()) } else { Err(not_json("expected a value".to_owned())) };
        }
        element(text, into, not_json)?;
        *rows += 1;
        Ok(())
    }
}

/// A large object, of which only its list of objects is read.
#[derive(Debug, Default)]
struct Wrapped {
    nesting: Nesting,
    /// Whether the value of a member begins here.
    expects_value: bool,
    /// Whether a list begins here, which is one of objects if an object comes next.
    expects_object: bool,
    /// The list that is being read.
    elements: Option<Elements>,
    /// Lists of objects so far.
    lists: usize,
    is_ended: bool,
}

impl Wrapped {
    fn is_complete(&self) -> bool {
        self.is_ended
    }

    fn feed(&mut self, text: &str, rows: &mut u64, into: &mut impl Objects) -> Result<(), Problem> {
        let mut rest = text;
        loop {
            if let Some(elements) = &mut self.elements {
                let Some(after) = elements.feed(rest, rows, into)? else { return Ok(()) };
                self.elements = None;
                self.nesting.depth = 1;
                rest = after;
            }
            let Some(after) = self.skip(rest, *rows)? else { return Ok(()) };
            rest = after;
        }
    }

    /// Goes on to the next list of objects, and gives its inside.
    fn skip<'a>(&mut self, text: &'a str, rows: u64) -> Result<Option<&'a str>, Problem> {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            if self.is_ended {
                let reason = "something follows the object".to_owned();
                return if text[at..].trim().is_empty() {
                    Ok(None)
                } else {
                    Err(Problem::ArrayNotJson { rows, reason })
                };
            }
            if self.expects_value || self.expects_object {
                let Some(skipped) = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace()) else {
                    return Ok(None);
                };
                at += skipped;
                if self.expects_object {
                    self.expects_object = false;
                    if bytes[at] == b'{' {
                        self.lists += 1;
                        if self.lists > 1 {
                            return Err(Problem::SeveralLists);
                        }
                        self.elements = Some(Elements::default());
                        return Ok(Some(&text[at..]));
                    }
                } else {
                    self.expects_value = false;
                    self.expects_object = bytes[at] == b'[';
                }
            }
            let Some((mark, place)) = self.nesting.next(bytes, at) else { return Ok(None) };
            at = place + 1;
            self.expects_value = mark == b':' && self.nesting.depth == 1;
            self.is_ended = matches!(mark, b']' | b'}') && self.nesting.depth == 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Texts(Vec<String>);

    impl Objects for Texts {
        fn object(&mut self, text: &str, _: &Object<'_>) -> Result<(), Problem> {
            self.0.push(text.to_owned());
            Ok(())
        }
    }

    fn pieces(format: Format, text: &str, size: usize) -> Result<Vec<String>, Problem> {
        let (mut json, mut texts) = (Json::new(format), Texts(Vec::new()));
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(size) {
            json.feed(&piece.iter().collect::<String>(), &mut texts)?;
        }
        json.end(&mut texts)?;
        Ok(texts.0)
    }

    fn read(format: Format, text: &str) -> Result<String, Problem> {
        let whole = pieces(format, text, usize::MAX);
        for size in [1, 2, 5] {
            assert_eq!(pieces(format, text, size), whole, "{text}, in pieces of {size}");
        }
        Ok(whole?.join(" / "))
    }

    #[test]
    fn rows_are_found_in_whatever_is_around_them() {
        for (text, rows) in [
            ("", ""),
            (" \n ", ""),
            ("[]", ""),
            (" [ ] \n", ""),
            ("[{\"a\": 1}, {\"a\": \"},{\"}]", "{\"a\": 1} / {\"a\": \"},{\"}"),
            ("[\n {\"a\": [1, {\"b\": \"\\\"]\"}]}\n,\n{}\n]\n", "{\"a\": [1, {\"b\": \"\\\"]\"}]} / {}"),
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{\"a\": 1}\n", "{\"a\": 1}"),
            ("\n{\"a\": 1}\n\n{\"a\": 2}", "{\"a\": 1} / {\"a\": 2}"),
            ("{\n\"a\": 1\n}", "{\n\"a\": 1\n}"),
            ("{\"next\": null, \"items\": [{\"a\": 1}, {\"a\": 2}]}", "{\"a\": 1} / {\"a\": 2}"),
            ("{\"n\": [1], \"items\": [ {\"a\": 1}]}", "{\"a\": 1}"),
            ("{\"x\": [{\"a\": 1}], \"y\": [{\"b\": 1}]}", "{\"x\": [{\"a\": 1}], \"y\": [{\"b\": 1}]}"),
            ("[{\"a\": NaN}]", "{\"a\": null}"),
        ] {
            assert_eq!(read(Format::Json, text).as_deref(), Ok(rows), "{text:?}");
        }
        assert_eq!(
            read(Format::JsonLines, "\r\n{\"a\": 1}\r\n \n{\"b\": \"ä\"}").as_deref(),
            Ok("{\"a\": 1} / {\"b\": \"ä\"}")
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let reason = |format, text: &str| read(format, text).expect_err(text).to_string();
        for (text, expected) in [
            ("[{\"a\": 1},]", "this is no JSON behind the first 1 rows (expected a value)"),
            ("[{\"a\": 1}, 5]", "a row has to be an object, and one is 5"),
            ("[{\"a\": 1}", "this is no JSON behind the first 0 rows (the array has no end)"),
            ("[{\"a\": 1}] x", "this is no JSON behind the first 1 rows (something follows the array)"),
            ("[{\"a\": 1}}", "this is no JSON behind the first 0 rows (expected ])"),
            ("[null]", "a row has to be an object, and one is null"),
            ("5", "a row has to be an object, and one is 5"),
            ("{\"a\": [{\"b\": 1}, 2]}", "a row has to be an object, and one is 2"),
        ] {
            assert_eq!(reason(Format::Json, text), expected, "{text}");
        }
        assert!(reason(Format::Json, "{\"a\": }").starts_with("this is no JSON (expected value"));
        assert!(reason(Format::JsonLines, "{\"a\": 1}\n\n{\"a\": \n").starts_with("line 3 is no JSON ("));
        assert_eq!(reason(Format::JsonLines, "{}\n[1]"), "a row has to be an object, and one is [1]");
    }

    #[test]
    fn a_list_inside_an_object_may_be_of_any_size() {
        let row = format!("{{\"a\": \"{}\"}}", "x".repeat(100_000));
        let rows = |count: usize| vec![row.as_str(); count].join(", ");
        let large =
            format!("{{\"meta\": {{\"n\": [1, {{}}]}}, \"e\": [], \"data\": [{}], \"last\": [2]}}\n", rows(100));
        for size in [1 << 16, usize::MAX] {
            assert_eq!(pieces(Format::Json, &large, size).map(|rows| rows.len()), Ok(100));
        }
        let two = format!("{{\"data\": [{}], \"more\": [{{}}]}}", rows(100));
        assert_eq!(pieces(Format::Json, &two, 1 << 16), Err(Problem::SeveralLists));
        let none = format!("{{\"data\": \"{}\"}}", "x".repeat(ROW_BYTES_MAX));
        assert_eq!(pieces(Format::Json, &none, 1 << 16), Err(Problem::ObjectTooLong));
        let cut = format!("{{\"data\": [{}]", rows(100));
        let Err(Problem::ArrayNotJson { rows, .. }) = pieces(Format::Json, &cut, 1 << 16) else {
            panic!("it has no end")
        };
        assert_eq!(rows, 100);
        let long = format!("[{{\"a\": \"{}\"}}]", "x".repeat(ROW_BYTES_MAX));
        assert_eq!(pieces(Format::Json, &long, 1 << 16), Err(Problem::RowTooLong));
        let line = format!("{{\"a\": \"{}\"}}", "x".repeat(ROW_BYTES_MAX));
        assert_eq!(pieces(Format::JsonLines, &line, 1 << 16), Err(Problem::RowTooLong));
    }
}
