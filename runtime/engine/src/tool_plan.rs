//! Intents that no template answers: the tool of an upstream server that does, found without a model and loaded only then.
//!
//! The search says which tools may be meant. Their definitions, and only theirs, are read, and become templates
//! ([`crate::tool_template`]); from there on everything is decided as for any template. A tool is taken only if the search
//! trusts it and no other is near. What is not permitted, fails or exhausts a limit is the answer, and nothing else is tried.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use intentbox_capability::ServerId;
use intentbox_catalog::TemplateId;
use intentbox_catalog::json::parse_value;
use intentbox_report::{Candidate, Cause, Failure, Remedy, Report, ToolAdvice};
use intentbox_router::Names;
use intentbox_search::{Found, Hit, RIVAL_SHARE, Verdict};
use intentbox_tools::{Effect, StoreError, ToolError, ToolRow, Upstreams};
use serde::Serialize;
use serde_json::Value;

use crate::caller::Caller;
use crate::cards;
use crate::found::{self, CLOSE_TRUST, Entry};
use crate::index::Index;
use crate::intent::Intent;
use crate::library::Library;
use crate::plan::{Plan, Which};
use crate::tool_failure::tool_failure;
use crate::tool_reading::{self, ToolReading};
pub use crate::tool_template::HERE;
use crate::tool_template::{self, ToolTemplate, Unwordable};
use crate::{Engine, known};

/// The most tools that are offered for a choice.
const CHOICES_MAX: usize = 3;

/// The least trust in a tool that only reads, where the words hold all the values that it needs.
const FILLED_TRUST: f64 = 0.25;

/// The least part of the best tool's score with which another is offered beside it, or called since it takes all that is said.
const NEAR_SHARE: f64 = 0.01;

/// How a search for a tool went, for whoever wants to know why.
#[derive(Debug, Clone, Serialize)]
pub struct ToolRoute {
    /// How many tools were searched.
    pub searched: usize,
    /// `one`, `filled` (one that only reads, for which the words hold all values), `several`, or `nothing`.
    pub verdict: &'static str,
    /// How likely the best is right, from 0 to 1.
    pub trust: f64,
    /// The best tools with their shares, the best first; before them the one that is `filled`.
    pub best: Vec<Entry>,
    /// The values that the words hold for the first.
    pub values: BTreeMap<String, Value>,
    /// The words that a call of the first would pass over: with any, it is not made.
    pub passed_over: Vec<String>,
    /// How long the search took, in microseconds.
    pub search_us: u64,
    /// How long it took to read the definitions and values, in microseconds.
    pub read_us: u64,
}

/// The tools that an intent is for, by their numbers.
enum Meant {
    One(usize),
    /// Less sure, or one of several, but it only reads, and the words hold all the values that it needs.
    Filled(usize),
    Several(Vec<usize>),
    Nothing,
}

/// Templates of the tools that may be meant.
struct Made {
    library: Arc<Library>,
    /// The ids of the templates in the order of the tools, and the numbers of those.
    ids: Vec<TemplateId>,
    numbers: BTreeMap<TemplateId, usize>,
    unwordable: Vec<(ServerId, String, Unwordable)>,
    /// The definitions of these are not the approved ones. They may be offered, and not be called.
    changed: BTreeMap<TemplateId, ToolError>,
}

