//! Events in the JSON of the API: in full with stack trace, request and breadcrumbs, or as one line of a list.
//!
//! Only an event's time and tags are stored. The rest is made here from the family of its issue, and random parts
//! come from the event's own id, so an event looks the same each time it is asked for.

use serde_json::{Map, Value, json};

use crate::data::{Event, Issue, mechanism};
use crate::issue::{is_shown, object};
use crate::organization::{Caller, Project};
use crate::period::iso;
use crate::random::SplitMix;

/// An event as lists show it.
pub(crate) fn summary(event: &Event, issue: &Issue) -> Map<String, Value> {
    let family = issue.family();
    object(json!({
        "id": event.id,
        "eventID": event.id,
        "event.type": "error",
        "groupID": issue.id.to_string(),
        "projectID": family.project.id.to_string(),
        "message": issue.title(),
        "title": issue.title(),
        "location": family.file,
        "culprit": family.transaction,
        "user": user(event),
        "tags": tags(event),
        "platform": family.project.platform,
        "dateCreated": iso(event.time),
        "crashFile": null,
        "metadata": metadata(issue),
    }))
}

/// An event in full, without the ids of those before and after it.
pub(crate) fn full(event: &Event, issue: &Issue) -> Map<String, Value> {
    let mut all = summary(event, issue);
    all.remove("event.type");
    let project = issue.project();
    let entries = entries(event, issue);
    let release = event.tag("release").unwrap_or_default();
    all.extend(object(json!({
        "dateReceived": iso(event.time + 1),
        "type": "error",
        "size": entries.to_string().len(),
        "entries": entries,
        "contexts": contexts(event, project),
        "context": { "demo": true },
        "dist": null,
        "sdk": { "name": project.sdk[0], "version": project.sdk[1] },
        "packages": {},
        "errors": [],
        "occurrence": null,
        "_meta": {},
        "fingerprints": [&event.id[..16]],
        "groupingConfig": { "id": "newstyle:2023-01-11" },
        "measurements": null,
        "breakdowns": null,
        "release": {
            "version": release,
            "shortVersion": release,
            "status": "open",
            "projects": [{ "id": project.id, "slug": project.slug, "name": project.name }],
        },
        "userReport": null,
        "sdkUpdates": [],
        "resolvedWith": [],
        "nextEventID": null,
        "previousEventID": null,
    })));
    all
}

fn metadata(issue: &Issue) -> Value {
    let family = issue.family();
    json!({
        "type": family.kind,
        "value": issue.value(),
        "filename": family.file,
        "function": family.function,
    })
}

fn tags(event: &Event) -> Value {
    let shown = event.tags.iter().filter(|(key, _)| is_shown(key));
    shown.map(|(key, value)| json!({ "key": key, "value": value })).collect()
}

fn user(event: &Event) -> Value {
    let Some(id) = event.tag("user.id") else {
        return Value::Null;
    };
    json!({
        "id": id,
        "email": event.tag("user.email"),
        "username": event.tag("user.username"),
        "ip_address": event.tag("user.ip"),
        "name": null,
        "data": null,
    })
}

fn contexts(event: &Event, project: &Project) -> Value {
    let mut contexts = Map::new();
    for key in ["browser", "os", "runtime"] {
        if let Some(text) = event.tag(key) {
            let (name, version) = text.split_once(' ').unwrap_or((text, ""));
            contexts.insert(key.to_owned(), json!({ "name": name, "version": version, "type": key }));
        }
    }
    if let Some(model) = event.tag("device") {
        contexts.insert("device".to_owned(), json!({ "model": model, "type": "device" }));
    }
    contexts.insert(
        "trace".to_owned(),
        json!({
            "trace_id": event.id.chars().rev().collect::<String>(),
            "span_id": &event.id[..16],
            "op": if project.slug == "worker" { "queue.process" } else { "http.server" },
            "status": "internal_error",
            "type": "trace",
        }),
    );
    Value::Object(contexts)
}

