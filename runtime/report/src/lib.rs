//! The result of a request, as values.
//!
//! A [`Report`] says how a request ended; a [`Failure`] why it did not work, and a [`Remedy`] what would change that. All of
//! them are data: surfaces compare causes, not texts, and word a remedy in their own terms, as a flag, an argument of a call
//! or a line of a file. [`Wire`] is the one JSON form of a report. This crate does no I/O and knows no sandbox, no template
//! and no surface.
//!
//! - `outcome`: the stable names, with exit codes. - `failure` and `remedy`: what went wrong, and what to do.
//! - `permission`: what would allow a refused call. - `script_advice`, `template_advice`, `tool_advice` and
//!   `value_advice`: what to change in a script, a template, about an upstream server, or in values. - `report`: all of it together.
//! - `run_id` and `principal`: which run, and whose. - `trace`: the trace that a request is a part of. - `wire`: as JSON.

mod failure;
mod outcome;
mod permission;
mod principal;
mod remedy;
mod report;
mod run_id;
mod script_advice;
mod template_advice;
mod tool_advice;
mod trace;
mod value_advice;
mod wire;

pub use failure::{Cause, Failure};
pub use outcome::{Outcome, Terms};
pub use permission::{MissingOrigin, Permission, TableRules};
pub use principal::Principal;
pub use remedy::{CHECK_BEFORE_RETRY, Lack, Missing, NearName, Remedy, Rephrase};
pub use report::{
    Candidate, Inferred, Listed, LookedAt, Mended, Mode, Refused, Report, Spent, TOOL_CALLS_MAX, Takes, Target,
    ToolCall, Unread,
};
pub use run_id::RunId;
pub use script_advice::ScriptAdvice;
pub use template_advice::TemplateAdvice;
pub use tool_advice::ToolAdvice;
pub use trace::TraceContext;
pub use value_advice::ValueAdvice;
pub use wire::Wire;
