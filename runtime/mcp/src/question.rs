//! Elicitation: what to ask the user before an intent can run, and the replies.
//!
//! There are three questions: which of several templates is meant, the missing values, and whether to make a change. A
//! question is derived from a plan, so the engine decides what is missing, and the reply completes that plan. A reply
//! can choose, fill and confirm, and nothing else.
//!
//! In the stateless protocol, the replies travel with the client between two requests. The server seals them, and they
//! are valid only together with the same call of the same principal.

use std::collections::BTreeMap;

use intentbox_catalog::terminal::printable_json;
use intentbox_catalog::{ParamKind, ParamSpec};
use intentbox_engine::{Change, Given, Intent, Plan, TargetName};
use rmcp::model::{ElicitResult, ElicitationAction, ElicitationSchema, JsonObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most templates to choose from, and values asked for at once: a form that people still read.
const ENTRIES_MAX: usize = 8;

/// How much of a server's own description of its tool is shown to who is asked about it, in characters.
const SUMMARY_CHARS_MAX: usize = 200;

/// The longest reply that is accepted, in bytes. Values of parameters are shorter.
const ANSWER_BYTES_MAX: usize = 8 << 10;

/// A question.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// Which template is meant?
    Which(Vec<(String, String)>),
    /// What are the values of these parameters of a template?
    Values { template: String, parameters: Vec<ParamSpec> },
    /// Is this change to be made?
    Confirm(Change),
}

/// The replies so far, about one call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Replies {
    /// The chosen template.
    template: Option<String>,
    /// Values for parameters.
    values: BTreeMap<String, Value>,
    /// The digest of the change that was asked about: this template with these arguments, and no other.
    asked: Option<[u8; 32]>,
    /// A random number of the question: an answer to it counts once.
    #[serde(with = "as_text")]
    once: u128,
    /// The digest of the change that the user confirmed.
    confirmed: Option<[u8; 32]>,
}

/// A number that JSON has no room for.
mod as_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The answer ends the matter: nothing is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The user declined.
    Declined,
    /// The user closed the question without an answer.
    Dismissed,
    /// The reply does not answer the question.
    Unusable,
}

impl Question {
    /// Whether it is about a change.
    pub(crate) fn is_about_a_change(&self) -> bool {
        matches!(self, Question::Confirm(_))
    }

    /// The question that a plan leaves open, if a reply can help.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        match plan {
            Plan::Which(which) => {
                let named = which.candidates().iter().take(ENTRIES_MAX);
                let named = named.map(|candidate| (candidate.template.clone(), candidate.summary.clone()));
                Some(Question::Which(named.collect()))
            }
            Plan::Incomplete(incomplete) => {
                let parameters = incomplete.missing().iter().take(ENTRIES_MAX).cloned().collect();
                Some(Question::Values { template: incomplete.template(), parameters })
            }
            Plan::NeedsConsent(unconfirmed) => Some(Question::Confirm(unconfirmed.change())),
            Plan::Ready(_) | Plan::Help(_) | Plan::NotGranted(_) | Plan::Nothing(_) | Plan::Invalid(_) => None,
        }
    }

    /// The digest of the change that is asked about.
    fn change(&self) -> Option<[u8; 32]> {
        match self {
            Question::Confirm(change) => Some(change.digest),
            Question::Which(_) | Question::Values { .. } => None,
        }
    }

    /// The question in words.
    pub(crate) fn message(&self) -> String {
        match self {
            Question::Which(templates) => {
                let lines = templates.iter().map(|(id, summary)| format!("\n- {id}: {summary}"));
                let lines = lines.collect::<String>();
                match templates.len() {
                    1 => format!("Is this what you mean? It is not sure enough to run it.{lines}"),
                    _ => format!("Several templates fit. Which one do you mean?{lines}"),
                }
            }
            Question::Values { template, parameters } => {
                let names: Vec<&str> = parameters.iter().map(ParamSpec::name).collect();
                format!("{template} needs {}.", names.join(" and "))
            }
            Question::Confirm(Change { template, summary, is_tool, arguments, .. }) => {
                // Who reads this must see what would run: no character that hides, or puts others in another order.
                let arguments = printable_json(&arguments.to_string());
                if *is_tool {
                    // A stranger wrote this, who may want to be accepted.
                    let summary: String = summary.chars().take(SUMMARY_CHARS_MAX).collect();
                    let summary = printable_json(&Value::from(summary).to_string());
                    return format!(
                        "{template} may change something. Accept to run it with {arguments}. Its server, and nobody else, says of it: {summary}"
                    );
                }
                format!("{template} changes something: {summary} Accept to run it with {arguments}.")
            }
        }
    }

    /// The form of a reply.
    pub(crate) fn form(&self) -> Option<ElicitationSchema> {
        let (properties, required): (JsonObject, Vec<&str>) = match self {
            Question::Which(templates) => {
                let ids: Vec<&str> = templates.iter().map(|(id, _)| id.as_str()).collect();
                let choice = json!({"type": "string", "title": "Template", "enum": ids});
                ([("template".to_owned(), choice)].into_iter().collect(), vec!["template"])
            }
            Question::Values { parameters, .. } => (
                parameters.iter().map(|spec| (spec.name().to_owned(), field(spec))).collect(),
                parameters.iter().map(ParamSpec::name).collect(),
            ),
            // To accept is to say yes: a box to tick besides would be overlooked.
            Question::Confirm(_) => (JsonObject::new(), Vec::new()),
        };
        let form = json!({"type": "object", "properties": properties, "required": required});
        ElicitationSchema::from_json_schema(form.as_object()?.clone()).ok()
    }
}

