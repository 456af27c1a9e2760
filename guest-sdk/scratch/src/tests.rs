//! Claims that scripts rely on. The oracle tests random sequences of operations.

use crate::{
    Access, At, Errno, Fd, Flags, Kind, NAME_BYTES_MAX, NewTimes, Opening, Quota, ROOT_FD, Scratch, Usage, Whence,
};

const ZONE: &str = "/usr/share/zoneinfo/Europe/Berlin";

fn world() -> Scratch {
    let mut scratch = Scratch::new();
    scratch.add_static(ZONE, b"TZif2").unwrap();
    scratch
}

fn at(path: &str) -> At<'_> {
    At { directory: ROOT_FD, path: path.as_bytes() }
}

/// Opens like Python's `open(path, mode)`, `mode` without `b` and `t`.
fn open(scratch: &mut Scratch, path: &str, mode: &str) -> Result<Fd, Errno> {
    let plus = mode.contains('+');
    let access = Access { read: plus || mode.contains('r'), write: plus || !mode.contains('r') };
    let opening = Opening {
        create: !mode.contains('r'),
        exclusive: mode.contains('x'),
        directory: false,
        truncate: mode.contains('w'),
        access,
        flags: Flags { append: mode.contains('a'), nonblock: false },
    };
    scratch.open(at(path), opening, 1)
}

fn open_directory(scratch: &mut Scratch, directory: Fd, path: &str) -> Result<Fd, Errno> {
    let access = Access { read: true, write: false };
    let opening = Opening { directory: true, access, ..Opening::default() };
    scratch.open(At { directory, path: path.as_bytes() }, opening, 1)
}

fn write(scratch: &mut Scratch, fd: Fd, content: &[u8]) -> Result<u64, Errno> {
    scratch.write(fd, [content].into_iter(), 2)
}

fn put(scratch: &mut Scratch, path: &str, content: &[u8]) {
    let fd = open(scratch, path, "w").unwrap();
    assert_eq!(write(scratch, fd, content), Ok(content.len() as u64));
    scratch.close(fd).unwrap();
}

fn content(scratch: &mut Scratch, fd: Fd) -> Vec<u8> {
    let mut content = vec![0; usize::try_from(scratch.stat(fd).unwrap().size).unwrap()];
    assert_eq!(scratch.read_at(fd, 0, [&mut content[..]]), Ok(content.len()));
    content
}

fn names(scratch: &mut Scratch, path: &str) -> Vec<String> {
    let fd = open_directory(scratch, ROOT_FD, path).unwrap();
    let names = scratch.entries(fd, 0).unwrap().map(|entry| entry.name.to_owned()).collect();
    scratch.close(fd).unwrap();
    names
}

#[test]
fn a_fresh_world_has_streams_a_root_and_an_empty_tmp() {
    let mut scratch = Scratch::new();
    assert_eq!(scratch.usage(), Usage { bytes: 0, entries: 0, descriptors: 4 });
    assert_eq!(names(&mut scratch, "."), [".", "..", "tmp"]);
    assert_eq!(names(&mut scratch, "tmp"), [".", ".."]);
    for fd in 0..3 {
        assert_eq!(scratch.stat(fd).unwrap().kind, Kind::Stream);
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    assert_eq!(scratch.write(fd, [&b"one "[..], b"", b"two"].into_iter(), 2), Ok(7));
    assert_eq!(scratch.seek(fd, -3, Whence::End), Ok(4));
    let (mut first, mut second) = ([0; 2], [0; 9]);
    assert_eq!(scratch.read(fd, [&mut first[..], &mut second]), Ok(3));
    assert_eq!((&first, &second[..1]), (b"tw", &b"o"[..]));
    assert_eq!(scratch.read(fd, [&mut second[..]]), Ok(0));
    assert_eq!(scratch.seek(fd, 0, Whence::Current), Ok(7));
}

#[test]
fn a_write_beyond_the_end_is_charged_in_full_and_reads_as_zeros_before() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    assert_eq!(scratch.write_at(fd, 3, [&b"x"[..]].into_iter(), 2), Ok(1));
    assert_eq!(content(&mut scratch, fd), b"\0\0\0x");
    assert_eq!(scratch.usage().bytes, 4);
    // Were this allocated before it is refused, the test would not come back.
    assert_eq!(scratch.write_at(fd, 1 << 60, [&b"x"[..]].into_iter(), 2), Err(Errno::NoSpace));
    assert_eq!(scratch.set_size(fd, 1 << 60, 2), Err(Errno::NoSpace));
    assert_eq!(scratch.allocate(fd, 1 << 60, 1 << 60, 2), Err(Errno::NoSpace));
    assert_eq!(scratch.write_at(fd, u64::MAX, [&b"x"[..]].into_iter(), 2), Err(Errno::FileTooBig));
    assert_eq!(scratch.set_size(fd, 1 << 63, 2), Err(Errno::FileTooBig));
    assert_eq!(content(&mut scratch, fd), b"\0\0\0x");
}

