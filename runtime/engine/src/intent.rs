//! Requests: words for a template, or code.

use std::collections::BTreeMap;

use intentbox_sandbox::Deterministic;
use serde_json::Value;

use crate::target_name::TargetName;

/// The longest intent, in bytes. A sentence has some 200; beyond this it is a document, and no phrase of a template.
pub const INTENT_BYTES_MAX: usize = 4 << 10;

/// A request in words.
#[derive(Debug, Clone, Default)]
pub struct Intent {
    /// The words.
    pub text: String,
    /// Values for parameters; they override what the words say.
    pub params: BTreeMap<String, Given>,
    /// The template or the tool that the user chose; the words then only provide values.
    pub template: Option<TargetName>,
    /// How to run it.
    pub settings: Settings,
}

/// A value as it was given for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// As text, which is read by the parameter's type.
    Text(String),
    /// As a value of some type, which must be the parameter's.
    Value(Value),
}

impl Given {
    /// A value of JSON: texts are read by the parameter's type, since models write numbers as texts.
    #[must_use]
    pub fn of(value: Value) -> Self {
        match value {
            Value::String(text) => Given::Text(text),
            value => Given::Value(value),
        }
    }

    /// Whether a text is a part of it.
    pub(crate) fn holds(&self, text: &str) -> bool {
        match self {
            Given::Text(given) => given.contains(text),
            Given::Value(value) => value.to_string().contains(text),
        }
    }
}

/// A request to run Python.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// What tracebacks call it.
    pub name: String,
    /// The source as it came.
    pub source: Vec<u8>,
    /// JSON text that becomes `params`.
    pub params: String,
    /// How to run it.
    pub settings: Settings,
}

/// Settings of a run. The template's or the default applies to those that are not set.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Limits by name, unit included, such as `("wall_ms", 500)`: see [`limits::ALL`](intentbox_sandbox::limits::ALL).
    pub limits: Vec<(String, u64)>,
    /// A seed and a time instead of the machine's.
    pub deterministic: Option<Deterministic>,
}
