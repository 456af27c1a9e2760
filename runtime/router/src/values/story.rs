//! What somebody says by the way before asking: a value that the request itself says otherwise is a part of the story, and no value.

use serde_json::Value;

use super::{Found, KNOWN_NAME, NameMention, Pull, ValueRead};

impl Pull<'_> {
    /// Leaves out known texts of a story that the request takes back: "we drop the free plan, so how many users are on each plan"
    /// groups by the column of the story, and "they say we sell furniture: which products have chair in their name" compares by itself.
    pub(super) fn without_story(&self, values: &mut Vec<Found>, request: usize) {
        let clauses = self.sentence.clauses;
        let clause_of = |found: &Found| clauses[found.span.start.min(clauses.len().saturating_sub(1))];
        let is_told = |found: &Found| {
            let words = &self.sentence.words[found.span.clone()];
            let is_known = found.reads.iter().all(|(_, read)| read.pattern == KNOWN_NAME);
            let is_text =
                found.reads.iter().any(|(reader, _)| self.readers.specs[self.readers.first_of(*reader)].is_text());
            clause_of(found) < request && is_known && is_text && !words.iter().any(|word| word.quoted)
        };
        let is_second = |found: &Found| found.reads.iter().any(|(reader, _)| self.readers.first_of(*reader) != *reader);
        let asked: Vec<Value> = values
            .iter()
            .filter(|found| !found.span.is_empty() && clause_of(found) >= request)
            .flat_map(|found| found.reads.iter().map(|(_, read)| read.value.clone()))
            .collect();
        let is_asked = |column: &Value| {
            asked.iter().any(|value| value == column || value.as_array().is_some_and(|items| items.contains(column)))
        };
        // The column that holds a known text has no words of its own.
        let is_taken_back = |found: &Found| {
            let mut columns = found.reads.iter().filter(|(_, read)| read.text.is_empty());
            columns.any(|(_, read)| is_asked(&read.value))
        };
        // A clause that holds another value, but for a time, or another name is a part of the request.
        let is_other = |clause: usize, mention: &NameMention| {
            let told = values.iter().filter(|found| is_told(found) && clause_of(found) == clause);
            let says = |found: &Found| {
                let is_it = |(_, read): &(usize, ValueRead)| read.value == *mention.name.text;
                found.span.contains(&mention.span.start) || found.reads.iter().any(is_it)
            };
            clauses[mention.span.start] == clause && !told.into_iter().any(says)
        };
        let is_request = |clause: usize| {
            let inside = values.iter().filter(|found| !found.span.is_empty() && clause_of(found) == clause);
            let has_value = inside.into_iter().any(|found| !is_told(found) && !self.readers.is_window(found));
            has_value || self.names.iter().flatten().flatten().any(|mention| is_other(clause, mention))
        };
        let told: Vec<bool> = values
            .iter()
            .map(|found| is_told(found) && !is_request(clause_of(found)) && (is_second(found) || is_taken_back(found)))
            .collect();
        let mut told = told.into_iter();
        values.retain(|_| !told.next().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use intentbox_catalog::Catalog;
    use intentbox_catalog::param::ValuesFrom;
    use serde_json::{Value, json};

    use crate::card::{Card, CardId};
    use crate::names::{Name, NameList, Names, Source};
    use crate::oracle::now;
    use crate::{Question, Router};

    /// What is read of a sentence about a file with the columns `plan` and `device`.
    fn read(text: &str) -> Value {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        let router = Router::new([Card::of(catalog.get("data/summarize").expect("it is part of the data pack"))]);
        let mut names = Names::default();
        let mut insert = |values: ValuesFrom, list: NameList| {
            names.insert(Source { pack: "data".to_owned(), values }, Arc::new(list));
        };
        let columns = |field: &str| ValuesFrom::Template { name: "columns".to_owned(), field: field.to_owned() };
        let name = |text: &str, field: &str, value: &str| Name {
            text: text.to_owned(),
            fields: BTreeMap::from([(field.to_owned(), value.to_owned())]),
        };
        insert(ValuesFrom::Files, NameList::of_files(["users.csv".to_owned()]));
        let of_columns = ["plan", "device"].map(|column| name(column, "role", "label"));
        insert(columns("column"), NameList::of_names(of_columns));
        let of_values = [("free", "plan"), ("tablet", "device"), ("phone", "device")];
        insert(columns("value"), NameList::of_names(of_values.map(|(value, of)| name(value, "of", of))));
        let id = CardId::new("data/summarize");
        let values = router.read(&Question { text, names: &names, now: now() }, &id).expect("it is there");
        values.into_iter().filter(|(name, _)| name != "file").collect::<serde_json::Map<_, _>>().into()
    }

    #[test]
    fn the_request_takes_back_what_a_story_says_before_it() {
        let by_plan = json!({"by": ["plan"], "count": "rows"});
        for (text, expected) in [
            ("we are dropping the free plan, so how many users are on each plan", by_plan.clone()),
            ("how many users are on each plan", by_plan),
            // It is all that compares, and may be meant.
            (
                "the tablet app is slow, so how many users are on each plan",
                json!({"by": ["plan"], "count": "rows", "column": "device", "equals": "tablet"}),
            ),
            (
                "the tablet app is slow, how many users are there with plan free",
                json!({"count": "rows", "column": "plan", "equals": "free"}),
            ),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
