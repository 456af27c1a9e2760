//! The host's functions, and the native module that the Python package calls.
//!
//! A call has two phases: `call` hands over a message and learns how long the answer is, the guest makes room, and
//! `take` fetches it. The host never calls back into the guest's allocator, so a call cannot re-enter the interpreter.

use intentbox_abi::{Call, Reply, decode, encode};

// SAFETY: the signatures are those that `runtime/sandbox` links under this name.
#[link(wasm_import_module = "intentbox")]
unsafe extern "C" {
    /// Answers with `handle << 32 | length`.
    fn call(message: *const u8, length: usize) -> u64;
    /// Copies the answer `handle` to `into`, which has room for its whole length, and forgets it.
    fn take(handle: u32, into: *mut u8);
    /// Ends the run as `memory_limit`.
    fn out_of_memory(bytes: u64);
}

pub(crate) fn tell_out_of_memory(bytes: u64) {
    // SAFETY: takes a number, keeps no pointer.
    unsafe { out_of_memory(bytes) }
}

/// Sends a call and gives the answer's bytes.
fn exchange(message: &Call<'_>) -> Vec<u8> {
    let bytes = encode(message);
    // SAFETY: `bytes` lives across the call, and the host reads no further than `bytes.len()`.
    let answer = unsafe { call(bytes.as_ptr(), bytes.len()) };
    drop(bytes);
    let (handle, length) = ((answer >> 32) as u32, (answer & 0xffff_ffff) as usize);
    let mut reply = vec![0; length];
    // SAFETY: `reply` has room for exactly the `length` bytes that the host announced for this handle.
    unsafe { take(handle, reply.as_mut_ptr()) };
    reply
}

/// Parses JSON text to Python objects. Integers of any size stay integers.
pub(crate) fn loads(
    text: &str,
    vm: &rustpython_vm::VirtualMachine,
) -> rustpython_vm::PyResult<rustpython_vm::PyObjectRef> {
    if has_wide_integer(text) {
        return python_loads(text, vm);
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match rustpython_vm::py_serde::deserialize(vm, &mut deserializer) {
        Ok(value) if deserializer.end().is_ok() => Ok(value),
        // Python's own parser then says what is wrong in Python's words, or accepts what only it accepts (`NaN`).
        _ => python_loads(text, vm),
    }
}

fn python_loads(text: &str, vm: &rustpython_vm::VirtualMachine) -> rustpython_vm::PyResult<rustpython_vm::PyObjectRef> {
    let json = vm.import("json", 0)?;
    json.get_attr("loads", vm)?.call((text.to_owned(),), vm)
}

/// Whether some run of digits is too long for 64 bits for sure to hold it.
fn has_wide_integer(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run > 18
    })
}

/// `_intentbox`: the native module below the Python package in `guest-sdk/python`.
#[rustpython_vm::pymodule]
pub(crate) mod _intentbox {
    use super::{Call, Reply, decode, exchange};
    use crate::{logs, tables};
    use intentbox_abi::{FileEntry, HEADERS_MAX, HttpRequest};
    use intentbox_logs::Scan;
    use rustpython_vm::builtins::{PyBytesRef, PyStrRef};
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

    /// Sends one HTTP request: `("reply", status, url, headers, body)`, `("refused", message, hint)` or
    /// `("failed", kind, message)`. `headers` alternates names and values.
    #[pyfunction]
    fn http(
        method: PyStrRef,
        url: PyStrRef,
        headers: Vec<PyStrRef>,
        body: Option<PyBytesRef>,
        timeout_ms: Option<u32>,
        vm: &VirtualMachine,
    ) -> PyResult<PyObjectRef> {
        let (pairs, _) = headers.as_chunks::<2>();
        if pairs.len() > HEADERS_MAX {
            return Err(vm.new_value_error(format!("{} headers; at most {HEADERS_MAX} fit", pairs.len())));
        }
        let pairs = pairs
            .iter()
            .map(|[name, value]| Ok((text(name, "a header name", vm)?, text(value, "a header value", vm)?)))
            .collect::<PyResult<Vec<_>>>()?;
        let request = HttpRequest {
            method: text(&method, "the method", vm)?,
            url: text(&url, "the url", vm)?,
            headers: pairs,
            body: body.as_ref().map(|bytes| bytes.as_bytes()),
            timeout_ms,
        };
        let bytes = exchange(&Call::Http(request));
        let ctx = &vm.ctx;
        let string = |text: &str| -> PyObjectRef { ctx.new_str(text).into() };
        let answer = reply(&bytes, vm)?;
        let Reply::Http(reply) = answer else { return no(&answer, vm) };
        let header = |(name, value): &(&str, &str)| ctx.new_tuple(vec![string(name), string(value)]).into();
        let parts = vec![
            string("reply"),
            ctx.new_int(reply.status).into(),
            string(reply.url),
            ctx.new_list(reply.headers.iter().map(header).collect()).into(),
            ctx.new_bytes(reply.body.to_vec()).into(),
        ];
        Ok(ctx.new_tuple(parts).into())
    }

