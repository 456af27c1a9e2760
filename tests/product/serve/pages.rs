//! The dashboard without a browser: what is served to whom. `tests/dashboard/run` looks at it in one.

use super::*;

const PAGES: [&str; 6] = ["/", "/ui/try", "/ui/templates", "/ui/tools", "/ui/trends", "/ui/refusals"];

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[test]
fn a03_every_page_loads_nothing_from_elsewhere_and_runs_nothing_inline() {
    let server = start(&[]);
    let id = submit(&server, &json!({"code": "print('<b>&')\nresult = {'<i>': 1}"}));
    ended(&server, &id);
    let job = format!("/ui/jobs/{id}");
    for page in PAGES.into_iter().chain([job.as_str()]) {
        let reply = send(&server, &format!("GET {page}"), &[], "");
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/html; charset=utf-8")), "{page}");
        let policy = reply.header("content-security-policy").expect("there is one");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        for part in ["http://", "https://", " style=", " onclick=", "<script>", "<b>", "<i>"] {
            // The first page says where jobs are submitted; a picture is no address.
            let found = reply.body.replace(&format!("http://{}", server.address), "").contains(part);
            assert!(!found, "{page}: {part}: {}", reply.body);
        }
    }
    assert_eq!(send(&server, "GET /ui/jobs/nothing", &[], "").status, 404);
    for asset in ["/ui/style.css", "/ui/script.js"] {
        assert_eq!(send(&server, &format!("GET {asset}"), &[], "").status, 200);
    }
}

#[test]
fn a_browser_signs_in_and_its_cookie_counts_for_pages_of_this_server_alone() {
    let server = start_with_tokens();
    let here = format!("http://{}", server.address);
    let asked = send(&server, "GET /", &[], "");
    assert_eq!(asked.status, 401);
    assert!(asked.body.contains("Sign in"), "{asked:?}");
    let form = format!("token={ALICE}");
    let signed = send(&server, "POST /ui/sign-in", &[FORM, ("origin", &here)], &form);
    let cookie = signed.header("set-cookie").expect("a cookie").to_owned();
    assert_eq!((signed.status, signed.header("location")), (303, Some("/")));
    assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    for page in PAGES {
        assert_eq!(send(&server, &format!("GET {page}"), &[("cookie", &cookie)], "").status, 200, "{page}");
    }
    let run = |origin: &str| {
        let headers = [FORM, ("cookie", cookie.as_str()), ("origin", origin)];
        send(&server, "POST /ui/try", &headers[..if origin.is_empty() { 2 } else { 3 }], "intent=list+2+errors").status
    };
    assert_eq!(run(&here), 200);
    assert_eq!((run(""), run("http://localhost:3000"), run("https://evil.example")), (401, 401, 403));
    // Nobody is signed in by another page.
    assert_eq!(send(&server, "POST /ui/sign-in", &[FORM, ("origin", "http://localhost:3000")], &form).status, 403);
    // A header counts before a cookie.
    let both = [("cookie", cookie.as_str()), ("authorization", "Bearer wrong")];
    assert_eq!(send(&server, "GET /", &both, "").status, 401);
}

#[test]
fn a02_a_form_of_another_page_runs_nothing_also_where_no_token_is_needed() {
    let server = start(&[]);
    for line in ["POST /ui/try", "POST /ui/jobs/x/again", "POST /ui/jobs/x/cancel"] {
        for origin in [None, Some("http://localhost:3000")] {
            let headers: Vec<_> = [FORM].into_iter().chain(origin.map(|origin| ("origin", origin))).collect();
            assert_eq!(send(&server, line, &headers, "intent=list+errors").status, 403, "{line} {origin:?}");
        }
    }
    let here = format!("http://{}", server.address);
    let answered = send(&server, "POST /ui/try", &[FORM, ("origin", &here)], "intent=list+2+errors");
    assert!(answered.status == 200 && answered.body.contains("Answer"), "{answered:?}");
}
