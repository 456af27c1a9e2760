//! Decompression of bodies in pieces. Output is counted before more of it is produced.

use std::io::{self, Write as _};

use flate2::write::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

/// How many bytes may come out for each byte that came in, beyond [`ANY_RATIO_BYTES`] of output. Deflate itself ends
/// near a thousand.
const RATIO_MAX: usize = 100;

/// Output of this size is always allowed: a short text that repeats itself is not a bomb.
const ANY_RATIO_BYTES: usize = 1 << 20;

/// How many files may follow one another in a body. Servers send one; each costs a new decoder, however empty it is.
const MEMBERS_MAX: u32 = 64;

/// How the bytes of an origin become the body.
pub(crate) enum Unpacking {
    /// They are the body.
    Plain,
    /// They are compressed.
    Gzip(Box<Gzip>),
}

/// A decoder that hands out some 32 KiB at a time, and what has gone through it.
pub(crate) struct Gzip {
    /// Its output is taken away after each piece.
    decoder: GzDecoder<Vec<u8>>,
    members: u32,
    packed: usize,
    unpacked: usize,
}

/// Why a body cannot be decompressed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unpackable {
    /// It is not what its header says.
    #[error("is not valid gzip: {0}")]
    Broken(#[from] io::Error),
    /// It consists of more files than anybody sends.
    #[error("has more than {MEMBERS_MAX} gzip members")]
    Members,
    /// It is a bomb, or looks like one.
    #[error("decompresses to more than {RATIO_MAX} times its size")]
    Bomb,
}

impl Unpacking {
    /// The decoder for these headers, or `None` for an encoding that was not requested. Changes the headers to those of
    /// the decoded body.
    pub(crate) fn of(headers: &mut HeaderMap) -> Option<Unpacking> {
        // Two headers are two encodings, one in the other.
        let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
        let (encoding, second) = (encodings.next(), encodings.next());
        let Some(encoding) = encoding else { return Some(Unpacking::Plain) };
        if second.is_some() {
            return None;
        }
        if encoding.as_bytes().eq_ignore_ascii_case(b"identity") {
            return Some(Unpacking::Plain);
        }
        if !encoding.as_bytes().eq_ignore_ascii_case(b"gzip") && !encoding.as_bytes().eq_ignore_ascii_case(b"x-gzip") {
            return None;
        }
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
        let gzip = Gzip { decoder: GzDecoder::new(Vec::new()), members: 1, packed: 0, unpacked: 0 };
        Some(Unpacking::Gzip(Box::new(gzip)))
    }

    /// Decodes a chunk, and hands on the output.
    pub(crate) fn take<E: From<Unpackable>>(
        &mut self,
        mut chunk: &[u8],
        mut hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Unpacking::Gzip(gzip) = self else { return hand_on(chunk) };
        while !chunk.is_empty() {
            let used = gzip.decoder.write(chunk).map_err(Unpackable::from)?;
            if used == 0 {
                // It has ended, and another may begin here.
                gzip.next()?;
            }
            chunk = &chunk[used..];
            gzip.packed += used;
            gzip.drain(&mut hand_on)?;
        }
        Ok(())
    }

    /// Ends the body. An empty one is valid whatever its encoding: replies to HEAD have no body.
    pub(crate) fn end<E: From<Unpackable>>(
        &mut self,
        mut hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Unpacking::Gzip(gzip) if gzip.packed > 0 => {
                gzip.decoder.try_finish().map_err(Unpackable::from)?;
                gzip.drain(&mut hand_on)
            }
            Unpacking::Gzip(_) | Unpacking::Plain => Ok(()),
        }
    }
}

impl Gzip {
    /// Ends a member of the body, and begins the next.
    fn next(&mut self) -> Result<(), Unpackable> {
        self.decoder.try_finish()?;
        self.members += 1;
        if self.members > MEMBERS_MAX {
            return Err(Unpackable::Members);
        }
        // What came out of the last one is still to be handed on.
        self.decoder = GzDecoder::new(std::mem::take(self.decoder.get_mut()));
        Ok(())
    }

    /// Hands on what the decoder holds, unless it is too much for what went in.
    fn drain<E: From<Unpackable>>(&mut self, hand_on: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let out = self.decoder.get_mut();
        self.unpacked = self.unpacked.saturating_add(out.len());
        if self.unpacked > ANY_RATIO_BYTES && self.unpacked / RATIO_MAX > self.packed {
            return Err(Unpackable::Bomb.into());
        }
        hand_on(out)?;
        out.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use reqwest::header::HeaderValue;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).and_then(|()| encoder.finish()).expect("a vector takes everything")
    }

    fn with_encodings(encodings: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from_static("9"))]);
        for encoding in encodings {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        headers
    }

    /// What comes out of a body that arrives in chunks of this size.
    fn unpacked(body: &[u8], chunk_bytes: usize) -> Result<Vec<u8>, Unpackable> {
        let mut unpacking = Unpacking::of(&mut with_encodings(&["gzip"])).expect("a known encoding");
        let mut out = Vec::new();
        let mut keep = |piece: &[u8]| {
            assert!(piece.len() <= 64 << 10, "{} bytes at once", piece.len());
            out.extend_from_slice(piece);
            Ok::<(), Unpackable>(())
        };
        for chunk in body.chunks(chunk_bytes) {
            unpacking.take(chunk, &mut keep)?;
        }
        unpacking.end(&mut keep)?;
        Ok(out)
    }

    #[test]
    fn a_body_becomes_the_same_however_it_is_cut() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(|number| (number / 3).to_le_bytes()).collect();
        let (first, second) = text.split_at(70_000);
        let body = [gzip(first), gzip(b""), gzip(second)].concat();
        for chunk_bytes in [1, 2, 7, 100, 4_096, body.len()] {
            let out = unpacked(&body, chunk_bytes).expect("it is sound");
            assert!(out == text, "in chunks of {chunk_bytes}");
        }
        assert_eq!(unpacked(b"", 1).expect("no body at all"), b"");
    }

    #[test]
    fn what_is_cut_short_or_goes_on_is_broken() {
        let body = gzip(b"some text");
        let half = &body[..body.len() / 2];
        let longer = [&body[..], b"and more"].concat();
        let mut flipped = body.clone();
        *flipped.last_mut().expect("it is not empty") ^= 1;
        for (what, body) in [("half", half), ("longer", &longer), ("flipped", &flipped), ("a header", &body[..5])] {
            for chunk_bytes in [1, 1_000] {
                assert!(matches!(unpacked(body, chunk_bytes), Err(Unpackable::Broken(_))), "{what}");
            }
        }
    }

    #[test]
    fn one_encoding_is_undone_and_its_headers_go() {
        for (encodings, known, left) in [
            (&[][..], true, 1),
            (&["identity"], true, 2),
            (&["gzip"], true, 0),
            (&["GZip"], true, 0),
            (&["x-gzip"], true, 0),
            (&["gzip", "gzip"], false, 3),
            (&["identity", "gzip"], false, 3),
            (&["gzip, gzip"], false, 2),
            (&["br"], false, 2),
            (&[""], false, 2),
        ] {
            let mut headers = with_encodings(encodings);
            assert_eq!(Unpacking::of(&mut headers).is_some(), known, "{encodings:?}");
            assert_eq!(headers.len(), left, "{encodings:?}");
        }
    }
}
