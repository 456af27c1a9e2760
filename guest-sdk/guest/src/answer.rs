//! The script's value as JSON text.
//!
//! JSON's own types go as they are (integers of any size up to Python's own text limit), tuples and sets as lists,
//! `datetime`, `date` and `time` as ISO text, `Decimal` as text; dictionary keys as `json.dumps` writes them. Anything
//! else is rejected with its place. The text is bounded while it is written, never afterwards.

use std::collections::HashSet;

use intentbox_abi::{ResultMeasure, Start};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyStr, PyTuple};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::world::Classes;

/// The most bits an integer may have: about the 4,300 digits at which Python itself refuses to write one as text.
const INTEGER_BITS_MAX: u64 = 14_284;

pub(crate) enum Unsayable {
    Invalid { path: String, reason: String },
    Limit { measure: ResultMeasure, limit: u64, observed: u64 },
    Raised(PyBaseExceptionRef),
}

/// Writes `value` as JSON text within the limits of `start`.
pub(crate) fn to_json(
    vm: &VirtualMachine,
    classes: &Classes,
    value: &PyObject,
    start: &Start<'_>,
) -> Result<String, Unsayable> {
    let mut writer = Writer {
        vm,
        classes,
        text: Vec::new(),
        path: Vec::new(),
        bytes_max: start.result_bytes_max as usize,
        depth_max: start.result_depth_max as usize,
    };
    writer.value(value)?;
    Ok(String::from_utf8(writer.text).expect("only whole strings are written"))
}

enum Step {
    Index(usize),
    Key(PyObjectRef),
}

