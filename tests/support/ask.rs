//! Plans and runs in one call, as surfaces do, without events.

use std::sync::Arc;

use intentbox_engine::{Caller, Code, Engine, Events, Intent, NoEvents, Report};

fn no_events() -> Arc<dyn Events> {
    Arc::new(NoEvents)
}

/// Answers an intent.
pub(crate) async fn intent(engine: &Engine, intent: &Intent, caller: &Caller) -> Report {
    engine.answer(engine.plan(intent, caller).await, caller, &no_events()).await
}

/// Runs code.
pub(crate) async fn code(engine: &Engine, code: &Code, caller: &Caller) -> Report {
    match engine.plan_code(code, caller) {
        Ok(run) => engine.run(run, caller, &no_events()).await,
        Err(report) => *report,
    }
}
