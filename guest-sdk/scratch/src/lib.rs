//! The script's private scratch directory: a file system in memory, with a quota.
//!
//! It lives inside the guest. What a script writes is the guest's own memory, metered like the rest and gone with the
//! instance; no path the script names ever reaches the host. The operations are those of WASI's preview1, with its
//! error numbers, since the C library and Rust's standard library call them.
//!
//! This crate knows no wasm, no pointers and no clock: paths and content are slices, and the time is an argument. There
//! are no links of any kind, so a node has at most one name, and no modes: a thing can be written unless it is part of
//! the fixed world, which [`Scratch::add_static`] lays out. Reading leaves the access time alone, as a `noatime` mount
//! does: it spares a look at the clock per read.
//!
//! - `path`: what a path may look like. `tree`: nodes, names, and what is charged. `content`: one file's bytes.
//! - `descriptor`: the open numbers. `places` and `opened`: the operations, by path and by descriptor.
//! - `oracle`: any sequence of operations agrees with `model`, a file system that is slow and simple.

#![forbid(unsafe_code)]

mod content;
mod descriptor;
mod errno;
#[cfg(any(test, fuzzing))]
mod model;
mod opened;
#[cfg(any(test, fuzzing))]
mod oracle;
mod path;
mod places;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;

pub use descriptor::{Access, Fd, Flags, ROOT_FD, Stream, Whence};
pub use errno::Errno;
#[cfg(any(test, fuzzing))]
pub use oracle::oracle;
pub use path::{NAME_BYTES_MAX, PATH_BYTES_MAX};
pub use places::{At, Opening};

use descriptor::Table;
use tree::{Body, Directory, ROOT, Tree};

/// Bytes of all files, when nobody says otherwise. A run has 256 MiB of memory by default, some 40 of which are the
/// interpreter. A file that grows is moved now and then and lies in memory twice meanwhile: one of 64 MiB fits twice
/// into what is left, one of 128 would not.
pub const QUOTA_BYTES: u64 = 64 << 20;

/// Files and directories, when nobody says otherwise. An entry costs some 300 bytes, and 255 more when its name is as
/// long as names get: 5 MiB in all. Scripts unpack archives of thousands of files, not of hundreds of thousands.
pub const QUOTA_ENTRIES: u32 = 10_000;

/// Open descriptors, streams and root included. Half of what macOS gives a process: enough for code that closes its
/// files, few enough for the linear search of a free number.
pub const QUOTA_DESCRIPTORS: u32 = 256;

/// What a run may store. Lowering it below what is in use takes nothing away; it refuses more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The lengths of all files together, whether or not they still have a name.
    pub bytes: u64,
    /// Files and directories. The fixed world and `/tmp` are none of them.
    pub entries: u32,
    /// Open descriptors.
    pub descriptors: u32,
}

impl Default for Quota {
    fn default() -> Self {
        Self { bytes: QUOTA_BYTES, entries: QUOTA_ENTRIES, descriptors: QUOTA_DESCRIPTORS }
    }
}

/// What is stored, in the measures of [`Quota`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Bytes in files.
    pub bytes: u64,
    /// Files and directories.
    pub entries: u32,
    /// Open descriptors.
    pub descriptors: u32,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One of the run's streams.
    Stream,
    /// A directory.
    Directory,
    /// A regular file.
    File,
}

/// What there is to know about a node, short of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Tells streams, which are numbered apart, from nodes.
    pub device: u64,
    /// The node's number, never given to another.
    pub inode: u64,
    /// What it is.
    pub kind: Kind,
    /// How many names it has: one, or none when only a descriptor still holds it.
    pub links: u64,
    /// Bytes of content.
    pub size: u64,
    /// Last read or made, in nanoseconds since 1970.
    pub accessed_ns: u64,
    /// Content last changed.
    pub modified_ns: u64,
    /// Content, name or times last changed.
    pub changed_ns: u64,
}

/// What a descriptor is, as `fdstat` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// What it stands for.
    pub kind: Kind,
    /// What it is open for.
    pub access: Access,
    /// How it behaves.
    pub flags: Flags,
}

