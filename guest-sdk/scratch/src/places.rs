//! Operations on paths.

use crate::descriptor::{Open, Target};
use crate::opened::stat;
use crate::path::Path;
use crate::tree::{Body, Directory, Inode, Place, ROOT};
use crate::{Access, Errno, Fd, Flags, Kind, NewTimes, Scratch, Stat};

/// A path and the open directory it starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At<'p> {
    /// Where the path starts.
    pub directory: Fd,
    /// The path's bytes, as the caller has them.
    pub path: &'p [u8],
}

/// How to open a path.
#[expect(clippy::struct_excessive_bools, reason = "the flags of one `path_open`, which may be set in any combination")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Opening {
    /// Make the file if nothing is there.
    pub create: bool,
    /// With `create`: refuse if something is there.
    pub exclusive: bool,
    /// Only a directory will do.
    pub directory: bool,
    /// Empty the file.
    pub truncate: bool,
    /// What the descriptor will allow.
    pub access: Access,
    /// How the descriptor will behave.
    pub flags: Flags,
}

impl Scratch {
    /// Opens a file or a directory under the lowest free number.
    ///
    /// # Errors
    /// [`Errno::TooManyOpen`] and [`Errno::NoSpace`] when the quota of descriptors or of entries is used up;
    /// [`Errno::ReadOnly`] for writing to the fixed world; [`Errno::IsDirectory`] for writing to a directory; otherwise
    /// what POSIX says about the path and the flags.
    pub fn open(&mut self, at: At<'_>, opening: Opening, now_ns: u64) -> Result<Fd, Errno> {
        let Opening { create, exclusive, directory, truncate, access, flags } = opening;
        if (directory && create) || (truncate && !access.write) {
            return Err(Errno::Invalid);
        }
        let fd = self.table.vacancy(self.tree.quota.descriptors)?;
        let place = self.resolve(at)?;
        let inode = match (place.node, place.name) {
            (Some(_), _) if create && exclusive => return Err(Errno::Exists),
            (Some(inode), _) => {
                let node = self.tree.node(inode)?;
                match node.kind() {
                    Kind::Directory if create || access.write => return Err(Errno::IsDirectory),
                    Kind::File if directory => return Err(Errno::NotDirectory),
                    Kind::File if access.write && node.read_only => return Err(Errno::ReadOnly),
                    _ => inode,
                }
            }
            (None, Some(_)) if create && place.directory => return Err(Errno::IsDirectory),
            (None, Some(name)) if create => self.tree.create(place.parent, name, Body::File(Vec::new()), now_ns)?,
            (None, _) => return Err(Errno::NotFound),
        };
        if truncate {
            self.tree.resize(inode, 0, now_ns)?;
        }
        self.tree.hold(inode)?;
        self.table.fill(fd, Open { target: Target::Node(inode), offset: 0, access, flags });
        Ok(fd)
    }

    /// What there is to know about the node at a path.
    ///
    /// # Errors
    /// What is wrong with the path, or [`Errno::NotFound`].
    pub fn stat_at(&self, at: At<'_>) -> Result<Stat, Errno> {
        let inode = self.find(at)?;
        Ok(stat(inode, self.tree.node(inode)?))
    }

    /// Sets the times of the node at a path.
    ///
    /// # Errors
    /// What is wrong with the path, [`Errno::NotFound`], or [`Errno::ReadOnly`].
    pub fn set_times_at(&mut self, at: At<'_>, times: NewTimes, now_ns: u64) -> Result<(), Errno> {
        let inode = self.find(at)?;
        self.set_node_times(inode, times, now_ns)
    }

    /// Makes an empty directory.
    ///
    /// # Errors
    /// [`Errno::Exists`] when the name is taken, [`Errno::NoSpace`] when the quota of entries is used up,
    /// [`Errno::ReadOnly`] in the fixed world, or what is wrong with the path.
    pub fn create_directory(&mut self, at: At<'_>, now_ns: u64) -> Result<(), Errno> {
        match self.resolve(at)? {
            Place { parent, name: Some(name), node: None, .. } => {
                self.tree.create(parent, name, Body::Directory(Directory::default()), now_ns).map(|_| ())
            }
            _ => Err(Errno::Exists),
        }
    }

    /// Removes an empty directory. Descriptors that hold it stay open on an empty directory without a name.
    ///
    /// # Errors
    /// [`Errno::NotEmpty`], [`Errno::NotDirectory`], [`Errno::Busy`] for the root, [`Errno::Invalid`] for a path that
    /// ends in a dot component, [`Errno::ReadOnly`] in the fixed world, or what is wrong with the path.
    pub fn remove_directory(&mut self, at: At<'_>, now_ns: u64) -> Result<(), Errno> {
        let (parent, name, inode) = self.entry(at)?;
        if self.tree.node(inode)?.kind() != Kind::Directory {
            return Err(Errno::NotDirectory);
        }
        self.check_movable(parent, inode)?;
        if !self.tree.is_empty(inode)? {
            return Err(Errno::NotEmpty);
        }
        self.tree.remove(parent, name, now_ns)
    }

