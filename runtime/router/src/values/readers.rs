//! The parameters of a card, prepared for reading sentences: what announces their values, and where their names come from.

use std::collections::{BTreeMap, BTreeSet};

use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::words::{self, Clause, Shape};
use intentbox_catalog::{Companions, ParamKind, ParamSpec};
use serde_json::Value;

use super::pattern::{Choice, Part, Pattern, pattern};
use super::{Found, NameMention, Pull, Sentence, ValueRead};
use crate::names::{Names, Source};
use crate::text::{Synonyms, Word};

/// The parameters of a card, prepared for reading.
#[derive(Debug)]
pub(crate) struct Readers {
    pub(super) specs: Vec<ParamSpec>,
    pub(super) sources: Vec<Option<Source>>,
    /// What says which texts of a sentence its data hold, for each parameter.
    pub(super) confirming: Vec<Option<Source>>,
    pub(super) patterns: Vec<Pattern>,
    /// Words of patterns: they announce a value, and are none.
    pub(super) announcing: BTreeSet<String>,
    pub(super) has_times: bool,
    pub(super) writes: bool,
    /// What is meant without being said.
    pub(super) implied: Vec<Pattern>,
    /// Of which parameters one at most is read.
    pub(super) one_of: Vec<usize>,
    /// Which parameter takes a second value of each, further values, and values that are excluded.
    pub(super) second: BTreeMap<usize, usize>,
    pub(super) or: BTreeMap<usize, usize>,
    pub(super) not: BTreeMap<usize, usize>,
    /// Words of which each says another thing of one kind: a level, a measure. Each with the parameter, and the value where it is one.
    alternatives: BTreeMap<String, (String, Value)>,
}

impl Readers {
    pub(crate) fn new(pack: &str, specs: Vec<ParamSpec>, clauses: &[Clause], synonyms: &Synonyms) -> Self {
        let word = |word: &String| Part::Word(synonyms.canonical(word));
        let mut patterns: Vec<Pattern> = Vec::new();
        for (reader, spec) in specs.iter().enumerate() {
            for pattern in spec.words() {
                let choices = match pattern.slot() {
                    words::Slot::Any => None,
                    words::Slot::OneOf(choices) => Some(
                        choices
                            .iter()
                            .map(|text| Choice { text: text.clone(), canonical: synonyms.canonical(text) })
                            .collect(),
                    ),
                };
                let mut parts: Vec<Part> = pattern.before().iter().map(word).collect();
                parts.push(Part::Slot { reader, choices, shape: None });
                parts.extend(pattern.after().iter().map(word));
                patterns.push(Pattern::new(pattern.to_string(), parts));
            }
        }
        patterns.extend(clauses.iter().map(|clause| pattern(clause, &specs, synonyms)));
        let source = |values: Option<&ValuesFrom>| Some(Source { pack: pack.to_owned(), values: values?.clone() });
        Self {
            sources: specs.iter().map(|spec| source(spec.values_from())).collect(),
            confirming: specs.iter().map(|spec| source(spec.confirmed_by())).collect(),
            announcing: patterns.iter().flat_map(Pattern::words).filter(|word| !is_joint(word)).cloned().collect(),
            has_times: specs
                .iter()
                .any(|spec| matches!(spec.kind(), ParamKind::Duration { .. } | ParamKind::Window { .. })),
            patterns,
            specs,
            writes: false,
            implied: Vec::new(),
            one_of: Vec::new(),
            second: BTreeMap::new(),
            or: BTreeMap::new(),
            not: BTreeMap::new(),
            alternatives: BTreeMap::new(),
        }
        .with_alternatives(synonyms)
    }

    /// Notes the choices that stand alone, and the names of measures.
    fn with_alternatives(mut self, synonyms: &Synonyms) -> Self {
        for pattern in self.patterns.iter().filter(|pattern| pattern.is_bare()) {
            let Some(Part::Slot { reader, choices: Some(choices), .. }) = pattern.parts.first() else { continue };
            let spec = &self.specs[*reader];
            if !matches!(spec.kind(), ParamKind::Enum { .. }) {
                continue;
            }
            for choice in choices {
                if let Ok(value) = spec.read_item(&choice.text) {
                    self.alternatives.insert(synonyms.canonical(&choice.text), (spec.name().to_owned(), value));
                }
            }
        }
        self
    }