/// The parts of an event that a page about it would show one below the other.
fn entries(event: &Event, issue: &Issue) -> Value {
    let family = issue.family();
    let mut random = SplitMix(u64::from_str_radix(&event.id[..16], 16).unwrap_or(0));
    let mut values = Vec::new();
    // The first to go wrong is the first of the list; the last one gives the issue its title.
    if let Some(cause) = family.cause() {
        let frames: Vec<Value> = cause.frames.iter().map(|at| frame(family.project, at, &Value::Null)).collect();
        let chained = json!({ "type": "chained", "handled": family.handled });
        values.push(exception(cause.kind, cause.value, &chained, &frames));
    }
    let mechanism = json!({ "type": mechanism(family.project.platform), "handled": family.handled });
    let mut raised = exception(family.kind, &issue.value(), &mechanism, &frames(issue, &mut random));
    raised["module"] = Value::from(module(family.file, family.project.platform));
    values.push(raised);

    let mut entries = vec![json!({
        "type": "exception",
        "data": { "values": values, "hasSystemFrames": true, "excOmitted": null },
    })];
    if let Some(request) = request(event, issue, &mut random) {
        entries.push(request);
    }
    entries.push(breadcrumbs(event, issue, &mut random));
    Value::Array(entries)
}

fn exception(kind: &str, value: &str, mechanism: &Value, frames: &[Value]) -> Value {
    json!({
        "type": kind,
        "value": value,
        "module": null,
        "mechanism": mechanism,
        "threadId": null,
        "stacktrace": { "frames": frames, "framesOmitted": null, "hasSystemFrames": true },
        "rawStacktrace": null,
    })
}

/// The stack trace, oldest frame first: the project's entry points, then the code that failed.
fn frames(issue: &Issue, random: &mut SplitMix) -> Vec<Value> {
    let family = issue.family();
    let project = family.project;
    let mut frames: Vec<Value> = project.callers.iter().map(|caller| frame(project, caller, &Value::Null)).collect();
    let vars = if is_scripted(project) {
        Value::Null
    } else {
        json!({
            "attempt": (1 + random.below(5)).to_string(),
            "request_id": format!("'{:016x}'", random.draw()),
            "timeout": random.pick(&["5", "30", "None"]),
        })
    };
    let source = family.source.replace("{}", issue.fill);
    let failed = Caller {
        file: family.file,
        line: family.line,
        function: family.function,
        source: &source,
        in_app: family.is_in_app(),
    };
    frames.push(frame(project, &failed, &vars));
    frames
}

/// One frame, with its local variables if the platform reports them.
fn frame(project: &Project, at: &Caller<'_>, vars: &Value) -> Value {
    let &Caller { file, line, function, source, in_app } = at;
    json!({
        "filename": file,
        "absPath": format!("{}{file}", project.root),
        "module": module(file, project.platform),
        "package": null,
        "platform": null,
        "function": function,
        "rawFunction": null,
        "lineNo": line,
        "colNo": if is_scripted(project) { json!(9 + line % 40) } else { Value::Null },
        "inApp": in_app,
        "context": [
            [line - 1, format!("    {}", project.around[0])],
            [line, format!("    {source}")],
            [line + 1, format!("    {}", project.around[1])],
        ],
        "vars": vars,
        "errors": null,
    })
}

/// Whether the code runs in a browser or a phone's script engine, which know columns and no local variables.
fn is_scripted(project: &Project) -> bool {
    matches!(project.platform, "javascript" | "react-native")
}

/// The module a file is in: `api.orders.views` in Python, the package in Go, the file without its ending elsewhere.
fn module(file: &str, platform: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match platform {
        "python" => stem.replace('/', "."),
        "go" => stem.rsplit_once('/').map_or(stem, |(package, _)| package).to_owned(),
        _ => stem.to_owned(),
    }
}

/// The HTTP request that failed, when the transaction is one.
fn request(event: &Event, issue: &Issue, random: &mut SplitMix) -> Option<Value> {
    let transaction = issue.family().transaction;
    let (method, path) = transaction.split_once(' ').unwrap_or(("GET", transaction));
    if !path.starts_with('/') {
        return None;
    }
    let number = (10_000 + random.below(80_000)).to_string();
    let path = path.replace(":slug", "blue-chair").replace(":id", &number);
    let url = match issue.project().slug {
        "web" => format!("https://shop.example{path}"),
        slug => format!("https://{slug}.shop.example{path}"),
    };
    let agent = match event.tag("browser") {
        Some(browser) => format!("Mozilla/5.0 ({}) {browser}", event.tag("os").unwrap_or_default()),
        None => "shop-client/2.4".to_owned(),
    };
    Some(json!({
        "type": "request",
        "data": {
            "method": method,
            "url": url,
            "query": if method == "GET" { json!([["page", "2"]]) } else { json!([]) },
            "fragment": null,
            "data": null,
            "headers": [
                ["Accept", "application/json"],
                ["User-Agent", agent],
                ["X-Request-Id", format!("{:016x}", random.draw())],
            ],
            "cookies": [],
            "env": null,
            "inferredContentType": null,
            "apiTarget": null,
        },
    }))
}

