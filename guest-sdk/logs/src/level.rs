//! The level of a record, from the words and numbers of each log format.

use serde::{Deserialize, Serialize};

/// The longest word that names a level, `informational`.
const WORD_BYTES_MAX: usize = 13;

/// The severity of a record, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The record does not say.
    Unknown,
    /// Finer than for debugging.
    Trace,
    /// For debugging.
    Debug,
    /// Information, notices included.
    Info,
    /// A warning.
    Warning,
    /// An error.
    Error,
    /// An error that ends the program: `critical`, `alert`, `emergency` and `panic` too.
    Fatal,
}

impl Level {
    /// All levels, the most severe first.
    pub const ALL: [Self; 7] =
        [Self::Fatal, Self::Error, Self::Warning, Self::Info, Self::Debug, Self::Trace, Self::Unknown];

    /// Its name, as in queries and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }

    /// Its place in an array of seven.
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Unknown => 0,
            Self::Trace => 1,
            Self::Debug => 2,
            Self::Info => 3,
            Self::Warning => 4,
            Self::Error => 5,
            Self::Fatal => 6,
        }
    }

    /// The level that a word names, in any case. Serilog and zerolog write three letters.
    pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
        let mut buffer = [0; WORD_BYTES_MAX];
        let lower = buffer.get_mut(..word.len())?;
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        Some(match &*lower {
            b"fatal" | b"critical" | b"crit" | b"alert" | b"emerg" | b"emergency" | b"panic" | b"ftl" => Self::Fatal,
            b"error" | b"err" | b"severe" => Self::Error,
            b"warning" | b"warn" | b"wrn" => Self::Warning,
            b"info" | b"inf" | b"information" | b"informational" | b"notice" | b"log" => Self::Info,
            b"debug" | b"dbg" | b"fine" => Self::Debug,
            b"trace" | b"trc" | b"verbose" | b"vrb" | b"finer" | b"finest" => Self::Trace,
            _ => return None,
        })
    }

    /// The level that the value of a field names: a word, a letter or a number.
    pub(crate) fn of_value(value: &[u8]) -> Option<Self> {
        match value {
            [letter] if letter.is_ascii_alphabetic() => Self::of_letter(letter.to_ascii_uppercase()),
            [first, ..] if first.is_ascii_digit() => {
                let number = std::str::from_utf8(value).ok()?.parse::<u16>().ok()?;
                Some(Self::of_number(number))
            }
            _ => Self::of_word(value),
        }
    }

    pub(crate) const fn of_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'F' | b'C' => Self::Fatal,
            b'E' => Self::Error,
            b'W' => Self::Warning,
            b'I' => Self::Info,
            b'D' => Self::Debug,
            b'T' | b'V' => Self::Trace,
            _ => return None,
        })
    }

    /// Numbers below ten are syslog's severities, as GELF has them; from ten on they are those of bunyan and pino.
    const fn of_number(number: u16) -> Self {
        match number {
            0..=7 => Self::of_severity(number),
            10..=19 => Self::Trace,
            20..=29 => Self::Debug,
            30..=39 => Self::Info,
            40..=49 => Self::Warning,
            50..=59 => Self::Error,
            60..=69 => Self::Fatal,
            _ => Self::Unknown,
        }
    }

    /// The level of a syslog severity; of a priority, that is the remainder by eight.
    pub(crate) const fn of_severity(severity: u16) -> Self {
        match severity {
            0..=2 => Self::Fatal,
            3 => Self::Error,
            4 => Self::Warning,
            5 | 6 => Self::Info,
            7 => Self::Debug,
            _ => Self::Unknown,
        }
    }

    /// The level of an HTTP status.
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            500.. => Self::Error,
            400..=499 => Self::Warning,
            _ => Self::Info,
        }
    }
}
