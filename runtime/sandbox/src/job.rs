//! The input of a run: the script, its values, its limits and its owner.

use intentbox_verdict::Limits;
use serde::{Deserialize, Serialize};

use crate::budget::Needs;
use crate::script::Script;
use crate::shares::Owner;

/// One script with its input, and what it may use.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// The script.
    pub script: &'a Script,
    /// `params`: JSON text of an object.
    pub params: &'a str,
    /// What the run may use.
    pub limits: Limits,
    /// Where time and randomness come from, when they must not be the machine's.
    pub deterministic: Option<Deterministic>,
    /// Whose run it is.
    pub owner: Owner,
    /// Who wrote the script.
    pub author: Author,
    /// Whether it begins only when there is all the memory that its limit lets it use, or all that there is. What it writes and is
    /// answered is charged besides.
    pub reserves_memory: bool,
}

/// Who wrote a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The operator, whose templates are trusted.
    Operator,
    /// The owner of the run. It may be an attack.
    Owner,
}

/// A time and a seed instead of the machine's: two runs of the same job then give the same answer and the same output,
/// byte for byte, and burn the same fuel. What the outside answers is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deterministic {
    /// All randomness of the run comes from it.
    pub seed: u64,
    /// The time at which the run starts, in nanoseconds after 1970. Sleeping passes at once.
    pub unix_ns: u64,
}

impl<'a> Job<'a> {
    /// A job under the default limits, at the machine's own time.
    #[must_use]
    pub fn new(script: &'a Script, params: &'a str) -> Job<'a> {
        let (limits, owner, author) = (Limits::default(), Owner::default(), Author::Operator);
        Job { script, params, limits, deterministic: None, owner, author, reserves_memory: false }
    }

    /// The memory that the job needs at its start.
    pub(crate) fn needs(&self) -> Needs {
        let module =
            self.script.module().map_or(0, |module| module.source.len() + module.bytecode.map_or(0, <[u8]>::len));
        let input_bytes = (self.script.source().len() + module + self.params.len()) as u64;
        Needs { input_bytes, reserved_bytes: if self.reserves_memory { self.limits.memory_bytes } else { 0 } }
    }
}
