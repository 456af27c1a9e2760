//! Which of the tools that a search found an intent is for. **This file decides what is called.**
//!
//! A tool is called where the search trusts it, or where it only reads and the words hold all that it needs: values are a second witness.
//! What a call would pass over makes it no answer, and another tool that takes all of it is one. Where several may be meant, a person
//! is asked. Invariant: what changes something is called only where the search trusts it, or where it says most words of the request itself
//! and alone of one server's tools takes all that is said.

use std::collections::BTreeMap;

use intentbox_capability::ServerId;
use intentbox_router::{change_asked, orders};
use intentbox_search::{Found, RIVAL_SHARE, Verdict};
use intentbox_tools::{Effect, StoreError, Upstreams};

use crate::index::Index;
use crate::intent::Intent;
use crate::tool_library::{made, reading};

/// The most tools that are asked about.
pub(crate) const CHOICES_MAX: usize = 3;

/// The most tools whose definitions are read, to see for which the words hold all values.
const NEAR_MAX: usize = 6;

/// The least trust in a tool that only reads, where the words hold all the values that it needs.
const FILLED_TRUST: f64 = 0.25;

/// The least trust in tools that are asked about, where the words hold all the values that they need.
const LIKELY_TRUST: f64 = 0.1;

/// The least part of the best tool's score with which another is offered beside it, or called since it takes all that is said.
pub(crate) const NEAR_SHARE: f64 = 0.01;

/// The part of the words of a request that a tool must say itself, where a template would answer it and no value speaks for the tool.
const OWN_WORDS_MIN: f64 = 0.5;

/// The trust from which on a tool is meant also where a template would answer if its access were configured.
const SURE_TRUST: f64 = 0.8;

/// The least part of the best tool's score with which others are asked about beside it.
const OFFERED_SHARE: f64 = 0.1;

/// What an intent is for, by the numbers of tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// A tool that the search trusts.
    One(usize),
    /// Less sure, or one of several, but it only reads, and the words hold all the values that it needs.
    Filled(usize),
    /// A tool whose call would pass over what is said.
    PassesOver(usize),
    /// A tool that says little of what is asked for in its own words, where a template would answer if its access were configured.
    KeptForTemplate(usize),
    /// A person has to say which.
    Several(Vec<usize>),
    /// None.
    Nothing,
}

/// What words say for a tool, as far as a decision needs it.
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
struct Judged {
    number: usize,
    server: ServerId,
    /// Whether it only reads.
    reads: bool,
    /// Whether a call would pass over nothing.
    is_whole: bool,
    /// Whether the words hold a value.
    has_values: bool,
    /// Whether nothing lacks.
    is_complete: bool,
    /// Whether it needs any value.
    needs: bool,
    /// Whether the sentence tells somebody to do what it does: "commit all", and not "commits by Ada".
    is_ordered: bool,
    /// The part of the words of the request that are its own: "log" is none of a commit's, which may record what is said all the same.
    own_share: f64,
    /// What the search gave it, and as much of that as its description did not give.
    score: f64,
    undescribed: f64,
}

impl Judged {
    fn is_filled(&self) -> bool {
        self.is_whole && self.has_values && self.is_complete
    }

    /// Whether it may be called without the trust of the search: it changes nothing, or something that the words ask for.
    fn is_asked_for(&self) -> bool {
        self.reads || self.is_ordered && self.own_share >= OWN_WORDS_MIN
    }

    /// Whether a person may be asked about it: it changes nothing, or the words have something to do with it.
    fn may_be_meant(&self) -> bool {
        self.reads || self.own_share > 0.0
    }
}

/// A search for an intent, and what decides about its hits.
pub(crate) struct Choice<'a> {
    pub(crate) upstreams: &'a Upstreams,
    pub(crate) index: &'a Index,
    pub(crate) found: &'a Found,
    pub(crate) intent: &'a Intent,
    /// What settings give where the words do not.
    pub(crate) settings: &'a BTreeMap<String, String>,
    /// Whether a template would answer if its access were configured.
    pub(crate) has_template: bool,
}

