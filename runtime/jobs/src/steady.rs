//! Tasks that go on for as long as a server does.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

/// The pause before a task begins anew.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs a task to its end, and begins it anew whenever a fault of this program ended it: schedules that stop without a word are worse
/// than a line in the log each second. Dropping it ends the task.
pub async fn steadily<F: Future<Output = ()> + Send + 'static>(begin: impl Fn() -> F) {
    after_pauses(PAUSE, begin).await;
}

async fn after_pauses<F: Future<Output = ()> + Send + 'static>(pause: Duration, begin: impl Fn() -> F) {
    loop {
        let mut task = JoinSet::new();
        task.spawn(begin());
        match task.join_next().await {
            Some(Err(error)) if error.is_panic() => sleep(pause).await,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_task_begins_anew_after_a_panic_and_not_after_its_end() {
        let begun = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&begun);
        let task = move || {
            let number = count.fetch_add(1, Ordering::SeqCst);
            async move { assert!(number == 2, "this fault is a part of the test") }
        };
        after_pauses(Duration::ZERO, task).await;
        assert_eq!(begun.load(Ordering::SeqCst), 3);
    }
}