#[test]
fn writing_nothing_far_away_changes_nothing() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    assert_eq!(scratch.write_at(fd, 100, std::iter::empty(), 9), Ok(0));
    let stat = scratch.stat(fd).unwrap();
    assert_eq!((stat.size, stat.modified_ns), (0, 1));
}

#[test]
fn the_last_byte_of_the_quota_fits_and_the_next_does_not() {
    let mut scratch = world();
    scratch.set_quota(Quota { bytes: 10, ..Quota::default() });
    put(&mut scratch, "tmp/a", b"1234");
    let fd = open(&mut scratch, "tmp/b", "w").unwrap();
    assert_eq!(write(&mut scratch, fd, b"1234567"), Err(Errno::NoSpace));
    assert_eq!(scratch.stat(fd).unwrap().size, 0, "a write that does not fit writes nothing");
    assert_eq!(write(&mut scratch, fd, b"123456"), Ok(6));
    assert_eq!(write(&mut scratch, fd, b"7"), Err(Errno::NoSpace));
    assert_eq!(scratch.write_at(fd, 0, [&b"abcdef"[..]].into_iter(), 2), Ok(6), "what is there can be written over");
    scratch.set_size(fd, 5, 2).unwrap();
    assert_eq!(write(&mut scratch, fd, b"7"), Err(Errno::NoSpace), "the position did not move back");
    assert_eq!(scratch.allocate(fd, 0, 6, 2), Ok(()));
    assert_eq!(scratch.allocate(fd, 1, 6, 2), Err(Errno::NoSpace));
}

#[test]
fn the_last_entry_of_the_quota_fits_and_the_next_does_not() {
    let mut scratch = world();
    scratch.set_quota(Quota { entries: 2, ..Quota::default() });
    scratch.create_directory(at("tmp/a"), 1).unwrap();
    put(&mut scratch, "tmp/b", b"");
    assert_eq!(scratch.create_directory(at("tmp/c"), 1), Err(Errno::NoSpace));
    assert_eq!(open(&mut scratch, "tmp/c", "w"), Err(Errno::NoSpace));
    assert!(open(&mut scratch, "tmp/b", "w").is_ok(), "what is there can be opened");
    scratch.remove_directory(at("tmp/a"), 1).unwrap();
    assert!(open(&mut scratch, "tmp/c", "w").is_ok());
}

#[test]
fn the_last_descriptor_of_the_quota_opens_and_the_next_does_not() {
    let mut scratch = world();
    scratch.set_quota(Quota { descriptors: 5, ..Quota::default() });
    assert_eq!(open(&mut scratch, "tmp/a", "w"), Ok(4));
    assert_eq!(open(&mut scratch, "tmp/b", "w"), Err(Errno::TooManyOpen));
    assert_eq!(scratch.stat_at(at("tmp/b")), Err(Errno::NotFound), "a refused open makes no file");
    scratch.close(4).unwrap();
    assert_eq!(open(&mut scratch, "tmp/b", "w"), Ok(4));
}

