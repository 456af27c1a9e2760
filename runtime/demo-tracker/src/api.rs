//! Requests and their answers: admission, then the resource, then what is asked of it.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::data::{DAY, Event, Issue};
use crate::event::{self, Neighbours};
use crate::issue::{self, Chart, View};
use crate::organization::{ENVIRONMENTS, PROJECTS, Project, project};
use crate::page::{Page, Query};
use crate::period::Period;
use crate::rate::Allowance;
use crate::release;
use crate::reply::{Failure, Reply};
use crate::route::Route;
use crate::search::Search;
use crate::store::{EventFilter, EventsOf, Store};
use crate::token::Token;

/// The most that is read of a request's body. The longest useful one names every field of an issue.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// What is the same for all requests.
#[derive(Debug)]
pub(crate) struct Tracker {
    pub(crate) store: Store,
    pub(crate) token: Token,
    /// How often the token may still be used, if that is limited.
    pub(crate) allowance: Option<Allowance>,
    /// Without a slash at the end.
    pub(crate) base_url: String,
    /// The time that requests see instead of the real one.
    pub(crate) clock: Option<Timestamp>,
}

/// A request that was admitted, apart from its method, path and body.
struct Asked {
    query: Query,
    /// The URL without the query, for links to other pages.
    url: String,
    now: i64,
}

/// The service for all requests.
///
/// There is one handler instead of a router of many, because every path, known or not, has to pass the token first
/// and every failure, even of reading a path, has to be JSON.
pub(crate) fn router(tracker: Arc<Tracker>) -> Router {
    Router::new().fallback(handle).with_state(tracker)
}

async fn handle(State(tracker): State<Arc<Tracker>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match tracker.answer(parts, body).await {
        Ok(reply) => reply.into_response(),
        Err(failure) => failure.into_response(),
    }
}

impl Tracker {
    async fn answer(&self, parts: Parts, body: Body) -> Result<Reply, Failure> {
        self.admit(&parts.headers)?;
        let path = parts.uri.path();
        let route = Route::parse(path).ok_or(Failure::NotFound)?;
        let asked = Asked {
            query: Query::parse(parts.uri.query().unwrap_or_default()),
            url: format!("{}{path}", self.base_url),
            now: self.clock.unwrap_or_else(Timestamp::now).as_second(),
        };
        match (parts.method, route) {
            (Method::GET | Method::HEAD, _) => self.read(route, &asked).await,
            (Method::PUT, Route::Issue(id)) => self.change(id, body, &asked).await,
            (method, _) => Err(Failure::Method { method, allow: route.methods() }),
        }
    }

    fn admit(&self, headers: &HeaderMap) -> Result<(), Failure> {
        self.token.admit(headers.get(AUTHORIZATION))?;
        self.allowance.as_ref().map_or(Ok(()), |allowance| allowance.take(Instant::now()))
    }

    async fn read(&self, route: Route<'_>, asked: &Asked) -> Result<Reply, Failure> {
        match route {
            Route::Projects => projects(asked),
            Route::Releases => self.releases(asked).await,
            Route::Issues => self.issues(None, asked).await,
            Route::ProjectIssues(project) => self.issues(Some(project), asked).await,
            Route::Environments(project) => Ok(Reply::new(environments(project))),
            Route::ProjectEvents(project) => self.events(EventsOf::Project(project.id), asked).await,
            Route::ProjectEvent(project, event) => {
                let id = event_id(event).ok_or(Failure::EventNotFound)?;
                let event = self.store.event(&id).await?.ok_or(Failure::EventNotFound)?;
                let issue = self.issue(&event.issue_id.to_string()).await?;
                if issue.project().id != project.id {
                    return Err(Failure::EventNotFound);
                }
                self.event(&issue, &event.id, &[], asked).await
            }
            Route::Issue(id) => {
                let issue = self.issue(id).await?;
                self.detail(&issue, asked).await
            }
            Route::IssueEvents(id) => {
                let issue = self.issue(id).await?;
                self.events(EventsOf::Issue(issue.id), asked).await
            }
            Route::IssueEvent(id, event) => {
                let issue = self.issue(id).await?;
                let environments = environment_filter(asked)?;
                self.event(&issue, event, &environments, asked).await
            }
            Route::IssueTag(id, key) => {
                let issue = self.issue(id).await?;
                let tags = self.store.tags(issue.id).await?;
                let values = tags.get(key).filter(|_| issue::is_shown(key));
                Ok(Reply::new(issue::tag_values(key, values.ok_or(Failure::NotFound)?)))
            }
        }
    }

