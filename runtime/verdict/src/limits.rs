//! The limits of a run: each has a default and a ceiling.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One limit: its unit, its default, and its bounds.
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

/// One row a limit: the constant with its bounds, and the field of [`Limits`].
macro_rules! limits {
    ($($(#[$doc:meta])+ $bounds:ident, $field:ident: $least:expr, $default:expr, $most:expr;)+) => {
        $(
            $(#[$doc])+
            pub const $bounds: Bounds =
                Bounds { name: stringify!($field), least: $least, default: $default, most: $most };
        )+

        /// Every limit, in the order in which they are documented.
        pub const ALL: &[Bounds] = &[$($bounds,)+];

        /// What one run may use.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Limits {
            $(
                $(#[$doc])+
                pub $field: u64,
            )+
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($field: $bounds.default,)+ }
            }
        }

        impl Limits {
            fn field(&mut self, name: &str) -> Option<&mut u64> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)+
                    _ => None,
                }
            }
        }
    };
}

limits! {
    /// Fuel: about one unit per wasm instruction. A core burns some ten billion a second, so the default is some ten seconds
    /// of one core and the ceiling a quarter of an hour.
    FUEL, fuel: 10_000_000, 100_000_000_000, 10_000_000_000_000;
    /// Wall time from start to answer, host calls and sleeps included, in milliseconds.
    WALL_MS, wall_ms: 10, 30_000, 600_000;
    /// Linear memory in all, in bytes. The interpreter itself takes some 51 MiB of it, shared until written.
    MEMORY_BYTES, memory_bytes: 64 << 20, 256 << 20, 1 << 30;
    /// Bytes on stdout.
    STDOUT_BYTES, stdout_bytes: 0, 1 << 20, 16 << 20;
    /// Bytes on stderr.
    STDERR_BYTES, stderr_bytes: 0, 256 << 10, 16 << 20;
    /// Bytes of the answer as JSON text.
    RESULT_BYTES, result_bytes: 16, 1 << 20, 16 << 20;
    /// Levels of lists and objects in the answer. The ceiling stays below the 128 at which common JSON parsers stop.
    RESULT_DEPTH, result_depth: 0, 64, 100;
    /// Calls to the host.
    HOST_CALLS, host_calls: 0, 1_000, 1_000_000;
    /// Bytes of a script's source. A megabyte is some 30,000 lines.
    SCRIPT_BYTES, script_bytes: 1, 1 << 20, 4 << 20;
    /// Bytes of `params` as JSON text.
    PARAMS_BYTES, params_bytes: 2, 4 << 20, 32 << 20;
    /// Bytes of all files in the run's scratch directory. They are in the guest's memory and count against it too.
    SCRATCH_BYTES, scratch_bytes: 0, 64 << 20, 512 << 20;
    /// Files and directories in the run's scratch directory.
    SCRATCH_ENTRIES, scratch_entries: 0, 10_000, 100_000;
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

/// There is no limit of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no limit `{name}`; there are {}", ALL.iter().map(|bounds| bounds.name).collect::<Vec<_>>().join(", "))]
pub struct NoSuchLimit {
    /// What was asked for.
    pub name: String,
}

impl Limits {
    /// Sets the limit called `name`, unit included, such as `stdout_bytes`. [`Limits::check`] validates the value.
    ///
    /// # Errors
    /// When no limit has that name.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), NoSuchLimit> {
        *self.field(name).ok_or_else(|| NoSuchLimit { name: name.to_owned() })? = value;
        Ok(())
    }

    /// Lowers the limit called `name` to `value` where it is higher.
    ///
    /// # Errors
    /// When no limit has that name.
    pub fn lower(&mut self, name: &str, value: u64) -> Result<(), NoSuchLimit> {
        let field = self.field(name).ok_or_else(|| NoSuchLimit { name: name.to_owned() })?;
        *field = (*field).min(value);
        Ok(())
    }

    /// Checks every limit against its bounds.
    ///
    /// # Errors
    /// The first limit that is out of bounds.
    pub fn check(mut self) -> Result<Limits, LimitOutOfBounds> {
        for &Bounds { name, least, most, .. } in ALL {
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

    /// The default of each limit is inside its bounds as well: it stays while the others are set.
    #[test]
    fn every_limit_can_be_set_by_its_name_and_keeps_its_bounds() {
        for &Bounds { name, least, most, .. } in ALL {
            let set = |value: u64| {
                let mut limits = Limits::default();
                limits.set(name, value).expect("it is in the list");
                limits.check().map(|_| ())
            };
            assert_eq!((set(least), set(most)), (Ok(()), Ok(())), "{name}");
            let outside = |asked: u64| Err(LimitOutOfBounds { name, asked, least, most });
            assert_eq!(set(most + 1), outside(most + 1));
            if let Some(below) = least.checked_sub(1) {
                assert_eq!(set(below), outside(below));
            }
        }
        assert!(Limits::default().set("patience", 1).is_err());
        let low = LimitOutOfBounds { name: "memory_bytes", asked: (64 << 20) - 1, least: 64 << 20, most: 1 << 30 };
        assert_eq!(low.to_string(), "memory_bytes = 67108863 is outside 67108864..=1073741824");
    }
}
