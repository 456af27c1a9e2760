//! Makes an engine: finds the configuration and the policy and loads secrets, or starts the demo tracker.

#![expect(clippy::disallowed_methods, reason = "this is the place that reads the environment")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use intentbox_capability::{Alias, Origin, PrivateAddresses};
use intentbox_catalog::{Catalog, Template, TemplateId};
use intentbox_demo_tracker::DemoTracker;
use intentbox_egress::{Credential, OriginConfig, Secret, Source};
use intentbox_engine::{
    self as engine, CONFIGURATION_BYTES_MAX, Capacity, Configuration, EmbeddingSource, Engine, HERE, KnownTools, Mode,
    POLICY_BYTES_MAX, Parts, Policy, Resources, Routing, Sharing, Switch, ToolSettings, TraceContext, WorkerCommand,
};
use intentbox_files::{Directories, DirectoryError};
use intentbox_jobs::{Place, PostgresUrl};
use intentbox_tools::Upstreams;

use crate::arguments::{Database, Isolation, Runs, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::servers::{self, Servers};
use crate::{WORKER, demo_tracker, folder, input, show};

/// The longest token that is read from a file, in bytes.
const TOKEN_BYTES_MAX: u64 = 16 << 10;

/// The largest file of root certificates that is read, in bytes. The whole list of a browser has a quarter of it.
const CERTIFICATES_BYTES_MAX: usize = 1 << 20;

/// An engine, and the demo tracker that lives as long as it does.
pub(crate) struct Setup {
    pub(crate) engine: Engine,
    pub(crate) demo: Option<DemoTracker>,
    /// The text of the policy file, if there is one.
    pub(crate) policy_text: Option<String>,
    /// The folder of templates that goes over all others.
    pub(crate) templates: Option<PathBuf>,
}

impl Setup {
    /// Ends the upstream servers that were started.
    pub(crate) async fn close(&self) {
        if let Some(upstreams) = self.engine.upstreams() {
            upstreams.close().await;
        }
    }
}

/// What is configured, before an engine is made of it.
pub(crate) struct Configured {
    /// Where the configuration was read; nothing for the demo and for what flags alone say.
    pub(crate) file: Option<PathBuf>,
    /// Where the policy was read, if there is one.
    pub(crate) policy_file: Option<PathBuf>,
    /// What was read there.
    pub(crate) policy_text: Option<String>,
    /// The folder of templates that goes over the built-in ones: the flag's, otherwise the configuration's.
    pub(crate) templates: Option<PathBuf>,
    pub(crate) configuration: Configuration,
    pub(crate) policy: Policy,
    pub(crate) directories: Directories,
    /// The upstream servers, if the policy permits any tool.
    pub(crate) upstreams: Option<Upstreams>,
    /// The names of upstream servers that are approved, in any folder.
    approved: BTreeSet<String>,
    /// The model of embeddings that searches for tools use besides words.
    pub(crate) embedding: Option<EmbeddingSource>,
    pub(crate) demo: Option<DemoTracker>,
}

/// A command runs one script, which may use all that a run may use.
const ONE_RUN: Capacity =
    Capacity { runs: 1, memory_bytes: 2 << 30, wait_max: Duration::from_secs(5), sharing: Sharing::Whole };

/// How many scripts a server runs at the same time, those that wait for memory included.
const RUNS_MAX: u32 = 256;

/// A script that finds no room on a server waits as long as people do.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// What each worker process of a server may hold unless it is said, in bytes: as much as the largest script takes.
const WORKER_BYTES: u64 = 1 << 30;

/// The least that a worker process is given, in bytes.
const WORKER_BYTES_MIN: u64 = 64 << 20;

/// Where a command's one run takes place.
pub(crate) fn place(isolation: Isolation) -> engine::Isolation {
    match isolation {
        Isolation::InProcess => engine::Isolation::InProcess,
        Isolation::Process => workers(1),
    }
}

/// This program again, as workers.
fn workers(count: u32) -> engine::Isolation {
    engine::Isolation::Process(WorkerCommand {
        // Not the path: the file may have been replaced since this process started.
        program: "/proc/self/exe".into(),
        arguments: vec![WORKER.into()],
        count,
    })
}

/// Makes the engine of a command: one run at a time.
pub(crate) async fn engine(sources: &Sources, isolation: Isolation) -> Result<Setup, CommandError> {
    configured(sources).await?.into_setup(isolation)
}

/// Makes the engine of a command that is typed in a folder, which "this repository" may mean.
pub(crate) async fn engine_here(sources: &Sources, isolation: Isolation) -> Result<Setup, CommandError> {
    let mut configured = configured(sources).await?;
    if let Some(here) = std::env::current_dir().ok().and_then(|here| here.into_os_string().into_string().ok()) {
        configured.configuration.settings.entry(HERE.to_owned()).or_insert(here);
    }
    configured.into_setup(isolation)
}

/// Makes the engine of a command that knows its script and asks for no template: reading all of them would cost as much as
/// everything else that it does.
pub(crate) async fn engine_for_exec(sources: &Sources, isolation: Isolation) -> Result<Setup, CommandError> {
    configured(sources).await?.into_engine(Arc::default(), place(isolation), ONE_RUN)
}

/// Makes the engine of a server.
pub(crate) async fn engine_for_server(sources: &Sources, runs: &Runs, sharing: Sharing) -> Result<Setup, CommandError> {
    let configured = configured(sources).await?;
    let catalog = configured.catalog()?;
    let cores =
        || std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX));
    let count = runs.workers.map_or_else(cores, u32::from);
    let memory_bytes = runs.memory.map_or(u64::from(count) * WORKER_BYTES, |mib| mib << 20);
    if memory_bytes / u64::from(count) < WORKER_BYTES_MIN {
        let least = u64::from(count) * (WORKER_BYTES_MIN >> 20);
        return Err(Class::Usage
            .error(format!("{count} worker processes need at least --memory {least}"))
            .hint("give them more, or fewer of them with --workers"));
    }
    let capacity = Capacity { runs: RUNS_MAX, memory_bytes, wait_max: WAIT_MAX, sharing };
    configured.into_engine(catalog, workers(count), capacity)
}

