//! Properties of every decision, whatever the text. Compiled for the tests of this crate and for the fuzz target
//! `router`.

use std::sync::LazyLock;

use intentbox_catalog::Catalog;
use intentbox_catalog::instant::Instant;

use crate::card::Card;
use crate::{CLOSEST_MAX, Decision, Names, Question, Router};

/// Any bytes, read as text, go to a card of the built-in templates or to none.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn route(bytes: &[u8]) {
    static CARDS: LazyLock<Vec<Card>> = LazyLock::new(|| {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        catalog.templates().map(Card::of).collect()
    });
    static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::new(CARDS.iter().cloned()));
    check(&ROUTER, &CARDS, &String::from_utf8_lossy(bytes));
}

/// A text goes to one of the cards with values for its parameters, or to a few candidates. The same text goes there
/// again. What is proposed in its place goes to a card.
///
/// # Panics
/// When that does not hold.
pub(crate) fn check(router: &Router, cards: &[Card], text: &str) {
    let names = Names::default();
    let question = Question { text, names: &names, now: now() };
    let first = router.route(&question);
    assert_eq!(first, router.route(&question), "{text:?}");
    if let Some(sentence) = router.nearest(&question).sentence {
        let decision = router.route(&Question { text: &sentence, names: &names, now: now() }).decision;
        assert!(matches!(decision, Decision::Card { .. }), "{text:?}: {sentence:?}");
    }
    match first.decision {
        Decision::Card { id, values } | Decision::Missing { id, values, .. } => {
            let card = cards.iter().find(|card| card.id == id);
            let card = card.unwrap_or_else(|| panic!("{text:?} goes to {id}, which is no card"));
            let is_declared = |name: &String| card.parameters.iter().any(|spec| spec.name() == name);
            assert!(values.keys().all(is_declared), "{text:?}: {values:?}");
        }
        Decision::Ambiguous { candidates } | Decision::NoMatch { closest: candidates } => {
            assert!(candidates.len() <= CLOSEST_MAX, "{text:?}");
            assert!(candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)), "{text:?}");
        }
    }
}

/// A Sunday at noon.
pub(crate) fn now() -> Instant {
    "2026-11-22T12:00:00Z".parse().expect("it is a time")
}
