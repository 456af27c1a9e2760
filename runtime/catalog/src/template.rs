//! One template: its manifest, the check of values for its parameters, and its script.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use intentbox_capability::Access;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::TemplateId;
use crate::param::{ParamKind, ParamSpec, ValuesFrom};
use crate::param_error::{MissingParam, ParamError, closest};
use crate::result::ResultSchema;
use crate::script::{RenderError, Script, ScriptTemplate};
use crate::window::Window;
use crate::words::Clause;

/// A template: data about a script, and the script.
#[derive(Debug)]
pub struct Template {
    pub(crate) id: TemplateId,
    pub(crate) pack: Arc<Pack>,
    pub(crate) summary: String,
    pub(crate) phrases: Vec<String>,
    pub(crate) whole_phrases: Vec<String>,
    pub(crate) confirmed_phrases: Vec<String>,
    pub(crate) confirmed_clauses: Vec<Clause>,
    pub(crate) parameters: Vec<ParamSpec>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) implied: Vec<Clause>,
    pub(crate) one_of: Vec<String>,
    pub(crate) companions: Companions,
    pub(crate) effects: Effects,
    pub(crate) wants: Access,
    pub(crate) cache_s: u32,
    pub(crate) limits: Limits,
    pub(crate) result: Option<ResultSchema>,
    pub(crate) digest: String,
    pub(crate) source: String,
    pub(crate) script: ScriptTemplate,
}

/// Which parameters take more of what others take, each by the name of that other one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Companions {
    /// What takes a second value of its kind: of "refunded orders over 200", one condition is that of `column`, the other that of
    /// `and_column`. This may have a companion itself, for a third.
    pub second: BTreeMap<String, String>,
    /// What takes further values that are as good as the first: "Norway, Sweden or Denmark".
    pub or: BTreeMap<String, String>,
    /// What takes the values instead where they are excluded: "all but Norway".
    pub not: BTreeMap<String, String>,
}

/// What the templates of one folder share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) about: Vec<String>,
    pub(crate) synonyms: BTreeMap<String, Vec<String>>,
    pub(crate) module: Option<String>,
    pub(crate) weights: Option<String>,
}

/// Whether a script changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effects {
    /// It only reads.
    Read,
    /// It changes something, and needs explicit consent.
    Write,
}

/// Limits that a template asks for in place of the defaults, higher or lower, up to the ceiling of each limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Fuel of the sandbox.
    pub fuel: Option<u64>,
    /// Linear memory of the guest in MiB.
    pub memory_mib: Option<u32>,
    /// The wall deadline in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Calls to the host: requests, and pieces of files.
    pub host_calls: Option<u64>,
}

/// Values that passed [`Template::check`], and nothing else: one for each declared parameter, in declared order.
///
/// An optional parameter without a value is `null` here and `None` in the script, so that a script has the same names
/// bound whatever was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Arguments {
    values: IndexMap<String, Value>,
}

impl Template {
    /// Its id, `pack/name`.
    #[must_use]
    pub fn id(&self) -> &TemplateId {
        &self.id
    }

    /// The pack it belongs to.
    #[must_use]
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// What it does, in one sentence.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The window of time that arguments choose. `None` where they choose none.
    #[must_use]
    pub fn window(&self, arguments: &Value) -> Option<Window> {
        let mut windows = self.parameters.iter().filter(|spec| matches!(spec.kind(), ParamKind::Window { .. }));
        windows.find_map(|spec| arguments.get(spec.name())?.as_str()?.parse().ok())
    }

    /// Word patterns over several of its parameters.
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// What a sentence means without saying it, tried in this order once everything else was read: in `<by> <count=rows>`, who
    /// names a group and nothing to add up wants a count. A word must be somewhere in the sentence, and so must a name.
    #[must_use]
    pub fn implied(&self) -> &[Clause] {
        &self.implied
    }

    /// Parameters of which a sentence gives one at most.
    #[must_use]
    pub fn one_of(&self) -> &[String] {
        &self.one_of
    }

    /// Which parameters take more of what others take.
    #[must_use]
    pub fn companions(&self) -> &Companions {
        &self.companions
    }

    /// Phrases that select it where a sentence says nothing else.
    #[must_use]
    pub fn whole_phrases(&self) -> &[String] {
        &self.whole_phrases
    }

