//! Words of the world of APIs that mean the same, or go together.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use intentbox_router::stem;

/// How near two words of one line are that mean the same, and two that go together. A long line says less.
const SAME: f64 = 0.75;
const RELATED: f64 = 0.4;

/// Up to so many words, a line says as much as it can.
const SHORT_LINE: f64 = 6.0;

/// The lines: `=` or `~`, and words.
const LINES: &str = include_str!("lexicon.txt");

/// Which stems are near which, and how near, from 0 to 1.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    near: HashMap<String, HashMap<String, f64>>,
    phrases: HashSet<Vec<String>>,
    longest: usize,
}

impl Lexicon {
    pub(crate) fn get() -> &'static Self {
        static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(LINES));
        &LEXICON
    }

    fn parse(lines: &str) -> Self {
        let mut lexicon = Self::default();
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let most = match words.next() {
                Some("=") => SAME,
                Some("~") => RELATED,
                _ => continue,
            };
            let stems: Vec<String> = words.map(|word| lexicon.take(word)).collect();
            let count = f64::from(u32::try_from(stems.len()).unwrap_or(u32::MAX));
            let near = most * (SHORT_LINE / count.max(SHORT_LINE)).sqrt();
            for one in &stems {
                for other in stems.iter().filter(|other| *other != one) {
                    let known = lexicon.near.entry(one.clone()).or_default().entry(other.clone()).or_insert(0.0);
                    *known = known.max(near);
                }
            }
        }
        lexicon
    }

    /// The stem of a word, or the one stem of a phrase.
    fn take(&mut self, word: &str) -> String {
        let parts: Vec<String> = word.split('_').map(stem).collect();
        let joined = parts.join("_");
        if parts.len() > 1 {
            self.longest = self.longest.max(parts.len());
            self.phrases.insert(parts);
        }
        joined
    }

    /// The stems with phrases joined, the longest first.
    pub(crate) fn joined(&self, stems: &[String]) -> Vec<String> {
        let (mut joined, mut at) = (Vec::with_capacity(stems.len()), 0);
        while at < stems.len() {
            let lengths = (2..=self.longest.min(stems.len() - at)).rev();
            let length = lengths.into_iter().find(|length| self.phrases.contains(&stems[at..at + length]));
            let length = length.unwrap_or(1);
            joined.push(stems[at..at + length].join("_"));
            at += length;
        }
        joined
    }

    /// The stems that are near this one.
    pub(crate) fn near(&self, stem: &str) -> impl Iterator<Item = (&str, f64)> {
        self.near.get(stem).into_iter().flatten().map(|(near, how)| (near.as_str(), *how))
    }

    pub(crate) fn stems(&self) -> impl Iterator<Item = &str> {
        self.near.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_line_are_near_each_other() {
        let lexicon = Lexicon::parse("# no line\n= repo repository\n~ clock time_zone\nother line\n");
        let near = |stem: &str| lexicon.near(stem).map(|(near, how)| format!("{near} {how}")).collect::<Vec<_>>();
        assert_eq!(near("repo"), ["repository 0.75"]);
        assert_eq!(near("clock"), ["time_zone 0.4"]);
        assert!(near("other").is_empty() && near("line").is_empty());
        let stems = ["the", "time", "zones", "time"].map(str::to_owned);
        assert_eq!(lexicon.joined(&stems), ["the", "time", "zones", "time"]);
        let stems = ["the", "time", "zone"].map(str::to_owned);
        assert_eq!(lexicon.joined(&stems), ["the", "time_zone"]);
    }

    #[test]
    fn the_built_in_lines_are_read() {
        let lexicon = Lexicon::get();
        assert!(lexicon.stems().count() > 300 && lexicon.near("pr").any(|(near, _)| near == "pull_request"));
    }
}
