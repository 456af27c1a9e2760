//! The messages between host and guest: one message in, one message out, and host calls in between.
//!
//! The host writes a [`Start`] into guest memory and the guest answers with an [`Ended`]. While the script runs, each
//! host call is a [`Call`] answered by a [`Reply`]. Messages are postcard: no self-description, every
//! length prefix checked against the bytes that are really there. Decoding borrows from the message, so what a hostile
//! guest can make the host allocate is bounded by [`HEADERS_MAX`] entries, whatever the message claims.
//!
//! This crate knows no wasm, no Python and no HTTP client. It is compiled twice: natively for the host and to
//! `wasm32-wasip1` for the guest, always from the same source, because the guest is built by the crate that embeds it.

#![no_std]
#![forbid(unsafe_code)]
#![expect(clippy::ref_option_ref, reason = "what serde derives for an optional slice passes fields by reference")]

extern crate alloc;

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The import module under which the guest finds the host's functions.
pub const IMPORT_MODULE: &str = "intentbox";

/// The largest [`Call`] a guest may send, in bytes. A request body travels inside it; doubling it would double what a
/// run can make the host copy per call.
pub const CALL_BYTES_MAX: usize = 2 << 20;

/// The most header entries a message may hold. Real requests and replies carry a few dozen; an entry costs the host
/// 32 bytes against 2 in the message, so without a count a 2 MiB message would become 32 MiB.
pub const HEADERS_MAX: usize = 256;

/// The most files a listing may hold, for the same reason.
pub const FILES_MAX: usize = 10_000;

/// The most folders a listing may name as not read, for the same reason. Real directories have a few: `lost+found`,
/// `private`.
pub const UNREAD_MAX: usize = 1_000;

/// The input of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start<'a> {
    /// The file name that tracebacks show, such as `script.py`.
    pub name: &'a str,
    /// The script's source, UTF-8, without NUL.
    pub source: &'a str,
    /// A module that comes with the script, as `import pack`.
    #[serde(borrow)]
    pub module: Option<Module<'a>>,
    /// The script's `params`: JSON text of an object.
    pub params: &'a str,
    /// Fresh random bytes: what the snapshot froze (`random`, for one) is seeded anew from them.
    pub entropy: [u8; 16],
    /// The most bytes the result's JSON text may have.
    pub result_bytes_max: u32,
    /// The most levels of lists and objects the result may have.
    pub result_depth_max: u32,
    /// The most bytes of traceback text to send.
    pub traceback_bytes_max: u32,
    /// The most bytes that the files of the scratch directory may have together.
    pub scratch_bytes_max: u32,
    /// The most files and directories that may be in it.
    pub scratch_entries_max: u32,
}

/// A module that comes with a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module<'a> {
    /// The file name that tracebacks show, such as `sentry/pack.py`.
    pub file: &'a str,
    /// Its source, UTF-8, without NUL.
    pub source: &'a str,
    /// What compiling the source gave, as the guest's own `marshal` writes it; without it, the guest compiles.
    #[serde(borrow, with = "serde_bytes")]
    pub bytecode: Option<&'a [u8]>,
}

/// How the script ended, as the guest reports it. A run that trapped or ran out has no such message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended<'a> {
    /// The script came to its end; its answer as JSON text.
    Returned {
        /// JSON text, at most `result_bytes_max` bytes.
        result: &'a str,
    },
    /// An exception left the script.
    Raised(Raised<'a>),
    /// The script is not Python.
    SyntaxError(Raised<'a>),
    /// The answer holds something that cannot be serialized to JSON.
    ResultInvalid {
        /// Where in the answer, such as `result[3].when`.
        path: &'a str,
        /// What is there, such as `float nan`.
        reason: &'a str,
    },
    /// The answer is larger or deeper than the run's limits.
    ResultLimit {
        /// What was exceeded.
        measure: ResultMeasure,
        /// The limit.
        limit: u64,
        /// What was reached when counting stopped.
        observed: u64,
    },
}

/// What a [`Ended::ResultLimit`] counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultMeasure {
    /// Bytes of JSON text.
    Bytes,
    /// Levels of nesting.
    Depth,
}