    /// What a word says that others say otherwise.
    pub(crate) fn alternative(&self, form: &str) -> Option<&(String, Value)> {
        self.alternatives.get(form)
    }

    /// Which of the parameters that exclude each other a word names.
    pub(super) fn measure(&self, form: &str) -> Option<usize> {
        let (name, _) = self.alternatives.get(form).filter(|(_, value)| value.is_null())?;
        self.one_of.iter().copied().find(|reader| self.specs[*reader].name() == name)
    }

    /// The parameter for the column of a measure that a word names.
    pub(crate) fn column_measure(&self, form: &str) -> Option<&ParamSpec> {
        self.measure(form).map(|reader| &self.specs[reader]).filter(|spec| spec.values_from().is_some())
    }

    /// Whether a reader takes the column of a measure.
    pub(crate) fn is_measure(&self, reader: usize) -> bool {
        self.one_of.contains(&reader) && self.specs[reader].values_from().is_some()
    }

    /// The same with what is meant without being said, and with parameters that exclude each other.
    pub(crate) fn implying(mut self, implied: &[Clause], one_of: &[String], synonyms: &Synonyms) -> Self {
        self.implied = implied.iter().map(|clause| pattern(clause, &self.specs, synonyms)).collect();
        for name in one_of {
            self.alternatives.insert(synonyms.canonical(name), (name.clone(), Value::Null));
        }
        self.one_of = one_of.iter().filter_map(|name| self.specs.iter().position(|spec| spec.name() == name)).collect();
        self
    }

    /// The same with parameters that take more of what others take.
    pub(crate) fn accompanied(mut self, companions: &Companions) -> Self {
        let place = |name: &String| self.specs.iter().position(|spec| spec.name() == name);
        let places = |all: &BTreeMap<String, String>| {
            all.iter().filter_map(|(of, other)| Some((place(of)?, place(other)?))).collect::<BTreeMap<_, _>>()
        };
        (self.second, self.or, self.not) =
            (places(&companions.second), places(&companions.or), places(&companions.not));
        self
    }

    /// The parameter whose second or third values this one takes, or itself.
    pub(super) fn first_of(&self, reader: usize) -> usize {
        let first = self.second.iter().find(|(_, second)| **second == reader).map(|(first, _)| *first);
        first.filter(|first| *first != reader).map_or(reader, |first| self.first_of(first))
    }

    /// The same for a card that changes something: what it is about has to be said in a pattern.
    pub(crate) fn writing(mut self, writes: bool) -> Self {
        self.writes = writes;
        self
    }

    /// Whether what was found is a window of time and nothing else.
    pub(crate) fn is_window(&self, found: &Found) -> bool {
        found.reads.iter().all(|(reader, _)| matches!(self.specs[*reader].kind(), ParamKind::Window { .. }))
    }

    /// The words of its patterns.
    pub(crate) fn words(&self) -> impl Iterator<Item = &String> {
        self.patterns.iter().flat_map(Pattern::words)
    }

    /// Notes the numbers of these words, so that looking for them compares no text.
    pub(crate) fn number(&mut self, numbers: &BTreeMap<String, usize>) {
        for pattern in &mut self.patterns {
            pattern.numbers = pattern.words().map(|word| numbers[word]).collect();
        }
    }

    pub(crate) fn specs(&self) -> &[ParamSpec] {
        &self.specs
    }

    /// Whether a word announces a value that is required and was not read: the caller will be asked for it.
    pub(crate) fn announces_missing(&self, form: &str, read: &[ValueRead]) -> bool {
        let is_missing = |reader: usize| {
            let spec = &self.specs[reader];
            spec.must_be_given() && !read.iter().any(|read| read.parameter == spec.name())
        };
        self.announcing.contains(form)
            && self
                .patterns
                .iter()
                .any(|pattern| pattern.words().any(|word| word == form) && pattern.readers().any(is_missing))
    }

