//! Compiles `guest-sdk` to a wasm file: adds the target, and runs a second cargo.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::terminal::tell;

const TARGET: &str = "wasm32-wasip1";

/// Makes sure that the toolchain in use can compile to wasm, adding the target where it is missing.
pub(crate) fn add_wasm_target() -> Result<(), String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = Command::new(rustc).args(["--print", "sysroot"]).output();
    let sysroot = sysroot.map_err(|error| format!("rustc does not start: {error}"))?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    let installed = || sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir();
    if installed() {
        return Ok(());
    }
    let toolchain = std::env::var("RUSTUP_TOOLCHAIN").unwrap_or_default();
    let mut arguments = vec!["target", "add", TARGET];
    if !toolchain.is_empty() {
        arguments.extend(["--toolchain", &toolchain]);
    }
    let command = format!("rustup {}", arguments.join(" "));
    tell(&format!("the {TARGET} target is missing: running `{command}`"));
    println!("cargo::warning=the {TARGET} target was missing; added it with `{command}`");
    let added = Command::new("rustup").args(&arguments).stdin(Stdio::null()).output();
    match added {
        Ok(output) if output.status.success() && installed() => Ok(()),
        Ok(output) => Err(format!(
            "the guest needs the {TARGET} target and `{command}` did not install it:\n{}\ntype: {command}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!(
            "the guest needs the {TARGET} target and rustup does not start ({error});\n\
             install rustup, then type: {command}"
        )),
    }
}

/// Runs cargo for the guest's own workspace and gives the path of the wasm file that it made.
pub(crate) fn build(guest_sdk: &Path, target_directory: &Path) -> Result<PathBuf, String> {
    tell("building RustPython for wasm (the first time takes about five minutes on two cores)");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(guest_sdk)
        .args(["build", "--release", "--locked", "--package", "intentbox-guest", "--target", TARGET])
        // RustPython 0.6.0 declares a newer compiler than it needs in the release profile.
        .arg("--ignore-rust-version")
        .arg("--target-dir")
        .arg(target_directory);
    // What the outer cargo was told must not leak into the inner one. The job server stays: both share the cores.
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        let outer = ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PKG_", "CARGO_TARGET_"];
        let single = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC"];
        let described = ["TARGET", "HOST", "OUT_DIR", "OPT_LEVEL", "PROFILE", "DEBUG", "NUM_JOBS", "RUSTDOC"];
        if outer.iter().any(|prefix| name.starts_with(prefix)) || single.contains(&name) || described.contains(&name) {
            cargo.env_remove(name);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rustflags(guest_sdk).join("\x1f"));
    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    let mut log = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("piped above")).lines().map_while(Result::ok) {
        tell(line.trim());
        log.push(line);
    }
    let status = child.wait().map_err(|error| format!("cargo was lost: {error}"))?;
    if !status.success() {
        return Err(format!("building the guest failed:\n{}", log.join("\n")));
    }
    Ok(target_directory.join(TARGET).join("release/intentbox_guest.wasm"))
}

fn rustflags(guest_sdk: &Path) -> Vec<String> {
    let mut flags = vec![
        "-Ctarget-feature=+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals".to_owned(),
        // RustPython assumes 8 MiB of native stack; see `tuning::WASM_STACK_BYTES`.
        "-Clink-arg=-zstack-size=16777216".to_owned(),
    ];
    // What the interpreter prints when it gives up names source files: none of this machine may end up in the guest, so
    // that files are named from their crate on. The last prefix that fits wins.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.unwrap_or_default().join("registry/src");
    let mut prefixes = vec![guest_sdk.canonicalize().unwrap_or_else(|_| guest_sdk.to_owned()), sources.clone()];
    let registries = std::fs::read_dir(sources).into_iter().flatten().flatten();
    let mut registries: Vec<_> = registries.map(|registry| registry.path()).collect();
    registries.sort();
    prefixes.extend(registries);
    flags.extend(prefixes.iter().map(|prefix| format!("--remap-path-prefix={}=", prefix.display())));
    flags
}
