//! The list of tools for one grant.
//!
//! Models read the descriptions of tools and often nothing else, so what scripts may access is said there. Callers with the same
//! grant get the same bytes.

use intentbox_engine::CodeGrant;
use intentbox_mcp_wire::tools;
use rmcp::model::{Tool, ToolAnnotations};

/// The tool whose description ends with the grant.
const EXECUTE: &str = "execute_code";

/// The end of a line that is about tools of upstream servers.
const TOOL: &str = " TOOL";

/// The end of a line that is about a directory.
const READ: &str = ": READ";

/// The most lines of the grant that a description has.
const LINES_MAX: usize = 8;

/// The most characters of such a line: a pattern may be long.
const LINE_CHARS_MAX: usize = 200;

/// The tools for a caller whose code has this grant.
pub(crate) fn of(grant: &CodeGrant) -> Vec<Tool> {
    let mut tools = tools::all().to_vec();
    for tool in tools.iter_mut().filter(|tool| tool.name == EXECUTE) {
        let description = tool.description.as_deref().unwrap_or_default();
        tool.description = Some(format!("{description} {}", granted(grant)).into());
        tool.annotations = Some(
            ToolAnnotations::new()
                .read_only(!grant.has_changes)
                .destructive(grant.has_changes)
                .open_world(grant.has_requests),
        );
    }
    tools
}

fn granted(grant: &CodeGrant) -> String {
    if grant.lines.is_empty() {
        return "Nothing is granted: pure computation.".to_owned();
    }
    let (tools, others): (Vec<&str>, Vec<&str>) =
        grant.lines.iter().map(String::as_str).partition(|line| line.ends_with(TOOL));
    let mut said = Vec::new();
    if !others.is_empty() {
        said.extend(usage(&others));
        said.push(format!("Granted: {}.", listed(&others)));
    }
    if !tools.is_empty() {
        let rules: Vec<&str> = tools.iter().filter_map(|line| line.strip_suffix(TOOL)).collect();
        said.push(format!("Tools: {}; tools.search", of_servers(&rules)));
    }
    said.join(" ")
}

/// How scripts reach what is granted: by the first origin and the first directory.
fn usage(lines: &[&str]) -> Option<String> {
    let directory = lines.iter().find_map(|line| line.strip_suffix(READ));
    let origin = lines.iter().find(|line| CodeGrant::is_of_requests(line)).and_then(|line| line.split_once(": "));
    let mut said = Vec::new();
    if let Some((origin, _)) = origin {
        let path = if origin == "sentry" { "/api/0/organizations/ORG/issues/" } else { "/path" };
        said.push(format!("requests.get('{origin}:{path}')"));
    }
    if let Some(alias) = directory {
        said.push(format!(
            "files.list('{alias}:') gives [{{path, bytes}}], files.read_text(path) and files.open(path) read, without await"
        ));
    }
    (!said.is_empty()).then(|| format!("{}.", said.join("; ")))
}

/// Rules about tools, those that say the same of several servers together.
fn of_servers(rules: &[&str]) -> String {
    let with = |end: &str| -> Vec<&str> { rules.iter().filter_map(|rule| rule.strip_suffix(end)).collect() };
    let (reading, whole) = (with(": read-only"), with(": *"));
    let named = rules.iter().filter(|rule| !rule.ends_with(": read-only") && !rule.ends_with(": *"));
    let mut said: Vec<String> = named.map(|rule| (*rule).to_owned()).collect();
    if !whole.is_empty() {
        said.push(whole.join(", "));
    }
    if !reading.is_empty() {
        said.push(format!("{} to read", reading.join(", ")));
    }
    listed(&said.iter().map(String::as_str).collect::<Vec<_>>())
}

