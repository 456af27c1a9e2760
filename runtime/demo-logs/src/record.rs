//! One record as the text that its service writes.

use std::io::{self, Write};

use fastrand::Rng;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::services::{Format, Kind, Service};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Values of what is quoted in a message.
const WORDS: [&str; 8] = ["orders", "basket", "invoice", "profile", "search", "stock", "session", "delivery"];

const AGENTS: [&str; 3] = ["Mozilla/5.0 (X11; Linux x86_64)", "curl/8.11.0", "okhttp/5.0.0"];

/// A point in time, in UTC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(DateTime);

impl Moment {
    /// The moment so many milliseconds after 1970. Beyond the years that can be written, it is an error.
    pub(crate) fn of(ms: i64) -> io::Result<Self> {
        let invalid =
            |error: jiff::Error| io::Error::new(io::ErrorKind::InvalidInput, format!("a time of the logs: {error}"));
        Ok(Self(Offset::UTC.to_datetime(Timestamp::from_millisecond(ms).map_err(invalid)?)))
    }

    /// `2026-11-20T09:58:12.123Z`.
    fn rfc3339(self) -> String {
        format!("{}T{}.{:03}Z", self.day(), self.clock(), self.0.millisecond())
    }

    /// `2026-11-20 09:58:12,123`.
    fn python(self) -> String {
        format!("{} {},{:03}", self.day(), self.clock(), self.0.millisecond())
    }

    /// `20/Nov/2026:09:58:12 +0000`.
    fn access(self) -> String {
        let month = usize::try_from(self.0.month() - 1).ok().and_then(|index| MONTHS.get(index)).unwrap_or(&"Jan");
        format!("{:02}/{month}/{:04}:{} +0000", self.0.day(), self.0.year(), self.clock())
    }

    fn day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.0.year(), self.0.month(), self.0.day())
    }

    fn clock(self) -> String {
        format!("{:02}:{:02}:{:02}", self.0.hour(), self.0.minute(), self.0.second())
    }
}

/// Adds one record with the end of its line.
pub(crate) fn write(
    into: &mut Vec<u8>,
    service: &Service,
    kind: &Kind,
    moment: Moment,
    rng: &mut Rng,
) -> io::Result<()> {
    match service.format {
        Format::Json => {
            let level = if kind.level == "warning" { "warn" } else { kind.level };
            write!(into, r#"{{"time":"{}","level":"{level}","msg":""#, moment.rfc3339())?;
            expand(into, kind.text, rng)?;
            into.extend_from_slice(br#"","request_id":""#);
            id(into, rng)?;
            writeln!(into, r#"","duration_ms":{},"pod":"api-{}"}}"#, rng.u32(1..2_000), rng.u32(..4))
        }
        Format::Access => {
            let mut text = Vec::new();
            expand(&mut text, kind.text, rng)?;
            let status_end = text.iter().position(|byte| *byte == b' ').unwrap_or(text.len());
            let (status, request) = text.split_at(status_end);
            address(into, rng)?;
            write!(into, " - - [{}] \"", moment.access())?;
            into.extend_from_slice(request.trim_ascii_start());
            into.extend_from_slice(b" HTTP/1.1\" ");
            into.extend_from_slice(status);
            let agent = AGENTS[rng.usize(..AGENTS.len())];
            writeln!(into, " {} \"-\" \"{agent}\"", rng.u32(100..50_000))
        }
        Format::Python => {
            let level = if kind.level == "fatal" { "critical" } else { kind.level };
            write!(into, "{} {} ", moment.python(), level.to_ascii_uppercase())?;
            expand(into, kind.text, rng)?;
            into.push(b'\n');
            expand(into, kind.trace, rng)
        }
        Format::Logfmt => {
            write!(into, "ts={} level={} msg=\"", moment.rfc3339(), kind.level)?;
            expand(into, kind.text, rng)?;
            into.extend_from_slice(b"\" client=");
            address(into, rng)?;
            writeln!(into, " took={}ms", rng.u32(1..5_000))
        }
        Format::Syslog => {
            // The facility is that of daemons, 3.
            let severity = match kind.level {
                "fatal" => 2,
                "error" => 3,
                "warning" => 4,
                "info" => 6,
                _ => 7,
            };
            let app = ["kernel", "sshd", "systemd", "cron"][rng.usize(..4)];
            write!(into, "<{}>1 {} host-{}", 24 + severity, moment.rfc3339(), rng.u32(1..9))?;
            write!(into, " {app} {} - - ", rng.u32(100..30_000))?;
            expand(into, kind.text, rng)?;
            into.push(b'\n');
            Ok(())
        }
    }
}

/// Adds a text with values in place of its names in braces.
fn expand(into: &mut Vec<u8>, text: &str, rng: &mut Rng) -> io::Result<()> {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        into.extend_from_slice(before.as_bytes());
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        match name {
            "n" => write!(into, "{}", rng.u32(1..100_000))?,
            "id" => id(into, rng)?,
            "ip" => address(into, rng)?,
            "word" => into.extend_from_slice(WORDS[rng.usize(..WORDS.len())].as_bytes()),
            other => unreachable!("{{{other}}} is no value of the texts in `services`"),
        }
        rest = tail;
    }
    into.extend_from_slice(rest.as_bytes());
    Ok(())
}

fn address(into: &mut Vec<u8>, rng: &mut Rng) -> io::Result<()> {
    // The networks that are reserved for documentation.
    let network = ["192.0.2", "198.51.100", "203.0.113"][rng.usize(..3)];
    write!(into, "{network}.{}", rng.u8(1..255))
}

fn id(into: &mut Vec<u8>, rng: &mut Rng) -> io::Result<()> {
    let (high, low) = (rng.u64(..), rng.u64(..));
    write!(into, "{:08x}-{:04x}-4{:03x}-a", high >> 32, high >> 16 & 0xffff, high & 0xfff)?;
    write!(into, "{:03x}-{:012x}", low >> 48 & 0xfff, low & 0xffff_ffff_ffff)
}
