//! Whether a reading can be trusted: a model over what it explains, what it passes over, and how its values were found.
//!
//! Scores only compare cards. A card may score best and leave a word out that changes the question, and its values may be
//! wrong; such a reading is no answer. It is *not* for choosing among cards.

use serde::Serialize;

use crate::explain::Scored;
use crate::forest::Forest;
use crate::values::{KNOWN_NAME, REST, ValueRead};

/// The trees that say how likely a reading is right, as training grew them.
pub(crate) const TREES: &str = include_str!("trust.tsv");

/// The least score of a reading that is plain, and the least trust in it. Of 570 such readings of sentences that training left out, 9
/// were wrong from a score of 0.9 on, and of 642 from 0.8 on, 21.
const PLAIN_SCORE: f64 = 0.85;
const PLAIN_TRUST: f64 = 0.9;

/// What a card leaves unexplained of a sentence, and how much it explains.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Doubts {
    /// The words that it does not explain.
    pub words: Vec<Doubt>,
    /// How many words it explains, those of values among them.
    pub explained: usize,
    /// How many words its free texts have.
    pub text_words: usize,
    /// The texts that a word announces, without quotes: what follows "containing".
    pub announced: Vec<String>,
    /// How many words the sentence has.
    pub all_words: usize,
    /// How many words it explains of each clause.
    pub says: Vec<usize>,
    /// Which clauses hold a value.
    pub has_value: Vec<bool>,
    /// Which clauses hold a name that exists, or what fits a narrow pattern.
    pub has_sure_value: Vec<bool>,
    /// How many words, filler among them, were left out before the part that was read, and after its beginning.
    pub left_out: [usize; 2],
    /// Whether what could be a value was read as none.
    pub lacks_a_value: bool,
}

/// A word that a card does not explain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doubt {
    /// As written.
    pub text: String,
    /// Which word of the sentence it is, or of the part that was read.
    #[serde(skip)]
    pub at: usize,
    /// What speaks against passing over it.
    pub why: Why,
    /// The parameter whose value it is said to be, where no such value exists: `file` for "the nginx log".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The number of its clause.
    pub clause: usize,
    /// Whether it is in the clause that says most about the card.
    pub is_request: bool,
    /// Its trained weight, if training saw it often enough.
    pub trained: Option<f64>,
}

impl Doubt {
    /// Whether it says what the card cannot do, however likely the rest is: a deed, a quotation, a number or a name.
    fn is_of_another_question(&self) -> bool {
        match self.why {
            Why::Deed | Why::Negates => true,
            Why::Quoted | Why::Number | Why::Name | Why::Absent | Why::Elsewhere | Why::Predicate => self.is_request,
            Why::Announces | Why::Unknown | Why::Narrows | Why::Harmless => false,
        }
    }
}

/// What speaks against passing over a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It stood in quotes.
    Quoted,
    /// It asks to do something.
    Deed,
    /// It is a number.
    Number,
    /// It turns the request into another one, as `not` does. In a story before the request it does not.
    Negates,
    /// It announces a value that is not there.
    Announces,
    /// It is a name that exists.
    Name,
    /// It is said to be a name of which there is none: "the nginx log".
    Absent,
    /// It narrows what is asked for, as the first word of "payment errors" does.
    Narrows,
    /// It is what something is said to be: "how many employees are managers".
    Predicate,
    /// It is what another card or another pack is about: "in the logs", "10 rows of the largest file".
    Elsewhere,
    /// Nothing knows it.
    Unknown,
    /// Nothing: training found it harmless.
    Harmless,
}

impl Why {
    /// As what it counts among the features: training does not tell what narrows apart, nor names.
    fn counted(self) -> Self {
        match self {
            Self::Elsewhere | Self::Predicate => Self::Narrows,
            Self::Absent => Self::Name,
            other => other,
        }
    }
}

impl Doubts {
    /// Whether a word says what the card cannot do, however likely the rest is.
    #[must_use]
    pub fn are_of_another_question(&self) -> bool {
        self.words.iter().any(Doubt::is_of_another_question)
    }

    /// The same of the request alone, without what is told beside it.
    #[must_use]
    pub(crate) fn request_is_of_another(&self) -> bool {
        self.words.iter().any(|doubt| doubt.is_request && doubt.is_of_another_question())
    }

    /// Whether a word of the request may narrow what is asked for, as in "only delivered orders".
    #[must_use]
    pub fn narrow(&self) -> bool {
        self.words.iter().any(|doubt| doubt.why == Why::Narrows && doubt.is_request)
    }

    /// Parts of the sentence that may say all: the clauses that say most about the card, with those that hold a value of it, and
    /// without. A story before the request holds times and numbers of its own.
    #[must_use]
    pub(crate) fn requests(&self) -> [Vec<bool>; 2] {
        let most = self.says.iter().copied().max().unwrap_or(0);
        let request: Vec<bool> = self.says.iter().map(|says| *says == most && most > 0).collect();
        let first = request.iter().position(|is_request| *is_request).unwrap_or(0);
        let with_values = (0..request.len()).map(|clause| {
            let is_value = if clause < first && self.is_story(clause) { &self.has_sure_value } else { &self.has_value };
            request[clause] || is_value[clause]
        });
        [with_values.collect(), request]
    }