impl Choice<'_> {
    /// Decides.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub(crate) async fn meant(&self) -> Result<Meant, StoreError> {
        let meant = match self.found.verdict {
            Verdict::One => match (self.found.hits.first(), self.found.elsewhere) {
                (None, _) => Meant::Nothing,
                (Some(best), Some(other)) if !self.takes_more(best.entry, other).await? => {
                    Meant::Several(vec![best.entry, other])
                }
                (Some(best), _) => self.one(best.entry).await?,
            },
            Verdict::Several => self.several().await?,
            Verdict::Nothing => self.likely().await?,
        };
        let meant = self.as_change(meant).await?;
        match meant {
            // What is filled has a value, which speaks for it.
            Meant::One(number) if self.has_template => {
                let has_values = self.judged(number).await?.is_some_and(|judged| judged.has_values);
                let says = self.index.own_share(number, &self.intent.text);
                let is_kept = !has_values && says <= OWN_WORDS_MIN && self.found.trust < SURE_TRUST;
                Ok(if is_kept { Meant::KeptForTemplate(number) } else { meant })
            }
            Meant::Several(_) if self.has_template && self.found.verdict == Verdict::Nothing => Ok(Meant::Nothing),
            meant => Ok(meant),
        }
    }

    /// One tool that is trusted: "show commit HEAD~1" is near the log, and all of it is another tool's.
    async fn one(&self, best: usize) -> Result<Meant, StoreError> {
        // What no words can say is told of it.
        let Some(judged) = self.judged(best).await? else { return Ok(Meant::One(best)) };
        if judged.is_whole {
            // What is said of a change asks for none. A person may have meant it all the same.
            let is_asked = judged.reads || judged.is_ordered;
            return Ok(if is_asked { Meant::One(best) } else { Meant::Several(vec![best]) });
        }
        let near = self.all(&self.near(NEAR_SHARE)).await?;
        if let Some(filled) = filled(&near) {
            return Ok(Meant::Filled(filled));
        }
        let filled = numbers(near.iter().filter(|judged| judged.is_filled() && judged.may_be_meant()));
        Ok(if filled.is_empty() { Meant::PassesOver(best) } else { Meant::Several(filled) })
    }

    /// Whether a tool that only reads takes all that is said with values, and another does not: "the sum of 17 and 25" adds no files.
    async fn takes_more(&self, best: usize, other: usize) -> Result<bool, StoreError> {
        let takes_less = self.judged(other).await?.is_none_or(|other| !other.is_whole);
        Ok(takes_less && self.judged(best).await?.is_some_and(|best| best.reads && best.is_filled()))
    }

    /// The same where the words ask for a change: "create a commit" is answered by no log. A tool that changes something and says the
    /// words is meant then, and nothing is called before somebody said so.
    async fn as_change(&self, meant: Meant) -> Result<Meant, StoreError> {
        let number = match meant {
            Meant::One(number) | Meant::Filled(number) | Meant::PassesOver(number) => Some(number),
            Meant::Nothing => None,
            Meant::KeptForTemplate(_) | Meant::Several(_) => return Ok(meant),
        };
        let Some(deed) = change_asked(&self.intent.text) else { return Ok(meant) };
        let reads = |number: usize| self.index.tool(number).is_some_and(|(_, row)| row.effect == Effect::Reads);
        if number.is_some_and(|number| !reads(number)) {
            return Ok(meant);
        }
        let near = self.all(&self.near(0.0)).await?;
        let is_meant = |judged: &&Judged| !judged.reads && judged.is_whole && judged.is_asked_for();
        let changing: Vec<&Judged> = near.iter().filter(is_meant).collect();
        Ok(match changing.as_slice() {
            [] if number.is_some_and(|number| self.index.knows(number, &deed)) => meant,
            [] => Meant::Nothing,
            [one] if !one.is_complete && number.is_some() => Meant::One(one.number),
            several if number.is_none() && !several.iter().any(|judged| judged.is_filled()) => Meant::Nothing,
            several => Meant::Several(numbers(several.iter().copied())),
        })
    }

    async fn several(&self) -> Result<Meant, StoreError> {
        let near = self.all(&self.near(RIVAL_SHARE)).await?;
        if let Some(only) = only(&near) {
            return Ok(Meant::One(only));
        }
        if let Some(filled) = filled(&near) {
            return Ok(Meant::Filled(filled));
        }
        let mut best = self.near(OFFERED_SHARE);
        best.truncate(CHOICES_MAX);
        if let [one] = best.as_slice() {
            return self.one(*one).await;
        }
        match among(&best, &self.all(&best).await?) {
            Some(meant) => Ok(meant),
            None => self.one(self.found.hits[0].entry).await,
        }
    }

    /// Tools that the search does not trust, and of which the words hold all that is needed.
    async fn likely(&self) -> Result<Meant, StoreError> {
        if self.found.trust < LIKELY_TRUST {
            return Ok(Meant::Nothing);
        }
        let near = self.all(&self.near(RIVAL_SHARE)).await?;
        if self.found.trust >= FILLED_TRUST
            && let Some(filled) = filled(&near)
        {
            return Ok(Meant::Filled(filled));
        }
        let filled = numbers(near.iter().filter(|judged| judged.is_filled() && judged.may_be_meant()));
        Ok(if filled.is_empty() { Meant::Nothing } else { Meant::Several(filled) })
    }

    /// The best tools that are in use, without those of less than `share` of the best's score.
    fn near(&self, share: f64) -> Vec<usize> {
        let best = self.found.hits.first().map_or(0.0, |hit| hit.score);
        let near = self.found.hits.iter().take(NEAR_MAX).filter(|hit| hit.score >= best * share);
        in_use(self.index, &near.map(|hit| hit.entry).collect::<Vec<_>>())
    }

    async fn all(&self, numbers: &[usize]) -> Result<Vec<Judged>, StoreError> {
        let mut all = Vec::new();
        for number in numbers {
            all.extend(self.judged(*number).await?);
        }
        Ok(all)
    }

    /// Nothing where the tool is gone, or needs what no words can say.
    async fn judged(&self, number: usize) -> Result<Option<Judged>, StoreError> {
        let Some(made) = made(self.upstreams, self.index, &[number]).await? else { return Ok(None) };
        let template = made.ids.first().and_then(|id| Some((id, made.library.catalog.get(id.as_str())?)));
        let Some((id, template)) = template else { return Ok(None) };
        let read = reading(&made, id, self.intent, self.index);
        let Some((server, row)) = self.index.tool(number) else { return Ok(None) };
        let hit = self.found.hits.iter().find(|hit| hit.entry == number);
        Ok(Some(Judged {
            number,
            server: server.clone(),
            reads: row.effect == Effect::Reads,
            is_whole: read.is_whole(),
            has_values: !read.values.is_empty(),
            is_complete: template.check(&read.values, self.settings).is_ok(),
            is_ordered: orders(&self.intent.text, server.as_str(), &verb(server.as_str(), &row.name)),
            needs: row.required > 0,
            own_share: self.index.own_share(number, &self.intent.text),
            score: hit.map_or(0.0, |hit| hit.score),
            undescribed: hit.map_or(f64::MIN, |hit| hit.undescribed),
        }))
    }
}

