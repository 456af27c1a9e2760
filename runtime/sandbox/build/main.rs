//! Turns the guest into native code: its own file functions in place of WASI's, a snapshot after boot, and Cranelift.
//! The build script of `guest-wasm` makes the wasm file, so that `cargo run` is enough.
//!
//! Every step reports to the terminal, because cargo hides a build script's own output.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

#[path = "../src/tuning.rs"]
mod tuning;

mod adopt;
mod pieces;
mod snapshot;
#[path = "../../guest-wasm/build/terminal.rs"]
mod terminal;

use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    let crate_root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let wasm = PathBuf::from(std::env::var_os("DEP_INTENTBOX_GUEST_WASM").expect("`guest-wasm` says where it is"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={}", wasm.display());
    for watched in ["build", "src/tuning.rs"] {
        println!("cargo::rerun-if-changed={}", crate_root.join(watched).display());
    }
    if let Err(problem) = embed(&wasm, &out) {
        for line in problem.lines() {
            println!("cargo::error={line}");
        }
        exit(1);
    }
}

fn embed(wasm: &Path, out: &Path) -> Result<(), String> {
    let wasm = std::fs::read(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?;
    let wasm = adopt::adopt(&wasm)?;
    let snapshot = snapshot::take(&wasm).map_err(|error| format!("the snapshot of the guest failed: {error:?}"))?;
    let code = snapshot::compile(&snapshot).map_err(|error| format!("compiling the guest failed: {error:?}"))?;
    std::fs::write(out.join("guest.cwasm"), code).map_err(|error| format!("{}: {error}", out.display()))
}
