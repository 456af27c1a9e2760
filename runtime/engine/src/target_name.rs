//! Names of what somebody chose: a template, or a tool as its server calls it. **Names decide what is called.**
//!
//! Servers choose their own names, and so does whoever wants to be taken for another. Invariant: a name means what is written so, and
//! nothing that looks like it. `my-server/delete-order` is no tool of `my_server`.

use std::fmt;
use std::str::FromStr;

/// The id of a template, such as `sentry/list_errors`, or a tool of an upstream server, as `everything/get-sum` or
/// `everything: get-sum`. Only the second form is never a template's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetName {
    text: String,
    is_tool: bool,
}

/// The longest name that is read, in bytes: servers and tools have at most 64 and 128.
const NAME_BYTES_MAX: usize = 256;

impl TargetName {
    /// The name of a tool. `is_taken` says whether a template has an id.
    pub(crate) fn of_tool(server: &str, tool: &str, is_taken: impl Fn(&str) -> bool) -> Self {
        let text = format!("{server}/{tool}");
        let is_tool = is_taken(&text);
        Self { text: if is_tool { format!("{server}: {tool}") } else { text }, is_tool }
    }

    /// The name as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is a tool's for sure.
    pub(crate) fn is_tool(&self) -> bool {
        self.is_tool
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for TargetName {
    type Err = TargetNameError;

    fn from_str(text: &str) -> Result<Self, TargetNameError> {
        let refuse = || TargetNameError { text: text.chars().take(60).collect() };
        let is_part = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        };
        let text = text.trim();
        let at = text.find([':', '/']).filter(|_| text.len() <= NAME_BYTES_MAX).ok_or_else(refuse)?;
        let (group, name) = (text[..at].trim(), text[at + 1..].trim());
        if !is_part(group) || !is_part(name) {
            return Err(refuse());
        }
        let is_tool = text.as_bytes()[at] == b':';
        Ok(Self { text: if is_tool { format!("{group}: {name}") } else { format!("{group}/{name}") }, is_tool })
    }
}

/// A text that is no name of a template or of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no name: write pack/name, such as sentry/list_errors, or server/tool, such as git/git_log")]
pub struct TargetNameError {
    text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for (text, expected) in [
            ("sentry/list_errors", Some(("sentry/list_errors", false))),
            (" everything/get-sum ", Some(("everything/get-sum", false))),
            ("everything: get-sum", Some(("everything: get-sum", true))),
            ("everything:get-sum", Some(("everything: get-sum", true))),
            ("My.Server/list", Some(("My.Server/list", false))),
            ("a/b/c", None),
            ("", None),
            ("list errors", None),
            ("a/", None),
            ("/b", None),
            ("a/b c", None),
            ("a/b;c", None),
            ("a/b:c", None),
        ] {
            let read = text.parse::<TargetName>().ok();
            assert_eq!(read.as_ref().map(|name| (name.as_str(), name.is_tool())), expected, "{text:?}");
            if let Some(name) = read {
                assert_eq!(name.to_string().parse(), Ok(name), "{text:?} reads back");
            }
        }
        assert!(format!("a/{}", "b".repeat(NAME_BYTES_MAX - 2)).parse::<TargetName>().is_ok());
        assert!(format!("a/{}", "b".repeat(NAME_BYTES_MAX - 1)).parse::<TargetName>().is_err());
    }

    #[test]
    fn a_tool_that_has_the_name_of_a_template_is_told_apart() {
        let is_taken = |id: &str| id == "sentry/search_issues";
        assert_eq!(TargetName::of_tool("sentry", "search_issues", is_taken).as_str(), "sentry: search_issues");
        assert_eq!(TargetName::of_tool("sentry", "search-issues", is_taken).as_str(), "sentry/search-issues");
    }
}