    /// Removes a file's name. Descriptors that hold the file keep it, content and charge included, until they close.
    ///
    /// # Errors
    /// [`Errno::IsDirectory`], [`Errno::ReadOnly`] in the fixed world, or what is wrong with the path.
    pub fn unlink(&mut self, at: At<'_>, now_ns: u64) -> Result<(), Errno> {
        let place = self.resolve(at)?;
        let inode = place.node.ok_or(Errno::NotFound)?;
        let name = place.name.filter(|_| !place.directory).ok_or(Errno::IsDirectory)?;
        if self.tree.node(inode)?.kind() == Kind::Directory {
            return Err(Errno::IsDirectory);
        }
        self.check_movable(place.parent, inode)?;
        self.tree.remove(place.parent, name, now_ns)
    }

    /// Gives a node another name. A file takes the place of a file, a directory that of an empty directory; what is
    /// replaced is removed. Both names of one node: nothing happens.
    ///
    /// # Errors
    /// [`Errno::IsDirectory`] and [`Errno::NotDirectory`] when the kinds differ, [`Errno::NotEmpty`],
    /// [`Errno::Invalid`] for a directory into itself or a path that ends in a dot component, [`Errno::Busy`] for the
    /// root, [`Errno::ReadOnly`] when either end is in the fixed world, or what is wrong with a path.
    pub fn rename(&mut self, from: At<'_>, to: At<'_>, now_ns: u64) -> Result<(), Errno> {
        let (parent, name, inode) = self.entry(from)?;
        let place = self.resolve(to)?;
        let Some(new_name) = place.name else { return Err(unnamed(place)) };
        let moved = self.tree.node(inode)?.kind();
        if place.directory && moved != Kind::Directory {
            return Err(Errno::NotDirectory);
        }
        self.check_movable(parent, inode)?;
        self.tree.check_writable(place.parent)?;
        if place.node == Some(inode) {
            return Ok(());
        }
        if moved == Kind::Directory && self.tree.is_within(place.parent, inode)? {
            return Err(Errno::Invalid);
        }
        if let Some(replaced) = place.node {
            match (moved, self.tree.node(replaced)?.kind()) {
                (Kind::Directory, Kind::Directory) if !self.tree.is_empty(replaced)? => return Err(Errno::NotEmpty),
                (Kind::Directory, Kind::File) => return Err(Errno::NotDirectory),
                (Kind::File, Kind::Directory) => return Err(Errno::IsDirectory),
                _ => self.check_movable(place.parent, replaced)?,
            }
        }
        self.tree.rename((parent, name), (place.parent, new_name), now_ns)
    }

    /// Tells why a path is no symbolic link, which nothing here is.
    ///
    /// # Errors
    /// Always: [`Errno::Invalid`] when something is there, and what is wrong with the path otherwise.
    pub fn read_link(&self, at: At<'_>) -> Result<std::convert::Infallible, Errno> {
        self.find(at).and(Err(Errno::Invalid))
    }

    fn resolve<'p>(&self, at: At<'p>) -> Result<Place<'p>, Errno> {
        let start = self.directory(at.directory)?;
        self.tree.resolve(start, &Path::parse(at.path)?)
    }

    fn find(&self, at: At<'_>) -> Result<Inode, Errno> {
        self.resolve(at)?.node.ok_or(Errno::NotFound)
    }

    /// An entry that is to be removed or moved: its directory, its name and its node.
    fn entry<'p>(&self, at: At<'p>) -> Result<(Inode, &'p str, Inode), Errno> {
        let place = self.resolve(at)?;
        let name = place.name.ok_or_else(|| unnamed(place))?;
        Ok((place.parent, name, place.node.ok_or(Errno::NotFound)?))
    }

    /// Whether an entry may be removed or moved: neither it nor its directory is of the fixed world.
    fn check_movable(&self, parent: Inode, inode: Inode) -> Result<(), Errno> {
        if self.tree.node(inode)?.read_only {
            return Err(Errno::ReadOnly);
        }
        self.tree.check_writable(parent)
    }
}

/// Why the place of a path that ends in a dot component is no entry to remove, move or replace.
fn unnamed(place: Place<'_>) -> Errno {
    if place.parent == ROOT { Errno::Busy } else { Errno::Invalid }
}
