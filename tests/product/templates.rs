//! Every case of every template, run in the sandbox against its canned replies and files.

use std::time::Duration;

use intentbox_catalog::{Case, Catalog};
use intentbox_engine::{Capacity, Configuration, Engine, Isolation, Parts, Policy, Sharing};
use intentbox_files::Directories;

#[test]
fn every_case_of_every_template_ends_as_it_says() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let engine = Engine::new(Parts {
        catalog: Catalog::embedded().expect("the templates are whole"),
        configuration: Configuration::parse("", &|_| Err("there is no token".to_owned())).expect("an empty one"),
        directories: Directories::default(),
        policy: Policy::default(),
        isolation: Isolation::InProcess,
        capacity: Capacity {
            runs: 1,
            memory_bytes: 1 << 30,
            patience: Duration::from_mins(2),
            sharing: Sharing::Whole,
        },
    });
    let engine = engine.expect("the engine starts");
    let cases = Case::embedded().expect("the cases are whole");
    let rehearse = |case: &Case| {
        let fault = runtime.block_on(engine.rehearse(case)).err()?;
        Some(format!("{} {}: {fault}", case.template, case.name))
    };
    let faults: Vec<String> = cases.iter().filter_map(rehearse).collect();
    assert!(cases.len() >= 60 && faults.is_empty(), "{}", faults.join("\n"));
}
