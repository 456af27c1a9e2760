//! A reader for the literals this crate writes: for its oracle and its tests, and for nothing else.
//!
//! It knows Python's literal grammar and not the writer's habits, so that it does not share the writer's mistakes:
//! it accepts any escape Python has in a single-quoted string, and stops at whatever would end that string.

use serde_json::{Map, Number, Value};

/// Reads `text` as exactly one literal, or returns nothing.
pub(crate) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    let value = reader.value()?;
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Value> {
        for (word, value) in [("None", Value::Null), ("True", Value::Bool(true)), ("False", Value::Bool(false))] {
            if self.skip(word) {
                return Some(value);
            }
        }
        match self.rest.chars().next()? {
            '\'' => self.string().map(Value::String),
            '[' => self.list(),
            '{' => self.dict(),
            _ => self.number(),
        }
    }

    fn list(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        self.demand("[")?;
        while !self.skip("]") {
            if !items.is_empty() {
                self.demand(", ")?;
            }
            items.push(self.value()?);
        }
        Some(Value::Array(items))
    }

    fn dict(&mut self) -> Option<Value> {
        let mut fields = Map::new();
        self.demand("{")?;
        while !self.skip("}") {
            if !fields.is_empty() {
                self.demand(", ")?;
            }
            let name = self.string()?;
            self.demand(": ")?;
            let value = self.value()?;
            fields.insert(name, value);
        }
        Some(Value::Object(fields))
    }

    fn number(&mut self) -> Option<Value> {
        let length =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        if text.contains(['.', 'e']) {
            return text.parse().ok().and_then(Number::from_f64).map(Value::Number);
        }
        text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
    }

    fn string(&mut self) -> Option<String> {
        let mut string = String::new();
        self.demand("'")?;
        loop {
            match self.next()? {
                '\'' => return Some(string),
                '\n' | '\r' => return None,
                '\\' => match self.next()? {
                    'n' => string.push('\n'),
                    'r' => string.push('\r'),
                    't' => string.push('\t'),
                    'x' => string.push(self.code(2)?),
                    'u' => string.push(self.code(4)?),
                    'U' => string.push(self.code(8)?),
                    same @ ('\\' | '\'' | '"') => string.push(same),
                    _ => return None,
                },
                character => string.push(character),
            }
        }
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let (code, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next()?;
        self.rest = characters.as_str();
        Some(character)
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn demand(&mut self, prefix: &str) -> Option<()> {
        self.skip(prefix).then_some(())
    }
}
