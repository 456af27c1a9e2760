//! Parses `template.toml` and `pack.toml` into checked types, with line numbers for errors.

use std::collections::BTreeMap;

use intentbox_capability::{Access, Alias, HttpRule, Method, ToolRule, WrittenRule};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use crate::catalog::{CatalogError, Problem};
use crate::id::is_name;
use crate::instant::Instant;
use crate::param::{
    Choice, ITEMS_MAX_DEFAULT, ITEMS_MAX_MAX, LENGTH_MAX_DEFAULT, LENGTH_MAX_MAX, ParamKind, ParamSpec, Pattern,
    ValuesFrom, ValuesWhere,
};
use crate::param_error::shown;
use crate::period::Period;
use crate::result::ResultSchema;
use crate::template::{Companions, Effects, Limits};
use crate::words::{Clause, ClausePart, Shape, Slot, WordPattern};

/// Bounds of a manifest, so that a router can hold all of them and a list of templates stays readable.
const PHRASES_MAX: usize = 64;
const PARAMETERS_MAX: usize = 48;
const PATTERNS_MAX: usize = 384;
const WORDS_MAX: usize = 128;
const TEXT_CHARS_MAX: usize = 200;
const READS_MAX: usize = 8;
const TOOL_RULES_MAX: usize = 8;

/// How long an answer of a template that reads may be cached by default, in seconds.
const CACHE_S_DEFAULT: u32 = 300;

/// The longest a template may declare. A day-old answer is a record, not an answer.
const CACHE_S_MAX: u32 = 24 * 60 * 60;

/// A `template.toml`, read and checked.
#[derive(Debug)]
pub(crate) struct Manifest {
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
}

/// A `pack.toml`, read and checked.
#[derive(Debug)]
pub(crate) struct PackManifest {
    pub(crate) summary: String,
    pub(crate) about: Vec<String>,
    pub(crate) synonyms: BTreeMap<String, Vec<String>>,
}

