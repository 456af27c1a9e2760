//! The rows of the threat model that are about the way out, by the names of the tests: `h…` requests and replies,
//! `s…` secrets.

mod address;
mod body;
mod redirect;
mod reply;
mod request;
mod retry;
mod secret;
mod tls;
