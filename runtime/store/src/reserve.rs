//! Room on the disk for what must be written when there is none.
//!
//! A file beside the jobs holds the room ([`FILE`]); who needs it empties the file. As long as the room is not held again, or little else
//! is free, nothing new is promised: no job is accepted and none begins, but jobs are cancelled, end, and tokens are revoked.
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

/// The most that must be free besides for anything new to be promised. What runs then can end, with what it has to say.
const FREE_MAX: u64 = 32 << 20;

/// Of a small disk only this part is held, and this part must be free.
const HELD_PART: u64 = 16;
const FREE_PART: u64 = 8;

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
}

/// The room, as this process knows it.
#[derive(Debug)]
pub(crate) struct Reserve {
    file: PathBuf,
    /// What must be free and is not, in bytes.
    lack: Option<u64>,
}

impl Reserve {
    /// The room beside the jobs in this file. Nothing is known of it yet.
    pub(crate) fn beside(jobs: &Path) -> Self {
        Self { file: jobs.with_file_name(FILE), lack: None }
    }

    /// Looks whether the disk has room, and holds what it can.
    pub(crate) fn look(&mut self) {
        self.lack = self.lacking().unwrap_or_default();
    }

    /// Gives the room away: what fails for want of it may succeed now. Until the disk has enough again, nothing new is promised.
    pub(crate) fn release(&mut self) {
        let _ = self.open().and_then(|file| Ok(ftruncate(&file, 0)?));
        // A file system that says nothing of its room is asked again at the next look.
        self.lack = Some(self.lacking_free().ok().flatten().unwrap_or(BYTES_MAX));
    }

    /// Why nothing new is promised, for the operator.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.lack.map(|free| format!("less than {} of its disk are free; free some", in_words(free)))
    }

    fn open(&self) -> io::Result<File> {
        let flags = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(&self.file)
    }

    /// What must be free and is not. An error where nothing is known: then the database says what it lacks.
    fn lacking(&self) -> io::Result<Option<u64>> {
        let (free, bounds) = self.disk()?;
        let file = self.open()?;
        if file.metadata()?.blocks() * 512 >= bounds.held {
            return Ok((free < bounds.free).then_some(bounds.free));
        }
        let all = bounds.free + bounds.held;
        if free < all {
            return Ok(Some(all));
        }
        match fallocate(&file, FallocateFlags::empty(), 0, bounds.held.max(1)) {
            Ok(()) => Ok(None),
            Err(Errno::NOSPC) => {
                // It may have got a part.
                ftruncate(&file, 0)?;
                Ok(Some(all))
            }
            // A file system that cannot hold room, such as one on a network, has to do without.
            Err(_) => Ok(None),
        }
    }

    fn lacking_free(&self) -> io::Result<Option<u64>> {
        let (free, bounds) = self.disk()?;
        let all = bounds.free + bounds.held;
        Ok((free < all).then_some(all))
    }

    /// How many bytes are free, and what there must be.
    fn disk(&self) -> io::Result<(u64, Bounds)> {
        let disk = statvfs(self.file.parent().unwrap_or(Path::new("/")))?;
        Ok((free(&disk), Bounds::of_disk(disk.f_blocks.saturating_mul(disk.f_frsize))))
    }
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
    use super::*;

    #[test]
    fn a_small_disk_has_to_have_a_part_of_itself() {
        for (total, held, free) in [
            (1 << 40, 8 << 20, 32 << 20),
            (256 << 20, 8 << 20, 32 << 20),
            (128 << 20, 8 << 20, 16 << 20),
            (127 << 20, (127 << 20) / 16, (127 << 20) / 8),
            (16 << 20, 1 << 20, 2 << 20),
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
        reserve.look();
        assert_eq!((reserve.refusal(), held()), (None, BYTES_MAX), "the disk of this test has some MiB free");
        reserve.release();
        assert_eq!(held(), 0);
        assert!(reserve.refusal().is_some(), "nothing new is promised before the next look");
        reserve.look();
        assert_eq!((reserve.refusal(), held()), (None, BYTES_MAX));
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("other");
        std::fs::write(&other, "text").expect("it is written");
        std::os::unix::fs::symlink(&other, folder.path().join(FILE)).expect("it is made");
        let mut reserve = Reserve::beside(&folder.path().join("jobs.db"));
        reserve.look();
        reserve.release();
        assert_eq!(std::fs::read_to_string(&other).expect("it is there"), "text");
    }

    #[test]
    fn amounts_are_said_in_the_unit_that_fits() {
        assert_eq!((in_words(40 << 20), in_words(768 << 10)), ("40 MiB".to_owned(), "768 KiB".to_owned()));
    }
}
