//! Nodes, their names, and what they are charged.
//!
//! Nodes lie flat in one map and refer to each other by inode number: however deep the tree, neither walking nor
//! dropping it recurses. A number is never given out twice, so a stale one finds nothing rather than something else.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;

use crate::path::Path;
use crate::{Entry, Errno, Kind, Quota, content};

/// A node's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Inode(pub(crate) u64);

/// The root. It is number 2 so that a directory's cookies need no mapping: 0 and 1 stand before `.` and `..`, and every
/// other cookie is the number of the entry just given.
pub(crate) const ROOT: Inode = Inode(2);

/// A file ends below this, as `lseek` counts positions in signed 64 bits.
const FILE_BYTES_MAX: u64 = i64::MAX as u64;

#[derive(Debug)]
pub(crate) enum Body {
    Directory(Directory),
    File(Vec<u8>),
    /// Belongs to the program, not to the run: never written, never charged.
    Static(&'static [u8]),
}

/// A directory's entries, by name for looking up and by number for listing.
///
/// Listing goes by number because that order never shifts: an entry removed or added between two reads of a listing
/// neither hides another nor shows one twice.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    names: BTreeMap<Rc<str>, Inode>,
    order: BTreeMap<Inode, Rc<str>>,
}

/// When a node was last used, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) accessed: u64,
    pub(crate) modified: u64,
    pub(crate) changed: u64,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) body: Body,
    pub(crate) times: Times,
    /// The directory that names this node; `None` once nothing does. The root names itself.
    pub(crate) parent: Option<Inode>,
    pub(crate) read_only: bool,
    /// Whether it counts as an entry of the quota. What boot laid out does not.
    charged: bool,
    /// How many descriptors hold it.
    holders: u32,
}

impl Node {
    pub(crate) fn kind(&self) -> Kind {
        match self.body {
            Body::Directory(_) => Kind::Directory,
            Body::File(_) | Body::Static(_) => Kind::File,
        }
    }

    pub(crate) fn content(&self) -> &[u8] {
        match &self.body {
            Body::Directory(_) => &[],
            Body::File(content) => content,
            Body::Static(content) => content,
        }
    }

    fn touch(&mut self, now_ns: u64) {
        self.times.modified = now_ns;
        self.times.changed = now_ns;
    }
}

/// Where a path leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    /// The directory that holds, or would hold, the entry.
    pub(crate) parent: Inode,
    /// The entry's name, if the path ends in one.
    pub(crate) name: Option<&'p str>,
    /// What is there.
    pub(crate) node: Option<Inode>,
    /// Whether only a directory will do.
    pub(crate) directory: bool,
}

#[derive(Debug)]
pub(crate) struct Tree {
    nodes: BTreeMap<Inode, Node>,
    next: Inode,
    pub(crate) quota: Quota,
    /// The lengths of all files, open ones without a name included.
    pub(crate) bytes: u64,
    /// All charged nodes, open ones without a name included.
    pub(crate) entries: u32,
}

impl Tree {
    pub(crate) fn new(quota: Quota) -> Self {
        let root = Node {
            body: Body::Directory(Directory::default()),
            times: Times { accessed: 0, modified: 0, changed: 0 },
            parent: Some(ROOT),
            read_only: false,
            charged: false,
            holders: 0,
        };
        Self { nodes: BTreeMap::from([(ROOT, root)]), next: Inode(ROOT.0 + 1), quota, bytes: 0, entries: 0 }
    }

    pub(crate) fn node(&self, inode: Inode) -> Result<&Node, Errno> {
        self.nodes.get(&inode).ok_or(Errno::Io)
    }

