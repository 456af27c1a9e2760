//! Places for connections. Where all are taken, whoever says nothing, or was turned away, makes room for the next.
//!
//! A connection that carries a request, or carried one of a known caller, keeps its place. Otherwise anybody who opens sockets
//! and says nothing would keep everybody else out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// All places.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    free: Arc<Semaphore>,
    /// The connections that may be closed for others, the one that says nothing for the longest time first.
    idle: Mutex<BTreeMap<u64, CancellationToken>>,
    next: AtomicU64,
}

/// The place of one connection. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    closed: CancellationToken,
    /// Its number among the idle ones, while it is one.
    number: Mutex<Option<u64>>,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        let shared = Shared { free: Arc::new(Semaphore::new(most)), idle: Mutex::default(), next: AtomicU64::new(0) };
        Self(Arc::new(shared))
    }

    /// A place, which is idle at first. Where none is free, the connection that is idle for the longest time is closed; where none
    /// is idle either, this waits. Nothing where no places are given any more.
    pub(super) async fn take(&self) -> Option<Place> {
        if self.0.free.available_permits() == 0
            && let Some((_, closed)) = self.0.idle().pop_first()
        {
            closed.cancel();
        }
        let permit = Arc::clone(&self.0.free).acquire_owned().await.ok()?;
        let place = Place {
            shared: Arc::clone(&self.0),
            closed: CancellationToken::new(),
            number: Mutex::default(),
            _permit: permit,
        };
        place.idle();
        Some(place)
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Ends when the connection is to make room.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// A request has begun: the connection keeps its place.
    pub(super) fn busy(&self) {
        if let Some(number) = self.number.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.shared.idle().remove(&number);
        }
    }

    /// Nobody known is behind the connection: it may make room from now on.
    pub(super) fn idle(&self) {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let before = self.number.lock().unwrap_or_else(PoisonError::into_inner).replace(number);
        let mut idle = self.shared.idle();
        if let Some(before) = before {
            idle.remove(&before);
        }
        idle.insert(number, self.closed.clone());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.busy();
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    fn taken(places: &Places) -> Place {
        now(places.take()).flatten().expect("a place is free")
    }

    #[test]
    fn whoever_is_idle_for_the_longest_time_makes_room() {
        let places = Places::new(3);
        let [first, second, third] = [taken(&places), taken(&places), taken(&places)];
        first.busy();
        assert_eq!(now(first.closed()), None);
        {
            let mut fourth = pin!(places.take());
            assert!(fourth.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert_eq!((now(first.closed()), now(second.closed()), now(third.closed())), (None, Some(()), None));
            drop(second);
            assert!(fourth.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
        }
        // Whoever was turned away comes behind those who wait already.
        first.idle();
        let _waits = now(places.take());
        assert_eq!((now(first.closed()), now(third.closed())), (None, None), "the fourth place is free again");
    }

    #[test]
    fn whoever_is_busy_keeps_its_place() {
        let places = Places::new(1);
        let first = taken(&places);
        first.busy();
        assert!(now(places.take()).is_none());
        assert_eq!(now(first.closed()), None);
        first.idle();
        assert!(now(places.take()).is_none());
        assert_eq!(now(first.closed()), Some(()));
        drop(first);
        assert!(places.0.idle().is_empty());
        taken(&places).busy();
    }
}