#[test]
fn a_quota_below_what_is_in_use_takes_nothing_away() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    write(&mut scratch, fd, b"1234").unwrap();
    scratch.set_quota(Quota { bytes: 2, entries: 0, descriptors: 0 });
    assert_eq!(content(&mut scratch, fd), b"1234");
    assert_eq!(write(&mut scratch, fd, b"5"), Err(Errno::NoSpace));
    assert_eq!(scratch.set_size(fd, 3, 2), Ok(()), "shrinking is never refused");
    assert_eq!(scratch.rename(at("tmp/a"), at("tmp/b"), 2), Ok(()), "and neither is another name");
}

#[test]
fn an_unlinked_file_lives_on_and_is_charged_until_it_is_closed() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    write(&mut scratch, fd, b"1234").unwrap();
    scratch.unlink(at("tmp/a"), 2).unwrap();
    assert_eq!(scratch.stat_at(at("tmp/a")), Err(Errno::NotFound));
    assert_eq!(scratch.stat(fd).unwrap().links, 0);
    assert_eq!(content(&mut scratch, fd), b"1234");
    assert_eq!(write(&mut scratch, fd, b"5"), Ok(1));
    assert_eq!(scratch.usage(), Usage { bytes: 5, entries: 1, descriptors: 5 });
    scratch.close(fd).unwrap();
    assert_eq!(scratch.usage(), Usage { bytes: 0, entries: 0, descriptors: 4 });
}

#[test]
fn a_replaced_file_lives_on_too() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    write(&mut scratch, fd, b"old").unwrap();
    put(&mut scratch, "tmp/b", b"new");
    scratch.rename(at("tmp/b"), at("tmp/a"), 2).unwrap();
    assert_eq!(content(&mut scratch, fd), b"old");
    let fresh = open(&mut scratch, "tmp/a", "r").unwrap();
    assert_eq!(content(&mut scratch, fresh), b"new");
    assert_eq!(scratch.usage().bytes, 6);
    scratch.renumber(fresh, fd).unwrap();
    assert_eq!(scratch.usage().bytes, 3);
}

#[test]
fn a_removed_directory_that_is_open_is_empty_and_stays_so() {
    let mut scratch = world();
    scratch.create_directory(at("tmp/a"), 1).unwrap();
    let directory = open_directory(&mut scratch, ROOT_FD, "tmp/a").unwrap();
    scratch.remove_directory(at("tmp/a"), 1).unwrap();
    assert_eq!(scratch.entries(directory, 0).unwrap().count(), 0);
    for path in ["x", "..", "../x"] {
        let inside = At { directory, path: path.as_bytes() };
        assert!(scratch.create_directory(inside, 1).is_err(), "{path}");
        assert_eq!(scratch.stat_at(inside), Err(Errno::NotFound), "{path}");
        assert!(scratch.rename(at("tmp"), inside, 1).is_err(), "{path}");
    }
    scratch.close(directory).unwrap();
    assert_eq!(scratch.usage().entries, 0);
}

#[test]
fn no_path_leaves_the_root() {
    let mut scratch = world();
    let tmp = open_directory(&mut scratch, ROOT_FD, "tmp").unwrap();
    for (directory, path) in [
        (ROOT_FD, ".."),
        (ROOT_FD, "../etc"),
        (ROOT_FD, "tmp/../.."),
        (tmp, "../.."),
        (tmp, "/tmp"),
        (tmp, "../../tmp"),
    ] {
        assert_eq!(scratch.stat_at(At { directory, path: path.as_bytes() }), Err(Errno::NotCapable), "{path}");
    }
    assert_eq!(scratch.stat_at(At { directory: tmp, path: b"../tmp/." }), scratch.stat(tmp));
}

