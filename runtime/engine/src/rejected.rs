//! What the catalog rejects, as failures: values for a template's parameters, and templates that do not render.

use intentbox_catalog::param_error::MissingParam;
use intentbox_catalog::{ParamError, RenderError};
use intentbox_report::{Cause, Failure, Missing, Remedy, TemplateAdvice, ValueAdvice};

/// The failure of a request whose values are invalid or incomplete.
pub(crate) fn values(error: &ParamError) -> Failure {
    let cause = match error {
        ParamError::Missing { .. } => Cause::Missing,
        _ => Cause::Parameter,
    };
    Failure::new(cause, error.to_string()).with(remedy_for_values(error))
}

/// The failure of a request whose template does not render.
pub(crate) fn template(error: &RenderError) -> Failure {
    let advice = match error {
        RenderError::Syntax { .. } | RenderError::Refused { .. } => TemplateAdvice::UseDialect,
        RenderError::Undefined { .. } => TemplateAdvice::DeclareParameter,
        RenderError::Unfiltered { .. } => TemplateAdvice::AddFilter,
        RenderError::Literal { .. } => TemplateAdvice::FlattenValue,
        RenderError::TooLarge { .. } => TemplateAdvice::ShortenValues,
        RenderError::Exhausted { .. } => TemplateAdvice::UsePython,
    };
    Failure::new(Cause::Template, error.to_string()).with(Remedy::Template(advice))
}

/// What would make invalid or incomplete values for a template valid.
#[must_use]
pub fn remedy_for_values(error: &ParamError) -> Remedy {
    let like = |name: &String, example: &str| ValueAdvice::Like { name: name.clone(), example: example.to_owned() };
    Remedy::Value(match error {
        ParamError::Missing { parameters } => return Remedy::Supply(parameters.iter().map(missing).collect()),
        ParamError::Unknown { closest: Some(closest), .. } | ParamError::NotOneOf { closest: Some(closest), .. } => {
            ValueAdvice::Closest(closest.clone())
        }
        ParamError::Unknown { known, .. } => ValueAdvice::Known(known.clone()),
        ParamError::WrongType { name, got: "null", .. } => ValueAdvice::LeaveOut { name: name.clone() },
        ParamError::WrongType { name, example, .. }
        | ParamError::Unreadable { name, example, .. }
        | ParamError::NotMatching { name, example, .. } => like(name, example),
        ParamError::NotOneOf { name, values, .. } => like(name, values.first().map_or("", String::as_str)),
        ParamError::OutOfRange { name, bounds, .. } => {
            ValueAdvice::Nearest { name: name.clone(), value: bounds.nearest.clone() }
        }
        ParamError::TooMany { name, items_max, .. } => {
            ValueAdvice::FewerItems { name: name.clone(), items_max: *items_max }
        }
        ParamError::TooLong { name, length_max, .. } => {
            ValueAdvice::Shorten { name: name.clone(), length_max: *length_max }
        }
        ParamError::ControlCharacter { name, at, .. } => ValueAdvice::RemoveCharacter { name: name.clone(), at: *at },
        ParamError::Setting { setting, error } => match remedy_for_values(error) {
            Remedy::Value(advice) => ValueAdvice::CorrectSetting { setting: setting.clone(), advice: Box::new(advice) },
            remedy => return remedy,
        },
    })
}

fn missing(parameter: &MissingParam) -> Missing {
    Missing { name: parameter.name.clone(), example: parameter.example.clone(), setting: parameter.setting.clone() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use intentbox_catalog::Catalog;
    use serde_json::{Value, json};

    use super::*;

    /// The remedy for values of the template that lists errors, with one setting.
    fn remedy(given: Value, organization: &str) -> Remedy {
        let catalog = Catalog::embedded().expect("the built-in templates are whole");
        let template = catalog.get("sentry/list_errors").expect("it is part of the sentry pack");
        let given: BTreeMap<String, Value> = serde_json::from_value(given).expect("an object");
        let setting = |text: &str| ("sentry.organization".to_owned(), text.to_owned());
        let settings = Some(organization).filter(|text| !text.is_empty()).map(setting).into_iter().collect();
        remedy_for_values(&template.check(&given, &settings).expect_err("the values are invalid"))
    }

    #[test]
    fn each_invalid_value_has_a_remedy_with_the_data_that_corrects_it() {
        let name = |name: &str| name.to_owned();
        for (given, expected) in [
            (json!({"limits": 1}), ValueAdvice::Closest(name("limit (1 to 100)"))),
            (json!({"limit": 101}), ValueAdvice::Nearest { name: name("limit"), value: name("100") }),
            (json!({"limit": null}), ValueAdvice::LeaveOut { name: name("limit") }),
            (json!({"project": "A B"}), ValueAdvice::Like { name: name("project"), example: name("web") }),
            (json!({"project": "a\n"}), ValueAdvice::RemoveCharacter { name: name("project"), at: 2 }),
        ] {
            assert_eq!(remedy(given.clone(), "acme"), Remedy::Value(expected), "{given}");
        }
        let Remedy::Value(ValueAdvice::Known(known)) = remedy(json!({"colour": 1}), "acme") else {
            panic!("no name looks like it")
        };
        assert!(known.contains(&name("limit (1 to 100)")), "{known:?}");
        let Remedy::Value(ValueAdvice::CorrectSetting { setting, .. }) = remedy(json!({}), "A B") else {
            panic!("the setting is invalid")
        };
        assert_eq!(setting, "sentry.organization");
        let Remedy::Supply(missing) = remedy(json!({}), "") else { panic!("the organization is missing") };
        assert_eq!(missing.iter().map(|missing| missing.name.as_str()).collect::<Vec<_>>(), ["organization"]);
    }
}
