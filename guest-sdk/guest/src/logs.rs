//! Scans of logs that a script has open, behind `intentbox.logs`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use intentbox_logs::{Query, Scan};

/// Scans open at the same time. `intentbox.logs` opens one and closes it; a few more for nested use.
const OPEN_MAX: usize = 8;

thread_local! {
    static OPEN: RefCell<Table> = const { RefCell::new(Table { scans: BTreeMap::new(), next: 1 }) };
}

struct Table {
    scans: BTreeMap<u32, Scan>,
    next: u32,
}

/// Opens a scan for a query as JSON text, and gives its handle, or why not.
pub(crate) fn open(query: &str) -> Result<u32, String> {
    let query = Query::from_json(query).map_err(|error| error.to_string())?;
    let scan = Scan::new(query).map_err(|error| error.to_string())?;
    OPEN.with_borrow_mut(|table| {
        if table.scans.len() == OPEN_MAX {
            return Err(format!("{OPEN_MAX} scans are open; end one with scan_answer"));
        }
        let handle = table.next;
        table.next += 1;
        table.scans.insert(handle, scan);
        Ok(handle)
    })
}

/// Does something with an open scan.
pub(crate) fn with<T>(handle: u32, act: impl FnOnce(&mut Scan) -> T) -> Result<T, String> {
    OPEN.with_borrow_mut(|table| table.scans.get_mut(&handle).map(act).ok_or_else(|| unknown(handle)))
}

/// Ends a scan and gives its answer as JSON text.
pub(crate) fn answer(handle: u32) -> Result<String, String> {
    let scan = OPEN.with_borrow_mut(|table| table.scans.remove(&handle)).ok_or_else(|| unknown(handle))?;
    serde_json::to_string(&scan.answer()).map_err(|error| error.to_string())
}

fn unknown(handle: u32) -> String {
    format!("no scan {handle} is open")
}
