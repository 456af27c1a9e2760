//! Invariants of the repository that no compiler checks: crates, lock files, documents and sources.

mod documents;
mod locks;
mod manifests;
mod sources;
