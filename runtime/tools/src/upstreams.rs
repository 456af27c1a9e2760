//! All configured servers together: what is known of their tools, and calls of them. Nothing is started before it is called.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use intentbox_capability::{AllowedTool, ServerId};
use intentbox_catalog::terminal::printable;
use intentbox_store::{DiscoveryStatus, ServerRecord, StoreError, ToolStore};
use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, broadcast};
use tokio::time::{Instant, sleep_until};

use crate::connection::{Connection, ServerCall};
use crate::definition::Effect;
use crate::discovery::{DiscoveryEnd, DiscoveryFailure, KeptListing, Progress, Watcher, discover, keep};
use crate::error::{Phase, ServerError, ServerFault, ToolError};
use crate::file::FileError;
use crate::kept::Kept;
use crate::listing::{Listing, Listings, ReadListing};
use crate::owner::{is_alive, this_process};
use crate::place::{LauncherCache, Place};
use crate::prepared::{Prepared, PreparedTools};
use crate::process;
use crate::process::Purpose;
use crate::reply::Reply;
use crate::server::{ServerConfig, Transport};
use crate::shape::Seen;
use crate::steps::{Discovery, Step, Steps};
use crate::uses::Uses;

/// How long a connection stays open without a call.
const IDLE_MAX: Duration = Duration::from_mins(1);

/// How many calls one server answers at the same time. The others wait.
const IN_FLIGHT_MAX: usize = 32;

/// After how many failures in a row a server is left alone for a while.
const FAILURES_MAX: u32 = 3;

/// How long it is left alone then: twice as long after each further failure, up to the maximum.
const REST_MIN: Duration = Duration::from_secs(2);
const REST_MAX: Duration = Duration::from_mins(1);

/// How many characters of a name that does not exist are shown.
const SHOWN_CHARS_MAX: usize = 80;

/// The configured servers.
#[derive(Debug)]
pub struct Upstreams {
    servers: BTreeMap<ServerId, Server>,
    /// Entries that cannot be used.
    faults: Vec<FileError>,
    kept: Kept,
    listings: Listings,
    place: Place,
    uses: Uses,
    steps: Steps,
}

/// What is known of one server, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// How the last discovery went. One whose process has gone has failed.
    pub status: DiscoveryStatus,
    /// When that was, in milliseconds after 1970, UTC; 0 if never.
    pub changed_ms: i64,
    /// Why it failed, if it did.
    pub failure: Option<DiscoveryFailure>,
    /// When the tools were last listed, in milliseconds after 1970, UTC; 0 if never.
    pub discovered_ms: i64,
    /// The tools, as last listed.
    pub listing: Arc<Listing>,
    /// Whether the configuration is another one than the one that was discovered.
    pub is_outdated: bool,
}

/// One server.
struct Server {
    config: ServerConfig,
    /// Whether it may be started: it is in the user's own file, or a person has approved it as it is.
    is_approved: bool,
    live: AsyncMutex<Live>,
    in_flight: Arc<Semaphore>,
    prepared: PreparedTools,
    /// What the connection listed: the hash of each definition. On another machine, or a moment ago, the server may have said something
    /// else, and what is kept is what was listed last anywhere.
    said: Mutex<HashMap<String, String>>,
}

/// The connection of a server, and how it did.
#[derive(Debug, Default)]
struct Live {
    connection: Option<Arc<Connection>>,
    failures: u32,
    last: String,
    rests_until: Option<Instant>,
    /// When the connection is closed unless it is used.
    idle: Option<Instant>,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(formatter)
    }
}

