//! The oracle: decodes bytes as operations, and compares the file system with the model.

use std::collections::BTreeMap;

use crate::model::Model;
use crate::{Access, At, Entry, Fd, Flags, Opening, Quota, ROOT_FD, Scratch, Stat, Whence};

/// Small enough that random operations run into every bound all the time.
const QUOTA: Quota = Quota { bytes: 200, entries: 7, descriptors: 9 };

const FIXED: [(&str, &[u8]); 3] = [
    ("usr/zone/b", b"fixed"),
    ("usr/a", b"more than one read takes at once, mostly"),
    ("tmp/b", b"among the run's own"),
];

/// Few names, so that they meet.
const COMPONENTS: [&str; 10] = ["a", "b", "tmp", "a", "b", ".", "..", "", "usr", "zone"];

/// What the fuzz target and the property tests hold: whatever a script does, each answer is the model's, what is
/// charged is what is there, and nothing panics.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn oracle(bytes: &[u8]) {
    let mut scratch = Scratch::new();
    for (path, content) in FIXED {
        scratch.add_static(path, content).expect("the names are free");
    }
    scratch.set_quota(QUOTA);
    let mut model = Model::new(&FIXED, QUOTA);
    let mut feed = Feed { bytes };
    let mut now_ns = 0;
    while let Some(operation) = feed.next() {
        now_ns += 1;
        step(&mut scratch, &mut model, &mut feed, operation, now_ns);
        assert_eq!(scratch.usage(), model.usage());
        scratch.check();
    }
}

fn step(scratch: &mut Scratch, model: &mut Model, feed: &mut Feed<'_>, operation: u8, now_ns: u64) {
    match operation % 18 {
        0..=2 => {
            let path = feed.path();
            let (at, opening) = (At { directory: feed.directory(), path: path.as_bytes() }, feed.opening());
            assert_eq!(scratch.open(at, opening, now_ns), model.open(at, opening), "open {at:?} {opening:?}");
        }
        3 => {
            // Streams stay where they are, so that the model need not follow them.
            let fd = feed.fd() + ROOT_FD;
            assert_eq!(scratch.close(fd), model.close(fd), "close {fd}");
        }
        4 => {
            let (from, to) = (feed.fd() + ROOT_FD, feed.fd() + ROOT_FD);
            assert_eq!(scratch.renumber(from, to), model.renumber(from, to), "renumber {from} to {to}");
        }
        5 | 6 => {
            let (fd, at, count) = (feed.fd(), feed.place(), usize::from(feed.byte() % 64));
            let mut buffer = vec![0; count];
            let (first, second) = buffer.split_at_mut(count / 3);
            let read = match at {
                Some(at) => scratch.read_at(fd, at, [first, second]),
                None => scratch.read(fd, [first, second]),
            };
            let read = read.map(|count| buffer[..count].to_vec());
            assert_eq!(read, model.read(fd, at, count), "read {count} bytes of {fd} at {at:?}");
        }
        7..=9 => {
            let (fd, at, count) = (feed.fd(), feed.place(), usize::from(feed.byte() % 96));
            let content = vec![operation; count];
            let parts = [&content[..count / 2], &content[count / 2..]].into_iter();
            let written = match at {
                Some(at) => scratch.write_at(fd, at, parts, now_ns),
                None => scratch.write(fd, parts, now_ns),
            };
            assert_eq!(written, model.write(fd, at, &content), "write {count} bytes to {fd} at {at:?}");
        }
        10 => {
            let (fd, length) = (feed.fd(), feed.number());
            if feed.coin() {
                assert_eq!(scratch.set_size(fd, length, now_ns), model.set_size(fd, length, false), "{fd} to {length}");
            } else {
                let allocated = scratch.allocate(fd, 0, length, now_ns);
                assert_eq!(allocated, model.set_size(fd, length, true), "allocate {length} for {fd}");
            }
        }
        11 => {
            let (fd, by) = (feed.fd(), feed.number().cast_signed().wrapping_sub(100));
            let whence = [Whence::Start, Whence::Current, Whence::End][usize::from(feed.byte() % 3)];
            assert_eq!(scratch.seek(fd, by, whence), model.seek(fd, by, whence), "seek {fd} by {by} from {whence:?}");
        }
        12 => {
            let path = feed.path();
            let at = At { directory: feed.directory(), path: path.as_bytes() };
            assert_eq!(scratch.create_directory(at, now_ns), model.create_directory(at), "create directory {at:?}");
        }
        13 => {
            let path = feed.path();
            let at = At { directory: feed.directory(), path: path.as_bytes() };
            if feed.coin() {
                assert_eq!(scratch.remove_directory(at, now_ns), model.remove_directory(at), "remove directory {at:?}");
            } else {
                assert_eq!(scratch.unlink(at, now_ns), model.unlink(at), "unlink {at:?}");
            }
        }
        14 => {
            let (from, to) = (feed.path(), feed.path());
            let from = At { directory: feed.directory(), path: from.as_bytes() };
            let to = At { directory: feed.directory(), path: to.as_bytes() };
            assert_eq!(scratch.rename(from, to, now_ns), model.rename(from, to), "rename {from:?} to {to:?}");
        }
        15 => {
            let fd = feed.fd();
            let listed: Result<Vec<Entry<'_>>, _> = scratch.entries(fd, 0).map(Iterator::collect);
            let expected = model.list(fd);
            if let Ok(listed) = &listed {
                assert!(listed.is_sorted_by(|one, other| one.next < other.next), "cookies grow");
                assert_eq!(listed.len(), expected.as_ref().map_or(0, BTreeMap::len), "each name once");
            }
            let names = listed.map(|listed| listed.iter().map(|entry| (entry.name.to_owned(), entry.kind)).collect());
            assert_eq!(names, expected, "list {fd}");
        }
        16 => {
            let path = feed.path();
            let (fd, at) = (feed.fd(), At { directory: feed.directory(), path: path.as_bytes() });
            let known = |stat: Stat| (stat.kind, stat.size, stat.links);
            assert_eq!(scratch.stat(fd).map(known), model.stat(fd), "stat {fd}");
            assert_eq!(scratch.stat_at(at).map(known), model.stat_at(at), "stat {at:?}");
        }
        _ => {
            let (fd, append) = (feed.fd(), feed.coin());
            let flags = Flags { append, nonblock: false };
            assert_eq!(scratch.set_flags(fd, flags), model.set_append(fd, append), "flags of {fd}");
            let quota = Quota { bytes: u64::from(feed.byte()), ..QUOTA };
            scratch.set_quota(quota);
            model.set_quota(quota);
        }
    }
}

