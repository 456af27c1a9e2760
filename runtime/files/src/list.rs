//! Lists a directory: its files, and those of the folders inside it.

use std::io;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, Metadata};
use intentbox_capability::{PATH_BYTES_MAX, is_plain_name};

/// The most files a listing names. A directory with more is read folder by folder.
pub const ENTRIES_MAX: usize = 10_000;

/// The most entries a listing visits, including folders and what is not a file: it bounds the time.
pub const VISITED_MAX: usize = 100_000;

/// The most folders that a listing names as not read. Real directories have a few; it travels to the guest as well.
pub const UNREAD_MAX: usize = 1_000;

/// The deepest folder that is looked into.
const DEPTH_MAX: usize = 16;

/// The most bytes that the paths of a listing may have together. It travels to the guest in one message.
const PATHS_BYTES_MAX: usize = 2 << 20;

/// The most bytes that the paths of folders still to be looked into may have together: eighty for each entry that may be
/// visited. Without it, deep paths could take 2 KiB each.
const PENDING_BYTES_MAX: usize = 8 << 20;

/// Bytes left for the alias and the folder that a listing started from.
const ALIAS_ROOM: usize = 256;

/// The files of a folder and of the folders inside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, by path.
    pub files: Vec<Listed>,
    /// The folders whose files are not among them, by path: the host may not read them, or they lie too deep.
    pub unread: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path below the directory that was listed.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last changed, in milliseconds after 1970; 0 where the system does not know.
    pub modified_unix_ms: i64,
}

/// Why there is no listing. A partial listing is an error, because it would look complete.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    /// There is more than a listing may hold or look at.
    #[error("there is too much to list")]
    TooMuch,
    /// The caller has gone.
    #[error("the listing was cancelled")]
    Cancelled,
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Lists the regular files of `root` and of its folders, by path. `is_cancelled` is polled throughout.
///
/// Symbolic links are omitted: their targets are listed at their own paths, or are outside. So are names that no script
/// could ask for (not UTF-8, too long, or with control characters or backslashes), because one such file would
/// otherwise keep a script from reading all the others.
///
/// One folder is open at a time, whatever the directory looks like: descriptors belong to all runs of the process.
pub(crate) fn list(root: &Dir, is_cancelled: impl Fn() -> bool) -> Result<Listing, ListError> {
    let mut walk =
        Walk { root, is_cancelled, listing: Listing::default(), pending: vec![], visited: 0, bytes: Bytes::default() };
    walk.look_into("", 0)?;
    while let Some((folder, depth)) = walk.pending.pop() {
        walk.bytes.pending -= folder.len();
        match walk.look_into(&folder, depth) {
            Err(ListError::Io(error)) => match folder_error(&error) {
                FolderError::Gone => {}
                FolderError::Forbidden => walk.leave_out(folder)?,
                FolderError::Unknown => return Err(error.into()),
            },
            other => other?,
        }
    }
    let Listing { mut files, mut unread } = walk.listing;
    files.sort_by(|one, two| one.path.cmp(&two.path));
    unread.sort();
    Ok(Listing { files, unread })
}

struct Walk<'a, W> {
    root: &'a Dir,
    is_cancelled: W,
    listing: Listing,
    /// Folders to look into, with their depths: paths and not handles.
    pending: Vec<(String, usize)>,
    visited: usize,
    bytes: Bytes,
}

/// What paths take, in bytes.
#[derive(Default)]
struct Bytes {
    listed: usize,
    pending: usize,
}

impl<W: Fn() -> bool> Walk<'_, W> {
    fn look_into(&mut self, folder: &str, depth: usize) -> Result<(), ListError> {
        let entries = if folder.is_empty() { self.root.entries()? } else { self.root.read_dir(folder)? };
        for entry in entries {
            if (self.is_cancelled)() {
                return Err(ListError::Cancelled);
            }
            self.visited += 1;
            if self.visited > VISITED_MAX {
                return Err(ListError::TooMuch);
            }
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(kind) = if_there(entry.file_type())? else { continue };
            if !is_plain_name(&name) {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            // The alias comes before it when it is asked for.
            if path.len() > PATH_BYTES_MAX - ALIAS_ROOM {
                continue;
            }
            if kind.is_dir() {
                self.put_off(path, depth + 1)?;
            } else if kind.is_file()
                && let Some(metadata) = if_there(entry.metadata())?
            {
                self.bytes.listed += path.len();
                if self.listing.files.len() == ENTRIES_MAX || self.bytes.listed > PATHS_BYTES_MAX {
                    return Err(ListError::TooMuch);
                }
                self.listing.files.push(Listed { path, bytes: metadata.len(), modified_unix_ms: modified(&metadata) });
            }
        }
        Ok(())
    }

    fn put_off(&mut self, folder: String, depth: usize) -> Result<(), ListError> {
        if depth > DEPTH_MAX {
            return self.leave_out(folder);
        }
        self.bytes.pending += folder.len();
        if self.bytes.pending > PENDING_BYTES_MAX {
            return Err(ListError::TooMuch);
        }
        self.pending.push((folder, depth));
        Ok(())
    }

    fn leave_out(&mut self, folder: String) -> Result<(), ListError> {
        self.bytes.listed += folder.len();
        if self.listing.unread.len() == UNREAD_MAX || self.bytes.listed > PATHS_BYTES_MAX {
            return Err(ListError::TooMuch);
        }
        self.listing.unread.push(folder);
        Ok(())
    }
}