impl Engine {
    /// Why an intent goes to the tool that it goes to.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub async fn explain_tools(&self, text: &str) -> Result<Option<ToolRoute>, StoreError> {
        let Some((upstreams, index)) = self.index().await? else { return Ok(None) };
        if !self.routing.has_tools() || index.tools() == 0 {
            return Ok(None);
        }
        let begun = Instant::now();
        let found = index.find_tool(text);
        let search_us = micros(begun);
        let begun = Instant::now();
        let intent = Intent { text: text.to_owned(), ..Intent::default() };
        let (verdict, filled) = match self.meant(&upstreams, &index, &found, &intent).await? {
            Meant::One(_) => ("one", None),
            Meant::Filled(number) => ("filled", Some(number)),
            Meant::Several(_) => ("several", None),
            Meant::Nothing => ("nothing", None),
        };
        let mut best: Vec<_> = found.hits.iter().take(CHOICES_MAX).collect();
        best.sort_by_key(|hit| Some(hit.entry) != filled);
        let numbers: Vec<usize> = best.iter().map(|hit| hit.entry).collect();
        let made = made(&upstreams, &index, &numbers).await?;
        let reading = made.and_then(|made| Some(reading(&made, made.ids.first()?, &intent, &index)));
        let ToolReading { values, passed_over, .. } = reading.unwrap_or_default();
        let best = best.iter().filter_map(|hit| found::entry(&index, hit.entry, hit.score));
        let (best, read_us) = (best.collect(), micros(begun));
        let (searched, trust) = (index.tools(), found.trust);
        Ok(Some(ToolRoute { searched, verdict, trust, best, values, passed_over, search_us, read_us }))
    }

    /// Plans a tool for an intent; `nothing` is the answer where none fits.
    pub(crate) async fn plan_tool(&self, intent: &Intent, caller: &Caller, mut nothing: Box<Report>) -> Plan {
        match self.tool_planned(intent, caller, &mut nothing).await {
            Ok(Some(plan)) => plan,
            Ok(None) => Plan::Nothing(nothing),
            Err(error) => {
                let failure =
                    Failure::new(Cause::Internal, format!("the tools of upstream servers are not known: {error}"));
                Plan::Nothing(Box::new(Report::failed(nothing.run_id, failure.with(Remedy::ReportFault))))
            }
        }
    }

    async fn tool_planned(
        &self,
        intent: &Intent,
        caller: &Caller,
        nothing: &mut Report,
    ) -> Result<Option<Plan>, StoreError> {
        let Some((upstreams, index)) = self.index().await? else { return Ok(None) };
        if index.tools() == 0 {
            if let (Some(waiting), Some(failure)) = (waiting(&upstreams), &mut nothing.failure) {
                failure.message = format!("{}; {waiting}", failure.message);
            }
            return Ok(None);
        }
        let named = match &intent.template {
            Some(id) => index.named(id.as_str()),
            None => index.named(&intent.text),
        };
        // Who names a template that is none, or a tool by its name, wants no other.
        if let Some(number) = named {
            let Some(made) = made(&upstreams, &index, &[number]).await? else { return Ok(None) };
            // The name of a tool is no sentence: nothing in it is a value. Beside one, the words only give values.
            let reading =
                intent.template.as_ref().and_then(|_| Some(reading(&made, made.ids.first()?, intent, &index)));
            let plan = self.one(&made, intent, caller, reading.unwrap_or_default().values);
            return Ok(Some(if intent.template.is_some() { plan.learning(&intent.text) } else { plan }));
        }
        if intent.template.is_some() {
            return Ok(None);
        }
        let found = index.find_tool(&intent.text);
        let numbers = match self.meant(&upstreams, &index, &found, intent).await? {
            Meant::One(number) | Meant::Filled(number) => vec![number],
            Meant::Several(numbers) => numbers,
            Meant::Nothing => {
                if nothing.candidates.is_empty() {
                    nothing.candidates = self.closest(&index, &intent.text);
                }
                if let Some(failure) = &mut nothing.failure {
                    failure.message = none_fits(&upstreams, index.tools());
                }
                return Ok(None);
            }
        };
        let Some(made) = made(&upstreams, &index, &numbers).await? else { return Ok(None) };
        if made.ids.len() <= 1 {
            let read =
                made.ids.first().and_then(|id| Some((made.numbers.get(id)?, reading(&made, id, intent, &index))));
            return Ok(match read {
                Some((number, reading)) if !reading.is_whole() => {
                    // "Show commit HEAD~1" is near the log, and all of it is another tool's.
                    let whole = self.filled(&upstreams, &index, &near(&index, &found, NEAR_SHARE), intent).await?;
                    let other = whole.filter(|other| other != number);
                    if let Some(made) = self::made(&upstreams, &index, other.as_slice()).await?
                        && let Some(id) = made.ids.first()
                    {
                        let values = self::reading(&made, id, intent, &index).values;
                        return Ok(Some(self.one(&made, intent, caller, values)));
                    }
                    *nothing = passing_over(&index, &found, *number, &reading);
                    None
                }
                read => {
                    let values = read.map(|(_, reading)| reading.values).unwrap_or_default();
                    Some(self.one(&made, intent, caller, values))
                }
            });
        }
        let score = |number: usize| found.hits.iter().find(|hit| hit.entry == number).map_or(0.0, |hit| hit.score);
        let candidates = numbers.iter().filter_map(|number| {
            let (server, row) = index.tool(*number)?;
            let id = made.ids.iter().find(|id| is_of(id, &made.library, server, row))?;
            candidate(&index, *number, score(*number), reading(&made, id, intent, &index).values)
        });
        let message = match found.elsewhere {
            Some(_) => "tools of two servers answer this intent",
            None => "several tools fit this intent about equally well",
        };
        let failure = Failure::new(Cause::Ambiguous, message);
        let report = Report {
            candidates: candidates.collect(),
            ..Report::failed(crate::new_run_id(), failure.with(Remedy::Choose))
        };
        Ok(Some(Plan::Which(Which { intent: intent.clone(), library: made.library, report: Box::new(report) })))
    }

    /// What is closest to an intent that nothing answers: tools, and templates whose access is configured.
    fn closest(&self, index: &Index, text: &str) -> Vec<Candidate> {
        let is_reached = |template| self.routing.has_templates() && self.reaches(template);
        let found = index.find(text);
        let hits = found.hits.iter().filter(|hit| index.template(hit.entry).is_none_or(is_reached));
        let most = if found.trust < CLOSE_TRUST { 0 } else { CHOICES_MAX };
        hits.take(most).filter_map(|hit| candidate(index, hit.entry, hit.score, BTreeMap::new())).collect()
    }

    /// The tools that an intent is for.
    async fn meant(
        &self,
        upstreams: &Upstreams,
        index: &Index,
        found: &Found,
        intent: &Intent,
    ) -> Result<Meant, StoreError> {
        let best: Vec<usize> = found.hits.iter().take(CHOICES_MAX).map(|hit| hit.entry).collect();
        Ok(match found.verdict {
            Verdict::One => match (best.first(), found.elsewhere) {
                (Some(best), Some(other)) => Meant::Several(vec![*best, other]),
                (best, _) => best.map_or(Meant::Nothing, |best| Meant::One(*best)),
            },
            Verdict::Several => {
                let filled = self.filled(upstreams, index, &near(index, found, RIVAL_SHARE), intent).await?;
                match (filled, in_use(index, &best).as_slice()) {
                    (Some(filled), _) => Meant::Filled(filled),
                    (None, [one]) => Meant::One(*one),
                    (None, several) => Meant::Several(several.to_vec()),
                }
            }
            Verdict::Nothing if found.trust >= FILLED_TRUST => {
                let filled = self.filled(upstreams, index, &near(index, found, RIVAL_SHARE), intent).await?;
                filled.map_or(Meant::Nothing, Meant::Filled)
            }
            Verdict::Nothing => Meant::Nothing,
        })
    }

    /// The one tool among these that only reads and of which the words hold values for all that it needs: the values are a second
    /// witness for it.
    async fn filled(
        &self,
        upstreams: &Upstreams,
        index: &Index,
        numbers: &[usize],
        intent: &Intent,
    ) -> Result<Option<usize>, StoreError> {
        let mut filled = None;
        for number in numbers {
            let reads = index.tool(*number).is_some_and(|(_, row)| row.effect == Effect::Reads && row.required > 0);
            let Some(made) = made(upstreams, index, &[*number]).await?.filter(|_| reads) else { continue };
            let template = made.ids.first().and_then(|id| Some((id, made.library.catalog.get(id.as_str())?)));
            let Some((id, template)) = template else { continue };
            let read = reading(&made, id, intent, index);
            let is_filled = !read.values.is_empty()
                && read.is_whole()
                && template.check(&read.values, &self.tenants.common().settings).is_ok();
            if is_filled && filled.replace(*number).is_some() {
                return Ok(None);
            }
        }
        Ok(filled)
    }

    /// The plan for the one tool that is meant.
    fn one(&self, made: &Made, intent: &Intent, caller: &Caller, values: BTreeMap<String, Value>) -> Plan {
        let known = made.ids.first().and_then(|id| made.library.catalog.get(id.as_str()));
        if let Some(error) = made.ids.first().and_then(|id| made.changed.get(id)) {
            return Plan::Nothing(Box::new(Report::failed(crate::new_run_id(), tool_failure(error))));
        }
        let Some(template) = known else {
            let (server, tool, needed) = match made.unwordable.first() {
                Some((server, tool, Unwordable { argument })) => (server.to_string(), tool.clone(), argument.clone()),
                None => (String::new(), String::new(), String::new()),
            };
            let message = format!("the tool `{server}: {tool}` fits, and needs what words cannot say: `{needed}`");
            let failure = Failure::new(Cause::NotFound, message);
            let failure = failure.with(Remedy::Tool(ToolAdvice::CallByName { server, tool }));
            return Plan::Nothing(Box::new(Report::failed(crate::new_run_id(), failure)));
        };
        self.complete(&made.library, template, values, intent, caller)
    }
}