#[test]
fn a_path_walks_through_directories_only() {
    let mut scratch = world();
    put(&mut scratch, "tmp/a", b"");
    for (path, errno) in [
        ("tmp/a/", Errno::NotDirectory),
        ("tmp/a/.", Errno::NotDirectory),
        ("tmp/a/..", Errno::NotDirectory),
        ("tmp/a/b", Errno::NotDirectory),
        ("tmp/none/..", Errno::NotFound),
        ("tmp/none/", Errno::NotFound),
        ("", Errno::NotFound),
    ] {
        assert_eq!(scratch.stat_at(at(path)), Err(errno), "{path}");
    }
    for path in ["tmp", "tmp/", "./tmp", "tmp/.", "tmp//../tmp", "usr/../tmp"] {
        assert_eq!(scratch.stat_at(at(path)), scratch.stat_at(at("tmp")), "{path}");
    }
    for directory in [0, 4, u32::MAX] {
        assert!(scratch.stat_at(At { directory, path: b"tmp" }).is_err(), "{directory}");
    }
}

#[test]
fn opening_follows_the_mode() {
    let mut scratch = world();
    put(&mut scratch, "tmp/a", b"1234");
    for (path, mode, errno) in [
        ("tmp/none", "r", Errno::NotFound),
        ("tmp/none/x", "w", Errno::NotFound),
        ("tmp/a", "x", Errno::Exists),
        ("tmp", "x", Errno::Exists),
        ("tmp", "w", Errno::IsDirectory),
        ("tmp", "r+", Errno::IsDirectory),
        ("tmp/new/", "w", Errno::IsDirectory),
        ("tmp/a/", "r", Errno::NotDirectory),
    ] {
        assert_eq!(open(&mut scratch, path, mode), Err(errno), "{path} {mode}");
    }
    assert_eq!(open_directory(&mut scratch, ROOT_FD, "tmp/a"), Err(Errno::NotDirectory));
    assert_eq!(scratch.stat_at(at("tmp/a")).unwrap().size, 4);
    open(&mut scratch, "tmp/a", "w").unwrap();
    assert_eq!(scratch.stat_at(at("tmp/a")).unwrap().size, 0);
    assert_eq!(scratch.usage().bytes, 0);
    for opening in [
        Opening { create: true, directory: true, ..Opening::default() },
        Opening { truncate: true, access: Access { read: true, write: false }, ..Opening::default() },
    ] {
        assert_eq!(scratch.open(at("tmp/a"), opening, 1), Err(Errno::Invalid));
    }
}

#[test]
fn a_descriptor_allows_what_it_was_opened_for() {
    let mut scratch = world();
    put(&mut scratch, "tmp/a", b"1234");
    let reader = open(&mut scratch, "tmp/a", "r").unwrap();
    let writer = open(&mut scratch, "tmp/a", "w").unwrap();
    assert_eq!(write(&mut scratch, reader, b"x"), Err(Errno::BadDescriptor));
    assert_eq!(scratch.set_size(reader, 0, 1), Err(Errno::BadDescriptor));
    assert_eq!(scratch.allocate(reader, 0, 1, 1), Err(Errno::BadDescriptor));
    assert_eq!(scratch.read(writer, [&mut [0; 1][..]]), Err(Errno::BadDescriptor));
    let (none, all) = (Access::default(), Access { read: true, write: true });
    assert_eq!(scratch.set_access(writer, all), Err(Errno::NotCapable));
    assert_eq!(scratch.set_access(writer, none), Ok(()));
    assert_eq!(write(&mut scratch, writer, b"x"), Err(Errno::BadDescriptor));
    assert_eq!(scratch.descriptor(writer).unwrap().access, none);
}

#[test]
fn a_directory_has_no_content() {
    let mut scratch = world();
    let fd = open_directory(&mut scratch, ROOT_FD, "tmp").unwrap();
    assert_eq!(scratch.read(fd, [&mut [0; 1][..]]), Err(Errno::IsDirectory));
    assert_eq!(write(&mut scratch, fd, b"x"), Err(Errno::BadDescriptor));
    assert_eq!(scratch.seek(fd, 0, Whence::Start), Err(Errno::BadDescriptor));
}