/// Parameters, each with its companion.
type RawCompanions = BTreeMap<Spanned<String>, Spanned<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTemplate {
    summary: Spanned<String>,
    phrases: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    whole_phrases: Vec<Spanned<String>>,
    #[serde(default)]
    confirmed_phrases: Vec<Spanned<String>>,
    #[serde(default)]
    confirmed_patterns: Vec<Spanned<String>>,
    effects: Effects,
    #[serde(default)]
    wants: Vec<Spanned<WrittenRule>>,
    #[serde(default)]
    reads: Vec<Spanned<String>>,
    #[serde(default)]
    tools: Vec<Spanned<String>>,
    cache_s: Option<Spanned<u32>>,
    #[serde(default)]
    limits: Limits,
    result: Option<Spanned<Value>>,
    #[serde(default)]
    patterns: Vec<Spanned<String>>,
    #[serde(default)]
    implied: Vec<Spanned<String>>,
    #[serde(default)]
    one_of: Vec<Spanned<String>>,
    #[serde(default)]
    second: RawCompanions,
    #[serde(default)]
    or: RawCompanions,
    #[serde(default)]
    not: RawCompanions,
    #[serde(default)]
    params: BTreeMap<Spanned<String>, RawParam>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPack {
    summary: Spanned<String>,
    #[serde(default)]
    about: Vec<Spanned<String>>,
    #[serde(default)]
    synonyms: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParam {
    r#type: RawType,
    description: Spanned<String>,
    #[serde(default)]
    required: bool,
    default: Option<Spanned<Value>>,
    default_from: Option<Spanned<String>>,
    min: Option<Spanned<Value>>,
    max: Option<Spanned<Value>>,
    pattern: Option<Spanned<String>>,
    pattern_says: Option<Spanned<String>>,
    length_max: Option<Spanned<usize>>,
    items: Option<Spanned<RawType>>,
    items_max: Option<Spanned<usize>>,
    values: Option<Spanned<Vec<String>>>,
    synonyms: Option<Spanned<BTreeMap<String, Vec<String>>>>,
    unit: Option<String>,
    example: Option<Spanned<Value>>,
    #[serde(default)]
    words: Vec<Spanned<String>>,
    values_from: Option<Spanned<String>>,
    values_where: Option<Spanned<BTreeMap<String, Vec<String>>>>,
    values_give: Option<Spanned<BTreeMap<String, String>>>,
    confirmed_by: Option<Spanned<String>>,
    ahead: Option<Spanned<bool>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum RawType {
    String,
    Text,
    Integer,
    Number,
    Boolean,
    Enum,
    Duration,
    Window,
    Datetime,
    List,
}

/// A manifest's name and text: what an error needs to know its line.
#[derive(Clone, Copy)]
struct Source<'a> {
    file: &'a str,
    text: &'a str,
}

/// Whether some template says which texts of a sentence the data hold.
fn confirms(parameters: &[ParamSpec]) -> bool {
    parameters.iter().any(|spec| spec.confirmed_by().is_some())
}

impl Manifest {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, CatalogError> {
        let source = Source { file, text };
        let raw: RawTemplate = source.read()?;
        if raw.phrases.get_ref().len() > PHRASES_MAX {
            return Err(source.expected(&raw.phrases, format!("at most {PHRASES_MAX} phrases")));
        }
        let mut wants = Access::default();
        for rule in raw.wants {
            let parsed = HttpRule::try_from(rule.get_ref().clone());
            let wanted = parsed
                .map_err(|error| source.expected(&rule, format!("`alias: METHOD[,METHOD] /path/pattern`: {error}")))?;
            // POST is left to the author's word: some origins are asked by it.
            let changes = |method: &Method| matches!(method, Method::Put | Method::Patch | Method::Delete);
            if raw.effects == Effects::Read && wanted.methods().iter().any(changes) {
                let expected = "`effects = \"write\"` above, since PUT, PATCH and DELETE change something".to_owned();
                return Err(source.expected(&rule, expected));
            }
            wants.http.push(wanted);
        }
        wants.read = raw.reads.iter().map(|alias| source.alias(alias)).collect::<Result<Vec<_>, _>>()?;
        if let Some(alias) = raw.reads.get(READS_MAX) {
            return Err(source.expected(alias, format!("at most {READS_MAX} directories")));
        }
        if let Some(rule) = raw.tools.get(TOOL_RULES_MAX) {
            return Err(source.expected(rule, format!("at most {TOOL_RULES_MAX} rules for tools")));
        }
        let tools = raw.tools.iter().map(|rule| {
            let parsed = rule.get_ref().parse::<ToolRule>();
            parsed.map_err(|error| source.expected(rule, format!("`server: tool[,tool]`: {error}")))
        });
        wants.tools = tools.collect::<Result<Vec<_>, _>>()?;
        let gives: Vec<_> = raw.params.values().filter_map(|param| param.values_give.clone()).collect();
        let parameters = source.parameters(raw.params)?;
        for give in gives {
            let is_declared = |name: &String| parameters.iter().any(|spec| spec.name() == name);
            if let Some(unknown) = give.get_ref().keys().find(|name| !is_declared(name)) {
                return Err(source.expected(&give, format!("parameters of this template; `{unknown}` is none")));
            }
        }
        let phrases = source.phrases(raw.phrases.into_inner(), &parameters)?;
        if let Some(phrase) =
            [&raw.whole_phrases, &raw.confirmed_phrases].into_iter().find_map(|phrases| phrases.get(PHRASES_MAX))
        {
            return Err(source.expected(phrase, format!("at most {PHRASES_MAX} phrases")));
        }
        if let Some(phrase) = raw.whole_phrases.iter().find(|phrase| phrase.get_ref().contains('<')) {
            return Err(source.expected(phrase, "words without slots".to_owned()));
        }
        let whole_phrases = source.phrases(raw.whole_phrases, &parameters)?;
        let confirmed = raw.confirmed_phrases.first().or(raw.confirmed_patterns.first());
        if let Some(text) = confirmed.filter(|_| !confirms(&parameters)) {
            return Err(source.expected(text, "a parameter with `confirmed_by`".to_owned()));
        }
        let confirmed_phrases = source.phrases(raw.confirmed_phrases, &parameters)?;
        let read = |patterns: &[Spanned<String>]| {
            patterns.iter().map(|text| source.clause(text, &parameters)).collect::<Result<Vec<_>, _>>()
        };
        let (clauses, confirmed_clauses) = (read(&raw.patterns)?, read(&raw.confirmed_patterns)?);
        let mut said = raw.patterns.iter().zip(&clauses).chain(raw.confirmed_patterns.iter().zip(&confirmed_clauses));
        if let Some((text, _)) = said.find(|(_, clause)| clause.is_of_implied()) {
            return Err(source.expected(text, "no `!word` and no `:rest`, which belong to `implied`".to_owned()));
        }
        if let Some(pattern) = [&raw.patterns, &raw.implied, &raw.confirmed_patterns]
            .into_iter()
            .find_map(|patterns| patterns.get(PATTERNS_MAX))
        {
            return Err(source.expected(pattern, format!("at most {PATTERNS_MAX} patterns")));
        }
        let implied = raw.implied.iter().map(|text| source.clause(text, &parameters)).collect::<Result<Vec<_>, _>>()?;
        let is_declared = |name: &str| parameters.iter().any(|spec| spec.name() == name);
        if let Some(unknown) = raw.one_of.iter().find(|name| !is_declared(name.get_ref())) {
            return Err(source.expected(unknown, "a parameter of this template".to_owned()));
        }
        let companions = [&raw.second, &raw.or, &raw.not].into_iter().flatten();
        if let Some(unknown) = companions.flat_map(|(of, other)| [of, other]).find(|name| !is_declared(name.get_ref()))
        {
            return Err(source.expected(unknown, "a parameter of this template".to_owned()));
        }
        let inner =
            |raw: RawCompanions| raw.into_iter().map(|(of, other)| (of.into_inner(), other.into_inner())).collect();
        let companions = Companions { second: inner(raw.second), or: inner(raw.or), not: inner(raw.not) };
        Ok(Self {
            summary: source.sentence(raw.summary)?,
            phrases,
            whole_phrases,
            confirmed_phrases,
            confirmed_clauses,
            parameters,
            clauses,
            implied,
            one_of: raw.one_of.into_iter().map(Spanned::into_inner).collect(),
            companions,
            effects: raw.effects,
            wants,
            cache_s: source.cache_s(raw.effects, raw.cache_s)?,
            limits: raw.limits,
            result: raw.result.map(|schema| source.result(&schema)).transpose()?,
        })
    }
}

impl PackManifest {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, CatalogError> {
        let source = Source { file, text };
        let raw: RawPack = source.read()?;
        let mut heads: BTreeMap<String, String> = BTreeMap::new();
        let mut synonyms = BTreeMap::new();
        for (head, words) in raw.synonyms {
            for word in words.iter().chain([&head]) {
                source.plain_word(word)?;
                if let Some(other) = heads.insert(word.get_ref().clone(), head.get_ref().clone()) {
                    return Err(source.expected(word, format!("a word that does not also stand for `{other}`")));
                }
            }
            synonyms.insert(head.into_inner(), words.into_iter().map(Spanned::into_inner).collect());
        }
        let about = raw.about.into_iter().map(|word| source.word(word)).collect::<Result<_, _>>()?;
        Ok(Self { summary: source.sentence(raw.summary)?, about, synonyms })
    }
}

impl<'a> Source<'a> {
    fn read<T: Deserialize<'a>>(self) -> Result<T, CatalogError> {
        toml::from_str(self.text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            let message = error.message().trim_end().to_owned();
            CatalogError::at_offset(self.file, self.text, offset, Problem::Toml { message })
        })
    }

    fn refuse<T>(self, at: &Spanned<T>, problem: Problem) -> CatalogError {
        CatalogError::at_offset(self.file, self.text, at.span().start, problem)
    }

    fn expected<T>(self, at: &Spanned<T>, expected: String) -> CatalogError {
        self.refuse(at, Problem::Expected { expected })
    }

    fn alias(self, alias: &Spanned<String>) -> Result<Alias, CatalogError> {
        let parsed = alias.get_ref().parse();
        parsed.map_err(|error| self.expected(alias, format!("the alias of a directory, such as `logs`: {error}")))
    }

    /// Answers of a template that writes are never cached: a second answer would claim a change that did not happen.
    fn cache_s(self, effects: Effects, declared: Option<Spanned<u32>>) -> Result<u32, CatalogError> {
        match (effects, declared) {
            (_, Some(cache_s)) if *cache_s.get_ref() > CACHE_S_MAX => {
                Err(self.expected(&cache_s, format!("at most {CACHE_S_MAX} seconds")))
            }
            (Effects::Write, Some(cache_s)) if *cache_s.get_ref() > 0 => {
                Err(self.expected(&cache_s, "no `cache_s`, since the template writes".to_owned()))
            }
            (Effects::Write, _) => Ok(0),
            (Effects::Read, declared) => Ok(declared.map_or(CACHE_S_DEFAULT, Spanned::into_inner)),
        }
    }

    fn result(self, schema: &Spanned<Value>) -> Result<ResultSchema, CatalogError> {
        ResultSchema::new(schema.get_ref().clone())
            .map_err(|error| self.expected(schema, format!("a JSON Schema as a table: {error}")))
    }

    fn word(self, word: Spanned<String>) -> Result<String, CatalogError> {
        self.plain_word(&word)?;
        Ok(word.into_inner())
    }

    fn plain_word(self, word: &Spanned<String>) -> Result<(), CatalogError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if word.get_ref().is_empty() || !word.get_ref().bytes().all(plain) {
            return Err(self.expected(word, "one lower-case word of [a-z0-9]".to_owned()));
        }
        Ok(())
    }

    /// One line of text for people.
    fn sentence(self, text: Spanned<String>) -> Result<String, CatalogError> {
        let fits = !text.get_ref().trim().is_empty()
            && text.get_ref().chars().count() <= TEXT_CHARS_MAX
            && !text.get_ref().chars().any(char::is_control);
        if fits {
            Ok(text.into_inner())
        } else {
            Err(self.expected(&text, format!("one line of 1 to {TEXT_CHARS_MAX} characters")))
        }
    }

    /// The parameters in the order of the file; TOML tables have none of their own.
    fn parameters(self, raw: BTreeMap<Spanned<String>, RawParam>) -> Result<Vec<ParamSpec>, CatalogError> {
        let mut raw: Vec<(Spanned<String>, RawParam)> = raw.into_iter().collect();
        raw.sort_by_key(|(name, _)| name.span().start);
        if let Some((name, _)) = raw.get(PARAMETERS_MAX) {
            return Err(self.expected(name, format!("at most {PARAMETERS_MAX} parameters")));
        }
        raw.into_iter().map(|(name, raw)| self.parameter(name, raw)).collect()
    }

    /// Phrases, whose slots are parameters.
    fn phrases(self, raw: Vec<Spanned<String>>, parameters: &[ParamSpec]) -> Result<Vec<String>, CatalogError> {
        let mut phrases = Vec::new();
        for phrase in raw {
            let mut slots = phrase.get_ref().split(' ').filter_map(|word| word.strip_prefix('<')?.strip_suffix('>'));
            let unknown = slots.find(|name| !parameters.iter().any(|spec| spec.name() == *name));
            if let Some(unknown) = unknown.map(str::to_owned) {
                let expected = format!("slots that are parameters; `{unknown}` is none");
                return Err(self.expected(&phrase, expected));
            }
            phrases.push(self.sentence(phrase)?);
        }
        Ok(phrases)
    }

    fn parameter(self, name: Spanned<String>, raw: RawParam) -> Result<ParamSpec, CatalogError> {
        if !is_name(name.get_ref()) {
            return Err(self.refuse(&name, Problem::Name { found: shown(name.get_ref()) }));
        }
        let kind = self.kind(&name, &raw)?;
        if let Some(setting) = &raw.default_from
            && !setting.get_ref().split('.').all(is_name)
        {
            return Err(self.expected(setting, "the name of a setting, such as `sentry.organization`".to_owned()));
        }
        if let (Some(default), Some(_)) = (&raw.default, &raw.default_from) {
            return Err(self.expected(default, "either `default` or `default_from`".to_owned()));
        }
        let mut words = Vec::new();
        for pattern in &raw.words {
            words.push(self.pattern(pattern, &kind)?);
        }
        if let Some(pattern) = raw.words.get(WORDS_MAX) {
            return Err(self.expected(pattern, format!("at most {WORDS_MAX} word patterns")));
        }
        let mut spec = ParamSpec {
            name: name.into_inner(),
            kind,
            description: self.sentence(raw.description)?,
            required: raw.required,
            default: None,
            default_from: raw.default_from.map(Spanned::into_inner),
            unit: raw.unit,
            example: None,
            words,
            values_from: None,
            values_where: None,
            values_give: BTreeMap::new(),
            confirmed_by: raw.confirmed_by.as_ref().map(|text| self.values_from(text)).transpose()?,
            ahead: raw.ahead.as_ref().is_some_and(|ahead| *ahead.get_ref()),
        };
        self.only(matches!(spec.kind, ParamKind::Window { .. }), raw.ahead.as_ref(), "the type `window`")?;
        let by_template = matches!(spec.confirmed_by, None | Some(ValuesFrom::Template { .. }));
        let needed = "the type `text`, and a template and a field of its rows, such as `mentions.text`";
        self.only(spec.is_text() && by_template, raw.confirmed_by.as_ref(), needed)?;
        self.values(&mut spec, raw.values_from, raw.values_where, raw.values_give)?;
        spec.default = self.fitting(&spec, raw.default)?;
        spec.example = self.fitting(&spec, raw.example)?;
        Ok(spec)
    }

    /// Where values come from, which of them count, and what else they give.
    fn values(
        self,
        spec: &mut ParamSpec,
        from: Option<Spanned<String>>,
        r#where: Option<Spanned<BTreeMap<String, Vec<String>>>>,
        give: Option<Spanned<BTreeMap<String, String>>>,
    ) -> Result<(), CatalogError> {
        spec.values_from = from.map(|text| self.values_from(&text)).transpose()?;
        let has_rows = matches!(spec.values_from, Some(ValuesFrom::Template { .. }));
        let needed = "`values_from` with a template, whose rows have fields";
        if let Some(declared) = r#where {
            self.only(has_rows, Some(&declared), needed)?;
            let mut fields = declared.get_ref().iter();
            let (Some((field, is)), None) = (fields.next().filter(|(_, is)| !is.is_empty()), fields.next()) else {
                return Err(self.expected(&declared, "one field and the texts that count".to_owned()));
            };
            spec.values_where = Some(ValuesWhere { field: field.clone(), is: is.clone() });
        }
        if let Some(declared) = give {
            self.only(has_rows, Some(&declared), needed)?;
            spec.values_give = declared.into_inner();
        }
        Ok(())
    }

    /// A source of values: `files`, or a template and a field.
    fn values_from(self, text: &Spanned<String>) -> Result<ValuesFrom, CatalogError> {
        if text.get_ref() == "files" {
            return Ok(ValuesFrom::Files);
        }
        let parts = text.get_ref().split_once('.').filter(|(name, field)| is_name(name) && is_name(field));
        let Some((name, field)) = parts else {
            let expected = "`files`, or a template of the pack and a field of its rows, such as `list_projects.slug`";
            return Err(self.expected(text, expected.to_owned()));
        };
        Ok(ValuesFrom::Template { name: name.to_owned(), field: field.to_owned() })
    }

    /// A default or an example, which must pass the check of its parameter.
    fn fitting(self, spec: &ParamSpec, value: Option<Spanned<Value>>) -> Result<Option<Value>, CatalogError> {
        let Some(value) = value else { return Ok(None) };
        match spec.check(value.get_ref()) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.expected(&value, format!("a value that fits: {error}"))),
        }
    }

    fn pattern(self, text: &Spanned<String>, kind: &ParamKind) -> Result<WordPattern, CatalogError> {
        let pattern = text
            .get_ref()
            .parse::<WordPattern>()
            .map_err(|error| self.refuse(text, Problem::Words { text: text.get_ref().clone(), error }))?;
        let speaks_for_itself = matches!(kind, ParamKind::Duration { .. } | ParamKind::Window { .. } | ParamKind::Datetime { .. } | ParamKind::Enum { .. })
                || matches!(pattern.slot(), Slot::OneOf(_))
                // `WEB-42` and `#17` say what they are by their shape, and a plain word does not have it.
                || matches!(kind, ParamKind::String { pattern: Some(pattern), .. } if !pattern.matches("word"))
                // Such a value shows itself by its shape or by its quotes: `ConnectionReset`, "out of memory".
                || matches!(kind, ParamKind::String { several_words: true, .. });
        if pattern.is_bare() && !speaks_for_itself {
            return Err(self.expected(text, "words around the slot, since any word could be the value".to_owned()));
        }
        Ok(pattern)
    }

    /// A pattern over several parameters, all of which are declared.
    fn clause(self, text: &Spanned<String>, parameters: &[ParamSpec]) -> Result<Clause, CatalogError> {
        let clause: Clause = text
            .get_ref()
            .parse()
            .map_err(|error| self.refuse(text, Problem::Words { text: text.get_ref().clone(), error }))?;
        let spec = |name: &str| parameters.iter().find(|spec| spec.name() == name);
        if let Some(unknown) = clause.slots().find(|name| spec(name).is_none()) {
            return Err(self.expected(text, format!("slots that are parameters; `{unknown}` is none")));
        }
        for part in clause.parts() {
            if let ClausePart::Set { name, value } = part
                && let Some(Err(error)) = spec(name).map(|spec| spec.read(value))
            {
                return Err(self.expected(text, format!("a value that fits: {error}")));
            }
        }
        let is_listed =
            |name: &str| spec(name).is_some_and(|spec| matches!(spec.values_from(), Some(ValuesFrom::Template { .. })));
        for part in clause.parts() {
            if let ClausePart::Only { name, .. } = part
                && !is_listed(name)
            {
                return Err(self.expected(text, format!("`{name}` with `values_from` a template")));
            }
        }
        let tells = |part: &ClausePart| match part {
            ClausePart::Absent(_) | ClausePart::Set { .. } | ClausePart::Only { .. } => false,
            ClausePart::Word(_) | ClausePart::Slot { shape: Some(Shape::Rest), .. } => true,
            ClausePart::Slot { name, .. } => {
                spec(name).is_some_and(|spec| spec.values_from().is_some() || spec.is_narrow())
            }
        };
        if !clause.parts().iter().any(tells) {
            return Err(self.expected(text, "a word, since any words could be the values".to_owned()));
        }
        Ok(clause)
    }

    /// The type with its bounds. A bound that the type does not have is rejected, not ignored.
    fn kind(self, name: &Spanned<String>, raw: &RawParam) -> Result<ParamKind, CatalogError> {
        let of_list = raw.r#type == RawType::List;
        self.only(of_list, raw.items.as_ref(), "`items` with list only")?;
        self.only(of_list, raw.items_max.as_ref(), "`items_max` with list only")?;
        if !of_list {
            return self.plain_kind(name, raw, raw.r#type);
        }
        let Some(items) = &raw.items else {
            return Err(self.expected(name, "`items`, the type of the list's values".to_owned()));
        };
        if *items.get_ref() == RawType::List {
            return Err(self.expected(items, "a type that is not itself a list".to_owned()));
        }
        let items_max = match &raw.items_max {
            Some(count) if !(1..=ITEMS_MAX_MAX).contains(count.get_ref()) => {
                return Err(self.expected(count, format!("a count between 1 and {ITEMS_MAX_MAX}")));
            }
            Some(count) => *count.get_ref(),
            None => ITEMS_MAX_DEFAULT,
        };
        Ok(ParamKind::List { item: Box::new(self.plain_kind(name, raw, *items.get_ref())?), items_max })
    }

    /// A type that is not a list.
    fn plain_kind(self, name: &Spanned<String>, raw: &RawParam, kind: RawType) -> Result<ParamKind, CatalogError> {
        let ranged = matches!(
            kind,
            RawType::Integer | RawType::Number | RawType::Duration | RawType::Window | RawType::Datetime
        );
        let textual = matches!(kind, RawType::String | RawType::Text);
        let listed = matches!(kind, RawType::Enum);
        self.only(ranged, raw.min.as_ref(), "`min` with integer, number, duration, window or datetime only")?;
        self.only(ranged, raw.max.as_ref(), "`max` with integer, number, duration, window or datetime only")?;
        self.only(textual, raw.pattern.as_ref(), "`pattern` with string only")?;
        self.only(raw.pattern.is_some(), raw.pattern_says.as_ref(), "`pattern_says` beside `pattern` only")?;
        self.only(textual, raw.length_max.as_ref(), "`length_max` with string only")?;
        self.only(listed, raw.values.as_ref(), "`values` with enum only")?;
        self.only(listed, raw.synonyms.as_ref(), "`synonyms` with enum only")?;
        Ok(match kind {
            RawType::String => self.string(raw, false)?,
            RawType::Text => self.string(raw, true)?,
            RawType::Integer => {
                let (min, max) = self.range(raw, "an integer", Value::as_i64)?;
                ParamKind::Integer { min, max }
            }
            RawType::Number => {
                let (min, max) = self.range(raw, "a number", Value::as_f64)?;
                ParamKind::Number { min, max }
            }
            RawType::Boolean => ParamKind::Boolean,
            RawType::Enum => self.choices(name, raw)?,
            RawType::Duration => {
                let read = |value: &Value| value.as_str().and_then(|text| text.parse::<Period>().ok());
                let (min, max) = self.range(raw, "a duration such as \"24h\"", read)?;
                ParamKind::Duration { min, max }
            }
            RawType::Window => {
                let read = |value: &Value| value.as_str().and_then(|text| text.parse::<Period>().ok());
                let (min, max) = self.range(raw, "a duration such as \"24h\"", read)?;
                ParamKind::Window { min, max }
            }
            RawType::Datetime => {
                let read = |value: &Value| value.as_str().and_then(|text| text.parse::<Instant>().ok());
                let (min, max) = self.range(raw, "a time such as \"2026-01-31T12:00:00Z\"", read)?;
                ParamKind::Datetime { min, max }
            }
            // `kind` has refused a list of lists.
            RawType::List => return Err(self.expected(name, "a type that is not itself a list".to_owned())),
        })
    }

    fn only<T>(self, allowed: bool, key: Option<&Spanned<T>>, expected: &str) -> Result<(), CatalogError> {
        match key {
            Some(key) if !allowed => Err(self.expected(key, expected.to_owned())),
            _ => Ok(()),
        }
    }

    fn string(self, raw: &RawParam, several_words: bool) -> Result<ParamKind, CatalogError> {
        let length_max = match &raw.length_max {
            Some(length) if *length.get_ref() == 0 || *length.get_ref() > LENGTH_MAX_MAX => {
                return Err(self.expected(length, format!("a length between 1 and {LENGTH_MAX_MAX}")));
            }
            Some(length) => *length.get_ref(),
            None => LENGTH_MAX_DEFAULT,
        };
        let says = raw.pattern_says.clone().map(|says| self.sentence(says)).transpose()?;
        let pattern = match &raw.pattern {
            Some(text) => Some(
                Pattern::new(text.get_ref())
                    .map_err(|error| self.expected(text, format!("a regular expression: {error}")))?
                    .saying(says),
            ),
            None => None,
        };
        Ok(ParamKind::String { pattern, length_max, several_words })
    }

    fn range<T: PartialOrd>(
        self,
        raw: &RawParam,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<(Option<T>, Option<T>), CatalogError> {
        let bound = |key: Option<&Spanned<Value>>| match key {
            Some(value) => match read(value.get_ref()) {
                Some(bound) => Ok(Some(bound)),
                None => Err(self.expected(value, expected.to_owned())),
            },
            None => Ok(None),
        };
        let (min, max) = (bound(raw.min.as_ref())?, bound(raw.max.as_ref())?);
        if let (Some(low), Some(high), Some(key)) = (&min, &max, &raw.max)
            && low > high
        {
            return Err(self.expected(key, "a `max` that is not below `min`".to_owned()));
        }
        Ok((min, max))
    }

    fn choices(self, name: &Spanned<String>, raw: &RawParam) -> Result<ParamKind, CatalogError> {
        let Some(values) = raw.values.as_ref().filter(|values| !values.get_ref().is_empty()) else {
            return Err(self.expected(name, "`values`, the words this enum allows".to_owned()));
        };
        let mut choices: Vec<Choice> =
            values.get_ref().iter().map(|value| Choice { value: value.clone(), synonyms: Vec::new() }).collect();
        if let Some(synonyms) = &raw.synonyms {
            for (value, words) in synonyms.get_ref() {
                match choices.iter_mut().find(|choice| choice.value == *value) {
                    Some(choice) => choice.synonyms.clone_from(words),
                    None => {
                        return Err(self.expected(synonyms, format!("synonyms of `values`, which has no `{value}`")));
                    }
                }
            }
        }
        Ok(ParamKind::Enum { choices })
    }
}

#[cfg(test)]
mod tests;
