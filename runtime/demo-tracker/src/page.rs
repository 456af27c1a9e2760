//! Query strings and pages: what Sentry puts behind the `?` and into the `Link` header.

use url::form_urlencoded;

/// The most that one page can hold, and what a list other than the issues gives when nothing is asked.
const PAGE_MAX: usize = 100;

/// A parsed query string. A key may occur more than once.
#[derive(Debug)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        Query { pairs: form_urlencoded::parse(text.as_bytes()).into_owned().collect() }
    }

    /// The value of a key that should occur once. When it occurs more often the last one counts, as in the original.
    pub(crate) fn last(&self, key: &str) -> Option<&str> {
        self.all(key).last()
    }

    /// All values of a key that may be repeated.
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &str> {
        self.pairs.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// A page that cannot be read, in Sentry's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PageError {
    #[error("Invalid cursor parameter.")]
    Cursor,
    #[error("invalid limit")]
    Limit,
    #[error("Invalid per_page parameter.")]
    PerPage,
    #[error("Invalid per_page value. Must be between 1 and 100.")]
    PerPageRange,
}

impl Page {
    /// Reads `limit` and `cursor`, which the issue lists take.
    pub(crate) fn by_limit(query: &Query) -> Result<Page, PageError> {
        let limit = match query.last("limit").filter(|text| !text.is_empty()) {
            None => 25,
            Some(text) => match text.parse::<u64>() {
                Ok(wanted @ 1..) => usize::try_from(wanted).unwrap_or(PAGE_MAX).min(PAGE_MAX),
                _ => return Err(PageError::Limit),
            },
        };
        Ok(Page { offset: offset(query)?, limit })
    }

    /// Reads `per_page` and `cursor`, which the other lists take.
    pub(crate) fn by_per_page(query: &Query) -> Result<Page, PageError> {
        let limit = match query.last("per_page").filter(|text| !text.is_empty()) {
            None => PAGE_MAX,
            Some(text) => {
                let wanted = text.parse::<i64>().map_err(|_| PageError::PerPage)?;
                let wanted = usize::try_from(wanted).map_err(|_| PageError::PerPageRange)?;
                if wanted == 0 || wanted > PAGE_MAX {
                    return Err(PageError::PerPageRange);
                }
                wanted
            }
        };
        Ok(Page { offset: offset(query)?, limit })
    }

    /// This page's part of a whole list.
    pub(crate) fn cut<'items, T>(&self, items: &'items [T]) -> &'items [T] {
        let rest = items.get(self.offset..).unwrap_or(&[]);
        &rest[..rest.len().min(self.limit)]
    }

    /// The `Link` header for a list of `total` items at `url`, a URL without its query.
    pub(crate) fn links(&self, url: &str, query: &Query, total: usize) -> String {
        let mut kept = form_urlencoded::Serializer::new(String::new());
        for (key, value) in query.pairs.iter().filter(|(key, _)| key != "cursor") {
            kept.append_pair(key, value);
        }
        let kept = kept.finish();
        // The `&` after an empty query looks odd but is what the original sends.
        let link = |name: &str, offset: usize, previous: u8, results: bool| {
            format!(
                "<{url}?{kept}&cursor=0:{offset}:{previous}>; rel=\"{name}\"; results=\"{results}\"; \
                 cursor=\"0:{offset}:{previous}\""
            )
        };
        let next = self.offset.saturating_add(self.limit);
        format!(
            "{}, {}",
            link("previous", self.offset.saturating_sub(self.limit), 1, self.offset > 0),
            link("next", next, 0, next < total),
        )
    }
}

/// The offset in a cursor like `0:25:0`. Its first and last number matter to other lists of the original only.
fn offset(query: &Query) -> Result<usize, PageError> {
    let Some(cursor) = query.last("cursor").filter(|text| !text.is_empty()) else {
        return Ok(0);
    };
    let parts: Vec<&str> = cursor.split(':').collect();
    let &[value, offset, previous] = parts.as_slice() else {
        return Err(PageError::Cursor);
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| PageError::Cursor);
    number(value)?;
    number(previous)?;
    usize::try_from(number(offset)?).map_err(|_| PageError::Cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: Result<(usize, usize), PageError>) {
        let found = Page::by_limit(&Query::parse(query)).map(|page| (page.offset, page.limit));
        assert_eq!(found, expected, "{query}");
    }

    #[test]
    fn limit_and_cursor_are_read_or_refused() {
        check("", Ok((0, 25)));
        check("limit=", Ok((0, 25)));
        check("limit=1", Ok((0, 1)));
        check("limit=100", Ok((0, 100)));
        check("limit=101", Ok((0, 100)));
        check("limit=0", Err(PageError::Limit));
        check("limit=-1", Err(PageError::Limit));
        check("limit=many", Err(PageError::Limit));
        check("limit=5&limit=7&cursor=0:14:0", Ok((14, 7)));
        check("cursor=0:25:1", Ok((25, 25)));
        check("cursor=0:25", Err(PageError::Cursor));
        check("cursor=0:-25:0", Err(PageError::Cursor));
        check("cursor=0:25:0:0", Err(PageError::Cursor));
        check("cursor=abc", Err(PageError::Cursor));
        check("cursor=0:99999999999999999999:0", Err(PageError::Cursor));
    }

    #[test]
    fn per_page_is_bounded_on_both_sides() {
        let limit = |query: &str| Page::by_per_page(&Query::parse(query)).map(|page| page.limit);
        assert_eq!(limit(""), Ok(100));
        assert_eq!(limit("per_page=1"), Ok(1));
        assert_eq!(limit("per_page=100"), Ok(100));
        assert_eq!(limit("per_page=0"), Err(PageError::PerPageRange));
        assert_eq!(limit("per_page=101"), Err(PageError::PerPageRange));
        assert_eq!(limit("per_page=-5"), Err(PageError::PerPageRange));
        assert_eq!(limit("per_page=x"), Err(PageError::PerPage));
    }

    #[test]
    fn links_have_the_form_of_the_original() {
        let query = Query::parse("query=is%3Aunresolved+level%3Aerror&cursor=0:25:0");
        let page = Page { offset: 25, limit: 25 };
        assert_eq!(
            page.links("http://h/issues/", &query, 51),
            "<http://h/issues/?query=is%3Aunresolved+level%3Aerror&cursor=0:0:1>; rel=\"previous\"; \
             results=\"true\"; cursor=\"0:0:1\", \
             <http://h/issues/?query=is%3Aunresolved+level%3Aerror&cursor=0:50:0>; rel=\"next\"; \
             results=\"true\"; cursor=\"0:50:0\""
        );
        let first = Page { offset: 0, limit: 25 };
        assert_eq!(
            first.links("http://h/issues/", &Query::parse(""), 25),
            "<http://h/issues/?&cursor=0:0:1>; rel=\"previous\"; results=\"false\"; cursor=\"0:0:1\", \
             <http://h/issues/?&cursor=0:25:0>; rel=\"next\"; results=\"false\"; cursor=\"0:25:0\""
        );
    }

    #[test]
    fn pages_tile_the_list() {
        let items: Vec<usize> = (0..7).collect();
        assert_eq!(Page { offset: 0, limit: 3 }.cut(&items), [0, 1, 2]);
        assert_eq!(Page { offset: 6, limit: 3 }.cut(&items), [6]);
        assert_eq!(Page { offset: 7, limit: 3 }.cut(&items), [0_usize; 0]);
        assert_eq!(Page { offset: 900, limit: 3 }.cut(&items), [0_usize; 0]);
    }
}