    /// Whether a clause says more than values.
    fn is_story(&self, clause: usize) -> bool {
        self.words.iter().any(|doubt| doubt.clause == clause && doubt.why != Why::Harmless)
    }

    /// Whether a value may be one of the story and not of the request.
    #[must_use]
    pub(crate) fn has_stray_value(&self) -> bool {
        let [kept, _] = self.requests();
        (0..kept.len()).any(|clause| !kept[clause] && self.has_value[clause])
    }

    /// The words that say something else than the card does, as far as anybody knows.
    #[must_use]
    pub fn strange(&self) -> Vec<String> {
        let counts = |doubt: &&Doubt| {
            doubt.why != Why::Harmless && (doubt.is_request || matches!(doubt.why, Why::Deed | Why::Negates))
        };
        self.words.iter().filter(counts).map(|doubt| doubt.text.clone()).collect()
    }
}

/// Words that a text seldom holds: after them comes something else.
const JOINING: [&str; 6] = ["and", "in", "then", "which", "who", "with"];

/// Facts about a reading, each by its name with how much there is of it. `second` is the score of the next card.
#[must_use]
pub(crate) fn features(best: &Scored, second: f64) -> Vec<(&'static str, f64)> {
    let doubts = &best.doubts;
    let count = |count: usize, most: u32| f64::from(u32::try_from(count).unwrap_or(most).min(most));
    let share = |part: usize, whole: usize| count(part, u32::MAX) / count(whole.max(1), u32::MAX);
    let some = |holds: bool| f64::from(u8::from(holds));
    let mut features = vec![
        ("bias", 1.0),
        ("score", log_odds(best.score)),
        ("second score", log_odds(second)),
        ("fit", best.fit),
        ("explained", best.explained),
        ("covered", best.phrase.covered),
        ("sum", best.sum),
        ("values", count(best.values.len(), 8)),
        ("missing", count(best.missing.len(), 4)),
        ("corrected", count(best.corrected.len(), 4)),
        ("words explained", count(doubts.explained, 8)),
        ("words of texts", count(doubts.text_words, 8)),
        ("words", count(doubts.all_words, 30)),
        ("clauses", count(doubts.says.len(), 4)),
        ("left out before", count(doubts.left_out[0], 20)),
        ("left out after", count(doubts.left_out[1], 20)),
        ("any left out before", some(doubts.left_out[0] > 0)),
        ("any left out after", some(doubts.left_out[1] > 0)),
        ("share explained", share(doubts.explained, doubts.words.len() + doubts.explained)),
    ];
    let requested: Vec<&Doubt> = doubts.words.iter().filter(|doubt| doubt.is_request).collect();
    features.push(("share of the request explained", share(doubts.explained, requested.len() + doubts.explained)));
    let trained: Vec<f64> = requested.iter().filter_map(|doubt| doubt.trained).collect();
    features.push(("trained", trained.iter().sum()));
    features.push(("least trained", trained.iter().copied().fold(0.0, f64::min)));
    features.push(("untrained", count(requested.len() - trained.len(), 4)));
    let is_understood = requested.iter().all(|doubt| doubt.why == Why::Harmless);
    let is_all_understood = doubts.words.iter().all(|doubt| doubt.why == Why::Harmless);
    let is_whole = is_understood && best.phrase.covered >= 1.0 && best.explained >= 1.0;
    let is_missing = !best.missing.is_empty();
    let is_part = doubts.left_out != [0, 0];
    // A text that a word announces is mostly right; one that is just left over, rarely.
    let announced = &doubts.announced;
    let joins = |text: &String| text.split(' ').any(|word| JOINING.contains(&word.to_lowercase().as_str()));
    let margin = log_odds(best.score) - log_odds(second);
    features.extend([
        ("margin", margin),
        ("all understood", some(is_all_understood)),
        ("request understood", some(is_understood)),
        ("whole", some(is_whole)),
        ("whole, a value is missing", some(is_whole && is_missing)),
        ("request understood, a value is missing", some(is_understood && is_missing)),
        ("announced text", some(!announced.is_empty())),
        ("announced text, request understood", some(!announced.is_empty() && is_understood)),
        ("words of announced texts", count(announced.iter().map(|text| text.split(' ').count()).sum(), 6)),
        ("announced text that goes on", some(announced.iter().any(joins))),
        ("known names", count(best.values.iter().filter(|read| read.pattern == KNOWN_NAME).count(), 8)),
        ("part", some(is_part)),
        ("a value left out", some(doubts.lacks_a_value)),
        ("outscored", some(best.score < second)),
        ("score of a part", if is_part { log_odds(best.score) } else { 0.0 }),
        ("score, request understood", if is_understood { log_odds(best.score) } else { 0.0 }),
    ]);
    let rest = best.values.iter().filter(|read| read.pattern == REST);
    let rest: usize = rest.map(|read| read.text.split(' ').count()).sum();
    features.push(("rest", some(rest > 0)));
    features.push(("words of the rest", count(rest, 6)));
    for (why, here, any, elsewhere) in [
        (Why::Quoted, "quoted", "any quoted", "quoted elsewhere"),
        (Why::Deed, "deeds", "any deed", "deeds elsewhere"),
        (Why::Number, "numbers", "any number", "numbers elsewhere"),
        (Why::Negates, "negating", "any negating", "negating elsewhere"),
        (Why::Announces, "announcing", "any announcing", "announcing elsewhere"),
        (Why::Name, "names", "any name", "names elsewhere"),
        (Why::Narrows, "narrowing", "any narrowing", "narrowing elsewhere"),
        (Why::Unknown, "unknown", "any unknown", "unknown elsewhere"),
        (Why::Harmless, "harmless", "any harmless", "harmless elsewhere"),
    ] {
        let (inside, outside): (Vec<&Doubt>, Vec<&Doubt>) =
            doubts.words.iter().filter(|doubt| doubt.why.counted() == why).partition(|doubt| doubt.is_request);
        features.push((here, count(inside.len(), 3)));
        features.push((any, some(!inside.is_empty())));
        features.push((elsewhere, count(outside.len(), 3)));
    }
    features
}