/// The word that the name of a tool begins with, without that of its server: `commit` of `git_commit`.
fn verb(server: &str, tool: &str) -> String {
    let is_sign = |letter: char| !letter.is_ascii_alphanumeric();
    let mut words = tool.split(is_sign).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let own = if first.eq_ignore_ascii_case(server) { words.next().unwrap_or(first) } else { first };
    // `deleteOrder` begins with `delete`.
    let end = own.find(|letter: char| letter.is_ascii_uppercase()).filter(|end| *end > 0).unwrap_or(own.len());
    own[..end].to_ascii_lowercase()
}

fn are_of_one_server(judged: &[Judged]) -> bool {
    judged.windows(2).all(|pair| pair[0].server == pair[1].server)
}

/// The one tool among these that only reads and of which the words hold values for all that it needs. It says no less of the words
/// itself than the best does: "search for files in src" has no value for a search of something else.
fn filled(judged: &[Judged]) -> Option<usize> {
    let says = judged.first().map_or(0.0, |best| best.own_share);
    let filled = || judged.iter().filter(|judged| judged.reads && judged.is_filled() && judged.needs);
    let first = filled().find(|judged| judged.own_share >= says)?;
    // They come in the order of their scores, and what is far behind is no rival, unless only its description is: a server writes its
    // own for the words of any request.
    let is_rival = |other: &Judged| {
        let is_near = other.score >= first.score * RIVAL_SHARE;
        is_near || other.server != first.server && other.undescribed >= first.undescribed
    };
    let mut others = filled().filter(|other| other.number != first.number);
    (!others.any(is_rival)).then_some(first.number)
}

