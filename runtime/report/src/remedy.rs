//! Remedies: what to do about a failure, as data that each surface words in its own terms.
//!
//! A surface has flags, or arguments of a call, and knows how to name a limit or a value in them. Lines of files
//! ([`Permission`], [`TemplateAdvice`]), commands about upstream servers ([`ToolAdvice`]) and Python ([`ScriptAdvice`]) are the same everywhere, and word themselves.

use std::fmt;

use crate::permission::Permission;
use crate::script_advice::ScriptAdvice;
use crate::template_advice::TemplateAdvice;
use crate::tool_advice::ToolAdvice;
use crate::value_advice::ValueAdvice;

/// What to do about a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// A text as it came. The engine has no such text of its own: it comes from a script that rejects a request, or from the
    /// surface itself about a call that never reached the engine.
    Text(String),
    /// Allow a call that was refused, in the policy or the configuration.
    Permit(Permission),
    /// Change the script.
    Script(ScriptAdvice),
    /// Change the template, which does not render.
    Template(TemplateAdvice),
    /// Do something about an upstream server or a tool of it.
    Tool(ToolAdvice),
    /// Change the values for a template.
    Value(ValueAdvice),
    /// Allow a change, or confirm it.
    AllowWrites,
    /// Raise a limit.
    RaiseLimit {
        /// Its name, such as `fuel`.
        limit: &'static str,
        /// The most that it can be, in its unit.
        most: u64,
        /// What to change in the script otherwise, where that is known.
        instead: Option<ScriptAdvice>,
    },
    /// Name one of the limits that exist; the message lists them.
    NameLimit,
    /// Choose another value for a limit.
    SetLimit {
        /// Its name.
        limit: &'static str,
        /// The least that it can be, in its unit.
        least: u64,
        /// The most that it can be: the program's bound, or the operator's ceiling.
        most: u64,
    },
    /// Give the script less input.
    ShrinkInput,
    /// Give input that is JSON.
    InputAsJson,
    /// Give a script that is UTF-8 text of at most so many bytes.
    ScriptAsText {
        /// The limit `script_bytes` of the run.
        bytes_max: u64,
    },
    /// Make the script of a template shorter.
    ShortenTemplate,
    /// Mend a template, or what it read: the request was fine.
    MendTemplate {
        /// The template's id.
        template: String,
    },
    /// Say what is wanted in one sentence.
    Shorten,
    /// Say what is wanted. The intent `help` lists what can be.
    Ask,
    /// Say the intent in other words.
    Rephrase(Box<Rephrase>),
    /// Make the change that the intent asks for in another way: no template makes it.
    NoChange {
        /// Whether code of the caller may change something.
        by_code: bool,
    },
    /// Configure what a template that fits needs.
    Configure {
        /// The template's id.
        template: String,
        /// What it needs.
        lacks: Vec<Lack>,
    },
    /// Name one of the candidates.
    Choose,
    /// Give the missing parameters of the template, in declared order.
    Supply(Vec<Missing>),
    /// See why an origin does not answer: no reply came from it.
    Unreachable {
        /// Its alias.
        origin: String,
    },
    /// Do what an origin's reply asks for: 401, 403, 429 or a status from 500 on.
    Origin {
        /// The status.
        status: u16,
    },
    /// Retry when other runs have ended.
    Retry,
    /// Look at what the run has done before it is repeated: it was lost in the middle.
    CheckBeforeRetry,
    /// Report a fault of the program or of the machine.
    ReportFault,
}

/// [`Remedy::CheckBeforeRetry`] in words, which are the same on every surface.
pub const CHECK_BEFORE_RETRY: &str =
    "the worker was restarted; side effects of this run may have happened, so check before retrying";

/// What a template needs and the configuration lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// An origin of this name.
    Origin(String),
    /// A directory of this name.
    Directory(String),
}

/// What is missing.
impl fmt::Display for Lack {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lack::Origin(alias) => write!(formatter, "the origin `{alias}`"),
            Lack::Directory(alias) => write!(formatter, "the directory `{alias}`"),
        }
    }
}

impl Lack {
    /// What would supply it: a table of the configuration, or a flag.
    #[must_use]
    pub fn supply(&self) -> String {
        match self {
            Lack::Origin(alias) => format!("[origins.{alias}] in the configuration"),
            Lack::Directory(alias) => format!("--dir {alias}=PATH"),
        }
    }
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
    /// Whether code of the caller is no way either: a change is asked for, and code may only read.
    pub is_beyond_code: bool,
}

/// A word that is nearly a name that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearName {
    /// The parameter whose values such names are, such as `project`.
    pub parameter: String,
    /// What such names are called: a sum is of a `column`.
    pub called: String,
    /// The word as written.
    pub written: String,
    /// The name.
    pub name: String,
}

/// A question to the person who wrote the word.
impl fmt::Display for NearName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { called, written, name, .. } = self;
        write!(formatter, "no {called} `{written}`: did you mean `{name}`?")
    }
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