    /// Phrases that select it where the data hold the texts of a sentence that has no answer otherwise.
    #[must_use]
    pub fn confirmed_phrases(&self) -> &[String] {
        &self.confirmed_phrases
    }

    /// Patterns over several parameters that count where the data hold the texts of a sentence that has no answer otherwise.
    #[must_use]
    pub fn confirmed_clauses(&self) -> &[Clause] {
        &self.confirmed_clauses
    }

    /// Declared phrases that select it. Without any, no sentence does: it is there for `values_from` and `confirmed_by` of others.
    #[must_use]
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// Its parameters, in declared order.
    #[must_use]
    pub fn parameters(&self) -> &[ParamSpec] {
        &self.parameters
    }

    /// The parameter of this name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&ParamSpec> {
        self.parameters.iter().find(|spec| spec.name == name)
    }

    /// Whether it reads or writes.
    #[must_use]
    pub fn effects(&self) -> Effects {
        self.effects
    }

    /// The access it wants. What is granted is decided elsewhere.
    #[must_use]
    pub fn wants(&self) -> &Access {
        &self.wants
    }

    /// For how many seconds an answer may be cached; 0 means never.
    #[must_use]
    pub fn cache_s(&self) -> u32 {
        self.cache_s
    }

    /// The declared shape of its result, if it declares one.
    #[must_use]
    pub fn result(&self) -> Option<&ResultSchema> {
        self.result.as_ref()
    }

    /// SHA-256 over its id, manifest and script, in hexadecimal: another text is another template.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The limits it asks for.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The script template as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Checks values against the declared parameters.
    ///
    /// `settings` are the non-secret settings of the configured origin, by name, for parameters declared with
    /// `default_from`. A given value overrides a default, and a default overrides a setting.
    ///
    /// # Errors
    ///
    /// The first unknown name, else the first invalid value, else all missing parameters at once.
    pub fn check(
        &self,
        given: &BTreeMap<String, Value>,
        settings: &BTreeMap<String, String>,
    ) -> Result<Arguments, ParamError> {
        self.check_with(given, settings, &[])
    }

    /// The same, where these parameters are required too.
    ///
    /// # Errors
    ///
    /// As [`Self::check`].
    pub fn check_with(
        &self,
        given: &BTreeMap<String, Value>,
        settings: &BTreeMap<String, String>,
        required: &[String],
    ) -> Result<Arguments, ParamError> {
        if let Some(unknown) = given.keys().find(|name| self.parameter(name).is_none()) {
            return Err(self.unknown(unknown));
        }
        let mut values = IndexMap::with_capacity(self.parameters.len());
        let mut missing = Vec::new();
        for spec in &self.parameters {
            match Self::value_of(spec, given, settings)? {
                Some(value) => {
                    values.insert(spec.name.clone(), value);
                }
                None if spec.required || required.contains(&spec.name) => missing.push(missing_param(spec)),
                None => {
                    values.insert(spec.name.clone(), Value::Null);
                }
            }
        }
        if missing.is_empty() { Ok(Arguments { values }) } else { Err(ParamError::Missing { parameters: missing }) }
    }

    fn value_of(
        spec: &ParamSpec,
        given: &BTreeMap<String, Value>,
        settings: &BTreeMap<String, String>,
    ) -> Result<Option<Value>, ParamError> {
        if let Some(value) = given.get(&spec.name) {
            return spec.check(value).map(Some);
        }
        if let Some(default) = &spec.default {
            return Ok(Some(default.clone()));
        }
        let Some(setting) = &spec.default_from else {
            return Ok(None);
        };
        let Some(text) = settings.get(setting) else {
            return Ok(None);
        };
        match spec.read(text).and_then(|value| spec.check(&value)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(ParamError::Setting { setting: setting.clone(), error: Box::new(error) }),
        }
    }

    /// Reads `text` as a value of the parameter `name`, for `--param name=text`.
    ///
    /// # Errors
    ///
    /// When there is no such parameter, or the text is not a value of its type.
    pub fn read_text(&self, name: &str, text: &str) -> Result<Value, ParamError> {
        self.parameter(name).ok_or_else(|| self.unknown(name))?.read(text)
    }

    /// Renders the script for these arguments.
    ///
    /// # Errors
    ///
    /// When the arguments are those of another template, or the script would grow too large.
    pub fn render(&self, arguments: &Arguments) -> Result<Script, RenderError> {
        self.script.render(arguments)
    }

    /// The error of a name that none of its parameters has.
    #[must_use]
    pub fn unknown(&self, name: &str) -> ParamError {
        ParamError::Unknown {
            template: self.id.to_string(),
            name: name.to_owned(),
            closest: self.closest(name).map(told),
            known: self.parameters.iter().map(told).collect(),
        }
    }

    /// The parameter that an unknown name is nearest to: by its letters, or by a word with which sentences announce its values.
    fn closest(&self, name: &str) -> Option<&ParamSpec> {
        match closest(name, self.parameters.iter().map(ParamSpec::name)) {
            Some(closest) => self.parameter(&closest),
            None => self.announced(name),
        }
    }

    /// The one parameter whose values sentences announce with this word, as `order` is by "sort by users"; nothing for a word that
    /// is the name of a parameter itself.
    #[must_use]
    pub fn announced(&self, word: &str) -> Option<&ParamSpec> {
        if self.parameter(word).is_some() {
            return None;
        }
        let begins = |spec: &&ParamSpec| {
            spec.words.iter().any(|pattern| pattern.before().first().is_some_and(|first| first == word))
        };
        let mut found = self.parameters.iter().filter(begins);
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }
}

