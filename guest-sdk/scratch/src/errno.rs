//! The errors of preview1, with its numbers.

use std::fmt;

/// Why an operation was refused. `errno as u16` is preview1's number, which the C library turns into `errno` and Python
/// into an `OSError`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Errno {
    /// `EBADF`: no such descriptor, or it does not allow this.
    BadDescriptor = 8,
    /// `EBUSY`: the root directory stays where it is.
    Busy = 10,
    /// `EDEADLK`: the file system is in use by the caller's caller.
    Deadlock = 16,
    /// `EEXIST`: the name is taken.
    Exists = 20,
    /// `EFBIG`: no file can be that large, whatever the quota.
    FileTooBig = 22,
    /// `EILSEQ`: the path is not UTF-8.
    IllegalSequence = 25,
    /// `EINVAL`: the arguments make no sense together.
    Invalid = 28,
    /// `EIO`: an invariant of this crate is broken. It is a value because a panic would end the run.
    Io = 29,
    /// `EISDIR`: a directory, where a file is needed.
    IsDirectory = 31,
    /// `EMFILE`: the quota of open descriptors is used up.
    TooManyOpen = 33,
    /// `ENAMETOOLONG`: a path or one of its names is too long.
    NameTooLong = 37,
    /// `ENOENT`: no such file or directory.
    NotFound = 44,
    /// `ENOMEM`: the allocator has nothing left.
    NoMemory = 48,
    /// `ENOSPC`: the quota of bytes or of entries is used up.
    NoSpace = 51,
    /// `ENOTDIR`: a file, where a directory is needed.
    NotDirectory = 54,
    /// `ENOTEMPTY`: the directory has entries.
    NotEmpty = 55,
    /// `ENOTSOCK`: there are no sockets here.
    NotSocket = 57,
    /// `ENOTSUP`: this file system does not have that.
    NotSupported = 58,
    /// `EROFS`: the file or directory is part of the fixed world.
    ReadOnly = 69,
    /// `ESPIPE`: a stream has no position.
    NotSeekable = 70,
    /// `ENOTCAPABLE`: the path leads out of the root, or more was asked of a descriptor than it was opened for.
    NotCapable = 76,
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?} (errno {})", *self as u16)
    }
}

impl std::error::Error for Errno {}
