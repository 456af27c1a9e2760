//! Renders every case of every template and compares the script with the one beside the case.
//!
//! `UPDATE_CASES=1 cargo test -p intentbox-catalog --test cases` writes the scripts instead; read the difference
//! before keeping it.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use intentbox_catalog::{Case, Catalog, TemplateId};

const UPDATE: &str = "UPDATE_CASES";

/// The script of a case, or nothing when its arguments are refused.
fn render(case: &Case) -> Option<String> {
    let catalog = Catalog::embedded().unwrap_or_else(|error| panic!("{error}"));
    let template = catalog.get(case.template.as_str()).unwrap_or_else(|| panic!("there is no {}", case.template));
    match template.check(&case.arguments, &case.settings) {
        Ok(arguments) => {
            let script = template.render(&arguments).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            Some(script.source().to_owned())
        }
        Err(error) => {
            let message = error.to_string();
            let expected = case.outcome.error.as_deref().unwrap_or("a case that has no error");
            assert_eq!(case.outcome.kind, "param_invalid", "{}: {message}", case.name);
            assert!(message.contains(expected), "{}: expected {expected:?} in {message:?}", case.name);
            None
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the switch of this test is in the environment")]
fn every_case_renders_to_its_script() {
    let cases = Case::embedded().unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty());
    let update = std::env::var_os(UPDATE).is_some();
    let templates = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../templates"));
    let defaults: HashMap<&TemplateId, Option<String>> =
        cases.iter().filter(|case| case.is_default()).map(|case| (&case.template, render(case))).collect();
    let mut changed = Vec::new();
    for case in &cases {
        let default = defaults.get(&case.template).and_then(Option::as_deref);
        let rendered = render(case);
        let files = rendered.map_or_else(Vec::new, |script| case.kept(&script, default).to_vec());
        // From the disk and not from the program, so that an update is seen without building again.
        for (file, text) in files {
            let path = templates.join(&file);
            match text {
                text if text == fs::read_to_string(&path).ok() => {}
                Some(text) if update => fs::write(&path, text).expect("the folder of the cases is writable"),
                None if update => fs::remove_file(&path).expect("the folder of the cases is writable"),
                Some(text) => changed.push(format!("{file} should be\n{text}")),
                None => changed.push(format!("{file} should not be there")),
            }
        }
    }
    assert!(changed.is_empty(), "set {UPDATE}=1 to write what changed:\n{}", changed.join("\n"));
}

#[test]
fn every_template_has_cases() {
    let catalog = Catalog::embedded().unwrap_or_else(|error| panic!("{error}"));
    let cases = Case::embedded().unwrap_or_else(|error| panic!("{error}"));
    for template in catalog.templates() {
        assert!(cases.iter().any(|case| case.template == *template.id()), "{} has no case", template.id());
    }
}
