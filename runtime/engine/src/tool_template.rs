//! The template of a tool: what a sentence needs to become a call of it, made from the tool's own definition.
//!
//! A tool that was found for an intent is asked for as a template is. Its schema becomes declared parameters with word patterns,
//! and its call a script of three lines. Everything that holds for templates then holds for tools: values are read from words,
//! what is missing is asked for, what changes something needs consent, the script is rendered without a value becoming code,
//! and limits, grants and reports are the same. The text is that of a template folder, so that a run that worked can be kept as
//! one.
//!
//! What a schema says is a stranger's text. Names that are not plain are left out, descriptions become one line, and a schema
//! that needs what words cannot say (an object, a list of lists) makes no template.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use intentbox_capability::ServerId;
use intentbox_catalog::{Catalog, TemplateId};
use intentbox_tools::{Effect, ToolRow, summary};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The setting with the folder that the caller is in: what "this repository" is.
pub const HERE: &str = "here.directory";

/// The most parameters of a template.
const PARAMETERS_MAX: usize = 32;

/// How many schemas are looked at for one argument. Real ones need three.
const STEPS_MAX: u32 = 64;

/// The longest name of a property that a script can carry.
const PROPERTY_BYTES_MAX: usize = 64;

/// The longest name of a template or of its pack.
const NAME_BYTES_MAX: usize = 40;

/// How many hexadecimal digits of a digest tell names apart: 64 bits, which nobody finds a second name for.
const MARK_LETTERS: usize = 16;

/// How much of a description is searched for an example.
const DESCRIPTION_CHARS_MAX: usize = 1_000;

/// The most values of an enumeration.
const CHOICES_MAX: usize = 32;

/// Words at which the names of arguments that say how much begin, end or consist of.
const AMOUNTS: [&str; 12] =
    ["count", "first", "head", "limit", "lines", "max", "maximum", "n", "num", "size", "tail", "top"];

/// Endings of names that say what kind of name it is, and not of what.
const KINDS: [&str; 13] =
    ["id", "iid", "name", "number", "slug", "key", "path", "ref", "sha", "uid", "uuid", "identifier", "code"];

/// Names of arguments that hold free text.
const TEXTS: [&str; 18] = [
    "query",
    "q",
    "text",
    "message",
    "content",
    "body",
    "title",
    "description",
    "comment",
    "note",
    "search",
    "prompt",
    "question",
    "summary",
    "subject",
    "thought",
    "expression",
    "value",
];

/// The template of a tool.
#[derive(Debug)]
pub(crate) struct ToolTemplate {
    pub(crate) id: TemplateId,
    /// The catalog of this template alone.
    pub(crate) catalog: Catalog,
    /// The names that the tool has for its arguments, by those of the parameters.
    pub(crate) properties: BTreeMap<String, String>,
}

/// Why a sentence cannot ask for a tool: a required argument that no words can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unwordable {
    pub(crate) argument: String,
}

/// What a schema says of one argument, as far as words can say it.
enum Kind {
    Text,
    Word,
    Integer { min: Option<i64>, max: Option<i64> },
    Number,
    Boolean,
    Choice(Vec<String>),
    Time,
    List(Box<Kind>),
}

/// What the words of an argument look like, and one such value.
struct Shape {
    pattern: &'static str,
    says: &'static str,
    example: &'static str,
}

struct Argument {
    property: String,
    name: String,
    words: Vec<String>,
    kind: Kind,
    description: String,
    /// A value that its schema shows.
    example: Option<String>,
    is_required: bool,
    is_here: bool,
}

/// Makes the template of a tool from its definition.
///
/// # Errors
/// Which required argument no words can say.
pub(crate) fn template_of(server: &ServerId, row: &ToolRow, definition: &Value) -> Result<ToolTemplate, Unwordable> {
    let schema = definition.get("inputSchema").and_then(Value::as_object).cloned().unwrap_or_default();
    let arguments = arguments(&schema)?;
    let id = id_of(server, row).ok_or_else(|| Unwordable { argument: String::new() })?;
    let own = arguments.iter().map(|argument| (argument.name.clone(), argument.property.clone()));
    let properties = own.collect();
    let catalog = catalog(server, row, &id, &arguments).or_else(|| {
        // A bound or choice that the notation cannot hold: the server checks its arguments anyway.
        let plain: Vec<Argument> =
            arguments.into_iter().filter(|argument| argument.is_required).map(Argument::plain).collect();
        catalog(server, row, &id, &plain)
    });
    let catalog = catalog.ok_or_else(|| Unwordable { argument: String::new() })?;
    Ok(ToolTemplate { id, catalog, properties })
}