/// How likely the reading is right, from 0 to 1: by what holds for every card, and by what the card's own weights say for its
/// values.
pub(crate) fn trust(best: &Scored, second: f64, trees: &Forest) -> f64 {
    let sum = trees.sum(&features(best, second));
    let trust = 1.0 / (1.0 + (-sum - best.familiar).exp());
    if is_plain(best) { trust.max(PLAIN_TRUST) } else { trust }
}

/// Whether a card explains the whole sentence by its words and by values that are no free text, and no other comes near: "list the last
/// 5 errors". Training saw few of these wrong, and trees say less about sentences of a kind that they saw rarely.
fn is_plain(best: &Scored) -> bool {
    let doubts = &best.doubts;
    let is_understood = doubts.words.iter().all(|doubt| doubt.why == Why::Harmless) && !doubts.lacks_a_value;
    let is_whole = best.explained >= 1.0 && best.phrase.covered >= 1.0 && doubts.text_words == 0;
    is_understood && is_whole && doubts.says.len() <= 1 && best.missing.is_empty() && best.score >= PLAIN_SCORE
}

/// Facts about the values of a card, by their names: that it is this card, which values there are, which two of them are there
/// together, and which pattern found each. What follows "with" is mostly not the text that is looked for.
pub(crate) fn facts_of_values(values: &[ValueRead]) -> Vec<String> {
    let mut facts = vec!["card".to_owned()];
    for (at, read) in values.iter().enumerate() {
        let parameter = &read.parameter;
        facts.push(format!("<{parameter}>"));
        facts.push(format!("<{parameter}> by {}", read.pattern));
        for other in &values[at + 1..] {
            let (first, second) = (parameter.min(&other.parameter), parameter.max(&other.parameter));
            facts.push(format!("<{first}> <{second}>"));
        }
    }
    facts
}

/// The logarithm of `p / (1 − p)`, within what four digits of `p` tell.
fn log_odds(share: f64) -> f64 {
    const LEAST: f64 = 1e-4;
    (share.max(LEAST) / (1.0 - share).max(LEAST)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(why: Why, is_request: bool) -> Doubt {
        Doubt { text: format!("{why:?}"), at: 0, why, parameter: None, clause: 0, is_request, trained: None }
    }

    #[test]
    fn a_word_of_a_story_is_passed_over_unless_it_is_a_deed() {
        let words = vec![
            doubt(Why::Unknown, true),
            doubt(Why::Unknown, false),
            doubt(Why::Harmless, true),
            doubt(Why::Deed, false),
        ];
        let doubts = Doubts { words, ..Doubts::default() };
        assert_eq!(doubts.strange(), ["Unknown", "Deed"]);
        assert!(doubts.are_of_another_question());
    }

    #[test]
    fn only_a_word_of_unknown_meaning_leaves_the_question_as_it_is() {
        for (why, is_request, is_other) in [
            (Why::Unknown, true, false),
            (Why::Harmless, true, false),
            (Why::Narrows, true, false),
            (Why::Narrows, false, false),
            (Why::Predicate, true, true),
            (Why::Predicate, false, false),
            (Why::Elsewhere, true, true),
            (Why::Elsewhere, false, false),
            (Why::Name, true, true),
            (Why::Name, false, false),
            (Why::Absent, true, true),
            (Why::Absent, false, false),
            (Why::Announces, true, false),
            (Why::Number, true, true),
            (Why::Number, false, false),
            (Why::Negates, false, true),
            (Why::Quoted, true, true),
            (Why::Deed, false, true),
        ] {
            let doubts = Doubts { words: vec![doubt(why, is_request)], ..Doubts::default() };
            assert_eq!(doubts.are_of_another_question(), is_other, "{why:?}, in the request: {is_request}");
        }
    }

    #[test]
    fn log_odds_are_bounded() {
        assert!(log_odds(0.0) > -10.0 && log_odds(1.0) < 10.0 && log_odds(0.5).abs() < 1e-9);
    }
}
