//! Handles requests: admission, the route, and the endpoint of each resource.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use axum::{Json, Router};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::change::Changes;
use crate::data::{DAY, Dataset, Event, Issue};
use crate::event;
use crate::failure::Failure;
use crate::issue::{self, Chart, View};
use crate::organization::{ENVIRONMENTS, ORGANIZATION, ORGANIZATION_ID, PROJECTS, Project, project};
use crate::page::{Page, Query};
use crate::period::Period;
use crate::rate::Allowance;
use crate::release;
use crate::search::Search;
use crate::token::Token;

/// The most that is read of a request's body. The longest useful one names every field of an issue.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// The route of an issue by itself, from its organisation's.
const ISSUE: &str = "/issues/{issue}/";

/// What is the same for all requests.
#[derive(Debug)]
pub(crate) struct Tracker {
    /// Locked while an answer is made, and never while anything is waited for.
    pub(crate) data: RwLock<Dataset>,
    pub(crate) token: Token,
    /// How often the token may still be used, if that is limited.
    pub(crate) allowance: Option<Allowance>,
    /// Without a slash at the end.
    pub(crate) base_url: String,
    /// The time that requests see instead of the real one.
    pub(crate) clock: Option<Timestamp>,
}

impl Tracker {
    fn data(&self) -> RwLockReadGuard<'_, Dataset> {
        // A change is one assignment after the other: what a panic left behind is whole.
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that was admitted and is about a project that exists, apart from its method and body.
struct Asked {
    tracker: Arc<Tracker>,
    route: MatchedPath,
    uri: Uri,
    /// The project that the path names.
    project: Option<&'static Project>,
    query: Query,
    now: i64,
}

/// How a resource is read.
type Endpoint = fn(&Asked, &Dataset) -> Result<Response, Failure>;

/// The service for all requests. The slash at the end is part of every path, as in the original.
pub(crate) fn router(tracker: Arc<Tracker>) -> Router {
    let mut router = Router::new()
        .route("/api/0/organizations/", read(organizations))
        .route("/api/0/organizations/{organization}/", read(|asked, _| Ok(organization(asked))))
        .route("/api/0/projects/", read(projects))
        .route("/api/0/organizations/{organization}/projects/", read(projects))
        .route("/api/0/organizations/{organization}/environments/", read(environments_of_organization))
        .route("/api/0/organizations/{organization}/releases/", read(releases))
        .route("/api/0/organizations/{organization}/issues/", read(issues))
        .route("/api/0/projects/{organization}/{project}/issues/", read(issues))
        .route("/api/0/projects/{organization}/{project}/events/", read(events_of_project))
        .route("/api/0/projects/{organization}/{project}/events/{event}/", read(event_of_project))
        .route("/api/0/projects/{organization}/{project}/environments/", read(environments_of_project));
    for parent in ["/api/0", "/api/0/organizations/{organization}"] {
        router = router
            .route(&format!("{parent}{ISSUE}"), read(detail).put(change))
            .route(&format!("{parent}{ISSUE}events/"), read(events_of_issue))
            .route(&format!("{parent}{ISSUE}events/{{event}}/"), read(event_of_issue))
            .route(&format!("{parent}{ISSUE}tags/{{tag}}/"), read(tag));
    }
    let gate = from_fn_with_state(Arc::clone(&tracker), admit);
    // The layer is around the fallback too: without the token nothing is said about any path.
    router.fallback(|| async { Failure::NoPath }).layer(gate).with_state(tracker)
}

/// A route that takes `GET` and `HEAD`.
fn read(endpoint: Endpoint) -> MethodRouter<Arc<Tracker>> {
    // With a fallback instead of `any`, axum would add an `Allow` to whatever the fallback or the gate refuses.
    any(refuse_method).get(move |asked: Asked| async move { endpoint(&asked, &asked.tracker.data()) })
}

async fn refuse_method(asked: Asked, method: Method) -> Failure {
    let is_issue = asked.route.as_str().ends_with(ISSUE);
    Failure::Method { method, allow: if is_issue { "GET, PUT, HEAD" } else { "GET, HEAD" } }
}

/// Lets a request pass that carries the token, as often as the token may be used.
async fn admit(State(tracker): State<Arc<Tracker>>, request: Request, next: Next) -> Result<Response, Failure> {
    tracker.token.admit(request.headers().get(AUTHORIZATION))?;
    if let Some(allowance) = &tracker.allowance {
        allowance.take(Instant::now())?;
    }
    Ok(next.run(request).await)
}

impl FromRequestParts<Arc<Tracker>> for Asked {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, tracker: &Arc<Tracker>) -> Result<Asked, Failure> {
        let mut asked = Asked {
            tracker: Arc::clone(tracker),
            route: parts.extensions.get::<MatchedPath>().ok_or(Failure::NotFound)?.clone(),
            uri: parts.uri.clone(),
            project: None,
            query: Query::parse(parts.uri.query().unwrap_or_default()),
            now: tracker.clock.unwrap_or_else(Timestamp::now).as_second(),
        };
        if asked.part("{organization}").is_some_and(|name| name != ORGANIZATION && name != ORGANIZATION_ID) {
            return Err(Failure::NotFound);
        }
        if let Some(slug_or_id) = asked.part("{project}") {
            asked.project = Some(project(slug_or_id).ok_or(Failure::NotFound)?);
        }
        Ok(asked)
    }
}

