//! Room on the disk for what must be written when there is none.
//!
//! A file beside the jobs holds the room ([`FILE`]); who needs it empties the file. As long as the room is not held again, or little else
//! is free, nothing new is promised: no job is accepted, but jobs are cancelled, end, and tokens are revoked. Jobs that were accepted begin
//! with half of what accepting one needs.
//!
//! All processes that have the jobs open share the file: what one gives away, each takes back once the disk has room.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, OFlags, StatVfs, fallocate, ftruncate, statvfs};
use rustix::io::Errno;

/// The name of the file that holds the room.
const FILE: &str = "jobs.reserve";

/// The most that is held: some hundred commits of a few pages each, and the log is used anew after a thousand pages.
pub(crate) const BYTES_MAX: u64 = 8 << 20;

/// The most that must be free besides for anything new to be promised, so that what runs then can end, with what it has to say. Reports of
/// many megabytes can be more.
const FREE_MAX: u64 = 128 << 20;

/// Of what must be free, this part must be free on the disk itself, however much is free within the file: each commit goes through the log.
const ON_DISK_PART: u64 = 4;

/// Jobs that were accepted begin with this part of what must be free to accept more: a queue that fills a disk drains.
const BEGIN_PART: u64 = 2;

/// Of a small disk only this part is held, and this part must be free. The log of the jobs has 4 MiB, which are moved into their file
/// as long as there is room.
const HELD_PART: u64 = 16;
const FREE_PART: u64 = 4;

/// Of a disk, this part is for long requests and reports at most: the log, the rows of jobs and what must be free have the rest.
const LONG_PART: u64 = 3;

/// What one disk has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    held: u64,
    free: u64,
}

impl Bounds {
    /// Those of a disk with so many bytes.
    fn of_disk(total: u64) -> Self {
        Self { held: (total / HELD_PART).min(BYTES_MAX), free: (total / FREE_PART).min(FREE_MAX) }
    }

    /// Those for what was accepted to begin.
    fn to_begin(self) -> Self {
        Self { free: self.free / BEGIN_PART, ..self }
    }

    /// What must be free and is not, where so much of the disk is, and so much within the file.
    fn lacking(self, free: u64, within: u64) -> Option<u64> {
        let is_lacking = free.saturating_add(within) < self.free || free < self.free / ON_DISK_PART;
        is_lacking.then_some(self.free)
    }
}

/// The room, as this process knows it.
#[derive(Debug)]
pub(crate) struct Reserve {
    file: PathBuf,
    /// How many bytes of the file of jobs are free: room that takes none of the disk.
    within: u64,
    is_held: bool,
    /// What must be free and is not, in bytes.
    lack: Option<u64>,
}

impl Reserve {
    /// The room beside the jobs in this file. Nothing is known of it yet.
    pub(crate) fn beside(jobs: &Path) -> Self {
        Self { file: jobs.with_file_name(FILE), within: 0, is_held: false, lack: None }
    }

    /// Looks whether the disk has room, and holds what it can. `within` is how many bytes of the file of jobs are free.
    pub(crate) fn look(&mut self, within: u64) {
        self.within = within;
        // Where nothing is known, the database says what it lacks.
        self.lack = self.hold().unwrap_or_default();
    }

    /// Looks again whether the disk has room. One question to the system: it is asked before each commit that promises something.
    pub(crate) fn look_again(&mut self) {
        if self.lack.is_none()
            && self.is_held
            && let Ok((free, bounds)) = self.disk()
        {
            self.lack = bounds.lacking(free, self.within);
        }
    }

    /// Whether more that is free within the file of jobs would be room enough.
    pub(crate) fn lacks_room_within(&self) -> bool {
        self.lack.is_some()
            && self.disk().is_ok_and(|(free, bounds)| free >= bounds.free / ON_DISK_PART && self.within < bounds.free)
    }

    /// Gives the room away: what fails for want of it may succeed now. Until the disk has enough again, nothing new is promised.
    pub(crate) fn release(&mut self) {
        let _ = self.open().and_then(|file| Ok(ftruncate(&file, 0)?));
        self.is_held = false;
        let most = self.disk().map_or(BYTES_MAX, |(_, bounds)| bounds.free + bounds.held);
        self.lack = Some(most);
    }

    /// Whether the room was given away, so that what is free is for what is short.
    pub(crate) fn is_given_away(&self) -> bool {
        self.lack.is_some() && !self.is_held
    }

    /// Whether jobs that were accepted may begin: what they report has room. One question to the system, where something is lacking.
    pub(crate) fn lets_begin(&self) -> bool {
        let has_room = |(free, bounds): (u64, Bounds)| bounds.to_begin().lacking(free, self.within).is_none();
        self.lack.is_none() || self.is_held && self.disk().is_ok_and(has_room)
    }

    /// Whether the disk has no room for a text of so many bytes, which goes through the log, and for what is short after it.
    pub(crate) fn lacks_room_for(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.saturating_add(bytes.saturating_sub(self.within));
        self.disk().is_ok_and(|(free, bounds)| free < wanted.saturating_add(bounds.to_begin().free / ON_DISK_PART))
    }

