//! The open records of runs.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use crate::clock::Clock;
use crate::database::{Batch, Database};
use crate::error::StoreError;
use crate::folder::StateFolder;
use crate::place::Place;
use crate::quotas::Quotas;
use crate::run::{Row, RunRecord};
use crate::stats::Stats;

/// How long one waits for other processes that open the same folder, besides the wait of each statement.
const OPEN_WAIT_MAX: Duration = Duration::from_secs(5);

/// The pause between two attempts to open.
const OPEN_PAUSE: Duration = Duration::from_millis(20);

/// After how many batches the quotas are looked at that cost time: [`Quotas`].
const BATCHES_BETWEEN_CLEANINGS: u64 = 64;

/// The open records of runs. Any number of processes may have the same ones open.
#[derive(Debug)]
pub struct Store {
    place: Place,
    clock: Clock,
    quotas: Quotas,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` after an error: the next use opens it anew.
    database: Option<Database>,
    batches: u64,
}

impl Store {
    /// Opens the records for writing. Makes the folder and the state file, for their owner alone, or the tables of the database, where
    /// they are not there.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, the file in it or the database is not one that this version can write, or the database cannot be
    /// reached. What is there is left unchanged.
    pub async fn open(place: &Place, clock: Clock) -> Result<Self, StoreError> {
        Self::open_with(place, clock, Quotas::default()).await
    }

    /// The same with other quotas than the default.
    ///
    /// # Errors
    ///
    /// Those of [`Store::open`].
    #[must_use]
    pub fn open_with(place: &Place, clock: Clock, quotas: Quotas) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let database = open(place, &quotas).await?;
            let state = Mutex::new(State { database: Some(database), batches: 0 });
            Ok(Self { place: place.clone(), clock, quotas, state })
        })
    }

    /// Records runs, in one transaction: all of them or none. When this returns they survive the end of the process. `dropped`
    /// is how many others were lost since the last time, to be counted.
    ///
    /// # Errors
    ///
    /// They cannot be written. The next call tries again with a new connection.
    pub async fn add(&self, records: &[RunRecord], dropped: u64) -> Result<(), StoreError> {
        let now_ms = self.clock.now_unix_ms();
        let rows: Vec<Row<'_>> = records.iter().map(|record| record.row(now_ms)).collect();
        let mut state = self.state.lock().await;
        let is_thorough = state.batches.is_multiple_of(BATCHES_BETWEEN_CLEANINGS);
        let batch = Batch { rows: &rows, dropped, now_ms, is_thorough };
        let added = self.opened(&mut state).await?.add(&batch, &self.quotas).await;
        match &added {
            Ok(()) => state.batches += 1,
            Err(error) => state.discard_after(error).await,
        }
        added
    }

    /// Counts the runs that began at `since_unix_ms` or later; without it, all that were recorded. See [`Stats::from_unix_ms`]
    /// for when it is earlier.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub async fn stats(&self, since_unix_ms: Option<i64>) -> Result<Stats, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        let mut state = self.state.lock().await;
        let tally = self.opened(&mut state).await?.tally(since_unix_ms).await;
        if let Err(error) = &tally {
            state.discard_after(error).await;
        }
        Ok(tally?.into_stats(now_ms))
    }

    /// Closes them. Without it the last process leaves the log beside the file, which the next one reads.
    pub async fn close(self) {
        self.state.into_inner().discard().await;
    }

    async fn opened<'state>(&self, state: &'state mut State) -> Result<&'state mut Database, StoreError> {
        if state.database.is_none() {
            state.database = Some(open(&self.place, &self.quotas).await?);
        }
        Ok(state.database.as_mut().expect("it was just opened"))
    }
}

impl State {
    /// A file is opened anew after any error. A database on the network makes its connection anew by itself, and knows how long it has
    /// not answered.
    async fn discard_after(&mut self, error: &StoreError) {
        if !matches!(error, StoreError::Unreachable { .. }) {
            self.discard().await;
        }
    }

    async fn discard(&mut self) {
        if let Some(database) = self.database.take() {
            database.close().await;
        }
    }
}

/// Counts the runs, as [`Store::stats`] does, without making anything in a folder: nothing where there is no folder or where nothing
/// has been recorded in it.
///
/// # Errors
///
/// The file or the database is not one of this program that this version can read, and is left unchanged; or the database cannot be
/// reached.
pub async fn read_stats(place: &Place, since_unix_ms: Option<i64>, clock: &Clock) -> Result<Option<Stats>, StoreError> {
    let Some(mut database) = to_read(place).await? else { return Ok(None) };
    let tally = database.tally(since_unix_ms).await;
    database.close().await;
    Ok(Some(tally?.into_stats(clock.now_unix_ms())))
}

async fn to_read(place: &Place) -> Result<Option<Database>, StoreError> {
    let folder = match place {
        Place::Folder(folder) => StateFolder::at(folder)?,
        Place::Postgres(url) => return Database::connect(url).await.map(Some),
    };
    if !folder.has_state()? {
        return Ok(None);
    }
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    loop {
        match Database::to_read(folder.file()).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            ended => return ended,
        }
    }
}

/// Opens the records for writing. Of processes that open a new folder at the same moment, all but one find it busy and try again.
async fn open(place: &Place, quotas: &Quotas) -> Result<Database, StoreError> {
    let folder = match place {
        Place::Folder(folder) => StateFolder::at(folder)?,
        Place::Postgres(url) => return Database::connect(url).await,
    };
    folder.create()?;
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    loop {
        match Database::to_write(folder.file(), quotas.file_bytes_max).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            ended => return ended,
        }
    }
}