impl Configured {
    /// Reads the templates.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, CommandError> {
        catalog_in(self.templates.as_deref())
    }

    /// The built-in templates that the folder puts others in the place of. What the templates of a pack share is a part
    /// of each: a folder with nothing but a `pack.py` overrides them all.
    pub(crate) fn overriding(&self) -> Result<BTreeSet<TemplateId>, CommandError> {
        let Some(path) = &self.templates else { return Ok(BTreeSet::new()) };
        let places = folder::places(path).class(Class::Configuration)?;
        let is_there = |id: &TemplateId| places.contains(id.as_str()) || places.contains(id.pack());
        let built_in = Catalog::embedded().context("the built-in templates").class(Class::Internal)?;
        Ok(built_in.templates().map(Template::id).filter(|id| is_there(id)).cloned().collect())
    }

    /// The upstream servers that the policy may name, if it permits any tool, with the tools of each as last listed; none where
    /// they are not known. Those that are configured here, faulty ones among them, and those that are approved in other folders.
    pub(crate) async fn known_tools(&self) -> Result<KnownTools, CommandError> {
        let mut known = KnownTools::new();
        known.extend(self.approved.iter().map(|name| (name.clone(), BTreeSet::new())));
        let Some(upstreams) = &self.upstreams else { return Ok(known) };
        known.extend(upstreams.faults().iter().filter_map(|fault| Some((fault.id.clone()?, BTreeSet::new()))));
        for (id, state) in upstreams.states().await.class(Class::Unavailable)? {
            let names = state.listing.tools.iter().map(|row| row.name.clone());
            known.insert(id.to_string(), names.collect());
        }
        Ok(known)
    }

    pub(crate) fn into_setup(self, isolation: Isolation) -> Result<Setup, CommandError> {
        let catalog = self.catalog()?;
        self.into_engine(catalog, place(isolation), ONE_RUN)
    }

    fn into_engine(
        self,
        catalog: Arc<Catalog>,
        isolation: engine::Isolation,
        capacity: Capacity,
    ) -> Result<Setup, CommandError> {
        let Configured {
            configuration, policy, policy_text, templates, directories, upstreams, embedding, demo, ..
        } = self;
        let resources = Resources { directories, upstreams: upstreams.map(Arc::new), embedding };
        let parts = Parts { catalog, configuration, resources, policy, isolation, capacity };
        Ok(Setup { engine: Engine::new(parts).class(Class::Configuration)?, demo, policy_text, templates })
    }
}

