//! A declared phrase as it is compared with a sentence.

use std::collections::BTreeSet;

use super::informative;
use crate::english::is_filler;
use crate::text::{Synonyms, normal, split};

/// What a phrase promises that is slots alone. Slots fit every sentence until values are looked for, so that any word which is said
/// promises more.
const SLOTS_PROMISE: f64 = 0.1;

/// A phrase of a card.
#[derive(Debug)]
pub(super) struct KnownPhrase {
    pub(super) text: String,
    pub(super) normal: String,
    pub(super) words: BTreeSet<String>,
    /// Parameters whose values count as words of the phrase.
    pub(super) slots: Vec<String>,
    /// Its words and slots in their order, without filler: what a sentence is compared with that fills the slots.
    pub(super) row: Vec<String>,
    /// The same words by their numbers in the pack.
    pub(super) numbers: Vec<usize>,
}

impl KnownPhrase {
    /// A phrase as a template declares it. The pack numbers its words afterwards.
    pub(super) fn new(text: String, synonyms: &Synonyms) -> Self {
        let is_slot = |word: &&str| word.starts_with('<') && word.ends_with('>');
        let slots: Vec<String> =
            text.split(' ').filter(is_slot).map(|word| word.trim_matches(['<', '>']).to_owned()).collect();
        let words: Vec<&str> = text.split(' ').filter(|word| !is_slot(word)).collect();
        let words = words.join(" ");
        // Nobody says a slot: no sentence is such a phrase.
        let normal = if slots.is_empty() { normal(&split(&words)) } else { text.clone() };
        let row = text.split(' ').filter(|word| !is_filler(word));
        let row = row.map(|word| if word.starts_with('<') { word.to_owned() } else { synonyms.canonical(word) });
        let row = row.collect();
        Self { normal, words: informative(&words, synonyms), slots, row, numbers: Vec::new(), text }
    }

    /// How many words and slots it has.
    pub(super) fn length(&self) -> usize {
        self.words.len() + self.slots.len()
    }

    /// The share of its words that is said and of its slots that has a value.
    pub(super) fn covered(&self, said: &[bool], read: &BTreeSet<&str>) -> f64 {
        let slots = self.slots.iter().filter(|name| read.contains(name.as_str())).count();
        share(self.said(said) + slots, self.length())
    }

    /// How much of it may be said, before anybody has looked for values: as if every slot had one.
    pub(super) fn promise(&self, said: &[bool]) -> f64 {
        let most = share(self.said(said) + self.slots.len(), self.length());
        if self.words.is_empty() { SLOTS_PROMISE * most } else { most }
    }

    fn said(&self, said: &[bool]) -> usize {
        self.numbers.iter().filter(|number| said[**number]).count()
    }
}

/// `part / whole` of two small counts.
fn share(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}
