//! A server that was reached: its tools are listed and called through it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use intentbox_capability::ServerId;
use intentbox_catalog::terminal::printable;
use intentbox_egress::{Credential, Secret, Source, Upstream};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    ListToolsRequest, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    RequestParamsMeta as _, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, NotificationContext, PeerRequestOptions, RequestHandle, RunningService,
    ServiceError, serve_client_with_lifecycle,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use crate::definition::summary;
use crate::error::{Phase, ServerError, ServerFault};
use crate::frame::Frames;
use crate::http::HttpClient;
use crate::pipe::Pipe;
use crate::place::Place;
use crate::process::{Process, Purpose};
use crate::server::{Endpoint, EndpointCredential, Program, ServerConfig, Transport};

/// How many tools a server may list.
pub const TOOLS_MAX: usize = 10_000;

/// How many pages a listing may have.
const PAGES_MAX: usize = 1_000;

/// How many bytes all pages of a listing may have.
const LISTING_BYTES_MAX: usize = 64 << 20;

/// How many bytes a cursor may have.
const CURSOR_BYTES_MAX: usize = 64 << 10;

/// How many characters of a server's error are repeated.
const MESSAGE_CHARS_MAX: usize = 500;

/// The shortest value of a variable or header that is hidden in what a server writes. Shorter ones are words such as `true`.
const SECRET_BYTES_MIN: usize = 6;

/// Takes the progress of a call: how far, of how much if that is known, and a text.
pub type ProgressSink = Arc<dyn Fn(f64, Option<f64>, Option<&str>) + Send + Sync>;

/// What is sent with a call of a tool.
#[derive(Clone, Default)]
pub struct ServerCall {
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What goes into `_meta`, such as the `traceparent` of SEP-414.
    pub meta: Vec<(&'static str, String)>,
    /// Where the server's progress is told.
    pub progress: Option<ProgressSink>,
}

impl fmt::Debug for ServerCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServerCall").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

impl ServerCall {
    /// A call with these arguments, and nothing else.
    #[must_use]
    pub fn of(arguments: Map<String, Value>) -> Self {
        Self { arguments, ..Self::default() }
    }
}

/// A server that was reached.
pub(crate) struct Connection {
    server: ServerId,
    service: RunningService<RoleClient, Client>,
    frames: Arc<Frames>,
    /// The process, if it was started and has not been taken by who found it ended.
    process: tokio::sync::Mutex<Option<Process>>,
    /// The client, if it is reached over HTTP.
    http: Option<HttpClient>,
    /// What its stderr is shown without.
    secrets: Vec<String>,
}

/// What the server says of itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Greeting {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) protocol: String,
}

/// This program as a client: it offers nothing, and passes progress on.
#[derive(Default)]
struct Client {
    progress: Arc<Mutex<HashMap<ProgressToken, ProgressSink>>>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let sink = self.progress.lock().unwrap_or_else(PoisonError::into_inner).get(&progress.progress_token).cloned();
        if let Some(sink) = sink {
            let text = progress.message.as_deref().map(summary);
            sink(progress.progress, progress.total, text.as_deref());
        }
    }

    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("intentbox", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), implementation)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// One page of a listing.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(default)]
    next_cursor: Option<String>,
}

impl Connection {
    /// Reaches a server, and agrees on a revision of the protocol: 2026-07-28, or an older one with its handshake.
    ///
    /// # Errors
    /// When it cannot be started or reached, or does not speak the protocol, within `deadline`.
    pub(crate) async fn open(
        config: &ServerConfig,
        place: &Place,
        purpose: Purpose,
        deadline: Instant,
    ) -> Result<Connection, Box<ServerError>> {
        let attempt = async |lifecycle| match &config.transport {
            Transport::Stdio(program) => Self::open_stdio(config, program, place, purpose, deadline, lifecycle).await,
            Transport::Http(endpoint) => Self::open_http(config, endpoint, place, deadline, lifecycle).await,
        };
        let opened = match attempt(lifecycle()).await {
            Err(Unopened { is_newer: true, .. }) => attempt(newest()).await,
            opened => opened,
        };
        opened.map_err(|unopened| unopened.error)
    }

