//! The clause of a sentence that orders a change: "mark WEB-3M as resolved" of "we shipped the fix, so please go ahead and mark WEB-3M as
//! resolved, thanks".
//!
//! What changes something is asked for in so many words, and the story around it is not. It is *not* for deciding what is changed: the
//! words of the order are read like a sentence of their own.

use std::ops::Range;

use crate::clause;
use crate::deed::is_order;
use crate::english::negates;
use crate::text::Word;

/// Words before the verb of an order, besides filler.
const LEADING: [&str; 26] = [
    "ahead",
    "also",
    "and",
    "ask",
    "can",
    "could",
    "go",
    "hence",
    "i",
    "id",
    "just",
    "kindly",
    "like",
    "may",
    "might",
    "need",
    "next",
    "now",
    "please",
    "so",
    "then",
    "therefore",
    "to",
    "want",
    "would",
    "you",
];

/// Words that make an order depend on something, wherever they stand: "if the tests pass, close it".
const CONDITIONS: [&str; 7] = ["if", "once", "provided", "unless", "until", "when", "whenever"];

/// Words within an order, or behind it, that put it off or take a part of it back. Before it they only tell.
const RESTRICTING: [&str; 8] = ["after", "apart", "before", "besides", "dont", "except", "only", "while"];

/// What stands for something that was named before.
const STANDING_FOR: [&str; 4] = ["it", "its", "that", "this"];

/// An order within a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    /// Its words by their numbers, the verb first.
    pub(crate) words: Range<usize>,
    /// Which of its words stands for something that was named before, with an `one` behind it.
    standing: Option<usize>,
}

/// The only order of a sentence. Nothing where there is none, where there are several, and where one depends on something.
pub(crate) fn only(source: &str, words: &[Word]) -> Option<Order> {
    let numbers = clause::numbered(source, words);
    let clauses = numbers.chunk_by(|left, right| left == right).scan(0, |start, clause| {
        let of = *start..*start + clause.len();
        *start = of.end;
        Some(of)
    });
    let clauses: Vec<Range<usize>> = clauses.collect();
    let plain = |at: usize| if words[at].quoted { "" } else { words[at].plain.as_str() };
    let orders = clauses.iter().flat_map(|clause| {
        // "It is fixed please mark it resolved".
        let asks = clause.clone().filter(|at| plain(*at) == "please");
        let verbs = std::iter::once(clause.start).chain(asks).filter_map(|start| verb(&words[..clause.end], start));
        verbs.map(|verb| verb..clause.end).collect::<Vec<_>>()
    });
    let mut orders: Vec<Range<usize>> = orders.collect();
    orders.dedup();
    let [order] = orders.as_slice() else { return None };
    // "Close WEB-42, WEB-43 and API-9": what follows goes on with the order, or only tells.
    let goes_on = |clause: &Range<usize>| {
        let words = &words[clause.clone()];
        clause.start >= order.end && !clause::tells(words) && !words.iter().all(|word| word.is_filler)
    };
    let is_taken_back = clauses.iter().any(goes_on)
        || (0..words.len()).any(|at| CONDITIONS.contains(&plain(at)))
        || (order.start..words.len()).any(|at| RESTRICTING.contains(&plain(at)))
        || order.clone().any(|at| negates(plain(at)));
    let standing = order.clone().find(|at| STANDING_FOR.contains(&plain(*at)));
    (!is_taken_back).then(|| Order { words: order.clone(), standing: standing.map(|at| at - order.start) })
}

/// The verb with which an order begins, if one begins here.
fn verb(words: &[Word], start: usize) -> Option<usize> {
    let leads = |word: &Word| word.is_filler || LEADING.contains(&word.plain.as_str());
    let at = (start..words.len()).find(|at| words[*at].quoted || is_order(words, *at) || !leads(&words[*at]))?;
    let said = |known: &[&str]| words[start..at].iter().position(|word| known.contains(&word.plain.as_str()));
    // "I mark it", "can I close it", "did you": who tells or asks orders nothing.
    let i_do = said(&["i"]).is_some() && said(&["to"]).is_none() && said(&["you"]).is_none();
    let asks = said(&["am", "are", "did", "do", "does", "has", "have", "is", "should", "was", "were"]).is_some();
    (!words[at].quoted && is_order(words, at) && !i_do && !asks).then_some(at)
}

impl Order {
    /// The words of the order, with `object` in the place of what stands for it, or behind the verb.
    pub(crate) fn said(&self, words: &[Word], object: Option<&Word>) -> Vec<Word> {
        let mut said = words[self.words.clone()].to_vec();
        let Some(object) = object else { return said };
        match self.standing {
            Some(at) => {
                said[at] = object.clone();
                if said.get(at + 1).is_some_and(|word| word.plain == "one") {
                    said.remove(at + 1);
                }
            }
            None => said.insert(1, object.clone()),
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{normal, split};

    fn found(text: &str) -> Option<String> {
        let words = split(text);
        only(text, &words).map(|order| normal(&order.said(&words, None)))
    }

    #[test]
    fn an_order_is_found_among_what_is_told() {
        for (text, order) in [
            ("we shipped it, so please go ahead and mark WEB-3M as resolved. Thanks!", "mark web-3m as resolved"),
            ("BILLING-1P hasn't come back, so you can close it now.", "close it now"),
            ("it works. Would you close it for me please?", "close it for me please"),
            ("he sends his regards, and you may set it to resolved now", "set it to resolved now"),
            ("it cannot happen any more, therefore I'd ask you to resolve it", "resolve it"),
            ("The fix has been verified. Update its state to resolved.", "update its state to resolved"),
            ("the bug is gone please mark it as fixed", "mark it as fixed"),
            ("close WEB-3M", "close web-3m"),
        ] {
            assert_eq!(found(text).as_deref(), Some(order), "{text}");
        }
    }

    #[test]
    fn what_is_told_asked_or_depends_on_something_is_no_order() {
        for text in [
            "was WEB-3M resolved?",
            "can I close WEB-3M?",
            "should we close WEB-3M?",
            "did you close it?",
            "I close it myself, show errors",
            "please do not close it",
            "if the tests pass, close WEB-3M",
            "Once the deploy is done, please mark WEB-3M as resolved.",
            "close WEB-3M if the tests pass",
            "please close it once the deploy is done",
            "close WEB-3M, and then delete the project",
            "please show the issues that somebody could close",
            "list errors",
            "close WEB-42, WEB-43 and API-9",
            "mark as resolved the issues of web, checkout and api",
            "look for 'close it'",
            "",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_named_before_takes_the_place_of_what_stands_for_it() {
        let read = |text: &str, object: usize| {
            let words = split(text);
            let order = only(text, &words).expect("an order");
            normal(&order.said(&words, Some(&words[object])))
        };
        assert_eq!(read("WEB-3M is fixed, so mark it resolved", 0), "mark web-3m resolved");
        assert_eq!(read("WEB-3M is fixed, mark that one as resolved", 0), "mark web-3m as resolved");
        assert_eq!(read("WEB-3M is fixed, mark as resolved", 0), "mark web-3m as resolved");
    }
}
