//! What people say who want a common deed done and do not know what tools call it: "nobody should push straight to main" for
//! `protect_branch`.
//!
//! The words go with the name of a tool, whoever offers it. A server can say nothing about them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::index::count;
use crate::words::telling;

/// The lines: the name of a deed, a colon, and words. A phrase is written with underscores.
const LINES: &str = include_str!("deeds.txt");

/// How much the one word says of a longer phrase that says anything: "up to date" is about no dates.
const IDIOM: f64 = 0.5;

/// The least part of a tool's name that a deed has to make up.
const SHARE_MIN: f64 = 0.5;

/// The common deeds.
#[derive(Debug)]
pub(crate) struct Deeds {
    all: Vec<Deed>,
    /// The deeds by one stem of their names, so that few are looked at for a tool.
    by_stem: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Deed {
    name: BTreeSet<String>,
    /// How much each stem says: less where it is of an idiom.
    said: BTreeMap<String, f64>,
}

impl Deeds {
    pub(crate) fn get() -> &'static Self {
        static DEEDS: LazyLock<Deeds> = LazyLock::new(|| Deeds::parse(LINES));
        &DEEDS
    }

    fn parse(lines: &str) -> Self {
        let stems = |text: &str| -> BTreeSet<String> { telling(&text.replace('_', " ")).into_iter().collect() };
        let deed = |line: &str| {
            let (name, said) = line.split_once(':')?;
            let mut weights: BTreeMap<String, f64> = BTreeMap::new();
            // Word by word: those that stand side by side are no phrase.
            for phrase in said.split_whitespace() {
                let telling = stems(phrase);
                let is_idiom = telling.len() == 1 && phrase.split('_').count() > 2;
                let weight = if is_idiom { IDIOM } else { 1.0 };
                for stem in telling {
                    let known = weights.entry(stem).or_insert(0.0);
                    *known = known.max(weight);
                }
            }
            Some(Deed { name: stems(name), said: weights })
        };
        let all: Vec<Deed> = lines.lines().filter(|line| !line.starts_with('#')).filter_map(deed).collect();
        let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, deed) in all.iter().enumerate() {
            if let Some(stem) = deed.name.last() {
                by_stem.entry(stem.clone()).or_default().push(number);
            }
        }
        Self { all, by_stem }
    }

    /// All stems of each deed, of its name and of what people say for it, and how much each says.
    pub(crate) fn stems(&self) -> impl Iterator<Item = BTreeMap<&String, f64>> {
        self.all.iter().map(|Deed { name, said }| {
            let said = said.iter().map(|(stem, weight)| (stem, *weight));
            said.chain(name.iter().map(|stem| (stem, 1.0))).collect()
        })
    }

    /// The stems that people say for a deed, and how much each says.
    pub(crate) fn said(&self, deed: usize) -> impl Iterator<Item = (&String, f64)> {
        self.all.get(deed).into_iter().flat_map(|deed| &deed.said).map(|(stem, weight)| (stem, *weight))
    }

    /// The deeds that a tool's name says, given as stems: those that make up the most of it.
    pub(crate) fn of(&self, name: &[String]) -> Vec<usize> {
        let name: BTreeSet<&str> = name.iter().map(String::as_str).collect();
        let is_part = |deed: &Deed| deed.name.iter().all(|stem| name.contains(stem.as_str()));
        let near = name.iter().filter_map(|stem| self.by_stem.get(*stem)).flatten();
        let parts: Vec<(usize, &Deed)> =
            near.map(|number| (*number, &self.all[*number])).filter(|(_, deed)| is_part(deed)).collect();
        let most = parts.iter().map(|(_, deed)| deed.name.len()).max().unwrap_or(0);
        if count(most) < count(name.len()) * SHARE_MIN {
            return Vec::new();
        }
        parts.into_iter().filter(|(_, deed)| deed.name.len() == most).map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deed_is_found_in_a_longer_name_and_the_longest_counts() {
        let deeds = Deeds::parse(
            "# no deed\ncreate_branch: fork_from new_line up_to_date\nbranch: line\nlist: overview\nno line\n",
        );
        let said = |name: &str| {
            let said = deeds.of(&telling(name)).into_iter().flat_map(|deed| deeds.said(deed));
            said.map(|(stem, weight)| format!("{stem} {weight}")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(said("create branch"), "date 0.5, fork 1, line 1, new 1");
        assert_eq!(said("branch remote create"), said("create branch"));
        assert_eq!(said("branch"), "line 1");
        assert_eq!(said("list branches of all users"), "", "a part that is too small says nothing");
        assert_eq!(said(""), "");
    }

    #[test]
    fn the_built_in_lines_are_read() {
        assert!(Deeds::get().all.len() > 500 && Deeds::get().all.iter().all(|deed| !deed.name.is_empty()));
    }
}
