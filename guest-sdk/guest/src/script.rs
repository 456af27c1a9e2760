//! One script: compile it, run it, report how it ended.

use intentbox_abi::{Cause, Ended, Raised, Start, encode};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::compiler::ast::Stmt;
use rustpython_vm::compiler::{CompileOpts, Mode, parser};
use rustpython_vm::vm::VmCompileError;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use crate::answer::{self, Unsayable};
use crate::world::World;
use crate::{files, host, traceback};

/// Runs the script and gives its encoded [`Ended`].
pub(crate) fn run(vm: &VirtualMachine, world: &World, start: &Start<'_>) -> Vec<u8> {
    let code = match compile(vm, start) {
        Ok(code) => code,
        Err(error) => {
            let error = error.into_pyexception(vm, Some(start.source));
            name_line(vm, &error, start.source);
            let mut text = String::new();
            // The text is a String: writing to it cannot fail.
            let _ = vm.write_exception(&mut text, &error);
            let class = error.class().name().to_string();
            let raised = Raised {
                class: &class,
                message: &traceback::message(vm, &error),
                traceback: &text,
                hint: "",
                cause: Cause::Script,
            };
            return encode(&if error.fast_isinstance(vm.ctx.exceptions.syntax_error) {
                Ended::SyntaxError(raised)
            } else {
                Ended::Raised(raised)
            });
        }
    };
    let value = prepare(vm, world, start).and_then(|()| execute(vm, world, code));
    let value = match value {
        Err(error) if is_success(vm, &error) => Ok(vm.ctx.none()),
        other => other,
    };
    let exit_functions = world.classes.run_exit_functions.call((), vm);
    flush(vm);
    match value.and_then(|value| exit_functions.map(|_| value)) {
        Ok(value) => answer(vm, world, start, value),
        Err(error) => raised(vm, world, start, &error),
    }
}

/// Compiles a script. One that waits outside of functions, as in a notebook, is one coroutine.
fn compile(vm: &VirtualMachine, start: &Start<'_>) -> Result<PyRef<PyCode>, VmCompileError> {
    // Block-expression mode makes the last statement's value the code's value, under the script's own name.
    vm.compile(start.source, Mode::BlockExpr, start.name).or_else(|error| {
        if !start.source.contains("await") && !start.source.contains("async") {
            return Err(error);
        }
        let options = CompileOpts { allow_top_level_await: true, ..vm.compile_opts() };
        vm.compile_with_opts(start.source, Mode::BlockExpr, start.name, options)
    })
}

/// Runs compiled code to its end.
fn execute(vm: &VirtualMachine, world: &World, code: PyRef<PyCode>) -> PyResult {
    let waits = code.flags.contains(CodeFlags::COROUTINE);
    let value = vm.run_code_obj(code, world.main.clone())?;
    if waits { vm.import("asyncio", 0)?.get_attr("run", vm)?.call((value,), vm) } else { Ok(value) }
}

/// Gives a syntax error the text of its line: one that is found after parsing has the number only.
fn name_line(vm: &VirtualMachine, error: &PyBaseExceptionRef, source: &str) {
    let error = error.as_object();
    let has_none = error.get_attr("text", vm).is_ok_and(|text| vm.is_none(&text));
    let number = error.get_attr("lineno", vm).ok().and_then(|number| number.try_into_value::<usize>(vm).ok());
    let line = number.and_then(|number| source.lines().nth(number.checked_sub(1)?));
    if let Some(line) = line.filter(|_| has_none) {
        // Without it the error says less, and nothing wrong.
        let _ = error.set_attr("text", vm.ctx.new_str(line), vm);
    }
}

/// What must be new in each run: the script's name and text, `params`, and what the snapshot froze.
fn prepare(vm: &VirtualMachine, world: &World, start: &Start<'_>) -> PyResult<()> {
    files::set_quota(u64::from(start.scratch_bytes_max), start.scratch_entries_max);
    let entropy = vm.ctx.new_int(u128::from_le_bytes(start.entropy));
    world.classes.seed.call((world.classes.random.clone(), entropy), vm)?;
    // A record says how many milliseconds after this it was made.
    world.classes.logging.set_attr("_startTime", world.classes.time_ns.call((), vm)?, vm)?;
    let name: PyObjectRef = vm.ctx.new_str(start.name).into();
    world.loader.set_attr("source", vm.ctx.new_str(start.source), vm)?;
    if let Some(module) = start.module {
        world.module.set_attr("file", vm.ctx.new_str(module.file), vm)?;
        world.module.set_attr("source", vm.ctx.new_str(module.source), vm)?;
        if let Some(bytecode) = module.bytecode {
            world.module.set_attr("bytecode", vm.ctx.new_bytes(bytecode.to_vec()), vm)?;
        }
    }
    vm.sys_module.set_attr("argv", vm.ctx.new_list(vec![name.clone()]), vm)?;
    world.main.globals.set_item("__file__", name, vm)?;
    world.main.globals.set_item("params", host::loads(start.params, vm)?, vm)
}

