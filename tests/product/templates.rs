//! Every case of every template, run in the sandbox against its canned replies and files. And templates of one's own: which
//! phrases of theirs are near to others, and which sentences select them.

use std::path::Path;
use std::time::Duration;

use intentbox_catalog::{Case, Catalog};
use intentbox_engine::{Capacity, Configuration, Engine, Isolation, Parts, Policy, Resources, Sharing};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::product::{Run, run_in};
use crate::tree;

#[test]
fn every_case_of_every_template_ends_as_it_says() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let engine = Engine::new(Parts {
        catalog: Catalog::embedded().expect("the templates are whole"),
        configuration: Configuration::default(),
        resources: Resources::default(),
        policy: Policy::default(),
        isolation: Isolation::InProcess,
        capacity: Capacity {
            runs: 1,
            memory_bytes: 1 << 30,
            wait_max: Duration::from_mins(2),
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

/// The weights of a pack are larger than its other files may be, and a part of them would be other weights.
#[test]
fn a_copy_of_the_built_in_templates_is_read_as_they_are() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let templates = tree::root().join("templates");
    let templates = templates.to_str().expect("its path is text");
    for sentence in ["what broke in checkout yesterday evening?", "top 3 issues by frequency", "resolved issues"] {
        let explained = |options: &[&str]| {
            let arguments = [options, &["run-intent", sentence, "--explain"]].concat();
            run_in(home.path(), &arguments, b"", &[]).stdout
        };
        assert_eq!(explained(&["--templates", templates]), explained(&[]), "{sentence}");
    }
}

/// A folder with the template that `templates new` makes, under two ids.
fn mine() -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    for id in ["mine/first", "mine/second"] {
        let made = run(home.path(), &["templates", "new", id], b"");
        assert_eq!(made.code, 0, "{made:#?}");
    }
    home
}

fn run(home: &Path, arguments: &[&str], stdin: &[u8]) -> Run {
    run_in(home, &[&["--templates", "my"], arguments].concat(), stdin, &[])
}

/// Replaces the line of a template's manifest that begins so.
fn edit(home: &Path, id: &str, start: &str, line: &str) {
    let file = home.join("my").join(id).join("template.toml");
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert!(text.lines().any(|line| line.starts_with(start)), "{start}: {text}");
    let lines = text.lines().map(|old| if old.starts_with(start) { line } else { old });
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).expect("written");
}

