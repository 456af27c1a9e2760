//! Invented logs of five services, with the true counts of what was written.
//!
//! It is for tests and demonstrations: they need logs that look like logs, are as large as asked, the same for the same
//! seed, and of which it is known what a reader must find. It reads no logs, follows no clock and keeps nothing in
//! memory but its counts.
//!
//! Each service writes in a format of its own: `api` JSON lines, `web` an access log, `worker` Python's logging with
//! tracebacks, `gateway` logfmt, `system` syslog. The last third of the time is in `<service>/<service>.log`, the
//! thirds before it are rotated and compressed: `.log.1.gz`, `.log.2.gz`.
//!
//! - `services`: what is written. `record`: one record as text.

mod record;
mod services;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use cap_std::fs::Dir;
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;

use record::Moment;
use services::{SERVICES, Service};

/// Files of each service, the current one included.
const PARTS: u32 = 3;

/// Files in all: five services.
const FILES: u64 = 15;

/// Bytes of text that may be asked for: enough to measure with, and too few to fill a disk by a slip.
pub const BYTES_MAX: u64 = 16 << 30;

/// The longest time that logs may span: ten years of 366 days.
pub const SPAN_S_MAX: u32 = 10 * 366 * 86_400;

/// What is to be written. The same plan gives the same logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What all choices come from.
    pub seed: u64,
    /// Bytes of text before compression, up to [`BYTES_MAX`]. Each file ends with the record that reaches its share.
    pub bytes: u64,
    /// When the logs end, in seconds since 1970.
    pub now_unix_s: i64,
    /// How far they go back, in seconds, up to [`SPAN_S_MAX`].
    pub span_s: u32,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// The files, sorted by path.
    pub files: Vec<FileSummary>,
    /// Records by level: `fatal`, `error`, `warning`, `info`, `debug`.
    pub levels: BTreeMap<&'static str, u64>,
    /// Messages, the most frequent first. Messages that differ in numbers, ids and quoted text only are one.
    pub messages: Vec<MessageSummary>,
    /// Records in all files.
    pub records: u64,
    /// Lines in all files.
    pub lines: u64,
    /// Bytes of text in all files, before compression.
    pub bytes: u64,
}

/// What was written to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    /// Its path in the directory.
    pub path: String,
    /// Its records.
    pub records: u64,
    /// Its lines.
    pub lines: u64,
    /// Its bytes of text, before compression.
    pub bytes: u64,
}

/// How often one message was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSummary {
    /// How often.
    pub count: u64,
    /// Its level.
    pub level: &'static str,
    /// The service that wrote it.
    pub service: &'static str,
    /// What each of them starts with.
    pub starts: &'static str,
}

/// Where and when one file's records lie.
struct Part {
    bytes: u64,
    start_ms: i64,
    span_ms: i64,
}

/// Writes logs to a directory, over files of the same names.
///
/// # Errors
///
/// When the plan is out of its bounds ([`io::ErrorKind::InvalidInput`]), or a file cannot be written.
pub fn generate(directory: &Dir, plan: &Plan) -> io::Result<Summary> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what.to_owned());
    if plan.bytes > BYTES_MAX {
        return Err(invalid(&format!("expected at most {BYTES_MAX} bytes of logs, found {}", plan.bytes)));
    }
    if plan.span_s > SPAN_S_MAX {
        return Err(invalid(&format!("expected logs of at most {SPAN_S_MAX} seconds, found {}", plan.span_s)));
    }
    let span_ms = i64::from(plan.span_s) * 1_000 / i64::from(PARTS);
    let now_ms = plan.now_unix_s.checked_mul(1_000).ok_or_else(|| invalid("expected a time of this era"))?;
    let mut rng = Rng::with_seed(plan.seed);
    let mut summary = Summary::default();
    for service in &SERVICES {
        directory.create_dir_all(service.name)?;
        let mut counts = vec![0; service.kinds.len()];
        for age in 0..PARTS {
            let start_ms = now_ms.saturating_sub(span_ms * i64::from(age + 1));
            let part = Part { bytes: plan.bytes / FILES, start_ms, span_ms };
            let ending = if age == 0 { String::new() } else { format!(".{age}.gz") };
            let path = format!("{0}/{0}.log{ending}", service.name);
            let mut out = BufWriter::new(directory.create(&path)?);
            let file = if age == 0 {
                write_part(&mut out, path, service, &part, &mut rng, &mut counts)?
            } else {
                let mut compressed = GzEncoder::new(&mut out, Compression::fast());
                let file = write_part(&mut compressed, path, service, &part, &mut rng, &mut counts)?;
                compressed.finish()?;
                file
            };
            out.flush()?;
            summary.records += file.records;
            summary.lines += file.lines;
            summary.bytes += file.bytes;
            summary.files.push(file);
        }
        for (kind, count) in service.kinds.iter().zip(counts) {
            if count > 0 {
                *summary.levels.entry(kind.level).or_default() += count;
                let starts = kind.text.split('{').next().unwrap_or_default();
                let message = MessageSummary { count, level: kind.level, service: service.name, starts };
                summary.messages.push(message);
            }
        }
    }
    summary.files.sort_by(|one, other| one.path.cmp(&other.path));
    summary.messages.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.starts.cmp(other.starts)));
    Ok(summary)
}

/// Writes one file; `counts` grows by its records of each kind.
fn write_part(
    out: &mut impl Write,
    path: String,
    service: &Service,
    part: &Part,
    rng: &mut Rng,
    counts: &mut [u64],
) -> io::Result<FileSummary> {
    let mut file = FileSummary { path, records: 0, lines: 0, bytes: 0 };
    let weights: u32 = service.kinds.iter().map(|kind| kind.weight).sum();
    let mut text = Vec::new();
    while file.bytes < part.bytes {
        let mut choice = rng.u32(..weights);
        let index = service.kinds.iter().position(|kind| {
            let chosen = choice < kind.weight;
            choice = choice.saturating_sub(kind.weight);
            chosen
        });
        let index = index.unwrap_or_default();
        // Time passes with the bytes written, so that all of the span has records whatever its length.
        let passed = i128::from(part.span_ms) * i128::from(file.bytes) / i128::from(part.bytes);
        let passed_ms = i64::try_from(passed).unwrap_or(part.span_ms);
        let moment = Moment::of(part.start_ms.saturating_add(passed_ms))?;
        text.clear();
        record::write(&mut text, service, &service.kinds[index], moment, rng)?;
        out.write_all(&text)?;
        counts[index] += 1;
        file.records += 1;
        file.lines += text.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        file.bytes += u64::try_from(text.len()).map_err(io::Error::other)?;
    }
    Ok(file)
}
