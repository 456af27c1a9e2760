//! The declared shape of a template's result, and the check of results against it.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::param_error::shown;

/// The largest schema, as JSON text. A result is a list of rows, which takes some hundred bytes to declare.
const SCHEMA_BYTES_MAX: usize = 8 << 10;

/// How many faults of one result are named.
const FAULTS_MAX: usize = 3;

/// The declared shape of a template's result: a JSON Schema, which fetches nothing.
#[derive(Debug)]
pub struct ResultSchema {
    schema: Value,
    /// Built at the first check, so that a program that never needs it does not pay for it.
    validator: OnceLock<Validator>,
}

/// A result that does not match the declaration of its template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the result is not what the template declares: {faults}")]
pub struct ResultError {
    /// The first faults, each with its place in the result.
    pub faults: String,
}

impl ResultSchema {
    /// Takes a schema.
    ///
    /// # Errors
    ///
    /// When it is too large, or not a schema.
    pub(crate) fn new(schema: Value) -> Result<Self, String> {
        let bytes = schema.to_string().len();
        if bytes > SCHEMA_BYTES_MAX {
            return Err(format!("it has {bytes} bytes as JSON, and may have {SCHEMA_BYTES_MAX}"));
        }
        if let Some(reference) = reference(&schema) {
            return Err(format!("`{reference}` is not followed; write the schema out"));
        }
        jsonschema::meta::validate(&schema).map_err(|error| error.to_string())?;
        Ok(Self { schema, validator: OnceLock::new() })
    }

    /// The schema as JSON.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Checks a result.
    ///
    /// # Errors
    ///
    /// When it does not match the schema, with the first faults.
    pub fn check(&self, result: &Value) -> Result<(), ResultError> {
        let validator = if let Some(validator) = self.validator.get() {
            validator
        } else {
            let built = jsonschema::validator_for(&self.schema).map_err(|error| ResultError {
                faults: format!("its schema cannot be used: {}", shown(&error.to_string())),
            })?;
            self.validator.get_or_init(|| built)
        };
        if validator.is_valid(result) {
            return Ok(());
        }
        let faults: Vec<String> = validator
            .iter_errors(result)
            .take(FAULTS_MAX)
            .map(|error| format!("`result{}`: {}", error.instance_path(), shown(&error.masked().to_string())))
            .collect();
        Err(ResultError { faults: faults.join("; ") })
    }
}

/// A keyword that would lead out of the schema, if there is one.
fn reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            let leads_out = matches!(name.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef" | "$schema" | "$id");
            if leads_out { Some(name.as_str()) } else { reference(field) }
        }),
        Value::Array(items) => items.iter().find_map(reference),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows() -> ResultSchema {
        let row = json!({
            "type": "object",
            "properties": {"id": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
            "required": ["id", "count"],
            "additionalProperties": false,
        });
        ResultSchema::new(json!({"type": "array", "items": row})).expect("it is a schema")
    }

    #[test]
    fn a_result_that_keeps_the_promise_passes() {
        for result in [json!([]), json!([{"id": "a", "count": 0}, {"id": "b", "count": 2}])] {
            assert_eq!(rows().check(&result), Ok(()), "{result}");
        }
    }

    #[test]
    fn a_fault_is_named_with_its_place_and_without_the_value() {
        for (result, expected) in [
            (json!(null), "`result`"),
            (json!([{"id": "a"}]), "`result/0`"),
            (json!([{"id": "a", "count": "hunter2"}]), "`result/0/count`"),
            (json!([{"id": "a", "count": -1}]), "`result/0/count`"),
            (json!([{"id": "a", "count": 1, "more": 1}]), "`result/0`"),
        ] {
            let error = rows().check(&result).expect_err("it breaks the promise").to_string();
            assert!(error.contains(expected) && !error.contains("hunter2"), "{result}: {error}");
        }
    }

    #[test]
    fn what_is_no_schema_or_leads_elsewhere_is_refused() {
        for schema in [
            json!({"type": "text"}),
            json!({"items": {"$ref": "https://example.com/schema.json"}}),
            json!({"description": "x".repeat(SCHEMA_BYTES_MAX)}),
        ] {
            assert!(ResultSchema::new(schema.clone()).is_err(), "{schema}");
        }
    }
}