    async fn open_stdio(
        config: &ServerConfig,
        program: &Program,
        place: &Place,
        purpose: Purpose,
        deadline: Instant,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, Unopened> {
        let secrets = secrets(program.env.values().chain(&config.secrets));
        let frames = Arc::new(Frames::without(&config.secrets));
        let error =
            |fault: ServerFault, stderr: String| Box::new(ServerError { server: config.id.clone(), fault, stderr });
        let started = Process::start(config, program, place, purpose, &frames);
        let (mut process, (stdout, stdin)) = started.map_err(|fault| error(fault, String::new()))?;
        let pipe = Pipe::new(stdout, stdin, Arc::clone(&frames));
        let serving = serve_client_with_lifecycle(Client::default(), pipe, lifecycle);
        match timeout_at(deadline, serving).await {
            Ok(Ok(service)) => {
                let process = tokio::sync::Mutex::new(Some(process));
                Ok(Connection { server: config.id.clone(), service, frames, process, http: None, secrets })
            }
            Ok(Err(failed)) => {
                let fault = match (frames.fault(), refused(&failed)) {
                    (Some(fault), _) => ServerFault::CutOff(fault.to_string()),
                    (None, Some(fault)) => fault,
                    (None, None) => ended(&mut process, Phase::Handshake, &frames).await,
                };
                Err(Unopened { error: error(fault, process.stderr(&secrets)), is_newer: is_newer(&failed) })
            }
            Err(_) => {
                let fault = frames.fault().map_or(
                    ServerFault::TimedOut { phase: Phase::Handshake, after: config.bounds.discovery_max },
                    |fault| ServerFault::CutOff(fault.to_string()),
                );
                Err(error(fault, process.stderr(&secrets)).into())
            }
        }
    }

    async fn open_http(
        config: &ServerConfig,
        endpoint: &Endpoint,
        place: &Place,
        deadline: Instant,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, Unopened> {
        let server = config.id.clone();
        let error =
            |fault: ServerFault| Box::new(ServerError { server: config.id.clone(), fault, stderr: String::new() });
        let upstream = upstream(endpoint, place).map_err(|told| error(ServerFault::Credential(told)))?;
        let frames = Arc::new(Frames::without(&config.secrets));
        let client = HttpClient::new(config.told.url(), upstream, Arc::clone(&frames));
        let transport = StreamableHttpClientTransport::with_client(
            client.clone(),
            StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str()),
        );
        let serving = serve_client_with_lifecycle(Client::default(), transport, lifecycle);
        match timeout_at(deadline, serving).await {
            Ok(Ok(service)) => {
                let process = tokio::sync::Mutex::new(None);
                Ok(Connection { server, service, frames, process, http: Some(client), secrets: Vec::new() })
            }
            Ok(Err(failed)) => {
                let told = || ServerFault::Http(summary(&failed.to_string()));
                let error = error(client.fault().or_else(|| refused(&failed)).unwrap_or_else(told));
                Err(Unopened { error, is_newer: is_newer(&failed) })
            }
            Err(_) => {
                let after = config.bounds.discovery_max;
                Err(error(client.fault().unwrap_or(ServerFault::TimedOut { phase: Phase::Handshake, after })).into())
            }
        }
    }

    /// What the server says of itself, as short plain text.
    pub(crate) fn greeting(&self) -> Greeting {
        let Some(info) = self.service.peer().peer_info() else { return Greeting::default() };
        let of = |text: Option<&str>| text.map(summary).unwrap_or_default();
        Greeting {
            name: of(info.server_info.as_ref().map(|server| server.name.as_str())),
            version: of(info.server_info.as_ref().map(|server| server.version.as_str())),
            protocol: of(Some(info.protocol_version.as_str())),
        }
    }

    /// Whether nothing more can be sent.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.peer().is_transport_closed() || self.frames.fault().is_some()
    }

    /// Whether the server said since the last time that its tools have changed. It counts as said again if what is returned is dropped:
    /// they must be listed first.
    pub(crate) fn take_changed_list(&self) -> Option<ChangedList> {
        self.frames.take_changed_list().then(|| ChangedList(Some(Arc::clone(&self.frames))))
    }

