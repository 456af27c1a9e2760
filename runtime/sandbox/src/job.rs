//! The input of a run: the script, its values, its limits and its owner.

use intentbox_verdict::Limits;
use serde::{Deserialize, Serialize};

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
        let limits = Limits::default();
        Job { script, params, limits, deterministic: None, owner: Owner::default(), author: Author::Operator }
    }

    /// The bytes that are held for the job as long as it runs.
    pub(crate) fn bytes(&self) -> u64 {
        let module =
            self.script.module().map_or(0, |module| module.source.len() + module.bytecode.map_or(0, <[u8]>::len));
        (self.script.source().len() + module + self.params.len()) as u64
    }
}
