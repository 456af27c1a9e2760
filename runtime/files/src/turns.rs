//! A limit on slow work on threads of its own: a few pieces at a time, each counted until it really ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

/// How many listings run at a time. A listing holds up to four descriptors and looks at up to 100,000 entries, which is
/// seconds of a slow disk: twice as many would only share the same disk.
const AT_ONCE: usize = 4;

/// The turns that are free. Cloning is cheap and shares them.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    free: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// Whether somebody still waits for the work.
#[derive(Debug)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Dropped with the future that waits.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Turns {
    /// Runs the work once a turn is free. Work cannot be stopped from outside: if the caller goes away, the work keeps
    /// its turn until it notices that nobody waits for it.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Wanted) -> T + Send + 'static,
    ) -> io::Result<T> {
        let turn = Arc::clone(&self.free).acquire_owned().await.map_err(io::Error::other)?;
        let waiting = Waiting(Arc::new(AtomicBool::new(true)));
        let wanted = Wanted(Arc::clone(&waiting.0));
        let done = off_thread(move || {
            let _turn = turn;
            work(&wanted)
        })
        .await;
        drop(waiting);
        done
    }
}

/// Runs the work off the thread that runs the guest, since a disk may be slow.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Polls `future` once and drops it.
    async fn begin_and_walk_away(future: impl Future) {
        tokio::select! {
            biased;
            _ = future => panic!("it was to wait"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn e17_work_whose_caller_is_gone_keeps_its_turn_until_it_ends() {
        let turns = Turns::default();
        let (go_on, waits) = mpsc::channel::<()>();
        let (tell, told) = tokio::sync::oneshot::channel();
        begin_and_walk_away(turns.work(move |wanted| {
            waits.recv().expect("the test goes on");
            tell.send(wanted.is_wanted()).expect("the test waits");
        }))
        .await;
        assert_eq!(turns.free.available_permits(), AT_ONCE - 1);
        go_on.send(()).expect("the work waits");
        assert!(!told.await.expect("the work tells"), "it sees that nobody wants it");
        let all = u32::try_from(AT_ONCE).expect("a small number");
        turns.free.acquire_many(all).await.expect("the turn is given back").forget();
    }

    #[tokio::test]
    async fn e17_a_few_work_at_a_time_and_the_next_when_one_has_ended() {
        let turns = Turns::default();
        let held = u32::try_from(AT_ONCE).expect("a small number");
        let held = turns.free.acquire_many(held).await.expect("all are free");
        begin_and_walk_away(turns.work(Wanted::is_wanted)).await;
        drop(held);
        assert!(turns.work(Wanted::is_wanted).await.expect("it works"));
    }
}