/// An exception as a reader needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised<'a> {
    /// The class, such as `ValueError`.
    pub class: &'a str,
    /// `str()` of the exception, cut to a bound.
    pub message: &'a str,
    /// The traceback as Python prints it, cut in the middle to a bound.
    pub traceback: &'a str,
    /// What to do about it, as the script says; empty where it says nothing.
    pub hint: &'a str,
    /// Whether the exception is one that a host call raised, or one by which a script rejects a request.
    pub cause: Cause,
}

/// Where an exception that left the script came from. The host believes that it came from a call only as far as its own
/// record of the run's calls agrees. [`Cause::NotFound`] and [`Cause::Invalid`] are the script's own claim, like its result:
/// any script may make it, and nothing but the run's outcome depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The script itself.
    Script,
    /// A host call was refused (`CapabilityDenied`).
    Refused,
    /// A host call was granted and failed (`HostCallFailed`).
    CallFailed,
    /// `sys.exit`, with a status other than success.
    Exit,
    /// The script says that what the request names does not exist (`NotFound`).
    NotFound,
    /// The script says that what the request gives cannot be used (`Invalid`).
    Invalid,
}

/// Something the script asks of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call<'a> {
    /// One HTTP exchange.
    Http(#[serde(borrow)] HttpRequest<'a>),
    /// The files of a folder of a granted directory, those of its folders too.
    ListFiles {
        /// `alias:folder`, or `alias:` for the directory itself.
        folder: &'a str,
    },
    /// A piece of a file of a granted directory.
    ReadFile {
        /// `alias:folder/file`.
        path: &'a str,
        /// Where the piece begins, in bytes.
        offset: u64,
        /// The most bytes it may have.
        length: u32,
    },
    /// A call of a tool of an upstream server.
    Tool {
        /// The server's name in the configuration.
        server: &'a str,
        /// The tool's name.
        tool: &'a str,
        /// Its arguments: JSON text of an object.
        arguments: &'a str,
    },
    /// Begins such a call, so that several go on at once.
    BeginTool {
        /// The server's name in the configuration.
        server: &'a str,
        /// The tool's name.
        tool: &'a str,
        /// Its arguments: JSON text of an object.
        arguments: &'a str,
    },
    /// Waits for the answer of a call that was begun. It is given once.
    EndTool {
        /// The call.
        call: u32,
    },
    /// Searches the tools that the run may call.
    FindTools {
        /// What the tool should do.
        text: &'a str,
        /// The most tools to find.
        most: u32,
    },
    /// Asks what a tool that the run may call takes and gives.
    DescribeTool {
        /// The server's name in the configuration.
        server: &'a str,
        /// The tool's name.
        tool: &'a str,
    },
}

/// An HTTP request as the script states it; nothing in it is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest<'a> {
    /// The method, in any case.
    pub method: &'a str,
    /// `alias:/path?query` or an absolute URL.
    pub url: &'a str,
    /// Header names and values as given.
    #[serde(borrow, deserialize_with = "bounded_headers")]
    pub headers: Vec<(&'a str, &'a str)>,
    /// The body, if there is one.
    #[serde(borrow, with = "serde_bytes")]
    pub body: Option<&'a [u8]>,
    /// How long the script is willing to wait, in milliseconds; the run's own deadline holds besides.
    pub timeout_ms: Option<u32>,
}

/// The host's answer to a [`Call`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<'a> {
    /// The exchange happened, whatever its status.
    Http(#[serde(borrow)] HttpReply<'a>),
    /// The files of the folder and of the folders inside it.
    Files {
        /// The files, by path.
        #[serde(borrow, deserialize_with = "bounded_files")]
        files: Vec<FileEntry<'a>>,
        /// The folders whose files are not among them, by path: they may not be read, or are too deep.
        #[serde(borrow, deserialize_with = "bounded_unread")]
        unread: Vec<&'a str>,
    },
    /// The piece; empty at the end of the file.
    Piece(#[serde(with = "serde_bytes")] &'a [u8]),
    /// What a tool answered: JSON text of its structured content, or of its text where it has none. Also what was found, and a
    /// description.
    Tool(&'a str),
    /// A call of a tool was begun: its number.
    Begun(u32),
    /// The run's grant does not cover it.
    Refused {
        /// What was refused and by which rule.
        message: &'a str,
        /// The line that would allow it.
        hint: &'a str,
    },
    /// It was granted, but failed.
    Failed {
        /// A stable word: `timeout`, `connect`, `tls`, `body_too_large`, …
        kind: &'a str,
        /// A sentence for a person, without secrets.
        message: &'a str,
    },
}

/// An HTTP reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpReply<'a> {
    /// The status code.
    pub status: u16,
    /// The URL that answered, in the script's own terms (`alias:/path?query`).
    pub url: &'a str,
    /// Header names in lower case, and values.
    #[serde(borrow, deserialize_with = "bounded_headers")]
    pub headers: Vec<(&'a str, &'a str)>,
    /// The body, decompressed.
    #[serde(with = "serde_bytes")]
    pub body: &'a [u8],
}

/// A file of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry<'a> {
    /// `alias:folder/file`.
    pub path: &'a str,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last changed, in milliseconds after 1970.
    pub modified_unix_ms: i64,
}

