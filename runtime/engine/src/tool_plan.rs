//! Intents that no template answers: the tool of an upstream server that does, found without a model and loaded only then.
//!
//! The search says which tools may be meant, and [`crate::tool_choice`] which is. Definitions of those, and only theirs, are read, and
//! become templates ([`crate::tool_template`]); from there on everything is decided as for any template. What is not permitted, fails
//! or exhausts a limit is the answer, and nothing else is tried.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::future::BoxFuture;
use intentbox_catalog::Effects;
use intentbox_report::{Candidate, Cause, Failure, Remedy, Report, ToolAdvice};
use intentbox_router::Names;
use intentbox_search::{Found, Hit};
use intentbox_tools::{Effect, ServerConfig, StoreError, Upstreams};
use serde::Serialize;
use serde_json::Value;

use crate::caller::Caller;
use crate::found::{self, CLOSE_TRUST, Entry};
use crate::index::Index;
use crate::intent::Intent;
use crate::plan::{Plan, Which};
use crate::tool_choice::{CHOICES_MAX, Choice, Meant, NEAR_SHARE, in_use};
use crate::tool_failure::tool_failure;
use crate::tool_library::{Made, is_of, made, reading, shown};
use crate::tool_reading::ToolReading;
pub use crate::tool_template::HERE;
use crate::tool_template::Unwordable;
use crate::{Engine, known, offer};

/// The most parameters that are told of a tool that may be meant.
const TAKES_MAX: usize = 8;

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
    /// The template that would answer if its access were configured, where that keeps the first from being called.
    pub kept_for: Option<String>,
    /// How long the search took, in microseconds.
    pub search_us: u64,
    /// How long it took to read the definitions and values, in microseconds.
    pub read_us: u64,
}