fn listed(lines: &[&str]) -> String {
    let cut = |line: &&str| -> String { line.chars().take(LINE_CHARS_MAX).collect() };
    let shown: Vec<String> = lines.iter().take(LINES_MAX).map(cut).collect();
    let more = lines.len() - shown.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

#[cfg(test)]
mod tests {
    use bpe_openai::o200k_base;
    use serde_json::{Value, json};

    use super::*;

    /// What the list may cost with the grant of the demo, in tokens of `o200k_base`. Schemas of answers do not count: hosts keep
    /// them from their models.
    const TOKENS_MAX: usize = 400;

    fn demo() -> CodeGrant {
        let lines = vec!["sentry: GET,HEAD /** (organization=demo)".to_owned()];
        CodeGrant { lines, has_requests: true, has_changes: false }
    }

    fn directories() -> CodeGrant {
        let lines = vec!["data: READ".to_owned(), "logs: READ".to_owned()];
        CodeGrant { lines, has_requests: false, has_changes: false }
    }

    #[test]
    fn the_description_shows_how_the_first_origin_and_the_first_directory_are_used() {
        let both = ["logs: READ", "api: GET /**"];
        for (lines, expected) in [
            (&["sentry: GET /**"][..], Some("requests.get('sentry:/api/0/organizations/ORG/issues/').")),
            (
                &both,
                Some(
                    "requests.get('api:/path'); files.list('logs:') gives [{path, bytes}], files.read_text(path) and \
                     files.open(path) read, without await.",
                ),
            ),
            (&["git: read-only TOOL"], None),
            (&[], None),
        ] {
            assert_eq!(usage(lines).as_deref(), expected);
        }
    }

    /// The tools of five upstream servers, those that only read.
    fn five_servers() -> CodeGrant {
        let names = ["everything", "filesystem", "git", "memory", "time"];
        let lines = names.map(|name| format!("{name}: read-only TOOL"));
        CodeGrant { lines: lines.to_vec(), has_requests: true, has_changes: false }
    }

    #[test]
    fn the_list_costs_few_tokens() {
        for grant in [demo(), five_servers(), directories()] {
            let mut list = json!({"tools": of(&grant)});
            for tool in list["tools"].as_array_mut().expect("it is a list") {
                tool.as_object_mut().expect("it is a tool").remove("outputSchema");
            }
            let list = list.to_string();
            let tokens = o200k_base().count(&list);
            println!("{tokens} tokens: {list}");
            assert!(tokens <= TOKENS_MAX, "{tokens} tokens");
        }
    }

    #[test]
    fn the_description_of_execute_code_ends_with_what_is_granted() {
        let lines = |count: usize| (0..count).map(|line| format!("a{line}: GET /")).collect::<Vec<_>>();
        let many = format!("Granted: {}; and 1 more.", lines(LINES_MAX).join("; "));
        for (grant, end, hints) in [
            (CodeGrant::default(), "Nothing is granted: pure computation.", [true, false, false]),
            (demo(), "Granted: sentry: GET,HEAD /** (organization=demo).", [true, false, true]),
            (
                CodeGrant { lines: lines(1), has_requests: true, has_changes: true },
                "Granted: a0: GET /.",
                [false, true, true],
            ),
            (
                five_servers(),
                "Tools: everything, filesystem, git, memory, time to read; tools.search",
                [true, false, true],
            ),
            (CodeGrant { lines: lines(LINES_MAX + 1), ..CodeGrant::default() }, &many, [true, false, false]),
        ] {
            let tools = serde_json::to_value(of(&grant)).expect("tools can be written");
            let description = tools[0]["description"].as_str().unwrap_or_default();
            assert!(description.ends_with(end), "{description}");
            let [read_only, destructive, open] = hints;
            let expected = json!({"readOnlyHint": read_only, "destructiveHint": destructive, "openWorldHint": open});
            assert_eq!(tools[0]["annotations"], expected, "{end}");
        }
    }

    #[test]
    fn the_other_tools_are_the_same_for_every_grant() {
        let others = |grant: &CodeGrant| -> Vec<Value> {
            of(grant)[1..].iter().map(|tool| serde_json::to_value(tool).expect("it can be written")).collect()
        };
        assert_eq!(others(&demo()), others(&CodeGrant::default()));
    }
}
