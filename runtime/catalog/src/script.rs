//! Rendering: arguments into the text of a Python script. **This file is a boundary**, the second after `dialect`.
//!
//! Invariant: everything in a script besides its author's own text came through [`crate::literal::python`].
//!
//! The environment of minijinja is empty but for one filter, `py`. The filter returns a type of its own, `Literal`, and
//! the formatter writes that type only: a string built from a literal is a string, and rejected. There is no loader, so
//! no template reaches another, and nothing depends on the template's name. `dialect` has rejected everything else
//! before; the bounds here hold even if it is wrong.

use std::fmt;
use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Object, Value};
use minijinja::{Environment, ErrorKind, Output, State, UndefinedBehavior};

use crate::literal::{self, LiteralError};
use crate::template::Arguments;

/// The longest script. The longest template is a sixteenth of it (see `catalog`), so only values could get near;
/// twice as much would still run, and only delay the guest's own limits.
pub const SCRIPT_BYTES_MAX: usize = 1 << 20;

/// How many instructions of minijinja one rendering may take. A place for a value takes about five.
const FUEL_MAX: u64 = 100_000;

/// A rendered script: its name, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    name: String,
    source: String,
}

impl Script {
    /// The name that tracebacks show, `pack/name.py`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Python source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// A compiled script template, with the one environment it will ever be rendered in.
#[derive(Debug)]
pub(crate) struct ScriptTemplate {
    file: String,
    script_name: String,
    environment: Environment<'static>,
}

impl ScriptTemplate {
    /// Compiles `source`. Errors name it as `file`.
    pub(crate) fn compile(file: &str, script_name: &str, source: &str) -> Result<Self, RenderError> {
        let syntax =
            SyntaxConfig::builder().keep_trailing_newline(true).build().expect("the default delimiters are valid");
        let mut environment = Environment::empty();
        environment.set_syntax(syntax);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL_MAX));
        environment.set_formatter(write_literal);
        environment.add_filter("py", py);
        environment
            .add_template_owned(file.to_owned(), source.to_owned())
            .map_err(|error| RenderError::from_engine(&error, file))?;
        Ok(Self { file: file.to_owned(), script_name: script_name.to_owned(), environment })
    }

    pub(crate) fn render(&self, arguments: &Arguments) -> Result<Script, RenderError> {
        let refuse = |error: minijinja::Error| RenderError::from_engine(&error, &self.file);
        let template = self.environment.get_template(&self.file).map_err(refuse)?;
        let mut bounded = Bounded { bytes: Vec::new() };
        template.render_captured_to(Value::from(minijinja::value::Serde(arguments)), &mut bounded).map_err(refuse)?;
        let source = String::from_utf8(bounded.bytes).expect("minijinja writes whole strings");
        Ok(Script { name: self.script_name.clone(), source })
    }
}

/// The Python source of one value. Only [`py`] makes one, and [`write_literal`] writes nothing else.
#[derive(Debug)]
struct Literal(String);

impl Object for Literal {}

fn py(value: &Value) -> Result<Value, minijinja::Error> {
    let refuse = |detail: &'static str| Err(minijinja::Error::new(ErrorKind::InvalidOperation, detail));
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    if value.downcast_object_ref::<Literal>().is_some() {
        return refuse("`py` was applied twice");
    }
    // Serialising would turn a NaN into null, which is another value.
    if f64::try_from(value.clone()).is_ok_and(|number| !number.is_finite()) {
        return refuse("the number is not finite");
    }
    let json = serde_json::to_value(value)
        .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    let text = literal::python(&json)
        .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()).with_source(error))?;
    Ok(Value::from_object(Literal(text)))
}

fn write_literal(out: &mut Output, _state: &mut State, value: &Value) -> Result<(), minijinja::Error> {
    let Some(Literal(text)) = value.downcast_object_ref::<Literal>() else {
        return Err(minijinja::Error::new(ErrorKind::InvalidOperation, Unfiltered.to_string()).with_source(Unfiltered));
    };
    out.write_str(text)?;
    Ok(())
}

/// Marks the refusal of [`write_literal`] on its way through minijinja.
#[derive(Debug)]
struct Unfiltered;

impl fmt::Display for Unfiltered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value did not come through `py`")
    }
}

