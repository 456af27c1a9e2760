//! The process of a server that was started: confined, watched, and ended with all its children.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use intentbox_confine::{Bounds, Group, Launch, LaunchError, START_FAILED_MARKER};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use std::sync::Arc;

use crate::error::ServerFault;
use crate::folder::ServerFolder;
use crate::frame::{FrameFault, Frames};
use crate::place::Place;
use crate::server::{Program, ServerConfig, quoted, workspace};
use crate::tail::Tail;
use crate::writable;

/// How long a server may take to end after its stdin was closed, and again after SIGTERM. The Model Context Protocol asks for
/// both steps ("Shutdown", stdio).
const END_MAX: Duration = Duration::from_secs(2);

/// How long the rest of stderr is waited for after a process has ended.
const STDERR_MAX: Duration = Duration::from_millis(500);

/// How often the memory of a server is looked at.
const WATCH_PAUSE: Duration = Duration::from_millis(500);

/// How much of the processor a server may use while its tools are discovered, in percent of one core.
const DISCOVERY_CPU_PERCENT: u8 = 25;

/// What a server is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To list its tools.
    Discovery,
    /// To call its tools.
    Calls,
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Option<Group>,
    tail: Tail,
    /// Taken by whoever waits for it first.
    drained: Option<JoinHandle<()>>,
    watched: JoinHandle<()>,
    /// Removed when the process is dropped.
    _temporary: ServerFolder,
}

/// The pipes of a server.
pub(crate) type Pipes = (ChildStdout, ChildStdin);

impl Process {
    /// Starts a server within its bounds.
    ///
    /// # Errors
    /// When its program cannot be started.
    pub(crate) fn start(
        config: &ServerConfig,
        program: &Program,
        place: &Place,
        purpose: Purpose,
        frames: &Arc<Frames>,
    ) -> Result<(Self, Pipes), ServerFault> {
        let not_started = |detail: String| ServerFault::NotStarted(detail);
        let temporary = ServerFolder::within(&place.temporary)
            .map_err(|error| not_started(format!("no temporary folder can be made: {error}")))?;
        let launch = launch(config, program, place, purpose, &temporary).map_err(not_started)?;
        let command = launch.command(&place.launcher, place.launcher_verb).map_err(|error| match error {
            LaunchError::NotFound { .. } => ServerFault::NotFound(error.to_string()),
            LaunchError::NotExecutable { .. } => ServerFault::NotPermitted(error.to_string()),
            _ => not_started(error.to_string()),
        })?;
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| not_started(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(not_started("it has no pipes".to_owned()));
        };
        let group = child.id().and_then(Group::of);
        let tail = Tail::default();
        let drained = Some(tokio::spawn(tail.clone().drain(stderr)));
        let watched = tokio::spawn(watch(child.id(), config.bounds.memory_bytes, Arc::clone(frames)));
        Ok((Self { child, group, tail, drained, watched, _temporary: temporary }, (stdout, stdin)))
    }

    /// Waits until a process that closed its pipes has ended, and says how: a failed start apart from a server that ended. Ends
    /// one that goes on.
    pub(crate) async fn ended(&mut self) -> Result<Option<String>, ServerFault> {
        let status = timeout(END_MAX, self.child.wait()).await;
        if status.is_err() {
            self.kill();
            let _ = timeout(END_MAX, self.child.wait()).await;
        }
        // Its number is free now, and may become another program's.
        if self.child.id().is_none() {
            self.group = None;
        }
        if let Some(drained) = self.drained.take() {
            let _ = timeout(STDERR_MAX, drained).await;
        }
        // Nothing else comes before it. A program that was started may write the same: its secrets are taken out by the caller.
        if let Some(reason) = self.tail.shown(&[]).strip_prefix(START_FAILED_MARKER) {
            let reason = reason.lines().next().unwrap_or_default().trim_start_matches(':').trim();
            return Err(ServerFault::NotStarted(reason.to_owned()));
        }
        Ok(status.ok().and_then(Result::ok).map(|status| status.to_string()))
    }

    /// The last lines that it wrote to stderr, without these texts.
    pub(crate) fn stderr(&self, secrets: &[String]) -> String {
        self.tail.shown(secrets)
    }