#[test]
fn phrases_that_also_mean_another_template_are_found_on_both_sides() {
    let home = mine();
    let check = |arguments: &[&str]| run(home.path(), &[&["templates", "check", "--phrases"], arguments].concat(), b"");
    for (phrases, expected) in [
        (
            r#"["say hello", "greet somebody"]"#,
            &[
                ("mine/first", "say hello"),
                ("mine/first", "greet somebody"),
                ("mine/second", "say hello"),
                ("mine/second", "greet somebody"),
            ][..],
        ),
        // The same words in another order: nobody declared "please greet somebody".
        (
            r#"["somebody greet", "nod politely"]"#,
            &[("mine/first", "greet somebody"), ("mine/second", "somebody greet")],
        ),
        (r#"["wave at somebody", "nod politely"]"#, &[]),
    ] {
        edit(home.path(), "mine/second", "phrases = ", &format!("phrases = {phrases}"));
        let (told, programs) = (check(&[]), check(&["--json"]));
        let code = i32::from(!expected.is_empty());
        assert_eq!((told.code, programs.code), (code, code), "{told:#?}");

        let findings = programs.report()["findings"].clone();
        let findings = findings.as_array().expect("a list");
        let found: Vec<_> = findings.iter().map(|row| (row["template"].clone(), row["phrase"].clone())).collect();
        let rows: Vec<_> = expected.iter().map(|(id, phrase)| (json!(id), json!(phrase))).collect();
        assert_eq!(found, rows, "{phrases}");
        for row in findings {
            let candidates = row["candidates"].as_array().expect("a list");
            let mut ids: Vec<&str> = candidates.iter().filter_map(|one| one["template"].as_str()).collect();
            ids.sort_unstable();
            assert_eq!((&row["decided"], ids), (&Value::Null, vec!["mine/first", "mine/second"]), "{row}");
        }

        if expected.is_empty() {
            assert_eq!(told.stdout, "4 phrases of 2 templates checked: each selects its own template\n");
            continue;
        }
        assert_eq!(told.stderr, format!("check: {} of 4 phrases failed\n", expected.len()));
        assert_eq!(told.stdout.lines().count(), expected.len(), "{told:#?}");
        for (line, (id, phrase)) in told.stdout.lines().zip(expected) {
            assert!(line.starts_with(&format!("{id}: phrase {phrase:?} also means mine/")), "{line}");
            assert!(line.ends_with("): give one of them a word that the other does not have"), "{line}");
        }
    }
}

#[test]
fn phrases_are_checked_of_the_templates_that_are_named() {
    let home = mine();
    let check = |id: &str| run(home.path(), &["templates", "check", id, "--phrases"], b"");
    for (id, starts) in [("mine/second", &["mine/second: "; 2][..]), ("mine", &["mine/"; 4])] {
        let told = check(id);
        assert_eq!(told.stdout.lines().count(), starts.len(), "{told:#?}");
        assert!(told.stdout.lines().zip(starts).all(|(line, start)| line.starts_with(start)), "{told:#?}");
    }
    let elsewhere = check("sentry");
    assert!(elsewhere.code == 2 && elsewhere.stderr.starts_with("usage: there is no template or pack `sentry` in my"));
    let both = run(home.path(), &["templates", "check", "--phrases", "--write"], b"");
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{both:#?}");
}

#[test]
fn sentences_of_a_file_are_shown_with_where_they_go() {
    let home = mine();
    edit(home.path(), "mine/second", "phrases = ", r#"phrases = ["say hello", "wave at somebody"]"#);
    edit(home.path(), "mine/second", "default = \"world\"", "required = true");
    let file = "# what people ask\n\nlist errors\tsentry/list_errors\ngreet somebody 3 times\tmine/first\r\nwave at \
                somebody\tmine/second\nsay hello\nwater the plants\n";
    std::fs::write(home.path().join("sentences.txt"), file).expect("written");
    let tried = run(home.path(), &["templates", "try", "sentences.txt"], b"");
    assert_eq!(
        tried.stdout,
        "list errors -> sentry/list_errors\n\
         greet somebody 3 times -> mine/first (times = 3)\n\
         wave at somebody -> mine/second needs: name\n\
         say hello -> asks: mine/first, mine/second\n\
         water the plants -> nothing (not understood: water, plants)\n\
         3 of 3 as expected\n"
    );
    assert_eq!((tried.code, tried.stderr.as_str()), (0, ""));
    let piped = run(home.path(), &["templates", "try", "-"], file.as_bytes());
    assert_eq!((piped.code, piped.stdout), (0, tried.stdout));

    let object = run(home.path(), &["templates", "try", "-", "--json"], b"wave at somebody\tmine/second\n").report();
    let sentence = json!({
        "text": "wave at somebody",
        "decision": "needs",
        "template": "mine/second",
        "values": {},
        "missing": ["name"],
        "candidates": [{"template": "mine/second", "score": 1.0}],
        "not_understood": [],
        "expected": "mine/second",
        "holds": true,
    });
    assert_eq!(object, json!({"outcome": "ok", "sentences": [sentence], "right": 1, "of": 1}));
}

#[test]
fn a_sentence_that_goes_elsewhere_fails_the_check() {
    let home = mine();
    let file = b"list errors\tmine/first\ngreet the plants\tlogs/tail\nlist errors\tsentry/list_errors\nsay hello";
    let tried = run(home.path(), &["templates", "try", "-"], file);
    let lines: Vec<&str> = tried.stdout.lines().collect();
    assert_eq!(lines[0], "list errors -> sentry/list_errors; expected mine/first");
    assert!(lines[1].ends_with("; expected logs/tail, which needs --dir logs=PATH"), "{tried:#?}");
    assert_eq!(lines[4], "1 of 3 as expected");
    assert_eq!(
        (tried.code, tried.stderr.as_str()),
        (
            1,
            "check: 2 sentences of 3 did not select the expected template\n\
             hint: run `intentbox run-intent SENTENCE --explain` to see the scores\n"
        )
    );
    let object = run(home.path(), &["templates", "try", "-", "--json"], file).report();
    let holds: Vec<&Value> =
        object["sentences"].as_array().expect("a list").iter().map(|sentence| &sentence["holds"]).collect();
    assert_eq!(holds, [&json!(false), &json!(false), &json!(true), &Value::Null]);
    assert_eq!((&object["outcome"], &object["right"], &object["of"]), (&json!("check"), &json!(1), &json!(3)));
}

#[test]
fn a_file_that_holds_no_sentences_is_rejected_with_its_line() {
    let home = mine();
    for (stdin, stderr) in [
        ("list errors\n\tmine/first\n", "usage: stdin: line 2: no sentence before the tab\n"),
        (
            "say hello\tmine/third\n",
            "usage: stdin: line 1: there is no template `mine/third`\nhint: run `intentbox templates list` to see all\n",
        ),
        ("# nothing\n", "usage: stdin has no sentence\nhint: write one sentence a line\n"),
    ] {
        let tried = run(home.path(), &["templates", "try", "-"], stdin.as_bytes());
        assert_eq!((tried.code, tried.stderr.as_str()), (2, stderr));
    }
    let missing = run(home.path(), &["templates", "try", "none.txt"], b"");
    assert_eq!(missing.stderr, "usage: none.txt cannot be opened: No such file or directory (os error 2)\n");
}
