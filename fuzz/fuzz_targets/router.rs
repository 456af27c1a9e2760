//! Any text goes to a template that there is, or to none, and the same text goes there again.
//!
//! The engine as a whole would bring wasmtime and the guest along. Its router is pure, so its files are compiled here once
//! more. Its twin is `any_text_is_answered_and_equal_text_equally` in the router's tests.

#![no_main]
#![expect(dead_code, reason = "the engine uses more of these files than the target does")]

#[path = "../../runtime/engine/src"]
mod engine {
    pub(crate) mod router;
}

use std::sync::LazyLock;

use engine::router::{Decision, Router};
use intentbox_catalog::Catalog;

static ROUTER: LazyLock<Router> =
    LazyLock::new(|| Router::new(Catalog::embedded().expect("the embedded templates are well formed").templates()));

fn oracle(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let routed = ROUTER.route(&text);
    assert_eq!(routed, ROUTER.route(&text), "{text:?}");
    let catalog = Catalog::embedded().expect("it was loaded before");
    match routed.decision {
        Decision::Template { id, values } | Decision::Missing { id, values, .. } => {
            let template = catalog.get(id.as_str()).expect("it is one of the catalog's");
            assert!(values.keys().all(|name| template.parameter(name).is_some()), "{text:?}");
        }
        Decision::Ambiguous { candidates } | Decision::NoMatch { closest: candidates } => {
            assert!(candidates.len() <= 3, "{text:?}");
            assert!(candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)), "{text:?}");
        }
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oracle(bytes));
