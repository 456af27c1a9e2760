//! An exception as text. Frames of the script show its own lines; nothing of the build machine shows at all.

use std::collections::VecDeque;
use std::fmt::Write as _;

use intentbox_abi::shortened;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::{AsObject, VirtualMachine};

/// The most bytes of an exception's own text to send.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// The most bytes of its hint to send.
const HINT_BYTES_MAX: usize = 1 << 10;
/// How many exceptions of a `raise … from …` chain are shown.
const CHAIN_MAX: usize = 4;
/// How many frames are shown from each end of a traceback: deep recursion repeats itself in the middle.
const FRAMES_SHOWN: usize = 12;

/// The traceback as Python prints it, oldest cause first, cut in the middle to `bytes_max`. `sources` are the files whose
/// lines are shown, by the names that their code has.
pub(crate) fn of(
    vm: &VirtualMachine,
    error: &PyBaseExceptionRef,
    sources: &[(&str, &str)],
    bytes_max: usize,
) -> String {
    let mut chain = vec![(error.clone(), "")];
    while chain.len() < CHAIN_MAX {
        let (latest, _) = &chain[chain.len() - 1];
        let next = match (latest.__cause__(), latest.__context__()) {
            (Some(cause), _) => (cause, "\nThe above exception was the direct cause of the following exception:\n\n"),
            (None, Some(context)) => {
                (context, "\nDuring handling of the above exception, another exception occurred:\n\n")
            }
            (None, None) => break,
        };
        if chain.iter().any(|(seen, _)| seen.is(&next.0)) {
            break;
        }
        chain.push(next);
    }
    let mut text = String::new();
    for (error, bridge) in chain.iter().rev() {
        write_one(vm, error, sources, &mut text);
        text.push_str(bridge);
    }
    shortened(&text, bytes_max)
}

fn write_one(vm: &VirtualMachine, error: &PyBaseExceptionRef, sources: &[(&str, &str)], text: &mut String) {
    let mut first = Vec::new();
    let mut last = VecDeque::new();
    let mut left_out = 0;
    for entry in error.__traceback__().iter().flat_map(|traceback| traceback.iter()) {
        if first.len() < FRAMES_SHOWN {
            first.push(entry);
        } else {
            last.push_back(entry);
            if last.len() > FRAMES_SHOWN {
                last.pop_front();
                left_out += 1;
            }
        }
    }
    if !first.is_empty() {
        text.push_str("Traceback (most recent call last):\n");
    }
    let cut = first.len();
    for (index, entry) in first.into_iter().chain(last).enumerate() {
        if index == cut && left_out > 0 {
            let _ = writeln!(text, "  [{left_out} frames left out]");
        }
        let code = entry.frame.iframe().code();
        let (file, line) = (code.source_path().as_str(), entry.lineno.get());
        let _ = writeln!(text, "  File \"{file}\", line {line}, in {}", code.obj_name);
        let source = sources.iter().find(|(name, _)| *name == file);
        if let Some(line) = source.and_then(|(_, source)| source.lines().nth(line.saturating_sub(1))) {
            let _ = writeln!(text, "    {}", shortened(line.trim(), 200));
        }
    }
    let name = error.class().name().to_string();
    let _ = match message(vm, error) {
        message if message.is_empty() => writeln!(text, "{name}"),
        message => writeln!(text, "{name}: {message}"),
    };
}

/// `str()` of the exception, bounded. The class's own `__str__` may raise: then there is none.
pub(crate) fn message(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> String {
    let text = error.as_object().str(vm).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    shortened(&text, MESSAGE_BYTES_MAX)
}

/// The `hint` of the exception, bounded. A script may have put anything in its place: only text counts.
pub(crate) fn hint(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> String {
    let hint = error.as_object().get_attr("hint", vm).ok();
    let text = hint.as_ref().and_then(|hint| hint.downcast_ref::<PyStr>());
    let text = text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    shortened(&text, HINT_BYTES_MAX)
}
