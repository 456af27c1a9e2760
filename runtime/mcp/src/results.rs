//! Results that are too large for one reply: kept for a while, and read page by page.

use std::sync::Arc;
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use intentbox_engine::Principal;

/// The bytes of all kept results together. The oldest go first.
const KEPT_BYTES_MAX: u64 = 64 << 20;

/// How long a result is kept after it was last read.
pub(crate) const LIFETIME: Duration = Duration::from_mins(15);

/// The most characters of one page: some 2,000 tokens of JSON.
pub(crate) const PAGE_CHARS_MAX: usize = 8 << 10;

/// Large results by handle. A handle is 128 random bits, and useless to another principal.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    kept: Cache<(Principal, String), Arc<StoredResult>>,
}

/// One result.
#[derive(Debug)]
struct StoredResult {
    text: Box<str>,
    chars: usize,
    /// Where in the text every [`PAGE_CHARS_MAX`]th character is, from the first on: the start of a page far into the
    /// text is found without scanning up to it.
    marks: Vec<usize>,
}

/// A part of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// The part.
    pub(crate) text: String,
    /// Where the next one starts, in characters; nothing at the end.
    pub(crate) next: Option<usize>,
    /// The length of the whole, in characters.
    pub(crate) of: usize,
}

/// There is no such result for this principal, or it has expired.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoSuchResult;

impl Results {
    pub(crate) fn new() -> Self {
        let weight =
            |_: &(Principal, String), kept: &Arc<StoredResult>| u32::try_from(kept.text.len()).unwrap_or(u32::MAX);
        let kept = Cache::builder()
            .max_capacity(KEPT_BYTES_MAX)
            .weigher(weight)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(LIFETIME)
            .build();
        Self { kept }
    }

    /// Keeps a result and returns its handle; `None` if the machine has no randomness for one.
    pub(crate) fn keep(&self, principal: &Principal, text: &str) -> Option<String> {
        let handle = format!("{:032x}", random()?);
        self.kept.insert((principal.clone(), handle.clone()), Arc::new(StoredResult::new(text)));
        // The cache lets others go when it gets round to it: by then a few large results would hold twice as much.
        self.kept.run_pending_tasks();
        Some(handle)
    }

    /// The page that starts at a character.
    pub(crate) fn read(&self, principal: &Principal, handle: &str, offset: usize) -> Result<Page, NoSuchResult> {
        // Handles have one length: a long one is not looked up.
        if handle.len() != 32 {
            return Err(NoSuchResult);
        }
        let kept = self.kept.get(&(principal.clone(), handle.to_owned())).ok_or(NoSuchResult)?;
        Ok(kept.page(offset))
    }
}

impl StoredResult {
    fn new(text: &str) -> Self {
        let marks = text.char_indices().step_by(PAGE_CHARS_MAX).map(|(at, _)| at).collect();
        Self { text: text.into(), chars: text.chars().count(), marks }
    }

    /// The text from the last mark up to a character on, and how many characters of it come before that one.
    fn near(&self, offset: usize) -> (&str, usize) {
        match self.marks.get(offset / PAGE_CHARS_MAX) {
            Some(mark) => (&self.text[*mark..], offset % PAGE_CHARS_MAX),
            None => ("", 0),
        }
    }

    fn page(&self, offset: usize) -> Page {
        let (text, before) = self.near(offset);
        let text: String = text.chars().skip(before).take(PAGE_CHARS_MAX).collect();
        let end = offset.saturating_add(PAGE_CHARS_MAX);
        Page { text, next: (end < self.chars).then_some(end), of: self.chars }
    }
}

/// A number that nobody can guess; `None` if the machine has no randomness.
pub(crate) fn random() -> Option<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(u128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(results: &Results, principal: &Principal, handle: &str) -> String {
        let mut whole = String::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let page = results.read(principal, handle, from).expect("it is kept");
            assert!(page.text.chars().count() <= PAGE_CHARS_MAX);
            whole.push_str(&page.text);
            offset = page.next;
        }
        whole
    }

    #[test]
    fn all_pages_together_are_the_result() {
        let results = Results::new();
        let me = Principal::named("me");
        for length in [0, 1, PAGE_CHARS_MAX - 1, PAGE_CHARS_MAX, PAGE_CHARS_MAX + 1, 3 * PAGE_CHARS_MAX] {
            let text: String = "añ🦀\n".chars().cycle().take(length).collect();
            let handle = results.keep(&me, &text).expect("there is randomness");
            assert_eq!(pages(&results, &me, &handle), text, "{length} characters");
            let beyond = results.read(&me, &handle, usize::MAX).expect("it is kept");
            assert_eq!(beyond, Page { text: String::new(), next: None, of: length });
        }
    }

    #[test]
    fn c10_a_page_far_behind_is_found_without_walking_there() {
        let text: String = "añ🦀\n".chars().cycle().take(5 * PAGE_CHARS_MAX + 7).collect();
        let kept = StoredResult::new(&text);
        for offset in [0, 1, PAGE_CHARS_MAX - 1, PAGE_CHARS_MAX, 3 * PAGE_CHARS_MAX + 5, 5 * PAGE_CHARS_MAX + 6] {
            let (near, before) = kept.near(offset);
            assert!(before < PAGE_CHARS_MAX, "{offset}: {before} characters are walked");
            let far = text.chars().skip(offset);
            assert!(near.chars().skip(before).eq(far.clone()), "{offset}");
            assert_eq!(kept.page(offset).text, far.take(PAGE_CHARS_MAX).collect::<String>());
        }
        for offset in [5 * PAGE_CHARS_MAX + 7, 6 * PAGE_CHARS_MAX, usize::MAX] {
            assert_eq!(kept.page(offset), Page { text: String::new(), next: None, of: kept.chars });
        }
    }

    #[test]
    fn c07_a_handle_is_worth_nothing_to_anybody_else_and_nothing_when_guessed() {
        let results = Results::new();
        let me = Principal::named("me");
        let handle = results.keep(&me, "mine").expect("there is randomness");
        assert_eq!(handle.len(), 32, "128 bits in hex");
        assert_ne!(results.keep(&me, "mine"), Some(handle.clone()), "each has a handle of its own");
        let upper = handle.to_uppercase();
        for (principal, handle) in [
            (Principal::named("you"), handle.as_str()),
            (Principal::local(), handle.as_str()),
            (me.clone(), ""),
            (me.clone(), &"0".repeat(32)),
            (me.clone(), if upper == handle { "" } else { &upper }),
            (me.clone(), &"0".repeat(1 << 20)),
        ] {
            assert_eq!(results.read(&principal, handle, 0), Err(NoSuchResult));
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
        let results = Results::new();
        let me = Principal::named("me");
        let handles: Vec<_> = (0..10)
            .filter_map(|_| results.keep(&me, &"x".repeat(usize::try_from(KEPT_BYTES_MAX / 8).unwrap())))
            .collect();
        results.kept.run_pending_tasks();
        assert!(results.kept.weighted_size() <= KEPT_BYTES_MAX);
        let is_there: Vec<bool> = handles.iter().map(|handle| results.read(&me, handle, 0).is_ok()).collect();
        assert!(!is_there[0] && is_there[9], "{is_there:?}");
    }
}