/// The templates of a command that needs nothing else of what is configured.
pub(crate) fn catalog(sources: &Sources) -> Result<Arc<Catalog>, CommandError> {
    if sources.templates.is_some() {
        return catalog_in(sources.templates.as_deref());
    }
    let Some(file) = find(sources.config.as_deref())? else { return catalog_in(None) };
    let text = text(&file, CONFIGURATION_BYTES_MAX);
    let folder = text.and_then(|text| engine::templates_folder(&text).with_context(|| file.display().to_string()));
    let folder = folder.class(Class::Configuration)?;
    catalog_in(folder.map(|folder| file.parent().unwrap_or(Path::new(".")).join(folder)).as_deref())
}

/// The built-in templates, and those of a folder.
fn catalog_in(folder: Option<&Path>) -> Result<Arc<Catalog>, CommandError> {
    match folder {
        Some(path) => folder::catalog(path).map(Arc::new).class(Class::Configuration),
        None => Catalog::embedded().context("the built-in templates").class(Class::Internal),
    }
}

/// An engine that can run scripts and reaches nothing.
pub(crate) fn engine_for_doctor(isolation: engine::Isolation) -> Result<Engine, CommandError> {
    let parts = Parts {
        catalog: Arc::default(),
        configuration: Configuration::default(),
        resources: Resources::default(),
        policy: Policy::default(),
        isolation,
        capacity: ONE_RUN,
    };
    Engine::new(parts).class(Class::Internal)
}

/// Reads everything that the flags, the environment and the files say.
pub(crate) async fn configured(sources: &Sources) -> Result<Configured, CommandError> {
    let (configured, missing) = tried(sources).await?;
    match missing.into_iter().next() {
        None => Ok(configured),
        Some(missing) => {
            let advice =
                "create it, or correct its path under [directories] in the configuration or in --dir ALIAS=PATH";
            Err(missing).class(Class::Configuration).hint(advice)
        }
    }
}

/// The same, without the directories that cannot be opened, and why they cannot.
pub(crate) async fn tried(sources: &Sources) -> Result<(Configured, Vec<DirectoryError>), CommandError> {
    let file = find(sources.config.as_deref())?;
    let policy_file = policy_file(sources);
    let mut demo = None;
    let (mut configuration, beside) = match &file {
        Some(file) => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            (read(file, folder).class(Class::Configuration)?, Some(folder.to_owned()))
        }
        // The demo is for a program that was told nothing at all: a directory alone is something, and so is a policy that
        // lies where the configuration would.
        None if sources.directories.is_empty() && (sources.policy.is_some() || policy_file.is_none()) => {
            let (configuration, tracker) = demonstration().await?;
            demo = Some(tracker);
            (configuration, None)
        }
        None => (Configuration::default(), None),
    };

    configuration.routing = switched(sources, configuration.routing)?;
    let policy_text = policy_file.as_deref().map(|file| text(file, POLICY_BYTES_MAX)).transpose();
    let policy_text = policy_text.class(Class::Configuration)?;
    let mut policy = match policy_file.as_ref().zip(policy_text.as_ref()) {
        Some((file, text)) => {
            Policy::parse(text).with_context(|| file.display().to_string()).class(Class::Configuration)?
        }
        // What the demo's templates change is invented, and gone when the program ends.
        None if demo.is_some() => {
            Policy::open(&"sentry".parse::<Alias>().class(Class::Internal)?, "GET,HEAD,PUT", "GET,HEAD")
        }
        None => Policy::default(),
    };

    for path in configuration.directories.values_mut() {
        if let Some(folder) = &beside {
            *path = folder.join(&*path);
        }
    }
    for (alias, path) in &sources.directories {
        let alias = alias.parse::<Alias>().with_context(|| format!("--dir {alias}")).class(Class::Usage)?;
        if configuration.origins.iter().any(|config| *config.origin.alias() == alias) {
            let error = Class::Usage.error(format!("--dir {alias}: an origin of the configuration has this name"));
            return Err(error.hint("choose another name for the directory"));
        }
        policy = policy.and_read(&alias);
        if let Some(replaced) = configuration.directories.insert(alias.clone(), path.clone()) {
            // The flag wins, as flags do; but other files are read than the configuration says.
            let told = format!("--dir {alias}={} replaces the directory {}", path.display(), replaced.display());
            show::notice(&show::line(&told));
        }
    }
    let paths = || configuration.directories.iter().map(|(alias, path)| (alias, path.as_path()));
    let missing: Vec<DirectoryError> = paths().filter_map(|one| Directories::open([one]).err()).collect();
    let is_there = |(alias, _): &(&Alias, &Path)| missing.iter().all(|error| error.alias != **alias);
    let directories = Directories::open(paths().filter(is_there)).class(Class::Configuration)?;

    let of_configuration = configuration.templates.as_ref().zip(beside.as_ref());
    let of_configuration = of_configuration.map(|(path, folder)| folder.join(path));
    let templates = sources.templates.clone().or(of_configuration);
    // Their files are read by who needs them: a command that calls no tool should not wait for them.
    let (upstreams, approved, embedding) = if policy.has_tools() {
        let servers = servers::servers(sources).await?;
        servers.notify();
        let Servers { upstreams, approved, embedding, .. } = servers;
        (Some(upstreams), approved, embedding)
    } else {
        (None, BTreeSet::new(), None)
    };
    let configured = Configured {
        file,
        policy_file,
        policy_text,
        templates,
        configuration,
        policy,
        directories,
        upstreams,
        approved,
        embedding,
        demo,
    };
    Ok((configured, missing))
}

