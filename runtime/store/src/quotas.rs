//! Quotas: how much is kept.

/// How much is kept. Each quota holds after every write, but for `usage_rows_max`, which is looked at in the first write of a
/// store and in each 64th: counting the rows costs milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// The most rows of single runs; the oldest go first. 100,000 rows take about 12 MB, and are a day of a busy server.
    pub runs_max: u32,
    /// How long the row of a run is kept, in days. A row names who asked: nobody looks further back than a quarter.
    pub runs_days_max: u16,
    /// How long the counts of a day are kept, in days: a year and a month, so that a month can be compared with that of the
    /// year before.
    pub usage_days_max: u16,
    /// The most rows of counts; the oldest days go first. 500,000 rows take about 12 MB, and are a year of 30 templates that
    /// each end in 45 different ways and times a day.
    pub usage_rows_max: u32,
    /// The most names of templates that are counted apart; the rest is counted together as `(other)`. It is a hundred times
    /// the number of templates that are built in.
    pub targets_max: u32,
    /// The most bytes of the state file, in whole pages. A batch that needs more is not written, as on a full disk. What the
    /// other quotas allow takes some 25 MB, and 150 MB if all names are as long as they can be.
    pub file_bytes_max: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            runs_max: 100_000,
            runs_days_max: 90,
            usage_days_max: 396,
            usage_rows_max: 500_000,
            targets_max: 2_000,
            file_bytes_max: 256 << 20,
        }
    }
}
