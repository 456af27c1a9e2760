//! Lists that come in pages, and of which a run read only the first ones.
//!
//! Nothing in a first page says that it is not all. The reply does: a link to the next page (RFC 8288, `rel="next"`). A script
//! that did not follow it may have meant to, so the report says so.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use intentbox_capability::shown_url;
use intentbox_report::Unread;
use url::form_urlencoded;

/// Parameters of a query that choose the page and not the list, as APIs call them.
const PAGING: [&str; 8] = ["cursor", "limit", "offset", "page", "page_size", "page_token", "per_page", "start"];

/// How many lists are kept in mind.
const LISTS_MAX: usize = 64;

/// The lists that a run has begun to read.
#[derive(Debug, Default)]
pub(crate) struct Pages(Mutex<BTreeMap<String, Unread>>);

impl Pages {
    /// Notes a reply: the last page of a list that was read decides whether there is more.
    pub(crate) fn note<'a>(&self, url: &str, headers: impl Iterator<Item = (&'a str, &'a str)>) {
        let (mut has_next, mut of) = (false, None);
        for (name, value) in headers {
            match name.to_ascii_lowercase().as_str() {
                "link" => has_next |= value.split(',').any(is_next),
                // How many there are in all, as some APIs say it.
                "x-hits" | "x-total-count" | "x-total" => of = value.trim().parse().ok(),
                _ => {}
            }
        }
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = list(url);
        if !has_next {
            lists.remove(&list);
        } else if lists.len() < LISTS_MAX || lists.contains_key(&list) {
            let request = shown_url(url.split(['?', '#']).next().unwrap_or_default());
            lists.insert(list, Unread { request, of });
        }
    }

    /// A list that was not read to its end, if there is one.
    pub(crate) fn unread(&self) -> Option<Unread> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().next().cloned()
    }
}

/// What a URL lists, whichever page: itself without what chooses the page.
fn list(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    // Links to the next page spell a query in their own way.
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !PAGING.contains(&name.as_ref()));
    let mut pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    pairs.sort_unstable();
    format!("{path}?{}", pairs.join("&"))
}

/// Whether a link leads to a next page that has something on it. Sentry links to empty ones too, and says so.
fn is_next(link: &str) -> bool {
    let mut parameters = link.split(';').skip(1).map(|parameter| parameter.trim().replace('"', ""));
    let is_next = parameters.clone().any(|parameter| parameter.eq_ignore_ascii_case("rel=next"));
    is_next && !parameters.any(|parameter| parameter.eq_ignore_ascii_case("results=false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MORE: &str = r#"<http://a/x?cursor=0:0:1>; rel="previous"; results="false", <http://a/x?cursor=0:25:0>; rel="next"; results="true"; cursor="0:25:0""#;
    const END: &str = r#"<http://a/x?cursor=0:25:0>; rel="next"; results="false""#;

    fn unread(replies: &[(&str, &str)]) -> Option<String> {
        let pages = Pages::default();
        for (url, link) in replies {
            pages.note(url, [("Link", *link), ("X-Hits", "85")].into_iter());
        }
        pages.unread().map(|unread| unread.request)
    }

    #[test]
    fn a_list_is_unread_until_its_last_page_was_seen() {
        assert_eq!(unread(&[("a:/x?q=1", MORE)]).as_deref(), Some("a:/x"));
        assert_eq!(unread(&[("a:/x?q=1", END)]), None);
        assert_eq!(unread(&[("a:/x?q=1", MORE), ("a:/x?q=1&cursor=0:25:0", END)]), None);
        assert_eq!(unread(&[("a:/x?q=1", MORE), ("a:/x?limit=100&q=1", END)]), None);
        assert_eq!(unread(&[("a:/x?q=is:a b", MORE), ("a:/x?cursor=1&q=is%3Aa+b", END)]), None);
        assert_eq!(unread(&[("a:/x?q=1", MORE), ("a:/x?q=1&page=2", MORE)]).as_deref(), Some("a:/x"));
        assert_eq!(unread(&[("a:/x?q=1", MORE), ("a:/x?q=2", END)]).as_deref(), Some("a:/x"), "another list");
        assert_eq!(unread(&[("a:/x", "<http://a/x?page=2>; rel=next")]).as_deref(), Some("a:/x"));
        assert_eq!(unread(&[("a:/x", "<http://a/x>; rel=\"last\"")]), None);
        assert_eq!(unread(&[]), None);
    }

    #[test]
    fn it_is_said_how_many_there_are_and_what_to_do() {
        let pages = Pages::default();
        pages.note("https://me:pw@a.example/x?q=secret", [("link", MORE), ("x-hits", "85")].into_iter());
        let told = pages.unread().expect("there is more").to_string();
        assert_eq!(
            told,
            "https://a.example/x lists more than the script read (85 in all): follow `reply.links[\"next\"][\"url\"]`, or ask \
             for more on a page"
        );
    }
}