/// A message that is not one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are not a message of this protocol")
    }
}

impl core::error::Error for Malformed {}

/// Writes a message. Messages are plain data, so this cannot fail but for memory.
///
/// # Panics
/// Never: postcard fails to serialize only sequences of unknown length, and no message has one.
#[must_use]
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).expect("every sequence in a message knows its length")
}

/// Reads a message that fills `bytes` to the last one, borrowing from it.
///
/// # Errors
/// [`Malformed`] when the bytes are anything else, trailing bytes included.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Malformed> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok(_) | Err(_) => Err(Malformed),
    }
}

/// `text`, with its middle left out where it has more than `bytes_max` bytes. What was cut once fits, and stays as it is
/// when it is cut again: the guest cuts what it sends, and the host cuts what it is sent.
#[must_use]
pub fn shortened(text: &str, bytes_max: usize) -> String {
    const CUT: &str = " […] ";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let half = bytes_max.saturating_sub(CUT.len()) / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    format!("{}{CUT}{}", &text[..head], &text[tail..])
}

/// What the fuzz target and the property tests hold: any bytes either decode to a message that encodes and decodes to
/// itself again, or are refused.
///
/// # Panics
/// When that does not hold: it is an oracle.
#[cfg(any(test, fuzzing))]
pub fn oracle(bytes: &[u8]) {
    fn round_trip<'a, T: Deserialize<'a> + Serialize + PartialEq + fmt::Debug>(bytes: &'a [u8]) -> Option<Vec<u8>> {
        decode::<T>(bytes).ok().map(|message| encode(&message))
    }
    if let Some(again) = round_trip::<Ended<'_>>(bytes) {
        assert_eq!(decode::<Ended<'_>>(&again), decode::<Ended<'_>>(bytes));
    }
    if let Some(again) = round_trip::<Call<'_>>(bytes) {
        assert_eq!(decode::<Call<'_>>(&again), decode::<Call<'_>>(bytes));
        if let Ok(Call::Http(request)) = decode::<Call<'_>>(bytes) {
            assert!(request.headers.len() <= HEADERS_MAX);
        }
    }
    if let Some(again) = round_trip::<Reply<'_>>(bytes) {
        assert_eq!(decode::<Reply<'_>>(&again), decode::<Reply<'_>>(bytes));
        if let Ok(Reply::Files { files, unread }) = decode::<Reply<'_>>(bytes) {
            assert!(files.len() <= FILES_MAX && unread.len() <= UNREAD_MAX);
        }
    }
    if let Some(again) = round_trip::<Start<'_>>(bytes) {
        assert_eq!(decode::<Start<'_>>(&again), decode::<Start<'_>>(bytes));
    }
}

fn bounded_headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(&'de str, &'de str)>, D::Error> {
    deserializer.deserialize_seq(Bounded { most: HEADERS_MAX, entry: PhantomData })
}

fn bounded_files<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FileEntry<'de>>, D::Error> {
    deserializer.deserialize_seq(Bounded { most: FILES_MAX, entry: PhantomData })
}

fn bounded_unread<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de str>, D::Error> {
    deserializer.deserialize_seq(Bounded { most: UNREAD_MAX, entry: PhantomData })
}

