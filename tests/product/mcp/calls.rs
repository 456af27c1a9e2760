//! Calls as models write them, with the texts that a model gets: `tests/mcp/calls.md`.

use serde_json::{Value, json};

use super::client::{Client, STATEFUL};
use crate::transcripts::difference;
use crate::tree;

/// The document.
const CALLS: &str = "tests/mcp/calls.md";

/// One call of the document.
struct Call {
    title: String,
    /// The tool, and its arguments as JSON.
    line: String,
    /// The lines that a model gets.
    shown: Vec<String>,
}

/// The calls of the document, in their order.
fn calls(text: &str) -> Vec<Call> {
    let sections = text.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (title, rest) = section.split_once("\n\n```call\n").expect("a title is followed by a call");
            let (line, rest) = rest.split_once("\n```\n\n```text\n").expect("a call is followed by a text");
            let (shown, _) = rest.rsplit_once("```").expect("a text ends");
            Call { title: title.to_owned(), line: line.to_owned(), shown: shown.lines().map(str::to_owned).collect() }
        })
        .collect()
}

/// Makes a call, and gives the lines of its text blocks.
fn printed(client: &mut Client, line: &str, handle: &mut String) -> Vec<String> {
    let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
    let arguments: Value = serde_json::from_str(&arguments.replace("HANDLE", handle)).expect("arguments are JSON");
    let answer = client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
    if let Some(found) = answer["result"]["structuredContent"]["handle"].as_str() {
        found.clone_into(handle);
    }
    let blocks = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{line}: {answer}"));
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n").lines().map(str::to_owned).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the switch of this test is in the environment")]
fn a_model_gets_the_texts_that_the_document_of_calls_shows() {
    let text = tree::read(CALLS);
    let mut client = Client::start(STATEFUL, json!({}), &[]);
    let (mut handle, mut faults, mut written) = (String::new(), Vec::new(), text.clone());
    let calls = calls(&text);
    assert!(calls.len() >= 40, "the document has {} calls", calls.len());
    for Call { title, line, shown } in &calls {
        let printed = printed(&mut client, line, &mut handle);
        if let Some(difference) = difference(shown, &printed) {
            faults.push(format!("{title}: {line}\n{difference}"));
            let block = |lines: &[String]| {
                let lines: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
                format!("{line}\n```\n\n```text\n{lines}```")
            };
            written = written.replacen(&block(shown), &block(&printed), 1);
        }
    }
    if std::env::var_os("UPDATE_CALLS").is_some() {
        std::fs::write(tree::root().join(CALLS), written).expect("the document is writable");
        return;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
