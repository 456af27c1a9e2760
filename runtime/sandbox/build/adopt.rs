//! Rewrites the linked guest where the linker cannot: its own file functions, and copies that can be interrupted.
//!
//! The C library and Rust's own standard library both import WASI's file functions under names that a linker cannot
//! redirect. So it happens here, on the linked wasm: a call of the import `wasi_snapshot_preview1.fd_read` becomes a call
//! of the guest's export `scratch_fd_read`, and neither the import nor the export is left. What the guest still imports
//! afterwards is all that it can reach; anything unexpected there fails the build.
//!
//! One wasm instruction can fill or copy a gigabyte, which takes half a second on fresh pages, and nothing can interrupt
//! it, whatever the deadline. So `memory.copy` and `memory.fill` become calls of two functions that do the same in pieces
//! (see `pieces`).

use std::collections::HashMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ExportSection, FunctionSection, ImportSection, Instruction, Module, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, Export, ExternalKind, FunctionSectionReader, Import, ImportSectionReader, Operator, Parser,
    Payload, TypeRef, TypeSectionReader,
};

use crate::pieces;

const WASI: &str = "wasi_snapshot_preview1";
const OURS: &str = "scratch_";

/// The functions that a guest may import.
const ALLOWED: [(&str, &str); 9] = [
    (WASI, "clock_time_get"),
    (WASI, "clock_res_get"),
    (WASI, "random_get"),
    (WASI, "proc_exit"),
    ("intentbox", "call"),
    ("intentbox", "take"),
    ("intentbox", "print"),
    ("intentbox", "pause"),
    ("intentbox", "out_of_memory"),
];

/// Rewrites the linked guest.
pub(crate) fn adopt(wasm: &[u8]) -> Result<Vec<u8>, String> {
    let functions = functions(wasm).map_err(|error| format!("the guest is no wasm: {error}"))?;
    let mut adoption = Adoption { targets: Vec::new(), kept: 0, dropped: 0, signature: 0, copy: 0 };
    let mut strangers: Vec<String> =
        functions.others.iter().map(|(module, name)| format!("{module}.{name}, which is no function")).collect();
    for (module, name) in &functions.imported {
        let own = functions.exported.get(&format!("{OURS}{name}")).filter(|_| module == WASI);
        if let Some(own) = own {
            adoption.dropped += 1;
            adoption.targets.push(Target::Own(*own));
            continue;
        }
        if !ALLOWED.contains(&(module.as_str(), name.as_str())) {
            strangers.push(format!("{module}.{name}"));
        }
        adoption.targets.push(Target::Kept(adoption.kept));
        adoption.kept += 1;
    }
    if !strangers.is_empty() {
        return Err(format!("the guest would reach outside through {}", strangers.join(", ")));
    }
    let mut module = Module::new();
    let written = adoption.parse_core_module(&mut module, Parser::new(0), wasm);
    written.map_err(|error| format!("the guest cannot be rewritten: {error}"))?;
    Ok(module.finish())
}

/// The functions that come in and go out, by name.
struct Functions {
    imported: Vec<(String, String)>,
    /// Memories, tables, globals and tags that come in. There must be none: the host would share them.
    others: Vec<(String, String)>,
    exported: HashMap<String, u32>,
}

fn functions(wasm: &[u8]) -> wasmparser::Result<Functions> {
    let mut functions = Functions { imported: Vec::new(), others: Vec::new(), exported: HashMap::new() };
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let name = (import.module.to_owned(), import.name.to_owned());
                    let kind = if matches!(import.ty, TypeRef::Func(_)) {
                        &mut functions.imported
                    } else {
                        &mut functions.others
                    };
                    kind.push(name);
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let Export { name, kind, index } = export?;
                    if kind == ExternalKind::Func {
                        functions.exported.insert(name.to_owned(), index);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(functions)
}

/// What becomes of an imported function.
enum Target {
    /// It stays, as the import with this index.
    Kept(u32),
    /// Calls go to this function of the guest (its index before the rewriting).
    Own(u32),
}

struct Adoption {
    /// For every imported function, in order.
    targets: Vec<Target>,
    kept: u32,
    dropped: u32,
    /// The type of the two functions of `pieces`.
    signature: u32,
    /// The one that copies; the one that fills comes after it.
    copy: u32,
}

impl Reencode for Adoption {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        Ok(match self.targets.get(function as usize) {
            Some(Target::Kept(index)) => *index,
            Some(Target::Own(own)) => own - self.dropped,
            None => function - self.dropped,
        })
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        let mut function = 0;
        for import in section.into_imports() {
            let import: Import<'_> = import?;
            let kept = !matches!(import.ty, TypeRef::Func(_)) || {
                function += 1;
                matches!(self.targets[function - 1], Target::Kept(_))
            };
            if kept {
                self.parse_import(imports, import)?;
            }
        }
        Ok(())
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        utils::parse_type_section(self, types, section)?;
        self.signature = types.len();
        types.ty().function([ValType::I32; 3], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        utils::parse_function_section(self, functions, section)?;
        self.copy = self.kept + functions.len();
        functions.function(self.signature).function(self.signature);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        utils::parse_code_section(self, code, section)?;
        code.function(&pieces::copy()).function(&pieces::fill());
        Ok(())
    }

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error<Infallible>> {
        match operator {
            // The operands lie on the stack in the order of the arguments.
            Operator::MemoryCopy { .. } => Ok(Instruction::Call(self.copy)),
            Operator::MemoryFill { .. } => Ok(Instruction::Call(self.copy + 1)),
            other => utils::instruction(self, other),
        }
    }

    fn parse_export(&mut self, exports: &mut ExportSection, export: Export<'_>) -> Result<(), Error<Infallible>> {
        if export.name.starts_with(OURS) { Ok(()) } else { utils::parse_export(self, exports, export) }
    }

    /// Names would have to be renumbered, and nothing reads them.
    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }
}
