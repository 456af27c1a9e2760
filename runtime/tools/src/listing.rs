//! What a server listed, in the form in which the state folder keeps it: rows without schemas, so that thousands of them are
//! read in milliseconds.

use serde::{Deserialize, Serialize};

use crate::definition::{RejectedTool, ToolRow};

/// The first byte of an encoded listing. Another one is a listing of another version of this program.
const VERSION: u8 = 2;

/// What a server listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// What the server calls itself, as plain text; empty if it does not say.
    pub server_name: String,
    /// Its version, as plain text.
    pub server_version: String,
    /// The revision of the protocol that it speaks.
    pub protocol: String,
    /// The tools that were admitted, in the order of the server.
    pub tools: Vec<ToolRow>,
    /// The tools that were left out.
    pub rejected: Vec<RejectedTool>,
}

impl Listing {
    /// The listing as bytes.
    ///
    /// # Panics
    /// Never: memory is all that encoding needs.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_extend(self, vec![VERSION]).expect("a listing encodes")
    }

    /// Reads a listing back; nothing if it is of another version or damaged, and the tools must be discovered anew.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (version, listing) = bytes.split_first()?;
        if *version != VERSION {
            return None;
        }
        postcard::from_bytes(listing).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::definition::admit;

    #[test]
    fn a_listing_comes_back_as_it_was() {
        let tool = admit(r#"{"name":"a","inputSchema":{"properties":{"b":{}}}}"#).expect("a tool").row;
        let rejected = RejectedTool { name: "c d".to_owned(), reason: "no".to_owned() };
        let listing = Listing { tools: vec![tool], rejected: vec![rejected], ..Listing::default() };
        let bytes = listing.encode();
        assert_eq!(Listing::decode(&bytes), Some(listing));
        assert_eq!(Listing::decode(&[]), None);
        assert_eq!(Listing::decode(&bytes[..bytes.len() - 1]), None);
        let mut newer = bytes;
        newer[0] += 1;
        assert_eq!(Listing::decode(&newer), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_listing_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Listing::decode(&bytes);
            let with_version: Vec<u8> = std::iter::once(VERSION).chain(bytes).collect();
            let _ = Listing::decode(&with_version);
        }
    }
}
