//! What the official conformance suite of MCP wants to talk to, on the HTTP transport of this crate.
//!
//! `conformance PORT` listens on the loopback address (0 picks a free port), prints its URL as the only line on stdout
//! and serves until it is killed. The tools, resources and prompts are the ones that the scenarios of the suite name,
//! for the revisions 2025-11-25 and 2026-07-28. What is under test is everything below them; they are *not* what
//! intentbox offers. `tests/mcp` says how to run the suite.
//!
//! In reading order: `fixture` (which request goes where), `tools`, `round` (tools that ask the client before they
//! answer), `resources`, `prompts` and `sample` (the image and the sound they carry).

#![expect(deprecated, reason = "the suite asks for sampling, roots and logging, which the newer revision deprecates")]

mod fixture;
mod prompts;
mod resources;
mod round;
mod sample;
mod tools;

use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use intentbox_listen::http::Options;
use intentbox_mcp::http;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::fixture::{Fixture, Shared};

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let Ok(port) = argument.parse::<u16>() else {
        eprintln!("`{argument}` is not a port: give a number up to 65535 as the only argument, or 0 for a free port");
        return ExitCode::FAILURE;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(serve(port))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the fixture does not serve on port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(port: u16) -> io::Result<()> {
    let shared = Arc::new(Shared::new()?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    // Whoever started this waits for the line: connections are accepted from here on.
    writeln!(io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    let make = move || Fixture::new(&shared);
    http::serve(listener, make, Options::loopback(), http::SESSION_IDLE, CancellationToken::new()).await
}