impl Upstreams {
    /// Takes the servers of a configuration. Starts nothing and connects to nothing. `is_approved` says of entries that stand in
    /// a project's file whether a person has approved them as they are.
    #[must_use]
    pub fn new(
        configs: impl IntoIterator<Item = ServerConfig>,
        is_approved: impl Fn(&ServerConfig) -> bool,
        store: Arc<ToolStore>,
        place: Place,
    ) -> Self {
        let server = |config: ServerConfig| {
            let is_approved = is_approved(&config);
            let server = Server {
                config,
                is_approved,
                live: AsyncMutex::default(),
                in_flight: Arc::new(Semaphore::new(IN_FLIGHT_MAX)),
                prepared: PreparedTools::default(),
                said: Mutex::default(),
            };
            (server.config.id.clone(), server)
        };
        let servers: BTreeMap<ServerId, Server> = configs.into_iter().map(server).collect();
        Self {
            kept: Kept::new(store, servers.values().map(|server| &server.config)),
            servers,
            faults: Vec::new(),
            listings: Listings::default(),
            place,
            uses: Uses::default(),
            steps: Steps::default(),
        }
    }

    /// The same, which says of a server with a faulty entry what is wrong with it.
    #[must_use]
    pub fn with_faults(self, faults: Vec<FileError>) -> Self {
        Self { faults, ..self }
    }

    /// The entries that cannot be used, and why.
    #[must_use]
    pub fn faults(&self) -> &[FileError] {
        &self.faults
    }

    /// The servers as configured, by name.
    pub fn servers(&self) -> impl Iterator<Item = &ServerConfig> {
        self.servers.values().map(|server| &server.config)
    }

    /// One server as configured.
    #[must_use]
    pub fn server(&self, id: &str) -> Option<&ServerConfig> {
        self.known(id).map(|server| &server.config)
    }

    /// Why a server does not start, where a folder that it may write is refused.
    #[must_use]
    pub fn refused_folder(&self, config: &ServerConfig) -> Option<String> {
        let Transport::Stdio(program) = &config.transport else { return None };
        process::writable_folders(config, program, &self.place).err()
    }