/// One value of a form.
fn field(spec: &ParamSpec) -> Value {
    let description = format!("{} For example {}.", spec.description(), spec.example());
    match spec.kind() {
        ParamKind::Integer { .. } => json!({"type": "integer", "description": description}),
        ParamKind::Number { .. } => json!({"type": "number", "description": description}),
        ParamKind::Boolean => json!({"type": "boolean", "description": description}),
        ParamKind::Enum { choices } => {
            let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            json!({"type": "string", "description": description, "enum": values})
        }
        _ => json!({"type": "string", "description": description}),
    }
}

impl Replies {
    /// The intent with the replies. Values of the call itself stay.
    pub(crate) fn about(&self, intent: &Intent) -> Intent {
        let mut intent = intent.clone();
        if let Some(template) = self.template.as_deref().and_then(|id| id.parse::<TargetName>().ok()) {
            intent.template = Some(template);
        }
        for (name, value) in &self.values {
            intent.params.insert(name.clone(), Given::of(value.clone()));
        }
        intent
    }

    /// Records the current question: only this one can be confirmed, and only once.
    pub(crate) fn note_asked(&mut self, question: &Question, once: u128) {
        self.asked = question.change();
        self.once = once;
    }

    /// The random number that identifies this question.
    pub(crate) fn once(&self) -> u128 {
        self.once
    }

    /// The template that was chosen.
    pub(crate) fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    /// The values of the replies.
    pub(crate) fn values(&self) -> BTreeMap<String, Given> {
        self.values.iter().map(|(name, value)| (name.clone(), Given::of(value.clone()))).collect()
    }

    /// Whether exactly this change was confirmed.
    pub(crate) fn confirms(&self, question: &Question) -> bool {
        self.confirmed.is_some() && self.confirmed == question.change()
    }

