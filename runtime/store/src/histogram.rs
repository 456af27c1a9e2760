//! Times, counted in buckets that grow with them.
//!
//! A bucket for less than 64 µs, four of equal width for each doubling from there to 2³⁰ µs (18 minutes; a run may take ten),
//! and one for all above. A bucket is at most a quarter as wide as it is high, and a percentile is given as the middle of its
//! bucket: it is off by at most an eighth.

/// The doubling that begins with the second bucket: 2⁶ µs.
const FIRST_OCTAVE: u32 = 6;

/// The last bucket: 24 doublings of four after the first one.
const LAST: u8 = 97;

const BUCKETS: usize = LAST as usize + 1;

/// The number of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bucket(u8);

impl Bucket {
    /// The bucket of a time in microseconds.
    pub(crate) fn of(us: u64) -> Self {
        if us < 1_u64 << FIRST_OCTAVE {
            return Self(0);
        }
        let octave = us.ilog2();
        // The two bits after the leading one.
        let quarter = (us >> (octave - 2)) & 3;
        let number = 1 + u64::from(octave - FIRST_OCTAVE) * 4 + quarter;
        Self(u8::try_from(number).map_or(LAST, |number| number.min(LAST)))
    }

    /// The bucket with this number, or the nearest one.
    pub(crate) fn numbered(number: i64) -> Self {
        Self(u8::try_from(number.max(0)).map_or(LAST, |number| number.min(LAST)))
    }

    /// Its number, as it is stored. What is stored outlives the program: buckets are never numbered anew.
    pub(crate) fn number(self) -> i64 {
        i64::from(self.0)
    }

    /// The shortest time in it, in microseconds.
    fn start_us(self) -> u32 {
        match self.0.checked_sub(1) {
            None => 0,
            Some(at) => (4 + u32::from(at % 4)) << (FIRST_OCTAVE - 2 + u32::from(at / 4)),
        }
    }

    /// The time that represents it, in milliseconds: its middle, or the start of the last one, which has no end.
    pub(crate) fn middle_ms(self) -> f64 {
        let end = if self.0 < LAST { Self(self.0 + 1) } else { self };
        f64::midpoint(f64::from(self.start_us()), f64::from(end.start_us())) / 1_000.0
    }
}

/// How many times fell into each bucket.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    counts: [u64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; BUCKETS] }
    }
}

impl Histogram {
    pub(crate) fn add(&mut self, bucket: Bucket, times: u64) {
        let count = &mut self.counts[usize::from(bucket.0)];
        *count = count.saturating_add(times);
    }

    /// The bucket that holds this percentile by the nearest rank: the shortest time that `percent` of all do not exceed.
    /// Nothing where nothing was counted.
    pub(crate) fn percentile(&self, percent: u64) -> Option<Bucket> {
        let total = self.counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
        let rank = total.saturating_mul(percent).div_ceil(100);
        let mut below = 0_u64;
        (0..=LAST).zip(&self.counts).find_map(|(number, count)| {
            below = below.saturating_add(*count);
            (*count > 0 && below >= rank).then_some(Bucket(number))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_bucket_begins_where_the_one_before_it_ends() {
        for number in 1..=LAST {
            let start = u64::from(Bucket(number).start_us());
            assert_eq!(Bucket::of(start), Bucket(number), "{start}");
            assert_eq!(Bucket::of(start - 1), Bucket(number - 1), "{start}");
            assert_eq!(Bucket::numbered(Bucket(number).number()), Bucket(number));
        }
        assert_eq!(Bucket::of(0), Bucket(0));
        assert_eq!(Bucket(1).start_us(), 64);
        assert_eq!(Bucket(LAST).start_us(), 1 << 30);
        assert_eq!(Bucket::of(u64::MAX), Bucket(LAST));
    }

    #[test]
    fn a_stored_number_that_no_bucket_has_is_the_nearest() {
        for (number, bucket) in [(i64::MIN, 0), (-1, 0), (0, 0), (97, LAST), (98, LAST), (256, LAST), (i64::MAX, LAST)]
        {
            assert_eq!(Bucket::numbered(number), Bucket(bucket), "{number}");
        }
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!(Histogram::default().percentile(50), None);
    }

    proptest! {
        #[test]
        fn a_percentile_is_in_the_bucket_of_the_exact_one(
            mut times in vec(0..2_000_000_000_u64, 1..300),
            percent in 1..=100_u64,
        ) {
            let mut histogram = Histogram::default();
            for time in &times {
                histogram.add(Bucket::of(*time), 1);
            }
            times.sort_unstable();
            let rank = (times.len() as u64 * percent).div_ceil(100);
            let exact = times[usize::try_from(rank - 1).expect("it is an index")];
            prop_assert_eq!(histogram.percentile(percent), Some(Bucket::of(exact)));
        }

        #[test]
        fn the_middle_of_a_bucket_is_off_by_an_eighth_at_most(us in 64..(1_u32 << 30)) {
            let middle_us = Bucket::of(u64::from(us)).middle_ms() * 1_000.0;
            let exact = f64::from(us);
            // A millionth more, for the rounding of the floats themselves.
            prop_assert!((middle_us - exact).abs() <= exact / 8.0 * 1.000_001, "{us} us is shown as {middle_us} us");
        }
    }
}
