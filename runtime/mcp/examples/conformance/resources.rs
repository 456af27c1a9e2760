//! The resources: two that are read, one to subscribe to, and a template.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::sample;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

/// The address of every resource that the template describes.
pub(crate) const TEMPLATE: &str = "test://template/{id}/data";
const TEMPLATE_START: &str = "test://template/";
const TEMPLATE_END: &str = "/data";

pub(crate) fn all() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "static text").with_description("A text that never changes").with_mime_type("text/plain"),
        Resource::new(BINARY, "static image").with_description("A red pixel").with_mime_type("image/png"),
        Resource::new(WATCHED, "watched text").with_description("A text to subscribe to").with_mime_type("text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TEMPLATE, "data by id")
            .with_description("An object that names the id it was asked for")
            .with_mime_type("application/json"),
    ]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri),
        BINARY => ResourceContents::blob(sample::PNG, uri).with_mime_type("image/png"),
        WATCHED => ResourceContents::text("This is the content of the watched resource.", uri),
        _ => {
            let id = uri.strip_prefix(TEMPLATE_START).and_then(|rest| rest.strip_suffix(TEMPLATE_END));
            let Some(id) = id.filter(|id| !id.is_empty() && !id.contains('/')) else {
                return Err(ErrorData::resource_not_found("no such resource", Some(json!({ "uri": uri }))));
            };
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
