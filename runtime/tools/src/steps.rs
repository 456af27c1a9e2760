//! How discoveries of this process go on, for everybody who wants to know.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use intentbox_capability::ServerId;
use tokio::sync::broadcast;

use crate::discovery::Progress;

/// How many steps are kept for a subscriber who reads slowly. After that the oldest are lost.
const STEPS_MAX: usize = 256;

/// A step of the discovery of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The server.
    pub server: ServerId,
    /// How far its discovery is.
    pub progress: Progress,
}

/// The discoveries that go on, and who is told about them.
#[derive(Debug)]
pub(crate) struct Steps {
    current: Mutex<BTreeMap<ServerId, Progress>>,
    subscribers: broadcast::Sender<Step>,
}

/// One discovery. It has ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Discovery<'a> {
    steps: &'a Steps,
    server: &'a ServerId,
}

impl Default for Steps {
    fn default() -> Self {
        Self { current: Mutex::default(), subscribers: broadcast::channel(STEPS_MAX).0 }
    }
}

impl Steps {
    pub(crate) fn begin<'a>(&'a self, server: &'a ServerId) -> Discovery<'a> {
        Discovery { steps: self, server }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Step> {
        self.subscribers.subscribe()
    }

    pub(crate) fn current(&self) -> BTreeMap<ServerId, Progress> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Discovery<'_> {
    pub(crate) fn note(&self, progress: Progress) {
        let mut current = self.steps.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.insert(self.server.clone(), progress);
        drop(current);
        // Nobody may listen.
        let _ = self.steps.subscribers.send(Step { server: self.server.clone(), progress });
    }
}

impl Drop for Discovery<'_> {
    fn drop(&mut self) {
        let mut current = self.steps.current.lock().unwrap_or_else(PoisonError::into_inner);
        let last = current.remove(self.server);
        drop(current);
        // A discovery that was given up has not come to an end of its own.
        if !matches!(last, None | Some(Progress::Complete { .. } | Progress::Failed)) {
            let _ = self.steps.subscribers.send(Step { server: self.server.clone(), progress: Progress::Failed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subscriber_is_told_each_step_and_the_end_also_of_what_was_given_up() {
        let steps = Steps::default();
        let server: ServerId = "git".parse().expect("an id");
        let mut subscribers = [steps.subscribe(), steps.subscribe()];
        let discovery = steps.begin(&server);
        discovery.note(Progress::Connecting);
        discovery.note(Progress::Discovering(3));
        assert_eq!(steps.current(), BTreeMap::from([(server.clone(), Progress::Discovering(3))]));
        drop(discovery);
        assert_eq!(steps.current(), BTreeMap::new());
        for told in &mut subscribers {
            let step = |progress| Ok(Step { server: server.clone(), progress });
            assert_eq!(told.try_recv(), step(Progress::Connecting));
            assert_eq!(told.try_recv(), step(Progress::Discovering(3)));
            assert_eq!(told.try_recv(), step(Progress::Failed));
            assert!(told.try_recv().is_err());
        }
        let discovery = steps.begin(&server);
        discovery.note(Progress::Complete { tools: 3, rejected: 0 });
        drop(discovery);
        assert_eq!(
            subscribers[0].try_recv().map(|step| step.progress),
            Ok(Progress::Complete { tools: 3, rejected: 0 })
        );
        assert!(subscribers[0].try_recv().is_err());
    }
}