    pub(crate) fn node_mut(&mut self, inode: Inode) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&inode).ok_or(Errno::Io)
    }

    fn directory(&self, inode: Inode) -> Result<&Directory, Errno> {
        match &self.node(inode)?.body {
            Body::Directory(directory) => Ok(directory),
            Body::File(_) | Body::Static(_) => Err(Errno::NotDirectory),
        }
    }

    fn directory_mut(&mut self, inode: Inode) -> Result<&mut Directory, Errno> {
        match &mut self.node_mut(inode)?.body {
            Body::Directory(directory) => Ok(directory),
            Body::File(_) | Body::Static(_) => Err(Errno::NotDirectory),
        }
    }

    pub(crate) fn is_empty(&self, directory: Inode) -> Result<bool, Errno> {
        Ok(self.directory(directory)?.names.is_empty())
    }

    /// Walks `path` from `start`. Climbing above `start` is allowed, since the root's descriptor is there for anyone to
    /// use; climbing above the root is not.
    pub(crate) fn resolve<'p>(&self, start: Inode, path: &Path<'p>) -> Result<Place<'p>, Errno> {
        let mut at = start;
        for step in path.steps() {
            let directory = self.directory(at)?;
            at = match step {
                ".." if at == ROOT => return Err(Errno::NotCapable),
                ".." => self.node(at)?.parent.ok_or(Errno::NotFound)?,
                name => *directory.names.get(name).ok_or(Errno::NotFound)?,
            };
        }
        let directory = self.directory(at)?;
        let Some(name) = path.name else {
            return Ok(Place { parent: at, name: None, node: Some(at), directory: true });
        };
        let node = directory.names.get(name).copied();
        if let Some(node) = node.filter(|_| path.directory) {
            self.directory(node)?;
        }
        Ok(Place { parent: at, name: Some(name), node, directory: path.directory })
    }

    /// Makes a node of the run's own, within the quota.
    pub(crate) fn create(&mut self, parent: Inode, name: &str, body: Body, now_ns: u64) -> Result<Inode, Errno> {
        self.check_writable(parent)?;
        if self.entries >= self.quota.entries {
            return Err(Errno::NoSpace);
        }
        let inode = self.add(parent, name, body, now_ns)?;
        let node = self.node_mut(inode)?;
        node.charged = true;
        self.entries += 1;
        Ok(inode)
    }

    /// Makes a node of the fixed world, below another or in the root. No quota counts it.
    pub(crate) fn lay_out(&mut self, parent: Inode, name: &str, body: Body, read_only: bool) -> Result<Inode, Errno> {
        let inode = self.add(parent, name, body, 0)?;
        self.node_mut(inode)?.read_only = read_only;
        Ok(inode)
    }

    fn add(&mut self, parent: Inode, name: &str, body: Body, now_ns: u64) -> Result<Inode, Errno> {
        let inode = self.next;
        let times = Times { accessed: now_ns, modified: now_ns, changed: now_ns };
        self.enter(parent, name, inode, now_ns)?;
        let node = Node { body, times, parent: Some(parent), read_only: false, charged: false, holders: 0 };
        self.nodes.insert(inode, node);
        self.next = Inode(inode.0 + 1);
        Ok(inode)
    }

    /// Takes a name away. The node goes with it, unless a descriptor holds it.
    pub(crate) fn remove(&mut self, parent: Inode, name: &str, now_ns: u64) -> Result<(), Errno> {
        let inode = self.leave(parent, name, now_ns)?;
        let node = self.node_mut(inode)?;
        node.parent = None;
        node.times.changed = now_ns;
        self.reap(inode);
        Ok(())
    }

    /// Gives a node another name, in place of whatever had that name.
    pub(crate) fn rename(&mut self, from: (Inode, &str), to: (Inode, &str), now_ns: u64) -> Result<(), Errno> {
        if self.directory(to.0)?.names.contains_key(to.1) {
            self.remove(to.0, to.1, now_ns)?;
        }
        let inode = self.leave(from.0, from.1, now_ns)?;
        self.enter(to.0, to.1, inode, now_ns)?;
        let node = self.node_mut(inode)?;
        node.parent = Some(to.0);
        node.times.changed = now_ns;
        Ok(())
    }

    fn enter(&mut self, parent: Inode, name: &str, inode: Inode, now_ns: u64) -> Result<(), Errno> {
        let name: Rc<str> = name.into();
        let directory = self.directory_mut(parent)?;
        directory.names.insert(Rc::clone(&name), inode);
        directory.order.insert(inode, name);
        self.node_mut(parent)?.touch(now_ns);
        Ok(())
    }

    fn leave(&mut self, parent: Inode, name: &str, now_ns: u64) -> Result<Inode, Errno> {
        let directory = self.directory_mut(parent)?;
        let inode = directory.names.remove(name).ok_or(Errno::NotFound)?;
        directory.order.remove(&inode);
        self.node_mut(parent)?.touch(now_ns);
        Ok(inode)
    }

    /// Whether `inode` is `above` or is somewhere below it.
    pub(crate) fn is_within(&self, inode: Inode, above: Inode) -> Result<bool, Errno> {
        let mut at = inode;
        while at != above {
            match self.node(at)?.parent {
                Some(parent) if at != ROOT => at = parent,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether entries of `directory` may change: it is the run's own, and it still has a name.
    pub(crate) fn check_writable(&self, directory: Inode) -> Result<(), Errno> {
        let node = self.node(directory)?;
        if node.read_only {
            return Err(Errno::ReadOnly);
        }
        node.parent.map(|_| ()).ok_or(Errno::NotFound)
    }

    pub(crate) fn hold(&mut self, inode: Inode) -> Result<(), Errno> {
        self.node_mut(inode)?.holders += 1;
        Ok(())
    }

    pub(crate) fn release(&mut self, inode: Inode) {
        if let Some(node) = self.nodes.get_mut(&inode) {
            node.holders -= 1;
            self.reap(inode);
        }
    }

    /// Drops a node that has neither a name nor a holder, and gives back what it was charged. Such a node has no
    /// entries: a directory is removed when it is empty, and nothing can be made in one without a name.
    fn reap(&mut self, inode: Inode) {
        let gone = self.nodes.get(&inode).is_some_and(|node| node.parent.is_none() && node.holders == 0);
        if let Some(node) = gone.then(|| self.nodes.remove(&inode)).flatten() {
            self.entries -= u32::from(node.charged);
            if let Body::File(content) = node.body {
                self.bytes -= content.len() as u64;
            }
        }
    }

    /// Writes all of `parts` or nothing, and tells how many bytes they are.
    pub(crate) fn write<'a, Parts>(&mut self, inode: Inode, at: u64, parts: Parts, now_ns: u64) -> Result<u64, Errno>
    where
        Parts: Iterator<Item = &'a [u8]> + Clone,
    {
        let count = parts.clone().try_fold(0_u64, |sum, part| sum.checked_add(part.len() as u64));
        let end = count.and_then(|count| at.checked_add(count)).filter(|end| *end <= FILE_BYTES_MAX);
        let (count, end) = count.zip(end).ok_or(Errno::FileTooBig)?;
        if count > 0 {
            self.change(inode, now_ns, |content, room| {
                room.admit(content, end)?;
                // The end is admitted, so that whatever lies before it is an index into memory.
                content::write(content, usize::try_from(at).map_err(|_| Errno::NoSpace)?, parts);
                Ok(())
            })?;
        }
        Ok(count)
    }

    /// Makes a file `length` bytes long: cuts it, or fills it up with zeros.
    pub(crate) fn resize(&mut self, inode: Inode, length: u64, now_ns: u64) -> Result<(), Errno> {
        if length > FILE_BYTES_MAX {
            return Err(Errno::FileTooBig);
        }
        self.change(inode, now_ns, |content, room| {
            if length <= content.len() as u64 {
                content::cut(content, usize::try_from(length).map_err(|_| Errno::NoSpace)?);
            } else {
                let length = room.admit(content, length)?;
                content.resize(length, 0);
            }
            Ok(())
        })
    }

    /// Lets `act` change a file's content, and charges the difference.
    fn change(
        &mut self,
        inode: Inode,
        now_ns: u64,
        act: impl FnOnce(&mut Vec<u8>, Room) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let room = Room { free: self.quota.bytes.saturating_sub(self.bytes) };
        let node = self.node_mut(inode)?;
        let Body::File(content) = &mut node.body else {
            return Err(if node.read_only { Errno::ReadOnly } else { Errno::IsDirectory });
        };
        let before = content.len() as u64;
        act(content, room)?;
        let after = content.len() as u64;
        node.touch(now_ns);
        self.bytes = self.bytes - before + after;
        Ok(())
    }

    /// A directory's entries after `cookie`.
    pub(crate) fn list(&self, inode: Inode, cookie: u64) -> Result<impl Iterator<Item = Entry<'_>>, Errno> {
        let directory = self.directory(inode)?;
        let node = self.node(inode)?;
        // A directory without a name lists nothing, not even itself.
        let dots = node.parent.map(|parent| {
            let dots = [(0, ".", inode), (1, "..", parent)];
            dots.into_iter().filter(move |(before, ..)| *before >= cookie).map(|(before, name, inode)| Entry {
                name,
                inode: inode.0,
                kind: Kind::Directory,
                next: before + 1,
            })
        });
        let after = Bound::Excluded(Inode(cookie.max(ROOT.0)));
        let named = directory.order.range((after, Bound::Unbounded)).map(|(inode, name)| Entry {
            name,
            inode: inode.0,
            kind: self.node(*inode).map_or(Kind::File, Node::kind),
            next: inode.0,
        });
        Ok(dots.into_iter().flatten().chain(named))
    }

    /// Asserts what must hold between any two operations. `held` tells how many descriptors hold a node.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn check(&self, held: impl Fn(Inode) -> u32) {
        let (mut bytes, mut entries, mut named) = (0, 0, 0);
        for (inode, node) in &self.nodes {
            assert_eq!(node.holders, held(*inode), "holders of {inode:?}");
            assert!(node.parent.is_some() || node.holders > 0, "{inode:?} has neither a name nor a holder");
            entries += u32::from(node.charged);
            match &node.body {
                Body::File(content) => bytes += content.len() as u64,
                Body::Static(_) => assert!(node.read_only && !node.charged, "{inode:?} is of the fixed world"),
                Body::Directory(directory) => {
                    assert!(node.parent.is_some() || directory.names.is_empty(), "{inode:?} is removed and not empty");
                    assert_eq!(directory.names.len(), directory.order.len(), "{inode:?}");
                    named += directory.names.len();
                    for (name, child) in &directory.names {
                        assert_eq!(directory.order.get(child), Some(name), "{inode:?}");
                        assert_eq!(self.nodes[child].parent, Some(*inode), "{name} in {inode:?}");
                    }
                }
            }
            assert!(node.parent.is_none() || self.is_within(*inode, ROOT) == Ok(true), "{inode:?} is adrift");
        }
        let with_name = self.nodes.values().filter(|node| node.parent.is_some()).count();
        assert_eq!(with_name, named + 1, "every node but the root has exactly one name");
        assert_eq!((bytes, entries), (self.bytes, self.entries), "charged");
    }
}

/// What is left of the quota of bytes while a file grows.
#[derive(Debug, Clone, Copy)]
struct Room {
    free: u64,
}

impl Room {
    /// Makes room for `content` to become `length` bytes long. The quota is asked before the allocator is.
    fn admit(self, content: &mut Vec<u8>, length: u64) -> Result<usize, Errno> {
        let now = content.len() as u64;
        let room_max = usize::try_from(now.saturating_add(self.free)).unwrap_or(usize::MAX);
        if length.saturating_sub(now) > self.free {
            return Err(Errno::NoSpace);
        }
        let length = usize::try_from(length).map_err(|_| Errno::NoSpace)?;
        content::reserve(content, length, room_max)?;
        Ok(length)
    }
}
