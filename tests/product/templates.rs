//! Every case of every template, run in the sandbox against its canned replies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use intentbox_catalog::case::Reply as Canned;
use intentbox_catalog::{Case, Catalog};
use intentbox_sandbox::abi::{Cause, HttpReply, HttpRequest, Reply};
use intentbox_sandbox::{Answer, Capacity, Ending, HostCalls, Job, Limits, Pending, Sandbox, Script};
use url::Url;

/// Answers each request with the next canned reply, if it is the request that the reply is for.
#[derive(Debug)]
struct Replayed {
    replies: Mutex<Vec<Canned>>,
}

impl HostCalls for Replayed {
    fn http<'a>(&'a self, request: HttpRequest<'a>) -> Pending<'a, Answer> {
        Box::pin(async move {
            let mut replies = self.replies.lock().expect("no test panics with it");
            let fail = |message: String| Answer::reply(&Reply::Failed { kind: "case", message: &message });
            if replies.is_empty() {
                return fail(format!("no reply is left for {} {}", request.method, request.url));
            }
            let reply = replies.remove(0);
            let asked = (request.method.to_owned(), parts(request.url));
            let expected = (reply.method.clone(), parts(&reply.url));
            if asked != expected {
                return fail(format!("expected {expected:?}, the script asked {asked:?}"));
            }
            // Egress hands names over in lower case, and so does this.
            let headers: Vec<_> = reply.headers.iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
            Answer::reply(&Reply::Http(HttpReply {
                status: reply.status,
                url: request.url,
                headers: headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
                body: reply.body.as_bytes(),
            }))
        })
    }
}

/// A URL with its query as pairs: `+` and `%20` are the same request.
fn parts(url: &str) -> (String, Vec<(String, String)>) {
    let url = Url::parse(url).expect("a case's urls parse");
    (url.path().to_owned(), url.query_pairs().into_owned().collect())
}

#[test]
fn every_case_of_every_template_ends_as_it_says() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let sandbox = Sandbox::in_process(Capacity { runs: 1, memory_bytes: 1 << 30, patience: Duration::from_secs(5) })
        .expect("the sandbox starts");
    let catalog = Catalog::embedded().expect("the templates are whole");
    let cases = Case::embedded().expect("the cases are whole");
    assert!(!cases.is_empty());
    for case in cases {
        let label = format!("{} {}", case.template, case.name);
        let template = catalog.get(case.template.as_str()).unwrap_or_else(|| panic!("{label}: no such template"));
        let given: BTreeMap<_, _> = case.arguments.clone();
        let arguments = match template.check(&given, &case.settings) {
            Ok(arguments) => arguments,
            Err(error) => {
                assert_eq!(case.outcome.kind, "param_invalid", "{label}: {error}");
                assert!(case.outcome.error.iter().all(|part| error.to_string().contains(part)), "{label}: {error}");
                continue;
            }
        };
        let rendered = template.render(&arguments).unwrap_or_else(|error| panic!("{label}: {error}"));
        let script = Script::parse(rendered.name(), rendered.source().as_bytes(), &Limits::default()).expect("text");
        let replies = Mutex::new(case.replies.clone());
        let params = serde_json::to_string(&arguments).expect("arguments are JSON");
        let calls = Arc::new(Replayed { replies });
        let run = sandbox.run(Job::new(&script, &params), Arc::clone(&calls) as Arc<_>);
        let ended = runtime.block_on(run).unwrap_or_else(|error| panic!("{label}: {error}"));
        let (kind, result, error) = match &ended.ending {
            Ending::Returned(json) => ("ok", serde_json::from_str(json.get()).ok(), String::new()),
            Ending::Raised(raised) if raised.cause == Cause::CallFailed => {
                ("host_call_failed", None, raised.message.clone())
            }
            Ending::Raised(raised) => ("python_error", None, raised.traceback.clone()),
            other => panic!("{label}: {other:?}"),
        };
        assert_eq!(kind, case.outcome.kind, "{label}: {error}");
        assert_eq!(result, case.outcome.result, "{label}");
        if let Some(expected) = &case.outcome.error {
            assert!(error.contains(expected), "{label}: {error}");
        }
        assert!(calls.replies.lock().expect("whole").is_empty(), "{label}: a reply was never asked for");
    }
}