    /// Whether a word announces a value that was neither read nor is known to be missing: "in project", and no project.
    pub(crate) fn announces_unread(&self, form: &str, read: &[ValueRead]) -> bool {
        let is_open = |reader: usize| {
            let spec = &self.specs[reader];
            !spec.must_be_given() && !read.iter().any(|read| read.parameter == spec.name())
        };
        let announcing = |pattern: &&Pattern| pattern.words().any(|word| word == form);
        self.announcing.contains(form)
            && self.patterns.iter().filter(announcing).all(|pattern| pattern.readers().all(is_open))
    }

    /// The parameter whose value the word at `at` is said to be, where the files that exist are known and it is none of them: `file` in
    /// "the nginx log". One that has to be given is asked for. Other names are mostly said by themselves: "the largest groups" are no
    /// column.
    pub(crate) fn absent(
        &self,
        words: &[Word],
        canonical: &[String],
        at: usize,
        read: &[ValueRead],
        names: &Names,
    ) -> Option<&str> {
        let is_open = |reader: usize| {
            let spec = &self.specs[reader];
            let names = self.sources[reader].as_ref().and_then(|source| names.get(source));
            let is_known = names.is_some_and(|names| names.texts().next().is_some());
            is_known
                && matches!(spec.values_from(), Some(ValuesFrom::Files))
                && !spec.must_be_given()
                && !read.iter().any(|read| read.parameter == spec.name())
        };
        let said = self.patterns.iter().filter(|pattern| !pattern.is_mute);
        let reader =
            said.filter_map(|pattern| pattern.reader_around(words, canonical, at)).find(|reader| is_open(*reader));
        reader.map(|reader| self.specs[reader].name())
    }

    /// Words that patterns of parameters with known names list: they may abbreviate one.
    pub(crate) fn abbreviations(&self) -> impl Iterator<Item = &String> {
        let of_names = |reader: usize| self.sources[reader].is_some();
        self.patterns
            .iter()
            .flat_map(|pattern| &pattern.parts)
            .flat_map(move |part| match part {
                Part::Slot { reader, choices: Some(choices), .. } if of_names(*reader) => choices.as_slice(),
                _ => &[],
            })
            .map(|choice| &choice.text)
    }

    /// The parameters whose names come from somewhere, with where.
    pub(crate) fn sourced(&self) -> impl Iterator<Item = (&ParamSpec, &Source)> {
        self.specs.iter().zip(&self.sources).filter_map(|(spec, source)| Some((spec, source.as_ref()?)))
    }

    /// Where names of this card come from.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().flatten()
    }

    /// What says which texts of a sentence the data of this card hold.
    pub(crate) fn confirming(&self) -> impl Iterator<Item = &Source> {
        self.confirming.iter().flatten()
    }

    /// Whether the values of a parameter are texts of which the data say whether they are there.
    pub(crate) fn is_confirming(&self, reader: usize) -> bool {
        self.confirming[self.first_of(reader)].is_some()
    }

    /// Whether a card takes the words that are left of a sentence, whatever they are, for a value.
    pub(crate) fn takes_the_rest(&self) -> bool {
        let is_rest = |part: &Part| matches!(part, Part::Slot { shape: Some(Shape::Rest), .. });
        self.implied.iter().any(|pattern| pattern.parts.len() == 1 && pattern.parts.iter().all(is_rest))
    }

    /// Reads the values of all parameters from a sentence: at most one each, and no word twice.
    ///
    /// Where readings compete for the same words, the one that accounts for more words wins, then the one further left,
    /// then the one declared earlier: "last 24 hours" is a period and not the limit 24. Free text takes what is left.
    /// `topics` are the words a card is about; they are no names, unless quoted or known as such.
    pub(crate) fn pull(&self, sentence: &Sentence<'_>, topics: &BTreeSet<String>) -> Vec<Found> {
        let names = self.sources.iter().zip(&self.specs).map(|(source, spec)| {
            let mentions = sentence.names.get(source.as_ref()?)?;
            let takes = |mention: &&NameMention| {
                spec.values_where()
                    .is_none_or(|only| mention.name.fields.get(&only.field).is_some_and(|text| only.is.contains(text)))
            };
            Some(mentions.iter().filter(takes).collect())
        });
        let names = names.collect();
        Pull { sentence, readers: self, topics, names }.all()
    }
}

/// Whether a word holds patterns together and announces nothing by itself: "no more than 5".
fn is_joint(word: &str) -> bool {
    matches!(word, "k" | "more" | "n" | "no" | "not" | "than")
}
