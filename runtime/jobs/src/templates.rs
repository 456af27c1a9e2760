//! Templates that an operator publishes: every server with the same store answers with them.

use std::collections::BTreeMap;

use intentbox_catalog::json::parse_value;
use intentbox_store::{JobStore, PUBLISHED_FILES_BYTES_MAX, PublishedTemplates, StoreError};
use serde_json::Value;

use crate::request::sha256;

/// Publishes templates: the text of each file by its path, such as `mine/first/template.toml`. No files take back what was published.
/// Returns the SHA-256 of what is kept in hexadecimal.
///
/// # Errors
///
/// It cannot be written.
pub async fn publish(store: &JobStore, files: &BTreeMap<String, String>) -> Result<String, StoreError> {
    let files = encoded(files);
    let digest = sha256(files.as_bytes());
    store.publish(PublishedTemplates { digest: digest.clone(), files }).await?;
    Ok(digest)
}

/// Files as they are kept.
fn encoded(files: &BTreeMap<String, String>) -> String {
    serde_json::json!(files).to_string()
}

/// Whether files are few enough to be published, by their bytes as they are kept.
#[must_use]
pub fn may_be_published(files: &BTreeMap<String, String>) -> bool {
    encoded(files).len() <= PUBLISHED_FILES_BYTES_MAX as usize
}

/// What is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The digest of the files.
    pub digest: String,
    /// The text of each file by its path; nothing where this version cannot read what another one published, and where the digest is
    /// another's.
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
    Ok(published.map(|PublishedTemplates { digest, files: text }| {
        let is_whole = sha256(text.as_bytes()) == digest;
        Published { files: is_whole.then(|| files(&text)).flatten(), digest }
    }))
}