struct Writer<'a> {
    vm: &'a VirtualMachine,
    classes: &'a Classes,
    text: Vec<u8>,
    path: Vec<Step>,
    bytes_max: usize,
    depth_max: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &PyObject) -> Result<(), Unsayable> {
        let types = &self.vm.ctx.types;
        if self.vm.is_none(value) {
            self.put(b"null")
        } else if let Some(text) = value.downcast_ref::<PyStr>() {
            self.string(text)
        } else if value.fast_isinstance(types.bool_type) {
            let truth = value.downcast_ref::<PyInt>().is_some_and(|int| int.as_bigint().bits() > 0);
            self.put(if truth { b"true" } else { b"false" })
        } else if let Some(integer) = value.downcast_ref::<PyInt>() {
            let digits = self.integer(integer)?;
            self.put(digits.as_bytes())
        } else if let Some(float) = value.downcast_ref::<PyFloat>() {
            let float = float.to_f64();
            if !float.is_finite() {
                return Err(self.invalid(format!("float {}", rustpython_vm::literal::float::to_string(float))));
            }
            self.put(rustpython_vm::literal::float::to_string(float).as_bytes())
        } else if let Some(list) = value.downcast_ref::<PyList>() {
            self.list(|index| list.borrow_vec().get(index).cloned())
        } else if let Some(tuple) = value.downcast_ref::<PyTuple>() {
            self.list(|index| tuple.as_slice().get(index).cloned())
        } else if let Some(dict) = value.downcast_ref::<PyDict>() {
            self.dict(dict)
        } else if let Some(set) = value.downcast_ref::<PySet>() {
            let elements = set.elements();
            self.list(|index| elements.get(index).cloned())
        } else if let Some(set) = value.downcast_ref::<PyFrozenSet>() {
            let elements = set.elements();
            self.list(|index| elements.get(index).cloned())
        } else if self.is_any(value, &self.classes.moments) {
            let text = self.vm.call_method(value, "isoformat", ()).map_err(Unsayable::Raised)?;
            self.text_of(text)
        } else if self.is_any(value, &self.classes.decimal) {
            let text = value.str(self.vm).map_err(Unsayable::Raised)?;
            self.string(&text)
        } else {
            Err(self.invalid(value.class().name().to_string()))
        }
    }

    /// Whether the type is one of `classes`: the type itself decides, not `__instancecheck__` or a faked `__class__`.
    fn is_any(&self, value: &PyObject, classes: &[PyObjectRef]) -> bool {
        classes.iter().any(|class| value.fast_isinstance(class.downcast_ref().expect("held since boot")))
    }

    fn text_of(&mut self, value: PyObjectRef) -> Result<(), Unsayable> {
        match value.downcast_ref::<PyStr>() {
            Some(text) => self.string(text),
            None => Err(self.invalid(format!("isoformat() that gave {}", value.class().name()))),
        }
    }

    fn string(&mut self, text: &Py<PyStr>) -> Result<(), Unsayable> {
        let Some(text) = text.to_str() else {
            return Err(self.invalid("str with a lone surrogate".to_owned()));
        };
        self.quoted(text)
    }

    fn quoted(&mut self, text: &str) -> Result<(), Unsayable> {
        // Escaping only ever lengthens a text, so one that is too long as it is need not be escaped to know.
        self.room_for(text.len() + 2)?;
        serde_json::to_writer(&mut self.text, text).expect("writing to memory does not fail");
        self.room_for(0)
    }

    fn integer(&self, integer: &Py<PyInt>) -> Result<String, Unsayable> {
        let integer = integer.as_bigint();
        if integer.bits() > INTEGER_BITS_MAX {
            return Err(self.invalid(format!("int of {} bits (at most {INTEGER_BITS_MAX})", integer.bits())));
        }
        Ok(integer.to_string())
    }

    fn list(&mut self, element: impl Fn(usize) -> Option<PyObjectRef>) -> Result<(), Unsayable> {
        self.put(b"[")?;
        let mut index = 0;
        while let Some(value) = element(index) {
            if index > 0 {
                self.put(b",")?;
            }
            self.within(Step::Index(index), &value)?;
            index += 1;
        }
        self.put(b"]")
    }

    fn dict(&mut self, dict: &Py<PyDict>) -> Result<(), Unsayable> {
        self.put(b"{")?;
        // Different keys may read the same in JSON (1 and "1", or a text that compares as it likes); a dictionary whose
        // keys are all plain text cannot clash.
        let plain = |key: &PyObject| key.downcast_ref_if_exact::<PyStr>(self.vm).is_some();
        let mut seen = if dict.into_iter().all(|(key, _)| plain(&key)) { None } else { Some(HashSet::new()) };
        let mut first = true;
        for (key, value) in dict {
            if !first {
                self.put(b",")?;
            }
            first = false;
            if let Some(seen) = &mut seen {
                let text = self.key_text(&key)?;
                self.quoted(&text)?;
                if let Some(text) = seen.replace(text) {
                    return Err(self.invalid(format!("dict with two keys that JSON writes as \"{text}\"")));
                }
            } else if let Some(text) = key.downcast_ref::<PyStr>() {
                self.string(text)?;
            }
            self.put(b":")?;
            self.within(Step::Key(key), &value)?;
        }
        self.put(b"}")
    }

    fn key_text(&self, key: &PyObject) -> Result<String, Unsayable> {
        let types = &self.vm.ctx.types;
        if let Some(text) = key.downcast_ref::<PyStr>() {
            let text = text.to_str().map(str::to_owned);
            text.ok_or_else(|| self.invalid("dict with a key that holds a lone surrogate".to_owned()))
        } else if self.vm.is_none(key) {
            Ok("null".to_owned())
        } else if key.fast_isinstance(types.bool_type) {
            let truth = key.downcast_ref::<PyInt>().is_some_and(|int| int.as_bigint().bits() > 0);
            Ok(truth.to_string())
        } else if let Some(integer) = key.downcast_ref::<PyInt>() {
            self.integer(integer)
        } else if let Some(float) = key.downcast_ref::<PyFloat>().map(|float| float.to_f64())
            && float.is_finite()
        {
            Ok(rustpython_vm::literal::float::to_string(float))
        } else {
            Err(self.invalid(format!("dict with a key of type {}", key.class().name())))
        }
    }

    fn within(&mut self, step: Step, value: &PyObject) -> Result<(), Unsayable> {
        if self.path.len() == self.depth_max {
            return Err(Unsayable::Limit {
                measure: ResultMeasure::Depth,
                limit: self.depth_max as u64,
                observed: self.depth_max as u64 + 1,
            });
        }
        self.path.push(step);
        self.value(value)?;
        self.path.pop();
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Unsayable> {
        self.room_for(bytes.len())?;
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn room_for(&self, bytes: usize) -> Result<(), Unsayable> {
        let observed = self.text.len() + bytes;
        if observed <= self.bytes_max {
            return Ok(());
        }
        Err(Unsayable::Limit { measure: ResultMeasure::Bytes, limit: self.bytes_max as u64, observed: observed as u64 })
    }

    fn invalid(&self, reason: String) -> Unsayable {
        let mut path = String::from("result");
        for step in self.path.iter().take(16) {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) => {
                    let key: PyResult<_> = key.repr(self.vm);
                    let key = key.map(|key| key.to_string_lossy().into_owned()).unwrap_or_default();
                    path.push_str(&format!("[{}]", intentbox_abi::shortened(&key, 80)));
                }
            }
        }
        Unsayable::Invalid { path, reason }
    }
}
