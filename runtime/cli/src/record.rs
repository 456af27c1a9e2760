//! Records the runs of a server. The server works without it.

use std::path::Path;

use intentbox_store::{Clock, Recorder, RunRecord, Store};

use crate::show;

/// Records runs, or notes nothing where the folder cannot be used.
#[derive(Debug)]
pub(crate) struct Recording {
    recorder: Option<Recorder>,
}

impl Recording {
    /// Opens the folder ([`crate::setup::state_folder`]). Why it cannot be used is said on stderr, once, and is no reason not to
    /// serve.
    pub(crate) async fn start(folder: Option<&Path>) -> Self {
        let Some(folder) = folder else {
            warn("there is no home directory");
            return Self { recorder: None };
        };
        let recorder = match Store::open(folder, Clock::system()).await {
            Ok(store) => Some(Recorder::start(store, |error| warn(&error.to_string()))),
            Err(error) => {
                warn(&error.to_string());
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

fn warn(why: &str) {
    show::notice(&format!("warning: runs are not recorded: {why}\nhint: choose another directory with --state DIR"));
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
        let recording = Recording::start(Some(folder.path())).await;
        recording.note(run());
        recording.note(run());
        recording.close().await;
        let stats = read_stats(folder.path(), None, &Clock::system()).await.expect("it is read");
        assert_eq!(stats.map(|stats| stats.total), Some(2));
    }

    #[tokio::test]
    async fn without_a_folder_nothing_is_noted_and_nothing_fails() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        for folder in [None, Some(file.as_path())] {
            let recording = Recording::start(folder).await;
            recording.note(run());
            recording.close().await;
            assert!(recording.recorder.is_none());
        }
    }
}
