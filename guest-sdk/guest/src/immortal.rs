//! The objects of the snapshot live as long as the process, so their references need no counting.
//!
//! A count that a run changes is a page that the run copies: looking up `json` writes to the module, its dict, the
//! function and the code, each somewhere else in the heap. An immortal object's count never changes (PEP 683). The
//! collector looks through its lists by writing to every object in them; what it was told to leave alone it does not
//! touch.

use std::collections::HashSet;

use rustpython_vm::builtins::{PyCode, PyFunction, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

/// Makes immortal what the interpreter holds now, and takes it from the collector. What only native code holds stays
/// counted.
pub(crate) fn make(vm: &VirtualMachine) -> PyResult<()> {
    let gc = vm.import("gc", 0)?;
    gc.get_attr("collect", vm)?.call((), vm)?;
    let tracked = gc.get_attr("get_objects", vm)?.call((), vm)?;
    let mut open = tracked.gc_get_referents();
    let mut seen: HashSet<usize> = HashSet::new();
    while let Some(object) = open.pop() {
        if seen.insert(object.get_id()) {
            object.make_immortal();
            open.extend(object.gc_get_referents());
            open.extend(untold(&object, vm)?);
        }
    }
    gc.get_attr("freeze", vm)?.call((), vm).map(|_| ())
}

/// What an object refers to and does not tell the collector: it cannot be part of a cycle.
fn untold(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    if object.downcast_ref::<PyFunction>().is_some() {
        return Ok(vec![object.get_attr("__code__", vm)?]);
    }
    if object.downcast_ref::<PyCode>().is_some() {
        let constants = object.get_attr("co_consts", vm)?;
        return Ok(constants
            .downcast_ref::<PyTuple>()
            .map(|constants| constants.as_slice().to_vec())
            .unwrap_or_default());
    }
    Ok(Vec::new())
}
