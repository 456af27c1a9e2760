//! Runs a plan: the cache, the sandbox, the broker, and the report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use intentbox_catalog::{Effects, Template};
use intentbox_egress::Budget;
use intentbox_report::{Cause, Failure, Mended, Remedy, Report, Spent};
use intentbox_sandbox::{Author, Job, Overloaded, RunError, Script, SharedResource, Tenancy};

use crate::Engine;
use crate::broker::{Broker, Noting};
use crate::cache::Question;
use crate::caller::{Caller, Purpose};
use crate::ended::{HostRecord, of_run};
use crate::events::{Event, Events, Of};
use crate::library::Library;
use crate::pending::Pending;
use crate::plan::{Plan, Run, Work};
use crate::result_check;

impl Engine {
    /// Runs a plan that is ready, and reports why any other cannot run.
    pub fn answer<'a>(&'a self, plan: Plan, caller: &'a Caller, events: &'a Arc<dyn Events>) -> BoxFuture<'a, Report> {
        Box::pin(async move {
            match plan.ready() {
                Ok(run) => self.run(run, caller, events).await,
                Err(report) => {
                    events.note(Of::request(report.run_id, caller), Event::Ended { report: &report });
                    *report
                }
            }
        })
    }

    /// Executes a run. Dropping the future ends it within milliseconds.
    pub fn run<'a>(&'a self, run: Box<Run>, caller: &'a Caller, events: &'a Arc<dyn Events>) -> BoxFuture<'a, Report> {
        Box::pin(async move {
            let of = Of::request(run.id, caller);
            events.note(of, Event::Planned { target: &run.target });
            let pending = Pending::of_run(run.id, &run.target, caller, events);
            let report = match &run.work {
                Work::Code => self.sandboxed(&run, &run.script, caller, Author::Owner, events).await.0,
                Work::Template { library, id, .. } => match library.catalog.get(id.as_str()) {
                    Some(template) => Box::pin(self.run_template(&run, library, template, caller, events)).await,
                    None => {
                        Report::failed(run.id, Failure::new(Cause::Internal, format!("`{id}` has left its catalog")))
                    }
                },
            };
            let window = run.window();
            let mended = run
                .heard
                .mended
                .iter()
                .map(|(said, meant)| Mended { said: said.clone(), meant: meant.clone() })
                .collect();
            let mut report = report;
            if let Some(failure) = &mut report.failure {
                caller.ceilings.bound(failure);
            }
            let target = Some(run.target.clone());
            let mode = matches!(run.work, Work::Template { .. }).then(|| self.routing.shown());
            let inferred = run.inferred.clone();
            let report = Report {
                target,
                arguments: run.arguments(),
                chosen: run.chosen(),
                window,
                mended,
                passed_over: run.heard.passed_over.clone(),
                inferred,
                mode,
                ..report
            };
            // Words that one client chose would choose tools for another, who could tell what was said.
            let is_local = caller.principal.name().is_none();
            if let (None, Some(words), Some(tool)) = (&report.failure, &run.learns, run.target.tool())
                && is_local
            {
                self.learn_words(tool, words).await;
            }
            if !report.stdout.is_empty() || !report.stderr.is_empty() {
                let output = Event::Output { stdout_bytes: report.stdout.len(), stderr_bytes: report.stderr.len() };
                events.note(of, output);
            }
            pending.end();
            events.note(of, Event::Ended { report: &report });
            report
        })
    }

    async fn run_template(
        &self,
        run: &Run,
        library: &Library,
        template: &Template,
        caller: &Caller,
        events: &Arc<dyn Events>,
    ) -> Report {
        let once = || async {
            // Two runs of one job burn the same fuel, whatever has run before.
            let compiled = match (run.deterministic, self.sandbox().await) {
                (None, Ok(sandbox)) => library.bytecode.compiled(template.pack(), &run.script, sandbox).await,
                _ => None,
            };
            let script = compiled.as_ref().unwrap_or(&run.script);
            let (report, tenancy) = self.sandboxed(run, script, caller, Author::Operator, events).await;
            (result_check::checked(template, report), tenancy)
        };
        if template.cache_s() == 0 || run.deterministic.is_some() {
            let (report, _) = once().await;
            // Also after a failure: what it changed before it failed is changed.
            if template.effects() == Effects::Write {
                self.cache.forget_all();
            }
            return report;
        }
        // The grants are known before the cache is asked: what is no longer permitted is not served either.
        let access = run.grants.access();
        let question = Question {
            principal: caller.principal.as_str(),
            template_digest: template.digest(),
            arguments: &run.params,
            grant: &access.lines(),
            secrets: &self.secret_versions(&template.wants().http, caller),
        };
        let key = self.cache.key(&question);
        if caller.purpose == Purpose::Measure {
            self.cache.forget(key).await;
        }
        let report = self.cache.answer(key, template.cache_s(), run.id, once).await;
        Report { access: Some(access), ..report }
    }

    /// Runs a script under the grants of a run. Also returns whose code the process has run.
    async fn sandboxed(
        &self,
        run: &Run,
        script: &Script,
        caller: &Caller,
        author: Author,
        events: &Arc<dyn Events>,
    ) -> (Report, Tenancy) {
        let sandbox = match self.sandbox().await {
            Ok(sandbox) => sandbox,
            Err(error) => return (Report::failed(run.id, broken(error.to_string())), Tenancy::Shared),
        };
        events.note(Of::request(run.id, caller), Event::Started);
        let (limits, deterministic) = (run.limits, run.deterministic);
        let owner = self.owner(&caller.principal);
        let reserves_memory = run.reserves_memory;
        let job = Job { script, params: &run.params, limits, deterministic, owner, author, reserves_memory };
        let budget = Budget { run: Duration::from_millis(limits.wall_ms), ..Budget::default() };
        let trace = caller.trace.as_ref().map(|trace| trace.within(run.id));
        let handles = self.opened.handles(
            &run.grants,
            &self.tenants.of(&caller.principal).egress,
            budget,
            self.catalog(),
            trace.as_ref(),
        );
        let noting = Noting::new(run.id, caller.clone(), Arc::clone(events));
        let broker = Broker::new(handles, run.requester.clone(), self.opened.directories.clone(), noting);
        let broker = Arc::new(broker);
        let started = Instant::now();
        let ended = sandbox.run(job, Arc::clone(&broker) as Arc<_>).await;
        let tenancy = ended.as_ref().map_or(Tenancy::Shared, |ended| ended.tenancy);
        let report = match ended {
            Ok(ended) => {
                let record = HostRecord {
                    refusals: broker.refusals(),
                    spent: broker.spent(),
                    error_status: broker.error_status(),
                    unreachable: broker.unreachable(),
                    tool_failure: broker.tool_failure(),
                };
                // A template says itself how much of a list it shows.
                let unread = if matches!(run.work, Work::Code) { broker.unread() } else { None };
                Report { unread, ..of_run(run.id, ended, record) }
            }
            // How much it computed is not known. Its calls are: they tell whether it may have changed something.
            Err(error) => {
                let wall_ms = started.elapsed().as_secs_f64() * 1e3;
                let spent = Some(Spent { wall_ms, ..broker.spent() });
                Report { refusals: broker.refusals(), spent, ..Report::failed(run.id, not_run(&error)) }
            }
        };
        (Report { access: Some(run.grants.access()), calls: broker.tool_calls(), ..report }, tenancy)
    }
}

/// Why the machine could not complete a run.
fn not_run(error: &RunError) -> Failure {
    let (cause, remedy) = match error {
        RunError::ParamsTooLarge { .. } => (Cause::Input, Remedy::ShrinkInput),
        RunError::Overloaded(Overloaded { resource: SharedResource::MoreMemoryBytes, .. }) => {
            (Cause::MemoryTaken, Remedy::Retry)
        }
        RunError::Overloaded(_) => (Cause::Overloaded, Remedy::Retry),
        RunError::WorkerLost { .. } => (Cause::WorkerLost, Remedy::CheckBeforeRetry),
        RunError::Internal { .. } => return broken(error.to_string()),
    };
    Failure::new(cause, error.to_string()).with(remedy)
}

fn broken(message: String) -> Failure {
    Failure::new(Cause::Internal, message).with(Remedy::ReportFault)
}
