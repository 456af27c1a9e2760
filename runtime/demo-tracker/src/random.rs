//! A deterministic generator of pseudo-random numbers.

/// The generator known as `SplitMix64`: good enough to spread things about, and the same everywhere.
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but not including `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: i64) -> i64 {
        i64::try_from(self.draw() >> 1).unwrap_or(0) % end.max(1)
    }

    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'items, T>(&mut self, items: &'items [T]) -> &'items T {
        let place = usize::try_from(self.draw() >> 33).unwrap_or(0) % items.len();
        &items[place]
    }
}
