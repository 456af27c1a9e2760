//! A limit on blocking work, which runs on threads of its own: a few pieces at a time, each counted until it ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

/// How many listings run at a time. A listing holds up to four descriptors and looks at up to 100,000 entries, which is
/// seconds of a slow disk: twice as many would only share the same disk.
const PERMITS: usize = 4;

/// The permits for blocking work. Cloning is cheap and shares them.
#[derive(Debug, Clone)]
pub(crate) struct BlockingLimit {
    permits: Arc<Semaphore>,
}

impl Default for BlockingLimit {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(PERMITS)) }
    }
}

/// Whether the caller of the work has gone.
#[derive(Debug)]
pub(crate) struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels the work when it is dropped, which happens with the future of the caller.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl BlockingLimit {
    /// Runs the work once a permit is free. Work cannot be stopped from outside: if the caller goes away, the work keeps
    /// its permit until it notices the cancellation.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cancellation) -> T + Send + 'static,
    ) -> io::Result<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?;
        let cancel = CancelOnDrop(Arc::new(AtomicBool::new(false)));
        let cancellation = Cancellation(Arc::clone(&cancel.0));
        let done = off_thread(move || {
            let _permit = permit;
            work(&cancellation)
        })
        .await;
        drop(cancel);
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
    async fn poll_once_and_drop(future: impl Future) {
        tokio::select! {
            biased;
            _ = future => panic!("it was to wait"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn e17_work_whose_caller_is_gone_keeps_its_permit_until_it_ends() {
        let limit = BlockingLimit::default();
        let (go_on, waits) = mpsc::channel::<()>();
        let (tell, told) = tokio::sync::oneshot::channel();
        poll_once_and_drop(limit.run(move |cancellation| {
            waits.recv().expect("the test goes on");
            tell.send(cancellation.is_cancelled()).expect("the test waits");
        }))
        .await;
        assert_eq!(limit.permits.available_permits(), PERMITS - 1);
        go_on.send(()).expect("the work waits");
        assert!(told.await.expect("the work tells"), "it sees that its caller has gone");
        let all = u32::try_from(PERMITS).expect("a small number");
        limit.permits.acquire_many(all).await.expect("the permit is released").forget();
    }

    #[tokio::test]
    async fn e17_a_few_work_at_a_time_and_the_next_when_one_has_ended() {
        let limit = BlockingLimit::default();
        let held = u32::try_from(PERMITS).expect("a small number");
        let held = limit.permits.acquire_many(held).await.expect("all are free");
        poll_once_and_drop(limit.run(Cancellation::is_cancelled)).await;
        drop(held);
        assert!(!limit.run(Cancellation::is_cancelled).await.expect("it works"));
    }
}
