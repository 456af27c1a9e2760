//! The databases: the one module that speaks SQL, and the one in the product that names `sqlx`.
//!
//! [`file`] opens a database file and checks whose it is, [`postgres`] connects to a database on the network, [`connection`] is one of
//! the two, and [`session`] one face over both. [`runs`] are the records of runs, [`jobs`] are jobs, [`tools`] what is known of
//! upstream servers, and [`uses`] how their tools were used.

mod connection;
mod file;
pub(crate) mod jobs;
mod postgres;
mod runs;
mod session;
mod tools;
mod uses;

pub(crate) use jobs::JobDatabase;
pub(crate) use postgres::{JobNotices, checked_url};
pub(crate) use runs::{Batch, Database};
pub(crate) use tools::ToolDatabase;
