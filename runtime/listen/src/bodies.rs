//! Large bodies: work that grows with their size runs off the serving thread, one body of each principal at a time.
//!
//! Inspecting a body of 4 MiB takes some tens of milliseconds. A principal that sends many of them delays only itself:
//! few of its bodies are in memory at a time, and one is inspected at a time.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, to_bytes};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use futures_util::stream::unfold;
use intentbox_report::Principal;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The longest text that is processed in place, in bytes: less than a millisecond of work. Most scripts with their
/// parameters are shorter.
pub const INLINE_BYTES_MAX: usize = 64 << 10;

/// The most large bodies of one principal in memory until they are inspected. With 4 MiB each, that is 32 MiB for each
/// principal.
const HELD_MAX: usize = 8;

/// The large bodies of each principal. Clones count together. A principal is never forgotten: there are no more than tokens.
#[derive(Debug, Clone, Default)]
pub struct LargeBodies {
    principals: Arc<Mutex<BTreeMap<Principal, Permits>>>,
}

/// What one principal may do at a time.
#[derive(Debug, Clone)]
struct Permits {
    held: Arc<Semaphore>,
    reading: Arc<Semaphore>,
}

/// A permit for one large body in memory. Dropping it releases it.
#[derive(Debug)]
pub struct BodyPermit {
    permits: Permits,
    _held: Option<OwnedSemaphorePermit>,
}

impl LargeBodies {
    /// Waits for a permit for a large body of this principal.
    pub async fn acquire(&self, principal: &Principal) -> BodyPermit {
        let permits = self.of(principal);
        // The semaphores are never closed.
        let held = Arc::clone(&permits.held).acquire_owned().await.ok();
        BodyPermit { permits, _held: held }
    }

    fn of(&self, principal: &Principal) -> Permits {
        let mut principals = self.principals.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Permits { held: Arc::new(Semaphore::new(HELD_MAX)), reading: Arc::new(Semaphore::new(1)) };
        principals.entry(principal.clone()).or_insert_with(new).clone()
    }
}

impl BodyPermit {
    /// Processes the body on another thread, after the same principal's earlier bodies.
    pub async fn read<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let reading = Arc::clone(&self.permits.reading).acquire_owned().await.ok();
        on_another_thread(move || {
            // Work whose caller has gone ends all the same, and the next begins after it.
            let _reading = reading;
            work()
        })
        .await
    }
}

/// An answer with a permit, which a large one holds until its client has read nearly all of it: whoever reads nothing keeps few of them
/// in memory.
pub async fn held(response: Response, permit: BodyPermit) -> Response {
    let (mut parts, body) = response.into_parts();
    // It is in memory already.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if bytes.len() <= INLINE_BYTES_MAX {
        return Response::from_parts(parts, Body::from(bytes));
    }
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    let pieces = unfold((bytes, permit), |(mut rest, permit)| async move {
        let piece = rest.split_to(rest.len().min(INLINE_BYTES_MAX));
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (rest, permit)))
    });
    Response::from_parts(parts, Body::from_stream(pieces))
}

/// Processes a text of this length, in bytes: in place up to [`INLINE_BYTES_MAX`], on another thread beyond.
pub async fn offload<T: Send + 'static>(length: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if length <= INLINE_BYTES_MAX { work() } else { on_another_thread(work).await }
}

async fn on_another_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
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
    fn a05_a_principal_that_reads_nothing_holds_few_large_answers() {
        let (answers, alice) = (LargeBodies::default(), Principal::named("alice"));
        let answer = |length: usize| Response::new(Body::from(vec![b'x'; length]));
        run(async {
            let mut unread = Vec::new();
            for _ in 0..HELD_MAX {
                // A small one is gone with its handler.
                let small = held(answer(INLINE_BYTES_MAX), answers.acquire(&alice).await).await;
                assert_eq!(
                    to_bytes(small.into_body(), usize::MAX).await.map(|bytes| bytes.len()).ok(),
                    Some(INLINE_BYTES_MAX)
                );
                unread.push(held(answer(INLINE_BYTES_MAX + 1), answers.acquire(&alice).await).await);
            }
            let mut next = Box::pin(answers.acquire(&alice));
            assert!(waits(&mut next).await);
            assert!(!waits(&mut Box::pin(answers.acquire(&Principal::named("bob")))).await, "another has its own");
            let read = unread.pop().expect("there are some");
            assert_eq!(read.headers()[CONTENT_LENGTH], "65537");
            assert_eq!(
                to_bytes(read.into_body(), usize::MAX).await.map(|bytes| bytes.len()).ok(),
                Some(INLINE_BYTES_MAX + 1)
            );
            assert!(!waits(&mut next).await);
        });
    }

    #[test]
    fn c10_a_principal_holds_few_large_bodies_and_leaves_the_others_theirs() {
        let bodies = LargeBodies::default();
        let (first, second) = (Principal::named("first"), Principal::named("second"));
        run(async {
            let mut held = Vec::new();
            for _ in 0..HELD_MAX {
                held.push(bodies.acquire(&first).await);
            }
            let mut next = Box::pin(bodies.acquire(&first));
            assert!(waits(&mut next).await, "one more");
            bodies.acquire(&second).await;
            held.pop();
            next.await;
        });
    }

    #[test]
    fn c10_of_one_principal_one_body_is_read_at_a_time() {
        let bodies = LargeBodies::default();
        let (first, second) = (Principal::named("first"), Principal::named("second"));
        let read = Arc::new(AtomicUsize::new(0));
        run(async {
            let (release, until) = channel::<()>();
            let mine = bodies.acquire(&first).await;
            let mut reading = Box::pin(mine.read(move || until.recv()));
            assert!(waits(&mut reading).await);
            let counted = Arc::clone(&read);
            let also_mine = bodies.acquire(&first).await;
            let mut waiting = Box::pin(also_mine.read(move || counted.fetch_add(1, Ordering::SeqCst)));
            assert!(waits(&mut waiting).await);
            let counted = Arc::clone(&read);
            bodies.acquire(&second).await.read(move || counted.fetch_add(1, Ordering::SeqCst)).await;
            assert!(waits(&mut waiting).await);
            assert_eq!(read.load(Ordering::SeqCst), 1, "the other principal's was read meanwhile");
            release.send(()).expect("it waits");
            reading.await.expect("it was released");
            assert_eq!(waiting.await, 1);
        });
    }
}
