//! Parses paths: untrusted bytes, bounded first.

use crate::Errno;

/// The most bytes in a path. POSIX systems agree on about this much, so code that builds longer paths is used to being
/// refused. Walking a path costs a lookup per component: this bounds what one call can cost.
pub const PATH_BYTES_MAX: usize = 4096;

/// The most bytes in one name. What Linux and preview1 hosts allow; directory buffers of C programs assume it. With the
/// quota of entries it bounds what all names together can weigh.
pub const NAME_BYTES_MAX: usize = 255;

/// A path that is well formed, split where an operation needs it: the directory that holds the entry, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path<'p> {
    /// Leads to the directory that holds `name`, or to the target itself when there is no name.
    pub(crate) parents: &'p str,
    /// The last component. `None` when it is `.` or `..`, which name an entry but are none.
    pub(crate) name: Option<&'p str>,
    /// Whether only a directory will do: the path ends in a slash or in a dot component.
    pub(crate) directory: bool,
}

impl<'p> Path<'p> {
    pub(crate) fn parse(bytes: &'p [u8]) -> Result<Self, Errno> {
        if bytes.len() > PATH_BYTES_MAX {
            return Err(Errno::NameTooLong);
        }
        if bytes.contains(&0) {
            return Err(Errno::Invalid);
        }
        let text = str::from_utf8(bytes).map_err(|_| Errno::IllegalSequence)?;
        if text.is_empty() {
            return Err(Errno::NotFound);
        }
        // Descriptors are the only starting points: the C library has already made an absolute path relative to one.
        if text.starts_with('/') {
            return Err(Errno::NotCapable);
        }
        if text.split('/').any(|component| component.len() > NAME_BYTES_MAX) {
            return Err(Errno::NameTooLong);
        }
        let trimmed = text.trim_end_matches('/');
        let (parents, last) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        Ok(match last {
            "." | ".." => Self { parents: trimmed, name: None, directory: true },
            name => Self { parents, name: Some(name), directory: trimmed.len() < text.len() },
        })
    }

    /// The components to walk before the name, without those that stay in place.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &'p str> {
        self.parents.split('/').filter(|step| !matches!(*step, "" | "."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, parents: &str, name: Option<&str>, directory: bool) {
        assert_eq!(Path::parse(path.as_bytes()), Ok(Path { parents, name, directory }), "{path}");
    }

    #[test]
    fn a_path_is_its_directory_and_a_name() {
        check("a", "", Some("a"), false);
        check("a/b", "a", Some("b"), false);
        check("a//b", "a/", Some("b"), false);
        check("a/../b", "a/..", Some("b"), false);
        check("...", "", Some("..."), false);
    }

    #[test]
    fn a_trailing_slash_asks_for_a_directory() {
        check("a/", "", Some("a"), true);
        check("a/b//", "a", Some("b"), true);
    }

    #[test]
    fn dots_at_the_end_are_no_name() {
        check(".", ".", None, true);
        check("./", ".", None, true);
        check("a/..", "a/..", None, true);
        check("a/./", "a/.", None, true);
    }

    #[test]
    fn steps_that_stay_in_place_are_skipped() {
        let path = Path::parse(b"./a//./b/../c").unwrap();
        assert_eq!(path.steps().collect::<Vec<_>>(), ["a", "b", ".."]);
    }

    #[test]
    fn malformed_paths_are_refused() {
        for (bytes, errno) in [
            (&b""[..], Errno::NotFound),
            (b"/", Errno::NotCapable),
            (b"/tmp", Errno::NotCapable),
            (b"a\0b", Errno::Invalid),
            (b"\xff", Errno::IllegalSequence),
            (b"a/\xed\xa0\x80", Errno::IllegalSequence),
        ] {
            assert_eq!(Path::parse(bytes), Err(errno), "{bytes:?}");
        }
    }

    #[test]
    fn the_longest_name_fits_and_the_next_does_not() {
        for (length, fits) in [(NAME_BYTES_MAX, true), (NAME_BYTES_MAX + 1, false)] {
            for path in ["n".repeat(length), format!("{}/x", "n".repeat(length))] {
                assert_eq!(Path::parse(path.as_bytes()).err(), (!fits).then_some(Errno::NameTooLong), "{length}");
            }
        }
    }

    #[test]
    fn the_longest_path_fits_and_the_next_does_not() {
        let longest = "a/".repeat(PATH_BYTES_MAX / 2);
        assert!(Path::parse(longest.as_bytes()).is_ok());
        assert_eq!(Path::parse(format!("{longest}a").as_bytes()), Err(Errno::NameTooLong));
    }
}
