//! The list of tools as it is sent to clients.

use std::sync::LazyLock;

use rmcp::model::Tool;

/// The list is data: its bytes are an interface, and every word of it is paid for by every model in every session.
const LIST: &str = include_str!("tools.json");

static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| serde_json::from_str::<Vec<Tool>>(LIST).unwrap_or_else(|error| panic!("tools.json: {error}")));

/// All tools, in their order.
#[must_use]
pub fn all() -> &'static [Tool] {
    &TOOLS
}

#[cfg(test)]
mod tests {
    use bpe_openai::o200k_base;
    use rmcp::model::ListToolsResult;
    use serde_json::{Value, json};

    use super::*;

    /// What the whole list may cost, in tokens of `o200k_base`.
    const TOKENS_MAX: usize = 400;

    #[test]
    fn the_list_costs_few_tokens() {
        let list = json!({"tools": all()}).to_string();
        let tokens = o200k_base().count(&list);
        println!("{tokens} tokens: {list}");
        assert!(tokens <= TOKENS_MAX, "{tokens} tokens");
    }

    #[test]
    fn the_list_is_sent_as_it_is_written() {
        let written: Value = serde_json::from_str(LIST).expect("the list is JSON");
        let sent = ListToolsResult::with_all_items(all().to_vec());
        assert_eq!(serde_json::to_value(sent).expect("it can be written")["tools"], written);
    }

    #[test]
    fn every_schema_is_closed_about_what_comes_in_and_open_about_what_goes_out() {
        for tool in all() {
            assert_eq!(tool.input_schema.get("additionalProperties"), Some(&json!(false)), "{}", tool.name);
            let output = tool.output_schema.as_ref().expect("clients are told what comes back");
            assert_eq!(output.get("type"), Some(&json!("object")), "{}", tool.name);
            assert_eq!(output.get("additionalProperties"), None, "{}", tool.name);
        }
    }
}
