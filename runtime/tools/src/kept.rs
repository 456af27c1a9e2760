//! What is kept of the configured servers. Each entry of each file has its own: what a person approved of `git` in one project says
//! nothing of `git` in another.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use intentbox_capability::ServerId;
use intentbox_store::{
    Claim, DefinitionRecord, LearnedWord, ListingRecord, Owner, ServerRecord, StoreError, ToolStore, ToolUse, Trusted,
};

use crate::owner::is_alive;
use crate::server::ServerConfig;

/// The key of an entry in the store. No name of a server holds a space.
pub(crate) fn key(id: &ServerId, file: &Path) -> String {
    format!("{id} {}", file.to_string_lossy())
}

/// The store as the configured servers see it: by their names, and nothing of entries of other files.
#[derive(Debug, Clone)]
pub struct Kept {
    store: Arc<ToolStore>,
    keys: BTreeMap<ServerId, String>,
    ids: BTreeMap<String, ServerId>,
}

impl Kept {
    pub(crate) fn new<'a>(store: Arc<ToolStore>, configs: impl Iterator<Item = &'a ServerConfig>) -> Self {
        let keys: BTreeMap<ServerId, String> = configs.map(|config| (config.id.clone(), config.key())).collect();
        let ids = keys.iter().map(|(id, key)| (key.clone(), id.clone())).collect();
        Self { store, keys, ids }
    }

    pub(crate) fn store(&self) -> &ToolStore {
        &self.store
    }

    /// The key of a configured server; one that no entry has for any other name.
    pub(crate) fn key(&self, id: &str) -> &str {
        id.parse::<ServerId>().ok().and_then(|id| self.keys.get(&id)).map_or("", String::as_str)
    }

    fn id(&self, key: &str) -> Option<&ServerId> {
        self.ids.get(key)
    }

    /// The time in milliseconds after 1970, UTC.
    #[must_use]
    pub fn now_unix_ms(&self) -> i64 {
        self.store.now_unix_ms()
    }

    /// Whether another process sees what is kept: not where there is no folder that can be written.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.store.is_kept()
    }

    /// What is known of each server.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn servers(&self) -> Result<BTreeMap<ServerId, ServerRecord>, StoreError> {
        let records = self.store.servers().await?.into_iter();
        Ok(records.filter_map(|record| Some((self.id(&record.id)?.clone(), record))).collect())
    }

    /// What is known of one server.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn server(&self, id: &str) -> Result<Option<ServerRecord>, StoreError> {
        self.store.server(self.key(id)).await
    }

    /// What each server listed last.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn listings(&self) -> Result<BTreeMap<ServerId, ListingRecord>, StoreError> {
        let records = self.store.listings().await?.into_iter();
        Ok(records.filter_map(|record| Some((self.id(&record.id)?.clone(), record))).collect())
    }

    /// What one server listed last.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) async fn listing(&self, id: &str) -> Result<Option<ListingRecord>, StoreError> {
        self.store.listing(self.key(id)).await
    }

    /// Begins the discovery of a server for another process, unless one goes on.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn claim(&self, config: &ServerConfig, owner: Owner) -> Result<Claim, StoreError> {
        self.store.claim(&config.key(), &config.hash().to_hex(), owner, &is_alive).await
    }

    /// One definition.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn definition(&self, server: &str, tool: &str) -> Result<Option<DefinitionRecord>, StoreError> {
        self.store.definition(self.key(server), tool).await
    }

    /// The definitions of a server that are not what was approved.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn changed(&self, server: &str) -> Result<Vec<DefinitionRecord>, StoreError> {
        self.store.changed(self.key(server)).await
    }

    /// The tools that are not what was approved, with their servers, and whether each came after the first listing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn changed_names(&self) -> Result<BTreeMap<(ServerId, String), bool>, StoreError> {
        let names = self.store.changed_names().await?.into_iter();
        Ok(names.filter_map(|(key, name, is_new)| Some(((self.id(&key)?.clone(), name), is_new))).collect())
    }

    /// Approves tools that have the hash which a person has seen. Returns how many were approved.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn approve(&self, server: &str, seen: &[(String, String)]) -> Result<u64, StoreError> {
        self.store.approve(self.key(server), seen).await
    }

    /// Notes that a person approved an entry of a project's file as it is now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn trust(&self, config: &ServerConfig) -> Result<(), StoreError> {
        let trusted = Trusted {
            file: config.file.clone(),
            server: config.id.to_string(),
            config_hash: config.approval_hash().to_hex(),
            told: config.told_lines().join("\n"),
        };
        self.store.trust(&trusted).await
    }

    /// What a person was shown of an entry and approved before, in lines; empty if nobody has, or where that was not kept.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn told_before(&self, config: &ServerConfig) -> Result<Vec<String>, StoreError> {
        let trusted = self.store.trusted().await?.into_iter();
        let is_it = |trusted: &Trusted| trusted.file == config.file && trusted.server == config.id.as_str();
        let told = trusted.filter(is_it).map(|trusted| trusted.told).next().unwrap_or_default();
        Ok(told.lines().map(str::to_owned).collect())
    }

    /// Forgets an entry that was removed from a file, and all of its tools.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn forget(&self, id: &ServerId, file: &Path) -> Result<(), StoreError> {
        self.store.forget(&key(id, file)).await
    }

    /// How often each tool answered.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn uses(&self) -> Result<Vec<ToolUse>, StoreError> {
        let uses = self.store.uses().await?.into_iter();
        Ok(uses.filter_map(|used| Some(ToolUse { server: self.id(&used.server)?.to_string(), ..used })).collect())
    }

    /// Notes single words of an intent that led to a tool which then answered.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn learn(&self, server: &str, tool: &str, words: &[String]) -> Result<(), StoreError> {
        self.store.learn(self.key(server), tool, words).await
    }

    /// The words that people say for tools.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn learned(&self) -> Result<Vec<LearnedWord>, StoreError> {
        let learned = self.store.learned().await?.into_iter();
        Ok(learned
            .filter_map(|word| Some(LearnedWord { server: self.id(&word.server)?.to_string(), ..word }))
            .collect())
    }
}
