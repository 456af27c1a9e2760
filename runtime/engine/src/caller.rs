//! Callers: who makes a request, when, and within which bounds. The same on every surface.

use std::collections::BTreeMap;
use std::time::Instant;

use intentbox_report::{Cause, Failure, Principal, Remedy, TraceContext};
use intentbox_sandbox::limits;
use intentbox_sandbox::{LimitOutOfBounds, Limits, NoSuchLimit};

/// Who makes a request, when, and within which bounds. A surface makes one for each request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The principal. Its table of the policy, if there is one, bounds what its runs may access. Answers, budgets and
    /// workers' caches are not shared between two principals.
    pub principal: Principal,
    /// The most that the operator lets this caller's runs use.
    pub ceilings: Ceilings,
    /// Whether templates that change something may run without a question.
    pub consent: Consent,
    /// What the runs are for.
    pub purpose: Purpose,
    /// The trace that the request is a part of, if it came with one: what its run sends elsewhere carries it on.
    pub trace: Option<TraceContext>,
    /// When the request came in: events measure from here how long a request took that never ran.
    pub received: Instant,
}

/// Whether there is consent to changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Not yet: a change needs a confirmation.
    Asked,
    /// The operator or the user has consented to all of them in advance.
    Given,
}

/// What runs are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An answer, which may come from the cache.
    Answer,
    /// A run, even if there is a cached answer: for measuring.
    Measure,
}

impl Caller {
    /// The user who started the program, with a request that came in now: no bounds but the policy's and the program's
    /// own, and every change needs a confirmation.
    #[must_use]
    pub fn local() -> Self {
        Self::of(Principal::local())
    }

    /// A principal whose request came in now, with the bounds of [`Caller::local`].
    #[must_use]
    pub fn of(principal: Principal) -> Self {
        Self {
            principal,
            ceilings: Ceilings::default(),
            consent: Consent::Asked,
            purpose: Purpose::Answer,
            trace: None,
            received: Instant::now(),
        }
    }
}

/// The operator's ceilings: limits that no run may exceed, below the program's own. A limit without one has the program's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ceilings(BTreeMap<&'static str, u64>);

/// A limit that cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    /// There is no limit of this name.
    #[error(transparent)]
    Unknown(#[from] NoSuchLimit),
    /// The value is outside the bounds of the limit.
    #[error(transparent)]
    OutOfBounds(#[from] LimitOutOfBounds),
}

impl LimitError {
    fn failure(&self) -> Failure {
        let remedy = match self {
            LimitError::Unknown(_) => Remedy::NameLimit,
            LimitError::OutOfBounds(LimitOutOfBounds { name, least, most, .. }) => {
                Remedy::SetLimit { limit: name, least: *least, most: *most }
            }
        };
        Failure::new(Cause::Limits, self.to_string()).with(remedy)
    }
}

impl Ceilings {
    /// Ceilings by the names of limits.
    ///
    /// # Errors
    /// When there is no such limit, or the program's own bounds do not hold the value.
    pub fn new(ceilings: impl IntoIterator<Item = (String, u64)>) -> Result<Self, LimitError> {
        let ceilings: Vec<(String, u64)> = ceilings.into_iter().collect();
        let mut within = Limits::default();
        for (name, value) in &ceilings {
            within.set(name, *value)?;
        }
        within.check()?;
        let known = ceilings.iter().filter_map(|(name, value)| {
            let bounds = limits::ALL.iter().find(|bounds| bounds.name == name)?;
            Some((bounds.name, *value))
        });
        Ok(Self(known.collect()))
    }

    /// Whether a caller may choose these limits.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn check(&self, chosen: &[(String, u64)]) -> Result<(), Box<Failure>> {
        self.limits(Limits::default(), chosen).map(|_| ())
    }

    /// Has the remedy of a failure raise no limit above its ceiling: what this server would refuse is no advice.
    pub(crate) fn bound(&self, failure: &mut Failure) {
        if let Some(Remedy::RaiseLimit { limit, most, .. }) = &mut failure.remedy
            && let Some(ceiling) = self.0.get(limit)
        {
            *most = (*most).min(*ceiling);
        }
    }

    /// The limits of a run: `base`, which a template or the program chose, lowered to the ceilings, and then those that the
    /// caller chose.
    ///
    /// # Errors
    /// What is wrong with a chosen limit. A choice above a ceiling is an error, and not lowered silently.
    pub(crate) fn limits(&self, base: Limits, chosen: &[(String, u64)]) -> Result<Limits, Box<Failure>> {
        let mut limits = base;
        for (name, ceiling) in &self.0 {
            // It was checked with the ceilings.
            let _ = limits.lower(name, *ceiling);
        }
        for (name, value) in chosen {
            limits.set(name, *value).map_err(|error| Box::new(LimitError::from(error).failure()))?;
            let bounds = limits::ALL.iter().find(|bounds| bounds.name == name);
            let ceiling = self.0.get(name.as_str()).filter(|ceiling| value > ceiling);
            if let (Some(bounds), Some(&most)) = (bounds, ceiling) {
                let told = format!("the limit `{name}` is at most {most} on this server, and {value} was asked for");
                let remedy = Remedy::SetLimit { limit: bounds.name, least: bounds.least, most };
                return Err(Box::new(Failure::new(Cause::Limits, told).with(remedy)));
            }
        }
        limits.check().map_err(|error| Box::new(LimitError::from(error).failure()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_caller_chooses_stays_under_what_the_operator_allows() {
        let ceilings = [("wall_ms".to_owned(), 5_000), ("host_calls".to_owned(), 1_000_000)];
        let ceilings = Ceilings::new(ceilings).expect("these are limits");
        let chosen = |limits: &[(&str, u64)]| {
            let limits: Vec<_> = limits.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            ceilings.limits(Limits::default(), &limits).map(|limits| (limits.wall_ms, limits.host_calls))
        };
        assert_eq!(chosen(&[]), Ok((5_000, 1_000)), "the default is over one ceiling, and under the other");
        assert_eq!(chosen(&[("wall_ms", 5_000)]), Ok((5_000, 1_000)));
        assert_eq!(chosen(&[("wall_ms", 10)]), Ok((10, 1_000)));
        let failure = chosen(&[("wall_ms", 5_001)]).expect_err("it is over the ceiling");
        let message = "the limit `wall_ms` is at most 5000 on this server, and 5001 was asked for";
        let remedy = Remedy::SetLimit { limit: "wall_ms", least: limits::WALL_MS.least, most: 5_000 };
        assert_eq!(*failure, Failure::new(Cause::Limits, message).with(remedy));
        // What a template chooses is lowered, not refused.
        let base = Limits { wall_ms: 60_000, ..Limits::default() };
        assert_eq!(ceilings.limits(base, &[]).map(|limits| limits.wall_ms), Ok(5_000));
        let base = Limits { wall_ms: 100, ..Limits::default() };
        assert_eq!(ceilings.limits(base, &[]).map(|limits| limits.wall_ms), Ok(100));
    }

    #[test]
    fn a_ceiling_is_a_limit_within_its_bounds() {
        for (name, value, is_one) in [
            ("wall_ms", limits::WALL_MS.most, true),
            ("wall_ms", limits::WALL_MS.most + 1, false),
            ("wall_ms", limits::WALL_MS.least - 1, false),
            ("seconds", 1, false),
        ] {
            assert_eq!(Ceilings::new([(name.to_owned(), value)]).is_ok(), is_one, "{name} {value}");
        }
    }
}