/// The catalog of a tool's template alone, if it is well formed.
fn catalog(server: &ServerId, row: &ToolRow, id: &TemplateId, arguments: &[Argument]) -> Option<Catalog> {
    let files = [
        (format!("{id}/template.toml"), manifest(server, row, arguments)),
        (format!("{id}/script.py.j2"), script(server, row, arguments)),
    ];
    Catalog::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes()))).ok()
}

/// The id of a tool's template, which no other tool's has.
fn id_of(server: &ServerId, row: &ToolRow) -> Option<TemplateId> {
    format!("{}/{}", own_name(server.as_str(), "server"), own_name(&row.name, "tool")).parse().ok()
}

/// A name as templates have them, that no other name becomes: what is changed of it, or could be the result of that, gets a part of its
/// SHA-256.
fn own_name(name: &str, instead: &str) -> String {
    let plain = plain_name(name, instead);
    let has_mark = plain.rsplit_once('_').is_some_and(|(_, last)| last.len() == MARK_LETTERS);
    if plain == name && !has_mark {
        return plain;
    }
    let room = NAME_BYTES_MAX - MARK_LETTERS - 1;
    let mut own = format!("{}_", plain.get(..room).unwrap_or(&plain));
    for byte in Sha256::digest(name).iter().take(MARK_LETTERS / 2) {
        let _ = write!(own, "{byte:02x}");
    }
    own
}

impl Argument {
    /// The same without what may be wrong about it.
    fn plain(self) -> Self {
        let kind = match self.kind {
            Kind::Integer { .. } => Kind::Integer { min: None, max: None },
            Kind::Choice(_) => Kind::Word,
            other => other,
        };
        Self { kind, description: String::new(), example: None, ..self }
    }
}

fn arguments(schema: &Map<String, Value>) -> Result<Vec<Argument>, Unwordable> {
    let required: BTreeSet<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let (mut first, mut others) = (Vec::new(), Vec::new());
    // Of two names that become one, neither can be said.
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for property in properties.keys() {
        *names.entry(plain_name(property, "argument")).or_default() += 1;
    }
    for (property, described) in properties {
        let is_required = required.contains(property.as_str());
        let unwordable = || Unwordable { argument: summary(property) };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte);
        let is_plain = !property.is_empty() && property.len() <= PROPERTY_BYTES_MAX && property.bytes().all(is_plain);
        let words = words_of(property);
        let name = plain_name(property, "argument");
        let kind = kind(described, schema, &words, &mut STEPS_MAX.clone());
        let kind = kind.filter(|_| is_plain && !words.is_empty() && names.get(&name) == Some(&1));
        let Some(kind) = kind else {
            if is_required {
                return Err(unwordable());
            }
            continue;
        };
        let described = resolved(described, schema);
        let description = summary(described.get("description").and_then(Value::as_str).unwrap_or_default());
        let is_here = matches!(kind, Kind::Word) && is_folder(&words);
        let example = example(described).filter(|example| !properties.contains_key(example));
        let example = example.filter(|_| matches!(kind, Kind::Word) && !is_here);
        let argument =
            Argument { property: property.clone(), name, words, kind, description, example, is_required, is_here };
        if is_required { first.push(argument) } else { others.push(argument) }
    }
    first.append(&mut others);
    match first.get(PARAMETERS_MAX) {
        Some(argument) if argument.is_required => Err(Unwordable { argument: argument.property.clone() }),
        _ => {
            first.truncate(PARAMETERS_MAX);
            Ok(first)
        }
    }
}