#[test]
fn appending_goes_to_the_end_wherever_the_position_is() {
    let mut scratch = world();
    put(&mut scratch, "tmp/a", b"1234");
    let fd = open(&mut scratch, "tmp/a", "a+").unwrap();
    write(&mut scratch, fd, b"5").unwrap();
    scratch.seek(fd, 0, Whence::Start).unwrap();
    write(&mut scratch, fd, b"6").unwrap();
    scratch.write_at(fd, 0, [&b"x"[..]].into_iter(), 2).unwrap();
    assert_eq!(content(&mut scratch, fd), b"x23456");
    scratch.set_flags(fd, Flags::default()).unwrap();
    scratch.seek(fd, 1, Whence::Start).unwrap();
    write(&mut scratch, fd, b"y").unwrap();
    assert_eq!(content(&mut scratch, fd), b"xy3456");
}

#[test]
fn positions_are_neither_negative_nor_beyond_signed_numbers() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    assert_eq!(scratch.seek(fd, -1, Whence::Start), Err(Errno::Invalid));
    assert_eq!(scratch.seek(fd, i64::MAX, Whence::Start), Ok(i64::MAX as u64));
    assert_eq!(scratch.seek(fd, 1, Whence::Current), Err(Errno::Invalid));
    assert_eq!(scratch.seek(fd, i64::MIN, Whence::Current), Err(Errno::Invalid));
    assert_eq!(scratch.seek(fd, 0, Whence::Current), Ok(i64::MAX as u64), "a refused move is none");
    assert_eq!(write(&mut scratch, fd, b"x"), Err(Errno::FileTooBig));
    assert_eq!(scratch.read(fd, [&mut [0; 1][..]]), Ok(0));
}

#[test]
fn streams_have_no_position_and_standard_input_is_at_its_end() {
    let mut scratch = world();
    assert_eq!(scratch.read(0, [&mut [0; 1][..]]), Ok(0));
    assert_eq!(scratch.read(1, [&mut [0; 1][..]]), Err(Errno::BadDescriptor));
    assert_eq!(scratch.seek(1, 0, Whence::Current), Err(Errno::NotSeekable));
    assert_eq!(scratch.read_at(0, 0, [&mut [0; 1][..]]), Err(Errno::NotSeekable));
    assert_eq!(scratch.write_at(1, 0, [&b"x"[..]].into_iter(), 1), Err(Errno::NotSeekable));
    assert_eq!(write(&mut scratch, 1, b"x"), Err(Errno::BadDescriptor), "the caller asks `stream` first");
    assert_eq!(scratch.set_size(1, 0, 1), Err(Errno::Invalid));
}

#[test]
fn a_file_takes_the_place_of_a_closed_stream() {
    let mut scratch = world();
    scratch.close(1).unwrap();
    assert_eq!(scratch.stream(1), Err(Errno::BadDescriptor));
    assert_eq!(open(&mut scratch, "tmp/log", "w"), Ok(1));
    assert_eq!(scratch.stream(1), Ok(None));
    assert_eq!(write(&mut scratch, 1, b"printed"), Ok(7));
}

