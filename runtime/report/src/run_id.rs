//! The id of a run: a number that nobody can guess.

use std::fmt;

/// The id of a run, 128 bits. It exists before the run does, so that everything about the run can name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId(u128);

impl RunId {
    /// An id of these bits, which should be random.
    #[must_use]
    pub const fn of(bits: u128) -> Self {
        Self(bits)
    }

    /// Half of its bits, for what has room for 64.
    pub(crate) fn low_bits(self) -> u64 {
        let [_, _, _, _, _, _, _, _, low @ ..] = self.0.to_be_bytes();
        u64::from_be_bytes(low)
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_32_digits_whatever_its_bits() {
        assert_eq!(RunId::of(0).to_string(), "0".repeat(32));
        assert_eq!(RunId::of(u128::MAX).to_string(), "f".repeat(32));
        assert_eq!(RunId::of(0xab).to_string(), format!("{}ab", "0".repeat(30)));
    }
}
