//! From the machine to an engine: which configuration, which secrets, and the demo tracker where there is neither.

#![expect(clippy::disallowed_methods, reason = "this is the place that reads the environment")]

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use intentbox_capability::Origin;
use intentbox_demo_tracker::DemoTracker;
use intentbox_egress::{OriginConfig, Secret};
use intentbox_engine::{
    self as engine, CONFIGURATION_BYTES_MAX, Capacity, Configuration, Engine, TokenSource, WorkerCommand,
};

use crate::arguments::Isolation;
use crate::{WORKER, input};

/// The longest token that is read from a file, in bytes.
const TOKEN_BYTES_MAX: u64 = 16 << 10;

/// An engine, and the demo tracker that lives as long as it does.
pub(crate) struct Setup {
    pub(crate) engine: Engine,
    pub(crate) demo: Option<DemoTracker>,
}

/// A command runs one script, which may use all that a run may use.
const ONE_RUN: Capacity = Capacity { runs: 1, memory_bytes: 2 << 30, patience: Duration::from_secs(5) };

/// This program again, as a worker.
pub(crate) fn place(isolation: Isolation) -> engine::Isolation {
    match isolation {
        Isolation::InProcess => engine::Isolation::InProcess,
        Isolation::Process => engine::Isolation::Process(WorkerCommand {
            // Not the path: the file may have been replaced since this process started.
            program: "/proc/self/exe".into(),
            arguments: vec![WORKER.into()],
            count: 1,
        }),
    }
}

/// Makes the engine of a command: one run at a time.
pub(crate) async fn engine(config: Option<&Path>, isolation: Isolation) -> anyhow::Result<Setup> {
    let (configuration, demo) = if let Some(file) = find(config)? {
        (read(&file).with_context(|| format!("configuration {}", file.display()))?, None)
    } else {
        let (configuration, demo) = demonstration().await?;
        (configuration, Some(demo))
    };
    Ok(Setup { engine: Engine::new(configuration, place(isolation), ONE_RUN)?, demo })
}

/// An engine that can run scripts and reaches nothing.
pub(crate) fn engine_for_doctor(isolation: engine::Isolation) -> anyhow::Result<Engine> {
    Ok(Engine::new(Configuration::parse("", &|_| Err("there is no token".to_owned()))?, isolation, ONE_RUN)?)
}

/// The configuration file in force, if there is one. One that was named must exist.
fn find(named: Option<&Path>) -> anyhow::Result<Option<PathBuf>> {
    if let Some(file) = named {
        return Ok(Some(file.to_owned()));
    }
    if let Some(file) = std::env::var_os("INTENTBOX_CONFIG").filter(|file| !file.is_empty()) {
        return Ok(Some(file.into()));
    }
    let folder = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = folder.or_else(|| std::env::home_dir().map(|home| home.join(".config")));
    let Some(file) = folder.map(|folder| folder.join("intentbox/config.toml")) else { return Ok(None) };
    match file.try_exists() {
        Ok(true) => Ok(Some(file)),
        Ok(false) => Ok(None),
        Err(error) => bail!("{}: {error}", file.display()),
    }
}

fn read(file: &Path) -> anyhow::Result<Configuration> {
    let bytes = input::read(file, CONFIGURATION_BYTES_MAX as u64)?;
    if bytes.len() > CONFIGURATION_BYTES_MAX {
        bail!("it has more than {CONFIGURATION_BYTES_MAX} bytes");
    }
    let text = String::from_utf8(bytes).context("it is not UTF-8 text")?;
    // A relative token file lies beside the configuration that names it.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Configuration::parse(&text, &|source| token(source, folder))?)
}

/// Fetches a token from where the configuration says it lies. Errors name the place, never the value.
fn token(source: &TokenSource, folder: &Path) -> Result<String, String> {
    let token = match source {
        TokenSource::Environment(name) => std::env::var(name).map_err(|error| match error {
            std::env::VarError::NotPresent => {
                format!("token_env: the variable {name} is not set; run `export {name}=…` or use token_file")
            }
            std::env::VarError::NotUnicode(_) => format!("token_env: the variable {name} is not UTF-8 text"),
        })?,
        TokenSource::File(name) => {
            let bytes = input::read_named(folder, Path::new(name), TOKEN_BYTES_MAX)
                .map_err(|error| format!("token_file: {error:#}"))?;
            if bytes.len() as u64 > TOKEN_BYTES_MAX {
                return Err(format!("token_file: {name} has more than {TOKEN_BYTES_MAX} bytes"));
            }
            String::from_utf8(bytes).map_err(|_| format!("token_file: {name} is not UTF-8 text"))?
        }
    };
    let token = token.trim().to_owned();
    if token.is_empty() || token.contains(char::is_control) {
        return Err("the token is empty or holds control characters".to_owned());
    }
    Ok(token)
}

/// The demo tracker and the configuration that reaches it: an ordinary origin with an ordinary secret.
async fn demonstration() -> anyhow::Result<(Configuration, DemoTracker)> {
    let demo = DemoTracker::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.context("the demo tracker")?;
    let origin = OriginConfig {
        origin: Origin::new("sentry".parse()?, &demo.base_url())?,
        secret: Some(Secret::new(demo.token().to_owned())),
        private_addresses: true,
    };
    let settings = BTreeMap::from([("sentry.organization".to_owned(), demo.organization().to_owned())]);
    Ok((Configuration::reading(origin, settings), demo))
}
