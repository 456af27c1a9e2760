//! The modules of packs, compiled once for all runs of an engine.
//!
//! The first run with a module compiles it itself: a process that answers one intent would gain nothing from compiling
//! it separately. The second run compiles it for all later ones. No run waits while another one compiles: if there is
//! no room for compiling, the waits would add up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use intentbox_catalog::Pack;
use intentbox_sandbox::{Bytecode, Sandbox, Script};
use tokio::sync::Mutex as AsyncMutex;

/// By the pack's name. A module that has been used once has an entry.
#[derive(Debug, Default)]
pub(crate) struct BytecodeCache(Mutex<BTreeMap<String, Arc<Module>>>);

#[derive(Debug, Default)]
struct Module {
    /// Held by the run that compiles. A dropped run releases it.
    compiling: AsyncMutex<()>,
    /// `None` inside: it cannot be compiled.
    bytecode: OnceLock<Option<Bytecode>>,
}

impl BytecodeCache {
    /// The script with the bytecode of its pack's module, if there is some or it can be compiled now, and this is not
    /// the module's first use.
    pub(crate) async fn compiled(&self, pack: &Pack, script: &Script, sandbox: &Sandbox) -> Option<Script> {
        let source = pack.module()?;
        let module = self.second_use(pack.id())?;
        if module.bytecode.get().is_none() {
            let _compiling = module.compiling.try_lock().ok()?;
            // What goes wrong now is tried again by the next run; this one compiles for itself.
            if let Ok(bytecode) = sandbox.compile(&pack.module_file(), source).await {
                let _ = module.bytecode.set(bytecode);
            }
        }
        let bytecode = module.bytecode.get()?.as_ref()?;
        Some(script.clone().with_bytecode(bytecode))
    }

    fn second_use(&self, pack: &str) -> Option<Arc<Module>> {
        let mut modules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get(pack) {
            return Some(Arc::clone(module));
        }
        modules.insert(pack.to_owned(), Arc::default());
        None
    }
}
