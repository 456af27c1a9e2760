//! Scans of tables that a script has open, behind `intentbox.tables`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use intentbox_tables::{Query, Scan};

/// Scans open at the same time. `intentbox.tables` opens one and closes it; a few more for nested use.
const OPEN_MAX: usize = 8;

thread_local! {
    static OPEN: RefCell<Open> = const { RefCell::new(Open { scans: BTreeMap::new(), next: 1 }) };
}

struct Open {
    scans: BTreeMap<u32, Scan>,
    next: u32,
}

/// Opens a scan for a query as JSON text, and gives its handle, or why not.
pub(crate) fn open(query: &str) -> Result<u32, String> {
    let query = Query::from_json(query).map_err(|error| error.to_string())?;
    let scan = Scan::new(query).map_err(|error| error.to_string())?;
    OPEN.with_borrow_mut(|open| {
        if open.scans.len() == OPEN_MAX {
            return Err(format!("{OPEN_MAX} scans are open; end one with table_answer"));
        }
        let handle = open.next;
        open.next += 1;
        open.scans.insert(handle, scan);
        Ok(handle)
    })
}

/// Gives a scan the next bytes of its file. False if it needs no more of them.
pub(crate) fn feed(handle: u32, piece: &[u8]) -> Result<bool, String> {
    OPEN.with_borrow_mut(|open| {
        let scan = open.scans.get_mut(&handle).ok_or_else(|| unknown(handle))?;
        scan.feed(piece).map_err(|error| error.to_string())
    })
}

/// Ends a scan and gives its answer as JSON text.
pub(crate) fn answer(handle: u32) -> Result<String, String> {
    let scan = OPEN.with_borrow_mut(|open| open.scans.remove(&handle)).ok_or_else(|| unknown(handle))?;
    let answer = scan.answer().map_err(|error| error.to_string())?;
    serde_json::to_string(&answer).map_err(|error| error.to_string())
}

/// Ends a scan without an answer. One that is not open any more is fine.
pub(crate) fn close(handle: u32) {
    OPEN.with_borrow_mut(|open| open.scans.remove(&handle));
}

fn unknown(handle: u32) -> String {
    format!("no scan of a table {handle} is open")
}
