//! The content of one file: the range that may be written, and the memory that it takes.

use crate::Errno;

/// The least room a file with content is given. Below this, growing byte by byte would move the file at each write.
const ROOM_BYTES_MIN: usize = 64;

/// Reads from `offset` on into `parts`, one after the other, and tells how many bytes that were.
pub(crate) fn read<'a>(content: &[u8], offset: u64, parts: impl IntoIterator<Item = &'a mut [u8]>) -> usize {
    let mut rest = usize::try_from(offset).ok().and_then(|at| content.get(at..)).unwrap_or_default();
    let whole = rest.len();
    for part in parts {
        let count = part.len().min(rest.len());
        let (now, later) = rest.split_at(count);
        part[..count].copy_from_slice(now);
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    whole - rest.len()
}

/// Writes `parts` from `at` on. The caller has made room up to the end of what is written.
pub(crate) fn write<'a>(content: &mut Vec<u8>, at: usize, parts: impl IntoIterator<Item = &'a [u8]>) {
    if at > content.len() {
        content.resize(at, 0);
    }
    let mut at = at;
    for part in parts {
        let (over, new) = part.split_at(part.len().min(content.len() - at));
        content[at..at + over.len()].copy_from_slice(over);
        content.extend_from_slice(new);
        at += part.len();
    }
}

/// Makes room for `length` bytes, and for half as much again as there was, so that a file which grows by small writes
/// is moved a logarithmic number of times. What is to spare stops at `room_max`, so that a file as large as the quota
/// takes no more than the quota.
pub(crate) fn reserve(content: &mut Vec<u8>, length: usize, room_max: usize) -> Result<(), Errno> {
    if length <= content.capacity() {
        return Ok(());
    }
    let spare = (content.capacity() + content.capacity() / 2).max(ROOM_BYTES_MIN).min(room_max);
    content.try_reserve_exact(length.max(spare) - content.len()).map_err(|_| Errno::NoMemory)
}

/// Cuts the content, and gives room back when most of it is empty: what the quota counts as free should be free.
pub(crate) fn cut(content: &mut Vec<u8>, length: usize) {
    content.truncate(length);
    if length < content.capacity() / 2 {
        content.shrink_to(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end() {
        let (mut first, mut second) = ([0; 2], [0; 8]);
        assert_eq!(read(b"abcde", 1, [&mut first[..], &mut [], &mut second]), 4);
        assert_eq!((&first, &second[..2]), (b"bc", &b"de"[..]));
        for offset in [5, 6, u64::MAX] {
            assert_eq!(read(b"abcde", offset, [&mut first[..]]), 0, "{offset}");
        }
    }

    #[test]
    fn writes_go_over_what_is_there_and_on() {
        let mut content = b"abcde".to_vec();
        write(&mut content, 3, [&b"XY"[..], b"", b"Z"]);
        assert_eq!(content, b"abcXYZ");
        write(&mut content, 8, [&b"!"[..]]);
        assert_eq!(content, b"abcXYZ\0\0!");
    }

    #[test]
    fn small_writes_move_a_file_seldom() {
        let (mut content, mut moves) = (Vec::new(), 0);
        for at in 0..1 << 20 {
            let before = content.capacity();
            reserve(&mut content, at + 1, usize::MAX).unwrap();
            moves += usize::from(content.capacity() != before);
            write(&mut content, at, [&b"x"[..]]);
        }
        assert!(moves < 32, "{moves}");
    }

    #[test]
    fn spare_room_stops_at_its_bound() {
        let mut content = vec![0; 1000];
        reserve(&mut content, 1001, 1024).unwrap();
        assert_eq!(content.capacity(), 1024);
    }

    #[test]
    fn cutting_gives_room_back() {
        let mut content = vec![0; 1 << 20];
        cut(&mut content, 0);
        assert_eq!(content.capacity(), 0);
    }
}