/// Bytes as choices. When they run out, every choice is the first one.
struct Feed<'a> {
    bytes: &'a [u8],
}

impl Feed<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn byte(&mut self) -> u8 {
        self.next().unwrap_or_default()
    }

    fn coin(&mut self) -> bool {
        self.byte() & 1 == 0
    }

    fn fd(&mut self) -> Fd {
        Fd::from(self.byte() % 10)
    }

    /// Mostly the root, so that most paths start somewhere.
    fn directory(&mut self) -> Fd {
        let byte = self.byte();
        if byte < 160 { ROOT_FD } else { Fd::from(byte % 10) }
    }

    fn path(&mut self) -> String {
        let shape = self.byte();
        let components: Vec<&str> =
            (0..shape % 4).map(|_| COMPONENTS[usize::from(self.byte()) % COMPONENTS.len()]).collect();
        let slash = if shape >= 224 { "/" } else { "" };
        components.join("/") + slash
    }

    fn opening(&mut self) -> Opening {
        let bits = self.byte();
        let bit = |index: u8| bits >> index & 1 == 1;
        Opening {
            create: bit(0),
            exclusive: bit(1) && bit(2),
            directory: bit(3) && bit(4),
            truncate: bit(4) && bit(5),
            access: Access { read: !bits.is_multiple_of(5), write: bit(6) },
            flags: Flags { append: bit(7), nonblock: false },
        }
    }

    /// Mostly near the quota of bytes, and now and then where arithmetic ends.
    fn number(&mut self) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            254 => i64::MAX as u64,
            253 => i64::MAX as u64 + 1,
            252 => u64::from(u32::MAX) + 1,
            byte => u64::from(byte),
        }
    }

    fn place(&mut self) -> Option<u64> {
        self.coin().then(|| self.number())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_operations_do_what_the_model_does(bytes in proptest::collection::vec(any::<u8>(), 0..1024)) {
            super::oracle(&bytes);
        }
    }
}