/// The one of these that alone takes all that is said and lacks nothing, while the others would pass over something: "commit with
/// message …" is nothing that a log takes. Which server changes something is for a person to say.
fn only(judged: &[Judged]) -> Option<usize> {
    let mut whole = judged.iter().filter(|judged| judged.is_whole);
    let (Some(only), None) = (whole.next(), whole.next()) else { return None };
    let is_clear = only.reads || only.is_asked_for() && are_of_one_server(judged);
    (only.is_filled() && is_clear).then_some(only.number)
}

/// What is meant among several tools, of which those of `judged` can be called by words: the ones that would pass over nothing. None of
/// them where all would. One that alone is left is called if nothing changes before somebody is asked: it only reads, lacks a value, or
/// all are of one server.
fn among(best: &[usize], judged: &[Judged]) -> Option<Meant> {
    let of = |number: &usize| judged.iter().find(|judged| judged.number == *number);
    let mut whole: Vec<usize> =
        best.iter().copied().filter(|number| of(number).is_none_or(|judged| judged.is_whole)).collect();
    // What would change something that no word asks for is no answer beside the one that the words are about.
    if best.first().is_some_and(|first| !whole.contains(first)) {
        whole.retain(|number| of(number).is_none_or(Judged::may_be_meant));
    }
    let is_of_one_server = are_of_one_server(judged);
    let may_be_called =
        |judged: &Judged| judged.is_asked_for() && (judged.reads || !judged.is_complete || is_of_one_server);
    match whole.as_slice() {
        [] => None,
        [one] if of(one).is_none_or(may_be_called) => Some(Meant::One(*one)),
        _ => Some(Meant::Several(whole)),
    }
}

fn numbers<'a>(judged: impl Iterator<Item = &'a Judged>) -> Vec<usize> {
    judged.map(|judged| judged.number).take(CHOICES_MAX).collect()
}

/// The tools without those that their server calls deprecated, if any are left and are of that server.
pub(crate) fn in_use(index: &Index, numbers: &[usize]) -> Vec<usize> {
    let deprecated = |number: usize| {
        let (server, row) = index.tool(number)?;
        Some((server, is_deprecated(&row.summary)))
    };
    let is_replaced = |number: &&usize| match deprecated(**number) {
        Some((server, true)) => numbers.iter().any(|other| deprecated(*other) == Some((server, false))),
        _ => false,
    };
    numbers.iter().filter(|number| !is_replaced(number)).copied().collect()
}