impl Asked {
    /// What the path has in the place of a name of the route, as it was sent: axum's `Path` would decode it.
    fn part(&self, name: &str) -> Option<&str> {
        let mut parts = self.route.as_str().split('/').zip(self.uri.path().split('/'));
        parts.find(|(place, _)| *place == name).map(|(_, part)| part)
    }

    /// The place among the issues of the one that the path names.
    fn place(&self, data: &Dataset) -> Result<usize, Failure> {
        self.part("{issue}").and_then(|id| data.place(id)).ok_or(Failure::NotFound)
    }

    fn issue<'data>(&self, data: &'data Dataset) -> Result<&'data Issue, Failure> {
        self.place(data).map(|place| &data.issues[place])
    }

    /// The environments the request is restricted to. One that does not exist is refused, as in the original.
    fn environments(&self) -> Result<Vec<&str>, Failure> {
        let names: Vec<&str> = self.query.all("environment").filter(|name| !name.is_empty()).collect();
        let all_exist = names.iter().all(|name| ENVIRONMENTS.contains(name));
        if all_exist { Ok(names) } else { Err(Failure::NotFound) }
    }

    fn view(&self, period: Period, chart: Option<Chart>) -> View<'_> {
        View { base_url: &self.tracker.base_url, now: self.now, period, chart, environments: Vec::new(), search: None }
    }

    /// One page of a list, and where the others are.
    fn list<T>(&self, page: Page, items: &[T], show: impl Fn(&T) -> Value) -> Response {
        let url = format!("{}{}", self.tracker.base_url, self.uri.path());
        let links = page.links(&url, &self.query, items.len());
        let headers = [("link", links), ("x-hits", items.len().to_string()), ("x-max-hits", "1000".to_owned())];
        (headers, Json(page.cut(items).iter().map(show).collect::<Value>())).into_response()
    }
}

/// The organisations that the token may see: one.
fn organizations(asked: &Asked, _: &Dataset) -> Result<Response, Failure> {
    let page = Page::by_per_page(&asked.query)?;
    Ok(asked.list(page, &[()], |()| issue::organization(asked.now)))
}

fn organization(asked: &Asked) -> Response {
    Json(issue::organization(asked.now)).into_response()
}

fn projects(asked: &Asked, _: &Dataset) -> Result<Response, Failure> {
    let page = Page::by_per_page(&asked.query)?;
    let wanted = asked.query.last("query").unwrap_or_default().to_ascii_lowercase();
    let found: Vec<&Project> = PROJECTS.iter().filter(|project| project.slug.contains(&wanted)).collect();
    Ok(asked.list(page, &found, |project| issue::project(project, asked.now)))
}