    /// The releases of the projects that the request selects, the newest first.
    async fn releases(&self, asked: &Asked) -> Result<Reply, Failure> {
        let query = &asked.query;
        let page = Page::by_per_page(query)?;
        let projects = selected_projects(query)?;
        let environments = environment_filter(asked)?;
        let wanted = query.last("query").unwrap_or_default().to_ascii_lowercase();
        let mut releases = self.store.releases(&projects, &environments).await?;
        releases.retain(|release| release.version.to_ascii_lowercase().contains(&wanted));
        let shown = page.cut(&releases).iter().map(release::summary).collect();
        let links = page.links(&asked.url, query, releases.len());
        Ok(Reply::list(shown, links, releases.len()))
    }

    /// The list of issues of a project or, without one, of those the request selects.
    async fn issues(&self, only: Option<&'static Project>, asked: &Asked) -> Result<Reply, Failure> {
        let query = &asked.query;
        let (period, chart) = match only {
            Some(_) => (Period::longest(asked.now), chart_of_project(query)?),
            None => (Period::from_query(query, asked.now)?, chart_of_organization(query)?),
        };
        let view = View { base_url: &self.base_url, now: asked.now, period, chart };
        let projects = match only {
            Some(project) => vec![project.id],
            None => selected_projects(query)?,
        };
        let environments = environment_filter(asked)?;
        // Without a query only unresolved issues are listed; an empty one asks for all.
        let text = query.last("query").unwrap_or("is:unresolved").trim();

        if let Some(found) = self.direct_hit(text, &projects, asked).await? {
            let (issue, event_id) = found;
            let mut shown = issue::summary(&issue, &view);
            if let Some(event_id) = event_id {
                shown.insert("matchingEventId".to_owned(), Value::String(event_id));
            }
            return Ok(Reply { direct_hit: true, ..Reply::new(vec![Value::Object(shown)]) });
        }

        let page = Page::by_limit(query)?;
        let sort = Sort::parse(query.last("sort").unwrap_or("date"))?;
        let mut search = Search::parse(text, asked.now)?;
        search.in_environments(&environments);
        let mut issues = self.store.issues(&projects, &search).await?;
        issues.retain(|issue| issue.count_between(period.start, period.end) > 0);
        sort.apply(&mut issues, period);

        let shown = page.cut(&issues).iter();
        let shown = shown.map(|issue| {
            let mut shown = issue::summary(issue, &view);
            for part in query.all("collapse").filter(|part| matches!(*part, "stats" | "lifetime" | "filtered")) {
                shown.remove(part);
            }
            Value::Object(shown)
        });
        let links = page.links(&asked.url, query, issues.len());
        Ok(Reply::list(shown.collect(), links, issues.len()))
    }

    /// The issue whose event or short id the query is, with the event's id if it was that.
    async fn direct_hit(
        &self,
        text: &str,
        projects: &[i64],
        asked: &Asked,
    ) -> Result<Option<(Issue, Option<String>)>, Failure> {
        let is_ours = |issue: &Issue| projects.contains(&issue.project().id);
        if let Some(id) = event_id(text)
            && let Some(event) = self.store.event(&id).await?
        {
            let issue = self.store.issue(&event.issue_id.to_string()).await?;
            return Ok(issue.filter(is_ours).map(|issue| (issue, Some(event.id))));
        }
        let looked_up = matches!(asked.query.last("shortIdLookup"), Some("1" | "true"));
        if looked_up && text.contains('-') && !text.contains([':', ' ']) {
            let issue = self.store.issue(text).await?;
            return Ok(issue.filter(is_ours).map(|issue| (issue, None)));
        }
        Ok(None)
    }