/// A value of a text that its schema shows: one of its examples, or what its description has in quotation marks, as in "local branches
/// ('local')". It becomes a part of printed commands, so it has plain letters alone.
fn example(described: &Value) -> Option<String> {
    let shown = described.get("examples").and_then(Value::as_array).and_then(|examples| examples.first());
    if let Some(shown) = shown.and_then(choice) {
        return Some(shown);
    }
    let description = described.get("description").and_then(Value::as_str)?;
    let description: String = description.chars().take(DESCRIPTION_CHARS_MAX).collect();
    ['\'', '"', '`'].iter().find_map(|mark| {
        let parts: Vec<&str> = description.split(*mark).collect();
        let between = parts.get(1..parts.len() - 1).unwrap_or_default();
        between.iter().find_map(|text| choice(&Value::from(*text)).filter(|text| !text.starts_with('-')))
    })
}

/// The schema behind a local reference.
fn resolved<'a>(described: &'a Value, root: &'a Map<String, Value>) -> &'a Value {
    let reference = described.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/"));
    let Some(path) = reference else { return described };
    let mut parts = path.split('/');
    let first = parts.next().and_then(|part| root.get(part));
    first.and_then(|first| parts.try_fold(first, |at, part| at.get(part))).unwrap_or(described)
}

fn kind(described: &Value, root: &Map<String, Value>, words: &[String], steps: &mut u32) -> Option<Kind> {
    // A schema can refer to itself, and say so in every alternative.
    *steps = steps.checked_sub(1)?;
    let described = resolved(described, root);
    // `null` beside another type says that it is optional.
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| described.get(key)?.as_array());
    if let Some(alternatives) = alternatives {
        let mut others = alternatives.iter().filter(|one| one.get("type").is_none_or(|kind| kind != "null"));
        return others.find_map(|one| kind(one, root, words, steps));
    }
    if let Some(values) = described.get("enum").and_then(Value::as_array) {
        let texts: Option<Vec<String>> = values.iter().filter(|value| !value.is_null()).map(one_of).collect();
        return texts.filter(|texts| !texts.is_empty() && texts.len() <= CHOICES_MAX).map(Kind::Choice);
    }
    let declared = match described.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?,
        None if described.get("const").is_none() => "string",
        _ => return None,
    };
    let bound = |key: &str| described.get(key).and_then(Value::as_i64);
    match declared {
        "string" => Some(text_kind(described, words)),
        "integer" => Some(Kind::Integer { min: bound("minimum"), max: bound("maximum") }),
        // Servers in TypeScript call every number so.
        "number" if is_amount(words) => Some(Kind::Integer { min: bound("minimum"), max: bound("maximum") }),
        "number" => Some(Kind::Number),
        "boolean" => Some(Kind::Boolean),
        "array" => match kind(described.get("items")?, root, words, steps)? {
            Kind::List(_) => None,
            // A list of texts in one sentence has commas between.
            Kind::Text => Some(Kind::List(Box::new(Kind::Word))),
            item => Some(Kind::List(Box::new(item))),
        },
        _ => None,
    }
}

/// A value that words can say.
fn choice(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte);
    (!text.is_empty() && text.len() <= PROPERTY_BYTES_MAX && text.bytes().all(is_plain)).then(|| text.to_owned())
}

/// A value of an enumeration: one like "New York" has several words.
fn one_of(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let are_plain = text.split(' ').all(|word| choice(&Value::from(word)).is_some());
    (are_plain && text.len() <= PROPERTY_BYTES_MAX).then(|| text.to_owned())
}

fn text_kind(described: &Value, words: &[String]) -> Kind {
    let format = described.get("format").and_then(Value::as_str).unwrap_or_default();
    let last = words.last().map(String::as_str).unwrap_or_default();
    if format == "date-time" || matches!(last, "timestamp" | "since" | "until" | "datetime") {
        return Kind::Time;
    }
    if TEXTS.contains(&last) && !words.iter().any(|word| word == "id") { Kind::Text } else { Kind::Word }
}

fn is_amount(words: &[String]) -> bool {
    // Lines of context are around what is asked for, and not how much of it.
    let is_around = words.iter().any(|word| word == "context");
    (words.iter().any(|word| AMOUNTS.contains(&word.as_str())) && !is_around) || words == ["per", "page"]
}

/// Whether an argument is a folder of this machine, so that "this repository" can be its value.
fn is_folder(words: &[String]) -> bool {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let is_repository = has(&["repo", "repository", "project", "workspace"]) && has(&["path", "dir", "directory"]);
    let is_named =
        has(&["directory", "dir", "folder", "cwd", "workdir"]) && !has(&["file", "files", "output", "target"]);
    is_repository || is_named
}

