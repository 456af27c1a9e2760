//! Operations on descriptors.

use crate::descriptor::Target;
use crate::tree::{Inode, Node};
use crate::{Access, Descriptor, Entry, Errno, Fd, Flags, Kind, NewTimes, Scratch, Stat, Stream, Whence};

/// The device of every node.
const DEVICE: u64 = 1;

/// The device of the streams, which are numbered like their descriptors.
const STREAM_DEVICE: u64 = 2;

impl Scratch {
    /// The stream of a descriptor, if it is one: its content is the caller's to read or write.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when the number is not open.
    pub fn stream(&self, fd: Fd) -> Result<Option<Stream>, Errno> {
        Ok(match self.table.get(fd)?.target {
            Target::Stream(stream) => Some(stream),
            Target::Node(_) => None,
        })
    }

    /// Reads from the descriptor's position on, and moves it. Standard input is at its end.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when it is not open for reading, [`Errno::IsDirectory`].
    pub fn read<'a>(&mut self, fd: Fd, parts: impl IntoIterator<Item = &'a mut [u8]>) -> Result<usize, Errno> {
        let open = *self.table.get(fd)?;
        let count = match open.target {
            Target::Stream(Stream::Input) if open.access.read => 0,
            Target::Stream(_) => return Err(Errno::BadDescriptor),
            Target::Node(inode) => self.read_node(inode, open.access, open.offset, parts)?,
        };
        self.table.get_mut(fd)?.offset += count as u64;
        Ok(count)
    }

    /// Reads from `offset` on. The descriptor's position stays.
    ///
    /// # Errors
    /// As [`Scratch::read`], and [`Errno::NotSeekable`] for a stream.
    pub fn read_at<'a>(
        &self,
        fd: Fd,
        offset: u64,
        parts: impl IntoIterator<Item = &'a mut [u8]>,
    ) -> Result<usize, Errno> {
        let open = self.table.get(fd)?;
        self.read_node(node(open.target)?, open.access, offset, parts)
    }

    fn read_node<'a>(
        &self,
        inode: Inode,
        access: Access,
        offset: u64,
        parts: impl IntoIterator<Item = &'a mut [u8]>,
    ) -> Result<usize, Errno> {
        let node = self.tree.node(inode)?;
        match node.kind() {
            Kind::Directory => Err(Errno::IsDirectory),
            _ if !access.read => Err(Errno::BadDescriptor),
            _ => Ok(crate::content::read(node.content(), offset, parts)),
        }
    }

    /// Writes all of `parts` to a file at the descriptor's position, or at its end when it appends, and moves it.
    /// Nothing is written when not everything fits. What goes to a stream is the caller's to write.
    ///
    /// # Errors
    /// [`Errno::NoSpace`] when the quota is used up, [`Errno::BadDescriptor`] when it is not open for writing or no
    /// file, [`Errno::FileTooBig`] for positions no file has.
    pub fn write<'a, Parts>(&mut self, fd: Fd, parts: Parts, now_ns: u64) -> Result<u64, Errno>
    where
        Parts: Iterator<Item = &'a [u8]> + Clone,
    {
        let open = *self.table.get(fd)?;
        let inode = self.writable(fd)?;
        let at = if open.flags.append { self.tree.node(inode)?.content().len() as u64 } else { open.offset };
        let count = self.tree.write(inode, at, parts, now_ns)?;
        if count > 0 {
            self.table.get_mut(fd)?.offset = at + count;
        }
        Ok(count)
    }

    /// Writes all of `parts` to a file at `offset`, or nothing. The descriptor's position stays.
    ///
    /// # Errors
    /// As [`Scratch::write`], and [`Errno::NotSeekable`] for a stream.
    pub fn write_at<'a, Parts>(&mut self, fd: Fd, offset: u64, parts: Parts, now_ns: u64) -> Result<u64, Errno>
    where
        Parts: Iterator<Item = &'a [u8]> + Clone,
    {
        node(self.table.get(fd)?.target)?;
        let inode = self.writable(fd)?;
        self.tree.write(inode, offset, parts, now_ns)
    }

    /// Moves the descriptor's position and tells the new one. It may lie beyond the end.
    ///
    /// # Errors
    /// [`Errno::Invalid`] for a position that is negative or has no number, [`Errno::NotSeekable`] for a stream,
    /// [`Errno::BadDescriptor`] for a directory.
    pub fn seek(&mut self, fd: Fd, by: i64, whence: Whence) -> Result<u64, Errno> {
        let inode = self.file(fd)?;
        let base = match whence {
            Whence::Start => 0,
            Whence::Current => self.table.get(fd)?.offset,
            Whence::End => self.tree.node(inode)?.content().len() as u64,
        };
        let offset = base.checked_add_signed(by).filter(|offset| i64::try_from(*offset).is_ok());
        let offset = offset.ok_or(Errno::Invalid)?;
        self.table.get_mut(fd)?.offset = offset;
        Ok(offset)
    }

    /// Closes a descriptor. A file that has no name any more is gone with its last one.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when it is not open, [`Errno::NotSupported`] for the root's.
    pub fn close(&mut self, fd: Fd) -> Result<(), Errno> {
        let closed = self.table.close(fd)?;
        self.release(closed.target);
        Ok(())
    }

    /// Moves `from` to the open number `to`, and closes what that stood for.
    ///
    /// # Errors
    /// As [`Scratch::close`], for either.
    pub fn renumber(&mut self, from: Fd, to: Fd) -> Result<(), Errno> {
        if let Some(closed) = self.table.renumber(from, to)? {
            self.release(closed.target);
        }
        Ok(())
    }

    fn release(&mut self, target: Target) {
        if let Target::Node(inode) = target {
            self.tree.release(inode);
        }
    }

    /// What a descriptor is.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when it is not open.
    pub fn descriptor(&self, fd: Fd) -> Result<Descriptor, Errno> {
        let open = self.table.get(fd)?;
        let kind = match open.target {
            Target::Stream(_) => Kind::Stream,
            Target::Node(inode) => self.tree.node(inode)?.kind(),
        };
        Ok(Descriptor { kind, access: open.access, flags: open.flags })
    }

    /// Changes how a descriptor behaves.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when it is not open.
    pub fn set_flags(&mut self, fd: Fd, flags: Flags) -> Result<(), Errno> {
        self.table.get_mut(fd)?.flags = flags;
        Ok(())
    }

    /// Narrows what a descriptor is open for.
    ///
    /// # Errors
    /// [`Errno::NotCapable`] when that would widen it, [`Errno::BadDescriptor`] when it is not open.
    pub fn set_access(&mut self, fd: Fd, access: Access) -> Result<(), Errno> {
        let open = self.table.get_mut(fd)?;
        if (access.read && !open.access.read) || (access.write && !open.access.write) {
            return Err(Errno::NotCapable);
        }
        open.access = access;
        Ok(())
    }

    /// What there is to know about the node a descriptor holds.
    ///
    /// # Errors
    /// [`Errno::BadDescriptor`] when it is not open.
    pub fn stat(&self, fd: Fd) -> Result<Stat, Errno> {
        match self.table.get(fd)?.target {
            Target::Node(inode) => Ok(stat(inode, self.tree.node(inode)?)),
            Target::Stream(stream) => Ok(Stat {
                device: STREAM_DEVICE,
                inode: stream as u64,
                kind: Kind::Stream,
                links: 1,
                size: 0,
                accessed_ns: 0,
                modified_ns: 0,
                changed_ns: 0,
            }),
        }
    }

    /// Makes a file `length` bytes long. What is added reads as zeros, and is charged at once.
    ///
    /// # Errors
    /// [`Errno::NoSpace`] when the quota is used up, [`Errno::BadDescriptor`] when it is not open for writing,
    /// [`Errno::Invalid`] for a stream.
    pub fn set_size(&mut self, fd: Fd, length: u64, now_ns: u64) -> Result<(), Errno> {
        if self.stream(fd)?.is_some() {
            return Err(Errno::Invalid);
        }
        let inode = self.writable(fd)?;
        self.tree.resize(inode, length, now_ns)
    }

    /// Makes a file reach at least up to `offset + length`.
    ///
    /// # Errors
    /// As [`Scratch::set_size`], but [`Errno::NotSeekable`] for a stream, and [`Errno::Invalid`] for nothing at all.
    pub fn allocate(&mut self, fd: Fd, offset: u64, length: u64, now_ns: u64) -> Result<(), Errno> {
        node(self.table.get(fd)?.target)?;
        let inode = self.writable(fd)?;
        if length == 0 {
            return Err(Errno::Invalid);
        }
        let end = offset.checked_add(length).ok_or(Errno::FileTooBig)?;
        if end > self.tree.node(inode)?.content().len() as u64 {
            self.tree.resize(inode, end, now_ns)?;
        }
        Ok(())
    }

    /// Sets the times of the node a descriptor holds.
    ///
    /// # Errors
    /// [`Errno::ReadOnly`] in the fixed world, [`Errno::Invalid`] for a stream, [`Errno::BadDescriptor`] when it is not
    /// open.
    pub fn set_times(&mut self, fd: Fd, times: NewTimes, now_ns: u64) -> Result<(), Errno> {
        match self.table.get(fd)?.target {
            Target::Node(inode) => self.set_node_times(inode, times, now_ns),
            Target::Stream(_) => Err(Errno::Invalid),
        }
    }

    pub(crate) fn set_node_times(&mut self, inode: Inode, times: NewTimes, now_ns: u64) -> Result<(), Errno> {
        let node = self.tree.node_mut(inode)?;
        if node.read_only {
            return Err(Errno::ReadOnly);
        }
        node.times.accessed = times.accessed_ns.unwrap_or(node.times.accessed);
        node.times.modified = times.modified_ns.unwrap_or(node.times.modified);
        node.times.changed = now_ns;
        Ok(())
    }

    /// The entries of an open directory after `cookie`, which is zero or some entry's [`next`](Entry::next). Every
    /// entry that is there throughout is listed once, whatever is added, removed or renamed in between.
    ///
    /// # Errors
    /// [`Errno::NotDirectory`], [`Errno::BadDescriptor`] when it is not open.
    pub fn entries(&self, fd: Fd, cookie: u64) -> Result<impl Iterator<Item = Entry<'_>>, Errno> {
        self.tree.list(self.directory(fd)?, cookie)
    }

    /// The directory that a path may start from.
    pub(crate) fn directory(&self, fd: Fd) -> Result<Inode, Errno> {
        match self.table.get(fd)?.target {
            Target::Node(inode) if self.tree.node(inode)?.kind() == Kind::Directory => Ok(inode),
            Target::Node(_) | Target::Stream(_) => Err(Errno::NotDirectory),
        }
    }

    /// The file behind a descriptor that has a position.
    fn file(&self, fd: Fd) -> Result<Inode, Errno> {
        let inode = node(self.table.get(fd)?.target)?;
        match self.tree.node(inode)?.kind() {
            Kind::File => Ok(inode),
            Kind::Directory | Kind::Stream => Err(Errno::BadDescriptor),
        }
    }

    /// The file behind a descriptor that may write to it. A stream is not a file: see [`Scratch::stream`].
    fn writable(&self, fd: Fd) -> Result<Inode, Errno> {
        let open = self.table.get(fd)?;
        if !open.access.write {
            return Err(Errno::BadDescriptor);
        }
        self.file(fd).map_err(|_| Errno::BadDescriptor)
    }
}

/// The node behind a descriptor that has positions.
fn node(target: Target) -> Result<Inode, Errno> {
    match target {
        Target::Node(inode) => Ok(inode),
        Target::Stream(_) => Err(Errno::NotSeekable),
    }
}

pub(crate) fn stat(inode: Inode, node: &Node) -> Stat {
    Stat {
        device: DEVICE,
        inode: inode.0,
        kind: node.kind(),
        links: u64::from(node.parent.is_some()),
        size: node.content().len() as u64,
        accessed_ns: node.times.accessed,
        modified_ns: node.times.modified,
        changed_ns: node.times.changed,
    }
}
