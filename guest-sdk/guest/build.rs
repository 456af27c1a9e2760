//! Freezes `../python` into the guest: the macro that compiles it cannot tell cargo which files it read.

fn main() {
    println!("cargo::rerun-if-changed=../python");
}
