//! The modules of packs, compiled once for all runs of an engine.
//!
//! The first run that brings a module compiles it itself: a process that answers one intent would gain nothing from
//! compiling it apart. The second waits until it is compiled, and so do those that come meanwhile.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_catalog::Pack;
use intentbox_sandbox::{Bytecode, Sandbox, Script};
use tokio::sync::OnceCell;

/// By the pack's name. A module that has been used once has an entry.
#[derive(Debug, Default)]
pub(crate) struct Modules(Mutex<BTreeMap<String, Arc<OnceCell<Option<Bytecode>>>>>);

impl Modules {
    /// The script with its pack's module compiled, if this is not the module's first use.
    pub(crate) async fn ready(&self, pack: &Pack, script: Script, sandbox: &Sandbox) -> Script {
        let Some(source) = pack.module() else { return script };
        let Some(compiled) = self.second_use(pack.id()) else { return script };
        // What goes wrong now is tried again by the next run; this one compiles for itself.
        match compiled.get_or_try_init(async || sandbox.compile(&pack.module_file(), source).await).await {
            Ok(Some(bytecode)) => script.with_bytecode(bytecode),
            Ok(None) | Err(_) => script,
        }
    }

    fn second_use(&self, pack: &str) -> Option<Arc<OnceCell<Option<Bytecode>>>> {
        let mut modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = modules.get(pack) {
            return Some(Arc::clone(compiled));
        }
        modules.insert(pack.to_owned(), Arc::default());
        None
    }
}
