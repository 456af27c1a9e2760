//! The list of tools for one grant.
//!
//! Models read the descriptions of tools and often nothing else, so what scripts may access is said there. Callers with the same
//! grant get the same bytes.

use intentbox_engine::CodeGrant;
use intentbox_mcp_wire::tools;
use rmcp::model::{Tool, ToolAnnotations};

/// The tool whose description ends with the grant.
const EXECUTE: &str = "execute_code";

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
    let cut = |line: &String| -> String { line.chars().take(LINE_CHARS_MAX).collect() };
    let lines: Vec<String> = grant.lines.iter().take(LINES_MAX).map(cut).collect();
    let more = grant.lines.len() - lines.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("Granted: {}{more}.", lines.join("; "))
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

    #[test]
    fn the_list_costs_few_tokens() {
        let mut list = json!({"tools": of(&demo())});
        for tool in list["tools"].as_array_mut().expect("it is a list") {
            tool.as_object_mut().expect("it is a tool").remove("outputSchema");
        }
        let list = list.to_string();
        let tokens = o200k_base().count(&list);
        println!("{tokens} tokens: {list}");
        assert!(tokens <= TOKENS_MAX, "{tokens} tokens");
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
