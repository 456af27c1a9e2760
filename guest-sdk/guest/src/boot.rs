//! The snapshot: a booted interpreter with imported modules, and the two exports that use it.

use std::cell::{Cell, RefCell};

use intentbox_abi::{Start, decode};
use rustpython_vm::{Interpreter, InterpreterBuilder, PyResult, Settings, VirtualMachine};

use crate::world::{self, World};
use crate::{files, host, immortal, memory, script, traceback};

/// Run once before the snapshot so that caches, interned names and method tables it needs are in it already: whatever a
/// run then only reads stays shared, whatever it writes is a page to copy.
const WARM_UP: &str = r#"
import datetime, json, re, urllib.parse
class Row:
    def __init__(self, name, count):
        self.name, self.count = name, count
    def __repr__(self):
        return f"Row({self.name!r}, {self.count:>5})"
rows = [Row(name, index) for index, name in enumerate("b a c".split())]
rows.sort(key=lambda row: row.name)
groups = {}
for row in rows:
    groups.setdefault(row.count % 2, []).append(str(row))
try:
    {}["missing"]
except KeyError as error:
    text = "%s %s" % (type(error).__name__, error)
for value in range(3):
    text += str(value + 1.5)
json.loads('{"a": [1, 2.5, null, true, "x"]}'), json.dumps({"a": [1, 2.5, None, True, "x"]})
re.sub(r"(\w+)-(\d+)", r"\2", "web-42")
datetime.datetime.fromisoformat("2026-01-01T00:00:00+00:00") - datetime.timedelta(days=1)
sorted({"b": 1, "a": 2}.items()), sum(x * x for x in range(4)), urllib.parse.quote("a b")
"#;

thread_local! {
    static BOOTED: RefCell<Option<(Interpreter, World)>> = const { RefCell::new(None) };
    static START_BYTES: Cell<usize> = const { Cell::new(0) };
}

#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    memory::install_panic_hook();
    if files::install().is_err() {
        eprintln!("the guest cannot lay out its files");
        std::process::abort()
    }
    let mut settings = Settings::default();
    settings.hash_seed = Some(0);
    settings.install_signal_handlers = false;
    settings.isolated = true;
    settings.import_site = false;
    settings.write_bytecode = false;
    settings.user_site_directory = false;
    settings.safe_path = true;
    let builder = InterpreterBuilder::new().settings(settings);
    let modules = rustpython_stdlib::stdlib_module_defs(&builder.ctx);
    let ours = host::_intentbox::module_def(&builder.ctx);
    let interpreter = builder
        .add_native_modules(&modules)
        .add_native_module(ours)
        .add_frozen_modules(rustpython_pylib::FROZEN_STDLIB)
        .add_frozen_modules(rustpython_vm::py_freeze!(dir = "../../python"))
        .interpreter();
    let prepared = interpreter.enter(|vm| {
        let world = world::prepare(vm).and_then(|()| World::new(vm));
        world.map_err(|error| traceback::of(vm, &error, &[], 1 << 16))
    });
    // A snapshot that is not whole must not be taken: the build fails here, with the reason on its stderr.
    let world = prepared.unwrap_or_else(|raised| {
        eprintln!("the guest cannot boot: {raised}");
        std::process::abort()
    });
    BOOTED.with_borrow_mut(|booted| *booted = Some((interpreter, world)));
    let warm = Start {
        name: "warm_up.py",
        source: WARM_UP,
        module: None,
        params: "{}",
        entropy: [0; 16],
        result_bytes_max: 1 << 16,
        result_depth_max: 64,
        traceback_bytes_max: 1 << 14,
        scratch_bytes_max: 1 << 20,
        scratch_entries_max: 100,
    };
    for source in [WARM_UP, "[1, 2.5, 'x', {'a': None}]", "1 / 0", "=", "1+1"] {
        with(|world, vm| script::run(vm, world, &Start { source, ..warm.clone() }));
    }
    BOOTED.with_borrow_mut(|booted| {
        let (interpreter, world) = booted.as_mut().expect("set above");
        let fresh = interpreter.enter(|vm| {
            let world = World::new(vm)?;
            world::settle(vm)?;
            immortal::make(vm)?;
            PyResult::Ok(world)
        });
        *world = fresh.unwrap_or_else(|_| unreachable!("the same worked above"));
    });
    memory::fill_holes();
}

/// Makes room for a `Start` of `length` bytes and tells where.
#[unsafe(no_mangle)]
extern "C" fn prepare(length: usize) -> *mut u8 {
    START_BYTES.set(length);
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Runs the script whose `Start` is at `start` and answers with `address << 32 | length` of its `Ended`.
#[unsafe(no_mangle)]
extern "C" fn run(start: *const u8) -> u64 {
    // SAFETY: `start` is what `prepare` gave out for START_BYTES bytes, filled by the host; nothing frees it.
    let bytes = unsafe { core::slice::from_raw_parts(start, START_BYTES.get()) };
    let start: Start<'_> = decode(bytes).expect("the host sends what this very build of the protocol encodes");
    let answer = with(|world, vm| script::run(vm, world, &start)).leak();
    (answer.as_ptr() as u64) << 32 | answer.len() as u64
}

fn with<T>(act: impl FnOnce(&World, &VirtualMachine) -> T) -> T {
    BOOTED.with_borrow(|booted| {
        let (interpreter, world) = booted.as_ref().expect("`wizer-initialize` ran before any other export");
        interpreter.enter(|vm| act(world, vm))
    })
}
