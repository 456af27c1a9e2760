//! `exec`: runs a Python script.

use std::path::Path;

use anyhow::Context as _;
use intentbox_engine::{Caller, Code, Event, Of, limits};

use crate::answer::Ending;
use crate::arguments::{Exec, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::run::{events, protect, settings, until_interrupted};
use crate::{input, setup, show};

pub(crate) async fn run(sources: &Sources, command: Exec) -> Result<Ending, CommandError> {
    let source = input::read(&command.file, limits::SCRIPT_BYTES.most).class(Class::Usage)?;
    let params = match &command.input {
        None => "{}".to_owned(),
        Some(file) if file == &command.file && file.as_os_str() == "-" => {
            let error = Class::Usage.error("the script and its input cannot both come from stdin");
            return Err(error.hint("write one of them to a file and name that file"));
        }
        Some(file) => params(file).class(Class::Usage)?,
    };
    let name = match command.file.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => "script.py".to_owned(),
    };
    let setup = setup::engine_for_exec(sources, command.run.isolation).await?;
    let code = Code { name, source, params, settings: settings(&command.run) };
    let (caller, events) = (Caller { trace: setup::trace(), ..Caller::local() }, events());
    protect(&setup.engine).await;
    let report = match setup.engine.plan_code(&code, &caller) {
        Ok(run) => until_interrupted(setup.engine.run(run, &caller, &events)).await,
        Err(report) => {
            events.note(Of::request(report.run_id, &caller), Event::Ended { report: &report });
            *report
        }
    };
    setup.close().await;
    if setup.demo.is_some() && report.has_asked() {
        show::demo();
    }
    Ok(Ending::Run(Box::new(report)))
}

fn params(file: &Path) -> anyhow::Result<String> {
    let bytes = input::read(file, limits::PARAMS_BYTES.most)?;
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()))
}
