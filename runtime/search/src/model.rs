//! What features weigh: a linear model that shares one among the tools and the answer "none", and a second one that says how
//! likely the best tool is right.

use std::collections::HashMap;

use crate::Hit;
use crate::features::{FEATURES, Features};

/// The weights, as training wrote them: lines of a scope, a feature and a number with tabs between.
const WEIGHTS: &str = include_str!("weights.tsv");

/// The features that the words of a description have a part in.
const DESCRIBING: [&str; 13] = [
    "description",
    "description~",
    "any",
    "any~",
    "description said~",
    "bm25",
    "trigrams",
    "pairs",
    "embedding",
    "covered",
    "covered~",
    "most left",
    "beaten",
];

#[derive(Debug)]
pub(crate) struct Model {
    tool: Features,
    none: f64,
    trust: Features,
    trust_bias: f64,
    trust_score: f64,
    trust_margin: f64,
}

impl Model {
    pub(crate) fn built_in() -> Self {
        Self::parse(WEIGHTS)
    }

    fn parse(text: &str) -> Self {
        let mut read: HashMap<(&str, &str), f64> = HashMap::new();
        for line in text.lines() {
            let mut fields = line.split('\t');
            if let (Some(scope), Some(feature), Some(weight)) = (fields.next(), fields.next(), fields.next())
                && let Ok(weight) = weight.parse()
            {
                read.insert((scope, feature), weight);
            }
        }
        let weight = |scope, feature| read.get(&(scope, feature)).copied().unwrap_or(0.0);
        Self {
            tool: FEATURES.map(|feature| weight("tool", feature)),
            none: weight("none", "bias"),
            trust: FEATURES.map(|feature| weight("trust", feature)),
            trust_bias: weight("trust", "bias"),
            trust_score: weight("trust", "score"),
            trust_margin: weight("trust", "margin"),
        }
    }

    /// How much speaks for a tool besides its description, which its server may have written for the words of any request.
    fn undescribed(&self, features: &Features) -> f64 {
        let of = |at: usize| if DESCRIBING.contains(&FEATURES[at]) { 0.0 } else { self.tool[at] * features[at] };
        (0..FEATURES.len()).map(of).sum()
    }

    /// The tools, the best first, and how likely the best is right.
    pub(crate) fn rank(&self, compared: &[(usize, Features)]) -> (Vec<Hit>, f64) {
        let dot = |weights: &Features, features: &Features| -> f64 {
            weights.iter().zip(features).map(|(weight, value)| weight * value).sum()
        };
        let mut sums: Vec<(f64, usize)> =
            compared.iter().enumerate().map(|(at, (_, features))| (dot(&self.tool, features), at)).collect();
        sums.sort_by(|(left, one), (right, two)| right.total_cmp(left).then(one.cmp(two)));
        let Some((best, at)) = sums.first().copied() else { return (Vec::new(), 0.0) };
        let most = best.max(self.none);
        let all: f64 = (self.none - most).exp() + sums.iter().map(|(sum, _)| (sum - most).exp()).sum::<f64>();
        let hit = |(sum, at): &(f64, usize)| {
            let (entry, features) = &compared[*at];
            Hit { entry: *entry, score: (sum - most).exp() / all, undescribed: self.undescribed(features) }
        };
        let hits: Vec<Hit> = sums.iter().map(hit).collect();
        let second = sums.get(1).map_or(0.0, |(sum, _)| *sum);
        let trust = dot(&self.trust, &compared[at].1)
            + self.trust_bias
            + self.trust_score * (best - self.none)
            + self.trust_margin * (best - second);
        (hits, 1.0 / (1.0 + (-trust).exp()))
    }
}