/// `result` if the script bound it, else the value of its last statement if that is an expression, else `None`.
fn answer(vm: &VirtualMachine, world: &World, start: &Start<'_>, last: PyObjectRef) -> Vec<u8> {
    let value = match world.main.globals.get_item_opt("result", vm) {
        Ok(Some(result)) => result,
        _ if !vm.is_none(&last) && ends_in_definition(start.source) => vm.ctx.none(),
        _ => last,
    };
    match answer::to_json(vm, &world.classes, &value, start) {
        Ok(result) => encode(&Ended::Returned { result: &result }),
        Err(Unsayable::Invalid { path, reason }) => encode(&Ended::ResultInvalid { path: &path, reason: &reason }),
        Err(Unsayable::Limit { measure, limit, observed }) => encode(&Ended::ResultLimit { measure, limit, observed }),
        Err(Unsayable::Raised(error)) => raised(vm, world, start, &error),
    }
}

/// Whether the last statement of the script is a `def` or a `class`. Block-expression mode gives what such a statement
/// binds, as if it were an expression; of all other statements it gives `None`.
///
/// Asked at the end, and only where it decides: parsing costs as much as a small script.
fn ends_in_definition(source: &str) -> bool {
    let may_define = source.contains("def") || source.contains("class");
    may_define
        && parser::parse_module(source)
            .is_ok_and(|module| matches!(module.syntax().body.last(), Some(Stmt::FunctionDef(_) | Stmt::ClassDef(_))))
}

fn raised(vm: &VirtualMachine, world: &World, start: &Start<'_>, error: &PyBaseExceptionRef) -> Vec<u8> {
    let is = |class: &PyObjectRef| error.as_object().is_instance(class, vm).unwrap_or(false);
    let cause = if is(&world.classes.denied) {
        Cause::Refused
    } else if is(&world.classes.call_failed) {
        Cause::CallFailed
    } else if is(&world.classes.not_found) {
        Cause::NotFound
    } else if is(&world.classes.invalid) {
        Cause::Invalid
    } else if error.fast_isinstance(vm.ctx.exceptions.system_exit) {
        Cause::Exit
    } else {
        Cause::Script
    };
    let is_claim = matches!(cause, Cause::NotFound | Cause::Invalid);
    let hint = if is_claim { traceback::hint(vm, error) } else { String::new() };
    let class = error.class().name().to_string();
    let module = start.module.map(|module| (module.file, module.source));
    let sources: Vec<_> = [(start.name, start.source)].into_iter().chain(module).collect();
    let traceback = traceback::of(vm, error, &sources, start.traceback_bytes_max as usize);
    flush(vm);
    encode(&Ended::Raised(Raised {
        class: &class,
        message: &traceback::message(vm, error),
        traceback: &traceback,
        hint: &hint,
        cause,
    }))
}

/// `sys.exit()` and `sys.exit(0)` end a script as well as its last line does.
fn is_success(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> bool {
    error.fast_isinstance(vm.ctx.exceptions.system_exit)
        && match error.get_arg(0) {
            None => true,
            Some(status) => vm.is_none(&status) || status.is(&vm.ctx.new_int(0)),
        }
}

/// Sends what Python still holds of stdout and stderr. A script may have put anything in their place.
fn flush(vm: &VirtualMachine) {
    for (name, original) in [("stdout", "__stdout__"), ("stderr", "__stderr__")] {
        let stream = vm.sys_module.get_attr(name, vm).ok();
        let original = vm.sys_module.get_attr(original, vm).ok();
        let replaced = original.filter(|original| stream.as_ref().is_none_or(|stream| !stream.is(original)));
        for stream in stream.into_iter().chain(replaced) {
            // Whatever a flush raises comes too late to change how the script ended.
            let _ = vm.call_method(&stream, "flush", ());
        }
    }
}
