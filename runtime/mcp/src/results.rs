//! Results that are too large for one reply: kept for a while, and read page by page.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use intentbox_engine::Principal;

/// The bytes of all kept results together. Of the principal that has most of them, the one goes first that was not read for longest:
/// nobody's many results take the place of another's few.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// How long a result is kept after it was last read.
pub(crate) const LIFETIME: Duration = Duration::from_mins(15);

/// The most characters of one page: some 2,000 tokens of JSON.
pub(crate) const PAGE_CHARS_MAX: usize = 8 << 10;

/// Large results by handle. A handle is 128 random bits, and useless to another principal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Results {
    kept: Arc<Mutex<HashMap<(Principal, String), Kept>>>,
}

#[derive(Debug)]
struct Kept {
    result: Arc<StoredResult>,
    read_at: Instant,
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
        Self::default()
    }

    /// Those that have not expired.
    fn kept(&self, now: Instant) -> MutexGuard<'_, HashMap<(Principal, String), Kept>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, kept| now.saturating_duration_since(kept.read_at) < LIFETIME);
        kept
    }

    /// Keeps a result and returns its handle; `None` if the machine has no randomness for one.
    pub(crate) fn keep(&self, principal: &Principal, text: &str) -> Option<String> {
        let handle = format!("{:032x}", random()?);
        let result = Arc::new(StoredResult::new(text));
        let now = Instant::now();
        let mut kept = self.kept(now);
        kept.insert((principal.clone(), handle.clone()), Kept { result, read_at: now });
        make_room(&mut kept);
        Some(handle)
    }

    /// The page that starts at a character.
    pub(crate) fn read(&self, principal: &Principal, handle: &str, offset: usize) -> Result<Page, NoSuchResult> {
        self.read_at(principal, handle, offset, Instant::now())
    }

    fn read_at(&self, principal: &Principal, handle: &str, offset: usize, now: Instant) -> Result<Page, NoSuchResult> {
        // Handles have one length: a long one is not looked up.
        if handle.len() != 32 {
            return Err(NoSuchResult);
        }
        let result = {
            let mut all = self.kept(now);
            let kept = all.get_mut(&(principal.clone(), handle.to_owned())).ok_or(NoSuchResult)?;
            kept.read_at = now;
            Arc::clone(&kept.result)
        };
        Ok(result.page(offset))
    }
}

/// Lets results go until those that are left have room.
fn make_room(kept: &mut HashMap<(Principal, String), Kept>) {
    loop {
        let mut bytes: HashMap<&Principal, usize> = HashMap::new();
        for ((principal, _), kept) in kept.iter() {
            *bytes.entry(principal).or_default() += kept.result.text.len();
        }
        if bytes.values().sum::<usize>() <= KEPT_BYTES_MAX {
            return;
        }
        let most = bytes.values().copied().max().unwrap_or_default();
        let of_most = kept.iter().filter(|((principal, _), _)| bytes[principal] == most);
        let Some(oldest) = of_most.min_by_key(|(_, kept)| kept.read_at).map(|(key, _)| key.clone()) else { return };
        kept.remove(&oldest);
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
        let (me, you) = (Principal::named("me"), Principal::named("you"));
        let yours = results.keep(&you, &"y".repeat(1 << 20)).expect("there is randomness");
        let handles: Vec<_> = (0..10).filter_map(|_| results.keep(&me, &"x".repeat(KEPT_BYTES_MAX / 8))).collect();
        let kept: usize = results.kept(Instant::now()).values().map(|kept| kept.result.text.len()).sum();
        assert!(kept <= KEPT_BYTES_MAX);
        let is_there: Vec<bool> = handles.iter().map(|handle| results.read(&me, handle, 0).is_ok()).collect();
        assert_eq!(is_there, [false, false, false, true, true, true, true, true, true, true]);
        assert!(results.read(&you, &yours, 0).is_ok(), "my many results do not take its place");
    }

    #[test]
    fn what_was_not_read_for_a_while_is_gone() {
        let (results, me) = (Results::new(), Principal::named("me"));
        let handle = results.keep(&me, "mine").expect("there is randomness");
        let (nearly, kept_at) = (Duration::from_mins(14), Instant::now());
        for now in [kept_at + nearly, kept_at + nearly * 2] {
            assert!(results.read_at(&me, &handle, 0, now).is_ok(), "it was read since");
        }
        let late = kept_at + LIFETIME * 3;
        assert_eq!(results.read_at(&me, &handle, 0, late), Err(NoSuchResult));
    }
}
