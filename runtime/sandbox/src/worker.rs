//! Worker processes: a second wall around the guest, and the way to use more than one core.
//!
//! A worker runs guests on one thread and waits for host calls on the same. It has no secrets, no environment and no
//! descriptor but its socket; host calls go to the parent. If it dies, hangs or is killed, its runs are lost and said to
//! be; the parent and the other workers go on, and a new worker takes its place.
//!
//! - `pool`: the parent's side. - `serve`: the worker's side. - `wire`: what they say. - `walls`: what a worker gives up.

mod pool;
mod serve;
mod walls;
mod wire;

pub(crate) use pool::Pool;
pub use pool::{WorkerCommand, WorkerState};
pub use serve::serve;
pub use walls::Walls;
