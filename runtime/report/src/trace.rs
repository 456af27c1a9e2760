//! The trace that a request is a part of, as W3C Trace Context (level 1, 2021) writes it.
//!
//! A client sends `traceparent: 00-TRACE-PARENT-FLAGS`. What a run then sends elsewhere carries the same trace, with the run as
//! the parent, so that whoever collects spans sees one picture. Nothing is made up: without a trace that came in, none goes out.

use std::fmt;

use crate::RunId;

/// The longest `tracestate` that is passed on, in bytes: what the recommendation asks for at least.
const STATE_BYTES_MAX: usize = 512;

/// A trace, and the span in it that the next one is a child of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
    /// What vendors added; empty if nothing.
    state: String,
}

impl TraceContext {
    /// Reads the values of the headers `traceparent` and `tracestate`. A value of another form is none, as the recommendation
    /// has it, and of a later version the parts are read that this one knows.
    #[must_use]
    pub fn parse(parent: &str, state: Option<&str>) -> Option<Self> {
        let mut parts = parent.split('-');
        let version = number(parts.next()?, 2)?;
        let trace = number(parts.next()?, 32)?;
        let span = u64::try_from(number(parts.next()?, 16)?).ok()?;
        let flags = u8::try_from(number(parts.next()?, 2)?).ok()?;
        let is_whole = parts.next().is_none() || version > 0;
        if version == 0xff || trace == 0 || span == 0 || !is_whole {
            return None;
        }
        let is_plain =
            |state: &&str| state.len() <= STATE_BYTES_MAX && state.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let state = state.filter(is_plain).unwrap_or_default().trim().to_owned();
        Some(Self { trace, span, flags, state })
    }

    /// Reads what [`TraceContext::kept`] wrote.
    #[must_use]
    pub fn of_kept(kept: &str) -> Option<Self> {
        let (parent, state) = kept.split_once(' ').unwrap_or((kept, ""));
        Self::parse(parent, Some(state))
    }

    /// Both values in one text, to be kept with a job.
    #[must_use]
    pub fn kept(&self) -> String {
        format!("{self} {}", self.state).trim_end().to_owned()
    }

    /// The same trace, with a run as the parent of what follows.
    #[must_use]
    pub fn within(&self, run: RunId) -> Self {
        // Zero is no span.
        Self { span: run.low_bits().max(1), ..self.clone() }
    }

    /// What collectors call the trace: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// What collectors call the span: 16 hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// The value of `tracestate`, if there is one.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        Some(self.state.as_str()).filter(|state| !state.is_empty())
    }
}

/// The value of `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of the flags, version 00 knows one: whether the caller records the trace.
        write!(formatter, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags & 1)
    }
}

/// A number of exactly so many hexadecimal digits in lower case.
fn number(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    u128::from_str_radix(text, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_trace_is_read_and_goes_on_with_the_run_as_parent() {
        let trace = TraceContext::parse(PARENT, Some("vendor=1,other=a b ")).expect("a trace");
        assert_eq!((trace.to_string().as_str(), trace.state()), (PARENT, Some("vendor=1,other=a b")));
        let within = trace.within(RunId::of(0xabcd_0000_0000_0000_0000_0000_0000_00ff));
        assert_eq!(within.to_string(), "00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-01");
        assert_eq!((within.trace_id(), within.span_id()), (trace.trace_id(), "00000000000000ff".to_owned()));
        assert_eq!(trace.within(RunId::of(1 << 64)).span_id(), "0000000000000001");
        assert_eq!(TraceContext::of_kept(&trace.kept()), Some(trace));
        let bare = TraceContext::parse(PARENT, None).expect("a trace");
        assert_eq!((bare.kept().as_str(), TraceContext::of_kept(PARENT)), (PARENT, Some(bare)));
    }

    #[test]
    fn what_is_no_trace_is_none() {
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::parse(wrong, None), None, "{wrong}");
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_this_one_knows_it() {
        let later = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more";
        let trace = TraceContext::parse(later, Some(&"x".repeat(513))).expect("a trace");
        assert_eq!((trace.to_string().as_str(), trace.state()), (PARENT, None));
        let state = "x".repeat(512);
        assert_eq!(TraceContext::parse(later, Some(&state)).expect("a trace").state(), Some(state.as_str()));
        assert_eq!(TraceContext::parse(later, Some("a\u{e9}")).expect("a trace").state(), None);
    }
}