    async fn issue(&self, id_or_short_id: &str) -> Result<Issue, Failure> {
        self.store.issue(id_or_short_id).await?.ok_or(Failure::NotFound)
    }

    async fn detail(&self, issue: &Issue, asked: &Asked) -> Result<Reply, Failure> {
        // The curve of an issue's events knows no environments. One that does not exist is refused all the same.
        environment_filter(asked)?;
        let period = Period::longest(asked.now);
        let view = View { base_url: &self.base_url, now: asked.now, period, chart: None };
        let tags = self.store.tags(issue.id).await?;
        let mut shown = issue::detail(issue, &view, &tags);
        for part in asked.query.all("collapse").filter(|part| matches!(*part, "stats" | "tags")) {
            shown.remove(part);
        }
        Ok(Reply::new(Value::Object(shown)))
    }

    /// A list of events. Those of an issue take a period; without one all stored events are listed.
    async fn events(&self, of: EventsOf, asked: &Asked) -> Result<Reply, Failure> {
        let query = &asked.query;
        let page = Page::by_per_page(query)?;
        let environments = environment_filter(asked)?;
        let period = Period::from_query(query, asked.now)?;
        let filter = EventFilter { of, period, environments: &environments };
        let events = self.store.events(filter).await?;
        let is_full = matches!(query.last("full"), Some("1" | "true"));

        let mut shown = Vec::new();
        for event in page.cut(&events) {
            let issue = self.issue(&event.issue_id.to_string()).await?;
            shown.push(Value::Object(if is_full {
                event::full(event, &issue, &Neighbours::default())
            } else {
                event::summary(event, &issue)
            }));
        }
        let links = page.links(&asked.url, query, events.len());
        Ok(Reply::list(shown, links, events.len()))
    }

    /// One event of an issue, by its id or by its place.
    async fn event(&self, issue: &Issue, id: &str, environments: &[&str], asked: &Asked) -> Result<Reply, Failure> {
        let period = Period::longest(asked.now);
        let filter = EventFilter { of: EventsOf::Issue(issue.id), period, environments };
        let events = self.store.events(filter).await?;
        let place = match id {
            // Which event is worth recommending is a matter of taste; the latest is the least stale.
            "latest" | "recommended" => Some(0),
            "oldest" => events.len().checked_sub(1),
            _ => event_id(id).and_then(|id| events.iter().position(|event| event.id == id)),
        };
        let place = place.filter(|place| *place < events.len()).ok_or(Failure::EventNotFound)?;
        // The latest is first, so the one after it in time stands before it.
        let id_at = |place: usize| events.get(place).map(|event: &Event| event.id.clone());
        let neighbours = Neighbours { next: place.checked_sub(1).and_then(id_at), previous: id_at(place + 1) };
        Ok(Reply::new(Value::Object(event::full(&events[place], issue, &neighbours))))
    }

    async fn change(&self, id: &str, body: Body, asked: &Asked) -> Result<Reply, Failure> {
        let mut issue = self.issue(id).await?;
        let body = to_bytes(body, BODY_BYTES_MAX).await.map_err(|_| Failure::BodyTooLarge)?;
        let changes: Changes = serde_json::from_slice(&body).map_err(Failure::Body)?;
        changes.apply(&mut issue)?;
        self.store.update(&issue).await?;
        self.detail(&issue, asked).await
    }
}

