//! The guest as a wasm file. The build script does all of the work.
//!
//! It is a crate of its own so that cargo begins with it: building the guest takes longer than anything else and needs
//! nothing of the host's crates, while `sandbox`, which embeds it, depends on wasmtime and Cranelift.
