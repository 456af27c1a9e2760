//! What a run may use: always something, never everything.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One limit: its unit, what holds when nobody says otherwise, and what nobody may exceed.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The name, unit included, such as `memory_bytes`.
    pub name: &'static str,
    /// The least that makes sense.
    pub least: u64,
    /// What holds by default.
    pub default: u64,
    /// The hard ceiling.
    pub most: u64,
}

/// Fuel: about one unit per wasm instruction. A core burns some ten billion a second, so the default is some ten seconds
/// of one core and the ceiling a quarter of an hour.
pub const FUEL: Bounds = Bounds { name: "fuel", least: 10_000_000, default: 100_000_000_000, most: 10_000_000_000_000 };

/// Wall time from start to answer, host calls and sleeps included, in milliseconds.
pub const WALL_MS: Bounds = Bounds { name: "wall_ms", least: 10, default: 30_000, most: 600_000 };

/// Linear memory in all, in bytes. The interpreter itself stands in some 51 MiB of it, shared until written.
pub const MEMORY_BYTES: Bounds = Bounds { name: "memory_bytes", least: 64 << 20, default: 256 << 20, most: 1 << 30 };

/// Bytes on stdout.
pub const STDOUT_BYTES: Bounds = Bounds { name: "stdout_bytes", least: 0, default: 1 << 20, most: 16 << 20 };

/// Bytes on stderr.
pub const STDERR_BYTES: Bounds = Bounds { name: "stderr_bytes", least: 0, default: 256 << 10, most: 16 << 20 };

/// Bytes of the answer as JSON text.
pub const RESULT_BYTES: Bounds = Bounds { name: "result_bytes", least: 16, default: 1 << 20, most: 16 << 20 };

/// Levels of lists and objects in the answer. The ceiling stays below the 128 at which common JSON parsers stop.
pub const RESULT_DEPTH: Bounds = Bounds { name: "result_depth", least: 0, default: 64, most: 100 };

/// Calls to the host.
pub const HOST_CALLS: Bounds = Bounds { name: "host_calls", least: 0, default: 1_000, most: 1_000_000 };

/// Bytes of a script's source. A megabyte is some 30,000 lines.
pub const SCRIPT_BYTES: Bounds = Bounds { name: "script_bytes", least: 1, default: 1 << 20, most: 4 << 20 };

/// Bytes of `params` as JSON text.
pub const PARAMS_BYTES: Bounds = Bounds { name: "params_bytes", least: 2, default: 4 << 20, most: 32 << 20 };

/// Bytes of all files in the run's scratch directory. They lie in the guest's memory and count against it too.
pub const SCRATCH_BYTES: Bounds = Bounds { name: "scratch_bytes", least: 0, default: 64 << 20, most: 512 << 20 };

/// Files and directories in the run's scratch directory.
pub const SCRATCH_ENTRIES: Bounds = Bounds { name: "scratch_entries", least: 0, default: 10_000, most: 100_000 };

/// Every limit, in the order in which they are documented.
pub const ALL: [Bounds; 12] = [
    FUEL,
    WALL_MS,
    MEMORY_BYTES,
    STDOUT_BYTES,
    STDERR_BYTES,
    RESULT_BYTES,
    RESULT_DEPTH,
    HOST_CALLS,
    SCRIPT_BYTES,
    PARAMS_BYTES,
    SCRATCH_BYTES,
    SCRATCH_ENTRIES,
];

