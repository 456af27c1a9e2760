//! Progress messages on the terminal, if there is one.

use std::io::Write as _;

/// Writes one line to the terminal; without a terminal it goes nowhere.
pub(crate) fn tell(line: &str) {
    #[cfg(unix)]
    if let Ok(mut terminal) = std::fs::OpenOptions::new().write(true).open("/dev/tty") {
        // Clears cargo's progress bar, which is drawn again below. A terminal that went away is no reason to fail.
        let _ = writeln!(terminal, "\r\x1b[K     Guest {line}");
    }
    #[cfg(not(unix))]
    let _ = line;
}
