//! The task that writes the jobs: it takes what waits and commits it together.
//!
//! Where the disk has no room, what ends something is written into room that is kept for it, and what begins something is refused.

use std::collections::VecDeque;
use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, WeakSender};
use tokio::sync::{broadcast, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::clock::{Clock, DAY_MS};
use crate::database::jobs::{Batch, Committed, Forgets, Growth, Wanted, Write, Written};
use crate::database::{JobDatabase, JobNotices};
use crate::error::StoreError;
use crate::job::Lease;
use crate::jobs::{FILE, IsGone, JobQuotas};
use crate::reserve::Reserve;
use crate::share::Shares;

/// How many operations are committed together.
const BATCH_MAX: usize = 256;

/// The longest texts that are committed together with others, in bytes. Longer ones are committed one at a time, each after all
/// shorter ones that wait: a client with requests of megabytes delays others by one of them.
const SHORT_BYTES_MAX: usize = 64 << 10;

/// How often the writer looks for what is due, and for jobs that another process accepted.
const LOOK_PAUSE: Duration = Duration::from_millis(250);

/// After how long without a commit the database counts as having been silent, and how long no lease is taken for lost then: those who
/// have one could not renew it, and do so first.
const SILENT: Duration = Duration::from_secs(5);
const SPARED: Duration = Duration::from_secs(15);

/// How often jobs that ended long ago are forgotten, in milliseconds. As long as there are many of them, each look forgets some.
const FORGET_PAUSE_MS: u64 = 60_000;
/// The same where there is little room.
const FORGET_EARLY_PAUSE_MS: u64 = 10_000;

/// For how long after its end a job is kept in any case, in milliseconds. Where there is little room, others are forgotten before their time:
/// a client with millions of small jobs would leave no room for anybody's.
const KEPT_MS_MIN: i64 = 60 * 60 * 1_000;

/// The pause before one listens again to other machines, when the connection was lost.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);

/// How many changes a listener may lag behind before it has to look itself.
pub(crate) const CHANGES_MAX: usize = 4_096;

/// How often it is looked whether the disk has room.
const ROOM_PAUSE: Duration = Duration::from_secs(1);

/// What the writer is asked for.
#[derive(Debug)]
pub(crate) enum Operation {
    Write(Write, Reply<Written>),
    Claim(Claim),
    /// Another machine accepted jobs, perhaps.
    Look,
    Close(oneshot::Sender<()>),
}

pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A worker that waits for jobs.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) worker: String,
    pub(crate) lease_ms: i64,
    pub(crate) most: u32,
    pub(crate) seats: Option<u32>,
    pub(crate) reply: Reply<Vec<Lease>>,
}

/// How writing goes, for others to see.
#[derive(Debug)]
pub(crate) struct Condition {
    committed_at: Mutex<Instant>,
    lacks_room: AtomicBool,
}

impl Default for Condition {
    fn default() -> Self {
        Self { committed_at: Mutex::new(Instant::now()), lacks_room: AtomicBool::new(false) }
    }
}

