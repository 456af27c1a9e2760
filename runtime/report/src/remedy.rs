//! Remedies: what to do about a failure, as data that each surface words in its own terms.

/// What to do about a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Something that every surface says in the same words.
    Advice(String),
    /// Something for the operator to add to the policy or the configuration, as an imperative that begins with `add`.
    Permit(String),
    /// Allow a change, or confirm it.
    AllowWrites,
    /// Raise a limit.
    RaiseLimit {
        /// Its name, such as `fuel`.
        limit: &'static str,
        /// The most that it can be, in its unit.
        most: u64,
    },
    /// Say the intent in other words.
    Rephrase {
        /// Whether templates were near enough to be listed.
        has_candidates: bool,
    },
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