/// What an error means for the folder that it came from.
#[derive(Debug, PartialEq, Eq)]
enum FolderError {
    /// It vanished while the listing went on, or became something else: it holds no files.
    Gone,
    /// The host may not read it.
    Forbidden,
    /// Its contents are unknown: no descriptor was free, or the disk failed.
    Unknown,
}

fn folder_error(error: &io::Error) -> FolderError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FolderError::Gone,
        io::ErrorKind::PermissionDenied => FolderError::Forbidden,
        _ => FolderError::Unknown,
    }
}

/// `None` of what vanished since its name was read.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn modified(metadata: &Metadata) -> i64 {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use cap_std::ambient_authority;
    use rustix::io::Errno;

    use super::*;

    fn opened(path: &Path) -> Dir {
        Dir::open_ambient_dir(path, ambient_authority()).expect("it opens")
    }

    fn write(path: &Path) {
        fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        fs::write(path, "").expect("written");
    }

    #[test]
    fn e17_listings_that_run_out_of_descriptors_are_none() {
        for (errno, expected) in [
            (Errno::MFILE, FolderError::Unknown),
            (Errno::NFILE, FolderError::Unknown),
            (Errno::NOMEM, FolderError::Unknown),
            (Errno::IO, FolderError::Unknown),
            (Errno::NOENT, FolderError::Gone),
            (Errno::NOTDIR, FolderError::Gone),
            (Errno::ACCESS, FolderError::Forbidden),
            (Errno::PERM, FolderError::Forbidden),
        ] {
            assert_eq!(folder_error(&errno.into()), expected, "{errno}");
        }
    }

    #[test]
    fn e17_listings_stop_when_they_are_cancelled() {
        let root = tempfile::tempdir().expect("a folder");
        for number in 0..100 {
            write(&root.path().join(format!("{number}/a.log")));
        }
        let asked = Cell::new(0);
        let is_cancelled = || asked.replace(asked.get() + 1) >= 50;
        assert!(matches!(list(&opened(root.path()), is_cancelled), Err(ListError::Cancelled)));
        assert_eq!(asked.get(), 51);
    }

    #[test]
    fn the_deepest_folder_is_listed_and_a_deeper_one_named() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = |depth| "d/".repeat(depth);
        write(&root.path().join(folder(DEPTH_MAX)).join("in.log"));
        write(&root.path().join(folder(DEPTH_MAX + 1)).join("out.log"));
        let listing = list(&opened(root.path()), || false).expect("it lists");
        let paths: Vec<_> = listing.files.into_iter().map(|file| file.path).collect();
        assert_eq!(paths, [format!("{}in.log", folder(DEPTH_MAX))]);
        assert_eq!(listing.unread, [folder(DEPTH_MAX + 1).trim_end_matches('/')]);
    }

    #[test]
    fn a_folder_that_may_not_be_read_is_named_and_the_others_are_listed() {
        let root = tempfile::tempdir().expect("a folder");
        write(&root.path().join("a/one.log"));
        write(&root.path().join("shut/two.log"));
        let shut = root.path().join("shut");
        fs::set_permissions(&shut, Permissions::from_mode(0o0)).expect("set");
        // Root may.
        let is_shut = fs::read_dir(&shut).is_err();
        let listing = list(&opened(root.path()), || false).expect("it lists");
        fs::set_permissions(&shut, Permissions::from_mode(0o700)).expect("set");
        let paths: Vec<_> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths[0], "a/one.log");
        assert_eq!((paths.len(), listing.unread.len()), if is_shut { (1, 1) } else { (2, 0) });
    }

    #[test]
    fn the_last_folder_that_may_be_left_out_and_one_more() {
        let root = tempfile::tempdir().expect("a folder");
        let deepest = root.path().join("d/".repeat(DEPTH_MAX));
        for number in 0..UNREAD_MAX {
            fs::create_dir_all(deepest.join(number.to_string())).expect("made");
        }
        let dir = opened(root.path());
        assert_eq!(list(&dir, || false).expect("it lists").unread.len(), UNREAD_MAX);
        fs::create_dir(deepest.join("more")).expect("made");
        assert!(matches!(list(&dir, || false), Err(ListError::TooMuch)));
    }
}
