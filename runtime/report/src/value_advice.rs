//! Advice on values for the parameters of a template: what to give instead, as data.
//!
//! The text is the same on every surface, except for how a surface writes a value for a parameter.

use serde_json::Value;

/// What to change about the values for a template's parameters. Its text is an imperative, or names what is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueAdvice {
    /// Use this name or value, which looks most like the given one.
    Closest(String),
    /// Name one of these parameters; the template has no others.
    Known(Vec<String>),
    /// Leave a parameter out, so that it has no value.
    LeaveOut {
        /// The parameter.
        name: String,
    },
    /// Give a value such as this one.
    Like {
        /// The parameter.
        name: String,
        /// A valid value, as text.
        example: String,
    },
    /// Give the end of the range.
    Nearest {
        /// The parameter.
        name: String,
        /// The valid value that is nearest to the given one, as text.
        value: String,
    },
    /// Give fewer values in a list.
    FewerItems {
        /// The parameter.
        name: String,
        /// How many it may have.
        items_max: usize,
    },
    /// Give a shorter text.
    Shorten {
        /// The parameter.
        name: String,
        /// The most characters that it may have.
        length_max: usize,
    },
    /// Remove a control character from a text.
    RemoveCharacter {
        /// The parameter.
        name: String,
        /// The position of the character, counted in characters from 1.
        at: usize,
    },
    /// Correct a setting of the configuration, which supplied the value.
    CorrectSetting {
        /// The setting, such as `sentry.organization`.
        setting: String,
        /// What to change about its value.
        advice: Box<ValueAdvice>,
    },
}

impl ValueAdvice {
    /// The advice in words. `assign` writes a value for a parameter as the surface accepts it, such as `limit=5`.
    #[must_use]
    pub fn words(&self, assign: &dyn Fn(&str, &str) -> String) -> String {
        match self {
            ValueAdvice::Closest(closest) => format!("did you mean `{closest}`?"),
            ValueAdvice::Known(names) if names.is_empty() => "give no parameters".to_owned(),
            ValueAdvice::Known(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("its parameters are {}", names.join(", "))
            }
            ValueAdvice::LeaveOut { name } => format!("leave `{name}` out to have it unset"),
            ValueAdvice::Like { name, example } => format!("give it like `{}`", assign(name, example)),
            ValueAdvice::Nearest { name, value } => {
                format!("`{}` is the nearest that is allowed", assign(name, value))
            }
            ValueAdvice::FewerItems { name, items_max } => format!("give at most {items_max} values for `{name}`"),
            ValueAdvice::Shorten { name, length_max } => format!("shorten `{name}` to {length_max} characters"),
            ValueAdvice::RemoveCharacter { name, at } => format!("remove character {at} from `{name}`"),
            ValueAdvice::CorrectSetting { setting, advice } => {
                let key = setting.rsplit('.').next().unwrap_or(setting);
                // A text of JSON is a text of TOML as well.
                let line = |_: &str, value: &str| format!("{key} = {}", Value::from(value));
                format!("correct `{setting}` in the configuration: {}", advice.words(&line))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_on_a_value_is_written_as_the_surface_accepts_it_and_a_setting_as_its_file_has_it() {
        let name = || "limit".to_owned();
        let like = |example: &str| ValueAdvice::Like { name: name(), example: example.to_owned() };
        let setting = |advice: ValueAdvice| ValueAdvice::CorrectSetting {
            setting: "sentry.organization".to_owned(),
            advice: Box::new(advice),
        };
        for (advice, expected) in [
            (ValueAdvice::Closest(name()), "did you mean `limit`?"),
            (ValueAdvice::Known(Vec::new()), "give no parameters"),
            (ValueAdvice::Known(vec![name(), "level".to_owned()]), "its parameters are `limit`, `level`"),
            (ValueAdvice::LeaveOut { name: name() }, "leave `limit` out to have it unset"),
            (like("4"), "give it like `limit:4`"),
            (
                ValueAdvice::Nearest { name: name(), value: "100".to_owned() },
                "`limit:100` is the nearest that is allowed",
            ),
            (ValueAdvice::FewerItems { name: name(), items_max: 3 }, "give at most 3 values for `limit`"),
            (ValueAdvice::Shorten { name: name(), length_max: 3 }, "shorten `limit` to 3 characters"),
            (ValueAdvice::RemoveCharacter { name: name(), at: 3 }, "remove character 3 from `limit`"),
            (
                setting(like("a \"b\"")),
                "correct `sentry.organization` in the configuration: give it like `organization = \"a \\\"b\\\"\"`",
            ),
        ] {
            assert_eq!(advice.words(&|name: &str, value: &str| format!("{name}:{value}")), expected);
        }
    }
}