/// The best tools that are in use, without those of less than `share` of the best's score.
fn near(index: &Index, found: &Found, share: f64) -> Vec<usize> {
    let best = found.hits.first().map_or(0.0, |hit| hit.score);
    let near = found.hits.iter().take(CHOICES_MAX).filter(|hit| hit.score >= best * share);
    in_use(index, &near.map(|hit| hit.entry).collect::<Vec<_>>())
}

/// The tools without those that their server calls deprecated, if any are left and are of that server.
fn in_use(index: &Index, numbers: &[usize]) -> Vec<usize> {
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

/// Whether a template was made for this tool.
fn is_of(id: &TemplateId, library: &Library, server: &ServerId, row: &ToolRow) -> bool {
    library.tools.get(id).is_some_and(|tool| *tool == shown(server, row))
}

fn shown(server: &ServerId, row: &ToolRow) -> String {
    format!("{server}: {}", row.name)
}

/// What the words of an intent say for a template.
fn reading(made: &Made, id: &TemplateId, intent: &Intent, index: &Index) -> ToolReading {
    let names = Names::default();
    let router = made.library.router(|_| true);
    let witness = router.witness(&known::question(intent, &names), &cards::id_of(id)).unwrap_or_default();
    let Some(template) = made.library.catalog.get(id.as_str()) else { return ToolReading::default() };
    let knows = |word: &str| made.numbers.get(id).is_some_and(|number| index.knows(*number, word));
    let is_given = |text: &str| intent.params.values().any(|given| given.holds(text));
    tool_reading::of(template, witness, &knows, &is_given)
}

/// That no tool fits either, and which servers were not asked.
fn none_fits(upstreams: &Upstreams, tools: usize) -> String {
    let message = format!("no template and none of {tools} tools fits this intent");
    match waiting(upstreams) {
        Some(waiting) => format!("{message}; {waiting}"),
        None => message,
    }
}

/// Which servers nobody has approved, so that their tools are no answer.
fn waiting(upstreams: &Upstreams) -> Option<String> {
    let waits = upstreams.servers().filter(|config| config.is_enabled && !upstreams.is_approved(config.id.as_str()));
    let names: Vec<String> = waits.map(|config| format!("`{}`", config.id)).collect();
    (!names.is_empty()).then(|| format!("nobody has approved the configured servers {}", names.join(", ")))
}

/// The report where a tool is likely meant, and a call of it would pass over what the words say.
fn passing_over(index: &Index, found: &Found, number: usize, reading: &ToolReading) -> Report {
    let tool = index.tool(number).map(|(server, row)| shown(server, row)).unwrap_or_default();
    let message = match reading.passed_over.as_slice() {
        [] => format!("the tool `{tool}` may be meant, which changes something, and this is a question"),
        words => format!("the tool `{tool}` may be meant, and takes nothing of: {}", words.join(", ")),
    };
    let failure = Failure::new(Cause::NotFound, message).with(Remedy::Choose);
    let best = found.hits.first().map_or(0.0, |hit| hit.score);
    let is_near = |hit: &&Hit| hit.entry == number || hit.score >= best * NEAR_SHARE;
    let mut near: Vec<_> = found.hits.iter().take(CHOICES_MAX).filter(is_near).collect();
    near.sort_by_key(|hit| hit.entry != number);
    let values = |entry: usize| if entry == number { reading.values.clone() } else { BTreeMap::new() };
    let candidates = near.iter().filter_map(|hit| candidate(index, hit.entry, hit.score, values(hit.entry))).collect();
    Report { candidates, ..Report::failed(crate::new_run_id(), failure) }
}

/// The templates of some tools: their definitions are read from what is kept. Nothing where none of them is there any more.
async fn made(upstreams: &Upstreams, index: &Index, numbers: &[usize]) -> Result<Option<Made>, StoreError> {
    let (mut templates, mut tools, mut ids, mut unwordable) = (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
    let (mut numbered, mut changed) = (BTreeMap::new(), BTreeMap::new());
    for number in numbers {
        let Some((server, row)) = index.tool(*number) else { continue };
        let record = upstreams.kept().definition(server.as_str(), &row.name).await?;
        let Some(record) = record.filter(|record| record.is_listed) else { continue };
        let definition = parse_value(&record.definition).unwrap_or_default();
        match tool_template::template_of(server, row, &definition) {
            Ok(template) if templates.iter().any(|other: &ToolTemplate| other.id == template.id) => {}
            Ok(template) => {
                if record.hash != record.approved_hash {
                    changed.insert(template.id.clone(), ToolError::changed(server, &record));
                }
                tools.insert(template.id.clone(), shown(server, row));
                numbered.insert(template.id.clone(), *number);
                ids.push(template.id.clone());
                templates.push(template);
            }
            Err(error) => unwordable.push((server.clone(), row.name.clone(), error)),
        }
    }
    let catalog = tool_template::catalog(&templates).unwrap_or_default();
    if ids.is_empty() && unwordable.is_empty() {
        return Ok(None);
    }
    Ok(Some(Made {
        library: Arc::new(Library::of_tools(Arc::new(catalog), tools)),
        ids,
        numbers: numbered,
        unwordable,
        changed,
    }))
}

fn candidate(index: &Index, number: usize, score: f64, values: BTreeMap<String, Value>) -> Option<Candidate> {
    let (template, summary) = match (index.template(number), index.tool(number)) {
        (Some(template), _) => (template.id(), template.summary()),
        (None, tool) => {
            let (server, row) = tool?;
            (&tool_template::id_of(server, row)?, row.summary.as_str())
        }
    };
    let (template, summary) = (template.to_string(), summary.to_owned());
    Some(Candidate { template, summary, score, values, missing: Vec::new(), takes: Vec::new() })
}

fn micros(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

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
