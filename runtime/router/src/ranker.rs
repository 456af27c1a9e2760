//! Selects the cards of a pack to score for a sentence.
//!
//! Today it selects all of them: [`Everything`]. Routing among the 22 built-in templates takes a tenth of a
//! millisecond, and among 200 some tenths (`cargo bench --bench router`). A shortlist would save nothing, and could
//! leave out the right card. The work grows with the number of cards. A ranker over an index of words, such as BM25,
//! pays off once upstream servers bring thousands of tools. It must then keep every card that is chosen for a sentence of
//! `tests/router`.

use std::collections::BTreeSet;

/// Selects the cards of one pack to score. The score alone decides among those.
///
/// Words have the form in which the router compares them: stems, each replaced by the word whose synonym it is.
pub trait Ranker {
    /// Indexes the cards of one pack, given the words of each: those of its phrases, its name, its pack's name and its
    /// summary.
    fn new(cards: &[BTreeSet<String>]) -> Self;

    /// The indexes of the cards to score, in the list that the ranker was made from. The most promising comes first,
    /// and each comes once. `words` are those of the sentence, without filler and quotations.
    ///
    /// A card that has the sentence as a phrase, word for word, is scored in any case.
    fn rank(&self, words: &BTreeSet<&str>) -> Vec<usize>;
}

/// Leaves no card out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Everything {
    cards: usize,
}

impl Ranker for Everything {
    fn new(cards: &[BTreeSet<String>]) -> Self {
        Self { cards: cards.len() }
    }

    fn rank(&self, _: &BTreeSet<&str>) -> Vec<usize> {
        (0..self.cards).collect()
    }
}