    /// The caches of launchers, and which of them every started server may write.
    pub fn caches(&self) -> impl Iterator<Item = LauncherCache<'_>> {
        self.place.caches()
    }

    /// The files and folders of this program that lie in a folder which a server may write, or hold one: it writes none of them, and can
    /// make nothing beside them, since the kernel's rules are for whole folders.
    #[must_use]
    pub fn closed_within(&self, config: &ServerConfig) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> =
            config.writable_folders().into_iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let closed = self.place.hidden.iter().chain(&self.place.protected).filter_map(|path| path.canonicalize().ok());
        let mut closed: Vec<PathBuf> = closed
            .filter(|path| folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path)))
            .collect();
        closed.sort();
        closed.dedup();
        closed
    }

    /// Whether a server may be started: a person approved it, or it is in the user's own file.
    #[must_use]
    pub fn is_approved(&self, id: &str) -> bool {
        self.known(id).is_some_and(|server| server.is_approved)
    }

    /// What is kept of these servers.
    #[must_use]
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// What is known of each configured server. Reaches none.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn states(&self) -> BoxFuture<'_, Result<BTreeMap<ServerId, ServerState>, StoreError>> {
        Box::pin(async move {
            let mut records = self.kept.servers().await?;
            let mut listings: BTreeMap<ServerId, ReadListing> = records
                .iter()
                .filter_map(|(id, record)| Some((id.clone(), self.listings.get(id, record.discovered_ms)?)))
                .collect();
            if listings.len() < records.len() {
                let read = self.kept.listings().await?;
                listings = read.iter().map(|(id, record)| (id.clone(), self.listings.take(id, record))).collect();
            }
            let now_ms = self.kept.now_unix_ms();
            let states = self.servers.iter().map(|(id, server)| {
                let known = records.remove(id).map(|record| (record, listings.remove(id).unwrap_or_default()));
                (id.clone(), ServerState::of(known, &server.config, now_ms))
            });
            Ok(states.collect())
        })
    }

    /// What is known of one configured server. Reaches nothing.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn state<'a>(&'a self, id: &'a ServerId) -> BoxFuture<'a, Result<Option<ServerState>, StoreError>> {
        Box::pin(async move {
            let Some(server) = self.servers.get(id) else { return Ok(None) };
            let known = match self.kept.server(id.as_str()).await? {
                None => None,
                Some(record) => {
                    let listing = self.listing(id, record.discovered_ms).await?;
                    Some((record, listing))
                }
            };
            Ok(Some(ServerState::of(known, &server.config, self.kept.now_unix_ms())))
        })
    }

    /// Discovers the tools of a server and keeps them.
    ///
    /// # Errors
    /// When what is found cannot be kept.
    pub fn discover<'a>(
        &'a self,
        id: &'a ServerId,
        watcher: Watcher<'a>,
    ) -> BoxFuture<'a, Result<DiscoveryEnd, StoreError>> {
        Box::pin(async move {
            let Some(server) = self.servers.get(id) else {
                let fault = ServerFault::NotStarted("it is not configured".to_owned());
                return Ok(DiscoveryEnd::Failed(Box::new(ServerError {
                    server: id.clone(),
                    fault,
                    stderr: String::new(),
                })));
            };
            if let Err(error) = server.may_start() {
                return Ok(DiscoveryEnd::Failed(error));
            }
            let discovery = self.steps.begin(id);
            let watcher = |progress| {
                discovery.note(progress);
                watcher(progress);
            };
            let end = discover(&server.config, &self.place, self.kept.store(), this_process(), &watcher).await;
            server.prepared.forget();
            end
        })
    }

    /// The steps of all discoveries of this process from now on, those before a first call among them. Who reads slowly misses some.
    #[must_use]
    pub fn steps(&self) -> broadcast::Receiver<Step> {
        self.steps.subscribe()
    }

    /// The discoveries of this process that go on, and how far each is.
    #[must_use]
    pub fn discovering(&self) -> BTreeMap<ServerId, Progress> {
        self.steps.current()
    }

    /// Calls a tool with arguments that are checked first. The server is reached on first use, and its definition of the tool is
    /// compared with the approved one before anything is sent.
    ///
    /// # Errors
    /// Why there is no result.
    pub fn call<'a>(&'a self, allowed: &'a AllowedTool, call: ServerCall) -> BoxFuture<'a, Result<Reply, ToolError>> {
        Box::pin(async move {
            let ServerCall { arguments, meta, progress } = call;
            let (id, tool) = (allowed.server(), allowed.tool());
            let server = self.usable(id)?;
            let in_flight = Arc::clone(&server.in_flight).acquire_owned().await;
            let _turn = in_flight.map_err(|_| ToolError::Store("the program is ending".to_owned()))?;
            // Before anything is started: most faults of a call need no server.
            let generation = server.prepared.generation();
            let known = self.prepared(server, tool).await?;
            let arguments = Value::Object(arguments);
            if let Some(prepared) = &known {
                prepared.check_arguments(id, tool, &arguments)?;
            }
            // How the first attempt ended, where it is repeated, and whether it may have changed something.
            let mut first: Option<(Box<ServerError>, bool)> = None;
            loop {
                let ready = async {
                    let connection = self.connected(server).await.map_err(ToolError::Failed)?;
                    // Connecting may have listed the tools anew.
                    let prepared = match &known {
                        Some(known) if server.prepared.generation() == generation => Arc::clone(known),
                        _ => match self.prepared(server, tool).await? {
                            Some(prepared) => prepared,
                            None => return Err(self.no_tool(id, tool).await),
                        },
                    };
                    let prepared = self.as_said(server, &connection, tool, prepared).await?;
                    // It was admitted as it was known before.
                    if allowed.must_read() && prepared.effect != Effect::Reads {
                        return Err(ToolError::Changed { server: id.clone(), tool: tool.to_owned(), is_new: false });
                    }
                    if !known.as_ref().is_some_and(|known| Arc::ptr_eq(known, &prepared)) {
                        prepared.check_arguments(id, tool, &arguments)?;
                    }
                    Ok((connection, prepared))
                };
                let (connection, prepared) = match (ready.await, first.as_ref()) {
                    (Ok(ready), _) => ready,
                    // It is not repeated after all, and what it did stays done.
                    (Err(_), Some((error, true))) => {
                        return Err(ToolError::UnknownOutcome(error.clone(), tool.to_owned()));
                    }
                    (Err(error), _) => return Err(error),
                };
                let fields = arguments.as_object().cloned().unwrap_or_default();
                let call = ServerCall { arguments: fields, meta: meta.clone(), progress: progress.clone() };
                let called = connection.call(tool, call, server.config.bounds.call_max).await;
                let text = match called {
                    Ok(text) => text,
                    Err(error) => {
                        let is_answer = matches!(error.fault, ServerFault::Error { .. });
                        server.note(if is_answer { None } else { Some(&error) }).await;
                        let may_repeat = matches!(prepared.effect, Effect::Reads) || prepared.is_idempotent;
                        let has_ended = matches!(error.fault, ServerFault::Ended { phase: Phase::Call, .. });
                        if has_ended && may_repeat && first.is_none() {
                            first = Some((error, prepared.effect != Effect::Reads));
                            continue;
                        }
                        let may_have_changed = first.is_some_and(|(_, may_have_changed)| may_have_changed)
                            || (prepared.effect != Effect::Reads && !error.fault.is_refusal());
                        return Err(if may_have_changed {
                            ToolError::UnknownOutcome(error, tool.to_owned())
                        } else {
                            ToolError::Failed(error)
                        });
                    }
                };
                server.note(None).await;
                let reply = Reply::admit(&text)
                    .map_err(|fault| ToolError::Result { tool: tool.to_owned(), fault })
                    .and_then(|reply| prepared.check_reply(tool, reply))?;
                if reply.is_error {
                    let text = reply.error_text();
                    let advice = server.config.advice_of_denial(&text, prepared.effect);
                    return Err(ToolError::Tool { tool: tool.to_owned(), text, advice });
                }
                let hash = (!prepared.declares_result()).then_some(prepared.hash.as_str());
                self.uses.note(self.kept.key(id.as_str()), tool, hash, &reply, self.kept.now_unix_ms());
                return Ok(reply);
            }
        })
    }

    /// What a tool does, as its server said when it was approved; unknown where nothing is known of the tool. Reaches no server.
    ///
    /// # Errors
    /// [`ToolError::Changed`] of a tool whose server says something else now, and when what is known cannot be read.
    pub fn effect<'a>(&'a self, server: &'a str, tool: &'a str) -> BoxFuture<'a, Result<Effect, ToolError>> {
        Box::pin(async move {
            let Some(known) = self.known(server) else { return Ok(Effect::Unknown) };
            let prepared = self.prepared(known, tool).await?;
            Ok(prepared.map_or(Effect::Unknown, |prepared| prepared.effect))
        })
    }

    /// The definition of a tool, as its server says it now: the server is reached if nothing is known of the tool.
    ///
    /// # Errors
    /// When there is no such tool, or the server failed.
    pub fn definition<'a>(&'a self, allowed: &'a AllowedTool) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let (id, tool) = (allowed.server(), allowed.tool());
            let server = self.usable(id)?;
            let read = async || {
                let record = self.kept.definition(id.as_str(), tool).await;
                let record = record.map_err(|error| ToolError::Store(error.brief().to_owned()))?;
                Ok::<_, ToolError>(record.filter(|record| record.is_listed))
            };
            let mut record = read().await?;
            if record.is_none() {
                self.connected(server).await.map_err(ToolError::Failed)?;
                record = read().await?;
            }
            match record {
                Some(record) if record.hash != record.approved_hash => Err(ToolError::changed(id, &record)),
                Some(record) => Ok(intentbox_catalog::json::parse_value(&record.definition).unwrap_or_default()),
                None => Err(self.no_tool(id, tool).await),
            }
        })
    }

    /// What the answers of a tool look like, as far as any were seen under the definition of this hash. Reaches no server.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub fn seen<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        hash: &'a str,
    ) -> BoxFuture<'a, Result<Option<Seen>, StoreError>> {
        Box::pin(async move {
            let key = self.kept.key(server);
            let kept = self.kept.store().shape(key, tool).await?.filter(|kept| kept.hash == hash);
            let kept = kept.and_then(|kept| Seen::decode(&kept.encoded));
            Ok(match (kept, self.uses.seen(key, tool, hash)) {
                (Some(kept), Some(new)) => Some(kept.with(new)),
                (kept, new) => new.or(kept),
            })
        })
    }

    /// Keeps how tools were used since the last time. What cannot be kept is lost: it ranks tools, and decides nothing.
    pub async fn keep_uses(&self) {
        self.uses.keep(self.kept.store()).await;
    }

    /// Closes connections that were not used for a while. Returns when the next one may be due.
    pub async fn close_idle(&self) -> Option<Instant> {
        self.keep_uses().await;
        let mut next = None;
        for server in self.servers.values() {
            let mut live = server.live.lock().await;
            let Some(idle) = live.idle else { continue };
            let is_busy = server.in_flight.available_permits() < IN_FLIGHT_MAX;
            if idle <= Instant::now() && !is_busy {
                live.idle = None;
                let connection = live.connection.take();
                drop(live);
                if let Some(connection) = connection {
                    connection.close().await;
                }
            } else {
                let due = if is_busy { Instant::now() + IDLE_MAX } else { idle };
                next = Some(next.map_or(due, |next: Instant| next.min(due)));
            }
        }
        next
    }

    /// Closes connections as they become idle, for as long as it is polled: for programs that live long.
    pub fn keep_closing_idle(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let next = self.close_idle().await.unwrap_or_else(|| Instant::now() + IDLE_MAX);
                sleep_until(next.max(Instant::now() + Duration::from_secs(1))).await;
            }
        })
    }

    /// Ends all servers that were started.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.keep_uses().await;
            let closing = self.servers.values().map(|server| async {
                let connection = server.live.lock().await.connection.take();
                if let Some(connection) = connection {
                    connection.close().await;
                }
            });
            futures_util::future::join_all(closing).await;
        })
    }

    /// What a server listed at a time, or later if it has listed again.
    async fn listing(&self, id: &ServerId, discovered_ms: i64) -> Result<ReadListing, StoreError> {
        if let Some(read) = self.listings.get(id, discovered_ms) {
            return Ok(read);
        }
        let record = self.kept.listing(id.as_str()).await?;
        Ok(record.map(|record| self.listings.take(id, &record)).unwrap_or_default())
    }

    fn known(&self, id: &str) -> Option<&Server> {
        self.servers.get(&id.parse::<ServerId>().ok()?)
    }

    /// The open connection of a server, or a new one, whose tools were listed and compared with those that are kept.
    async fn connected(&self, server: &Server) -> Result<Arc<Connection>, Box<ServerError>> {
        let mut live = server.live.lock().await;
        if let Some(connection) = live.connection.as_ref().filter(|connection| !connection.is_closed()) {
            let connection = Arc::clone(connection);
            live.idle = Some(Instant::now() + IDLE_MAX);
            if let Some(changed) = connection.take_changed_list() {
                self.list_again(server, &connection, &self.steps.begin(&server.config.id)).await?;
                changed.done();
            }
            return Ok(connection);
        }
        if let Some(closed) = live.connection.take() {
            closed.close().await;
        }
        if let Some(until) = live.rests_until.filter(|until| *until > Instant::now()) {
            let (failures, last) = (live.failures, live.last.clone());
            let fault = ServerFault::Resting { failures, last, left: until - Instant::now() };
            return Err(Box::new(ServerError { server: server.config.id.clone(), fault, stderr: String::new() }));
        }
        let deadline = Instant::now() + server.config.bounds.discovery_max;
        let discovery = self.steps.begin(&server.config.id);
        discovery.note(Progress::Starting);
        discovery.note(Progress::Connecting);
        let opened = Connection::open(&server.config, &self.place, Purpose::Calls, deadline).await;
        let opened = match opened {
            Ok(connection) => {
                let connection = Arc::new(connection);
                self.list_again(server, &connection, &discovery).await.map(|()| connection)
            }
            Err(error) => Err(error),
        };
        match opened {
            Ok(connection) => {
                live.connection = Some(Arc::clone(&connection));
                live.idle = Some(Instant::now() + IDLE_MAX);
                Ok(connection)
            }
            Err(error) => {
                live.fail(&error);
                Err(error)
            }
        }
    }

    /// Lists the tools of an open connection and keeps them.
    async fn list_again(
        &self,
        server: &Server,
        connection: &Connection,
        discovery: &Discovery<'_>,
    ) -> Result<(), Box<ServerError>> {
        let max = server.config.bounds.discovery_max;
        let watcher = |progress| discovery.note(progress);
        watcher(Progress::Discovering(0));
        let texts = connection.list(Instant::now() + max, max, &|tools| watcher(Progress::Discovering(tools))).await?;
        let kept = keep(&server.config, self.kept.store(), None, connection.greeting(), &texts, &watcher).await;
        server.prepared.forget();
        let KeptListing { listing, hashes } = kept.map_err(|error| {
            let fault = ServerFault::NotStarted(format!("its tools cannot be kept: {error}"));
            Box::new(ServerError { server: server.config.id.clone(), fault, stderr: String::new() })
        })?;
        *server.said() = hashes;
        watcher(Progress::Complete { tools: listing.tools.len(), rejected: listing.rejected.len() });
        Ok(())
    }

    /// A tool that is kept as this connection said it. Where another one said something else later, the tools are listed here anew: only
    /// what this server says, and what is approved, is called.
    async fn as_said(
        &self,
        server: &Server,
        connection: &Connection,
        tool: &str,
        prepared: Arc<Prepared>,
    ) -> Result<Arc<Prepared>, ToolError> {
        let is_said = |prepared: &Prepared| server.said().get(tool) == Some(&prepared.hash);
        if is_said(&prepared) {
            return Ok(prepared);
        }
        let id = &server.config.id;
        let steps = self.steps.begin(id);
        Box::pin(self.list_again(server, connection, &steps)).await.map_err(ToolError::Failed)?;
        drop(steps);
        match self.prepared(server, tool).await? {
            Some(prepared) if is_said(&prepared) => Ok(prepared),
            Some(_) => Err(ToolError::Changed { server: id.clone(), tool: tool.to_owned(), is_new: false }),
            None => Err(self.no_tool(id, tool).await),
        }
    }

    /// A tool as it is kept, ready to be called; nothing if it is not known. What is kept is read often: another process may have
    /// seen another definition.
    async fn prepared(&self, server: &Server, tool: &str) -> Result<Option<Arc<Prepared>>, ToolError> {
        let (id, now) = (&server.config.id, Instant::now());
        if let Some(recent) = server.prepared.recent(tool, now) {
            return Ok(Some(recent));
        }
        let generation = server.prepared.generation();
        let record = self.kept.definition(id.as_str(), tool).await;
        let record = record.map_err(|error| ToolError::Store(error.brief().to_owned()))?;
        let Some(record) = record.filter(|record| record.is_listed) else { return Ok(None) };
        if record.hash != record.approved_hash {
            return Err(ToolError::changed(id, &record));
        }
        Ok(Some(server.prepared.take(tool, &record, generation, now)))
    }

    /// A server that may be reached.
    fn usable(&self, id: &ServerId) -> Result<&Server, ToolError> {
        let server = self.servers.get(id).ok_or_else(|| self.no_server(id))?;
        server.may_start().map_err(ToolError::Failed)?;
        Ok(server)
    }

    fn no_server(&self, id: &ServerId) -> ToolError {
        if let Some(fault) = self.faults.iter().find(|fault| fault.id.as_deref() == Some(id.as_str())) {
            let fault = ServerFault::Invalid { file: fault.file.clone(), reason: fault.reason.clone() };
            return ToolError::Failed(Box::new(ServerError { server: id.clone(), fault, stderr: String::new() }));
        }
        let id = id.as_str();
        let names = self.servers.values().filter(|server| server.config.is_enabled);
        let nearest = nearest(id, names.map(|server| server.config.id.as_str()));
        ToolError::NoServer { server: shown(id), nearest }
    }

    async fn no_tool(&self, id: &ServerId, tool: &str) -> ToolError {
        let listing = self.state(id).await.ok().flatten().map(|state| state.listing).unwrap_or_default();
        let nearest = nearest(tool, listing.tools.iter().map(|row| row.name.as_str()));
        ToolError::NoTool { server: id.clone(), tool: shown(tool), nearest }
    }
}