    /// Ends a server whose stdin is closed: it may end by itself, then it is asked to, and then it is killed.
    pub(crate) async fn end(mut self) {
        if timeout(END_MAX, self.child.wait()).await.is_err() {
            if let Some(group) = &self.group {
                group.terminate();
            }
            let _ = timeout(END_MAX, self.child.wait()).await;
        }
        self.kill();
        let _ = timeout(END_MAX, self.child.wait()).await;
    }

    fn kill(&mut self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.watched.abort();
        // Also of one that has ended: its children may go on.
        self.kill();
    }
}

/// The real paths of the folders that an entry lets its server write, or why one of them is refused.
pub(crate) fn writable_folders(
    config: &ServerConfig,
    program: &Program,
    place: &Place,
) -> Result<Vec<PathBuf>, String> {
    let own = config.working_directory(program);
    let home = place.environment.get("HOME").map(Path::new);
    let bases: Vec<&Path> = workspace(&config.file).into_iter().chain(home).collect();
    let named = own.iter().chain(&config.bounds.writable);
    let named = named.map(|path| {
        let is_closed = writable::holds_settings(&writable::normal(path));
        let real = writable::real(path, &bases).map_err(|leads_to| {
            let (path, leads_to) = (quoted(&path.to_string_lossy()), quoted(&leads_to.to_string_lossy()));
            format!("{path}, which it may write, leads to {leads_to} by a symbolic link: name that folder in its entry, or remove the link")
        })?;
        // Also one that is not there, or not yet.
        if is_closed || real.as_ref().is_some_and(|real| writable::holds_settings(real)) {
            let real = quoted(&real.as_ref().unwrap_or(path).to_string_lossy());
            return Err(format!(
                "{real}, which it may write, holds settings of the kernel or devices: name the folders that it needs in its entry"
            ));
        }
        Ok(real)
    });
    Ok(named.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// How a server is started, or why one of its folders is refused.
fn launch(
    config: &ServerConfig,
    program: &Program,
    place: &Place,
    purpose: Purpose,
    temporary: &ServerFolder,
) -> Result<Launch, String> {
    let folder = temporary.path().to_owned();
    make_caches(place);
    let own = config.working_directory(program);
    let named = writable_folders(config, program, place)?.into_iter();
    let working_directory = own.clone().or_else(|| place.current.clone()).unwrap_or_else(|| folder.clone());
    let mut environment = place.environment.clone();
    environment.extend(program.env.clone());
    environment.insert("TMPDIR".to_owned(), folder.to_string_lossy().into_owned());
    let caches = place.caches().filter(|cache| cache.is_open).filter_map(|cache| cache.real);
    let writable = named.chain([folder]).chain(caches).collect();
    Ok(Launch {
        command: program.command.clone(),
        args: program.args.clone(),
        environment: environment.into_iter().collect(),
        working_directory,
        bounds: Bounds {
            network: config.bounds.network,
            shares_namespaces: !config.bounds.namespaces,
            writable,
            hidden: place.hidden.clone(),
            protected: place.protected.clone(),
            cpu_percent: (purpose == Purpose::Discovery).then_some(DISCOVERY_CPU_PERCENT),
        },
    })
}

/// Makes the caches of launchers that are not there: a folder that is not cannot be opened to a server, and its first launch would fail.
fn make_caches(place: &Place) {
    let home = place.environment.get("HOME").map(Path::new).filter(|home| home.is_dir());
    for cache in place.writable.iter().filter(|cache| home.is_some_and(|home| cache.starts_with(home))) {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(cache);
        // Where none can be made, the launcher says so.
        drop(made);
    }
}

/// Ends a server that uses more memory than it may. Hangs up on one that nothing supervises any more, since what it started could keep
/// its pipes open: a pause later, so that one which ended by itself has been heard to the end.
async fn watch(pid: Option<u32>, memory_bytes_max: u64, frames: Arc<Frames>) {
    let Some(pid) = pid else { return };
    loop {
        sleep(WATCH_PAUSE).await;
        let Some(group) = Group::of(pid) else { return };
        let looked = tokio::task::spawn_blocking(move || (group.is_alive(), group.resident_bytes(), group)).await;
        let Ok((is_supervised, bytes, group)) = looked else { return };
        if !is_supervised {
            sleep(WATCH_PAUSE).await;
            frames.hang_up();
            return;
        }
        if bytes > memory_bytes_max {
            frames.end(FrameFault::Memory { bytes, most: memory_bytes_max });
            group.kill();
            return;
        }
    }
}
