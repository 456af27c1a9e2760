//! The templates of an engine, replaced while one of them runs.

use std::sync::Arc;

use intentbox_catalog::Catalog;
use intentbox_engine::{Caller, Engine, Intent, NoEvents, Outcome, Parts, Plan, Report, Target};

use crate::held::Held;
use crate::{ask, cache};

const MANIFEST: &str = "
summary = \"Asks an origin that answers late.\"
phrases = [\"ask late\"]
effects = \"read\"
wants = [\"sentry: GET /**\"]
cache_s = 0

[result]
";

const POLICY: &str = "[packs.mine]\nhttp = [\"sentry: GET /**\"]\n";

/// A catalog of one template, which asks the origin and says `word`. Its pack's module says the same.
fn catalog(word: &str) -> Arc<Catalog> {
    let script =
        format!("import pack\nfrom intentbox import http\nhttp.get('sentry:/x')\nresult = ['{word}', pack.WORD]\n");
    let module = format!("WORD = '{word}'\n");
    let files = [
        ("mine/late/template.toml", MANIFEST.as_bytes()),
        ("mine/late/script.py.j2", script.as_bytes()),
        ("mine/pack.py", module.as_bytes()),
    ];
    Catalog::from_files(files).unwrap_or_else(|error| panic!("{error}")).into()
}

fn intent() -> Intent {
    Intent { text: "ask late".to_owned(), ..Intent::default() }
}

fn told(report: &Report) -> (Outcome, Option<&str>) {
    (report.outcome(), report.result.as_ref().map(|json| json.get()))
}

#[tokio::test]
async fn n07_a_run_in_flight_keeps_its_catalog_and_the_next_plan_has_the_new_one() {
    let held = Held::start();
    let (old, new) = (catalog("old"), catalog("new"));
    let parts = Parts { catalog: Arc::clone(&old), ..cache::parts(&held.base_url(), "a-token", POLICY) };
    let engine = Arc::new(Engine::new(parts).expect("the engine starts"));
    let running = tokio::spawn({
        let engine = Arc::clone(&engine);
        async move { ask::intent(&engine, &intent(), &Caller::local()).await }
    });
    // The run is polled by this thread: another one waits for its request.
    let held = tokio::task::spawn_blocking(move || {
        held.until_arrived(1);
        held
    });
    let held = held.await.expect("the request arrives");
    engine.replace_catalog(Arc::clone(&new));

    // A plan is made with the catalog of its moment, and runs with it although there is another one by then.
    let Plan::Ready(planned) = engine.plan(&intent(), &Caller::local()).await else { panic!("it can run") };
    let target = |catalog: &Catalog| {
        let template = catalog.get("mine/late").expect("it is there");
        Target::Template { id: template.id().to_string(), digest: template.digest().to_owned(), tool: None }
    };
    assert_eq!(*planned.target(), target(&new));
    assert_ne!(target(&old), target(&new));
    engine.replace_catalog(old);

    held.open();
    let report = running.await.expect("the run does not panic");
    assert_eq!(told(&report), (Outcome::Ok, Some("[\"old\",\"old\"]")), "{report:?}");
    let report = engine.run(planned, &Caller::local(), &(Arc::new(NoEvents) as Arc<_>)).await;
    assert_eq!(told(&report), (Outcome::Ok, Some("[\"new\",\"new\"]")), "{report:?}");
    let report = ask::intent(&engine, &intent(), &Caller::local()).await;
    assert_eq!(told(&report), (Outcome::Ok, Some("[\"old\",\"old\"]")), "{report:?}");
}