    /// Why nothing new is promised, for the operator.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.lack.map(|free| format!("less than {} of its disk are free; free some", in_words(free)))
    }

    fn open(&self) -> io::Result<File> {
        // A pipe in its place is an error, and no wait for its other end.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(&self.file)
    }

    /// Holds the room, if there is some. Returns what must be free and is not.
    fn hold(&mut self) -> io::Result<Option<u64>> {
        let (mut free, bounds) = self.disk()?;
        // One that cannot be opened holds nothing, as where another user made it.
        self.is_held = false;
        let Ok(file) = self.open() else { return Ok(bounds.lacking(free, self.within)) };
        self.is_held = file.metadata()?.blocks() * 512 >= bounds.held;
        if !self.is_held {
            let all = bounds.held + bounds.free;
            if free < bounds.held || bounds.to_begin().lacking(free - bounds.held, self.within).is_some() {
                return Ok(Some(all));
            }
            match fallocate(&file, FallocateFlags::empty(), 0, bounds.held.max(1)) {
                Ok(()) => {
                    self.is_held = true;
                    free -= bounds.held;
                }
                Err(Errno::NOSPC) => {
                    // It may have got a part.
                    ftruncate(&file, 0)?;
                    return Ok(Some(all));
                }
                // A file system that cannot hold room, such as one on a network, has to do without.
                Err(_) => {}
            }
        }
        Ok(bounds.lacking(free, self.within))
    }

    /// How many bytes are free, and what there must be.
    fn disk(&self) -> io::Result<(u64, Bounds)> {
        let disk = statvfs(self.file.parent().unwrap_or(Path::new("/")))?;
        Ok((free(&disk), Bounds::of_disk(disk.f_blocks.saturating_mul(disk.f_frsize))))
    }
}

/// How many bytes of long requests and reports the disk of this file has room for at most, however much of it others take now.
pub(crate) fn long_bytes_beside(file: &Path) -> io::Result<u64> {
    let disk = statvfs(file)?;
    Ok(disk.f_blocks.saturating_mul(disk.f_frsize) / LONG_PART)
}

/// How many bytes are free on the disk of this file.
pub(crate) fn free_beside(file: &Path) -> io::Result<u64> {
    Ok(free(&statvfs(file)?))
}

fn free(disk: &StatVfs) -> u64 {
    disk.f_bavail.saturating_mul(disk.f_frsize)
}

/// A number of bytes for people.
fn in_words(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{FileType, Mode};

    use super::*;

    #[test]
    fn a_small_disk_has_to_have_a_part_of_itself() {
        for (total, held, free) in [
            (1 << 40, 8 << 20, 128 << 20),
            (512 << 20, 8 << 20, 128 << 20),
            (256 << 20, 8 << 20, 64 << 20),
            (128 << 20, 8 << 20, 32 << 20),
            (127 << 20, (127 << 20) / 16, (127 << 20) / 4),
            (16 << 20, 1 << 20, 4 << 20),
            (0, 0, 0),
        ] {
            assert_eq!(Bounds::of_disk(total), Bounds { held, free }, "{total}");
        }
    }

    #[test]
    fn room_is_held_given_away_and_held_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut reserve = Reserve::beside(&folder.path().join("jobs.db"));
        let held = || std::fs::metadata(folder.path().join(FILE)).map(|file| file.blocks() * 512).unwrap_or_default();
        reserve.look(0);
        assert_eq!((reserve.refusal(), held()), (None, BYTES_MAX), "the disk of this test has some MiB free");
        reserve.release();
        assert_eq!(held(), 0);
        assert!(reserve.refusal().is_some(), "nothing new is promised before the next look");
        reserve.look(0);
        assert_eq!((reserve.refusal(), held()), (None, BYTES_MAX));
    }

    #[test]
    fn what_is_free_within_the_file_counts() {
        let bounds = Bounds { held: 8, free: 32 };
        for (free, within, lack) in
            [(32, 0, None), (31, 0, Some(32)), (31, 1, None), (8, 24, None), (8, 23, Some(32)), (7, 99, Some(32))]
        {
            assert_eq!(bounds.lacking(free, within), lack, "{free} {within}");
        }
    }

    #[test]
    fn jobs_that_were_accepted_begin_where_no_more_are_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        let jobs = folder.path().join("jobs.db");
        let (free, bounds) = Reserve::beside(&jobs).disk().expect("it is known");
        let short = |is_held| Reserve { is_held, lack: Some(1), ..Reserve::beside(&jobs) };
        assert_eq!(short(true).lets_begin(), free >= bounds.free / BEGIN_PART);
        assert!(!short(false).lets_begin(), "the room was given away");
        assert!(Reserve::beside(&jobs).lets_begin());
        let halved = bounds.to_begin();
        for free in [bounds.free - 1, bounds.free / BEGIN_PART] {
            assert_eq!((bounds.lacking(free, 0), halved.lacking(free, 0)), (Some(bounds.free), None), "{free}");
        }
        assert_eq!(halved.lacking(bounds.free / BEGIN_PART - 1, 0), Some(halved.free));
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("other");
        std::fs::write(&other, "text").expect("it is written");
        std::os::unix::fs::symlink(&other, folder.path().join(FILE)).expect("it is made");
        let mut reserve = Reserve::beside(&folder.path().join("jobs.db"));
        reserve.look(0);
        reserve.release();
        assert_eq!(std::fs::read_to_string(&other).expect("it is there"), "text");
    }

    #[test]
    fn a_pipe_in_the_place_of_the_file_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join(FILE);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).expect("it is made");
        let mut reserve = Reserve::beside(&folder.path().join("jobs.db"));
        reserve.look(0);
        reserve.release();
        assert!(!reserve.is_held);
    }

    #[test]
    fn amounts_are_said_in_the_unit_that_fits() {
        assert_eq!((in_words(40 << 20), in_words(768 << 10)), ("40 MiB".to_owned(), "768 KiB".to_owned()));
    }
}
