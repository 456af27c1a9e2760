//! A queue in front of the store, so that a run never waits for a disk.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::error::StoreError;
use crate::run::RunRecord;
use crate::store::Store;

/// The most records that wait to be written: a second of the fastest server there is, in some two megabytes.
pub const QUEUE_RECORDS_MAX: usize = 4_096;

/// The most records that are written in one transaction.
pub const BATCH_RECORDS_MAX: usize = 256;

/// The longest that a record waits for others to be written with: what a killed process loses at most.
pub const BATCH_WAIT_MAX: Duration = Duration::from_millis(500);

/// Records runs in the background.
///
/// [`Recorder::note`] takes a record and returns at once. One task writes what was noted, in batches. If it cannot
/// write, it reports that once and keeps trying with later records; callers of `note` never see the error.
#[derive(Debug)]
pub struct Recorder {
    queue: Sender<RunRecord>,
    dropped: Arc<AtomicU64>,
    closing: Arc<Notify>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Recorder {
    /// Starts the task that writes into the store. It calls `tell` with the first error of a write, and never again: an error of
    /// a disk seldom comes alone, and a log with one line for each batch helps nobody.
    ///
    /// # Panics
    ///
    /// Outside a runtime of tokio.
    #[must_use]
    pub fn start(store: Store, tell: impl FnOnce(StoreError) + Send + 'static) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE_RECORDS_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let closing = Arc::new(Notify::new());
        let writer = tokio::spawn(write(store, waiting, Arc::clone(&closing), Arc::clone(&dropped), tell));
        Self { queue, dropped, closing, writer: Mutex::new(Some(writer)) }
    }

    /// Notes a run. It never waits and never fails: when the queue is full, or after [`Recorder::close`], the record is dropped
    /// and counted.
    pub fn note(&self, record: RunRecord) {
        if self.queue.try_send(record).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many records are lost so far: those that found the queue full, and those of batches that could not be written.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes what was noted, and closes the store. A second call returns at once.
    pub async fn close(&self) {
        self.closing.notify_one();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            // The task ends by itself; it fails only if the runtime goes away below it.
            let _ = writer.await;
        }
    }
}

/// Writes batches until the queue is closed and empty.
async fn write(
    store: Store,
    mut waiting: Receiver<RunRecord>,
    closing: Arc<Notify>,
    dropped: Arc<AtomicU64>,
    tell: impl FnOnce(StoreError) + Send + 'static,
) {
    let mut tell = Some(tell);
    // How many of the lost ones are counted in the store.
    let mut counted = 0;
    let mut batch = Vec::new();
    loop {
        let is_last = !fill(&mut batch, &mut waiting, &closing).await;
        let lost = dropped.load(Ordering::Relaxed);
        if !batch.is_empty() || lost > counted {
            match store.add(&batch, lost - counted).await {
                Ok(()) => counted = lost,
                Err(error) => {
                    dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
                    if let Some(tell) = tell.take() {
                        tell(error);
                    }
                }
            }
        }
        if is_last {
            break;
        }
        batch.clear();
    }
    store.close().await;
}

/// Waits for the next records and says whether others may follow.
async fn fill(batch: &mut Vec<RunRecord>, waiting: &mut Receiver<RunRecord>, closing: &Notify) -> bool {
    let first = tokio::select! {
        biased;
        () = closing.notified() => {
            // What was noted before can still be received.
            waiting.close();
            waiting.recv().await
        }
        first = waiting.recv() => first,
    };
    let Some(first) = first else { return false };
    batch.push(first);
    let mut enough = pin!(sleep(BATCH_WAIT_MAX));
    while batch.len() < BATCH_RECORDS_MAX {
        tokio::select! {
            biased;
            () = closing.notified() => waiting.close(),
            next = waiting.recv() => match next {
                Some(next) => batch.push(next),
                None => return false,
            },
            () = enough.as_mut() => break,
        }
    }
    true
}
