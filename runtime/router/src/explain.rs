//! Why a sentence was routed where it was, as data and as text.

use std::fmt;

use serde::Serialize;

use crate::card::CardId;
use crate::confirmed::Spans;
use crate::text;
use crate::trust::{Doubts, Why};
use crate::values::ValueRead;
use crate::{ASK_FLOOR, trust_floor};

/// How many candidates the text shows. The data has all of them.
const SHOWN_MAX: usize = 4;

/// How many words are named that were not understood. Whoever reads more of them reads the sentence.
const NOT_UNDERSTOOD_MAX: usize = 8;

/// The arithmetic of one decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The sentence as it was compared.
    pub normalised: String,
    /// The rule that decided.
    pub rule: Rule,
    /// The cards that the decision was made among, best first. [`explain`](crate::Router::explain) has all that share
    /// anything with the sentence, [`route`](crate::Router::route) those that could have changed the decision.
    pub candidates: Vec<Scored>,
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// One card has exactly this phrase.
    ExactPhrase,
    /// Several cards have exactly this phrase.
    SamePhrase,
    /// The reading of one card is trusted, and no other card is near.
    Trust,
    /// Cards of several packs explain the sentence wholly.
    Twins,
    /// Several cards reach the floor within the margin.
    WithinMargin,
    /// One card explains the whole sentence with texts that its data hold.
    Confirmed,
    /// No card reaches the floor.
    BelowFloor,
    /// No card shares a word with the sentence.
    NothingShared,
    /// The sentence is longer than any intent.
    TooManyWords,
}

/// One card against one sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// The card.
    pub id: CardId,
    /// Its pack.
    pub pack: String,
    /// What it does.
    pub summary: String,
    /// The share of this card among all that the sentence could mean, "none of them" included; 1 for an exact phrase.
    pub score: f64,
    /// `explained × phrase.covered`, or 1 for an exact phrase.
    pub fit: f64,
    /// The sum of the weights of its features.
    pub sum: f64,
    /// The sum of what the card's own weights say for its values being right; 0 for a card that nobody trained.
    pub familiar: f64,
    /// The share of the sentence's informative words that the card explains.
    pub explained: f64,
    /// The declared phrase that fits best.
    pub phrase: Phrase,
    /// Words that nothing on the card explains.
    pub unexplained: Vec<String>,
    /// Where its values stand, if it explains the whole sentence with texts that its data hold.
    #[serde(skip)]
    pub(crate) confirmed: Option<Spans>,
    /// Whether it changes something.
    pub writes: bool,
    /// How likely the reading is right, from 0 to 1; 0 for all but the best.
    pub trust: f64,
    /// What the decision to trust this reading was made of.
    pub doubts: Doubts,
    /// Words taken for misspelled ones: as written, and as understood.
    pub corrected: Vec<(String, String)>,
    /// The values read from the sentence.
    pub values: Vec<ValueRead>,
    /// Values that follow from words which say nothing about what is meant, such as the limit of "all": amounts that the
    /// card has without them too.
    pub asides: Vec<ValueRead>,
    /// Parameters that only the caller can supply, and that the sentence does not hold.
    pub missing: Vec<String>,
}

/// A declared phrase against a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phrase {
    /// The phrase as declared.
    pub text: String,
    /// The share of its informative words that the sentence holds.
    pub covered: f64,
    /// Whether the sentence is this phrase, up to case and punctuation.
    pub exact: bool,
}

impl Explanation {
    /// The words that the decision passed over: those that nothing on the best card explains, as they are written. Where no card
    /// shares a word with the sentence, all words but filler, in lower case.
    #[must_use]
    pub fn not_understood(&self) -> Vec<String> {
        let likely = |candidate: &Scored| candidate.score.max(candidate.fit);
        let best = match self.rule {
            // None was chosen: the one that comes nearest tells most.
            Rule::BelowFloor => self.candidates.iter().min_by(|left, right| likely(right).total_cmp(&likely(left))),
            _ => self.candidates.first(),
        };
        if let Some(best) = best {
            return best.unexplained.iter().take(NOT_UNDERSTOOD_MAX).cloned().collect();
        }
        let words = text::split(&self.normalised).into_iter().filter(|word| !word.is_filler);
        words.map(|word| word.text).take(NOT_UNDERSTOOD_MAX).collect()
    }