impl Condition {
    /// When something was committed last.
    pub(crate) fn committed_at(&self) -> Instant {
        *self.committed_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the disk has too little room for anything new.
    pub(crate) fn lacks_room(&self) -> bool {
        self.lacks_room.load(Ordering::Relaxed)
    }

    fn committed(&self) {
        *self.committed_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// What one transaction of the writer is for, besides what it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commit {
    /// For workers that wait too, and for what is due.
    All,
    /// For workers that wait too.
    Leases,
    /// For nothing else.
    Alone,
    /// For nothing else, in the room that is kept.
    Reserve,
}

/// The task that writes.
pub(crate) struct Writer {
    database: JobDatabase,
    clock: Clock,
    days_max: u32,
    may_forget_early: bool,
    changes: broadcast::Sender<i64>,
    /// Workers that wait for a job, the one that waits longest first.
    claims: Vec<Claim>,
    shares: Shares,
    /// The digest of the policy that was last kept here.
    policy: String,
    /// When old jobs were last forgotten.
    forgotten_ms: Option<i64>,
    /// The last event that was passed on, where other processes do not tell what they change.
    heard: Option<i64>,
    is_gone: IsGone,
    condition: Arc<Condition>,
    /// The room that is kept on the disk of a file.
    reserve: Option<Reserve>,
    /// When it was last looked for it.
    room_looked_at: Option<Instant>,
    /// Whether jobs are forgotten before their time, since there is little room.
    forgets_early: bool,
    /// Until then no lease is taken for lost.
    spared_until: Instant,
    /// Ends with the writer.
    listening: JoinSet<()>,
}

impl Writer {
    /// A writer of the jobs in this database, with the room that is kept on the disk of a file.
    pub(crate) fn new(
        database: JobDatabase,
        clock: Clock,
        quotas: JobQuotas,
        is_gone: IsGone,
        changes: broadcast::Sender<i64>,
        condition: Arc<Condition>,
        reserve: Option<Reserve>,
    ) -> Self {
        // Whoever comes first after a database was away does not know of it.
        let spared_until = Instant::now() + if reserve.is_none() { SPARED } else { Duration::ZERO };
        Self {
            database,
            clock,
            days_max: quotas.days_max,
            may_forget_early: quotas.forgets_early,
            changes,
            claims: Vec::new(),
            shares: Shares::new(quotas),
            policy: String::new(),
            forgotten_ms: None,
            heard: None,
            is_gone,
            condition,
            reserve,
            room_looked_at: None,
            forgets_early: false,
            spared_until,
            listening: JoinSet::new(),
        }
    }

    /// Passes on what other machines tell, from now on.
    pub(crate) fn listen(&mut self, notices: JobNotices, operations: WeakSender<Operation>) {
        self.listening.spawn(listen(notices, operations, self.changes.clone()));
    }

    /// Writes until the store is closed.
    pub(crate) async fn run(mut self, mut waiting: Receiver<Operation>) {
        let mut look_at = Instant::now();
        let mut long: VecDeque<(Write, Reply<Written>)> = VecDeque::new();
        loop {
            let mut next = tokio::select! {
                biased;
                first = waiting.recv() => match first {
                    Some(first) => Some(first),
                    None => break,
                },
                () = ready(()), if !long.is_empty() => None,
                () = sleep_until(look_at) => None,
            };
            let sweeps = Instant::now() >= look_at;
            let (mut writes, mut replies, mut closing) = (Vec::new(), Vec::new(), None);
            while let Some(operation) = next {
                match operation {
                    Operation::Write(write, reply) if write.bytes() > SHORT_BYTES_MAX => long.push_back((write, reply)),
                    Operation::Write(write, reply) => {
                        writes.push(write);
                        replies.push(reply);
                    }
                    Operation::Claim(claim) => self.claims.push(claim),
                    Operation::Look => {}
                    Operation::Close(reply) => closing = Some(reply),
                }
                next = if writes.len() < BATCH_MAX { waiting.try_recv().ok() } else { None };
            }
            // Who no longer waits is leased nothing.
            self.claims.retain(|claim| !claim.reply.is_closed());
            if sweeps {
                self.look_for_room().await;
            }
            if sweeps || !writes.is_empty() || !self.claims.is_empty() {
                self.commit(writes, replies, if sweeps { Commit::All } else { Commit::Leases }).await;
            }
            // All of them before the end.
            let most = if closing.is_some() { usize::MAX } else { 1 };
            for _ in 0..most {
                let Some((write, reply)) = long.pop_front() else { break };
                self.commit(vec![write], vec![reply], Commit::Leases).await;
            }
            if sweeps {
                // What cannot be read now is read the next time.
                let _ = self.hear().await;
                look_at = Instant::now() + LOOK_PAUSE;
            }
            if let Some(closing) = closing {
                self.database.close().await;
                let _ = closing.send(());
                return;
            }
        }
        self.database.close().await;
    }

    /// Looks whether the disk and the file have room, now and then.
    async fn look_for_room(&mut self) {
        let Some(reserve) = &mut self.reserve else { return };
        if self.room_looked_at.is_some_and(|last| last.elapsed() < ROOM_PAUSE) {
            return;
        }
        self.room_looked_at = Some(Instant::now());
        // What cannot be read now is read the next time.
        let Ok(Some(room)) = self.database.file_room().await else { return };
        reserve.look(room.free);
        let lacks_room = reserve.refusal().is_some();
        self.condition.lacks_room.store(lacks_room, Ordering::Relaxed);
        // What is forgotten leaves room in the file, and none on the disk.
        let is_early = self.may_forget_early && (room.is_nearly_full || reserve.lacks_room_within());
        if is_early && !self.forgets_early {
            self.forgotten_ms = None;
        }
        self.forgets_early = is_early;
        if lacks_room {
            let _ = self.database.move_log().await;
        }
    }

    /// Why something new is not written where the disk has no room for it, nor what is long: a few long reports would take the room that
    /// was given away for what is short, or all that is left.
    fn refusal(&self, write: &Write) -> Option<StoreError> {
        let reserve = self.reserve.as_ref()?;
        let (bytes, full) = (write.bytes(), |detail| StoreError::Full { file: FILE.into(), detail });
        if matches!(write, Write::End(..) | Write::Event(..))
            && bytes > SHORT_BYTES_MAX
            && reserve.lacks_room_for(bytes)
        {
            return Some(full(format!("the disk has no room for a text of {bytes} bytes")));
        }
        let is_long = reserve.is_given_away() && bytes > SHORT_BYTES_MAX;
        if write.begins() || is_long { reserve.refusal().map(full) } else { None }
    }

    /// Does all of it in one transaction; if that fails, each in one of its own, so that what fails fails alone. After a connection
    /// was lost, each is written again over a new one, once: nobody knows whether the first commit was heard, and each write
    /// may be repeated. Where the disk is full, what ends something is written again into the room that is kept for it.
    async fn commit(&mut self, writes: Vec<Write>, replies: Vec<Reply<Written>>, kind: Commit) {
        if let Some(reserve) = &mut self.reserve
            && writes.iter().any(Write::begins)
        {
            reserve.look_again();
            self.condition.lacks_room.store(reserve.refusal().is_some(), Ordering::Relaxed);
        }
        let (mut accepted, mut waiting) = (Vec::with_capacity(writes.len()), Vec::with_capacity(replies.len()));
        for (write, reply) in writes.into_iter().zip(replies) {
            // Who no longer waits is not answered.
            if let Some(refusal) = self.refusal(&write) {
                let known = self.database.known_write(&write).await;
                let _ = reply.send(known.and_then(|known| known.ok_or(refusal)));
            } else {
                accepted.push(write);
                waiting.push(reply);
            }
        }
        let error = match self.try_commit(&accepted, kind).await {
            Ok(written) => {
                waiting.into_iter().zip(written).for_each(|(reply, written)| drop(reply.send(Ok(written))));
                return;
            }
            Err(error) => error,
        };
        if kind == Commit::All && matches!(error, StoreError::Full { .. }) {
            // What is due is tried again at the next look, without forgetting: that is what takes most room.
            self.forgotten_ms = Some(self.clock.now_unix_ms());
        }
        let may_succeed =
            |error: &StoreError| matches!(error, StoreError::Unreachable { .. } | StoreError::Full { .. });
        let waiting = match <[Reply<Written>; 1]>::try_from(waiting) {
            Ok([reply]) if !may_succeed(&error) => {
                let _ = reply.send(Err(error));
                return;
            }
            Ok([reply]) => vec![reply],
            Err(waiting) => waiting,
        };
        let mut lost = None;
        for (write, reply) in accepted.into_iter().zip(waiting) {
            let written = match &lost {
                Some((database, detail)) => {
                    Err(StoreError::Unreachable { database: String::clone(database), detail: String::clone(detail) })
                }
                None => self.commit_alone(&[write]).await,
            };
            if let Err(StoreError::Unreachable { database, detail }) = &written {
                lost = Some((database.clone(), detail.clone()));
            }
            let _ = reply.send(written.and_then(|written| written.into_iter().next().ok_or_else(closed)));
        }
    }

    /// Writes one thing in a transaction of its own, which may use the room that is kept for it.
    async fn commit_alone(&mut self, write: &[Write; 1]) -> Result<Vec<Written>, StoreError> {
        let is_full = |written: &Result<_, StoreError>| matches!(written, Err(StoreError::Full { .. }));
        let mut written = self.try_commit(write, Commit::Alone).await;
        if is_full(&written)
            && let Ok(Some(known)) = self.database.known_write(&write[0]).await
        {
            return Ok(vec![known]);
        }
        if self.reserve.is_none() || !write[0].ends() || write[0].bytes() > SHORT_BYTES_MAX {
            return written;
        }
        // First beyond the limit of the file, which is no reason to give away room of the disk.
        if is_full(&written) {
            written = self.try_commit(write, Commit::Reserve).await;
        }
        if is_full(&written)
            && let Some(reserve) = &mut self.reserve
        {
            reserve.release();
            self.condition.lacks_room.store(true, Ordering::Relaxed);
            written = self.try_commit(write, Commit::Reserve).await;
        }
        written
    }

    /// Passes on what other processes changed in the same file. What this process changed comes a second time: telling it apart
    /// would cost each commit a question.
    async fn hear(&mut self) -> Result<(), StoreError> {
        if self.database.hears_others() {
            return Ok(());
        }
        let last = self.database.last_event().await?;
        let Some(heard) = self.heard.replace(last).filter(|heard| *heard < last) else { return Ok(()) };
        if self.changes.receiver_count() > 0 {
            let most = u32::try_from(CHANGES_MAX).unwrap_or(u32::MAX);
            for number in self.database.changed(heard, last, most).await? {
                let _ = self.changes.send(number);
            }
        }
        Ok(())
    }

    /// The workers with leases that are known to have gone.
    async fn gone(&mut self) -> Result<Vec<String>, StoreError> {
        let mut workers = self.database.workers().await?;
        workers.retain(|worker| (self.is_gone)(worker));
        Ok(workers)
    }

    async fn try_commit(&mut self, writes: &[Write], kind: Commit) -> Result<Vec<Written>, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        let sweeps = kind == Commit::All;
        let pause_ms = if self.forgets_early { FORGET_EARLY_PAUSE_MS } else { FORGET_PAUSE_MS };
        let is_time = self.forgotten_ms.is_none_or(|last| now_ms.abs_diff(last) > pause_ms);
        let kept_ms = i64::from(self.days_max) * DAY_MS;
        let after_ms = if self.forgets_early { kept_ms.min(KEPT_MS_MIN) } else { kept_ms };
        let forgets = (sweeps && is_time).then_some(Forgets { after_ms, early: self.forgets_early });
        let gone = if sweeps { self.gone().await? } else { Vec::new() };
        // A job that begins has something to say at its end.
        let begins = self.reserve.as_ref().is_none_or(Reserve::lets_begin);
        let leases = matches!(kind, Commit::All | Commit::Leases) && begins;
        let claims = if leases { self.claims.as_slice() } else { &[] };
        let wanted: Vec<Wanted<'_>> = claims
            .iter()
            .map(|Claim { worker, lease_ms, most, seats, .. }| Wanted {
                worker,
                policy: &self.policy,
                lease_ms: *lease_ms,
                most: *most,
                seats: *seats,
            })
            .collect();
        if self.condition.committed_at().elapsed() > SILENT {
            self.spared_until = Instant::now() + SPARED;
        }
        let takes_lost = Instant::now() >= self.spared_until;
        let growth = match kind {
            Commit::Reserve => Growth::Reserve,
            _ if self.condition.lacks_room() => Growth::Little,
            _ => Growth::Usual,
        };
        let batch = Batch { writes, wanted: &wanted, gone: &gone, sweeps, begins, takes_lost, forgets, growth };
        let committed = self.database.commit(batch, &mut self.shares, &self.clock).await;
        if committed.is_err() {
            // What was counted for it did not happen.
            self.shares.room.forget();
        }
        let Committed { written, leased, changed, forgets_more } = committed?;
        self.condition.committed();
        self.shares.pace.done();
        if forgets.is_some() && !forgets_more {
            self.forgotten_ms = Some(now_ms);
        }
        for write in writes {
            if let Write::KeepPolicy { digest, .. } = write {
                self.policy.clone_from(digest);
            }
        }
        for leases in leased {
            // A worker that has gone meanwhile loses its leases with their time.
            let _ = self.claims.remove(0).reply.send(Ok(leases));
        }
        self.database.tell(&changed).await;
        for number in changed {
            // Nobody may be listening.
            let _ = self.changes.send(number);
        }
        Ok(written)
    }
}

/// Passes on what other machines tell: to who listens to changes, and to workers that wait for jobs.
async fn listen(mut notices: JobNotices, operations: WeakSender<Operation>, changes: broadcast::Sender<i64>) {
    loop {
        let Ok(numbers) = notices.next().await else {
            sleep(LISTEN_PAUSE).await;
            continue;
        };
        for number in numbers {
            // Nobody may be listening.
            let _ = changes.send(number);
        }
        let Some(operations) = operations.upgrade() else { return };
        // Where many operations wait, the writer looks anyway.
        let _ = operations.try_send(Operation::Look);
    }
}

/// The writer has ended.
pub(crate) fn closed() -> StoreError {
    StoreError::Failed { file: FILE.into(), detail: "it was closed".to_owned() }
}