/// Whether a summary calls its tool deprecated: a part of it begins so. "Replaces the deprecated one" speaks of another.
fn is_deprecated(summary: &str) -> bool {
    let mut parts = summary.split(['.', '(', '[', '!', ';', ':']);
    parts.any(|part| part.trim_start().to_ascii_lowercase().starts_with("deprecated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool by its server, with what holds for it: `r` it only reads, `w` whole, `v` values, `c` complete, `s` it says the words, `n` it
    /// needs a value, `h` it scores high, `d` its description alone speaks for it.
    fn judged(tools: &[(&str, &str)]) -> Vec<Judged> {
        let of = |(number, (server, holds)): (usize, &(&str, &str))| Judged {
            number,
            server: server.parse().expect("a server"),
            reads: holds.contains('r'),
            is_whole: holds.contains('w'),
            has_values: holds.contains('v'),
            is_complete: holds.contains('c'),
            is_ordered: holds.contains('s'),
            own_share: if holds.contains('s') { 1.0 } else { 0.0 },
            needs: holds.contains('n'),
            score: if holds.contains('h') { 0.5 } else { 0.1 },
            undescribed: if holds.contains('d') { 0.0 } else { 1.0 },
        };
        tools.iter().enumerate().map(of).collect()
    }

    #[test]
    fn what_changes_something_is_called_where_no_other_server_may_be_meant() {
        for (tools, is_only, meant) in [
            // A log passes over a message, and a commit takes it.
            (&[("git", "rvc"), ("git", "wvcs")][..], Some(1), Some(Meant::One(1))),
            // The log of a file is no message of a commit.
            (&[("git", "rvc"), ("git", "wvc")], None, None),
            (&[("git", "wvc"), ("git", "rvc")], None, Some(Meant::Several(vec![0]))),
            (&[("git", "rvc"), ("evil", "wvcs")], None, Some(Meant::Several(vec![1]))),
            (&[("git", "rvc"), ("evil", "wcs")], None, Some(Meant::Several(vec![1]))),
            (&[("git", "vc"), ("time", "rwvc")], Some(1), Some(Meant::One(1))),
            // What lacks is asked for, and so nothing is called at once.
            (&[("git", "rvc"), ("evil", "wvs")], None, Some(Meant::One(1))),
            (&[("git", "rwvc"), ("git", "wvcs")], None, Some(Meant::Several(vec![0, 1]))),
            (&[("git", "rvc"), ("git", "vc")], None, None),
        ] {
            let judged = judged(tools);
            let best: Vec<usize> = (0..tools.len()).collect();
            assert_eq!((only(&judged), among(&best, &judged)), (is_only, meant), "{tools:?}");
        }
        // The last one needs what no words can say, which is told of it.
        let judged = judged(&[("git", "rvc")]);
        assert_eq!(among(&[0, 1], &judged), Some(Meant::One(1)));
    }

    #[test]
    fn what_the_words_fill_is_called_where_no_rival_is_filled_as_well() {
        for (tools, expected) in [
            (&[("git", "rwvcnsh"), ("git", "rwvcns")][..], Some(0)),
            (&[("git", "rwvcnsh"), ("git", "rwvcnsh")], None),
            (&[("git", "rwvcnsh"), ("git", "rwvnsh")], Some(0)),
            // The best takes no value, and says no more.
            (&[("git", "rwcsh"), ("git", "rwvcns")], Some(1)),
            // A tool that says less of the words than the best is no answer.
            (&[("git", "rwcsh"), ("git", "rwvcn")], None),
            (&[("git", "wvcnsh")], None),
            (&[("git", "rwvcsh")], None),
            // Far behind, but only since its server described it less.
            (&[("git", "rwvcnsh"), ("other", "rwvcns")], None),
            (&[("git", "rwvcnshd"), ("other", "rwvcns")], None),
            (&[("git", "rwvcnsh"), ("other", "rwvcnsd")], Some(0)),
            (&[], None),
        ] {
            assert_eq!(filled(&judged(tools)), expected, "{tools:?}");
        }
    }

    #[test]
    fn a_tool_begins_with_what_it_does() {
        for (server, tool, expected) in [
            ("git", "git_commit", "commit"),
            ("crm", "deleteOrder", "delete"),
            ("crm", "Delete", "delete"),
            ("git", "git", "git"),
            ("fs", "move-file", "move"),
            ("fs", "_", ""),
        ] {
            assert_eq!(verb(server, tool), expected, "{tool}");
        }
    }

    #[test]
    fn a_tool_is_deprecated_where_its_summary_says_so_of_itself() {
        for (summary, expected) in [
            ("Reads a file. DEPRECATED: Use read_text_file instead.", true),
            ("Deprecated, see `other`", true),
            ("Reads a file (deprecated)", true),
            ("Reads a file; replaces the deprecated read_file", false),
            ("Lists the deprecated methods", false),
        ] {
            assert_eq!(is_deprecated(summary), expected, "{summary}");
        }
    }
}