    /// All tools as the texts that came. `progress` is called with their number after each page.
    ///
    /// # Errors
    /// When the server fails, or lists too much.
    pub(crate) async fn list(
        &self,
        deadline: Instant,
        max: Duration,
        progress: &(dyn Fn(usize) + Send + Sync),
    ) -> Result<Vec<String>, Box<ServerError>> {
        let (mut tools, mut cursor, mut bytes) = (Vec::new(), None::<String>, 0_usize);
        for _ in 0..PAGES_MAX {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let text = self.request(request, Phase::Listing, deadline, max, None).await?;
            let refused = |reason: String| ServerFault::Listing(reason);
            bytes += text.len();
            if bytes > LISTING_BYTES_MAX {
                return Err(self.error(refused(format!("it has more than {LISTING_BYTES_MAX} bytes"))).await);
            }
            // The library would read a list as the fields of a page, in their order.
            let is_object = text.trim_start().starts_with('{');
            let page = match serde_json::from_str::<Page<'_>>(&text) {
                Ok(page) if is_object => page,
                Ok(_) => return Err(self.error(ServerFault::Protocol("tools/list is a list".to_owned())).await),
                Err(error) => return Err(self.error(ServerFault::Protocol(format!("tools/list: {error}"))).await),
            };
            tools.extend(page.tools.iter().map(|tool| tool.get().to_owned()));
            if tools.len() > TOOLS_MAX {
                return Err(self.error(refused(format!("it has more than {TOOLS_MAX} tools"))).await);
            }
            progress(tools.len());
            match page.next_cursor {
                None => return Ok(tools),
                Some(next) if next.len() > CURSOR_BYTES_MAX => {
                    return Err(self.error(refused(format!("a cursor has {} bytes", next.len()))).await);
                }
                Some(next) if cursor.as_ref() == Some(&next) => {
                    return Err(self.error(refused("the next page is the same page again".to_owned())).await);
                }
                Some(next) => cursor = Some(next),
            }
        }
        Err(self.error(ServerFault::Listing(format!("it has more than {PAGES_MAX} pages"))).await)
    }

    /// Calls a tool, and returns its result as the text that came. Dropping the future cancels the call.
    ///
    /// # Errors
    /// When the server fails.
    pub(crate) async fn call(&self, tool: &str, call: ServerCall, max: Duration) -> Result<String, Box<ServerError>> {
        let ServerCall { arguments, meta, progress } = call;
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        for (name, value) in meta {
            params.meta_or_default().insert(name.to_owned(), value.into());
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.request(request, Phase::Call, Instant::now() + max, max, progress).await
    }

    /// What the server asked of its client since the last time, such as `elicitation`: it was declined.
    pub(crate) fn take_asked(&self) -> Option<&'static str> {
        self.frames.take_asked()
    }

    /// Ends the connection, and the process with all its children.
    pub(crate) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = self.process.lock().await.take() {
            process.end().await;
        }
    }

    async fn request(
        &self,
        request: ClientRequest,
        phase: Phase,
        deadline: Instant,
        max: Duration,
        progress: Option<ProgressSink>,
    ) -> Result<String, Box<ServerError>> {
        let peer = self.service.peer();
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let Ok(handle) = sent else { return Err(self.failed(phase).await) };
        let mut waiting = Waiting::new(handle, &self.frames, &self.service.service().progress, progress);
        let answer = timeout_at(deadline, waiting.answer()).await;
        let Ok(result) = answer else {
            drop(waiting);
            let fault = ServerFault::TimedOut { phase, after: max };
            return Err(self.error(fault).await);
        };
        let id = waiting.end();
        match result {
            Some(Ok(_)) => {
                if let Some(text) = id.and_then(|id| self.frames.take(&id)) {
                    Ok(text)
                } else {
                    let asked = self.take_asked().unwrap_or("input");
                    let fault = format!("it asks for {asked} in the middle of a request, which is not offered to it");
                    Err(self.error(ServerFault::Protocol(fault)).await)
                }
            }
            Some(Err(ServiceError::McpError(error))) => Err(self.error(answered(&error)).await),
            Some(Err(_)) | None => Err(self.failed(phase).await),
        }
    }

    /// The error of a server whose connection has ended.
    async fn failed(&self, phase: Phase) -> Box<ServerError> {
        if let Some(fault) = self.frames.fault() {
            return self.error(ServerFault::CutOff(fault.to_string())).await;
        }
        if let Some(fault) = self.http.as_ref().and_then(HttpClient::fault) {
            return self.error(fault).await;
        }
        let mut process = self.process.lock().await;
        let (fault, stderr) = match process.as_mut() {
            Some(process) => (ended(process, phase, &self.frames).await, process.stderr(&self.secrets)),
            None => (ServerFault::Ended { phase, status: None }, String::new()),
        };
        drop(process);
        Box::new(ServerError { server: self.server.clone(), fault, stderr })
    }

    async fn error(&self, fault: ServerFault) -> Box<ServerError> {
        let stderr = self.process.lock().await.as_ref().map(|process| process.stderr(&self.secrets));
        Box::new(ServerError { server: self.server.clone(), fault, stderr: stderr.unwrap_or_default() })
    }
}

/// A request that is waited for. If it is dropped before its answer, the server is told to stop.
struct Waiting<'a> {
    handle: Option<RequestHandle<RoleClient>>,
    frames: &'a Arc<Frames>,
    progress: &'a Arc<Mutex<HashMap<ProgressToken, ProgressSink>>>,
    token: ProgressToken,
}

