//! The file reads of one run: each is admitted, and then performed off the thread of the guest, since a disk may be slow.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::{Dir, File, FileExt as _, OpenOptions, OpenOptionsExt as _};
use intentbox_capability::{AllowedFile, Reads, Refusal};
use rustix::io::Errno;

use crate::blocking::off_thread;
use crate::directories::Directories;
use crate::list::{ENTRIES_MAX, ListError, Listing, VISITED_MAX, list};

/// The most bytes of one piece. Larger pieces are no faster, and a run holds one at a time.
pub const PIECE_BYTES_MAX: u32 = 1 << 20;

/// Why a read or a listing failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The grant does not cover it. Nothing was opened.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It was granted, but failed.
    #[error("{kind}: {message}")]
    Failed {
        /// `not_found`, `not_a_file`, `outside`, `too_many_files`, `no_descriptors` or `io`.
        kind: &'static str,
        /// One line, in the script's own terms: no path of the machine.
        message: String,
    },
}

/// The file access of one run.
#[derive(Debug)]
pub struct Reader {
    directories: Directories,
    grant: Reads,
    record: Mutex<Record>,
}

/// What happened so far, and the file that the last piece came from: the next piece mostly comes from it too.
#[derive(Debug, Default)]
struct Record {
    calls: u64,
    bytes: u64,
    refusals: Vec<Refusal>,
    last: Option<(AllowedFile, Arc<File>)>,
}

/// How many refusals are kept. More of them would say nothing new.
const REFUSALS_MAX: usize = 64;

impl Reader {
    pub(crate) fn new(directories: Directories, grant: Reads) -> Self {
        Self { directories, grant, record: Mutex::default() }
    }

    /// Lists the files of a folder, those of its folders too, by path in the script's terms.
    ///
    /// # Errors
    ///
    /// [`ReadError`] tells a refusal from a failure. A listing that does not hold all files, or does not name the folders
    /// that it left out, is a failure.
    pub async fn list(&self, folder: &str) -> Result<Listing, ReadError> {
        let folder = self.admit(folder)?;
        let shown = folder.shown();
        let path = folder.path().to_owned();
        // Opened with a permit: a run that waits holds no descriptor.
        let directories = self.directories.clone();
        let listed = self.directories.listings().run(move |cancellation| {
            let dir = open_directory(&directories, &folder)?;
            let dir = if folder.path().is_empty() { dir } else { dir.open_dir(folder.path())? };
            list(&dir, || cancellation.is_cancelled())
        });
        let mut listing = match listed.await.map_err(ListError::Io).flatten() {
            Ok(listing) => listing,
            Err(ListError::Io(error)) => return Err(failed(&shown, &error)),
            Err(ListError::Cancelled) => unreachable!("this call waits for it"),
            Err(ListError::TooMuch) => {
                let message = format!(
                    "{shown} holds more than {ENTRIES_MAX} files or {VISITED_MAX} entries; name a folder inside it"
                );
                return Err(ReadError::Failed { kind: "too_many_files", message });
            }
        };
        let slash = if path.is_empty() { "" } else { "/" };
        let paths = listing.files.iter_mut().map(|file| &mut file.path);
        for path in paths.chain(&mut listing.unread) {
            *path = format!("{shown}{slash}{path}");
        }
        Ok(listing)
    }

    /// Reads up to `length` bytes, at most [`PIECE_BYTES_MAX`], from `offset` on; none at the end of the file.
    ///
    /// # Errors
    ///
    /// [`ReadError`] tells a refusal from a failure.
    pub async fn read(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, ReadError> {
        let allowed = self.admit(path)?;
        let shown = allowed.shown();
        let dir = open_directory(&self.directories, &allowed).map_err(|error| failed(&shown, &error))?;
        let last = self.record().last.take_if(|(file, _)| *file == allowed);
        let length = length.min(PIECE_BYTES_MAX) as usize;
        let read = off_thread({
            let allowed = allowed.clone();
            move || {
                let file = match last {
                    Some((_, file)) => file,
                    None => Arc::new(open(&dir, &allowed)?),
                };
                // Grown as the file gives, so that a short file does not cost a whole piece.
                let available = file.metadata()?.len().saturating_sub(offset);
                let mut bytes = vec![0; length.min(usize::try_from(available).unwrap_or(usize::MAX))];
                let mut filled = 0;
                while filled < bytes.len() {
                    match file.read_at(&mut bytes[filled..], offset.saturating_add(filled as u64)) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                bytes.truncate(filled);
                Ok((file, bytes))
            }
        })
        .await
        .flatten();
        let (file, bytes) = read.map_err(|error| failed(&shown, &error))?;
        let mut record = self.record();
        record.bytes += bytes.len() as u64;
        record.last = Some((allowed, file));
        Ok(bytes)
    }

    /// How many listings and pieces were asked for so far, refused ones included.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.record().calls
    }

    /// How many bytes were read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.record().bytes
    }

