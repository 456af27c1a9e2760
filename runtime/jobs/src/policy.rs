//! The policy that jobs run under. Its file is the source: what is kept with the jobs says later what it was.

use intentbox_store::{JobStore, PolicyVersion, StoreError};

use crate::request::sha256;

/// Keeps the text of a policy. Each attempt that this process begins from then on names the digest, which is returned: the SHA-256 of
/// the text in hexadecimal.
///
/// # Errors
///
/// It cannot be written.
pub async fn keep_policy(store: &JobStore, text: String) -> Result<String, StoreError> {
    let digest = sha256(text.as_bytes());
    store.keep_policy(digest.clone(), text).await?;
    Ok(digest)
}

/// The policies that were kept, the newest first, or those among them whose digest begins so.
///
/// # Errors
///
/// They cannot be read.
pub async fn policies(store: &JobStore, digest: &str) -> Result<Vec<PolicyVersion>, StoreError> {
    let mut versions = store.policies().await?;
    versions.retain(|version| version.digest.starts_with(digest));
    Ok(versions)
}
