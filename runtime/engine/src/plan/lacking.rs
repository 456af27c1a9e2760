//! What is told of values that are missing: the names that there are.

use intentbox_catalog::Template;
use intentbox_catalog::param::ValuesWhere;
use intentbox_report::Remedy;
use intentbox_router::{Name, Names, Source};

use super::{Incomplete, Plan};

/// How many of the names that exist are told for one that is missing.
const NAMES_TOLD_MAX: usize = 12;

impl Plan {
    /// The same with the names that a missing parameter may have, the first of them as the example.
    pub(super) fn naming(mut self, parameter: &str, names: &[String]) -> Self {
        if let Self::Incomplete(Incomplete { report, .. }) = &mut self
            && let Some(failure) = &mut report.failure
            && let Some(first) = names.first()
            && let Some(Remedy::Supply(missing)) = &mut failure.remedy
            && let Some(missing) = missing.iter_mut().find(|missing| missing.name == parameter)
        {
            missing.example.clone_from(first);
            failure.message = format!("{}; there are {}", failure.message, names.join(", "));
        }
        self
    }

    /// The same with the names that are known for what is missing.
    pub(super) fn naming_known(mut self, template: &Template, known: &Names) -> Self {
        let Self::Incomplete(Incomplete { missing, .. }) = &self else { return self };
        let names = missing.iter().filter_map(|spec| {
            let source = Source { pack: template.pack().id().to_owned(), values: spec.values_from()?.clone() };
            let fits = |name: &&Name| {
                let is_of =
                    |only: &ValuesWhere| name.fields.get(&only.field).is_some_and(|text| only.is.contains(text));
                spec.values_where().is_none_or(is_of) && !name.fields.contains_key("said")
            };
            let names = known.get(&source)?.names().filter(fits).take(NAMES_TOLD_MAX);
            let names: Vec<String> = names.map(|name| name.text.clone()).collect();
            (!names.is_empty()).then(|| (spec.name().to_owned(), names))
        });
        for (parameter, names) in names.collect::<Vec<_>>() {
            self = self.naming(&parameter, &names);
        }
        self
    }
}
