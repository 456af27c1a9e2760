//! A request that has not ended. If its caller drops it, it ends as cancelled, and where a fault of this program drops it, as that.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use intentbox_report::{Cause, Failure, Report, RunId, Target};

use crate::caller::Caller;
use crate::events::{Event, Events, Of};
use crate::plan::Plan;

/// A request from its intake on, until its report is there. Dropping it notes [`Event::Ended`] with the outcome `cancelled`:
/// nobody else notes the end of a request whose future is dropped, be it while names are fetched, while the user is asked
/// or while its script runs. [`Pending::end`] ends it without an event, for whoever notes the end.
#[must_use = "a request that is dropped ends as cancelled"]
pub struct Pending<'a> {
    caller: &'a Caller,
    events: &'a Arc<dyn Events>,
    run_id: RunId,
    target: Option<Target>,
    has_run: bool,
    is_open: bool,
}

impl fmt::Debug for Pending<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run_id, target, has_run, is_open, .. } = self;
        let mut shown = formatter.debug_struct("Pending");
        shown.field("run_id", run_id).field("target", target).field("has_run", has_run).field("is_open", is_open);
        shown.finish_non_exhaustive()
    }
}

impl<'a> Pending<'a> {
    /// A request of which nothing is planned yet.
    pub fn new(caller: &'a Caller, events: &'a Arc<dyn Events>) -> Self {
        Self { caller, events, run_id: crate::new_run_id(), target: None, has_run: false, is_open: true }
    }

    /// A run that starts.
    pub(crate) fn of_run(run_id: RunId, target: &Target, caller: &'a Caller, events: &'a Arc<dyn Events>) -> Self {
        Self { caller, events, run_id, target: Some(target.clone()), has_run: true, is_open: true }
    }

    /// The request has this plan from here on: its id and its target are those of the plan.
    pub fn planned(&mut self, plan: &Plan) {
        self.run_id = plan.run_id();
        self.target = plan.target().cloned();
    }

    /// The request ends otherwise.
    pub fn end(mut self) {
        self.is_open = false;
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let is_fault = std::thread::panicking();
        let (cause, message) = match self.has_run {
            _ if is_fault => (Cause::Internal, "a fault of this program ended it"),
            true => (Cause::Cancelled, "the caller has gone, and the run was ended"),
            false => (Cause::Cancelled, "the caller has gone, and nothing was run"),
        };
        let report = Report { target: self.target.take(), ..Report::failed(self.run_id, Failure::new(cause, message)) };
        let note = || self.events.note(Of::request(self.run_id, self.caller), Event::Ended { report: &report });
        if is_fault {
            // A second fault would end the process.
            let _ = catch_unwind(AssertUnwindSafe(note));
        } else {
            note();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// The outcome, the message and the template of each request that ended.
    #[derive(Default)]
    struct Ends(Mutex<Vec<(&'static str, String, Option<String>)>>);

    impl Events for Ends {
        fn note(&self, _: Of<'_>, event: Event<'_>) {
            let Event::Ended { report } = event else { panic!("{event:?} is no end") };
            let message = report.failure.as_ref().map(|failure| failure.message.clone()).unwrap_or_default();
            let template = report.target.as_ref().and_then(Target::template).map(str::to_owned);
            let ends = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            ends.push((report.outcome().terms().name, message, template));
        }
    }

    #[test]
    fn a_request_that_is_dropped_ends_as_cancelled_once_and_one_that_ends_does_not() {
        let (ends, caller) = (Arc::new(Ends::default()), Caller::local());
        let events: Arc<dyn Events> = Arc::clone(&ends) as Arc<_>;
        let target = Target::Template { id: "a/b".to_owned(), digest: String::new(), tool: None };
        drop(Pending::new(&caller, &events));
        Pending::new(&caller, &events).end();
        drop(Pending::of_run(RunId::of(7), &target, &caller, &events));
        Pending::of_run(RunId::of(7), &target, &caller, &events).end();
        let ended =
            |message: &str, template: Option<&str>| ("cancelled", message.to_owned(), template.map(str::to_owned));
        assert_eq!(
            *ends.0.lock().unwrap_or_else(PoisonError::into_inner),
            [
                ended("the caller has gone, and nothing was run", None),
                ended("the caller has gone, and the run was ended", Some("a/b")),
            ]
        );
    }
}