/// The body of a `PUT`. What is absent stays as it is, and fields of the original that mean nothing here are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changes {
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
    fn apply(self, issue: &mut Issue) -> Result<(), Failure> {
        if let Some(status) = self.status {
            let (status, substatus) = match status {
                NewStatus::Resolved => ("resolved", None),
                NewStatus::Unresolved => ("unresolved", Some("ongoing")),
                NewStatus::Ignored => ("ignored", Some("archived_until_escalating")),
            };
            status.clone_into(&mut issue.status);
            issue.substatus = self.substatus.or_else(|| substatus.map(str::to_owned));
            if status == "resolved" {
                issue.substatus = None;
            }
        }
        if let Some(priority) = self.priority {
            let priority = match priority {
                NewPriority::High => "high",
                NewPriority::Medium => "medium",
                NewPriority::Low => "low",
            };
            priority.clone_into(&mut issue.priority);
        }
        if let Some(actor) = self.assigned_to {
            issue.assigned_to = if actor.is_empty() {
                None
            } else {
                let found = issue::assignee(&actor).ok_or(Failure::Actor { actor })?;
                Some(found.handle.to_owned())
            };
        }
        issue.seen = self.has_seen.unwrap_or(issue.seen);
        issue.bookmarked = self.is_bookmarked.unwrap_or(issue.bookmarked);
        issue.subscribed = self.is_subscribed.unwrap_or(issue.subscribed);
        Ok(())
    }
}

/// The order of a list of issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    LastSeen,
    FirstSeen,
    Frequency,
    Users,
    /// Those that happened most in the last day of the period. The original's own scores are not public.
    Trend,
}

impl Sort {
    fn parse(text: &str) -> Result<Sort, Failure> {
        match text {
            "date" => Ok(Sort::LastSeen),
            "new" => Ok(Sort::FirstSeen),
            "freq" => Ok(Sort::Frequency),
            "user" => Ok(Sort::Users),
            "trends" | "recommended" => Ok(Sort::Trend),
            _ => Err(Failure::Sort { sort: text.to_owned() }),
        }
    }

    /// Orders issues that are ordered by when they were last seen; that stays the order among equals.
    fn apply(self, issues: &mut [Issue], period: Period) {
        let key = |issue: &Issue| match self {
            Sort::LastSeen => issue.last_seen,
            Sort::FirstSeen => issue.first_seen,
            Sort::Frequency => issue.count_between(period.start, period.end),
            Sort::Users => issue.users_between(period.start, period.end),
            Sort::Trend => issue.count_between(period.start.max(period.end - DAY), period.end),
        };
        issues.sort_by_key(|issue| std::cmp::Reverse(key(issue)));
    }
}

fn projects(asked: &Asked) -> Result<Reply, Failure> {
    let page = Page::by_per_page(&asked.query)?;
    let wanted = asked.query.last("query").unwrap_or_default().to_ascii_lowercase();
    let all: Vec<Value> = PROJECTS
        .iter()
        .filter(|project| project.slug.contains(&wanted))
        .map(|project| issue::project(project, asked.now))
        .collect();
    let links = page.links(&asked.url, &asked.query, all.len());
    Ok(Reply::list(page.cut(&all).to_vec(), links, all.len()))
}

fn environments(project: &Project) -> Value {
    let first = (project.id - PROJECTS[0].id) * 10 + 7_001;
    let shown = (first..).zip(ENVIRONMENTS);
    shown.map(|(id, name)| json!({ "id": id.to_string(), "name": name, "isHidden": false })).collect()
}

/// The projects named by `project` or `projectSlug`: all of them when none is named or one of them is `-1`.
fn selected_projects(query: &Query) -> Result<Vec<i64>, Failure> {
    let mut ids = Vec::new();
    let mut all = true;
    for text in query.all("project").chain(query.all("projectSlug")) {
        if text == "-1" {
            return Ok(PROJECTS.iter().map(|project| project.id).collect());
        }
        all = false;
        match project(text) {
            Some(found) => ids.push(found.id),
            None if text.parse::<i64>().is_ok() => return Err(Failure::Forbidden),
            None => return Err(Failure::Project),
        }
    }
    if all { Ok(PROJECTS.iter().map(|project| project.id).collect()) } else { Ok(ids) }
}

