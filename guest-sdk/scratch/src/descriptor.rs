//! Open descriptors: the node, the offset and the rights.

use crate::Errno;
use crate::tree::Inode;

/// A descriptor's number.
pub type Fd = u32;

/// The descriptor of the root directory, the one that is open before anybody opened it.
pub const ROOT_FD: Fd = 3;

/// The run's own streams. This crate knows that they are there; what comes and goes through them is the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard input, always at its end.
    Input = 0,
    /// Standard output.
    Output = 1,
    /// Standard error.
    Error = 2,
}

/// What a descriptor is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Access {
    /// Its content may be read.
    pub read: bool,
    /// Its content may be written.
    pub write: bool,
}

/// How a descriptor behaves. The two flags that ask for durability are no part of it: memory is as durable as it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    /// Each write goes to the end of the file.
    pub append: bool,
    /// Kept and reported; nothing here ever waits.
    pub nonblock: bool,
}

/// From where an offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whence {
    /// The file's beginning.
    Start,
    /// The descriptor's position.
    Current,
    /// The file's end.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Stream(Stream),
    Node(Inode),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) target: Target,
    pub(crate) offset: u64,
    pub(crate) access: Access,
    pub(crate) flags: Flags,
}

/// The descriptors, by number. Holes are free.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<Option<Open>>,
}

impl Table {
    /// The three streams and the root.
    pub(crate) fn new(root: Inode) -> Self {
        let open = |target, read, write| {
            Some(Open { target, offset: 0, access: Access { read, write }, flags: Flags::default() })
        };
        Self {
            slots: vec![
                open(Target::Stream(Stream::Input), true, false),
                open(Target::Stream(Stream::Output), false, true),
                open(Target::Stream(Stream::Error), false, true),
                open(Target::Node(root), true, false),
            ],
        }
    }

    pub(crate) fn get(&self, fd: Fd) -> Result<&Open, Errno> {
        self.slots.get(fd as usize).and_then(Option::as_ref).ok_or(Errno::BadDescriptor)
    }

    pub(crate) fn get_mut(&mut self, fd: Fd) -> Result<&mut Open, Errno> {
        self.slots.get_mut(fd as usize).and_then(Option::as_mut).ok_or(Errno::BadDescriptor)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.slots.iter().flatten()
    }

    /// The lowest free number, as POSIX promises: closing 1 and opening a file redirects what is printed.
    pub(crate) fn vacancy(&self, descriptors_max: u32) -> Result<Fd, Errno> {
        let hole = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        Fd::try_from(hole).ok().filter(|fd| *fd < descriptors_max).ok_or(Errno::TooManyOpen)
    }

    /// Fills a number that [`Table::vacancy`] gave.
    pub(crate) fn fill(&mut self, fd: Fd, open: Open) {
        let at = fd as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, None);
        }
        self.slots[at] = Some(open);
    }

    /// Closes a number and gives what it stood for. The root stays open: a script that closes numbers it never opened
    /// would otherwise lose every file at once.
    pub(crate) fn close(&mut self, fd: Fd) -> Result<Open, Errno> {
        self.get(fd)?;
        if fd == ROOT_FD {
            return Err(Errno::NotSupported);
        }
        self.slots[fd as usize].take().ok_or(Errno::BadDescriptor)
    }

    /// Moves `from` to the open number `to` and gives what `to` stood for.
    pub(crate) fn renumber(&mut self, from: Fd, to: Fd) -> Result<Option<Open>, Errno> {
        self.get(from)?;
        self.get(to)?;
        if from == ROOT_FD || to == ROOT_FD {
            return Err(Errno::NotSupported);
        }
        if from == to {
            return Ok(None);
        }
        let moved = self.slots[from as usize].take();
        Ok(std::mem::replace(&mut self.slots[to as usize], moved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::ROOT;

    fn file() -> Open {
        Open { target: Target::Node(Inode(9)), offset: 0, access: Access::default(), flags: Flags::default() }
    }

    #[test]
    fn the_lowest_free_number_is_next() {
        let mut table = Table::new(ROOT);
        assert_eq!(table.vacancy(256), Ok(4));
        table.close(1).unwrap();
        assert_eq!(table.vacancy(256), Ok(1));
        table.fill(1, file());
        table.fill(4, file());
        assert_eq!(table.vacancy(256), Ok(5));
    }

    #[test]
    fn the_last_number_is_given_and_the_next_refused() {
        let table = Table::new(ROOT);
        assert_eq!(table.vacancy(5), Ok(4));
        assert_eq!(table.vacancy(4), Err(Errno::TooManyOpen));
    }

    #[test]
    fn the_root_stays_open() {
        let mut table = Table::new(ROOT);
        assert_eq!(table.close(ROOT_FD).err(), Some(Errno::NotSupported));
        assert_eq!(table.renumber(ROOT_FD, 1).err(), Some(Errno::NotSupported));
        assert_eq!(table.renumber(1, ROOT_FD).err(), Some(Errno::NotSupported));
        assert!(table.get(ROOT_FD).is_ok());
    }

    #[test]
    fn renumbering_moves_one_open_number_onto_another() {
        let mut table = Table::new(ROOT);
        table.fill(4, file());
        assert_eq!(table.renumber(4, 4).unwrap().map(|open| open.target), None);
        assert_eq!(table.renumber(4, 1).unwrap().map(|open| open.target), Some(Target::Stream(Stream::Output)));
        assert_eq!(table.get(1).unwrap().target, Target::Node(Inode(9)));
        for (from, to) in [(4, 1), (1, 4), (1, 1000), (u32::MAX, 1)] {
            assert_eq!(table.renumber(from, to).err(), Some(Errno::BadDescriptor), "{from} to {to}");
        }
    }
}
