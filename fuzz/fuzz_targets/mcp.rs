//! Any bytes on the pipe of an MCP client are answered in the protocol or not at all, and a call is one of the tools' or is
//! refused. Its twin over the whole server is `c03_whatever_a_client_sends_what_comes_back_is_the_protocol`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = intentbox_mcp_wire::oracle::client(bytes);
});
