//! Templates that an operator publishes: every server with the same store answers with them.

use std::collections::BTreeMap;

use intentbox_catalog::json::parse_value;
use intentbox_store::{JobStore, PublishedTemplates, StoreError};
use serde_json::Value;

use crate::request::sha256;

/// The most bytes of all files together.
pub const PUBLISHED_BYTES_MAX: usize = 8 << 20;

/// Publishes templates: the text of each file by its path, such as `mine/first/template.toml`. No files take back what was published.
/// Returns the SHA-256 of what is kept in hexadecimal.
///
/// # Errors
///
/// It cannot be written.
pub async fn publish(store: &JobStore, files: &BTreeMap<String, String>) -> Result<String, StoreError> {
    let files = serde_json::json!(files).to_string();
    let digest = sha256(files.as_bytes());
    store.publish(PublishedTemplates { digest: digest.clone(), files }).await?;
    Ok(digest)
}

/// What is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The digest of the files.
    pub digest: String,
    /// The text of each file by its path; nothing where this version cannot read what another one published.
    pub files: Option<BTreeMap<String, String>>,
}

/// The files that a text holds, if all of it are files.
fn files(text: &str) -> Option<BTreeMap<String, String>> {
    let Ok(Value::Object(files)) = parse_value(text) else { return None };
    let text = |value: Value| if let Value::String(text) = value { Some(text) } else { None };
    files.into_iter().map(|(path, value)| Some((path, text(value)?))).collect()
}

/// What was published last, unless it is what `known` is the digest of; nothing where nothing was published.
///
/// # Errors
///
/// It cannot be read.
pub async fn published(store: &JobStore, known: &str) -> Result<Option<Published>, StoreError> {
    let published = store.published(known).await?;
    Ok(published.map(|published| Published { files: files(&published.files), digest: published.digest }))
}
