//! Worker processes: a second barrier around the guest, and the way to use more than one core.
//!
//! A worker runs guests and waits for host calls on one thread. It has no secrets, no environment and no descriptor but
//! its socket; host calls go to the parent. If it dies, hangs or is killed, its runs end as lost; the parent and the
//! other workers go on, and a new worker takes its place.
//!
//! - `pool`: the parent's side. - `runs`: what it keeps about the runs of one worker. - `serve`: the worker's side. - `wire`: their messages. - `hardening`: the privileges that
//!   a worker drops.

mod hardening;
mod pool;
mod runs;
mod serve;
mod wire;

pub use hardening::Hardening;
pub(crate) use pool::Pool;
pub use pool::{WorkerCommand, WorkerState};
pub use serve::{ServeError, serve};
