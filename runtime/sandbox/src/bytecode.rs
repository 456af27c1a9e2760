//! Compiles a module that many scripts import, once.
//!
//! Compiling is most of what a short run costs: a module of 400 lines takes 41 million units of fuel, and the rest of a
//! query over a small file 25. It is compiled by a run of its own that has nothing but the source, reaches nothing, and
//! executes none of it. So a script cannot change what another script gets, whatever it does to its interpreter. The
//! bytecode is trusted as far as the worker that made it: see `SECURITY.md`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use intentbox_verdict::{Ending, Limits};
use serde_json::json;

use crate::{Job, NoCalls, RunError, Sandbox, Script};

/// `params` are the module's source and file name. A module that the compiler warns of stays source: its warning belongs
/// to each run.
const COMPILE: &str = "\
import base64, marshal, warnings
warnings.simplefilter('error')
code = compile(params['source'], params['file'], 'exec')
result = base64.b64encode(marshal.dumps(code)).decode()
";

/// What the interpreter made of a module's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytecode {
    file: Arc<str>,
    source: Arc<str>,
    bytes: Arc<[u8]>,
}

impl Bytecode {
    pub(crate) fn is_of(&self, file: &str, source: &str) -> bool {
        *self.file == *file && *self.source == *source
    }

    pub(crate) fn bytes(&self) -> Arc<[u8]> {
        Arc::clone(&self.bytes)
    }
}

impl Sandbox {
    /// Compiles a module in a run of its own. `None` if it cannot be compiled; the script that imports it gets the
    /// reason.
    ///
    /// # Errors
    /// When there is no room for the run, or the host fails.
    pub async fn compile(&self, file: &str, source: &str) -> Result<Option<Bytecode>, RunError> {
        let limits = Limits::default();
        let Ok(script) = Script::parse("compile.py", COMPILE.as_bytes(), &limits) else { return Ok(None) };
        let params = json!({"file": file, "source": source}).to_string();
        let ended = self.run(Job::new(&script, &params), Arc::new(NoCalls)).await?;
        let Ending::Returned(result) = ended.ending else { return Ok(None) };
        let bytes = serde_json::from_str::<&str>(result.get()).ok().and_then(|text| STANDARD.decode(text).ok());
        Ok(bytes.map(|bytes| Bytecode { file: file.into(), source: source.into(), bytes: bytes.into() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytecode_goes_with_what_it_was_made_from_and_with_nothing_else() {
        let bytecode = Bytecode { file: "p/pack.py".into(), source: "x = 1".into(), bytes: [0xe3].into() };
        let limits = Limits::default();
        for (file, source, goes) in
            [("p/pack.py", "x = 1", true), ("p/pack.py", "x = 2", false), ("q/pack.py", "x = 1", false)]
        {
            let script = Script::parse("script.py", b"1", &limits).and_then(|it| it.with_module(file, source, &limits));
            let script = script.expect("it is small").with_bytecode(&bytecode);
            let carried = script.module().expect("it has one").bytecode.is_some();
            assert_eq!(carried, goes, "{file}: {source}");
        }
        let alone = Script::parse("script.py", b"1", &limits).expect("it is small").with_bytecode(&bytecode);
        assert_eq!(alone.module(), None);
    }
}
