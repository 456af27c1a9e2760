//! Issues and projects in the JSON of the API.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::data::{DAY, Event, HOUR, Issue};
use crate::organization::{ASSIGNEES, Assignee, ORGANIZATION, ORGANIZATION_ID, Project};
use crate::period::{Period, iso};
use crate::search::Search;

/// What the answer about an issue depends on besides the issue.
#[derive(Debug)]
pub(crate) struct View<'view> {
    /// Where this server is, without a slash at the end.
    pub(crate) base_url: &'view str,
    pub(crate) now: i64,
    /// The period that `count` and `userCount` are about.
    pub(crate) period: Period,
    /// The chart to include, if any.
    pub(crate) chart: Option<Chart>,
    /// The environments that `count`, `userCount` and the chart are about; all where there are none.
    pub(crate) environments: Vec<&'view str>,
    /// The search of a list. What it says of events, `filtered` is about.
    pub(crate) search: Option<&'view Search>,
}

/// How an issue's events are counted over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chart {
    /// By hour over the last day.
    Day,
    /// By day over the last two weeks.
    Fortnight,
    /// By day over the last month.
    Month,
    /// In even steps over the period that was asked for.
    Auto,
}

impl Chart {
    fn name(self) -> &'static str {
        match self {
            Chart::Day => "24h",
            Chart::Fortnight => "14d",
            Chart::Month => "30d",
            Chart::Auto => "auto",
        }
    }

    /// `[[start of the bucket, events in it], …]`, oldest first.
    pub(crate) fn of(self, issue: &Issue, view: &View<'_>) -> Value {
        let (step, buckets, end) = match self {
            Chart::Day => (HOUR, 24, view.now),
            Chart::Fortnight => (DAY, 14, view.now),
            Chart::Month => (DAY, 30, view.now),
            Chart::Auto => {
                let length = view.period.end - view.period.start;
                ((length / 24).max(1), 24, view.period.end)
            }
        };
        // The last bucket is the one that `end` lies in, and all of them start at a whole hour or day.
        let last = end - end.rem_euclid(step);
        let count = |start: i64| {
            issue.part(issue.count_between(start, start + step - 1), |event| event.is_in(&view.environments))
        };
        let points: Vec<Value> =
            (0..buckets).rev().map(|back| last - back * step).map(|start| json!([start, count(start)])).collect();
        Value::Array(points)
    }
}

/// Everything about the values of one tag that the events of an issue carry.
#[derive(Debug)]
pub(crate) struct TagValue<'text> {
    value: &'text str,
    count: i64,
    first_seen: i64,
    last_seen: i64,
}

/// The values of each tag that the stored events of an issue carry, the most frequent first.
pub(crate) fn tags(issue: &Issue) -> BTreeMap<&'static str, Vec<TagValue<'_>>> {
    let mut tags: BTreeMap<&'static str, Vec<TagValue<'_>>> = BTreeMap::new();
    for event in &issue.events {
        for (key, value) in &event.tags {
            let values = tags.entry(*key).or_default();
            if let Some(known) = values.iter_mut().find(|known| known.value == value) {
                known.count += 1;
                // Events are in the order of their times.
                known.last_seen = event.time;
            } else {
                values.push(TagValue { value, count: 1, first_seen: event.time, last_seen: event.time });
            }
        }
    }
    for values in tags.values_mut() {
        values.sort_by_key(|found| (Reverse(found.count), found.value));
    }
    tags
}

/// An issue as lists show it.
pub(crate) fn summary(issue: &Issue, view: &View<'_>) -> Map<String, Value> {
    let family = issue.family();
    let project = family.project;
    let stats = match view.chart {
        Some(chart) => json!({ (chart.name()): chart.of(issue, view) }),
        None => json!({}),
    };
    let is_there = |event: &Event| event.is_in(&view.environments);
    let count = issue.count_between(view.period.start, view.period.end);
    let users = issue.users_between(view.period.start, view.period.end);
    let filtered = view.search.filter(|search| search.is_about_events()).map(|search| {
        let matches = |event: &Event| is_there(event) && search.matches_event(event);
        let times = || issue.events.iter().filter(|event| matches(event)).map(|event| event.time);
        json!({
            "count": issue.part(count, matches).to_string(),
            "userCount": issue.part(users, matches),
            "firstSeen": times().min().map(iso),
            "lastSeen": times().max().map(iso),
            "stats": {},
        })
    });
    let lifetime = json!({
        "count": issue.count.to_string(),
        "userCount": issue.user_count,
        "firstSeen": iso(issue.first_seen),
        "lastSeen": iso(issue.last_seen),
        "stats": null,
    });
    object(json!({
        "id": issue.id.to_string(),
        "shareId": null,
        "shortId": issue.short_id,
        "title": issue.title(),
        "culprit": family.transaction,
        "permalink": format!("{}/organizations/{ORGANIZATION}/issues/{}/", view.base_url, issue.id),
        "logger": null,
        "level": family.level,
        "status": issue.status,
        "statusDetails": {},
        "substatus": issue.substatus,
        "isPublic": false,
        "platform": project.platform,
        "priority": issue.priority,
        "priorityLockedAt": null,
        "seerFixabilityScore": null,
        "seerAutofixLastTriggered": null,
        "seerExplorerAutofixLastTriggered": null,
        "project": {
            "id": project.id.to_string(),
            "name": project.name,
            "slug": project.slug,
            "platform": project.platform,
        },
        "type": "error",
        "issueType": "error",
        "issueCategory": "error",
        "metadata": {
            "type": family.kind,
            "value": issue.value(),
            "filename": family.file,
            "function": family.function,
            "in_app_frame_mix": "mixed",
            "sdk": { "name": project.sdk[0] },
            "title": null,
        },
        "numComments": issue.comments,
        "assignedTo": issue.assigned_to.map(assigned),
        "isBookmarked": issue.bookmarked,
        "isSubscribed": issue.subscribed,
        "subscriptionDetails": null,
        "hasSeen": issue.seen,
        "annotations": [],
        "isUnhandled": !family.handled,
        "count": issue.part(count, is_there).to_string(),
        "userCount": issue.part(users, is_there),
        "firstSeen": iso(issue.first_seen),
        "lastSeen": iso(issue.last_seen),
        "derivedData": {},
        "stats": stats,
        "lifetime": lifetime,
        "filtered": filtered,
    }))
}