/// A parameter by its name, with its values where they are few.
fn told(spec: &ParamSpec) -> String {
    match &spec.kind {
        ParamKind::Enum { choices } => {
            let choices: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            format!("{} ({})", spec.name, choices.join("|"))
        }
        ParamKind::Integer { min: Some(min), max: Some(max) } => format!("{} ({min} to {max})", spec.name),
        // The percentile of which column, and not which percentile.
        _ => match &spec.values_from {
            Some(ValuesFrom::Template { field, .. }) => format!("{} (a {field})", spec.name),
            _ => spec.name.clone(),
        },
    }
}

fn missing_param(spec: &ParamSpec) -> MissingParam {
    MissingParam {
        name: spec.name.clone(),
        expected: spec.kind.expected(),
        description: spec.description.clone(),
        example: spec.example(),
        setting: spec.default_from.clone(),
    }
}

impl Pack {
    /// Its id, the part before the slash in the ids of its templates.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What its templates are about. Empty when the pack has no `pack.toml`.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// The source of `pack.py`, which the scripts of its templates may `import pack`, if there is one.
    #[must_use]
    pub fn module(&self) -> Option<&str> {
        self.module.as_deref()
    }

    /// The text of `weights.tsv`: what trained words say about its templates.
    #[must_use]
    pub fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    /// What tracebacks call that module, such as `sentry/pack.py`.
    #[must_use]
    pub fn module_file(&self) -> String {
        format!("{}/pack.py", self.id)
    }

    /// Words that say which pack is meant, such as `log` or `sentry`. Nobody has to say them.
    #[must_use]
    pub fn about(&self) -> &[String] {
        &self.about
    }

