//! What a run may use: always something, never everything.

use std::time::Duration;

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

/// Linear memory in all, in bytes. The interpreter itself stands in some 40 MiB of it, shared until written.
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

/// What one run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Limits {
    /// Checks every limit against its bounds.
    ///
    /// # Errors
    /// The first limit that lies outside.
    pub fn check(self) -> Result<Limits, LimitOutOfBounds> {
        let pairs = [
            (FUEL, self.fuel),
            (WALL_MS, self.wall_ms),
            (MEMORY_BYTES, self.memory_bytes),
            (STDOUT_BYTES, self.stdout_bytes),
            (STDERR_BYTES, self.stderr_bytes),
            (RESULT_BYTES, self.result_bytes),
            (RESULT_DEPTH, self.result_depth),
            (HOST_CALLS, self.host_calls),
            (SCRIPT_BYTES, self.script_bytes),
            (PARAMS_BYTES, self.params_bytes),
        ];
        for (Bounds { name, least, most, .. }, asked) in pairs {
            if !(least..=most).contains(&asked) {
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
