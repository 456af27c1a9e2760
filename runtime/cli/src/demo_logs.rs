//! `demo-logs`: writes logs to try templates on.

use std::fmt::Write as _;

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_demo_logs::{Plan, Summary, generate};
use serde_json::Value;

use crate::answer::Answer;
use crate::arguments::DemoLogs;
use crate::error::{Class, Classify as _, CommandError};

/// The time that the logs cover, in seconds: two days, so that "today" and "yesterday" differ.
const SPAN_S: u32 = 2 * 24 * 60 * 60;

pub(crate) fn run(command: &DemoLogs) -> Result<Answer, CommandError> {
    let summary = write(command).with_context(|| command.folder.display().to_string()).class(Class::Unavailable)?;
    let folder = command.folder.display();
    let mut text = format!("{folder} holds about {} MiB of logs of five services over two days. Try:\n\n", command.mib);
    for intent in ["count log lines by level", "list errors in the logs", "most frequent log messages"] {
        let _ = writeln!(text, "  intentbox run-intent \"{intent}\" --dir logs={folder}");
    }
    let files: Vec<Value> = summary.files.into_iter().map(|file| file.path.into()).collect();
    let answer = Answer::new(text).with("directory", folder.to_string()).with("files", files);
    Ok(answer.with("records", summary.records).with("lines", summary.lines).with("bytes", summary.bytes))
}

fn write(command: &DemoLogs) -> anyhow::Result<Summary> {
    std::fs::create_dir_all(&command.folder)?;
    let folder = Dir::open_ambient_dir(&command.folder, ambient_authority())?;
    let plan = Plan {
        seed: command.seed,
        bytes: command.mib << 20,
        now_unix_s: jiff::Timestamp::now().as_second(),
        span_s: SPAN_S,
    };
    Ok(generate(&folder, &plan)?)
}