impl std::error::Error for Unfiltered {}

/// Holds the rendered text, and rejects the first byte beyond the bound.
struct Bounded {
    bytes: Vec<u8>,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > SCRIPT_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why a template and its arguments did not render. The cause is the template, or the size of the values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The template is not well formed.
    #[error("{file}:{line}: {message}")]
    Syntax {
        /// The template's file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What minijinja says about it.
        message: String,
    },
    /// The template names an unknown parameter.
    #[error("{file}:{line}: the name is not a declared parameter")]
    Undefined {
        /// The template's file.
        file: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// The template writes a value that did not come through `py`.
    #[error("{file}:{line}: a value is written without the filter `py`")]
    Unfiltered {
        /// The template's file.
        file: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// A value has no Python literal.
    #[error("{file}:{line}: {error}")]
    Literal {
        /// The template's file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// Why not.
        #[source]
        error: LiteralError,
    },
    /// The script would be longer than [`SCRIPT_BYTES_MAX`].
    #[error("{file}: the script would be longer than {SCRIPT_BYTES_MAX} bytes")]
    TooLarge {
        /// The template's file.
        file: String,
    },
    /// Rendering took too many steps.
    #[error("{file}: rendering takes more than {FUEL_MAX} steps")]
    Exhausted {
        /// The template's file.
        file: String,
    },
    /// Anything else minijinja refuses, such as a filter or function that does not exist here.
    #[error("{file}:{line}: {message}")]
    Refused {
        /// The template's file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What minijinja says about it.
        message: String,
    },
}

impl RenderError {
    fn from_engine(error: &minijinja::Error, file: &str) -> Self {
        let file = file.to_owned();
        let line = error.line().unwrap_or(1);
        let cause = std::error::Error::source(error);
        if cause.is_some_and(<dyn std::error::Error>::is::<Unfiltered>) {
            return Self::Unfiltered { file, line };
        }
        if let Some(error) = cause.and_then(<dyn std::error::Error>::downcast_ref::<LiteralError>) {
            return Self::Literal { file, line, error: error.clone() };
        }
        match error.kind() {
            ErrorKind::UndefinedError => Self::Undefined { file, line },
            ErrorKind::OutOfFuel => Self::Exhausted { file },
            ErrorKind::WriteFailure => Self::TooLarge { file },
            kind => {
                let message = error.detail().map_or_else(|| kind.to_string(), str::to_owned);
                if kind == ErrorKind::SyntaxError {
                    Self::Syntax { file, line, message }
                } else {
                    Self::Refused { file, line, message }
                }
            }
        }
    }

    /// The line at fault, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::Syntax { line, .. }
            | Self::Undefined { line, .. }
            | Self::Unfiltered { line, .. }
            | Self::Literal { line, .. }
            | Self::Refused { line, .. } => *line,
            Self::TooLarge { .. } | Self::Exhausted { .. } => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Renders a template that the dialect has not seen, with `a` bound to `value`.
    fn render(source: &str, value: serde_json::Value) -> Result<String, RenderError> {
        let template = ScriptTemplate::compile("t/t/script.py.j2", "t/t.py", source)?;
        template.render(&Arguments::of_one("a", value)).map(|script| script.source)
    }

    #[test]
    fn values_are_written_as_literals_and_text_stays_as_it_is() {
        let value = json!("'); import os  # {{ 7*7 }}\n");
        assert_eq!(
            render("x = {{ a | py }}\n", value).as_deref(),
            Ok("x = '\\'); import os  # \\x7b\\x7b 7*7 \\x7d\\x7d\\n'\n")
        );
        assert_eq!(render("{{ a | py }}", json!({"k": [1, 2.5, null]})).as_deref(), Ok("{'k': [1, 2.5, None]}"));
        assert_eq!(render("{{ a | py }}", json!(u64::MAX)).as_deref(), Ok("18446744073709551615"));
    }

    #[test]
    fn whatever_did_not_come_through_py_is_refused_with_its_line() {
        let unfiltered = RenderError::Unfiltered { file: "t/t/script.py.j2".to_owned(), line: 2 };
        for source in [
            "\n{{ a }}",
            "\n{{ 1 }}",
            "\n{{ (a | py) ~ '' }}",
            "\n{% set x %}{{ a | py }}{% endset %}{{ x }}",
            "\n{{ (a | py) == 1 }}",
        ] {
            assert_eq!(render(source, json!("v")), Err(unfiltered.clone()), "{source}");
        }
    }

    #[test]
    fn unknown_names_filters_functions_and_templates_are_refused() {
        assert!(matches!(render("\n{{ b | py }}", json!(1)), Err(RenderError::Undefined { line: 2, .. })));
        assert!(matches!(render("{{ a", json!(1)), Err(RenderError::Syntax { line: 1, .. })));
        for source in [
            "{{ a | upper | py }}",
            "{{ a | safe }}",
            "{{ range(9) | py }}",
            "{{ debug() | py }}",
            "{{ a | py | py }}",
            "{% include '../secrets' %}",
        ] {
            assert!(
                matches!(
                    render(source, json!("v")),
                    Err(RenderError::Refused { .. } | RenderError::Syntax { .. } | RenderError::Undefined { .. })
                ),
                "{source}"
            );
        }
    }

    #[test]
    fn work_and_output_are_bounded_while_rendering() {
        let list = json!(vec![0; 300]);
        let loops = "{% for x in a %}{% for y in a %}{% for z in a %}{% endfor %}{% endfor %}{% endfor %}";
        assert!(matches!(render(loops, list.clone()), Err(RenderError::Exhausted { .. })));

        let growth = format!("{{% for x in a %}}{}{{% endfor %}}", "x".repeat(SCRIPT_BYTES_MAX / 300 + 1));
        assert!(matches!(render(&growth, list), Err(RenderError::TooLarge { .. })));

        let longest = "x".repeat(SCRIPT_BYTES_MAX);
        assert!(render(&longest, json!(1)).is_ok());
        assert!(matches!(render(&(longest + "x"), json!(1)), Err(RenderError::TooLarge { .. })));

        let deep = (0..=literal::DEPTH_MAX).fold(json!(1), |value, _| json!([value]));
        assert!(matches!(render("{{ a | py }}", deep), Err(RenderError::Literal { line: 1, .. })));
    }

    /// Templates that are learned do not exist yet. What would hold one that the dialect let through by a mistake is
    /// what is tested here: the renderer's own bounds on steps and bytes, and an environment with nothing in it.
    #[test]
    fn t05_a_template_without_an_end_is_stopped() {
        let list = json!(vec![0; 300]);
        for source in [
            "{% for x in a %}{% for y in a %}{% for z in a %}{{ x | py }}{% endfor %}{% endfor %}{% endfor %}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{% for x in range(1000000000) %}{% endfor %}",
            "{% include 't/t/script.py.j2' %}",
            "{% extends 't/t/script.py.j2' %}",
            "{% import 't/t/script.py.j2' as t %}",
            "{{ a | replace('0', '00') | py }}",
            "{{ '%1000000000d' | format(1) | py }}",
            "{{ 'x'.rjust(1000000000) | py }}",
            "{{ a | join('x' * 1000) | py }}",
        ] {
            assert!(render(source, list.clone()).is_err(), "{source}");
        }
    }

    #[test]
    fn t10_escaping_does_not_depend_on_the_name_of_the_file() {
        let value = json!("<a href='x'>&\"\\");
        for file in [
            "t.html",
            "t.htm",
            "t.xml",
            "t.html.j2",
            "t.js",
            "t.json",
            "t.yaml",
            "t.py",
            "t",
            "t.txt",
            "html/html.html",
        ] {
            let template = ScriptTemplate::compile(file, "t/t.py", "x = {{ a | py }}\n").expect(file);
            let script = template.render(&Arguments::of_one("a", value.clone())).expect(file);
            assert_eq!(script.source(), "x = '<a href=\\'x\\'>&\\\"\\\\'\n", "{file}");
            for other in ["{{ a | e }}", "{{ a | safe }}", "{{ a | escape | py }}", "{{ a | tojson }}", "{{ a }}"] {
                let refused = ScriptTemplate::compile(file, "t/t.py", other)
                    .and_then(|template| template.render(&Arguments::of_one("a", value.clone())));
                assert!(refused.is_err(), "{file}: {other}");
            }
        }
    }
}
