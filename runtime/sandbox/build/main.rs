//! Builds the guest and turns it into native code: cargo for the wasm, its own files in place of WASI's, a snapshot after
//! boot, Cranelift for the rest.
//!
//! The crate that embeds the guest builds it, so that `cargo run` is all anybody types. Every step says on the terminal
//! what it is doing (cargo hides a build script's own output); the first build takes minutes.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

#[path = "../src/tuning.rs"]
mod tuning;

mod adopt;
mod guest;
mod pieces;
mod snapshot;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    let crate_root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let guest_sdk = crate_root.join("../../guest-sdk");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    for watched in ["guest", "abi", "logs", "scratch", "python", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", guest_sdk.join(watched).display());
    }
    for watched in ["build", "src/tuning.rs"] {
        println!("cargo::rerun-if-changed={}", crate_root.join(watched).display());
    }
    if let Err(problem) = embed(&guest_sdk, &out) {
        for line in problem.lines() {
            println!("cargo::error={line}");
        }
        exit(1);
    }
}

fn embed(guest_sdk: &Path, out: &Path) -> Result<(), String> {
    // target/release/build/intentbox-sandbox-…/out: the guest's artefacts live beside `release`, shared by all builds.
    let target = out.ancestors().nth(4).ok_or("OUT_DIR is not where cargo puts it")?.join("guest");
    guest::add_wasm_target()?;
    let wasm = guest::build(guest_sdk, &target)?;
    let wasm = adopt::adopt(&wasm)?;
    let snapshot = snapshot::take(&wasm).map_err(|error| format!("the snapshot of the guest failed: {error:?}"))?;
    let code = snapshot::compile(&snapshot).map_err(|error| format!("compiling the guest failed: {error:?}"))?;
    std::fs::write(out.join("guest.cwasm"), code).map_err(|error| format!("{}: {error}", out.display()))
}