    /// What was refused so far, in order; at most 64.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        self.record().refusals.clone()
    }

    fn admit(&self, text: &str) -> Result<AllowedFile, ReadError> {
        self.record().calls += 1;
        let allowed = self.grant.admit(text).inspect_err(|refusal| {
            let mut record = self.record();
            if record.refusals.len() < REFUSALS_MAX {
                record.refusals.push(refusal.clone());
            }
        })?;
        Ok(allowed)
    }

    /// A poisoned lock still holds whole values: each change is one assignment or one push.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The directory of an admitted path, as a handle of its own.
fn open_directory(directories: &Directories, allowed: &AllowedFile) -> io::Result<Dir> {
    let missing = || io::Error::other("no such directory is configured");
    directories.get(allowed.alias()).ok_or_else(missing).and_then(Dir::try_clone)
}

/// Opens a regular file. Without waiting: opening a pipe would wait for its other end.
fn open(dir: &Dir, allowed: &AllowedFile) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = dir.open_with(allowed.path(), &options)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::new(io::ErrorKind::IsADirectory, "not a file")) }
}

fn failed(shown: &str, error: &io::Error) -> ReadError {
    let (kind, what) = match error.kind() {
        _ if is_out_of_descriptors(error) => {
            ("no_descriptors", "the host has no file descriptor left; try again".to_owned())
        }
        io::ErrorKind::NotFound => ("not_found", "there is no such file".to_owned()),
        io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => ("not_a_file", "it is not a file".to_owned()),
        // cap-std's word for a path that leads out of its directory, and the system's for a file it keeps back.
        io::ErrorKind::PermissionDenied => ("outside", "it may not be read, or leads out of its directory".to_owned()),
        other => ("io", other.to_string()),
    };
    ReadError::Failed { kind, message: format!("{shown}: {what}") }
}