/// Where the policy is: the flag's file, otherwise the one beside the configuration, which may be there without it.
fn policy_file(sources: &Sources) -> Option<PathBuf> {
    let beside = || policy_beside(sources).filter(|file| file.exists());
    sources.policy.clone().or_else(beside)
}

/// Where the policy is, or would be.
pub(crate) fn policy_beside(sources: &Sources) -> Option<PathBuf> {
    configuration_file(sources.config.as_deref()).map(|file| file.with_file_name("policy.toml"))
}

/// What answers intents: as configured, then as the environment says, then as the flags say.
fn switched(sources: &Sources, mut routing: Routing) -> Result<Routing, CommandError> {
    if let Some(mode) = sources.mode.map_or_else(mode_of_environment, |mode| Ok(Some(mode)))? {
        routing.mode = mode;
    }
    for part in variable("INTENTBOX_WITHOUT").unwrap_or_default().split(',').filter(|part| !part.trim().is_empty()) {
        let switch = Switch::of(part.trim());
        let switch = switch.context("INTENTBOX_WITHOUT: write templates, fallback, discovery or learning");
        routing.switch_off(switch.class(Class::Usage)?);
    }
    sources.without.iter().for_each(|switch| routing.switch_off(*switch));
    Ok(routing)
}

fn mode_of_environment() -> Result<Option<Mode>, CommandError> {
    let Some(text) = variable("INTENTBOX_MODE").filter(|text| !text.is_empty()) else { return Ok(None) };
    let mode = Mode::of(&text).context("INTENTBOX_MODE: write hybrid, code_execution or mcp_only");
    mode.map(Some).class(Class::Usage)
}

/// Where the configuration is, or would be: the flag's file, otherwise that of the environment. Nothing where there is no home
/// either.
pub(crate) fn configuration_file(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(file_of_environment).or_else(file_of_user)
}

fn file_of_environment() -> Option<PathBuf> {
    std::env::var_os("INTENTBOX_CONFIG").filter(|file| !file.is_empty()).map(PathBuf::from)
}

fn file_of_user() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("config.toml"))
}

/// The folder of the user's configuration, if there is a home.
pub(crate) fn user_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = folder.or_else(|| std::env::home_dir().map(|home| home.join(".config")));
    folder.map(|folder| folder.join("intentbox"))
}

/// A variable of the environment, if it is set to text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The trace that a command is a part of, if its environment says so: the variables have the names and values of the headers.
pub(crate) fn trace() -> Option<TraceContext> {
    TraceContext::parse(&variable("TRACEPARENT")?, variable("TRACESTATE").as_deref())
}

/// The home directory, if there is one.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir()
}

/// The variables that the upstream servers of this process inherit.
pub(crate) fn inherited() -> BTreeMap<String, String> {
    let texts =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(|(name, _)| intentbox_tools::is_inherited(name)).collect()
}

/// The longest file with the URL of a database, in bytes.
const DATABASE_BYTES_MAX: u64 = 4 << 10;

