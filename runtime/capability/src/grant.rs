//! A grant: rules in layers. Every layer must allow a request.

use crate::rule::{Alias, Extra, HttpRule, Method};

/// What a run may do. Each layer is one party's rules (the template's wants, the operator's policy, a principal's table),
/// and a request is allowed only when every layer has a rule for it: adding a layer can only take away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Always there: a grant without layers would allow everything.
    first: Vec<HttpRule>,
    more: Vec<Vec<HttpRule>>,
}

impl Grant {
    /// The grant that allows no request.
    #[must_use]
    pub fn nothing() -> Self {
        Self::of([])
    }

    /// The grant of one layer.
    #[must_use]
    pub fn of(rules: impl IntoIterator<Item = HttpRule>) -> Self {
        Self { first: rules.into_iter().collect(), more: Vec::new() }
    }

    /// This grant, narrowed to what these rules allow too.
    #[must_use]
    pub fn and(mut self, rules: impl IntoIterator<Item = HttpRule>) -> Self {
        self.more.push(rules.into_iter().collect());
        self
    }

    /// What all layers together allow, as rules for display. Empty if that is nothing.
    #[must_use]
    pub fn rules(&self) -> Vec<HttpRule> {
        let mut rules = self.first.clone();
        for layer in &self.more {
            let pairs = rules.iter().flat_map(|rule| layer.iter().filter_map(|other| rule.meet(other)));
            rules = pairs.collect();
            rules.sort();
            rules.dedup();
        }
        rules
    }

    /// The rules, as all kinds of grants show them.
    pub(crate) fn shown(&self) -> Vec<HttpRule> {
        self.rules()
    }

    /// Whether every layer has a rule for this request. The gate asks this, and not [`Grant::rules`], because it is the
    /// definition and needs no algebra.
    pub(crate) fn covers(&self, alias: &Alias, method: Method, path: &[String]) -> bool {
        let agrees = |layer: &Vec<HttpRule>| layer.iter().any(|rule| rule.covers(alias, method, path));
        agrees(&self.first) && self.more.iter().all(agrees)
    }
}

impl Grant {
    /// What a request may carry in addition to ordinary headers and bodies: whatever every layer allows by its rules
    /// for the request. The rules of one layer add up, so that a line can be written for a header alone.
    pub(crate) fn extra(&self, alias: &Alias, method: Method, path: &[String]) -> Extra {
        let of_layer = |layer: &Vec<HttpRule>| {
            let covering = layer.iter().filter(|rule| rule.covers(alias, method, path));
            covering.fold(Extra::default(), |all, rule| all.join(rule.extra()))
        };
        self.more.iter().fold(of_layer(&self.first), |all, layer| all.meet(&of_layer(layer)))
    }
}

impl Default for Grant {
    fn default() -> Self {
        Self::nothing()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::path;
    use crate::rule::WrittenRule;

    fn rule() -> impl Strategy<Value = HttpRule> {
        let headers = prop::collection::vec(prop::sample::select(vec!["x-a", "x-b", "x-c"]), 0..3);
        (line(), headers, any::<bool>()).prop_map(|(line, headers, body)| {
            let headers = headers.into_iter().map(str::to_owned).collect();
            // A body is for what asks.
            let body = body && line.methods().contains(&Method::Get);
            let written = WrittenRule { rule: line.to_string(), headers, body };
            written.try_into().expect("made of valid parts")
        })
    }

    fn line() -> impl Strategy<Value = HttpRule> {
        let segment = prop::sample::select(vec!["a", "b", "*"]);
        let segments = prop::collection::vec(segment, 0..4);
        let end = prop::sample::select(vec!["", "/", "/**"]);
        let methods = prop::sample::select(vec!["GET", "POST", "GET,POST"]);
        let alias = prop::sample::select(vec!["x", "y"]);
        (alias, methods, segments, end).prop_map(|(alias, methods, segments, end)| {
            let path: String = segments.iter().flat_map(|segment| ["/", *segment]).collect();
            let path = match path + end {
                path if path.is_empty() => "/".to_owned(),
                path => path,
            };
            format!("{alias}: {methods} {path}").parse().expect("made of valid parts")
        })
    }

    fn request() -> impl Strategy<Value = (Alias, Method, Vec<String>)> {
        let alias = prop::sample::select(vec!["x", "y"]);
        let method = prop::sample::select(vec![Method::Get, Method::Post, Method::Put]);
        (alias, method, "(/[ab]){0,4}/?").prop_map(|(alias, method, path)| {
            let path = if path.is_empty() { "/" } else { &path };
            let segments = path::segments(path).expect("made of valid parts");
            (alias.parse().expect("an alias"), method, segments)
        })
    }

    fn rules() -> impl Strategy<Value = Vec<HttpRule>> {
        prop::collection::vec(rule(), 0..4)
    }

    proptest! {
        #[test]
        fn a_grant_never_exceeds_either_operand(
            one in rules(),
            two in rules(),
            (alias, method, path) in request(),
        ) {
            let covers = |grant: &Grant| grant.covers(&alias, method, &path);
            let (left, right) = (Grant::of(one.clone()), Grant::of(two.clone()));
            let both = left.clone().and(two.clone());
            prop_assert_eq!(covers(&both), covers(&left) && covers(&right));
            prop_assert_eq!(covers(&both), covers(&right.and(one)), "the order does not matter");
            prop_assert_eq!(covers(&both), covers(&Grant::of(both.rules())), "`rules` says the same");
            prop_assert!(!covers(&Grant::nothing().and(two)));
        }

        #[test]
        fn h10_what_a_request_carries_never_exceeds_either_operand(
            one in rules(),
            two in rules(),
            (alias, method, path) in request(),
        ) {
            let extra = |grant: &Grant| grant.extra(&alias, method, &path);
            let (left, right) = (Grant::of(one.clone()), Grant::of(two.clone()));
            let both = left.clone().and(two);
            let carried = extra(&both);
            prop_assert_eq!(&carried, &extra(&left).meet(&extra(&right)));
            for operand in [&left, &right] {
                let alone = extra(operand);
                prop_assert!(carried.headers.is_subset(&alone.headers) && (alone.body || !carried.body));
                // No header without a rule for the request that names it.
                for header in &alone.headers {
                    let names = |rule: &HttpRule| {
                        rule.covers(&alias, method, &path) && rule.extra().headers.contains(header)
                    };
                    prop_assert!(operand.rules().iter().any(names));
                }
            }
            prop_assert_eq!(&carried, &extra(&right.and(one)), "the order does not matter");
            // A body matters to GET alone here, and a rule that was made for showing leaves it out elsewhere.
            let shown = extra(&Grant::of(both.rules()));
            prop_assert_eq!(&carried.headers, &shown.headers, "`rules` says the same");
            prop_assert!(method != Method::Get || carried.body == shown.body, "`rules` says the same");
            prop_assert_eq!(extra(&Grant::nothing().and(both.rules())), Extra::default());
        }

        #[test]
        fn a_rule_survives_its_text(rule in line()) {
            prop_assert_eq!(rule.to_string().parse(), Ok(rule));
        }
    }
}
