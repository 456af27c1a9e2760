//! A script before it runs: text within its size, or rejected. Nothing on the host parses Python.

use std::sync::Arc;

use intentbox_abi::Module;
use intentbox_verdict::Limits;

use crate::bytecode::Bytecode;

/// A script that may be handed to the guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    name: String,
    source: String,
    module: Option<Carried>,
}

/// A module that a script brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Carried {
    file: String,
    source: String,
    bytecode: Option<Arc<[u8]>>,
}

/// Why bytes are not a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// More bytes than the limit.
    #[error("the script has {observed} bytes or more; at most {limit} are allowed")]
    TooLarge {
        /// `script_bytes`.
        limit: u64,
        /// At least this many: the reader may have stopped there.
        observed: u64,
    },
    /// Not UTF-8.
    #[error("the script is not UTF-8 text: byte {at} (line {line}) does not belong there")]
    NotText {
        /// Byte offset of the first bad byte.
        at: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// A NUL byte, which Python source cannot hold.
    #[error("the script holds a NUL byte at byte {at} (line {line})")]
    Nul {
        /// Byte offset.
        at: usize,
        /// Its line, from 1.
        line: usize,
    },
}

impl Script {
    /// Takes `bytes` as the source of a script that tracebacks call `name`. A byte order mark is dropped.
    ///
    /// # Errors
    /// When they are too many, not UTF-8, or hold a NUL.
    pub fn parse(name: &str, bytes: &[u8], limits: &Limits) -> Result<Script, ScriptError> {
        let observed = bytes.len() as u64;
        if observed > limits.script_bytes {
            return Err(ScriptError::TooLarge { limit: limits.script_bytes, observed });
        }
        let line = |at: usize| bytes[..at].split(|byte| *byte == b'\n').count();
        let source = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            ScriptError::NotText { at, line: line(at) }
        })?;
        if let Some(at) = source.find('\0') {
            return Err(ScriptError::Nul { at, line: line(at) });
        }
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        Ok(Script { name: name.to_owned(), source: source.to_owned(), module: None })
    }

    /// This script with a module that it can `import pack`; tracebacks call it `file`. Its bytes count as the script's.
    ///
    /// # Errors
    /// When both together are too many, or it holds a NUL.
    pub fn with_module(mut self, file: &str, source: &str, limits: &Limits) -> Result<Script, ScriptError> {
        let module = Script::parse(file, source.as_bytes(), limits)?;
        let observed = (self.source.len() + module.source.len()) as u64;
        if observed > limits.script_bytes {
            return Err(ScriptError::TooLarge { limit: limits.script_bytes, observed });
        }
        self.module = Some(Carried { file: module.name, source: module.source, bytecode: None });
        Ok(self)
    }

    /// This script, whose module need not be compiled again if that is what the bytecode was made from.
    #[must_use]
    pub fn with_bytecode(mut self, bytecode: &Bytecode) -> Script {
        if let Some(module) = self.module.as_mut().filter(|module| bytecode.is_of(&module.file, &module.source)) {
            module.bytecode = Some(bytecode.bytes());
        }
        self
    }

    /// A script that a parent process has parsed already.
    pub(crate) fn of_parent(name: &str, source: &str, module: Option<Module<'_>>) -> Script {
        let module = module.map(|Module { file, source, bytecode }| Carried {
            file: file.to_owned(),
            source: source.to_owned(),
            bytecode: bytecode.map(Arc::from),
        });
        Script { name: name.to_owned(), source: source.to_owned(), module }
    }

    /// The module that comes with it.
    pub(crate) fn module(&self) -> Option<Module<'_>> {
        self.module.as_ref().map(|Carried { file, source, bytecode }| Module {
            file,
            source,
            bytecode: bytecode.as_deref(),
        })
    }

    /// The name that tracebacks show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Script, ScriptError> {
        Script::parse("script.py", bytes, &Limits { script_bytes: 8, ..Limits::default() })
    }

    #[test]
    fn the_last_byte_allowed_and_the_first_refused() {
        assert!(parse(b"12345678").is_ok());
        assert_eq!(parse(b"123456789"), Err(ScriptError::TooLarge { limit: 8, observed: 9 }));
    }

    #[test]
    fn broken_text_is_named_by_byte_and_line() {
        assert_eq!(parse(b"a\n\xff"), Err(ScriptError::NotText { at: 2, line: 2 }));
        assert_eq!(parse(b"a\n\n\0"), Err(ScriptError::Nul { at: 3, line: 3 }));
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(parse(b"\xef\xbb\xbf1").map(|script| script.source().to_owned()), Ok("1".to_owned()));
    }
}