impl Engine {
    /// Why an intent goes to the tool that it goes to.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub fn explain_tools<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Option<ToolRoute>, StoreError>> {
        Box::pin(async move {
            let Some((upstreams, index)) = self.index().await? else { return Ok(None) };
            if !self.routing.has_tools() || index.tools() == 0 {
                return Ok(None);
            }
            let begun = Instant::now();
            let found = index.find_tool(text);
            let search_us = micros(begun);
            // The step of the templates has done this, in a run.
            let out_of_reach = self.out_of_reach_of(text);
            let begun = Instant::now();
            let intent = Intent { text: text.to_owned(), ..Intent::default() };
            let choice = Choice {
                upstreams: &upstreams,
                index: &index,
                found: &found,
                intent: &intent,
                settings: &self.tenants.common().settings,
                has_template: out_of_reach.is_some(),
            };
            let meant = choice.meant().await?;
            let (verdict, first) = match &meant {
                Meant::One(number) | Meant::PassesOver(number) => ("one", Some(*number)),
                Meant::Filled(number) => ("filled", Some(*number)),
                Meant::Several(numbers) => ("several", numbers.first().copied()),
                Meant::KeptForTemplate(_) | Meant::Nothing => ("nothing", None),
            };
            let kept_for = out_of_reach.filter(|_| matches!(meant, Meant::KeptForTemplate(_)));
            let mut best: Vec<_> = found.hits.iter().filter(|hit| Some(hit.entry) == first).collect();
            best.extend(found.hits.iter().filter(|hit| Some(hit.entry) != first).take(CHOICES_MAX - best.len()));
            let numbers: Vec<usize> = best.iter().map(|hit| hit.entry).collect();
            let made = made(&upstreams, &index, &numbers).await?;
            let reading = made.and_then(|made| Some(reading(&made, made.ids.first()?, &intent, &index)));
            let ToolReading { values, passed_over, .. } = reading.unwrap_or_default();
            let best = best.iter().filter_map(|hit| found::entry(&index, hit.entry, hit.score));
            let (best, read_us) = (best.collect(), micros(begun));
            let (searched, trust) = (index.tools(), found.trust);
            Ok(Some(ToolRoute { searched, verdict, trust, best, values, passed_over, kept_for, search_us, read_us }))
        })
    }

    /// Plans a tool for an intent; `nothing` is the answer where none fits.
    pub(crate) async fn plan_tool(&self, intent: &Intent, caller: &Caller, mut nothing: Box<Report>) -> Plan {
        match self.tool_planned(intent, caller, &mut nothing).await {
            Ok(Some(plan)) => plan,
            Ok(None) => Plan::Nothing(nothing),
            Err(error) => {
                let failure = Failure::new(
                    Cause::Internal,
                    format!("the tools of upstream servers are not known now: {}", error.brief()),
                );
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
            if let (Some(waiting), Some(failure)) = (waiting(&upstreams, &index), &mut nothing.failure) {
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
            if let (Some(waiting), Some(failure)) = (waiting(&upstreams, &index), &mut nothing.failure) {
                failure.message = format!("{}; {waiting}", failure.message);
            }
            return Ok(None);
        }
        let found = index.find_tool(&intent.text);
        let remedy = nothing.failure.as_ref().and_then(|failure| failure.remedy.as_ref());
        let choice = Choice {
            upstreams: &upstreams,
            index: &index,
            found: &found,
            intent,
            settings: &self.tenants.common().settings,
            has_template: matches!(remedy, Some(Remedy::Configure { .. })),
        };
        let (numbers, is_called) = match choice.meant().await? {
            Meant::One(number) | Meant::Filled(number) => (vec![number], true),
            Meant::PassesOver(number) => {
                let Some(made) = made(&upstreams, &index, &[number]).await? else { return Ok(None) };
                *nothing = passing_over(&index, &found, number, &made, intent);
                return Ok(None);
            }
            // Who wants the tool can name it.
            Meant::KeptForTemplate(number) => {
                nothing.candidates.extend(candidate(&index, number, found.trust, BTreeMap::new()));
                return Ok(None);
            }
            Meant::Several(numbers) => (numbers, false),
            Meant::Nothing => {
                if nothing.candidates.is_empty() {
                    nothing.candidates = self.closest(&index, &intent.text);
                }
                if let Some(failure) = &mut nothing.failure {
                    failure.message = none_fits(&upstreams, &index);
                }
                return Ok(None);
            }
        };
        let Some(made) = made(&upstreams, &index, &numbers).await? else { return Ok(None) };
        if made.ids.is_empty() || is_called {
            let read = made.ids.first().map(|id| reading(&made, id, intent, &index));
            return Ok(Some(self.one(&made, intent, caller, read.unwrap_or_default().values)));
        }
        let score = |number: usize| found.hits.iter().find(|hit| hit.entry == number).map_or(0.0, |hit| hit.score);
        let candidates = numbers.iter().filter_map(|number| {
            let (server, row) = index.tool(*number)?;
            let id = made.ids.iter().find(|id| is_of(id, &made.library, server, row))?;
            candidate(&index, *number, score(*number), reading(&made, id, intent, &index).values)
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let message = match found.elsewhere {
            _ if candidates.len() == 1 => "one tool may be meant, and that is not sure enough to call it",
            Some(_) => "tools of two servers answer this intent",
            None => "several tools fit this intent about equally well",
        };
        let message = match waiting(&upstreams, &index) {
            Some(waiting) => format!("{message}; {waiting}"),
            None => message.to_owned(),
        };
        let failure = Failure::new(Cause::Ambiguous, message).with(Remedy::Choose);
        let report = Report { candidates, ..Report::failed(crate::new_run_id(), failure) };
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
        self.complete(&made.library, template, values, intent, caller, &[])
    }
}

/// That no tool fits either, and which servers were not asked.
fn none_fits(upstreams: &Upstreams, index: &Index) -> String {
    let message = format!("no template and none of {} tools fits this intent", index.tools());
    match waiting(upstreams, index) {
        Some(waiting) => format!("{message}; {waiting}"),
        None => message,
    }
}

/// Which servers' tools are no answer so far: nobody has approved those, or their tools are not known yet.
fn waiting(upstreams: &Upstreams, index: &Index) -> Option<String> {
    let enabled = upstreams.servers().filter(|config| config.is_enabled);
    let (approved, waits): (Vec<_>, Vec<_>) = enabled.partition(|config| upstreams.is_approved(config.id.as_str()));
    let unknown: Vec<_> = approved.into_iter().filter(|config| !index.has_listed(&config.id)).collect();
    let names = |configs: &[&ServerConfig]| -> String {
        let names: Vec<String> = configs.iter().map(|config| format!("`{}`", config.id)).collect();
        names.join(", ")
    };
    let waits = (!waits.is_empty()).then(|| format!("nobody has approved the configured servers {}", names(&waits)));
    let unknown = (!unknown.is_empty())
        .then(|| format!("the tools of {} are not known so far, see `intentbox tools list`", names(&unknown)));
    let told: Vec<String> = waits.into_iter().chain(unknown).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The report where a tool is likely meant, and a call of it would pass over what the words say.
fn passing_over(index: &Index, found: &Found, number: usize, made: &Made, intent: &Intent) -> Report {
    let reading = made.ids.first().map(|id| reading(made, id, intent, index)).unwrap_or_default();
    let tool = index.tool(number).map(|(server, row)| shown(server, row)).unwrap_or_default();
    let message = match reading.passed_over.as_slice() {
        [] => format!("the tool `{tool}` may be meant, which changes something, and this is a question"),
        words => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("the tool `{tool}` may be meant, and none of its arguments was found for {}", words.join(", "))
        }
    };
    let failure = Failure::new(Cause::NotFound, message).with(Remedy::Choose);
    let best = found.hits.first().map_or(0.0, |hit| hit.score);
    let is_near = |hit: &&Hit| hit.entry == number || hit.score >= best * NEAR_SHARE;
    let used = in_use(index, &found.hits.iter().map(|hit| hit.entry).collect::<Vec<_>>());
    let is_used = |hit: &&Hit| hit.entry == number || used.contains(&hit.entry);
    let mut near: Vec<_> = found.hits.iter().filter(is_near).filter(is_used).take(CHOICES_MAX).collect();
    near.sort_by_key(|hit| hit.entry != number);
    let values = |entry: usize| if entry == number { reading.values.clone() } else { BTreeMap::new() };
    let candidates = near.iter().filter_map(|hit| candidate(index, hit.entry, hit.score, values(hit.entry)));
    let mut candidates: Vec<Candidate> = candidates.collect();
    if let Some(first) = candidates.first_mut() {
        let names = Names::default();
        first.takes = offer::takes(&made.library, &known::question(intent, &names), &intent.params, first);
        first.takes.truncate(TAKES_MAX);
    }
    Report { candidates, ..Report::failed(crate::new_run_id(), failure) }
}

fn candidate(index: &Index, number: usize, score: f64, values: BTreeMap<String, Value>) -> Option<Candidate> {
    let (template, summary, writes) = match (index.template(number), index.tool(number)) {
        (Some(template), _) => (template.id().to_string(), template.summary(), template.effects() == Effects::Write),
        (None, tool) => {
            let (server, row) = tool?;
            (index.called(server, row).to_string(), row.summary.as_str(), row.effect != Effect::Reads)
        }
    };
    let summary = summary.to_owned();
    Some(Candidate { template, summary, score, values, writes, ..Candidate::default() })
}

fn micros(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}
