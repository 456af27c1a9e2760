//! The query of a page, and the body of a form.

use url::form_urlencoded::{Serializer, parse};

/// Names and values, in their order.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(text: Option<&str>) -> Self {
        Self::of_form(text.unwrap_or_default().as_bytes())
    }

    pub(crate) fn of_form(bytes: &[u8]) -> Self {
        Self(parse(bytes).map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The first value of a name; empty without one.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    /// Whether a script asks for the part of a page that changes.
    pub(crate) fn is_part(&self) -> bool {
        self.get("part") == "1"
    }

    /// The same with one value changed.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let others = self.0.iter().filter(|(given, _)| given != name && given != "part").cloned();
        Self(others.chain([(name.to_owned(), value.to_owned())]).collect())
    }

    /// A path with this query.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{path}?{}", Serializer::new(String::new()).extend_pairs(&self.0).finish())
    }
}

/// A text as a value in a query.
pub(crate) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_and_written() {
        let query = Query::of(Some("state=ready&label=a%3Db+c&part=1"));
        assert_eq!(
            (query.get("state"), query.get("label"), query.get("none"), query.is_part()),
            ("ready", "a=b c", "", true)
        );
        assert_eq!(query.with("state", "dead").path("/"), "/?label=a%3Db+c&state=dead");
        assert_eq!(encoded("a&b \"c\""), "a%26b+%22c%22");
    }
}