/// An issue as it shows when it is asked for by itself.
pub(crate) fn detail(issue: &Issue, view: &View<'_>) -> Map<String, Value> {
    let mut all = summary(issue, view);
    all.remove("lifetime");
    all.remove("filtered");
    let stats = json!({
        (Chart::Day.name()): Chart::Day.of(issue, view),
        (Chart::Month.name()): Chart::Month.of(issue, view),
    });
    all.insert("stats".to_owned(), stats);

    let tags = tags(issue);
    let releases = tags.get("release").map(Vec::as_slice).unwrap_or_default();
    let first = releases.iter().min_by_key(|release| release.first_seen);
    let last = releases.iter().max_by_key(|release| release.last_seen);
    all.insert("firstRelease".to_owned(), first.map_or(Value::Null, |found| release(found, issue)));
    all.insert("lastRelease".to_owned(), last.map_or(Value::Null, |found| release(found, issue)));

    let tags: Vec<Value> = tags
        .iter()
        .filter(|(key, _)| is_shown(key))
        .map(|(key, values)| {
            let total: i64 = values.iter().map(|value| value.count).sum();
            json!({ "key": key, "name": title_case(key), "totalValues": total })
        })
        .collect();
    all.insert("tags".to_owned(), Value::Array(tags));
    all.extend(object(json!({
        "activity": [{
            "id": "0",
            "type": "first_seen",
            "user": null,
            "data": { "priority": issue.priority },
            "dateCreated": iso(issue.first_seen),
        }],
        "participants": [],
        "pluginActions": [],
        "pluginContexts": [],
        "pluginIssues": [],
        "seenBy": [],
        "userReportCount": 0,
    })));
    all
}

fn release(found: &TagValue<'_>, issue: &Issue) -> Value {
    let project = issue.project();
    json!({
        "id": 0,
        "version": found.value,
        "shortVersion": found.value,
        "status": "open",
        "dateCreated": iso(found.first_seen),
        "dateReleased": null,
        "firstEvent": iso(found.first_seen),
        "lastEvent": iso(found.last_seen),
        "newGroups": 0,
        "commitCount": 0,
        "deployCount": 0,
        "authors": [],
        "projects": [{ "id": project.id, "slug": project.slug, "name": project.name }],
    })
}

