//! Renders every case of every template and compares the script with the one beside the case.
//!
//! `UPDATE_CASES=1 cargo test -p intentbox-catalog --test cases` writes the scripts instead; read the difference
//! before keeping it.

use std::fs;
use std::path::PathBuf;

use intentbox_catalog::{Case, Catalog};

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

fn script_path(case: &Case) -> PathBuf {
    let templates = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../templates"));
    templates.join(case.template.as_str()).join("cases").join(format!("{}.py", case.name))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the switch of this test is in the environment")]
fn every_case_renders_to_its_script() {
    let cases = Case::embedded().unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty());
    let update = std::env::var_os(UPDATE).is_some();
    let mut changed = Vec::new();
    for case in &cases {
        let rendered = render(case);
        // From the disk and not from the program, so that an update is seen without building again.
        let path = script_path(case);
        if rendered == fs::read_to_string(&path).ok() {
            continue;
        }
        match &rendered {
            Some(source) if update => {
                fs::write(&path, source).expect("the folder of the cases is writable");
            }
            _ => changed.push(format!(
                "{}/cases/{}.py should be\n{}",
                case.template,
                case.name,
                rendered.as_deref().unwrap_or_default()
            )),
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
