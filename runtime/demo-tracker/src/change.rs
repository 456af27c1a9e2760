//! What a request may change about an issue.

use serde::Deserialize;

use crate::data::Issue;
use crate::failure::Failure;
use crate::issue;

/// The body of a `PUT`. What is absent stays as it is, and fields of the original that mean nothing here are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changes {
    status: Option<NewStatus>,
    substatus: Option<String>,
    priority: Option<NewPriority>,
    assigned_to: Option<String>,
    has_seen: Option<bool>,
    is_bookmarked: Option<bool>,
    is_subscribed: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum NewStatus {
    #[serde(alias = "resolvedInNextRelease", alias = "resolvedInUpcomingRelease")]
    Resolved,
    #[serde(alias = "reprocessing")]
    Unresolved,
    #[serde(alias = "muted")]
    Ignored,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NewPriority {
    High,
    Medium,
    Low,
}

impl Changes {
    /// Changes the issue, or nothing about it when there is no such actor.
    pub(crate) fn apply(self, issue: &mut Issue) -> Result<(), Failure> {
        if let Some(actor) = self.assigned_to {
            issue.assigned_to = match actor.as_str() {
                "" => None,
                _ => Some(issue::assignee(&actor).ok_or(Failure::Actor { actor })?),
            };
        }
        if let Some(status) = self.status {
            let (status, substatus) = match status {
                NewStatus::Resolved => ("resolved", None),
                NewStatus::Unresolved => ("unresolved", Some("ongoing")),
                NewStatus::Ignored => ("ignored", Some("archived_until_escalating")),
            };
            issue.status = status;
            // A resolved issue has none, whatever is asked for.
            issue.substatus = substatus.map(|usual| self.substatus.unwrap_or_else(|| usual.to_owned()));
        }
        if let Some(priority) = self.priority {
            issue.priority = match priority {
                NewPriority::High => "high",
                NewPriority::Medium => "medium",
                NewPriority::Low => "low",
            };
        }
        issue.seen = self.has_seen.unwrap_or(issue.seen);
        issue.bookmarked = self.is_bookmarked.unwrap_or(issue.bookmarked);
        issue.subscribed = self.is_subscribed.unwrap_or(issue.subscribed);
        Ok(())
    }
}