    /// The words that were taken for a name that they are not, each with that name, in the reading of the best card.
    #[must_use]
    pub fn mended(&self) -> Vec<(String, String)> {
        let reads = self.candidates.first().map_or(&[][..], |best| best.values.as_slice());
        let mended = reads.iter().filter_map(ValueRead::mended);
        mended.map(|(said, meant)| (said.to_owned(), meant.to_owned())).collect()
    }

    /// The words of the request that may narrow what is asked for, and that the best candidate passes over.
    #[must_use]
    pub fn passed_over(&self) -> Vec<String> {
        let doubts = self.candidates.first().map_or(&[][..], |best| best.doubts.words.as_slice());
        let narrows = doubts.iter().filter(|doubt| doubt.why == Why::Narrows && doubt.is_request);
        narrows.map(|doubt| doubt.text.clone()).collect()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "read as: {}", self.normalised)?;
        for candidate in self.candidates.iter().take(SHOWN_MAX) {
            writeln!(f, "{candidate}")?;
        }
        if let Some(more) = self.candidates.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
            writeln!(f, "and {more} that fit less")?;
        }
        write!(f, "decided: {}", self.rule)?;
        let floor = trust_floor(self.candidates.first());
        match self.rule {
            Rule::Trust => write!(f, ", by {floor:.2} or more"),
            Rule::BelowFloor => write!(f, " by {floor:.2}"),
            _ => Ok(()),
        }
    }
}

impl Scored {
    /// All values that the sentence holds for the card, asides too.
    pub fn read(&self) -> impl Iterator<Item = &ValueRead> {
        self.values.iter().chain(&self.asides)
    }
}

impl fmt::Display for Scored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.2}", self.id, self.score)?;
        if self.phrase.exact {
            write!(f, ": exactly the phrase {:?}", self.phrase.text)?;
        } else {
            let Phrase { text, covered, .. } = &self.phrase;
            write!(f, ": {:.2} of the words explained, {covered:.2} of the phrase {text:?} said", self.explained)?;
            write!(f, ", weights {:+.2}", self.sum)?;
            if self.trust > 0.0 {
                write!(f, ", trusted {:.2}", self.trust)?;
            }
        }
        for (written, meant) in &self.corrected {
            write!(f, "\n  {written:?} is read as {meant:?}")?;
        }
        if !self.unexplained.is_empty() {
            write!(f, "\n  unexplained: {}", self.unexplained.join(", "))?;
        }
        let strange = self.doubts.strange();
        if !strange.is_empty() {
            write!(f, "\n  passed over: {}", strange.join(", "))?;
        }
        for value in self.read() {
            write!(f, "\n  {value}")?;
        }
        if !self.missing.is_empty() {
            write!(f, "\n  missing: {}", self.missing.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Rule {
    /// Every card is made of a template, and that is the word that users know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExactPhrase => f.write_str("an exact phrase goes before scores"),
            Self::SamePhrase => f.write_str("several templates declare this phrase"),
            Self::Trust => f.write_str("the best is trusted"),
            Self::Twins => f.write_str("templates of several packs explain all of it"),
            Self::WithinMargin => write!(f, "several reach {ASK_FLOOR:.2} together, and none alone"),
            Self::Confirmed => f.write_str("the data hold the text, and nothing else is left of the sentence"),
            Self::BelowFloor => f.write_str("none is trusted"),
            Self::NothingShared => f.write_str("no template that can be reached shares a word with it"),
            Self::TooManyWords => f.write_str("it is longer than any intent"),
        }
    }
}
