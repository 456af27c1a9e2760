//! Work that grows with the size of a message: beside the thread that serves everybody, and of each principal in turn.
//!
//! A message of 4 MiB takes some tens of milliseconds to look through. Whoever sends many of them waits for their own, and
//! for nobody else's: their bodies are taken in few at a time, and looked through one at a time.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use intentbox_engine::Principal;

/// What is done where it comes up, in bytes: less than a millisecond of work. A script and its parameters are mostly less.
pub(crate) const AT_ONCE_BYTES: usize = 64 << 10;

/// The most large bodies of one principal that are held until they are looked through. With 4 MiB each, that is 32 MiB for
/// each principal.
const HELD_MAX: usize = 8;

/// Whose turn it is. A principal is never forgotten: there are no more than tokens.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    known: Mutex<BTreeMap<Principal, Turn>>,
}

/// The turns of one principal.
#[derive(Debug, Clone)]
struct Turn {
    held: Arc<Semaphore>,
    reading: Arc<Semaphore>,
}

/// A place for a large body. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    turn: Turn,
    _place: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Waits for a place for a large body of this principal.
    pub(crate) async fn hold(&self, principal: &Principal) -> Held {
        let turn = self.of(principal);
        // The semaphores are never closed.
        let place = Arc::clone(&turn.held).acquire_owned().await.ok();
        Held { turn, _place: place }
    }

    fn of(&self, principal: &Principal) -> Turn {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Turn { held: Arc::new(Semaphore::new(HELD_MAX)), reading: Arc::new(Semaphore::new(1)) };
        known.entry(principal.clone()).or_insert_with(new).clone()
    }
}

impl Held {
    /// Does work on the body, after what the same principal has under way.
    pub(crate) async fn read<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let place = Arc::clone(&self.turn.reading).acquire_owned().await.ok();
        aside(move || {
            // Work that nobody waits for any more ends all the same, and the next begins after it.
            let _place = place;
            work()
        })
        .await
    }
}

/// Does work on a text of this length: short ones here, long ones on a thread beside.
pub(crate) async fn beside<T: Send + 'static>(length: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if length <= AT_ONCE_BYTES { work() } else { aside(work).await }
}

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The program ends, and nobody waits for this.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        runtime.block_on(work)
    }

    /// Whether a piece of work is not done when it is looked at once.
    async fn waits<T>(work: &mut (impl Future<Output = T> + Unpin)) -> bool {
        tokio::select! {
            biased;
            _ = work => false,
            () = std::future::ready(()) => true,
        }
    }

    #[test]
    fn c10_a_principal_holds_few_large_bodies_and_leaves_the_others_theirs() {
        let turns = Turns::default();
        let (first, second) = (Principal::named("first"), Principal::named("second"));
        run(async {
            let mut held = Vec::new();
            for _ in 0..HELD_MAX {
                held.push(turns.hold(&first).await);
            }
            let mut next = Box::pin(turns.hold(&first));
            assert!(waits(&mut next).await, "one more");
            turns.hold(&second).await;
            held.pop();
            next.await;
        });
    }

    #[test]
    fn c10_of_one_principal_one_body_is_read_at_a_time() {
        let turns = Turns::default();
        let (first, second) = (Principal::named("first"), Principal::named("second"));
        let under_way = Arc::new(AtomicUsize::new(0));
        run(async {
            let (release, until) = channel::<()>();
            let mine = turns.hold(&first).await;
            let mut reading = Box::pin(mine.read(move || until.recv()));
            assert!(waits(&mut reading).await);
            let counted = Arc::clone(&under_way);
            let also_mine = turns.hold(&first).await;
            let mut waiting = Box::pin(also_mine.read(move || counted.fetch_add(1, Ordering::SeqCst)));
            assert!(waits(&mut waiting).await);
            let counted = Arc::clone(&under_way);
            turns.hold(&second).await.read(move || counted.fetch_add(1, Ordering::SeqCst)).await;
            assert!(waits(&mut waiting).await);
            assert_eq!(under_way.load(Ordering::SeqCst), 1, "the other principal's was read meanwhile");
            release.send(()).expect("it waits");
            reading.await.expect("it was released");
            assert_eq!(waiting.await, 1);
        });
    }
}
