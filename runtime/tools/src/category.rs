//! What the tools of one server are about, so that a long list has parts: the groups that the server names, otherwise the things
//! that its tools' names are about.

use std::collections::BTreeMap;

use crate::definition::ToolRow;

/// The category of a tool that shares its thing with no other.
const OTHER: &str = "other";

/// Words with which names of tools begin that say what is done, and not with what.
const DEEDS: [&str; 58] = [
    "add",
    "apply",
    "approve",
    "archive",
    "batch",
    "bulk",
    "cancel",
    "check",
    "clear",
    "close",
    "compare",
    "convert",
    "copy",
    "count",
    "create",
    "delete",
    "describe",
    "download",
    "draft",
    "edit",
    "execute",
    "export",
    "fetch",
    "find",
    "fork",
    "get",
    "import",
    "insert",
    "list",
    "mark",
    "merge",
    "move",
    "open",
    "play",
    "post",
    "promote",
    "publish",
    "pull",
    "push",
    "query",
    "read",
    "remove",
    "rename",
    "reply",
    "resolve",
    "retry",
    "run",
    "search",
    "send",
    "set",
    "show",
    "start",
    "stop",
    "subscribe",
    "toggle",
    "update",
    "upload",
    "write",
];

/// The category of each tool of a server, in their order.
#[must_use]
pub fn categories(rows: &[ToolRow]) -> Vec<String> {
    let named: Vec<Vec<String>> = rows.iter().map(|row| words(&row.name)).collect();
    // A word with which all names begin is the server's.
    let shared = named.first().and_then(|words| words.first().cloned());
    let shared = shared.filter(|first| rows.len() > 1 && named.iter().all(|words| words.first() == Some(first)));
    let things: Vec<Vec<String>> = named
        .into_iter()
        .map(|words| {
            let own: Vec<String> = words.into_iter().skip(usize::from(shared.is_some())).collect();
            // One verb: the `merge` of `list_merge_requests` is a part of the thing.
            let deeds = usize::from(own.first().is_some_and(|word| DEEDS.contains(&word.as_str())));
            own.iter().skip(deeds).map(|word| singular(word)).collect()
        })
        .collect();
    let mut groups: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
    for thing in &things {
        if let Some(first) = thing.first() {
            groups.entry(first).or_default().push(thing);
        }
    }
    let name = |thing: &Vec<String>| {
        let members = thing.first().and_then(|first| groups.get(first.as_str())).filter(|members| members.len() > 1);
        let Some(members) = members else { return OTHER.to_owned() };
        let common =
            (1..=thing.len()).take_while(|count| members.iter().all(|other| other.starts_with(&thing[..*count])));
        thing[..common.last().unwrap_or(1)].join("_")
    };
    rows.iter()
        .zip(&things)
        .map(|(row, thing)| if row.group.is_empty() { name(thing) } else { row.group.clone() })
        .collect()
}

/// The words of a name in lower case: `listPullRequests` has three.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut last) = (Vec::new(), String::new(), ' ');
    for letter in name.chars().chain(['_']) {
        let starts = letter.is_ascii_uppercase() && last.is_ascii_lowercase();
        if (!letter.is_ascii_alphanumeric() || starts) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
        last = letter;
    }
    words
}

/// A noun without the `s` of several.
fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ => match word.strip_suffix('s') {
            Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => word.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::admit;

    fn of(names: &[&str]) -> Vec<String> {
        let row = |name: &&str| admit(&format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#)).expect("a tool").row;
        categories(&names.iter().map(row).collect::<Vec<_>>())
    }

    #[test]
    fn tools_about_one_thing_are_one_category() {
        let names = [
            "list_merge_requests",
            "get_merge_request",
            "create_merge_request_note",
            "listIssues",
            "delete-issue",
            "whoami",
        ];
        assert_eq!(of(&names), ["merge_request", "merge_request", "merge_request", "issue", "issue", OTHER]);
        assert_eq!(of(&["git_log", "git_diff", "git_diff_staged"]), [OTHER, "diff", "diff"]);
        assert_eq!(of(&["list_repositories", "get_repository", "get_status"]), ["repository", "repository", OTHER]);
        assert_eq!(of(&["echo"]), [OTHER]);
        assert_eq!(of(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_group_that_the_server_names_is_the_category() {
        let text = r#"{"name":"list_issues","inputSchema":{},"_meta":{"category":"Issue tracking"}}"#;
        assert_eq!(categories(&[admit(text).expect("a tool").row]), ["Issue tracking"]);
    }
}