/// Where jobs and records of runs are.
pub(crate) fn store_place(sources: &Sources, database: &Database) -> Result<Place, CommandError> {
    if let Some(file) = database_file(database) {
        return database_url(&file).map(Place::Postgres);
    }
    let folder = state_folder(sources).context("there is no home directory").class(Class::Usage);
    folder.hint("add --state DIR").map(Place::Folder)
}

/// The file with the URL of a database: the flag's, otherwise that of the environment.
pub(crate) fn database_file(database: &Database) -> Option<PathBuf> {
    database.file.clone().or_else(file_of_database)
}

/// The URL that a file holds.
pub(crate) fn database_url(file: &Path) -> Result<PostgresUrl, CommandError> {
    if file.to_str().is_some_and(|text| text.contains("://")) {
        let wrong = Err(anyhow::anyhow!("--database and $INTENTBOX_DATABASE take a file with the URL, not the URL"));
        let advice = "write the URL into a file that only you can read: other users of a machine see arguments";
        return wrong.class(Class::Usage).hint(advice);
    }
    let typed = std::path::absolute(file).class(Class::Configuration)?;
    let bytes = input::read_secret(Path::new("/"), &typed, DATABASE_BYTES_MAX);
    let bytes = bytes.with_context(|| format!("--database {}", file.display())).class(Class::Configuration)?;
    let text = String::from_utf8(bytes).with_context(|| format!("--database {}", file.display()));
    let url = PostgresUrl::parse(&text.class(Class::Configuration)?);
    url.with_context(|| format!("--database {}", file.display())).class(Class::Configuration)
}

fn file_of_database() -> Option<PathBuf> {
    std::env::var_os("INTENTBOX_DATABASE").filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// The folder of what is recorded, which need not be there: the flag's, otherwise that of the environment. Nothing where there is
/// no home either.
pub(crate) fn state_folder(sources: &Sources) -> Option<PathBuf> {
    if let Some(folder) = &sources.state {
        return Some(folder.clone());
    }
    if let Some(folder) = std::env::var_os("INTENTBOX_STATE").filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    let folder = std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = folder.or_else(|| std::env::home_dir().map(|home| home.join(".local/state")));
    folder.map(|folder| folder.join("intentbox"))
}

/// The configuration file in force, if there is one. One that was named must exist.
fn find(named: Option<&Path>) -> Result<Option<PathBuf>, CommandError> {
    if let Some(file) = named.map(Path::to_owned).or_else(file_of_environment) {
        return Ok(Some(file));
    }
    let Some(file) = file_of_user() else { return Ok(None) };
    match file.try_exists() {
        Ok(true) => Ok(Some(file)),
        Ok(false) => Ok(None),
        Err(error) => Err(error).with_context(|| file.display().to_string()).class(Class::Configuration),
    }
}

fn text(file: &Path, bytes_max: usize) -> anyhow::Result<String> {
    let bytes = input::read_regular(file, bytes_max as u64)?;
    anyhow::ensure!(bytes.len() <= bytes_max, "{} has more than {bytes_max} bytes", file.display());
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()))
}

fn read(file: &Path, folder: &Path) -> anyhow::Result<Configuration> {
    let text = text(file, CONFIGURATION_BYTES_MAX)?;
    // A relative file lies beside the configuration that names it.
    Configuration::parse(&text, &|source| load(source, folder)).with_context(|| file.display().to_string())
}

/// What the configuration in force says of upstream servers, and the folder at which its paths start.
pub(crate) fn tool_settings(sources: &Sources) -> Result<(ToolSettings, Routing, PathBuf), CommandError> {
    let Some(file) = find(sources.config.as_deref())? else {
        return Ok((ToolSettings::default(), switched(sources, Routing::default())?, PathBuf::new()));
    };
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let settings = text(&file, CONFIGURATION_BYTES_MAX).and_then(|text| {
        let settings = ToolSettings::parse(&text).and_then(|settings| Ok((settings, Routing::parse(&text)?)));
        settings.with_context(|| file.display().to_string())
    });
    let (settings, routing) = settings.class(Class::Configuration)?;
    Ok((settings, switched(sources, routing)?, folder))
}