/// Whether the process or the whole machine has as many files open as it may. The standard library has no kind for it.
fn is_out_of_descriptors(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| number == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use intentbox_capability::Alias;

    use super::*;

    struct Fixture {
        reader: Reader,
        root: tempfile::TempDir,
    }

    /// `logs` with two files, a folder, a pipe, and links in and out.
    fn fixture() -> Fixture {
        let root = tempfile::tempdir().expect("a folder");
        let logs = root.path().join("logs");
        fs::create_dir_all(logs.join("old")).expect("made");
        fs::write(root.path().join("secret"), "hunter2").expect("written");
        fs::write(logs.join("app.log"), "0123456789").expect("written");
        fs::write(logs.join("old/a.log"), "").expect("written");
        fs::write(logs.join("a\nb.log"), "").expect("written");
        fs::write(logs.join("a\\b.log"), "").expect("written");
        symlink("../secret", logs.join("out")).expect("linked");
        symlink("/", logs.join("root")).expect("linked");
        symlink("app.log", logs.join("current")).expect("linked");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            logs.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .expect("made");
        let alias: Alias = "logs".parse().expect("an alias");
        let directories = Directories::open([(&alias, logs.as_path())]).expect("opens");
        Fixture { reader: directories.reader(Reads::of([alias])), root }
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
    }

    fn read(path: &str, offset: u64, length: u32) -> Result<String, String> {
        let fixture = fixture();
        let read = run(fixture.reader.read(path, offset, length));
        read.map(|bytes| String::from_utf8(bytes).expect("text")).map_err(|error| error.to_string())
    }

    #[test]
    fn pieces_are_what_the_file_holds() {
        assert_eq!(read("logs:app.log", 0, 4), Ok("0123".to_owned()));
        assert_eq!(read("logs:app.log", 4, 100), Ok("456789".to_owned()));
        assert_eq!(read("logs:app.log", 10, 1), Ok(String::new()));
        assert_eq!(read("logs:app.log", u64::MAX, 1), Ok(String::new()));
        assert_eq!(read("logs:app.log", 0, u32::MAX), Ok("0123456789".to_owned()));
        assert_eq!(read("logs:current", 0, 2), Ok("01".to_owned()), "a link inside the directory is followed");
    }

    #[test]
    fn e05_nothing_outside_the_directory_is_read() {
        let outside = "it may not be read, or leads out of its directory";
        assert_eq!(read("logs:out", 0, 9), Err(format!("outside: logs:out: {outside}")));
        assert_eq!(read("logs:root/etc/passwd", 0, 9), Err(format!("outside: logs:root/etc/passwd: {outside}")));
        assert!(read("logs:../secret", 0, 9).is_err_and(|error| error.contains("plain names")));
        assert!(read("logs:/etc/passwd", 0, 9).is_err_and(|error| error.contains("plain names")));
    }

    #[test]
    fn only_regular_files_are_read_and_nothing_waits() {
        for path in ["logs:pipe", "logs:old", "logs:"] {
            let error = read(path, 0, 9).expect_err(path);
            assert!(error.contains("not_a_file") || error.contains("not_found"), "{path}: {error}");
        }
        assert_eq!(read("logs:nothing", 0, 9), Err("not_found: logs:nothing: there is no such file".to_owned()));
    }

    #[test]
    fn a_listing_names_regular_files_by_path() {
        let fixture = fixture();
        let paths = |folder: &str| -> Vec<(String, u64)> {
            let listing = run(fixture.reader.list(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
            listing.files.into_iter().map(|file| (file.path, file.bytes)).collect()
        };
        assert_eq!(paths("logs:"), [("logs:app.log".to_owned(), 10), ("logs:old/a.log".to_owned(), 0)]);
        assert_eq!(paths("logs:old"), [("logs:old/a.log".to_owned(), 0)]);
        assert!(run(fixture.reader.list("logs:root")).is_err());
        assert!(run(fixture.reader.list("logs:new")).is_err());
    }

    #[test]
    fn folders_that_were_not_read_are_named_in_the_scripts_terms() {
        let fixture = fixture();
        let deep = format!("old/{}", "d/".repeat(17));
        fs::create_dir_all(fixture.root.path().join("logs").join(&deep)).expect("made");
        let unread = |folder| run(fixture.reader.list(folder)).expect("it lists").unread;
        let too_deep = |levels| format!("logs:old/{}", "d/".repeat(levels).trim_end_matches('/'));
        assert_eq!(unread("logs:"), [too_deep(16)]);
        assert_eq!(unread("logs:old"), [too_deep(17)]);
        assert_eq!(unread("logs:old/d"), Vec::<String>::new());
    }

    #[test]
    fn e17_a_host_without_descriptors_is_told_as_such() {
        let message = "no_descriptors: logs:a: the host has no file descriptor left; try again";
        for errno in [Errno::MFILE, Errno::NFILE] {
            assert_eq!(failed("logs:a", &errno.into()).to_string(), message);
        }
        assert!(failed("logs:a", &Errno::IO.into()).to_string().starts_with("io: logs:a: "));
    }

    #[test]
    fn a_directory_is_its_handle_and_not_its_path() {
        let fixture = fixture();
        let logs = fixture.root.path().join("logs");
        fs::rename(&logs, fixture.root.path().join("moved")).expect("moved");
        symlink("/etc", &logs).expect("linked");
        assert_eq!(run(fixture.reader.read("logs:app.log", 0, 1)).expect("still there"), b"0");
        assert!(run(fixture.reader.read("logs:passwd", 0, 1)).is_err());
    }

    #[test]
    fn refusals_are_recorded_and_bytes_counted() {
        let Fixture { reader, root: _root } = fixture();
        assert!(run(reader.read("data:x", 0, 1)).is_err());
        assert_eq!(run(reader.read("logs:app.log", 0, 7)).expect("there").len(), 7);
        assert_eq!((reader.calls(), reader.bytes(), reader.refusals().len()), (2, 7, 1));
    }

    #[test]
    fn a_directory_that_is_not_there_is_told_with_its_alias() {
        let alias: Alias = "logs".parse().expect("an alias");
        let error = Directories::open([(&alias, Path::new("/nonexistent"))]).expect_err("it is not there");
        assert!(error.to_string().starts_with("the directory `logs` cannot be opened: /nonexistent: "), "{error}");
    }
}