#[test]
fn nothing_of_the_fixed_world_changes() {
    let mut scratch = world();
    scratch.add_static("tmp/fixed", b"as it is").unwrap();
    put(&mut scratch, "tmp/a", b"");
    scratch.create_directory(at("tmp/d"), 1).unwrap();
    let zone = &ZONE[1..];
    for mode in ["w", "a", "r+"] {
        assert_eq!(open(&mut scratch, zone, mode), Err(Errno::ReadOnly), "{mode}");
    }
    for path in ["usr/x", "usr/share/zoneinfo/Europe/x"] {
        assert_eq!(open(&mut scratch, path, "w"), Err(Errno::ReadOnly), "{path}");
        assert_eq!(scratch.create_directory(at(path), 1), Err(Errno::ReadOnly), "{path}");
        assert_eq!(scratch.rename(at("tmp/a"), at(path), 1), Err(Errno::ReadOnly), "{path}");
    }
    for path in [zone, "tmp/fixed"] {
        assert_eq!(scratch.unlink(at(path), 1), Err(Errno::ReadOnly), "{path}");
        assert_eq!(scratch.rename(at(path), at("tmp/x"), 1), Err(Errno::ReadOnly), "{path}");
        assert_eq!(scratch.rename(at("tmp/a"), at(path), 1), Err(Errno::ReadOnly), "{path}");
        assert_eq!(scratch.set_times_at(at(path), NewTimes::default(), 1), Err(Errno::ReadOnly), "{path}");
    }
    assert_eq!(scratch.remove_directory(at("usr"), 1), Err(Errno::ReadOnly));
    assert_eq!(scratch.rename(at("usr"), at("tmp/x"), 1), Err(Errno::ReadOnly));
    let fd = open(&mut scratch, zone, "r").unwrap();
    assert_eq!(content(&mut scratch, fd), b"TZif2");
    assert_eq!(scratch.set_size(fd, 0, 1), Err(Errno::BadDescriptor));
    assert_eq!(scratch.usage(), Usage { bytes: 0, entries: 2, descriptors: 5 }, "no quota counts it");
}

#[test]
fn a_static_file_needs_a_free_name_and_a_straight_path() {
    let mut scratch = world();
    for (path, errno) in [
        (ZONE, Errno::Exists),
        ("usr/share", Errno::Exists),
        ("usr/../x", Errno::Invalid),
        ("usr/x/", Errno::Invalid),
        ("usr/.", Errno::Invalid),
        ("", Errno::NotFound),
        ("/usr/share/zoneinfo/Europe/Berlin/x", Errno::NotDirectory),
    ] {
        assert_eq!(scratch.add_static(path, b""), Err(errno), "{path}");
    }
    scratch.check();
}

#[test]
fn directories_are_removed_when_empty() {
    let mut scratch = world();
    scratch.create_directory(at("tmp/a"), 1).unwrap();
    put(&mut scratch, "tmp/a/b", b"");
    for (path, errno) in [
        ("tmp/a", Errno::NotEmpty),
        ("tmp/a/b", Errno::NotDirectory),
        ("tmp/none", Errno::NotFound),
        (".", Errno::Busy),
        ("tmp/..", Errno::Busy),
        ("tmp/.", Errno::Invalid),
    ] {
        assert_eq!(scratch.remove_directory(at(path), 1), Err(errno), "{path}");
    }
    assert_eq!(scratch.unlink(at("tmp/a"), 1), Err(Errno::IsDirectory));
    assert_eq!(scratch.unlink(at("tmp/a/."), 1), Err(Errno::IsDirectory));
    scratch.unlink(at("tmp/a/b"), 1).unwrap();
    assert_eq!(scratch.remove_directory(at("tmp/a/"), 1), Ok(()));
    for path in [".", "tmp", "tmp/", "usr"] {
        assert_eq!(scratch.create_directory(at(path), 1), Err(Errno::Exists), "{path}");
    }
}

