//! Reads the host's files for scripts: directories that a grant names, listed and read in bounded pieces, never written. No
//! other crate does.
//!
//! This crate does everything between an admitted path and the bytes that a script sees. It does not decide what is
//! allowed (`intentbox-capability` does, and this crate opens an `AllowedFile` only), nor what the bytes mean. Every
//! path is opened relative to the handle of its directory, by `cap-std`, which refuses whatever leads out of it: `..`,
//! absolute paths, symbolic links. Only regular files are read: a pipe or a device could block for ever.
//!
//! Reading order: [`Directories`] (what the operator configured), [`Reader`] (one run's reads), [`Listing`], `blocking`
//! (the limit on concurrent listings).

mod blocking;
mod directories;
mod list;
mod reader;

pub use directories::{Directories, DirectoryError};
pub use list::{ENTRIES_MAX, Listed, Listing, UNREAD_MAX, VISITED_MAX};
pub use reader::{PIECE_BYTES_MAX, ReadError, Reader};