/// The words of a name: `maxCount`, `max_count` and `max-count` have two.
fn words_of(name: &str) -> Vec<String> {
    let (mut words, mut last_is_lower) = (vec![String::new()], false);
    for letter in name.chars() {
        let starts = letter.is_ascii_uppercase() && last_is_lower;
        if !letter.is_ascii_alphanumeric() || starts {
            words.push(String::new());
        }
        last_is_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        if letter.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.truncate(6);
    words
}

/// A name as templates have them.
pub(crate) fn plain_name(name: &str, instead: &str) -> String {
    let mut plain = words_of(name).join("_");
    if !plain.starts_with(|first: char| first.is_ascii_lowercase()) {
        plain = format!("{instead}_{plain}");
    }
    plain.truncate(NAME_BYTES_MAX);
    plain
}

fn script(server: &ServerId, row: &ToolRow, arguments: &[Argument]) -> String {
    let mut text = String::from("arguments = {\n");
    for argument in arguments {
        let _ = writeln!(text, "    \"{}\": {{{{ {} | py }}}},", argument.property, argument.name);
    }
    let _ = write!(
        text,
        "}}\nresult = tools[\"{server}\"][\"{}\"]({{name: value for name, value in arguments.items() if value is not None}})\n",
        row.name
    );
    text
}

fn manifest(server: &ServerId, row: &ToolRow, arguments: &[Argument]) -> String {
    let told = if row.summary.is_empty() { format!("The tool {} of {server}.", row.name) } else { row.summary.clone() };
    let effects = if row.effect == Effect::Reads { "read" } else { "write" };
    let phrase = words_of(&row.name).join(" ");
    let mut text = format!(
        "summary = {}\nphrases = [{}]\neffects = \"{effects}\"\ntools = [\"{server}: {}\"]\n",
        quoted(&told),
        quoted(&phrase),
        // What is admitted as reading must still read when it is called.
        if row.effect == Effect::Reads { format!("read-only {}", row.name) } else { row.name.clone() }
    );
    if row.effect == Effect::Reads {
        // Whoever calls a tool wants what it says now.
        text.push_str("cache_s = 0\n");
    }
    let nouns = nouns(row);
    let is_put_somewhere = arguments.iter().any(|argument| {
        matches!(argument.kind, Kind::Word)
            && argument.words.last().is_some_and(|last| matches!(last.as_str(), "path" | "file" | "filename"))
    });
    for argument in arguments {
        let _ = write!(text, "\n[params.{}]\n{}", argument.name, argument.declaration());
        let mut patterns = argument.patterns(&nouns);
        if is_put_somewhere && matches!(argument.kind, Kind::Text) {
            patterns.extend(put_somewhere());
        }
        if !patterns.is_empty() {
            let patterns: Vec<String> = patterns.iter().map(|pattern| quoted(pattern)).collect();
            let _ = writeln!(text, "words = [{}]", patterns.join(", "));
        }
    }
    text
}

/// The words around a text that goes to a file.
fn put_somewhere() -> impl Iterator<Item = String> {
    ["write", "put", "save", "append"].into_iter().flat_map(|verb| {
        let texts = ["", "the text ", "the words ", "the content ", "the line "];
        let places = ["to", "into", "in", "as"];
        texts.into_iter().flat_map(move |text| places.map(|place| format!("{verb} {text}{{}} {place}")))
    })
}

/// What a tool may list, in the plural: words of its name and the first of its description.
fn nouns(row: &ToolRow) -> Vec<String> {
    let described = row.summary.split(|letter: char| !letter.is_ascii_alphabetic()).take(12);
    let words = words_of(&row.name).into_iter().chain(described.map(str::to_ascii_lowercase));
    let plural = |word: String| if word.ends_with('s') { word } else { format!("{word}s") };
    let nouns: BTreeSet<String> = words.filter(|word| word.len() > 2).map(plural).collect();
    nouns.into_iter().take(16).collect()
}

impl Argument {
    fn declaration(&self) -> String {
        let described = if self.description.is_empty() { self.words.join(" ") } else { self.description.clone() };
        let mut text = format!("{}description = {}\n", self.kind.declaration(), quoted(&described));
        if let Some(Shape { pattern, says, example }) = self.shape() {
            let _ = writeln!(text, "pattern = {}\npattern_says = {}", quoted(pattern), quoted(says));
            let _ = writeln!(text, "example = {}", quoted(example));
        } else if let Some(example) = self.example.as_deref() {
            let _ = writeln!(text, "example = {}", quoted(example));
        }
        if self.is_required {
            text.push_str("required = true\n");
        }
        if self.is_here && self.is_required {
            let _ = writeln!(text, "default_from = {}", quoted(HERE));
        }
        text
    }

    /// The words around a value of this argument.
    fn patterns(&self, nouns: &[String]) -> Vec<String> {
        let whole = self.words.join(" ");
        let mut patterns = vec![format!("{whole} {{}}"), format!("{whole} is {{}}")];
        let last = self.words.last().map(String::as_str).unwrap_or_default();
        let before = &self.words[..self.words.len() - 1];
        // `issue_number` is what is behind "issue" too.
        if KINDS.contains(&last) && !before.is_empty() && !self.is_here {
            let subject = before.join(" ");
            patterns.push(format!("{subject} {{}}"));
            if !matches!(self.kind, Kind::Text) {
                let between = [last, "called", "named", "with the name", "with the id", "number"];
                patterns.extend(between.map(|word| format!("{subject} {word} {{}}")));
            }
        }
        match &self.kind {
            Kind::Integer { .. } if is_amount(&self.words) => {
                let around = ["last {}", "latest {}", "top {}", "newest {}", "most recent {}", "at most {}"];
                patterns.extend(around.map(str::to_owned));
                patterns.extend(["{} last", "{} latest", "{} newest", "{} most recent"].map(str::to_owned));
                patterns.extend(["up to {}", "{} results", "{} entries", "{} items", "limit to {}"].map(str::to_owned));
                patterns.extend(nouns.iter().map(|noun| format!("{{}} {noun}")));
            }
            // "10 lines of context".
            Kind::Integer { .. } if before.len() == 1 => {
                let (kind, single) = (before.join(" "), last.strip_suffix('s').unwrap_or(last));
                patterns.extend([format!("{{}} {last} of {kind}"), format!("{{}} {kind} {last}")]);
                patterns.extend([format!("{{}} {single} of {kind}"), format!("{{}} {kind} {single}")]);
            }
            Kind::Time => {
                let starts =
                    self.words.iter().any(|word| matches!(word.as_str(), "start" | "since" | "after" | "from"));
                let ends = self.words.iter().any(|word| matches!(word.as_str(), "end" | "until" | "before" | "to"));
                let around: &[&str] = match (starts, ends) {
                    (true, _) => &["since {}", "after {}", "from {}", "between {} and"],
                    (_, true) => &["until {}", "before {}", "to {}", "till {}"],
                    _ => &["at {}", "on {}"],
                };
                patterns.extend(around.iter().map(|pattern| (*pattern).to_owned()));
            }
            Kind::Text => {
                let around = ["{}", "for {}", "about {}", "saying {}", "called {}", "that says {}", "with {}"];
                patterns.extend(around.map(str::to_owned));
            }
            Kind::Choice(_) => patterns.push("{}".to_owned()),
            Kind::Word if last == "timezone" || last == "tz" => {
                let around: &[&str] = match self.words.first().map(String::as_str) {
                    Some("source" | "from") => &["from {}"],
                    Some("target" | "to") => &["to {}", "in {}", "into {}"],
                    _ => &["in {}", "of {}", "for {}"],
                };
                patterns.extend(around.iter().map(|pattern| (*pattern).to_owned()));
            }
            Kind::Word if matches!(last, "url" | "uri") => {
                patterns.extend(["{}", "of {}", "from {}", "at {}"].map(str::to_owned));
            }
            Kind::Word if matches!(last, "branch" | "ref" | "revision" | "commit" | "sha") => {
                patterns.extend(["on {}", "of {}", "at {}"].map(str::to_owned));
            }
            Kind::Word if self.is_here => {
                patterns.extend(["{}", "in {}", "of {}", "folder {}", "repository {}"].map(str::to_owned));
            }
            Kind::Word if matches!(last, "path" | "file" | "filename") => {
                patterns.extend(["file {}", "folder {}", "named {}"].map(str::to_owned));
            }
            _ => {}
        }
        let mut seen = BTreeSet::new();
        patterns.retain(|pattern| seen.insert(pattern.clone()));
        patterns.truncate(64);
        if matches!(self.kind, Kind::Boolean | Kind::List(_)) {
            patterns.truncate(2);
        }
        // A bare slot needs a value that speaks for itself.
        let speaks = match &self.kind {
            Kind::Choice(_) | Kind::Text | Kind::Time => true,
            Kind::Word => self.shape().is_some(),
            _ => false,
        };
        patterns.retain(|pattern| pattern != "{}" || speaks);
        patterns
    }

    /// The form of values that tells them from plain words, where all values have it, and what that is in words.
    fn shape(&self) -> Option<Shape> {
        if !matches!(self.kind, Kind::Word) {
            return None;
        }
        match self.words.last().map(String::as_str).unwrap_or_default() {
            // `src/a.py` may be a file of it, and `fix/a` a branch.
            _ if self.is_here => Some(Shape {
                pattern: r"\.{1,2}|(\.{1,2}|~)?/[^ ]*",
                says: "a path that begins with `/`, `./`, `../` or `~/`, or `.`",
                example: ".",
            }),
            "url" | "uri" => Some(Shape { pattern: "https?://[^ ]+", says: "a URL", example: "https://example.com/" }),
            "timezone" | "tz" => Some(Shape {
                pattern: "[A-Z][A-Za-z]+/[A-Za-z_/+-]+|[A-Z]{2,5}",
                says: "the name of a time zone, such as Europe/Prague",
                example: "Europe/Prague",
            }),
            _ => None,
        }
    }
}

impl Kind {
    fn declaration(&self) -> String {
        match self {
            Kind::Text => "type = \"text\"\nlength_max = 4000\n".to_owned(),
            Kind::Word => "type = \"string\"\nlength_max = 1000\n".to_owned(),
            Kind::Number => "type = \"number\"\n".to_owned(),
            Kind::Boolean => "type = \"boolean\"\n".to_owned(),
            Kind::Time => "type = \"datetime\"\n".to_owned(),
            Kind::Integer { min, max } => {
                let bound = |name: &str, value: &Option<i64>| value.map(|value| format!("{name} = {value}\n"));
                let bounds = [bound("min", min), bound("max", max)];
                format!("type = \"integer\"\n{}", bounds.into_iter().flatten().collect::<String>())
            }
            Kind::Choice(values) => {
                let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
                format!("type = \"enum\"\nvalues = [{}]\n", values.join(", "))
            }
            Kind::List(item) => {
                let item = match **item {
                    Kind::Integer { .. } => "integer",
                    Kind::Number => "number",
                    Kind::Boolean => "boolean",
                    _ => "string",
                };
                format!("type = \"list\"\nitems = \"{item}\"\n")
            }
        }
    }
}

/// A text of one line as TOML has it: its escapes are those of JSON.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !letter.is_control()).collect();
    Value::from(plain).to_string()
}

