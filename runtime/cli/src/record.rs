//! Records the runs of a server. The server works without it.

use intentbox_store::{Clock, Place, Recorder, RunRecord, Store};

use crate::show;

/// Records runs, or notes nothing where the place cannot be used.
#[derive(Debug)]
pub(crate) struct Recording {
    recorder: Option<Recorder>,
}

impl Recording {
    /// Opens the place. Why it cannot be used is said on stderr, once, and is no reason not to serve.
    pub(crate) async fn start(place: Option<&Place>) -> Self {
        let Some(place) = place else {
            warn("there is no home directory", ELSEWHERE);
            return Self { recorder: None };
        };
        let hint = match place {
            Place::Folder(_) => ELSEWHERE,
            Place::Postgres(_) => "see the log of the database",
        };
        let recorder = match Store::open(place, Clock::system()).await {
            Ok(store) => Some(Recorder::start(store, move |error| warn(&error.to_string(), hint))),
            Err(error) => {
                warn(&error.to_string(), hint);
                None
            }
        };
        Self { recorder }
    }

    /// Notes a run. It never waits and never fails.
    pub(crate) fn note(&self, record: RunRecord) {
        if let Some(recorder) = &self.recorder {
            recorder.note(record);
        }
    }

    /// Writes what was noted.
    pub(crate) async fn close(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.close().await;
        }
    }
}

/// What mends it where the records are in a folder.
const ELSEWHERE: &str = "choose another directory with --state DIR";

fn warn(why: &str, hint: &str) {
    show::notice(&format!("warning: runs are not recorded: {why}\nhint: {hint}"));
}

#[cfg(test)]
mod tests {
    use intentbox_store::{OK, Target, read_stats};

    use super::*;

    fn run() -> RunRecord {
        RunRecord {
            run_id: "d185b17f3a54773f47b754503adec90a".to_owned(),
            started_unix_ms: Clock::system().now_unix_ms(),
            surface: "mcp",
            principal: String::new(),
            target: Target::Exec,
            outcome: OK,
            cached: false,
            wall_us: 1_000,
            fuel: 1,
            http_requests: 0,
            host_calls: 0,
        }
    }

    #[tokio::test]
    async fn what_is_noted_is_there_after_the_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let recording = Recording::start(Some(&folder.path().into())).await;
        recording.note(run());
        recording.note(run());
        recording.close().await;
        let stats = read_stats(&folder.path().into(), None, &Clock::system()).await.expect("it is read");
        assert_eq!(stats.map(|stats| stats.total), Some(2));
    }

    #[tokio::test]
    async fn without_a_folder_nothing_is_noted_and_nothing_fails() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        for place in [None, Some(file.as_path().into())] {
            let recording = Recording::start(place.as_ref()).await;
            recording.note(run());
            recording.close().await;
            assert!(recording.recorder.is_none());
        }
    }
}
