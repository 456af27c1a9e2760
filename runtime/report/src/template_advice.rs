//! Advice on templates whose script does not render, as data.
//!
//! Its text is about the files of a template and about sizes. Those are the same on every surface, and so is the text.

use std::fmt;

/// What to change in a template, or in the values for it, so that it renders. Its text is an imperative, or says what a
/// template may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateAdvice {
    /// Use nothing but the dialect of script templates.
    UseDialect,
    /// Declare a parameter.
    DeclareParameter,
    /// Write a value through the filter `py`.
    AddFilter,
    /// Give a value that has a Python literal.
    FlattenValue,
    /// Give shorter values.
    ShortenValues,
    /// Do the work in Python instead of in the template.
    UsePython,
}

impl fmt::Display for TemplateAdvice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TemplateAdvice::UseDialect => {
                "a script template is Python with `{{ name | py }}` where a value belongs, and nothing else"
            }
            TemplateAdvice::DeclareParameter => "declare the name under [params] in template.toml, or correct it",
            TemplateAdvice::AddFilter => "write `{{ name | py }}`",
            TemplateAdvice::FlattenValue => "give a flatter value, and finite numbers",
            TemplateAdvice::ShortenValues => "lower `length_max` of its string parameters, or give shorter values",
            TemplateAdvice::UsePython => "move the work from the template into its Python",
        })
    }
}