#[test]
fn renaming_keeps_kinds_apart() {
    let mut scratch = world();
    for path in ["tmp/full", "tmp/empty", "tmp/full/below", "tmp/other"] {
        scratch.create_directory(at(path), 1).unwrap();
    }
    put(&mut scratch, "tmp/a", b"1");
    put(&mut scratch, "tmp/b", b"2");
    for (from, to, errno) in [
        ("tmp/a", "tmp/empty", Errno::IsDirectory),
        ("tmp/empty", "tmp/a", Errno::NotDirectory),
        ("tmp/empty", "tmp/full", Errno::NotEmpty),
        ("tmp/full/below", "tmp/full", Errno::NotEmpty),
        ("tmp/full", "tmp/full/below", Errno::Invalid),
        ("tmp/full", "tmp/full/below/x", Errno::Invalid),
        ("tmp/a", "tmp/new/", Errno::NotDirectory),
        ("tmp/a/", "tmp/new", Errno::NotDirectory),
        ("tmp/none", "tmp/new", Errno::NotFound),
        ("tmp/a", "tmp/none/new", Errno::NotFound),
        (".", "tmp/new", Errno::Busy),
        ("tmp/full", ".", Errno::Busy),
        ("tmp/full/.", "tmp/new", Errno::Invalid),
    ] {
        assert_eq!(scratch.rename(at(from), at(to), 1), Err(errno), "{from} to {to}");
    }
    for (from, to) in [
        ("tmp/a", "tmp/a"),
        ("tmp/a", "tmp/b"),
        ("tmp/full", "tmp/empty"),
        ("tmp/empty/below", "tmp/below/"),
        ("tmp/other", "tmp/below"),
    ] {
        assert_eq!(scratch.rename(at(from), at(to), 1), Ok(()), "{from} to {to}");
    }
    let mut left = names(&mut scratch, "tmp");
    left.sort();
    assert_eq!(left, [".", "..", "b", "below", "empty"]);
    scratch.check();
}

#[test]
fn an_inode_is_one_nodes_for_good() {
    let mut scratch = world();
    put(&mut scratch, "tmp/a", b"");
    let inode = |scratch: &Scratch, path| scratch.stat_at(at(path)).unwrap().inode;
    let first = inode(&scratch, "tmp/a");
    scratch.rename(at("tmp/a"), at("b"), 1).unwrap();
    assert_eq!(inode(&scratch, "b"), first);
    scratch.unlink(at("b"), 1).unwrap();
    put(&mut scratch, "b", b"");
    assert_ne!(inode(&scratch, "b"), first);
}

#[test]
fn a_listing_goes_on_after_any_entry() {
    let mut scratch = world();
    for path in ["z", "a", "m"] {
        put(&mut scratch, path, b"");
    }
    let all: Vec<(String, u64)> =
        scratch.entries(ROOT_FD, 0).unwrap().map(|entry| (entry.name.to_owned(), entry.next)).collect();
    assert_eq!(all.iter().map(|(name, _)| name).collect::<Vec<_>>(), [".", "..", "tmp", "usr", "z", "a", "m"]);
    for (index, (_, cookie)) in all.iter().enumerate() {
        let rest = scratch.entries(ROOT_FD, *cookie).unwrap().map(|entry| entry.name.to_owned());
        assert!(rest.eq(all[index + 1..].iter().map(|(name, _)| name.clone())), "after {cookie}");
    }
    assert_eq!(scratch.entries(ROOT_FD, u64::MAX).unwrap().count(), 0);
}

#[test]
fn a_listing_misses_nothing_while_what_it_listed_is_removed() {
    let mut scratch = world();
    for name in 0..100 {
        put(&mut scratch, &format!("tmp/{name}"), b"");
    }
    let directory = open_directory(&mut scratch, ROOT_FD, "tmp").unwrap();
    let after = |scratch: &Scratch, cookie| {
        scratch.entries(directory, cookie).unwrap().next().map(|entry| (entry.name.to_owned(), entry.next))
    };
    let (mut cookie, mut listed) = (2, Vec::new());
    while let Some((name, next)) = after(&scratch, cookie) {
        cookie = next;
        // Halfway through, the names that follow all change, which hides none of them.
        if listed.len() == 50 {
            for name in 51..100 {
                scratch.rename(at(&format!("tmp/{name}")), at(&format!("tmp/new-{name}")), 1).unwrap();
            }
        }
        scratch.unlink(at(&format!("tmp/{name}")), 1).unwrap();
        listed.push(name);
    }
    assert_eq!(listed.len(), 100);
    assert_eq!(names(&mut scratch, "tmp"), [".", ".."]);
}

