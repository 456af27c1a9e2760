//! From wasm to native code: boot the guest once, keep its memory, compile the result.

use std::io::Write as _;

use wasmtime::{Caller, Config, Engine, Instance, Linker, Module, Result, Store, Val};
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::terminal::tell;
use crate::tuning;

/// Runs the guest's initialisation and gives the module with the memory that it left behind.
pub(crate) fn take(wasm: &[u8]) -> Result<Vec<u8>> {
    tell("booting the interpreter once for the snapshot");
    let mut config = Config::new();
    config.max_wasm_stack(tuning::WASM_STACK_BYTES).async_stack_size(tuning::RUN_STACK_BYTES);
    let engine = Engine::new(&config)?;
    let mut linker: Linker<WasiP1Ctx> = Linker::new(&engine);
    p1::add_to_linker_async(&mut linker, |wasi| wasi)?;
    // Nothing may reach outside while the snapshot is taken: these trap, and the build fails.
    let early = |what| wasmtime::format_err!("the guest called `{what}` while booting");
    let module = "intentbox";
    linker.func_wrap(module, "call", move |_: u32, _: u32| -> Result<u64> { Err(early("call")) })?;
    linker.func_wrap(module, "take", move |_: u32, _: u32| -> Result<()> { Err(early("take")) })?;
    linker.func_wrap(module, "pause", move |_: u64| -> Result<()> { Err(early("pause")) })?;
    linker.func_wrap(module, "print", print)?;
    linker.func_wrap(module, "out_of_memory", move |_: u64| -> Result<()> { Err(early("out_of_memory")) })?;
    // No environment, no arguments, no directories: a run sees what is frozen here.
    let mut store = Store::new(&engine, WasiCtxBuilder::new().build_p1());
    let mut wizer = Wizer::new();
    wizer.init_func("wizer-initialize");
    let (context, instrumented) = wizer.instrument(wasm)?;
    let module = Module::new(&engine, instrumented)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let instance = linker.instantiate_async(&mut store, &module).await?;
        // A linker may leave out the first, if no library has anything to initialise.
        if let Some(libraries) = instance.get_func(&mut store, "_initialize") {
            libraries.typed::<(), ()>(&store)?.call_async(&mut store, ()).await?;
        }
        instance.get_typed_func::<(), ()>(&mut store, wizer.get_init_func())?.call_async(&mut store, ()).await?;
        wizer.snapshot(&context, &mut Booted { store, instance }).await
    })
}

/// What wizer copies into the snapshot. Its own implementation, the feature `wasmtime`, brings two caches and a parser
/// along: a minute of the build for these lines.
struct Booted {
    store: Store<WasiP1Ctx>,
    instance: Instance,
}

impl InstanceState for Booted {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut self.store, name).expect("wizer exports what it reads");
        match global.get(&mut self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(bits) => SnapshotVal::F32(bits),
            Val::F64(bits) => SnapshotVal::F64(bits),
            other => panic!("a global of the guest has a type that a snapshot cannot keep: {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut self.store, name).expect("wizer exports what it reads");
        contents(memory.data(&self.store));
    }
}

/// Messages of a failed boot show in the build's log.
fn print(mut caller: Caller<'_, WasiP1Ctx>, _: u32, text: u32, length: u32) -> Result<()> {
    let memory = caller.get_export("memory").and_then(wasmtime::Extern::into_memory);
    let bytes = memory.and_then(|memory| memory.data(&caller).get(text as usize..)?.get(..length as usize));
    std::io::stderr().write_all(bytes.unwrap_or_default())?;
    Ok(())
}

/// Compiles for the baseline of the target's CPU family: without a named target Cranelift would bake in whatever the
/// building machine has, and the binary would not start elsewhere.
pub(crate) fn compile(snapshot: &[u8]) -> Result<Vec<u8>> {
    tell(&format!("compiling {} MiB of wasm to native code", snapshot.len() >> 20));
    let mut config = tuning::config();
    config.target(&std::env::var("TARGET").expect("cargo sets it"))?;
    Engine::new(&config)?.precompile_module(snapshot)
}
