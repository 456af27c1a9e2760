//! Builds the guest with a cargo of its own, and hands the path of the wasm file to the build script of `sandbox`.
//!
//! Every step reports to the terminal, because cargo hides a build script's own output; the first build takes minutes.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

mod cargo;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    let crate_root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let guest_sdk = crate_root.join("../../guest-sdk");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    for watched in ["guest", "abi", "logs", "scratch", "tables", "python", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", guest_sdk.join(watched).display());
    }
    println!("cargo::rerun-if-changed={}", crate_root.join("build").display());
    match built(&guest_sdk, &out) {
        Ok(wasm) => println!("cargo::metadata=wasm={}", wasm.display()),
        Err(problem) => {
            for line in problem.lines() {
                println!("cargo::error={line}");
            }
            exit(1);
        }
    }
}

fn built(guest_sdk: &Path, out: &Path) -> Result<PathBuf, String> {
    // target/release/build/intentbox-guest-wasm-…/out: the guest's artefacts live beside `release`, shared by all builds.
    let target = out.ancestors().nth(4).ok_or("OUT_DIR is not where cargo puts it")?.join("guest");
    cargo::add_wasm_target()?;
    let built = cargo::build(guest_sdk, &target)?;
    // A copy of its own: another build may replace the file that all of them share.
    let wasm = out.join("guest.wasm");
    std::fs::copy(&built, &wasm).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(wasm)
}