    /// Words that mean the same in the pack's domain: each entry's list is read as its key.
    #[must_use]
    pub fn synonyms(&self) -> &BTreeMap<String, Vec<String>> {
        &self.synonyms
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

impl Arguments {
    /// The value of one parameter; `null` when it is optional and was not given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Arguments for the rehearsal of a template when it is loaded: every declared name, bound to nothing.
    pub(crate) fn blank(parameters: &[ParamSpec]) -> Self {
        Self { values: parameters.iter().map(|spec| (spec.name.clone(), Value::Null)).collect() }
    }

    #[cfg(test)]
    pub(crate) fn of_one(name: &str, value: Value) -> Self {
        Self { values: IndexMap::from([(name.to_owned(), value)]) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::Catalog;

    const MANIFEST: &str = r#"
summary = "Lists things."
phrases = ["list things"]
effects = "read"

[params.owner]
type = "string"
description = "Whose things."
required = true
default_from = "things.owner"
pattern = "[a-z]+"
example = "acme"

[params.kind]
type = "enum"
description = "Which things."
required = true
values = ["big", "small"]

[params.name]
type = "string"
description = "Part of the name."

[params.limit]
type = "integer"
description = "How many."
default = 10
min = 1
max = 100
"#;
    const SCRIPT: &str = "owner = {{ owner | py }}\nkind = {{ kind | py }}\nname = {{ name | py }}\n\
                          limit = {{ limit | py }}\nresult = [owner, kind, name][:limit]\n";

    fn catalog() -> Catalog {
        Catalog::from_files([
            ("t/things/template.toml", MANIFEST.as_bytes()),
            ("t/things/script.py.j2", SCRIPT.as_bytes()),
        ])
        .unwrap_or_else(|error| panic!("{error}"))
    }

    fn map<V>(entries: impl IntoIterator<Item = (&'static str, V)>) -> BTreeMap<String, V> {
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn check(given: Value, settings: &[(&'static str, &str)]) -> Result<Value, ParamError> {
        let catalog = catalog();
        let template = catalog.get("t/things").expect("it was just loaded");
        let given: BTreeMap<String, Value> = serde_json::from_value(given).expect("it is an object");
        let settings = map(settings.iter().map(|(name, text)| (*name, (*text).to_owned())));
        let arguments = template.check(&given, &settings)?;
        Ok(serde_json::to_value(arguments).expect("arguments are JSON"))
    }

    #[test]
    fn arguments_are_complete_and_given_goes_before_default_before_setting() {
        assert_eq!(
            check(json!({"kind": "big"}), &[("things.owner", "acme")]),
            Ok(json!({"owner": "acme", "kind": "big", "name": null, "limit": 10}))
        );
        assert_eq!(
            check(json!({"owner": "me", "kind": "small", "name": "x", "limit": 3}), &[("things.owner", "acme")]),
            Ok(json!({"owner": "me", "kind": "small", "name": "x", "limit": 3}))
        );
    }

    #[test]
    fn everything_missing_is_reported_at_once() {
        let error = check(json!({}), &[]).expect_err("two parameters are missing");
        assert_eq!(
            error.to_string(),
            "missing `owner` (a string: Whose things.), `kind` (one of the listed words: Which things.)"
        );
        let ParamError::Missing { parameters } = error else { panic!("{error}") };
        let missing = parameters.iter().map(|missing| (missing.example.as_str(), missing.setting.as_deref()));
        assert_eq!(missing.collect::<Vec<_>>(), [("acme", Some("things.owner")), ("big", None)]);
    }

    #[test]
    fn a_word_that_announces_one_parameter_names_it() {
        let catalog = Catalog::embedded().expect("the built-in templates");
        let template = catalog.get("sentry/search_issues").expect("it is built in");
        for (word, expected) in
            [("sort", Some("order")), ("text", Some("query")), ("for", None), ("order", None), ("colour", None)]
        {
            assert_eq!(template.announced(word).map(ParamSpec::name), expected, "{word}");
        }
    }

    #[test]
    fn unknown_names_and_unfit_settings_are_refused() {
        let error = check(json!({"limits": 1}), &[]).expect_err("there is no `limits`");
        assert_eq!(error.to_string(), "template `t/things` has no parameter \"limits\"");
        assert!(matches!(error, ParamError::Unknown { closest: Some(name), .. } if name == "limit (1 to 100)"));
        let error = check(json!({"__class__": 1}), &[]).expect_err("there is no `__class__`");
        let ParamError::Unknown { closest: None, known, .. } = error else { panic!("{error}") };
        assert_eq!(known, ["owner", "kind (big|small)", "name", "limit (1 to 100)"]);
        let error = check(json!({"kind": "big"}), &[("things.owner", "ACME")]).expect_err("it is not lower case");
        assert_eq!(
            error.to_string(),
            "setting `things.owner` does not fit: parameter `owner` must match `[a-z]+` from end to end, and \"ACME\" \
             does not"
        );
    }

    #[test]
    fn the_script_binds_every_name() {
        let catalog = catalog();
        let template = catalog.get("t/things").expect("it was just loaded");
        let given = map([("owner", json!("acme")), ("kind", json!("big"))]);
        let arguments = template.check(&given, &BTreeMap::new()).expect("the values fit");
        let script = template.render(&arguments).expect("the template renders");
        assert_eq!(script.name(), "t/things.py");
        assert_eq!(
            script.source(),
            "owner = 'acme'\nkind = 'big'\nname = None\nlimit = 10\nresult = [owner, kind, name][:limit]\n"
        );
    }
}
