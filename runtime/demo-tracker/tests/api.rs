//! The tracker over its socket, asked as a script would ask the original.

#![expect(clippy::disallowed_methods, reason = "the test speaks to its own server on loopback")]

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use intentbox_demo_tracker::{DemoTracker, Options, RateLimit, StartError};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const NOW: i64 = 1_795_000_000;
const DAY: i64 = 86_400;
const TOKEN: &str = "sntrys_of_the_tests";
const ISSUES: &str = "/api/0/organizations/demo/issues/";

/// What came back.
struct Answer {
    status: u16,
    headers: String,
    body: Value,
}

impl Answer {
    fn items(&self) -> &[Value] {
        self.body.as_array().unwrap_or_else(|| panic!("{} is not a list", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// Where the next page is, if there is one.
    fn next(&self) -> Option<String> {
        let next = self.header("link")?.split(", ").find(|link| link.contains("rel=\"next\""))?;
        let (url, rest) = next.strip_prefix('<')?.split_once('>')?;
        let path = url.find("/api/").map(|start| url[start..].to_owned());
        path.filter(|_| rest.contains("results=\"true\""))
    }
}

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

async fn start() -> DemoTracker {
    let now = Timestamp::from_second(NOW).expect("it is a time");
    let options = Options { token: Some(TOKEN.to_owned()), now: Some(now), ..Options::default() };
    DemoTracker::start_with(loopback(), options).await.expect("a loopback port is free")
}

/// Sends one request by hand over a connection of its own, and reads to the end of it.
async fn send(tracker: &DemoTracker, start: &str, authorization: &str, body: &str) -> Answer {
    let url = tracker.base_url();
    let host = url.strip_prefix("http://").expect("the base URL is plain HTTP");
    let mut stream = TcpStream::connect(host).await.expect("it listens");
    let length = body.len();
    let request = format!(
        "{start} HTTP/1.1\r\nHost: {host}\r\n{authorization}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.expect("it answers");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head ends with an empty line");
    let (status, headers) = head.split_once("\r\n").expect("a head has a status line");
    let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
    let body = if start.starts_with("HEAD ") {
        Value::from(body)
    } else {
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {body}"))
    };
    Answer { status: status.expect("a status is a number"), headers: headers.to_owned(), body }
}

async fn get(tracker: &DemoTracker, path: &str) -> Answer {
    let authorization = format!("Authorization: Bearer {}\r\n", tracker.token());
    send(tracker, &format!("GET {path}"), &authorization, "").await
}

async fn put(tracker: &DemoTracker, path: &str, body: &str) -> Answer {
    let authorization = format!("Authorization: Bearer {}\r\n", tracker.token());
    send(tracker, &format!("PUT {path}"), &authorization, body).await
}

/// All items of a list, following the links from page to page.
async fn all(tracker: &DemoTracker, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let answer = get(tracker, &path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        items.extend_from_slice(answer.items());
        assert!(items.len() < 2_000, "the pages of {path} do not end");
        next = answer.next();
    }
    items
}

#[tokio::test]
async fn without_the_token_nothing_is_said_about_any_path() {
    let tracker = start().await;
    for path in [ISSUES, "/api/0/organizations/other/issues/", "/nothing", "/"] {
        for (authorization, detail) in [
            ("", "Authentication credentials were not provided."),
            ("Authorization: Basic c2VjcmV0\r\n", "Authentication credentials were not provided."),
            ("Authorization: Bearer sntrys_of_nobody\r\n", "Invalid token"),
        ] {
            let answer = send(&tracker, &format!("GET {path}"), authorization, "").await;
            assert_eq!((answer.status, &answer.body["detail"]), (401, &json!(detail)), "{path}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_in_json() {
    let tracker = start().await;
    let absent = "The requested resource does not exist";
    let chart = "Invalid stats_period. Valid choices are";
    let long = format!("GET {ISSUES}?query={}", "a".repeat(4_097));
    for (request, status, detail) in [
        ("GET /", 404, absent),
        ("GET /api/0/organizations/demo/issues", 404, absent),
        ("GET /api/0/organizations/other/issues/", 404, absent),
        ("GET /api/0/organizations/demo/issues/7/", 404, absent),
        ("GET /api/0/organizations/demo/issues/WEB-ZZZ/", 404, absent),
        ("GET /api/0/projects/demo/other/issues/", 404, absent),
        ("GET /api/0/organizations/demo/issues/?environment=moon", 404, absent),
        ("GET /api/0/organizations/demo/releases", 404, absent),
        ("GET /api/0/organizations/demo/releases/?project=1", 403, "You do not have permission"),
        ("POST /api/0/organizations/demo/issues/", 405, "Method \"POST\" not allowed."),
        ("DELETE /api/0/organizations/demo/projects/", 405, "Method \"DELETE\" not allowed."),
        ("GET /api/0/organizations/demo/issues/?cursor=x", 400, "Invalid cursor parameter."),
        ("GET /api/0/organizations/demo/issues/?limit=x", 400, "invalid limit"),
        ("GET /api/0/organizations/demo/issues/?sort=size", 400, "Sort key 'size' not supported."),
        ("GET /api/0/organizations/demo/issues/?statsPeriod=soon", 400, "Invalid statsPeriod: 'soon'"),
        ("GET /api/0/organizations/demo/issues/?start=2026-11-01", 400, "start and end are both required"),
        ("GET /api/0/organizations/demo/issues/?groupStatsPeriod=1h", 400, chart),
        ("GET /api/0/projects/demo/web/issues/?statsPeriod=7d", 400, chart),
        ("GET /api/0/organizations/demo/issues/?project=1", 403, "You do not have permission"),
        ("GET /api/0/organizations/demo/issues/?project=moon", 400, "Invalid project parameter."),
        (
            "GET /api/0/organizations/demo/issues/?query=is%3Abroken",
            400,
            "Error parsing search query: Invalid value 'broken' for \"is\" search",
        ),
        (long.as_str(), 400, "Error parsing search query: The query is longer"),
    ] {
        let authorization = format!("Authorization: Bearer {TOKEN}\r\n");
        let answer = send(&tracker, request, &authorization, "").await;
        let found = answer.body["detail"].as_str().expect("every refusal has a detail");
        assert_eq!(answer.status, status, "{request}: {found}");
        assert!(found.starts_with(detail), "{request}: {found}");
    }
}

#[tokio::test]
async fn a_path_is_taken_as_it_was_sent_and_comes_before_the_method() {
    let tracker = start().await;
    let authorization = format!("Authorization: Bearer {TOKEN}\r\n");
    for (request, status, allow) in [
        ("GET //api/0/organizations/demo/issues/", 404, None),
        ("GET /api/0/organizations//issues/", 404, None),
        ("GET /api/0/organizations/demo/issues//", 404, None),
        ("GET /api/0/organizations/demo/issues///", 404, None),
        ("GET /api/0/organizations/demo/../demo/issues/", 404, None),
        ("GET /api/0/organizations/d%65mo/issues/", 404, None),
        ("GET /api/0/organizations/demo/issu%65s/", 404, None),
        ("GET /api/0/organizations/demo/issues/%2e/", 404, None),
        ("GET /api/0/projects/demo/w%65b/issues/", 404, None),
        ("GET /api/0/issues/%ff/events/%ff/", 404, None),
        ("GET /api/0/issues/7/events/latest/more/", 404, None),
        ("PUT /api/0/issues/7/", 404, None),
        ("POST /api/0/nothing/", 404, None),
        ("POST /api/0/organizations/other/issues/", 404, None),
        ("POST /api/0/projects/demo/other/issues/", 404, None),
        ("POST /api/0/projects/demo/web/issues/", 405, Some("GET, HEAD")),
        ("PUT /api/0/organizations/demo/issues/", 405, Some("GET, HEAD")),
        ("OPTIONS /api/0/issues/7/events/", 405, Some("GET, HEAD")),
        ("DELETE /api/0/issues/%ff/", 405, Some("GET, PUT, HEAD")),
        ("PATCH /api/0/organizations/demo/issues/7/", 405, Some("GET, PUT, HEAD")),
    ] {
        let answer = send(&tracker, request, &authorization, "").await;
        assert_eq!((answer.status, answer.header("allow")), (status, allow), "{request}: {}", answer.body);
        assert!(answer.body["detail"].is_string(), "{request}: {}", answer.body);
        // Without the token the method is not looked at either.
        let refused = send(&tracker, request, "", "").await;
        assert_eq!((refused.status, refused.header("allow")), (401, None), "{request}: {}", refused.body);
    }
    // The id of the organisation is as good as its slug.
    let by_id = get(&tracker, "/api/0/organizations/4507100000000001/projects/").await;
    assert_eq!(by_id.items().len(), 6);
    assert_eq!(get(&tracker, "/api/0/projects/demo/4507100000000102/issues/").await.status, 200);
}

#[tokio::test]
async fn whoever_does_not_know_the_organisation_finds_it() {
    let tracker = start().await;
    let found = get(&tracker, "/api/0/organizations/").await;
    assert_eq!(found.items().len(), 1);
    assert_eq!(found.items()[0]["slug"], "demo");
    assert_eq!(get(&tracker, "/api/0/organizations/demo/").await.body, found.items()[0]);
    let projects = get(&tracker, "/api/0/projects/").await;
    assert_eq!(projects.items().len(), get(&tracker, "/api/0/organizations/demo/projects/").await.items().len());
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let tracker = start().await;
    let authorization = format!("Authorization: Bearer {TOKEN}\r\n");
    for path in [ISSUES, "/api/0/organizations/demo/projects/", "/nothing"] {
        let whole = get(&tracker, path).await;
        let head = send(&tracker, &format!("HEAD {path}"), &authorization, "").await;
        assert_eq!((head.status, &head.body), (whole.status, &json!("")), "{path}");
        for name in ["content-type", "content-length", "link", "x-hits"] {
            assert_eq!(head.header(name), whole.header(name), "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn changes_and_lists_at_once_disturb_nothing() {
    let tracker = Arc::new(start().await);
    let listed = get(&tracker, &format!("{ISSUES}?limit=5")).await;
    let mut tasks = JoinSet::new();
    for issue in listed.items() {
        let path = format!("{ISSUES}{}/", issue["id"].as_str().expect("ids are strings"));
        let (writer, reader) = (Arc::clone(&tracker), Arc::clone(&tracker));
        tasks.spawn(async move { put(&writer, &path, "{\"status\":\"resolved\"}").await.status });
        tasks.spawn(async move { get(&reader, ISSUES).await.status });
    }
    assert_eq!(tasks.join_all().await, [200; 10]);
    let open = all(&tracker, ISSUES).await;
    assert!(!open.is_empty());
    assert!(open.iter().all(|issue| listed.items().iter().all(|other| other["id"] != issue["id"])));
}

#[tokio::test]
async fn pages_lead_through_the_whole_list_once() {
    let tracker = start().await;
    let whole = all(&tracker, &format!("{ISSUES}?query=&limit=100")).await;
    let pieces = all(&tracker, &format!("{ISSUES}?query=&limit=7")).await;
    let ids: HashSet<&str> = whole.iter().filter_map(|issue| issue["id"].as_str()).collect();
    assert!(ids.len() > 100 && ids.len() == whole.len(), "{}", ids.len());
    assert_eq!(pieces, whole);

    let first = get(&tracker, &format!("{ISSUES}?query=&limit=7")).await;
    let url = format!("{}{ISSUES}?query=&limit=7", tracker.base_url());
    let expected = format!(
        "<{url}&cursor=0:0:1>; rel=\"previous\"; results=\"false\"; cursor=\"0:0:1\", \
         <{url}&cursor=0:7:0>; rel=\"next\"; results=\"true\"; cursor=\"0:7:0\""
    );
    assert_eq!(first.header("link"), Some(expected.as_str()));
    assert_eq!(first.header("x-hits"), Some(whole.len().to_string().as_str()));
    assert_eq!(first.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn without_a_query_only_unresolved_issues_are_listed() {
    let tracker = start().await;
    let default = all(&tracker, ISSUES).await;
    assert_eq!(default, all(&tracker, &format!("{ISSUES}?query=is%3Aunresolved")).await);
    assert!(default.iter().all(|issue| issue["status"] == "unresolved"));
    let every = all(&tracker, &format!("{ISSUES}?query=")).await;
    assert!(every.len() > default.len());
    let seen: Vec<_> = default.iter().filter_map(|issue| issue["lastSeen"].as_str()).collect();
    assert!(seen.is_sorted_by(|newer, older| newer >= older), "{seen:?}");
}

#[tokio::test]
async fn a_period_selects_issues_and_what_is_counted() {
    let tracker = start().await;
    let day = all(&tracker, &format!("{ISSUES}?query=&statsPeriod=24h")).await;
    let whole = all(&tracker, &format!("{ISSUES}?query=")).await;
    assert!(!day.is_empty() && day.len() < whole.len());
    let since = Timestamp::from_second(NOW - DAY).expect("it is a time").to_string();
    for issue in &day {
        assert!(issue["lastSeen"].as_str() >= Some(since.as_str()), "{issue}");
        let number = |count: &Value| count.as_str().and_then(|text| text.parse::<i64>().ok());
        assert!(number(&issue["count"]) <= number(&issue["lifetime"]["count"]), "{issue}");
        assert!(number(&issue["count"]) > Some(0), "{issue}");
        assert_eq!(issue["stats"]["24h"].as_array().map(Vec::len), Some(24));
    }
}

#[tokio::test]
async fn an_interval_selects_what_the_period_of_the_same_length_does() {
    let tracker = start().await;
    let at = |seconds: i64| Timestamp::from_second(seconds).expect("it is a time").to_string();
    let busy = get(&tracker, &format!("{ISSUES}?sort=freq&statsPeriod=14d&limit=1")).await.items()[0].clone();
    let events = format!("{ISSUES}{}/events/", busy["id"].as_str().expect("ids are strings"));
    for list in [ISSUES, events.as_str()] {
        // A list of events takes no search, and ignores this one.
        let of = |span: &str| format!("{list}?query=&{span}");
        let period = all(&tracker, &of("statsPeriod=14d")).await;
        let interval = all(&tracker, &of(&format!("start={}&end={}", at(NOW - 14 * DAY), at(NOW)))).await;
        assert!(!period.is_empty() && interval == period, "{list}: {} and {}", interval.len(), period.len());
        // Without a zone a time is in UTC, as scripts send it.
        let naive = format!("start={}&end={}", at(NOW - 14 * DAY).replace('Z', ""), at(NOW).replace('Z', ""));
        assert_eq!(all(&tracker, &of(&naive)).await, period, "{list}");
        let before = format!("start={}&end={}", at(NOW - 300 * DAY), at(NOW - 200 * DAY));
        assert!(all(&tracker, &of(&before)).await.is_empty(), "{list}");
    }
    let yesterday = format!("{ISSUES}?query=&start={}&end={}", at(NOW - 2 * DAY), at(NOW - DAY));
    let found = all(&tracker, &yesterday).await;
    let first_seen = |issue: &Value| issue["firstSeen"].as_str().map(str::to_owned);
    assert!(!found.is_empty() && found.iter().all(|issue| first_seen(issue) <= Some(at(NOW - DAY))), "{found:?}");
}

#[tokio::test]
async fn each_sort_key_orders_by_the_field_that_it_names() {
    let tracker = start().await;
    let texts = |issues: &[Value], field: &str| -> Vec<String> {
        issues.iter().filter_map(|issue| issue[field].as_str()).map(str::to_owned).collect()
    };
    let numbers = |issues: &[Value], field: &str| -> Vec<i64> {
        let number = |value: &Value| value.as_i64().or_else(|| value.as_str()?.parse().ok());
        issues.iter().filter_map(|issue| number(&issue[field])).collect()
    };
    for (sort, field) in [("date", "lastSeen"), ("new", "firstSeen")] {
        let found = texts(&all(&tracker, &format!("{ISSUES}?sort={sort}")).await, field);
        assert!(found.len() > 1 && found.is_sorted_by(|newer, older| newer >= older), "{sort}: {found:?}");
    }
    for (sort, field) in [("freq", "count"), ("user", "userCount")] {
        let found = numbers(&all(&tracker, &format!("{ISSUES}?sort={sort}")).await, field);
        assert!(found.len() > 1 && found.is_sorted_by(|more, fewer| more >= fewer), "{sort}: {found:?}");
    }
}

#[tokio::test]
async fn projects_are_listed_and_select_issues_in_three_ways() {
    let tracker = start().await;
    let projects = all(&tracker, "/api/0/organizations/demo/projects/").await;
    let slugs: Vec<_> = projects.iter().filter_map(|project| project["slug"].as_str()).collect();
    assert_eq!(slugs, ["web", "api", "mobile", "worker", "checkout", "billing"]);
    let id = projects[1]["id"].as_str().expect("ids are strings");
    let by_id = all(&tracker, &format!("{ISSUES}?project={id}")).await;
    assert!(!by_id.is_empty() && by_id.iter().all(|issue| issue["project"]["slug"] == "api"));
    assert_eq!(by_id, all(&tracker, &format!("{ISSUES}?project=api")).await);
    assert_eq!(by_id, all(&tracker, &format!("{ISSUES}?query=is:unresolved+project:api")).await);
    assert_eq!(by_id, all(&tracker, "/api/0/projects/demo/api/issues/").await);

    for path in ["/api/0/projects/demo/api/environments/", "/api/0/organizations/demo/environments/"] {
        let environments = get(&tracker, path).await;
        let names: Vec<_> = environments.items().iter().map(|item| item["name"].clone()).collect();
        assert_eq!(names, ["production", "staging", "development"], "{path}");
        assert!(get(&tracker, &format!("{path}?visibility=hidden")).await.items().is_empty(), "{path}");
        assert_eq!(get(&tracker, &format!("{path}?visibility=x")).await.status, 400, "{path}");
    }
    assert_eq!(get(&tracker, "/api/0/organizations/other/environments/").await.status, 404);
}

#[tokio::test]
async fn an_issue_is_found_by_number_short_id_and_event() {
    let tracker = start().await;
    let listed = get(&tracker, &format!("{ISSUES}?limit=1")).await.items()[0].clone();
    let (id, short_id) = (listed["id"].as_str(), listed["shortId"].as_str());
    let (id, short_id) = id.zip(short_id).expect("both are strings");
    let issue = get(&tracker, &format!("{ISSUES}{id}/")).await;
    assert_eq!(issue.status, 200);
    for field in ["id", "shortId", "title", "count", "status", "metadata", "project"] {
        assert_eq!(issue.body[field], listed[field], "{field}");
    }
    assert!(issue.body["tags"].as_array().is_some_and(|tags| !tags.is_empty()));
    assert!(issue.body["lastRelease"]["version"].is_string());
    assert_eq!(get(&tracker, &format!("{ISSUES}{short_id}/")).await.body, issue.body);
    assert_eq!(get(&tracker, &format!("{ISSUES}{}/", short_id.to_lowercase())).await.body, issue.body);
    // No part of a path is decoded.
    assert_eq!(get(&tracker, &format!("{ISSUES}{}/", short_id.replace('-', "%2D"))).await.status, 404);
    assert_eq!(get(&tracker, &format!("/api/0/issues/{id}/")).await.body, issue.body);

    let looked_up = get(&tracker, &format!("{ISSUES}?shortIdLookup=1&query={short_id}")).await;
    assert_eq!(looked_up.header("x-sentry-direct-hit"), Some("1"));
    assert_eq!(looked_up.items()[0]["id"], listed["id"]);
    let latest = get(&tracker, &format!("{ISSUES}{id}/events/latest/")).await;
    let event_id = latest.body["eventID"].as_str().expect("ids are strings");
    let looked_up = get(&tracker, &format!("{ISSUES}?query={event_id}")).await;
    assert_eq!(looked_up.items()[0]["id"], listed["id"]);
    assert_eq!(looked_up.items()[0]["matchingEventId"], event_id);
}

#[tokio::test]
async fn events_lead_from_one_to_the_next() {
    let tracker = start().await;
    let busy = get(&tracker, &format!("{ISSUES}?sort=freq&limit=1")).await.items()[0].clone();
    let path = format!("{ISSUES}{}/events/", busy["id"].as_str().expect("ids are strings"));
    let listed = all(&tracker, &path).await;
    assert!(listed.len() >= 3, "{}", listed.len());
    assert_eq!(listed[0]["dateCreated"], busy["lastSeen"]);

    let mut event = get(&tracker, &format!("{path}oldest/")).await.body;
    assert_eq!(event["previousEventID"], Value::Null);
    for expected in listed.iter().rev() {
        assert_eq!(event["eventID"], expected["eventID"]);
        assert_eq!(event["entries"][0]["type"], "exception");
        match event["nextEventID"].as_str() {
            Some(next) => event = get(&tracker, &format!("{path}{next}/")).await.body,
            None => assert_eq!(event, get(&tracker, &format!("{path}latest/")).await.body),
        }
    }
    let absent = get(&tracker, &format!("{path}{}/", "0".repeat(32))).await;
    assert_eq!((absent.status, &absent.body), (404, &json!({ "detail": "Event not found" })));
}

#[tokio::test]
async fn a_tag_of_an_issue_counts_its_stored_events() {
    let tracker = start().await;
    let issue = get(&tracker, &format!("{ISSUES}?sort=freq&limit=1")).await.items()[0].clone();
    let path = format!("{ISSUES}{}/", issue["id"].as_str().expect("ids are strings"));
    let events = all(&tracker, &format!("{path}events/")).await;
    let tag = get(&tracker, &format!("{path}tags/environment/")).await.body;
    assert_eq!(tag["totalValues"], events.len());
    assert_eq!(tag["uniqueValues"], tag["topValues"].as_array().map_or(0, Vec::len));
    assert_eq!(get(&tracker, &format!("{path}tags/nothing/")).await.status, 404);
    assert_eq!(get(&tracker, &format!("{path}tags/user.email/")).await.status, 404);
}

#[tokio::test]
async fn a_change_lasts_and_a_wrong_one_changes_nothing() {
    let tracker = start().await;
    let issue = get(&tracker, &format!("{ISSUES}?limit=1")).await.items()[0].clone();
    let path = format!("{ISSUES}{}/", issue["id"].as_str().expect("ids are strings"));
    let before = get(&tracker, &path).await.body;
    for wrong in
        ["", "[]", "{\"status\":\"done\"}", "{\"status\":7}", "{\"assignedTo\":\"nobody\"}", "{\"hasSeen\":\"yes\"}"]
    {
        let answer = put(&tracker, &path, wrong).await;
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
        assert!(answer.body["detail"].is_string(), "{wrong}: {}", answer.body);
    }
    assert_eq!(get(&tracker, &path).await.body, before);

    let body = "{\"status\":\"resolved\",\"assignedTo\":\"team:5003\",\"hasSeen\":true,\"statusDetails\":{}}";
    let changed = put(&tracker, &path, body).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(changed.body["status"], "resolved");
    assert_eq!(changed.body["substatus"], Value::Null);
    assert_eq!(changed.body["assignedTo"]["name"], "payments");
    assert_eq!(get(&tracker, &path).await.body, changed.body);
    let open = all(&tracker, ISSUES).await;
    assert!(open.iter().all(|other| other["id"] != issue["id"]));
    let resolved = all(&tracker, &format!("{ISSUES}?query=is%3Aresolved")).await;
    assert!(resolved.iter().any(|other| other["id"] == issue["id"] && other["status"] == "resolved"));

    let reopened = put(&tracker, &path, "{\"status\":\"unresolved\"}").await;
    assert_eq!((reopened.status, &reopened.body["status"]), (200, &json!("unresolved")));
    assert_eq!(get(&tracker, &path).await.body["status"], "unresolved");
}

#[tokio::test]
async fn releases_are_listed_page_by_page_the_newest_first() {
    let tracker = start().await;
    let path = "/api/0/organizations/demo/releases/";
    let whole = all(&tracker, path).await;
    assert_eq!(whole, all(&tracker, &format!("{path}?per_page=7")).await);
    let created: Vec<_> = whole.iter().filter_map(|release| release["dateCreated"].as_str()).collect();
    assert!(created.len() == whole.len() && created.is_sorted_by(|newer, older| newer >= older), "{created:?}");
    let versions: HashSet<_> = whole.iter().filter_map(|release| release["version"].as_str()).collect();
    assert_eq!(versions.len(), 24);
    for release in &whole {
        assert!(release["id"].is_i64() && release["newGroups"].is_i64(), "{release}");
        assert!(release["firstEvent"].as_str() <= release["lastEvent"].as_str(), "{release}");
        assert_eq!(release["projects"].as_array().map(Vec::len), Some(1), "{release}");
    }

    let web = all(&tracker, &format!("{path}?project=web")).await;
    assert!(web.len() == 4 && web.iter().all(|release| release["projects"][0]["slug"] == "web"), "{web:?}");
    assert_eq!(all(&tracker, &format!("{path}?query=BILLING@0.64")).await.len(), 1);
    assert!(all(&tracker, &format!("{path}?query=nothing")).await.is_empty());
    assert_eq!(get(&tracker, &format!("{path}?environment=moon")).await.status, 404);
    assert_eq!(get(&tracker, &format!("{path}?per_page=101")).await.status, 400);
    assert_eq!(put(&tracker, path, "{}").await.status, 405);
}

#[tokio::test]
async fn events_and_issues_name_releases_that_are_listed() {
    let tracker = start().await;
    let releases = all(&tracker, "/api/0/organizations/demo/releases/").await;
    let version_of = |found: &Value| found["version"].as_str().map(str::to_owned);
    let versions: HashSet<_> = releases.iter().filter_map(version_of).collect();
    for issue in &all(&tracker, ISSUES).await[..5] {
        let path = format!("{ISSUES}{}/", issue["id"].as_str().expect("ids are strings"));
        let detail = get(&tracker, &path).await.body;
        for release in [&detail["firstRelease"], &detail["lastRelease"]] {
            assert!(version_of(release).is_some_and(|version| versions.contains(&version)), "{release}");
        }
        let latest = get(&tracker, &format!("{path}events/latest/")).await.body;
        assert_eq!(latest["release"]["version"], detail["lastRelease"]["version"]);
    }
}

#[tokio::test]
async fn a_trace_says_whose_code_each_frame_is_and_what_caused_it() {
    let tracker = start().await;
    for (query, kinds, is_ours) in [
        ("error.type%3AKeyError", vec!["KeyError"], true),
        ("error.type%3AHydrationError", vec!["HydrationError"], false),
        ("error.type%3AMaxRetriesExceededError", vec!["ConnectionResetError", "MaxRetriesExceededError"], true),
        ("error.type%3AReadTimeout", vec!["TimeoutError", "ReadTimeout"], false),
    ] {
        let issue = get(&tracker, &format!("{ISSUES}?query={query}&limit=1")).await.items()[0].clone();
        let id = issue["shortId"].as_str().expect("ids are strings");
        let event = get(&tracker, &format!("{ISSUES}{id}/events/latest/")).await.body;
        let values = event["entries"][0]["data"]["values"].as_array().expect("there is an exception");
        let found: Vec<_> = values.iter().filter_map(|exception| exception["type"].as_str()).collect();
        assert_eq!(found, kinds, "{query}");
        assert_eq!(issue["metadata"]["type"], kinds[kinds.len() - 1], "{query}");
        let frames = values[0]["stacktrace"]["frames"].as_array().expect("frames are a list");
        assert!(frames.len() > 1 && frames[0]["inApp"] == false, "{query}");
        assert_eq!(frames[frames.len() - 1]["inApp"], is_ours, "{query}");
    }
}

#[tokio::test]
async fn the_charts_of_an_issue_count_its_events_over_time() {
    let tracker = start().await;
    let busy = get(&tracker, &format!("{ISSUES}?sort=freq&statsPeriod=14d&limit=1")).await.items()[0].clone();
    let detail = get(&tracker, &format!("{ISSUES}{}/", busy["id"].as_str().expect("ids are strings"))).await.body;
    for (name, buckets, step) in [("24h", 24, 3_600), ("30d", 30, DAY)] {
        let chart = detail["stats"][name].as_array().expect("a chart is a list");
        assert_eq!(chart.len(), buckets, "{name}");
        let starts: Vec<i64> = chart.iter().filter_map(|point| point[0].as_i64()).collect();
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == step), "{name}: {starts:?}");
        assert_eq!(starts.last(), Some(&(NOW - NOW % step)), "{name}");
    }
    let counts: Vec<i64> =
        detail["stats"]["30d"].as_array().into_iter().flatten().filter_map(|point| point[1].as_i64()).collect();
    let most = counts.iter().max().expect("there are buckets");
    assert!(most * 30 > counts.iter().sum::<i64>() * 3 / 2, "{counts:?}");
}

#[tokio::test]
async fn more_requests_than_the_limit_are_told_when_to_come_back() {
    let limit = RateLimit { requests: 3, per_s: 3_600 };
    let options = Options { token: Some(TOKEN.to_owned()), rate_limit: Some(limit), ..Options::default() };
    let tracker = DemoTracker::start_with(loopback(), options).await.expect("a loopback port is free");
    // Whoever has no token uses nothing up.
    for _ in 0..5 {
        assert_eq!(send(&tracker, &format!("GET {ISSUES}"), "", "").await.status, 401);
    }
    // What fails counts too.
    for (path, status) in [(ISSUES, 200), ("/nothing", 404), (ISSUES, 200), (ISSUES, 429), ("/nothing", 429)] {
        let answer = get(&tracker, path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        let wait = answer.header("retry-after").map(|seconds| seconds.parse::<u64>().expect("it is a number"));
        assert_eq!(wait.is_some(), status == 429, "{path}");
        assert!(wait.is_none_or(|seconds| (1..=3_600).contains(&seconds)), "{path}: {wait:?}");
    }
    let detail = get(&tracker, ISSUES).await.body["detail"].clone();
    let expected = "You are attempting to use this endpoint too frequently. Limit is 3 requests in 3600 seconds";
    assert_eq!(detail, expected);
}

#[tokio::test]
async fn a_rate_limit_of_nothing_is_refused() {
    for limit in [RateLimit { requests: 0, per_s: 1 }, RateLimit { requests: 1, per_s: 0 }] {
        let options = Options { rate_limit: Some(limit), ..Options::default() };
        let refused = DemoTracker::start_with(loopback(), options).await.expect_err("it answers nothing");
        assert!(matches!(refused, StartError::RateLimit), "{refused}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let tracker = start().await;
    let issue = get(&tracker, &format!("{ISSUES}?limit=1")).await.items()[0].clone();
    let path = format!("{ISSUES}{}/", issue["id"].as_str().expect("ids are strings"));
    let filled = |length: usize| format!("{{\"x\":\"{}\"}}", "a".repeat(length - 8));
    assert_eq!(put(&tracker, &path, &filled(16 * 1024)).await.status, 200);
    assert_eq!(put(&tracker, &path, &filled(16 * 1024 + 1)).await.status, 413);
}

#[tokio::test]
async fn each_start_has_a_token_of_its_own_that_is_not_shown() {
    let one = DemoTracker::start(loopback()).await.expect("a loopback port is free");
    let two = DemoTracker::start(loopback()).await.expect("a loopback port is free");
    assert_ne!(one.token(), two.token());
    assert!(!format!("{one:?}").contains(one.token()), "{one:?}");
    assert_eq!(get(&one, ISSUES).await.status, 200);
    assert_eq!(one.organization(), "demo");
}

#[tokio::test]
async fn only_loopback_addresses_and_plain_tokens_are_accepted() {
    for address in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"] {
        let address: SocketAddr = address.parse().expect("it is an address");
        let refused = DemoTracker::start(address).await.expect_err("it is not loopback");
        assert!(matches!(refused, StartError::NotLoopback { .. }), "{refused}");
    }
    let options = Options { token: Some("two words".to_owned()), ..Options::default() };
    assert!(!format!("{options:?}").contains("two words"));
    let refused = DemoTracker::start_with(loopback(), options).await.expect_err("it has a space");
    assert!(matches!(refused, StartError::Token), "{refused}");
}

#[tokio::test]
async fn a_dropped_tracker_stops_listening() {
    let tracker = start().await;
    let url = tracker.base_url();
    let host = url.strip_prefix("http://").expect("the base URL is plain HTTP");
    assert_eq!(get(&tracker, ISSUES).await.status, 200);
    drop(tracker);
    for _ in 0..1_000 {
        if TcpStream::connect(host).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{host} still listens");
}
