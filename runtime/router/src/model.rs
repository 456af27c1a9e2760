//! What training learned for cards of every pack: weights, and trees of trust. It is the same for all routers, so they share it.

use std::sync::{Arc, LazyLock};

use crate::forest::Forest;
use crate::trust;
use crate::weights::{self, WeightMap, Weights};

/// Weights by feature for all cards, and the trees that say whether a reading is an answer.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Weights of features that every card can have.
    pub(crate) general: WeightMap,
    /// Weights of words for the answer that no card fits.
    pub(crate) none: WeightMap,
    /// The model that says whether a reading can be trusted.
    pub(crate) trust: Forest,
}

impl Model {
    /// Reads lines of a scope, a feature and a weight, and lines of trees. What is neither says nothing.
    pub(crate) fn parse(weights: &str, trees: &str) -> Self {
        let mut weights = Weights::parse(weights);
        Self { general: weights.take(weights::ANY), none: weights.take(weights::NONE), trust: Forest::parse(trees) }
    }

    /// The one that the program ships with. A router over one tool is built for each tool that is judged, and parsing took most of
    /// that.
    pub(crate) fn shipped() -> Arc<Self> {
        static SHIPPED: LazyLock<Arc<Model>> = LazyLock::new(|| Arc::new(Model::parse(weights::GENERAL, trust::TREES)));
        Arc::clone(&SHIPPED)
    }
}