/// The environments a request is restricted to. One that does not exist is refused, as in the original.
fn environment_filter(asked: &Asked) -> Result<Vec<&str>, Failure> {
    let names: Vec<&str> = asked.query.all("environment").filter(|name| !name.is_empty()).collect();
    let all_exist = names.iter().all(|name| ENVIRONMENTS.contains(name));
    if all_exist { Ok(names) } else { Err(Failure::NotFound) }
}

fn chart_of_organization(query: &Query) -> Result<Option<Chart>, Failure> {
    match query.last("groupStatsPeriod").unwrap_or("24h") {
        "" => Ok(None),
        "24h" => Ok(Some(Chart::Day)),
        "14d" => Ok(Some(Chart::Fortnight)),
        "auto" => Ok(Some(Chart::Auto)),
        _ => Err(Failure::Chart { choices: "'', '24h', '14d', and 'auto'" }),
    }
}

/// In the list of one project `statsPeriod` is only about the chart.
fn chart_of_project(query: &Query) -> Result<Option<Chart>, Failure> {
    match query.last("statsPeriod").unwrap_or("24h") {
        "" => Ok(None),
        "24h" => Ok(Some(Chart::Day)),
        "14d" => Ok(Some(Chart::Fortnight)),
        _ => Err(Failure::Chart { choices: "'', '24h', and '14d'" }),
    }
}

/// The stored form of an event's id, if the text is one: 32 hexadecimal digits, perhaps with dashes.
fn event_id(text: &str) -> Option<String> {
    let digits = text.replace('-', "").to_ascii_lowercase();
    let is_id = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;

    const NOW: i64 = 1_795_000_000;

    #[test]
    fn each_order_puts_the_largest_first() {
        type Key = fn(&Issue) -> i64;
        let period = Period::longest(NOW);
        let orders: [(&str, Key); 5] = [
            ("date", |issue| issue.last_seen),
            ("new", |issue| issue.first_seen),
            ("freq", |issue| issue.count),
            ("user", |issue| issue.user_count),
            ("trends", |issue| issue.count_between(NOW - DAY, NOW)),
        ];
        for (name, key) in orders {
            let mut issues = Dataset::generate(NOW).issues;
            Sort::parse(name).expect("the name is known").apply(&mut issues, period);
            assert!(issues.windows(2).all(|pair| key(&pair[0]) >= key(&pair[1])), "{name}");
        }
        assert!(matches!(Sort::parse("size"), Err(Failure::Sort { .. })));
    }

    #[test]
    fn projects_are_selected_by_id_slug_or_all_at_once() {
        let select = |query: &str| selected_projects(&Query::parse(query));
        let every = PROJECTS.len();
        assert_eq!(select("").map(|ids| ids.len()).ok(), Some(every));
        assert_eq!(select("project=web&project=-1").map(|ids| ids.len()).ok(), Some(every));
        assert_eq!(select("project=web&project=4507100000000102").map(|ids| ids.len()).ok(), Some(2));
        assert!(matches!(select("project=17"), Err(Failure::Forbidden)));
        assert!(matches!(select("project=nothing"), Err(Failure::Project)));
    }

    #[test]
    fn event_ids_are_recognised_with_and_without_dashes() {
        let plain = "0123456789abcdef0123456789abcdef";
        assert_eq!(event_id(plain).as_deref(), Some(plain));
        assert_eq!(event_id("01234567-89AB-cdef-0123-456789abcdef").as_deref(), Some(plain));
        assert_eq!(event_id(&plain[1..]), None);
        assert_eq!(event_id("is:unresolved"), None);
    }
}
