//! The result cache: when an answer is served from it, and when a run asks the origin again.
//!
//! The engines talk to the demo tracker. It answers as many requests as a test expects and then, by its rate limit,
//! none for an hour: one request too many is a run that fails.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::future::join_all;
use intentbox_capability::{Access, Origin, PrivateAddresses};
use intentbox_catalog::Catalog;
use intentbox_demo_tracker::{DemoTracker, Options, RateLimit};
use intentbox_egress::{Credential, OriginConfig, Secret};
use intentbox_engine::{
    Caller, Capacity, Configuration, Consent, Engine, Given, Intent, Isolation, Outcome, Parts, Policy, Principal,
    Purpose, Report, Resources, Sharing,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::ask;

/// Room for every run of a test at once, so that nothing but the cache holds one back.
const CAPACITY: Capacity =
    Capacity { runs: 64, memory_bytes: 2 << 30, wait_max: Duration::from_mins(2), sharing: Sharing::Whole };

const LIST: &str = "list errors";

/// A policy that lets the templates of the tracker do what they want.
pub(crate) const PERMITTED: &str = "[packs.sentry]\nhttp = [\"sentry: GET,PUT /api/0/**\"]\n";

/// Values for parameters, each with its name.
type Values<'a> = &'a [(&'a str, &'a str)];

/// How a run ended, whether its answer was served again, and how many requests it made.
type Told = (Outcome, bool, u64);

const RAN: Told = (Outcome::Ok, false, 1);
const SERVED: Told = (Outcome::Ok, true, 0);

/// A tracker that answers this many requests.
async fn tracker(requests: u32) -> DemoTracker {
    let options = Options { rate_limit: Some(RateLimit { requests, per_s: 3_600 }), ..Options::default() };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    DemoTracker::start_with(address, options).await.expect("the tracker starts")
}

/// What an engine with the built-in templates and one origin is made of.
pub(crate) fn parts(base_url: &str, token: &str, policy: &str) -> Parts {
    let alias = "sentry".parse().expect("an alias");
    let origin = OriginConfig {
        origin: Origin::new(alias, base_url).expect("the origin is well formed"),
        credential: Some(Credential::bearer(Secret::new(token)).expect("a token")),
        roots: Vec::new(),
        private_addresses: PrivateAddresses::loopback(),
    };
    let settings = BTreeMap::from([("sentry.organization".to_owned(), "demo".to_owned())]);
    Parts {
        catalog: Catalog::embedded().expect("the templates are whole"),
        configuration: Configuration::of_origin(origin, settings, "/api/0/".to_owned()),
        resources: Resources::default(),
        policy: Policy::parse(policy).expect("a policy"),
        isolation: Isolation::InProcess,
        capacity: CAPACITY,
    }
}

fn engine(base_url: &str, token: &str, policy: &str) -> Engine {
    Engine::new(parts(base_url, token, policy)).expect("the engine starts")
}

/// An engine over the tracker whose templates may do there what they want.
fn permitted(tracker: &DemoTracker) -> Engine {
    assert_eq!(tracker.organization(), "demo", "the engine asks for this organization");
    engine(&tracker.base_url(), tracker.token(), PERMITTED)
}

async fn ask(engine: &Engine, text: &str, params: Values<'_>, caller: &Caller) -> Report {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), Given::Text((*value).to_owned()))).collect();
    ask::intent(engine, &Intent { text: text.to_owned(), params, ..Intent::default() }, caller).await
}

fn told(report: &Report) -> Told {
    (report.outcome(), report.cached, report.spent.map_or(0, |spent| spent.http_requests))
}

/// The answer as the script wrote it.
fn answer(report: &Report) -> &str {
    report.result.as_ref().map_or("", |json| json.get())
}

/// The ids of a list of errors.
fn ids(report: &Report) -> Vec<String> {
    let rows: Vec<Value> = serde_json::from_str(answer(report)).expect("a list");
    rows.iter().map(|row| row["id"].as_str().expect("an id is text").to_owned()).collect()
}

#[tokio::test]
async fn the_second_answer_is_the_first_one_without_a_request() {
    let tracker = tracker(1).await;
    let engine = permitted(&tracker);
    let caller = Caller::local();
    let first = ask(&engine, LIST, &[], &caller).await;
    assert_eq!(told(&first), RAN, "{first:?}");
    assert_eq!(ids(&first).len(), 4);
    // Other words with the same meaning are the same question.
    let questions: [(&str, Values); 3] = [(LIST, &[]), ("show unresolved errors", &[]), (LIST, &[("limit", "4")])];
    for (text, params) in questions {
        let again = ask(&engine, text, params, &caller).await;
        assert_eq!((told(&again), answer(&again)), (SERVED, answer(&first)), "{text} {params:?}");
        assert_eq!(
            (&again.target, &again.arguments, &again.access),
            (&first.target, &first.arguments, &first.access),
            "{text} {params:?}"
        );
        assert_ne!(again.run_id, first.run_id, "each report has an id of its own");
    }
}

#[tokio::test]
async fn a_fresh_run_asks_again_and_its_answer_takes_the_place() {
    let tracker = tracker(2).await;
    let engine = permitted(&tracker);
    let caller = Caller::local();
    let first = ask(&engine, LIST, &[], &caller).await;
    assert_eq!(told(&first), RAN, "{first:?}");
    let fresh = ask(&engine, LIST, &[], &Caller { purpose: Purpose::Measure, ..caller.clone() }).await;
    assert_eq!(told(&fresh), RAN, "{fresh:?}");
    let kept = ask(&engine, LIST, &[], &caller).await;
    assert_eq!((told(&kept), answer(&kept)), (SERVED, answer(&fresh)));
}

#[tokio::test]
async fn a_change_drops_what_was_kept() {
    // The list twice, and a change: the issue is read and written.
    let tracker = tracker(4).await;
    let engine = permitted(&tracker);
    let caller = Caller { consent: Consent::Given, ..Caller::local() };
    let first = ask(&engine, LIST, &[], &caller).await;
    let top = ids(&first).remove(0);
    let resolved = ask(&engine, "resolve issue", &[("issue", top.as_str())], &caller).await;
    assert_eq!(told(&resolved), (Outcome::Ok, false, 2), "{resolved:?}");
    let after = ask(&engine, LIST, &[], &caller).await;
    assert_eq!(told(&after), RAN, "{after:?}");
    assert!(ids(&after).len() == 4 && !ids(&after).contains(&top), "{top} was resolved: {after:?}");
}

#[tokio::test]
async fn answers_are_not_shared_between_principals() {
    let tracker = tracker(3).await;
    let engine = permitted(&tracker);
    for principal in [Principal::local(), Principal::named("ada"), Principal::named("grace")] {
        for expected in [RAN, SERVED] {
            let report = ask(&engine, LIST, &[], &Caller::of(principal.clone())).await;
            assert_eq!(told(&report), expected, "{principal:?}: {report:?}");
        }
    }
}

#[tokio::test]
async fn another_argument_is_another_question() {
    let tracker = tracker(4).await;
    let engine = permitted(&tracker);
    let caller = Caller::local();
    let questions: [(&str, Values, usize); 4] = [
        (LIST, &[], 4),
        (LIST, &[("limit", "2")], 2),
        ("list the last 3 errors", &[], 3),
        (LIST, &[("period", "30d")], 4),
    ];
    for expected in [RAN, SERVED] {
        for (text, params, rows) in questions {
            let report = ask(&engine, text, params, &caller).await;
            assert_eq!((told(&report), ids(&report).len()), (expected, rows), "{text} {params:?}: {report:?}");
        }
    }
}

/// Caches are per engine, and a policy is its engine's for life: whoever takes a line away makes a new engine, which
/// has nothing kept. That the grant is part of what an answer is kept under is a test of the cache itself.
#[tokio::test]
async fn a_permission_that_was_taken_away_is_missed_although_an_answer_was_kept() {
    let tracker = tracker(1).await;
    let (before, caller) = (permitted(&tracker), Caller::local());
    for expected in [RAN, SERVED] {
        let report = ask(&before, LIST, &[], &caller).await;
        assert_eq!(told(&report), expected, "{report:?}");
    }
    let after = engine(&tracker.base_url(), tracker.token(), "");
    for _ in 0..2 {
        let report = ask(&after, LIST, &[], &caller).await;
        // The refused request counts as one, and not a byte of it leaves.
        assert_eq!(told(&report), (Outcome::CapabilityDenied, false, 1), "{report:?}");
        assert_eq!((answer(&report), report.spent.map(|spent| spent.http_bytes_up)), ("", Some(0)), "{report:?}");
        assert!(report.access.as_ref().is_some_and(Access::is_empty) && report.refusals.len() == 1, "{report:?}");
    }
}

#[tokio::test]
async fn what_changes_something_runs_each_time() {
    let tracker = tracker(4).await;
    let (engine, reading) = (permitted(&tracker), Caller::local());
    let writing = Caller { consent: Consent::Given, ..Caller::local() };
    let list = ask(&engine, LIST, &[], &reading).await;
    let top = ids(&list).remove(0);
    // The second time there is nothing left to write.
    for (before, requests) in [("unresolved", 2), ("resolved", 1)] {
        let report = ask(&engine, "resolve issue", &[("issue", top.as_str())], &writing).await;
        assert_eq!(told(&report), (Outcome::Ok, false, requests), "{report:?}");
        let result: Value = serde_json::from_str(answer(&report)).expect("an object");
        assert_eq!((&result["status_before"], &result["status_after"]), (&json!(before), &json!("resolved")));
    }
    let report = ask(&engine, "resolve issue", &[("issue", top.as_str())], &reading).await;
    assert_eq!((told(&report), answer(&report)), ((Outcome::CapabilityDenied, false, 0), ""), "{report:?}");
}

/// A server that answers one request with each of these statuses and an empty list, and then is gone. Gives its port.
async fn answering(statuses: &'static [u16]) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        for status in statuses {
            let (mut stream, _) = listener.accept().await.expect("a client comes");
            let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut buffer).await {
                    Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
                    _ => return,
                }
            }
            let headers = "content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n";
            let reply = format!("HTTP/1.1 {status} Said\r\n{headers}\r\n[]");
            // The client may leave at any time; its run then fails and the test says so.
            let _ = stream.write_all(reply.as_bytes()).await;
        }
    });
    port
}