#[test]
fn times_tell_when_content_and_names_changed() {
    let mut scratch = world();
    let times = |scratch: &Scratch, path| {
        let stat = scratch.stat_at(at(path)).unwrap();
        [stat.accessed_ns, stat.modified_ns, stat.changed_ns]
    };
    let opening = Opening { create: true, access: Access { read: true, write: true }, ..Opening::default() };
    let fd = scratch.open(at("tmp/a"), opening, 10).unwrap();
    assert_eq!((times(&scratch, "tmp/a"), times(&scratch, "tmp")), ([10; 3], [0, 10, 10]));
    scratch.write(fd, [&b"x"[..]].into_iter(), 20).unwrap();
    assert_eq!((times(&scratch, "tmp/a"), times(&scratch, "tmp")), ([10, 20, 20], [0, 10, 10]));
    scratch.rename(at("tmp/a"), at("tmp/b"), 30).unwrap();
    assert_eq!((times(&scratch, "tmp/b"), times(&scratch, "tmp")), ([10, 20, 30], [0, 30, 30]));
    scratch.set_times(fd, NewTimes { accessed_ns: Some(1), modified_ns: None }, 40).unwrap();
    scratch.set_times_at(at("tmp/b"), NewTimes { accessed_ns: None, modified_ns: Some(2) }, 50).unwrap();
    scratch.read_at(fd, 0, [&mut [0; 1][..]]).unwrap();
    assert_eq!(times(&scratch, "tmp/b"), [1, 2, 50]);
    assert_eq!(scratch.set_times(1, NewTimes::default(), 50), Err(Errno::Invalid));
}

#[test]
fn nothing_is_a_link() {
    let scratch = world();
    assert_eq!(scratch.read_link(at("tmp")).err(), Some(Errno::Invalid));
    assert_eq!(scratch.read_link(at("none")).err(), Some(Errno::NotFound));
}

#[test]
fn cutting_a_file_gives_its_bytes_back() {
    let mut scratch = world();
    let fd = open(&mut scratch, "tmp/a", "w+").unwrap();
    write(&mut scratch, fd, &[1; 1000]).unwrap();
    scratch.set_size(fd, 10, 2).unwrap();
    assert_eq!(scratch.usage().bytes, 10);
    scratch.set_size(fd, 12, 2).unwrap();
    assert_eq!(content(&mut scratch, fd), [[1; 10].as_slice(), &[0; 2]].concat());
    put(&mut scratch, "tmp/a", b"");
    assert_eq!(scratch.usage().bytes, 0);
}

/// Directories can nest as deep as there are entries, since each can be made from an open one. Nothing may recurse on
/// the way: the guest's stack would end before the tree does.
#[test]
fn a_tree_of_a_hundred_thousand_levels_is_built_and_dropped() {
    const LEVELS: u32 = 100_000;
    let mut scratch = world();
    scratch.set_quota(Quota { entries: LEVELS, ..Quota::default() });
    let name = "n".repeat(NAME_BYTES_MAX);
    let mut directory = ROOT_FD;
    for _ in 0..LEVELS {
        scratch.create_directory(At { directory, path: name.as_bytes() }, 1).unwrap();
        let below = open_directory(&mut scratch, directory, &name).unwrap();
        if directory != ROOT_FD {
            scratch.close(directory).unwrap();
        }
        directory = below;
    }
    let inside = At { directory, path: b"x" };
    assert_eq!(scratch.create_directory(inside, 1), Err(Errno::NoSpace));
    assert_eq!(scratch.rename(at(&name), inside, 1), Err(Errno::Invalid), "the root is above the leaf");
    assert_eq!(scratch.stat_at(At { directory, path: "../".repeat(1000).as_bytes() }).unwrap().kind, Kind::Directory);
    drop(scratch);
}