impl Server {
    fn said(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_start(&self) -> Result<(), Box<ServerError>> {
        let fault = match (self.config.is_enabled, self.is_approved) {
            (true, true) => return Ok(()),
            (false, _) => ServerFault::Disabled { file: self.config.file.clone() },
            (true, false) => ServerFault::NotTrusted,
        };
        Err(Box::new(ServerError { server: self.config.id.clone(), fault, stderr: String::new() }))
    }

    /// Notes how a call went.
    async fn note(&self, error: Option<&ServerError>) {
        let mut live = self.live.lock().await;
        match error {
            None => {
                live.failures = 0;
                live.rests_until = None;
            }
            Some(error) => live.fail(error),
        }
    }
}

impl Live {
    fn fail(&mut self, error: &ServerError) {
        self.failures = self.failures.saturating_add(1);
        self.last = error.fault.to_string();
        if self.failures >= FAILURES_MAX {
            let doubled = REST_MIN.saturating_mul(1 << (self.failures - FAILURES_MAX).min(8));
            self.rests_until = Some(Instant::now() + doubled.min(REST_MAX));
        }
    }
}

impl ServerState {
    fn of(known: Option<(ServerRecord, ReadListing)>, config: &ServerConfig, now_ms: i64) -> Self {
        let Some((record, ReadListing { discovered_ms, listing })) = known else {
            return Self {
                status: DiscoveryStatus::Never,
                changed_ms: 0,
                failure: None,
                discovered_ms: 0,
                listing: Arc::default(),
                is_outdated: false,
            };
        };
        let is_lapsed = record.status == DiscoveryStatus::Discovering
            && (now_ms.saturating_sub(record.changed_ms) > intentbox_store::DISCOVERY_LAPSES_MS
                || !is_alive(record.owner));
        let (status, failure) = if is_lapsed {
            (DiscoveryStatus::Failed, Some(DiscoveryFailure::lapsed()))
        } else {
            (record.status, DiscoveryFailure::decode(&record.failure))
        };
        Self {
            status,
            changed_ms: record.changed_ms,
            failure,
            discovered_ms,
            is_outdated: record.config_hash != config.hash().to_hex()
                || (listing.is_none() && status == DiscoveryStatus::Success),
            listing: listing.unwrap_or_default(),
        }
    }
}

/// The name that a misspelled one is nearest to, if one is near.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let scored = names.map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    let best = scored.max_by(|(one, _), (two, _)| one.total_cmp(two));
    best.filter(|(score, _)| *score >= 0.8).map(|(_, candidate)| candidate.to_owned())
}

fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    printable(&cut).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_is_led_to_the_nearest() {
        let names = ["git_log", "git_diff", "git_status"];
        assert_eq!(nearest("git_lgo", names.into_iter()).as_deref(), Some("git_log"));
        assert_eq!(nearest("Git_Status", names.into_iter()).as_deref(), Some("git_status"));
        assert_eq!(nearest("fetch", names.into_iter()), None);
    }

    #[test]
    fn a_server_that_fails_again_and_again_is_left_alone_for_longer() {
        let fault = ServerFault::Http("no".to_owned());
        let error = ServerError { server: "a".parse().expect("an id"), fault, stderr: String::new() };
        let mut live = Live::default();
        let rests: Vec<u128> = (0..9)
            .map(|_| {
                live.fail(&error);
                live.rests_until.map_or(0, |until| (until - Instant::now()).as_millis().div_ceil(1_000))
            })
            .collect();
        assert_eq!(rests, [0, 0, 2, 4, 8, 16, 32, 60, 60]);
    }
}