#[cfg(test)]
mod tests {
    use intentbox_tools::admit;
    use serde_json::json;

    use super::*;

    fn made(definition: &Value) -> Result<ToolTemplate, Unwordable> {
        let row = admit(&definition.to_string()).expect("a definition").row;
        template_of(&"git".parse().expect("a server"), &row, definition)
    }

    #[test]
    fn a_tool_becomes_a_template_with_its_schema_as_parameters() {
        let definition = json!({
            "name": "git_log", "description": "Shows the commit logs", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "required": ["repo_path"], "properties": {
                "repo_path": {"type": "string"}, "max_count": {"type": "integer", "default": 10},
                "start_timestamp": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            }},
        });
        let template = made(&definition).expect("a template");
        assert_eq!(template.id.as_str(), "git/git_log");
        let expected = "arguments = {\n    \"repo_path\": {{ repo_path | py }},\n    \"max_count\": {{ max_count | py }},\n    \
                        \"start_timestamp\": {{ start_timestamp | py }},\n}\n\
                        result = tools[\"git\"][\"git_log\"]({name: value for name, value in arguments.items() if value is not None})\n";
        let template = template.catalog.get("git/git_log").expect("it is there");
        assert_eq!(template.source(), expected);
        assert_eq!(template.wants().lines(), ["git: read-only git_log TOOL"]);
        assert_eq!(template.parameters()[0].default_from(), Some(HERE));
        let words: Vec<String> = template.parameters()[1].words().iter().map(ToString::to_string).collect();
        assert!(words.contains(&"last {}".to_owned()) && words.contains(&"{} commits".to_owned()), "{words:?}");
    }

    #[test]
    fn an_example_is_what_a_schema_shows() {
        let shown = |described: Value| {
            let schema = json!({"required": ["kind"], "properties": {"kind": described, "path": {"type": "string"}}});
            let template = made(&json!({"name": "t", "inputSchema": schema})).expect("a template");
            template.catalog.get("git/t").expect("it is there").parameters()[0].example()
        };
        for (described, expected) in [
            (json!({"type": "string", "description": "The server's local branches ('local') or all('all')"}), "local"),
            (json!({"type": "string", "examples": ["a/b"], "description": "`c`"}), "a/b"),
            (json!({"type": "string", "description": "as in `main` or \"x\""}), "x"),
            (json!({"type": "string", "description": "what 'path' is, or '--all', or 'a b'"}), "text"),
            (json!({"type": "string", "description": "it's a server's"}), "text"),
            (json!({"type": "string", "description": "'"}), "text"),
            (json!({"type": "string"}), "text"),
            (json!({"type": "integer", "description": "'local'"}), "1"),
        ] {
            assert_eq!(shown(described.clone()), expected, "{described}");
        }
    }

    #[test]
    fn what_words_cannot_say_makes_no_template_where_it_is_required() {
        let with = |required: bool, schema: &Value| {
            let required = if required { json!(["a"]) } else { json!([]) };
            made(&json!({"name": "t", "inputSchema": {"required": required, "properties": {"a": schema}}}))
        };
        for schema in [json!({"type": "object"}), json!({"type": "array", "items": {"type": "object"}})] {
            assert_eq!(with(true, &schema).map(|_| ()), Err(Unwordable { argument: "a".to_owned() }), "{schema}");
            assert!(with(false, &schema).is_ok(), "{schema}");
        }
        let odd = json!({"name": "t", "inputSchema": {"required": ["a b"], "properties": {"a b": {"type": "string"}}}});
        assert!(made(&odd).is_err());
    }

    #[test]
    fn a_schema_that_refers_to_itself_or_explodes_ends() {
        let mut levels = Map::new();
        for level in 0..30 {
            let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
            levels.insert(format!("l{level}"), json!({"anyOf": [next, next, next]}));
        }
        levels.insert("l30".to_owned(), json!({"type": "object"}));
        for schema in [
            json!({"anyOf": [{"$ref": "#/properties/a"}]}),
            json!({"type": "array", "items": {"$ref": "#/properties/a"}}),
            json!({"$ref": "#/$defs/l0"}),
        ] {
            let definition = json!({"name": "t", "inputSchema": {
                "required": ["a"], "properties": {"a": schema}, "$defs": levels,
            }});
            assert_eq!(made(&definition).map(|_| ()), Err(Unwordable { argument: "a".to_owned() }));
        }
    }

    #[test]
    fn a_hostile_definition_stays_text() {
        let hostile = "\"\"\"\nimport os\n{{ x }} {% y %} \u{202e}\u{1b}[2J";
        let definition = json!({
            "name": "9.Bad-Name", "description": hostile,
            "inputSchema": {"properties": {
                "camelCase": {"type": "string", "description": hostile, "enum": ["a", "b"]},
                "camel_case": {"type": "string"},
                "minimum": {"type": "integer", "minimum": 9, "maximum": 1},
                "$x": {"type": ["string", "null"]},
            }},
        });
        let template = made(&definition).expect("a template");
        assert_eq!(template.id.as_str(), "git/tool_9_bad_name_16d3fc2d5adee133");
        let template = template.catalog.get(template.id.as_str()).expect("it is there");
        assert!(!template.source().contains("os"), "{}", template.source());
    }

    #[test]
    fn words_of_names_are_told_apart() {
        for (name, expected) in [
            ("maxCount", vec!["max", "count"]),
            ("max-count_2", vec!["max", "count", "2"]),
            ("URL", vec!["url"]),
            ("repoURL", vec!["repo", "url"]),
            ("", vec![]),
        ] {
            assert_eq!(words_of(name), expected, "{name}");
        }
    }
}