/// The environments of all projects, on one page as in the original.
fn environments_of_organization(asked: &Asked, _: &Dataset) -> Result<Response, Failure> {
    let shown = (1..).zip(listed_environments(asked)?);
    let shown = shown.map(|(id, name)| json!({ "id": id.to_string(), "name": name }));
    Ok(Json(shown.collect::<Value>()).into_response())
}

fn environments_of_project(asked: &Asked, _: &Dataset) -> Result<Response, Failure> {
    let first = (asked.project.ok_or(Failure::NotFound)?.id - PROJECTS[0].id) * 10 + 7_001;
    let shown = (first..).zip(listed_environments(asked)?);
    let shown = shown.map(|(id, name)| json!({ "id": id.to_string(), "name": name, "isHidden": false }));
    Ok(Json(shown.collect::<Value>()).into_response())
}

/// The environments with the visibility that the request asks for. None of the demo is hidden.
fn listed_environments(asked: &Asked) -> Result<&'static [&'static str], Failure> {
    match asked.query.last("visibility").unwrap_or("visible") {
        "visible" | "all" => Ok(&ENVIRONMENTS),
        "hidden" => Ok(&[]),
        _ => Err(Failure::Visibility),
    }
}

/// The releases of the projects that the request selects, the newest first.
fn releases(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let query = &asked.query;
    let page = Page::by_per_page(query)?;
    let projects = selected_projects(query)?;
    let environments = asked.environments()?;
    let wanted = query.last("query").unwrap_or_default().to_ascii_lowercase();
    let found = data.releases.iter().rev().filter(|release| projects.contains(&release.project.id));
    let found = found.filter(|release| release.version.to_ascii_lowercase().contains(&wanted));
    let mut found: Vec<_> = found.map(|release| (release, release::carrying(release, data, &environments))).collect();
    // With environments, those that were seen in one of them.
    found.retain(|(_, carrying)| environments.is_empty() || !carrying.is_empty());
    Ok(asked.list(page, &found, |(release, carrying)| release::summary(release, carrying)))
}

/// The list of issues of a project or, without one, of those the request selects.
fn issues(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let query = &asked.query;
    let period = match asked.project {
        Some(_) => Period::longest(asked.now),
        None => Period::from_query(query, asked.now)?,
    };
    let view = asked.view(period, chart(asked)?);
    let projects = match asked.project {
        Some(project) => vec![project.id],
        None => selected_projects(query)?,
    };
    let is_ours = |issue: &Issue| projects.contains(&issue.project().id);
    let environments = asked.environments()?;
    // Without a query only unresolved issues are listed; an empty one asks for all.
    let text = query.last("query").unwrap_or("is:unresolved").trim();

    if let Some((issue, event)) = direct_hit(text, query, data).filter(|(issue, _)| is_ours(issue)) {
        let mut shown = issue::summary(issue, &view);
        if let Some(event) = event {
            shown.insert("matchingEventId".to_owned(), Value::from(event.id.as_str()));
        }
        return Ok(([("x-sentry-direct-hit", "1")], Json([shown])).into_response());
    }

    let page = Page::by_limit(query)?;
    let sort = query.last("sort").unwrap_or("date");
    let order = order(sort)?;
    let search = Search::parse(text, asked.now)?;
    let view = View { environments: environments.clone(), search: Some(&search), ..view };
    let found = data.issues.iter().filter(|issue| is_ours(issue) && search.matches(issue));
    let found = found.filter(|issue| issue.events.iter().any(|event| event.is_in(&environments)));
    let mut found: Vec<&Issue> = found.filter(|issue| issue.count_between(period.start, period.end) > 0).collect();
    // Among equals the latest is first.
    let key = |issue: &Issue| match sort {
        // Amounts are those that are shown.
        "freq" | "user" => issue.part(order(issue, period), |event| event.is_in(&environments)),
        _ => order(issue, period),
    };
    found.sort_by_cached_key(|issue| Reverse((key(issue), issue.last_seen, issue.id)));
    Ok(asked.list(page, &found, |issue| {
        let mut shown = issue::summary(issue, &view);
        for part in query.all("collapse").filter(|part| matches!(*part, "stats" | "lifetime" | "filtered")) {
            shown.remove(part);
        }
        Value::Object(shown)
    }))
}