/// Reads a list entry by entry, and no more entries than `most`: the length that a message claims allocates nothing.
struct Bounded<T> {
    most: usize,
    entry: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} entries", self.most)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element()? {
            if list.len() == self.most {
                return Err(serde::de::Error::invalid_length(self.most + 1, &self));
            }
            list.push(entry);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    fn request<'a>(headers: Vec<(&'a str, &'a str)>) -> Call<'a> {
        Call::Http(HttpRequest {
            method: "GET",
            url: "sentry:/api/0/",
            headers,
            body: Some(b"{}"),
            timeout_ms: Some(5_000),
        })
    }

    #[test]
    fn messages_come_back_as_they_were_sent() {
        let start = Start {
            name: "script.py",
            source: "1+1",
            module: Some(Module { file: "p/pack.py", source: "x = 1", bytecode: Some(b"\xe3\0") }),
            params: "{}",
            entropy: [7; 16],
            result_bytes_max: 1,
            result_depth_max: 2,
            traceback_bytes_max: 3,
            scratch_bytes_max: 4,
            scratch_entries_max: 5,
        };
        assert_eq!(decode(&encode(&start)), Ok(start));
        let call = request(vec![("accept", "application/json")]);
        assert_eq!(decode(&encode(&call)), Ok(call));
        let call = Call::Tool { server: "git", tool: "git_log", arguments: "{\"max_count\":3}" };
        assert_eq!(decode(&encode(&call)), Ok(call));
        assert_eq!(decode(&encode(&Reply::Tool("[1]"))), Ok(Reply::Tool("[1]")));
        for call in [Call::ListFiles { folder: "logs:" }, Call::ReadFile { path: "logs:a", offset: 1 << 40, length: 9 }]
        {
            assert_eq!(decode(&encode(&call)), Ok(call));
        }
        let entry = FileEntry { path: "logs:a", bytes: u64::MAX, modified_unix_ms: -1 };
        let files = Reply::Files { files: vec![entry; 2], unread: vec!["logs:private"] };
        for reply in [files, Reply::Piece(&[0, 255])] {
            assert_eq!(decode(&encode(&reply)), Ok(reply));
        }
        let ended = Ended::ResultLimit { measure: ResultMeasure::Depth, limit: 64, observed: 65 };
        assert_eq!(decode(&encode(&ended)), Ok(ended));
        for cause in [Cause::Script, Cause::Refused, Cause::CallFailed, Cause::Exit, Cause::NotFound, Cause::Invalid] {
            let raised = Raised { class: "E", message: "no", traceback: "E: no", hint: "ask again", cause };
            let ended = Ended::Raised(raised);
            assert_eq!(decode(&encode(&ended)), Ok(ended));
        }
        let reply = Reply::Http(HttpReply { status: 200, url: "sentry:/", headers: vec![("a", "b")], body: &[0, 255] });
        assert_eq!(decode(&encode(&reply)), Ok(reply));
    }

    #[test]
    fn trailing_bytes_are_refused() {
        let mut bytes = encode(&request(vec![]));
        bytes.push(0);
        assert_eq!(decode::<Call<'_>>(&bytes), Err(Malformed));
    }

    #[test]
    fn the_last_header_allowed_and_the_first_refused() {
        for (count, fits) in [(HEADERS_MAX, true), (HEADERS_MAX + 1, false)] {
            let bytes = encode(&request(vec![("", ""); count]));
            assert_eq!(decode::<Call<'_>>(&bytes).is_ok(), fits, "{count} headers");
        }
    }

    #[test]
    fn the_last_file_allowed_and_the_first_refused() {
        let entry = FileEntry { path: "", bytes: 0, modified_unix_ms: 0 };
        for (count, fits) in [(FILES_MAX, true), (FILES_MAX + 1, false)] {
            let bytes = encode(&Reply::Files { files: vec![entry; count], unread: vec![] });
            assert_eq!(decode::<Reply<'_>>(&bytes).is_ok(), fits, "{count} files");
        }
        for (count, fits) in [(UNREAD_MAX, true), (UNREAD_MAX + 1, false)] {
            let bytes = encode(&Reply::Files { files: vec![], unread: vec![""; count] });
            assert_eq!(decode::<Reply<'_>>(&bytes).is_ok(), fits, "{count} folders");
        }
    }

    #[test]
    fn a_length_beyond_the_message_is_refused() {
        // Call::Http with a method that claims 2^32-1 bytes.
        assert_eq!(decode::<Call<'_>>(&[0, 0xff, 0xff, 0xff, 0xff, 0x0f]), Err(Malformed));
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
            oracle(&bytes);
        }
    }
}