    /// Records a reply.
    ///
    /// # Errors
    /// When it does not answer the question, or the user declines.
    pub(crate) fn take(&mut self, question: &Question, answer: &ElicitResult) -> Result<(), NoAnswer> {
        match answer.action {
            ElicitationAction::Accept => {}
            ElicitationAction::Cancel => return Err(NoAnswer::Dismissed),
            _ => return Err(NoAnswer::Declined),
        }
        let nothing = JsonObject::new();
        let content = match &answer.content {
            None => &nothing,
            Some(content) => content.as_object().ok_or(NoAnswer::Unusable)?,
        };
        match question {
            Question::Which(templates) => {
                let chosen = content.get("template").and_then(Value::as_str);
                let (id, _) = templates.iter().find(|(id, _)| Some(id.as_str()) == chosen).ok_or(NoAnswer::Unusable)?;
                self.template = Some(id.clone());
            }
            Question::Values { template, parameters } => {
                for spec in parameters {
                    let value = content.get(spec.name()).filter(|value| is_plain(value)).ok_or(NoAnswer::Unusable)?;
                    self.values.insert(spec.name().to_owned(), value.clone());
                }
                self.template = Some(template.clone());
            }
            Question::Confirm(_) if self.asked == question.change() => self.confirmed = question.change(),
            Question::Confirm(_) => return Err(NoAnswer::Unusable),
        }
        Ok(())
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= ANSWER_BYTES_MAX,
        Value::Bool(_) | Value::Number(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use futures_util::FutureExt as _;
    use intentbox_capability::{Origin, PrivateAddresses};
    use intentbox_catalog::Catalog;
    use intentbox_egress::OriginConfig;
    use intentbox_engine::{Caller, Capacity, Configuration, Engine, Isolation, Parts, Policy, Sharing};
    use intentbox_files::Directories;

    use super::*;

    /// An engine that plans over the built-in templates. It runs nothing.
    fn engine(settings: &[(&str, &str)]) -> Engine {
        let origin = OriginConfig {
            origin: Origin::new("sentry".parse().expect("an alias"), "http://127.0.0.1:9").expect("an origin"),
            credential: None,
            roots: Vec::new(),
            private_addresses: PrivateAddresses::loopback(),
        };
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let data = "data".parse().expect("an alias");
        let directories = Directories::open([(&data, Path::new("."))]);
        let parts = Parts {
            catalog: Catalog::embedded().expect("the built-in templates are whole"),
            configuration: Configuration::of_origin(origin, settings, "/".to_owned()),
            resources: directories.expect("the folder that the test runs in").into(),
            policy: Policy::open(&"sentry".parse().expect("an alias"), "GET,PUT", "GET"),
            isolation: Isolation::InProcess,
            capacity: Capacity {
                runs: 1,
                memory_bytes: 1 << 30,
                wait_max: std::time::Duration::ZERO,
                sharing: Sharing::Whole,
            },
        };
        Engine::new(parts).expect("the origin can be used")
    }

    const ORGANIZATION: [(&str, &str); 1] = [("sentry.organization", "acme")];

    fn plan(engine: &Engine, text: &str, params: Value) -> Plan {
        let Value::Object(params) = params else { panic!("{params} is no object") };
        let params = params.into_iter().map(|(name, value)| (name, Given::of(value))).collect();
        let (intent, caller) = (Intent { text: text.to_owned(), params, ..Intent::default() }, Caller::local());
        engine.plan(&intent, &caller).now_or_never().expect("templates answer at once")
    }

    fn of(text: &str, params: Value) -> Option<Question> {
        Question::of(&plan(&engine(&ORGANIZATION), text, params))
    }

    fn which() -> Question {
        Question::Which(vec![("a/b".to_owned(), "Does a/b.".to_owned()), ("c/d".to_owned(), "Does c/d.".to_owned())])
    }

    fn values() -> Question {
        of("sentry/issue_details", json!({})).expect("the issue is missing")
    }

    fn confirm(issue: &str) -> Question {
        let change = Change {
            template: "sentry/resolve_issue".to_owned(),
            summary: "Marks one issue as resolved.".to_owned(),
            is_tool: false,
            arguments: json!({"issue": issue}),
            digest: std::array::from_fn(|at| issue.as_bytes().get(at).copied().unwrap_or(0)),
        };
        Question::Confirm(change)
    }

    fn accepted(content: Value) -> ElicitResult {
        ElicitResult::new(ElicitationAction::Accept).with_content(content)
    }

    #[test]
    fn what_is_lacking_is_asked_in_words_and_as_a_form() {
        for (question, message, form) in [
            (
                which(),
                "Several templates fit. Which one do you mean?\n- a/b: Does a/b.\n- c/d: Does c/d.",
                json!({"template": {"type": "string", "title": "Template", "enum": ["a/b", "c/d"]}}),
            ),
            (
                confirm("WEB-1"),
                "sentry/resolve_issue changes something: Marks one issue as resolved. Accept to run it with {\"issue\":\"WEB-1\"}.",
                json!({}),
            ),
            (
                confirm("WEB-1\u{202e}\u{2066}\u{9b}"),
                "sentry/resolve_issue changes something: Marks one issue as resolved. Accept to run it with \
                 {\"issue\":\"WEB-1\\u202e\\u2066\\u009b\"}.",
                json!({}),
            ),
        ] {
            assert_eq!(question.message(), message);
            let shown = serde_json::to_value(question.form().expect("there is a form")).expect("it can be written");
            assert_eq!(shown["properties"], form);
        }
        let Question::Confirm(change) = confirm("WEB-1") else { unreachable!("it is one") };
        let summary = format!("Only reads. Accept to list {{}}.\u{202e}\"{}", "x".repeat(SUMMARY_CHARS_MAX));
        let told = Question::Confirm(Change { is_tool: true, template: "crm/delete".to_owned(), summary, ..change });
        let expected = "crm/delete may change something. Accept to run it with {\"issue\":\"WEB-1\"}. Its server, and nobody else, \
                        says of it: \"Only reads. Accept to list {}.\\u202e\\\"xxx";
        assert!(told.message().starts_with(expected), "{}", told.message());
        assert!(told.message().chars().count() < expected.chars().count() + SUMMARY_CHARS_MAX);
        let shown = serde_json::to_value(values().form().expect("there is a form")).expect("it can be written");
        assert_eq!(shown["required"], json!(["issue"]));
        assert_eq!(values().message(), "sentry/issue_details needs issue.");
    }

    #[test]
    fn nothing_is_asked_where_asking_does_not_help() {
        for (text, params) in [
            ("list errors", json!({})),
            ("list errors", json!({"limit": 0})),
            ("list errors", json!({"nothing": 1})),
            ("brew some coffee", json!({})),
            ("help", json!({})),
            ("", json!({})),
        ] {
            assert!(of(text, params).is_none(), "{text}");
        }
        let engine = engine(&ORGANIZATION);
        assert!(Question::of(&plan(&engine, "sentry/issue_details", json!({"issue": "WEB-1"}))).is_none());
    }

    /// A setting may stand in for a required value; where there is no such setting, the user can say it.
    #[test]
    fn a_value_that_no_setting_supplies_is_asked_for() {
        let question =
            Question::of(&plan(&engine(&[]), "list errors", json!({}))).expect("the organization is missing");
        assert_eq!(question.message(), "sentry/list_errors needs organization.");
    }

    /// The very change that was asked about is confirmed: another template or another value is another change.
    #[test]
    fn a_change_has_a_digest_of_its_own() {
        let engine = engine(&ORGANIZATION);
        let digest = |text: &str, params| match Question::of(&plan(&engine, text, params)) {
            Some(Question::Confirm(change)) => change.digest,
            other => panic!("{text}: {other:?}"),
        };
        let one = digest("sentry/resolve_issue", json!({"issue": "WEB-1"}));
        assert_eq!(one, digest("sentry/resolve_issue", json!({"issue": "WEB-1"})));
        assert_ne!(one, digest("sentry/resolve_issue", json!({"issue": "WEB-2"})));
    }

    #[test]
    fn an_answer_is_taken_only_where_it_answers() {
        let declined = ElicitResult::new;
        for (question, answer, expected) in [
            (which(), accepted(json!({"template": "c/d"})), Ok(())),
            (which(), accepted(json!({"template": "sentry/resolve_issue"})), Err(NoAnswer::Unusable)),
            (which(), accepted(json!({})), Err(NoAnswer::Unusable)),
            (which(), accepted(json!("c/d")), Err(NoAnswer::Unusable)),
            (which(), declined(ElicitationAction::Decline), Err(NoAnswer::Declined)),
            (which(), declined(ElicitationAction::Cancel), Err(NoAnswer::Dismissed)),
            (which(), declined(ElicitationAction::Accept), Err(NoAnswer::Unusable)),
            (values(), accepted(json!({"issue": "WEB-1"})), Ok(())),
            (values(), accepted(json!({"issue": ["WEB-1"]})), Err(NoAnswer::Unusable)),
            (values(), accepted(json!({"issue": "x".repeat(ANSWER_BYTES_MAX + 1)})), Err(NoAnswer::Unusable)),
            (values(), accepted(json!({"other": 1})), Err(NoAnswer::Unusable)),
            (confirm("WEB-1"), accepted(json!({})), Ok(())),
            (confirm("WEB-1"), declined(ElicitationAction::Accept), Ok(())),
            (confirm("WEB-1"), declined(ElicitationAction::Decline), Err(NoAnswer::Declined)),
            (confirm("WEB-1"), declined(ElicitationAction::Cancel), Err(NoAnswer::Dismissed)),
            (confirm("WEB-1"), accepted(json!(true)), Err(NoAnswer::Unusable)),
        ] {
            let mut replies = Replies::default();
            replies.note_asked(&question, 1);
            assert_eq!(replies.take(&question, &answer), expected, "{question:?} {answer:?}");
        }
    }

    #[test]
    fn a_confirmation_is_of_one_change_and_no_other() {
        let yes = accepted(json!({}));
        let mut replies = Replies::default();
        assert_eq!(replies.take(&confirm("WEB-1"), &yes), Err(NoAnswer::Unusable), "nobody asked");
        replies.note_asked(&confirm("WEB-2"), 1);
        assert_eq!(replies.take(&confirm("WEB-1"), &yes), Err(NoAnswer::Unusable), "another change was asked about");
        replies.note_asked(&confirm("WEB-1"), 1);
        replies.take(&confirm("WEB-1"), &yes).expect("it is an answer");
        assert!(replies.confirms(&confirm("WEB-1")));
        assert!(!replies.confirms(&confirm("WEB-2")));
        assert!(!replies.confirms(&which()));
        assert!(!Replies::default().confirms(&confirm("WEB-1")));
    }

    #[test]
    fn what_was_said_completes_the_intent() {
        let intent = Intent {
            text: "show it".to_owned(),
            params: BTreeMap::from([("limit".to_owned(), Given::Value(json!(3)))]),
            ..Intent::default()
        };
        let mut replies = Replies::default();
        replies.take(&values(), &accepted(json!({"issue": "WEB-1"}))).expect("it is an answer");
        let completed = replies.about(&intent);
        assert_eq!(completed.template.map(|id| id.to_string()).as_deref(), Some("sentry/issue_details"));
        assert_eq!(
            completed.params,
            BTreeMap::from([
                ("issue".to_owned(), Given::Text("WEB-1".to_owned())),
                ("limit".to_owned(), Given::Value(json!(3))),
            ])
        );
    }
}