/// One entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name; `.` and `..` come first.
    pub name: &'a str,
    /// Its node's number.
    pub inode: u64,
    /// What it is.
    pub kind: Kind,
    /// The cookie with which a listing goes on after this entry.
    pub next: u64,
}

/// Times to set; `None` leaves one as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewTimes {
    /// Nanoseconds since 1970.
    pub accessed_ns: Option<u64>,
    /// Nanoseconds since 1970.
    pub modified_ns: Option<u64>,
}

/// The scratch directory: a tree with `/tmp` in it, and the descriptors open on it.
///
/// ```
/// use intentbox_scratch::{Access, At, Opening, ROOT_FD, Scratch, Whence};
///
/// let mut scratch = Scratch::new();
/// let note = At { directory: ROOT_FD, path: b"tmp/note" };
/// let opening = Opening { create: true, access: Access { read: true, write: true }, ..Opening::default() };
/// let fd = scratch.open(note, opening, 0)?;
/// scratch.write(fd, [&b"buy "[..], b"milk"].into_iter(), 0)?;
///
/// let mut text = [0; 8];
/// scratch.seek(fd, 0, Whence::Start)?;
/// assert_eq!(scratch.read(fd, [&mut text[..]])?, 8);
/// assert_eq!(&text, b"buy milk");
/// # Ok::<(), intentbox_scratch::Errno>(())
/// ```
pub struct Scratch {
    tree: Tree,
    table: Table,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Scratch {
    /// Tells sizes, not content: files are the script's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("quota", &self.tree.quota).field("usage", &self.usage()).finish_non_exhaustive()
    }
}

impl Scratch {
    /// The world as it is before anything ran: `/tmp`, the streams and the root's descriptor, and the default quota.
    #[must_use]
    pub fn new() -> Self {
        let mut tree = Tree::new(Quota::default());
        let table = Table::new(ROOT);
        let laid = tree.lay_out(ROOT, "tmp", Body::Directory(Directory::default()), false).and(tree.hold(ROOT));
        debug_assert_eq!(laid, Ok(()), "the root is there and empty");
        Self { tree, table }
    }

    /// Sets what the run may store from here on.
    pub fn set_quota(&mut self, quota: Quota) {
        self.tree.quota = quota;
    }

    /// What is stored.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let descriptors = Fd::try_from(self.table.iter().count()).unwrap_or(Fd::MAX);
        Usage { bytes: self.tree.bytes, entries: self.tree.entries, descriptors }
    }

    /// Adds a file to the fixed world. `path` counts from the root, with or without a slash in front; the directories
    /// on the way are made, and are fixed as well. No quota counts any of it, and no script can change it.
    ///
    /// # Errors
    /// [`Errno::Exists`] when the name is taken, [`Errno::Invalid`] when the path leads upwards or has no name, and
    /// what is wrong with the path otherwise.
    pub fn add_static(&mut self, path: &str, bytes: &'static [u8]) -> Result<(), Errno> {
        let path = path::Path::parse(path.trim_start_matches('/').as_bytes())?;
        let name = path.name.filter(|_| !path.directory).ok_or(Errno::Invalid)?;
        let mut at = ROOT;
        for step in path.steps() {
            if step == ".." {
                return Err(Errno::Invalid);
            }
            let place = self.tree.resolve(at, &path::Path { parents: "", name: Some(step), directory: true })?;
            at = match place.node {
                Some(node) => node,
                None => self.tree.lay_out(at, step, Body::Directory(Directory::default()), true)?,
            };
        }
        let place = self.tree.resolve(at, &path::Path { parents: "", name: Some(name), directory: false })?;
        if place.node.is_some() {
            return Err(Errno::Exists);
        }
        self.tree.lay_out(at, name, Body::Static(bytes), true).map(|_| ())
    }

    /// Asserts what must hold between any two operations.
    #[cfg(any(test, fuzzing))]
    fn check(&self) {
        self.tree.check(|inode| {
            let holders = self.table.iter().filter(|open| open.target == descriptor::Target::Node(inode)).count();
            u32::try_from(holders).expect("descriptors are 32 bits")
        });
    }
}
