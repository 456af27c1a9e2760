//! What the words of a sentence say for a card and against it: a linear model, whose weights are data.
//!
//! A feature is a fact about a sentence and a card, such as "the word `deploy` is there" or "two words are unexplained". The score
//! of a card is the sum of the weights of its features; scores become shares of 1 among the cards and the answer "none of
//! them". `cargo bench --bench sentences -- --train` trains weights. Those in `weights.tsv` hold for every card, and those of a
//! pack for its own.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

/// The most weights of one text. The built-in packs have some thousands.
const WEIGHTS_MAX: usize = 100_000;

/// The scope of weights that hold for every card.
pub(crate) const ANY: &str = "any";

/// The scope of weights for the answer that no card fits.
pub(crate) const NONE: &str = "none";

/// The weights that hold for every card, as training wrote them.
pub(crate) const GENERAL: &str = include_str!("weights.tsv");

/// What the scope begins with of the weights that say whether the values of a card can be trusted; its id follows.
pub(crate) const TRUST: &str = "trust";

/// The feature of an unexplained word that has no weight of its own.
pub(crate) const STRANGE: &str = "strange";

/// A fact about a sentence and a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature<'a> {
    /// One that every card can have, such as `unexplained`.
    General(&'static str),
    /// A word that the card does not explain.
    Unexplained(&'a str),
    /// A word beside the values.
    Word(&'a str),
    /// Two neighbours, of which each may be a value: `<issue>`.
    Pair(&'a str, &'a str),
    /// A parameter that was read.
    Value(&'a str),
    /// The first word.
    First(&'a str),
}

/// Weights by feature. A hash that is quick, and not keyed: what is looked up comes from anybody, and what is kept from training alone.
pub(crate) type WeightMap = FxHashMap<String, f64>;

/// Weights by scope and feature.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    scopes: FxHashMap<String, WeightMap>,
}

impl Feature<'_> {
    /// Writes the name under which its weight is known, and returns whether it holds for every card.
    pub(crate) fn name(self, name: &mut String) -> bool {
        name.clear();
        let _ = match self {
            Self::General(text) => write!(name, "{text}"),
            Self::Unexplained(word) => write!(name, "?{word}"),
            Self::Word(word) => write!(name, "{word}"),
            Self::Pair(left, right) => write!(name, "{left} {right}"),
            Self::Value(parameter) => write!(name, "<{parameter}>"),
            Self::First(word) => write!(name, "^{word}"),
        };
        matches!(self, Self::General(_) | Self::Unexplained(_))
    }
}

impl Weights {
    /// Reads lines of a scope, a feature and a weight with tabs between. What is no such line says nothing.
    pub(crate) fn parse(text: &str) -> Self {
        let mut weights = Self::default();
        for line in text.lines().take(WEIGHTS_MAX) {
            let mut fields = line.split('\t');
            let (Some(scope), Some(feature), Some(weight)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            if let Some(weight) = weight.parse().ok().filter(|weight: &f64| weight.is_finite()) {
                weights.scopes.entry(scope.to_owned()).or_default().insert(feature.to_owned(), weight);
            }
        }
        weights
    }

    /// The weights of one scope.
    pub(crate) fn take(&mut self, scope: &str) -> WeightMap {
        self.scopes.remove(scope).unwrap_or_default()
    }
}

/// Turns scores into shares of 1 among them and the answer "none", whose score comes last.
pub(crate) fn shares(scores: &mut [f64], none: f64) {
    let most = scores.iter().copied().fold(none, f64::max);
    let total: f64 = scores.iter().map(|score| (score - most).exp()).sum::<f64>() + (none - most).exp();
    for score in scores {
        *score = (*score - most).exp() / total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_weight_says_nothing() {
        let mut weights =
            Weights::parse("any\tbias\t-1.5\nany\tnan\tNaN\nno tabs\nany\tword\tmuch\n\nsentry/a\tx y\t2\n");
        assert_eq!(weights.take(ANY), WeightMap::from_iter([("bias".to_owned(), -1.5)]));
        assert_eq!(weights.take("sentry/a"), WeightMap::from_iter([("x y".to_owned(), 2.0)]));
        assert!(weights.take(NONE).is_empty());
    }

    #[test]
    fn shares_add_up_and_survive_large_scores() {
        let mut scores = [1000.0, 999.0, -1000.0];
        shares(&mut scores, 998.0);
        assert!(scores[0] > 0.6 && scores[1] < 0.3 && scores[2] == 0.0, "{scores:?}");
    }
}