#[tokio::test]
async fn a_failure_is_not_kept_and_the_success_after_it_is() {
    let port = answering(&[500, 404, 200]).await;
    let policy = "[packs.sentry]\nhttp = [\"sentry: GET /api/0/**\"]\n";
    let engine = engine(&format!("http://127.0.0.1:{port}"), "a-token", policy);
    let (failed, absent) = ((Outcome::HostCallFailed, false, 1), (Outcome::TargetNotFound, false, 1));
    for expected in [failed, absent, RAN, SERVED, SERVED] {
        let report = ask(&engine, LIST, &[], &Caller::local()).await;
        assert_eq!(told(&report), expected, "{report:?}");
        assert_eq!(answer(&report), if report.outcome() == Outcome::Ok { "[]" } else { "" });
    }
}

#[tokio::test]
async fn fifty_that_ask_the_same_at_once_make_one_request() {
    let tracker = tracker(1).await;
    let (engine, caller) = (permitted(&tracker), Caller::local());
    let reports = join_all((0..50).map(|_| ask(&engine, LIST, &[], &caller))).await;
    let ran: Vec<&Report> = reports.iter().filter(|report| told(report) == RAN).collect();
    assert_eq!(ran.len(), 1, "{:?}", reports.iter().map(told).collect::<Vec<_>>());
    assert_eq!(ids(ran[0]).len(), 4);
    assert_eq!(reports.iter().filter(|report| told(report) == SERVED).count(), 49);
    assert!(reports.iter().all(|report| answer(report) == answer(ran[0])));
}
