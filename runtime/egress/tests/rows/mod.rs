//! The rows of the threat model about egress, by the names of the tests: `h…` for requests and replies, `s…` for secrets.

mod address;
mod body;
mod credential;
mod redirect;
mod reply;
mod request;
mod retry;
mod secret;
mod tls;
