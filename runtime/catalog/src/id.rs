//! The name of a template: `pack/name`.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

/// The longest a pack's or a template's own name may be. Names become part of error messages, cache keys and file
/// names; forty characters is twice the longest name anyone has wanted so far.
pub const NAME_BYTES_MAX: usize = 40;

/// The id of a template, `pack/name`, both parts `[a-z][a-z0-9_]*`.
///
/// An id is not a path: it can hold no dot, no second slash and no character that a shell or a file system reads
/// in its own way.
///
/// ```
/// use intentbox_catalog::TemplateId;
///
/// let id: TemplateId = "sentry/list_errors".parse()?;
/// assert_eq!((id.pack(), id.name()), ("sentry", "list_errors"));
/// assert!("sentry/../secrets".parse::<TemplateId>().is_err());
/// # Ok::<(), intentbox_catalog::id::IdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateId(String);

impl TemplateId {
    /// The whole id, `pack/name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    #[must_use]
    pub fn pack(&self) -> &str {
        self.parts().0
    }

    /// The part after the slash.
    #[must_use]
    pub fn name(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (&str, &str) {
        self.0.split_once('/').expect("an id is only made by FromStr, which demands one slash")
    }
}

impl fmt::Display for TemplateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Lets a map with ids as keys be asked with plain text. Order and hash are those of the text, as `Borrow` demands.
impl Borrow<str> for TemplateId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for TemplateId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once('/') {
            Some((pack, name)) if is_name(pack) && is_name(name) => Ok(Self(text.to_owned())),
            _ => Err(IdError { text: crate::param_error::shown(text) }),
        }
    }
}

/// A text that is not a template id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not a template id: `pack/name`, both [a-z][a-z0-9_]* of at most {NAME_BYTES_MAX} characters")]
pub struct IdError {
    /// The text, quoted and shortened for display.
    pub text: String,
}

/// Whether `text` is a lower-case name of bounded length: the form of packs, templates and parameters.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= NAME_BYTES_MAX
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pack_slash_name_is_an_id() {
        let longest = "a".repeat(NAME_BYTES_MAX);
        for good in ["a/b".to_owned(), "sentry/list_errors".to_owned(), format!("{longest}/{longest}")] {
            assert_eq!(good.parse::<TemplateId>().map(|id| id.to_string()), Ok(good));
        }
        let too_long = format!("{longest}a/b");
        for bad in [
            "", "/", "a", "a/", "/b", "a/b/c", "A/b", "a/B", "a b/c", "1a/b", "_a/b", "a/..", "../a", "a/b.py",
            "a/b\n", "a/b\0", "ä/b", &too_long,
        ] {
            assert!(bad.parse::<TemplateId>().is_err(), "{bad:?} was accepted");
        }
    }
}