impl<'a> Waiting<'a> {
    fn new(
        handle: RequestHandle<RoleClient>,
        frames: &'a Arc<Frames>,
        progress: &'a Arc<Mutex<HashMap<ProgressToken, ProgressSink>>>,
        sink: Option<ProgressSink>,
    ) -> Self {
        let token = handle.progress_token.clone();
        if let Some(sink) = sink {
            progress.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), sink);
        }
        Self { handle: Some(handle), frames, progress, token }
    }

    /// The answer, or nothing if the connection has ended.
    async fn answer(&mut self) -> Option<Result<ServerResult, ServiceError>> {
        let handle = self.handle.as_mut()?;
        (&mut handle.rx).await.ok()
    }

    /// The id of a request that was answered.
    fn end(mut self) -> Option<rmcp::model::RequestId> {
        self.handle.take().map(|handle| handle.id.clone())
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.token);
        if let Some(handle) = self.handle.take() {
            self.frames.forget(&handle.id);
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(handle.cancel(Some("the caller gave up".to_owned())));
            }
        }
    }
}

/// The newest revision first. A server that does not know it is greeted as its clients always did.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

/// The newest revision alone, however long its first answer takes.
fn newest() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// Why there is no connection.
struct Unopened {
    error: Box<ServerError>,
    /// Whether the server may speak the newest revision after all.
    is_newer: bool,
}

impl From<Box<ServerError>> for Unopened {
    fn from(error: Box<ServerError>) -> Self {
        Self { error, is_newer: false }
    }
}

/// Whether the server refused the older greeting, which the SDK sends where the newer one is not answered within ten
/// seconds: one that starts slowly gets both at once then, and one of the newest revision refuses the second. A server that
/// refused the newer one first is told apart by `LegacyFallbackFailed`.
fn is_newer(failed: &ClientInitializeError) -> bool {
    matches!(failed, ClientInitializeError::JsonRpcError(_))
}

/// The client for an endpoint, with its credential.
fn upstream(endpoint: &Endpoint, place: &Place) -> Result<Upstream, String> {
    let load = |source: &Source| match place.load {
        Some(load) => load(source),
        None => Err("nothing here can load it".to_owned()),
    };
    let ca_file = endpoint.ca_file.as_ref().map(|path| Source::Certificates(path.to_string_lossy().into_owned()));
    let roots = ca_file.as_ref().map(load).transpose()?.unwrap_or_default();
    let credential = match &endpoint.credential {
        None => None,
        Some(EndpointCredential { source, scheme }) => {
            let credential = Credential::new(scheme, Secret::new(load(source)?), roots.as_bytes());
            Some(credential.map_err(|error| error.to_string())?)
        }
    };
    let headers = endpoint.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    Upstream::new(&endpoint.url, headers, credential, roots.as_bytes()).map_err(|fault| fault.to_string())
}

/// The values that what a server writes to stderr must not repeat.
fn secrets<'a>(values: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut secrets: Vec<String> = values.filter(|value| value.len() >= SECRET_BYTES_MIN).cloned().collect();
    // A secret may hold another one.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

/// A greeting that the server answered with an error, or with something else than a greeting.
fn refused(failed: &ClientInitializeError) -> Option<ServerFault> {
    match failed {
        ClientInitializeError::JsonRpcError(error) => Some(answered(error)),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refused(fallback),
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. }
        | ClientInitializeError::Cancelled => None,
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<String> = server_supported.iter().take(4).map(|one| summary(one.as_str())).collect();
            let versions = if versions.is_empty() { "others".to_owned() } else { versions.join(", ") };
            Some(ServerFault::Protocol(format!("it speaks {versions}, and not 2026-07-28")))
        }
        other => Some(ServerFault::Protocol(summary(&other.to_string()))),
    }
}

fn answered(error: &rmcp::ErrorData) -> ServerFault {
    let message: String = error.message.chars().take(MESSAGE_CHARS_MAX).collect();
    ServerFault::Error { code: i64::from(error.code.0), message: printable(&message).replace('\n', " ") }
}

/// Tools that have changed and are to be listed.
#[derive(Debug)]
pub(crate) struct ChangedList(Option<Arc<Frames>>);

impl ChangedList {
    /// They were listed.
    pub(crate) fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for ChangedList {
    fn drop(&mut self) {
        if let Some(frames) = &self.0 {
            frames.put_changed_list();
        }
    }
}

/// How a process ended that closed its pipes.
async fn ended(process: &mut Process, phase: Phase, frames: &Frames) -> ServerFault {
    match process.ended().await {
        Err(ServerFault::NotStarted(reason)) => ServerFault::NotStarted(frames.without_secrets(&reason)),
        Err(fault) => fault,
        Ok(status) => match frames.noise_sample() {
            Some(sample) if phase == Phase::Handshake => {
                let status = status.unwrap_or_else(|| "its end is unknown".to_owned());
                ServerFault::Protocol(format!("it printed {sample:?} where messages belong, and ended ({status})"))
            }
            _ => ServerFault::Ended { phase, status },
        },
    }
}