/// The issue whose event or short id the query is, with the event if it was that.
fn direct_hit<'data>(text: &str, query: &Query, data: &'data Dataset) -> Option<(&'data Issue, Option<&'data Event>)> {
    if let Some(id) = event_id(text)
        && let Some((event, issue)) = data.events().find(|(event, _)| event.id == id)
    {
        return Some((issue, Some(event)));
    }
    let looked_up = matches!(query.last("shortIdLookup"), Some("1" | "true"));
    if looked_up && text.contains('-') && !text.contains([':', ' ']) {
        return data.place(text).map(|place| (&data.issues[place], None));
    }
    None
}

fn detail(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let issue = asked.issue(data)?;
    // The curve of an issue's events knows no environments. One that does not exist is refused all the same.
    asked.environments()?;
    let mut shown = issue::detail(issue, &asked.view(Period::longest(asked.now), None));
    for part in asked.query.all("collapse").filter(|part| matches!(*part, "stats" | "tags")) {
        shown.remove(part);
    }
    Ok(Json(shown).into_response())
}

async fn change(asked: Asked, body: Body) -> Result<Response, Failure> {
    let place = asked.place(&asked.tracker.data())?;
    let body = to_bytes(body, BODY_BYTES_MAX).await.map_err(|_| Failure::BodyTooLarge)?;
    let changes: Changes = serde_json::from_slice(&body).map_err(Failure::Body)?;
    let mut data = asked.tracker.data.write().unwrap_or_else(PoisonError::into_inner);
    changes.apply(&mut data.issues[place])?;
    detail(&asked, &data)
}

fn tag(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let tags = issue::tags(asked.issue(data)?);
    let key = asked.part("{tag}").filter(|key| issue::is_shown(key)).ok_or(Failure::NotFound)?;
    Ok(Json(issue::tag_values(key, tags.get(key).ok_or(Failure::NotFound)?)).into_response())
}

fn events_of_issue(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    events(asked, [asked.issue(data)?])
}

fn events_of_project(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let project = asked.project.ok_or(Failure::NotFound)?;
    events(asked, data.issues.iter().filter(|issue| issue.project().id == project.id))
}

/// A list of events. Those of an issue take a period; without one all stored events are listed.
fn events<'data>(asked: &Asked, issues: impl IntoIterator<Item = &'data Issue>) -> Result<Response, Failure> {
    let query = &asked.query;
    let page = Page::by_per_page(query)?;
    let environments = asked.environments()?;
    let events = stored(issues, Period::from_query(query, asked.now)?, &environments);
    let is_full = matches!(query.last("full"), Some("1" | "true"));
    Ok(asked.list(page, &events, |(event, issue)| {
        Value::Object(if is_full { event::full(event, issue) } else { event::summary(event, issue) })
    }))
}

fn event_of_issue(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let issue = asked.issue(data)?;
    event(asked, issue, &asked.environments()?)
}

fn event_of_project(asked: &Asked, data: &Dataset) -> Result<Response, Failure> {
    let id = asked.part("{event}").and_then(event_id);
    let found = data.events().find(|(event, _)| Some(&event.id) == id.as_ref());
    let ours = found.filter(|(_, issue)| asked.project.is_some_and(|project| project.id == issue.project().id));
    let (_, issue) = ours.ok_or(Failure::EventNotFound)?;
    event(asked, issue, &[])
}

