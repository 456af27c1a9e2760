//! Remedies: what to do about a failure, as data that each surface words in its own terms.

use crate::permission::Permission;

/// What to do about a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Something that every surface says in the same words.
    Advice(String),
    /// Allow a call that was refused, in the policy or the configuration.
    Permit(Permission),
    /// Allow a change, or confirm it.
    AllowWrites,
    /// Raise a limit.
    RaiseLimit {
        /// Its name, such as `fuel`.
        limit: &'static str,
        /// The most that it can be, in its unit.
        most: u64,
    },
    /// Say what is wanted. The intent `help` lists what can be.
    Ask,
    /// Say the intent in other words.
    Rephrase(Box<Rephrase>),
    /// Configure what a template that fits needs.
    Configure {
        /// The template's id.
        template: String,
        /// What it needs, each as a flag or a table of the configuration.
        lacks: Vec<String>,
    },
    /// Name one of the candidates.
    Choose,
    /// Give the missing parameters of the template, in declared order.
    Supply(Vec<Missing>),
    /// Do what an origin's reply asks for: 401, 403, 429 or a status from 500 on.
    Origin {
        /// The status.
        status: u16,
    },
}

/// What helps to say an intent in other words. Its texts are short and safe to print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rephrase {
    /// Whether templates were near enough to be listed.
    pub has_candidates: bool,
    /// The words that were not understood, as written.
    pub not_understood: Vec<String>,
    /// The nearest sentence that a template fits.
    pub nearest: Option<String>,
    /// Words that are nearly names that exist.
    pub near_names: Vec<NearName>,
}

/// A word that is nearly a name that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearName {
    /// The parameter whose values such names are, such as `project`.
    pub parameter: String,
    /// The word as written.
    pub written: String,
    /// The name.
    pub name: String,
}

/// A parameter that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// A value that would do, as text.
    pub example: String,
    /// The setting of the configuration that could supply it, such as `sentry.organization`.
    pub setting: Option<String>,
}