/// The files that no upstream server may open: the configuration in force, the policy, the files of tokens that it names, that with the
/// URL of a database, and those that a command is told of.
pub(crate) fn secret_files(sources: &Sources) -> Vec<PathBuf> {
    let mut files = sources.secret_files.clone();
    files.extend(policy_file(sources));
    files.extend(file_of_database());
    if let Ok(Some(file)) = find(sources.config.as_deref()) {
        files.extend(named_in(&file, engine::token_files));
        files.push(file);
    }
    files
}

/// The files and folders that no upstream server may write, because this program does what they say: templates, certificates and the
/// model of a search.
pub(crate) fn obeyed_files(sources: &Sources) -> Vec<PathBuf> {
    let configuration = find(sources.config.as_deref()).ok().flatten();
    let named = configuration.into_iter().flat_map(|file| named_in(&file, engine::obeyed_files));
    sources.templates.iter().cloned().chain(named).collect()
}

/// The paths that a configuration names, which start at its folder; none of one that cannot be read.
fn named_in(
    file: &Path,
    read: fn(&str) -> Result<Vec<PathBuf>, engine::ConfigurationError>,
) -> impl Iterator<Item = PathBuf> + use<> {
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let named = text(file, CONFIGURATION_BYTES_MAX).ok().and_then(|text| read(&text).ok());
    named.unwrap_or_default().into_iter().map(move |name| folder.join(name))
}

/// Fetches what a configuration names. Errors name the place, never the value.
pub(crate) fn load(source: &Source, folder: &Path) -> Result<String, String> {
    let token = match source {
        Source::Certificates(name) => {
            let text = text(&folder.join(name), CERTIFICATES_BYTES_MAX);
            return text.map_err(|error| format!("ca_file: {error:#}"));
        }
        Source::Environment(name) => std::env::var(name).map_err(|error| match error {
            // Who puts the token itself here should not see it in a message.
            _ if !name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_')) => {
                "token_env: no variable of this name is set; write the name of one, such as SENTRY_TOKEN".to_owned()
            }
            std::env::VarError::NotPresent => {
                format!("token_env: the variable {name} is not set; run `export {name}=…` or use token_file")
            }
            std::env::VarError::NotUnicode(_) => format!("token_env: the variable {name} is not UTF-8 text"),
        })?,
        Source::File(name) => token_of_file("token_file", folder, name)?,
        Source::Credential(name) => {
            let folder =
                std::env::var_os("CREDENTIALS_DIRECTORY").filter(|folder| !folder.is_empty()).ok_or_else(|| {
                    format!(
                        "token_credential: there is no $CREDENTIALS_DIRECTORY; add `LoadCredential={name}:FILE` to the \
                     systemd unit, or use token_file"
                    )
                })?;
            if name.contains('/') {
                return Err(format!("token_credential: {name} is a path; give the name of a credential"));
            }
            token_of_file("token_credential", Path::new(&folder), name)?
        }
    };
    let token = token.trim().to_owned();
    if token.is_empty() || token.contains(char::is_control) {
        return Err("the token is empty or contains control characters".to_owned());
    }
    Ok(token)
}

fn token_of_file(key: &str, folder: &Path, name: &str) -> Result<String, String> {
    let bytes = input::read_secret(folder, Path::new(name), TOKEN_BYTES_MAX);
    let bytes = bytes.map_err(|error| format!("{key}: {error:#}"))?;
    if bytes.len() as u64 > TOKEN_BYTES_MAX {
        return Err(format!("{key}: {name} has more than {TOKEN_BYTES_MAX} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| format!("{key}: {name} is not UTF-8 text"))
}

/// The demo tracker and the configuration that reaches it: an ordinary origin with an ordinary secret.
async fn demonstration() -> Result<(Configuration, DemoTracker), CommandError> {
    let demo = demo_tracker::start(0).await?;
    let alias = "sentry".parse::<Alias>().class(Class::Internal)?;
    let origin = OriginConfig {
        origin: Origin::new(alias, &demo.base_url()).class(Class::Internal)?,
        credential: Some(Credential::bearer(Secret::new(demo.token().to_owned())).class(Class::Internal)?),
        roots: Vec::new(),
        private_addresses: PrivateAddresses::loopback(),
    };
    let settings = BTreeMap::from([("sentry.organization".to_owned(), demo.organization().to_owned())]);
    let check = format!("/api/0/organizations/{}/projects/", demo.organization());
    Ok((Configuration::of_origin(origin, settings, check), demo))
}
