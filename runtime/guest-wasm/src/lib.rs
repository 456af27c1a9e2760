//! The guest as a wasm file. All of it happens in the build script.
//!
//! It is a crate of its own so that cargo begins with it: building the guest takes longer than anything else and needs nothing
//! of the host's crates, while `sandbox`, which embeds it, stands on wasmtime and Cranelift.