/// The values of one tag of an issue.
pub(crate) fn tag_values(key: &str, values: &[TagValue<'_>]) -> Value {
    let total: i64 = values.iter().map(|value| value.count).sum();
    let top: Vec<Value> = values
        .iter()
        .map(|found| {
            json!({
                "key": key,
                "name": found.value,
                "value": found.value,
                "count": found.count,
                "firstSeen": iso(found.first_seen),
                "lastSeen": iso(found.last_seen),
            })
        })
        .collect();
    json!({
        "key": key,
        "name": title_case(key),
        "uniqueValues": values.len(),
        "totalValues": total,
        "topValues": top,
    })
}

/// Whether a stored tag is one in Sentry too. `user.*` is only there to be searched.
pub(crate) fn is_shown(key: &str) -> bool {
    !key.starts_with("user.")
}

/// A tag's key for people: `browser.name` becomes `Browser Name`.
fn title_case(key: &str) -> String {
    let words = key.split(['.', '_']).map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The person or team behind a handle, or behind what a request may write instead.
pub(crate) fn assignee(text: &str) -> Option<&'static Assignee> {
    ASSIGNEES.iter().find(|known| {
        let numbered = if known.is_team() { text.strip_prefix("team:") } else { text.strip_prefix("user:") };
        known.handle == text || known.name == text || numbered == Some(known.id)
    })
}

fn assigned(assignee: &Assignee) -> Value {
    if assignee.is_team() {
        json!({ "type": "team", "id": assignee.id, "name": assignee.name })
    } else {
        json!({ "type": "user", "id": assignee.id, "name": assignee.name, "email": assignee.handle })
    }
}

/// The organisation, as lists of organisations and its own page have it.
pub(crate) fn organization(now: i64) -> Value {
    json!({
        "id": ORGANIZATION_ID,
        "slug": ORGANIZATION,
        "name": "Demo",
        "dateCreated": iso(now - 500 * DAY),
        "status": { "id": "active", "name": "active" },
        "isEarlyAdopter": false,
        "require2FA": false,
        "avatar": { "avatarType": "letter_avatar", "avatarUuid": null },
        "features": [],
    })
}

/// A project as the organisation's list shows it.
pub(crate) fn project(project: &Project, now: i64) -> Value {
    let created = iso(now - 400 * DAY);
    let serves_pages = matches!(project.platform, "javascript" | "react-native");
    json!({
        "id": project.id.to_string(),
        "slug": project.slug,
        "name": project.name,
        "platform": project.platform,
        "platforms": [project.platform],
        "dateCreated": created,
        "firstEvent": iso(now - 399 * DAY),
        "firstTransactionEvent": false,
        "isBookmarked": false,
        "isMember": true,
        "hasAccess": true,
        "access": ["org:read", "project:read", "event:read", "event:write"],
        "features": ["event-attachments", "rate-limits"],
        "team": { "id": "5002", "slug": "backend", "name": "backend" },
        "teams": [{ "id": "5002", "slug": "backend", "name": "backend" }],
        "environments": crate::organization::ENVIRONMENTS,
        "eventProcessing": { "symbolicationDegraded": false },
        "latestRelease": { "version": project.releases[3] },
        "latestDeploys": null,
        "hasFeedbacks": false,
        "hasFlags": false,
        "hasMinifiedStackTrace": serves_pages,
        "hasMonitors": false,
        "hasNewFeedbacks": false,
        "hasProfiles": false,
        "hasReplays": false,
        "hasSessions": true,
        "hasInsightsHttp": false,
        "hasInsightsDb": false,
        "hasInsightsAssets": false,
        "hasInsightsAppStart": false,
        "hasInsightsScreenLoad": false,
        "hasInsightsVitals": false,
        "hasInsightsCaches": false,
        "hasInsightsQueues": false,
        "hasInsightsAgentMonitoring": false,
        "hasInsightsMCP": false,
        "hasLogs": false,
        "hasTraceMetrics": false,
    })
}

/// The members of what was just written as an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => unreachable!("{other} is not an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;

    const NOW: i64 = 1_795_000_000;

    fn view(chart: Option<Chart>) -> View<'static> {
        let period = Period::longest(NOW);
        View { base_url: "http://127.0.0.1:1", now: NOW, period, chart, environments: Vec::new(), search: None }
    }

    #[test]
    fn fields_have_the_types_that_are_documented() {
        type Test = fn(&Value) -> bool;
        let fields: [(&str, Test); 10] = [
            ("id", Value::is_string),
            ("shortId", Value::is_string),
            ("title", Value::is_string),
            ("count", Value::is_string),
            ("userCount", Value::is_i64),
            ("numComments", Value::is_i64),
            ("isUnhandled", Value::is_boolean),
            ("statusDetails", Value::is_object),
            ("annotations", Value::is_array),
            ("shareId", Value::is_null),
        ];
        for issue in Dataset::generate(NOW).issues {
            let shown = summary(&issue, &view(Some(Chart::Day)));
            for (field, is_right) in fields {
                assert!(is_right(&shown[field]), "{field}: {}", shown[field]);
            }
            assert_eq!(shown["count"], issue.count.to_string());
        }
    }

    #[test]
    fn a_chart_ends_in_the_bucket_of_now_and_counts_every_event_in_its_span() {
        for issue in Dataset::generate(NOW).issues {
            for (chart, buckets, step) in [(Chart::Day, 24, HOUR), (Chart::Fortnight, 14, DAY)] {
                let points = chart.of(&issue, &view(None));
                let points = points.as_array().expect("a chart is a list");
                let start = points[0][0].as_i64().expect("times are numbers");
                let sum: i64 = points.iter().filter_map(|point| point[1].as_i64()).sum();
                assert_eq!(points.len(), buckets);
                assert_eq!(points[buckets - 1][0], NOW - NOW % step);
                assert_eq!(sum, issue.count_between(start, NOW));
            }
        }
    }

    #[test]
    fn an_assignee_is_found_by_each_of_its_names() {
        for text in ["dana@demo.example", "user:3001", "Dana Demo"] {
            assert_eq!(assignee(text).map(|found| found.id), Some("3001"), "{text}");
        }
        assert_eq!(assignee("team:5002").map(|found| found.handle), Some("#backend"));
        assert_eq!(assignee("#backend").map(|found| found.handle), Some("#backend"));
        assert!(assignee("user:5002").is_none());
        assert!(assignee("").is_none());
    }

    #[test]
    fn tag_keys_read_like_words() {
        assert_eq!(title_case("browser.name"), "Browser Name");
        assert_eq!(title_case("server_name"), "Server Name");
    }
}
