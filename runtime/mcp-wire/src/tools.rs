//! The list of tools as it is sent to clients.
//!
//! The output schemas declare every field that an answer can have: typed clients drop a field that is not declared.

use std::sync::LazyLock;

use rmcp::model::Tool;

/// The list is data: its bytes are an interface, and every word outside the output schemas is paid for by every model in
/// every session.
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
    use rmcp::model::ListToolsResult;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_list_is_sent_as_it_is_written() {
        let written: Value = serde_json::from_str(LIST).expect("the list is JSON");
        let sent = ListToolsResult::with_all_items(all().to_vec());
        assert_eq!(serde_json::to_value(sent).expect("it can be written")["tools"], written);
    }

    /// Clients that convert schemas for a model reject an object that declares nothing, and models guess what is in it.
    #[test]
    fn limits_declare_their_names_and_stay_open_for_the_others() {
        let tool = all().iter().find(|tool| tool.name == "execute_code").expect("it is a tool");
        let limits = &tool.input_schema["properties"]["limits"];
        let declared = limits["properties"].as_object().expect("they are declared");
        assert_eq!(declared.keys().collect::<Vec<_>>(), ["wall_ms", "memory_bytes", "fuel", "host_calls"]);
        assert!(declared.values().all(|limit| limit["type"] == "integer"), "{limits}");
        assert_eq!(limits.get("additionalProperties"), None);
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
