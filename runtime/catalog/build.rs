//! Rebuilds the crate when a template file is added or removed.
//!
//! `include_dir!` tells cargo about the files it read, and so not about a file that was not there yet.

fn main() {
    println!("cargo::rerun-if-changed=../../templates");
}