/// One event of an issue, by its id or by its place.
fn event(asked: &Asked, issue: &Issue, environments: &[&str]) -> Result<Response, Failure> {
    let events = stored([issue], Period::longest(asked.now), environments);
    let place = match asked.part("{event}").unwrap_or_default() {
        // Which event is worth recommending is a matter of taste; the latest is the least stale.
        "latest" | "recommended" => Some(0),
        "oldest" => events.len().checked_sub(1),
        text => event_id(text).and_then(|id| events.iter().position(|(event, _)| event.id == id)),
    };
    let place = place.filter(|place| *place < events.len()).ok_or(Failure::EventNotFound)?;
    // The latest is first, so the one after it in time stands before it.
    let id_at = |place: usize| events.get(place).map_or(Value::Null, |(event, _)| Value::from(event.id.as_str()));
    let mut shown = event::full(events[place].0, issue);
    shown["nextEventID"] = place.checked_sub(1).map_or(Value::Null, id_at);
    shown["previousEventID"] = id_at(place + 1);
    Ok(Json(shown).into_response())
}

/// The stored events of some issues in a period and some environments, each with its issue, the latest first.
fn stored<'data>(
    issues: impl IntoIterator<Item = &'data Issue>,
    period: Period,
    environments: &[&str],
) -> Vec<(&'data Event, &'data Issue)> {
    let all = issues.into_iter().flat_map(|issue| issue.events.iter().map(move |event| (event, issue)));
    let is_wanted = |event: &Event| period.holds(event.time) && event.is_in(environments);
    let mut found: Vec<_> = all.filter(|(event, _)| is_wanted(event)).collect();
    found.sort_by(|(one, _), (other, _)| (other.time, &other.id).cmp(&(one.time, &one.id)));
    found
}

/// What a list of issues is ordered by, the largest first.
type Order = fn(&Issue, Period) -> i64;

fn order(name: &str) -> Result<Order, Failure> {
    let order: Order = match name {
        "date" => |issue, _| issue.last_seen,
        "new" => |issue, _| issue.first_seen,
        "freq" => |issue, period| issue.count_between(period.start, period.end),
        "user" => |issue, period| issue.users_between(period.start, period.end),
        // Those that happened most in the last day of the period. The original's own scores are not public.
        "trends" | "recommended" => |issue, period| issue.count_between(period.start.max(period.end - DAY), period.end),
        _ => return Err(Failure::Sort { sort: name.to_owned() }),
    };
    Ok(order)
}

/// The projects named by `project` or `projectSlug`: all of them when none is named or one of them is `-1`.
fn selected_projects(query: &Query) -> Result<Vec<i64>, Failure> {
    let all = || PROJECTS.iter().map(|project| project.id).collect();
    let mut ids = Vec::new();
    for text in query.all("project").chain(query.all("projectSlug")) {
        match project(text) {
            _ if text == "-1" => return Ok(all()),
            Some(found) => ids.push(found.id),
            None if text.parse::<i64>().is_ok() => return Err(Failure::Forbidden),
            None => return Err(Failure::Project),
        }
    }
    Ok(if ids.is_empty() { all() } else { ids })
}

/// The chart that a list of issues asks for. In the list of one project `statsPeriod` is only about the chart.
fn chart(asked: &Asked) -> Result<Option<Chart>, Failure> {
    let (key, choices) = match asked.project {
        Some(_) => ("statsPeriod", "'', '24h', and '14d'"),
        None => ("groupStatsPeriod", "'', '24h', '14d', and 'auto'"),
    };
    match asked.query.last(key).unwrap_or("24h") {
        "" => Ok(None),
        "24h" => Ok(Some(Chart::Day)),
        "14d" => Ok(Some(Chart::Fortnight)),
        "auto" if asked.project.is_none() => Ok(Some(Chart::Auto)),
        _ => Err(Failure::Chart { choices }),
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

    const NOW: i64 = 1_795_000_000;

    #[test]
    fn each_order_compares_what_it_says() {
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
            let order = order(name).expect("the name is known");
            for issue in Dataset::generate(NOW).issues {
                assert_eq!(order(&issue, period), key(&issue), "{name}");
            }
        }
        assert!(matches!(order("size"), Err(Failure::Sort { .. })));
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