    /// Lists the files of a folder: `("files", [(path, bytes, modified_unix_ms), …], [unread folder, …])`, or a refusal
    /// or failure as from `http`.
    #[pyfunction]
    fn list_files(folder: PyStrRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let bytes = exchange(&Call::ListFiles { folder: text(&folder, "the folder", vm)? });
        let ctx = &vm.ctx;
        match reply(&bytes, vm)? {
            Reply::Files { files, unread } => {
                let entry = |file: &FileEntry<'_>| -> PyObjectRef {
                    let parts = vec![
                        ctx.new_str(file.path).into(),
                        ctx.new_int(file.bytes).into(),
                        ctx.new_int(file.modified_unix_ms).into(),
                    ];
                    ctx.new_tuple(parts).into()
                };
                let files = ctx.new_list(files.iter().map(entry).collect());
                let unread = ctx.new_list(unread.iter().map(|folder| ctx.new_str(*folder).into()).collect());
                Ok(ctx.new_tuple(vec![ctx.new_str("files").into(), files.into(), unread.into()]).into())
            }
            other => no(&other, vm),
        }
    }

    /// Reads a piece of a file: `("piece", bytes)`, or a refusal or failure as from `http`.
    #[pyfunction]
    fn read_file(path: PyStrRef, offset: u64, length: u32, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let bytes = exchange(&Call::ReadFile { path: text(&path, "the path", vm)?, offset, length });
        let ctx = &vm.ctx;
        match reply(&bytes, vm)? {
            Reply::Piece(piece) => {
                Ok(ctx.new_tuple(vec![ctx.new_str("piece").into(), ctx.new_bytes(piece.to_vec()).into()]).into())
            }
            other => no(&other, vm),
        }
    }

    /// Calls a tool of an upstream server with arguments as JSON text: `("answer", value)`, or a refusal or failure as from `http`.
    #[pyfunction]
    fn call_tool(server: PyStrRef, tool: PyStrRef, arguments: PyStrRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let bytes = exchange(&Call::Tool {
            server: text(&server, "the server", vm)?,
            tool: text(&tool, "the tool", vm)?,
            arguments: text(&arguments, "an argument", vm)?,
        });
        answered(&bytes, vm)
    }

    /// Begins a call of a tool: `("begun", number)`, or a refusal or failure as from `http`.
    #[pyfunction]
    fn begin_tool(server: PyStrRef, tool: PyStrRef, arguments: PyStrRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let bytes = exchange(&Call::BeginTool {
            server: text(&server, "the server", vm)?,
            tool: text(&tool, "the tool", vm)?,
            arguments: text(&arguments, "an argument", vm)?,
        });
        match reply(&bytes, vm)? {
            Reply::Begun(call) => {
                Ok(vm.ctx.new_tuple(vec![vm.ctx.new_str("begun").into(), vm.ctx.new_int(call).into()]).into())
            }
            other => no(&other, vm),
        }
    }

    /// Waits for a call that was begun: as `call_tool`.
    #[pyfunction]
    fn end_tool(call: u32, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        answered(&exchange(&Call::EndTool { call }), vm)
    }

    /// Searches the granted tools: as `call_tool`.
    #[pyfunction]
    fn find_tools(query: PyStrRef, most: u32, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        answered(&exchange(&Call::FindTools { text: text(&query, "the text", vm)?, most }), vm)
    }

    /// Describes a granted tool: as `call_tool`.
    #[pyfunction]
    fn describe_tool(server: PyStrRef, tool: PyStrRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let (server, tool) = (text(&server, "the server", vm)?, text(&tool, "the tool", vm)?);
        answered(&exchange(&Call::DescribeTool { server, tool }), vm)
    }

    /// `("answer", value)`, or a refusal or failure as from `http`.
    fn answered(bytes: &[u8], vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        match reply(bytes, vm)? {
            Reply::Tool(json) => {
                Ok(vm.ctx.new_tuple(vec![vm.ctx.new_str("answer").into(), super::loads(json, vm)?]).into())
            }
            other => no(&other, vm),
        }
    }

    /// Opens a scan of logs for a query as JSON text, and gives its handle.
    #[pyfunction]
    fn scan_open(query: PyStrRef, vm: &VirtualMachine) -> PyResult<u32> {
        logs::open(text(&query, "the query", vm)?).map_err(|reason| vm.new_value_error(reason))
    }

    /// Begins a file of a scan.
    #[pyfunction]
    fn scan_begin_file(handle: u32, name: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        let name = text(&name, "the name", vm)?;
        logs::with(handle, |scan| scan.begin_file(name)).map_err(|reason| vm.new_value_error(reason))
    }

    /// Gives a scan the next bytes of its file.
    #[pyfunction]
    fn scan_feed(handle: u32, piece: PyBytesRef, vm: &VirtualMachine) -> PyResult<()> {
        logs::with(handle, |scan| scan.feed(piece.as_bytes())).map_err(|reason| vm.new_value_error(reason))
    }

    /// Ends the file of a scan.
    #[pyfunction]
    fn scan_end_file(handle: u32, vm: &VirtualMachine) -> PyResult<()> {
        logs::with(handle, Scan::end_of_file).map_err(|reason| vm.new_value_error(reason))
    }

    /// Ends a scan and gives its answer as JSON text.
    #[pyfunction]
    fn scan_answer(handle: u32, vm: &VirtualMachine) -> PyResult<String> {
        logs::answer(handle).map_err(|reason| vm.new_value_error(reason))
    }

    /// Opens a scan of a table for a query as JSON text, and gives its handle.
    #[pyfunction]
    fn table_open(query: PyStrRef, vm: &VirtualMachine) -> PyResult<u32> {
        tables::open(text(&query, "the query", vm)?).map_err(|reason| vm.new_value_error(reason))
    }

    /// Gives a scan of a table the next bytes of its file. False if it needs no more of them.
    #[pyfunction]
    fn table_feed(handle: u32, piece: PyBytesRef, vm: &VirtualMachine) -> PyResult<bool> {
        tables::feed(handle, piece.as_bytes()).map_err(|reason| vm.new_value_error(reason))
    }

    /// Ends a scan of a table and gives its answer as JSON text.
    #[pyfunction]
    fn table_answer(handle: u32, vm: &VirtualMachine) -> PyResult<String> {
        tables::answer(handle).map_err(|reason| vm.new_value_error(reason))
    }

    /// Ends a scan of a table without an answer.
    #[pyfunction]
    fn table_close(handle: u32) {
        tables::close(handle);
    }

    fn text<'a>(text: &'a PyStrRef, what: &str, vm: &VirtualMachine) -> PyResult<&'a str> {
        text.to_str().ok_or_else(|| vm.new_value_error(format!("{what} holds a lone surrogate")))
    }

    fn reply<'a>(bytes: &'a [u8], vm: &VirtualMachine) -> PyResult<Reply<'a>> {
        decode(bytes).map_err(|error| vm.new_runtime_error(format!("the host's answer: {error}")))
    }

    /// A refusal or a failure as a tuple.
    fn no(reply: &Reply<'_>, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let parts = match *reply {
            Reply::Refused { message, hint } => ["refused", message, hint],
            Reply::Failed { kind, message } => ["failed", kind, message],
            _ => return Err(vm.new_runtime_error("the host answered another question".to_owned())),
        };
        Ok(vm.ctx.new_tuple(parts.map(|part| vm.ctx.new_str(part).into()).into()).into())
    }

    /// Parses JSON bytes.
    #[pyfunction]
    fn loads(text: PyBytesRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        match core::str::from_utf8(text.as_bytes()) {
            Ok(text) => super::loads(text, vm),
            Err(error) => {
                Err(vm.new_value_error(format!("the body is not UTF-8 text: byte {} breaks it", error.valid_up_to())))
            }
        }
    }
}