/// What one run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// See [`FUEL`].
    pub fuel: u64,
    /// See [`WALL_MS`].
    pub wall_ms: u64,
    /// See [`MEMORY_BYTES`].
    pub memory_bytes: u64,
    /// See [`STDOUT_BYTES`].
    pub stdout_bytes: u64,
    /// See [`STDERR_BYTES`].
    pub stderr_bytes: u64,
    /// See [`RESULT_BYTES`].
    pub result_bytes: u64,
    /// See [`RESULT_DEPTH`].
    pub result_depth: u64,
    /// See [`HOST_CALLS`].
    pub host_calls: u64,
    /// See [`SCRIPT_BYTES`].
    pub script_bytes: u64,
    /// See [`PARAMS_BYTES`].
    pub params_bytes: u64,
    /// See [`SCRATCH_BYTES`].
    pub scratch_bytes: u64,
    /// See [`SCRATCH_ENTRIES`].
    pub scratch_entries: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: FUEL.default,
            wall_ms: WALL_MS.default,
            memory_bytes: MEMORY_BYTES.default,
            stdout_bytes: STDOUT_BYTES.default,
            stderr_bytes: STDERR_BYTES.default,
            result_bytes: RESULT_BYTES.default,
            result_depth: RESULT_DEPTH.default,
            host_calls: HOST_CALLS.default,
            script_bytes: SCRIPT_BYTES.default,
            params_bytes: PARAMS_BYTES.default,
            scratch_bytes: SCRATCH_BYTES.default,
            scratch_entries: SCRATCH_ENTRIES.default,
        }
    }
}

/// A limit outside its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {asked} is outside {least}..={most}")]
pub struct LimitOutOfBounds {
    /// Which limit.
    pub name: &'static str,
    /// What was asked for.
    pub asked: u64,
    /// The least that is allowed.
    pub least: u64,
    /// The most that is allowed.
    pub most: u64,
}

/// A name that is no limit's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no limit `{name}`; there are {}", ALL.map(|bounds| bounds.name).join(", "))]
pub struct NoSuchLimit {
    /// What was asked for.
    pub name: String,
}

impl Limits {
    /// Sets the limit called `name`, unit included, such as `stdout_bytes`. [`Limits::check`] has the last word on values.
    ///
    /// # Errors
    /// When no limit has that name.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), NoSuchLimit> {
        *self.field(name).ok_or_else(|| NoSuchLimit { name: name.to_owned() })? = value;
        Ok(())
    }

    fn field(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "fuel" => &mut self.fuel,
            "wall_ms" => &mut self.wall_ms,
            "memory_bytes" => &mut self.memory_bytes,
            "stdout_bytes" => &mut self.stdout_bytes,
            "stderr_bytes" => &mut self.stderr_bytes,
            "result_bytes" => &mut self.result_bytes,
            "result_depth" => &mut self.result_depth,
            "host_calls" => &mut self.host_calls,
            "script_bytes" => &mut self.script_bytes,
            "params_bytes" => &mut self.params_bytes,
            "scratch_bytes" => &mut self.scratch_bytes,
            "scratch_entries" => &mut self.scratch_entries,
            _ => return None,
        })
    }

    /// Checks every limit against its bounds.
    ///
    /// # Errors
    /// The first limit that lies outside.
    pub fn check(mut self) -> Result<Limits, LimitOutOfBounds> {
        for Bounds { name, least, most, .. } in ALL {
            // Every limit has a field: a test sets them all.
            if let Some(&mut asked) = self.field(name)
                && !(least..=most).contains(&asked)
            {
                return Err(LimitOutOfBounds { name, asked, least, most });
            }
        }
        Ok(self)
    }

    /// The wall deadline as a duration.
    #[must_use]
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_lie_within_their_bounds() {
        assert!(Limits::default().check().is_ok());
    }

    #[test]
    fn every_limit_can_be_set_by_its_name_and_keeps_its_bounds() {
        for bounds in ALL {
            for (value, fits) in [(bounds.least, true), (bounds.most, true), (bounds.most + 1, false)] {
                let mut limits = Limits::default();
                limits.set(bounds.name, value).expect("it is in the list");
                assert_eq!(limits.check().is_ok(), fits, "{} = {value}", bounds.name);
            }
        }
        assert!(Limits::default().set("patience", 1).is_err());
    }

    #[test]
    fn the_last_value_allowed_and_the_first_refused() {
        let memory = |memory_bytes| Limits { memory_bytes, ..Limits::default() }.check();
        assert!(memory(64 << 20).is_ok());
        assert!(memory(1 << 30).is_ok());
        let low = LimitOutOfBounds { name: "memory_bytes", asked: (64 << 20) - 1, least: 64 << 20, most: 1 << 30 };
        assert_eq!(memory((64 << 20) - 1), Err(low));
        assert_eq!(low.to_string(), "memory_bytes = 67108863 is outside 67108864..=1073741824");
        assert!(memory((1 << 30) + 1).is_err());
    }
}
