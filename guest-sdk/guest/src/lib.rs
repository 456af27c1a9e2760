//! RustPython as a wasm reactor: one instance, one script, one answer.
//!
//! At build time the host calls `wizer-initialize`, which boots the interpreter, imports what scripts usually want and
//! runs a little of everything; the memory that leaves behind is the snapshot every run starts from. At run time the
//! host writes a [`Start`](intentbox_abi::Start) where [`prepare`](boot) tells it to, calls `run`, and reads an
//! [`Ended`](intentbox_abi::Ended). An instance runs one script and is thrown away.
//!
//! - [`boot`]: the snapshot and the exports. [`world`]: what a script finds.
//! - [`script`]: compiles and runs the script, in its own `__main__`.
//! - [`answer`]: the script's value as JSON text, within the run's bounds.
//! - [`traceback`]: an exception as text that names the script's own lines.
//! - [`host`]: the imports, and the native module under the `intentbox` Python package.
//! - [`logs`] and [`tables`]: scans of logs and tables. [`files`]: the script's scratch directory, behind WASI's file
//!   functions. [`pause`]: its waiting.
//! - [`immortal`]: objects of the snapshot that nobody counts. [`memory`]: what happens when the allocator finds nothing.

mod answer;
mod boot;
mod files;
mod host;
mod immortal;
mod logs;
mod memory;
mod pause;
mod script;
mod tables;
mod traceback;
mod world;
