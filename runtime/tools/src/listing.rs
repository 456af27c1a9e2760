//! What a server listed, in the form in which the state folder keeps it: rows without schemas, so that thousands of them are
//! read in milliseconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_capability::ServerId;
use intentbox_store::ListingRecord;
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

/// A listing as it was read, and when the server listed it, in milliseconds after 1970, UTC.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadListing {
    pub(crate) discovered_ms: i64,
    /// Nothing where it is of another version or damaged.
    pub(crate) listing: Option<Arc<Listing>>,
}

/// The listings that were read already: thousands of rows are decoded once, and not at each look at them.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<HashMap<ServerId, ReadListing>>);

impl Listings {
    /// The listing of a time, if it was read.
    pub(crate) fn get(&self, id: &ServerId, discovered_ms: i64) -> Option<ReadListing> {
        let listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listings.get(id).filter(|read| read.discovered_ms == discovered_ms).cloned()
    }

    /// The listing of a record, which is decoded unless it was.
    pub(crate) fn take(&self, id: &ServerId, record: &ListingRecord) -> ReadListing {
        if let Some(read) = self.get(id, record.discovered_ms) {
            return read;
        }
        let listing = Listing::decode(&record.encoded).map(Arc::new);
        let read = ReadListing { discovered_ms: record.discovered_ms, listing };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), read.clone());
        read
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

    #[test]
    fn a_listing_is_decoded_once_and_again_after_the_next_one() {
        let listings = Listings::default();
        let id: ServerId = "git".parse().expect("an id");
        let record = |discovered_ms, server_name: &str| ListingRecord {
            id: "git".to_owned(),
            discovered_ms,
            encoded: Listing { server_name: server_name.to_owned(), ..Listing::default() }.encode(),
        };
        let name = |read: ReadListing| read.listing.map(|listing| listing.server_name.clone());
        assert!(listings.get(&id, 1).is_none());
        assert_eq!(name(listings.take(&id, &record(1, "one"))), Some("one".to_owned()));
        assert_eq!(name(listings.take(&id, &record(1, "not looked at"))), Some("one".to_owned()));
        assert!(listings.get(&id, 2).is_none(), "it has listed again");
        assert_eq!(name(listings.take(&id, &record(2, "two"))), Some("two".to_owned()));
        assert_eq!(name(listings.take(&id, &ListingRecord { encoded: vec![9], ..record(3, "") })), None, "damaged");
        assert_eq!(listings.get(&id, 3).and_then(name), None, "and known to be");
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
