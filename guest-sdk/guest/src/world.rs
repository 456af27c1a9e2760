//! The environment of a script: its `__main__`, the modules imported ahead, and the classes that the guest itself asks
//! about.

use rustpython_vm::builtins::PySet;
use rustpython_vm::compiler::Mode;
use rustpython_vm::scope::Scope;
use rustpython_vm::{PyObjectRef, PyPayload as _, PyResult, VirtualMachine};

/// Imported before the snapshot is taken: what scripts use most. A module that is here costs an import nothing; one that
/// is not costs milliseconds of CPU when it is used (`traceback` 89 million units of fuel, `pathlib` 38, where a small
/// script costs 0.2). Every module makes the image larger, though, and the image is copied once when a process starts
/// (about half a millisecond a megabyte), so what is rare or large stays outside: `asyncio` alone has four megabytes.
const IMPORTS: &str = "\
import base64, bisect, collections, concurrent.futures.thread, contextlib, copy, csv, dataclasses, datetime, decimal
import enum, functools, gzip, hashlib, heapq, hmac, html, io, itertools, json, logging, math, operator, os, pathlib
import queue, random, re, secrets, statistics, string, sys, textwrap, threading, time, traceback, typing, unicodedata
import urllib.error, urllib.parse, urllib.request, uuid, warnings, zlib
import intentbox, intentbox.compressed, intentbox.files, intentbox.http, intentbox.logs, intentbox.tables
import intentbox.tools, intentbox.window, requests
sys.stdout.reconfigure(line_buffering=True)
";

/// Makes the modules of the standard library what they are in here: `guest-sdk/python/intentbox/world.py`. Once.
pub(crate) fn prepare(vm: &VirtualMachine) -> PyResult<()> {
    module(vm, "intentbox.world")?.get_attr("prepare", vm)?.call((), vm).map(|_| ())
}

/// Puts right what the runs before the snapshot have used up. Once, after them.
pub(crate) fn settle(vm: &VirtualMachine) -> PyResult<()> {
    module(vm, "intentbox.world")?.get_attr("settle", vm)?.call((), vm).map(|_| ())
}

/// Imports the module itself, where `import` alone would give the package that holds it.
fn module(vm: &VirtualMachine, name: &'static str) -> PyResult {
    vm.import(name, 0)?;
    vm.sys_module.get_attr("modules", vm)?.get_item(name, vm)
}

/// What a script runs in.
pub(crate) struct World {
    pub(crate) main: Scope,
    pub(crate) classes: Classes,
    /// The `__loader__` of `__main__`: through it `traceback` and `inspect` find the script's own lines.
    pub(crate) loader: PyObjectRef,
    /// What finds the module that came with the script.
    pub(crate) module: PyObjectRef,
}

/// Objects that the guest asks about, held from the start so that a script which rebinds names cannot mislead it.
pub(crate) struct Classes {
    pub(crate) moments: [PyObjectRef; 3],
    pub(crate) decimal: [PyObjectRef; 1],
    pub(crate) denied: PyObjectRef,
    pub(crate) call_failed: PyObjectRef,
    pub(crate) not_found: PyObjectRef,
    pub(crate) invalid: PyObjectRef,
    pub(crate) random: PyObjectRef,
    pub(crate) seed: PyObjectRef,
    pub(crate) run_exit_functions: PyObjectRef,
    pub(crate) time_ns: PyObjectRef,
    pub(crate) logging: PyObjectRef,
}

impl World {
    /// A new `__main__` with what every script finds in it.
    pub(crate) fn new(vm: &VirtualMachine) -> PyResult<World> {
        let main = vm.new_scope_with_main()?;
        let setup =
            vm.compile(IMPORTS, Mode::Exec, "boot.py").map_err(|error| error.into_pyexception(vm, Some(IMPORTS)))?;
        vm.run_code_obj(setup, vm.new_scope_with_builtins())?;
        let class = |module: &'static str, name: &'static str| vm.import(module, 0)?.get_attr(name, vm);
        let package = vm.import("intentbox", 0)?;
        for name in ["files", "http", "tools"] {
            main.globals.set_item(name, package.get_attr(name, vm)?, vm)?;
        }
        // Where the others need no import, models write none for this one.
        main.globals.set_item("requests", vm.import("requests", 0)?, vm)?;
        // A module's annotations go into these. The compiler makes them in its other modes, and forgets them in the one
        // that gives the value of the last expression.
        main.globals.set_item("__annotations__", vm.ctx.new_dict().into(), vm)?;
        main.globals.set_item("__conditional_annotations__", PySet::default().into_ref(&vm.ctx).into(), vm)?;
        let loader = module(vm, "intentbox.world")?.get_attr("Script", vm)?.call((), vm)?;
        main.globals.set_item("__loader__", loader.clone(), vm)?;
        let module = module(vm, "intentbox.world")?.get_attr("module", vm)?;
        let moment = |name| class("datetime", name);
        let classes = Classes {
            moments: [moment("datetime")?, moment("date")?, moment("time")?],
            decimal: [class("decimal", "Decimal")?],
            denied: package.get_attr("CapabilityDenied", vm)?,
            call_failed: package.get_attr("HostCallFailed", vm)?,
            not_found: package.get_attr("NotFound", vm)?,
            invalid: package.get_attr("Invalid", vm)?,
            random: class("random", "_inst")?,
            // The native half of `random.seed`: the Python half hashes its argument, which costs as much as a small
            // script.
            seed: class("_random", "Random")?.get_attr("seed", vm)?,
            run_exit_functions: class("atexit", "_run_exitfuncs")?,
            time_ns: class("time", "time_ns")?,
            logging: vm.import("logging", 0)?,
        };
        Ok(World { main, classes, loader, module })
    }
}