fn breadcrumbs(event: &Event, issue: &Issue, random: &mut SplitMix) -> Value {
    let steps: &[(&str, &str, &str)] = match issue.project().platform {
        "javascript" => &[
            ("navigation", "info", "/ → /products/blue-chair"),
            ("ui.click", "info", "button.add-to-cart"),
            ("fetch", "info", "GET https://api.shop.example/v1/cart [200]"),
            ("console", "warning", "cart summary is stale"),
        ],
        "react-native" => &[
            ("navigation", "info", "HomeScreen → OrdersScreen"),
            ("touch", "info", "Touch event within element: OrderRow"),
            ("device.connectivity", "info", "cellular"),
        ],
        _ => &[
            ("query", "info", "SELECT * FROM orders WHERE id = $1"),
            ("httplib", "info", "GET https://inventory.example/v1/stock [200]"),
            ("log", "warning", "retrying after 250 ms"),
        ],
    };
    let mut time = event.time - 40;
    let mut values = Vec::new();
    for (category, level, message) in steps {
        time += 1 + random.below(9);
        values.push(json!({
            "type": "default",
            "timestamp": iso(time),
            "category": category,
            "level": level,
            "message": message,
            "data": null,
            "event_id": null,
        }));
    }
    json!({ "type": "breadcrumbs", "data": { "values": values } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;

    const NOW: i64 = 1_795_000_000;

    #[test]
    fn the_last_frame_is_where_the_issue_says_it_failed() {
        let data = Dataset::generate(NOW);
        for (event, issue) in data.events() {
            let shown = full(event, issue);
            let values = shown["entries"][0]["data"]["values"].as_array().expect("values are a list");
            let exception = values.last().expect("there is an exception");
            let frames = exception["stacktrace"]["frames"].as_array().expect("frames are a list");
            let last = &frames[frames.len() - 1];
            assert!(frames.len() > 1);
            assert_eq!(last["function"], shown["metadata"]["function"]);
            assert_eq!(last["filename"], shown["metadata"]["filename"]);
            assert_eq!(last["inApp"], issue.family().is_in_app());
            assert!(frames.iter().any(|frame| frame["inApp"] == true), "{frames:?}");
            assert_eq!(last["context"][1][0], last["lineNo"]);
            assert_eq!(exception["type"], issue.family().kind);
        }
    }

    #[test]
    fn a_chain_begins_with_its_cause() {
        let data = Dataset::generate(NOW);
        let mut chains = 0;
        for (event, issue) in data.events() {
            let shown = entries(event, issue);
            let values = shown[0]["data"]["values"].as_array().expect("values are a list");
            let Some(cause) = issue.family().cause() else {
                assert_eq!(values.len(), 1);
                continue;
            };
            chains += 1;
            let kinds: Vec<_> = values.iter().map(|exception| exception["type"].as_str()).collect();
            assert_eq!(kinds, [Some(cause.kind), Some(issue.family().kind)]);
            let frames = values[0]["stacktrace"]["frames"].as_array().expect("frames are a list");
            assert_eq!(frames.len(), cause.frames.len());
            assert_eq!(frames[frames.len() - 1]["lineNo"], cause.frames[cause.frames.len() - 1].line);
        }
        assert!(chains > 0);
    }

    #[test]
    fn an_event_looks_the_same_each_time() {
        let data = Dataset::generate(NOW);
        let (event, issue) = data.events().nth(7).expect("there are more");
        assert_eq!(full(event, issue), full(event, issue));
    }

    #[test]
    fn user_data_is_not_among_the_tags() {
        let data = Dataset::generate(NOW);
        for (event, _) in data.events() {
            let shown = tags(event);
            let keys: Vec<_> =
                shown.as_array().expect("tags are a list").iter().filter_map(|tag| tag["key"].as_str()).collect();
            assert!(keys.contains(&"environment") && keys.contains(&"release"), "{keys:?}");
            assert!(!keys.iter().any(|key| key.starts_with("user.")), "{keys:?}");
        }
    }

    #[test]
    fn modules_follow_the_language() {
        assert_eq!(module("api/orders/views.py", "python"), "api.orders.views");
        assert_eq!(module("billing/store/tx.go", "go"), "billing/store");
        assert_eq!(module("src/lib/queue.ts", "javascript"), "src/lib/queue");
    }
}
