//! The limits of a run, its ending, and the validation of a guest's last message.
//!
//! These are the decisions of the sandbox that need no guest: pure functions and plain values, so that tests and the fuzz
//! target `result` build them without wasmtime. `intentbox-sandbox` runs scripts and re-exports the values.
//!
//! - [`limits`]: what a run may use, with defaults and ceilings in one place. - `ending`: how runs end.
//! - [`answer`]: from the bytes of a guest to an ending.
//! - `oracle`, for tests and the fuzz target: properties of every ending.

pub mod answer;
mod ending;
pub mod limits;
#[cfg(any(test, fuzzing))]
pub mod oracle;

pub use crate::ending::{Ended, Ending, Exception, Exhausted, Output, Resource, Spent, Tenancy};
pub use crate::limits::{LimitOutOfBounds, Limits, NoSuchLimit};
