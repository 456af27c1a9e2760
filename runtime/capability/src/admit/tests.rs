mod rows;

use super::*;
use crate::access::Access;
use crate::path::URL_BYTES_MAX;
use crate::refusal::Needs;
use crate::rule::HttpRule;

fn origins() -> Origins {
    let bases = [
        ("sentry", "https://sentry.example"),
        ("deep", "https://sentry.example/deep/er/"),
        ("local", "http://127.0.0.1:8080"),
    ];
    let origin = |(alias, base): (&str, &str)| Origin::new(alias.parse().unwrap(), base).unwrap();
    Origins::new(bases.map(origin)).unwrap()
}

fn grant() -> Grant {
    Grant::of([
        "sentry: GET /api/0/organizations/*/issues/".parse().unwrap(),
        "sentry: GET,PUT /open/**".parse().unwrap(),
        "deep: GET /**".parse().unwrap(),
        "local: GET /**".parse().unwrap(),
    ])
}

/// Admits with the grant above; the answer is the URL to send, or the whole message.
fn ask(method: &str, url: &str) -> Result<String, String> {
    let answer = grant().admit(&origins(), method, url);
    answer.map(|allowed| format!("{} {}", allowed.shown(), allowed.url())).map_err(|refusal| refusal.to_string())
}

#[test]
fn what_lies_under_a_rule_is_admitted() {
    for (url, expected) in [
        (
            "sentry:/api/0/organizations/acme/issues/?limit=5#top",
            "sentry:/api/0/organizations/acme/issues/?limit=5 https://sentry.example/api/0/organizations/acme/issues/?limit=5",
        ),
        ("HTTPS://SENTRY.example:443/open?q=//x@y", "sentry:/open?q=//x@y https://sentry.example/open?q=//x@y"),
        ("sentry:/open/caf\u{e9}/%7E*", "sentry:/open/caf%C3%A9/%7E* https://sentry.example/open/caf%C3%A9/%7E*"),
        ("sentry:/%6Fpen/x", "sentry:/%6Fpen/x https://sentry.example/%6Fpen/x"),
        ("deep:/x", "deep:/x https://sentry.example/deep/er/x"),
        ("https://sentry.example/deep/er/x", "deep:/x https://sentry.example/deep/er/x"),
        ("deep:/", "deep:/ https://sentry.example/deep/er/"),
        ("http://0x7f.1:8080", "local:/ http://127.0.0.1:8080/"),
    ] {
        assert_eq!(ask("get", url), Ok(expected.to_owned()), "{url}");
    }
}

#[test]
fn what_lies_under_no_rule_is_refused_with_the_rule() {
    let rules = "the run is granted `sentry: GET /api/0/organizations/*/issues/`, `sentry: GET,PUT /open/**`";
    for (method, url, term) in [
        ("GET", "sentry:/api/0/organizations/acme/issues", "sentry:/api/0/organizations/acme/issues"),
        ("GET", "sentry:/api/0/organizations/a/b/issues/", "sentry:/api/0/organizations/a/b/issues/"),
        ("GET", "sentry:/opened", "sentry:/opened"),
        ("POST", "sentry:/open", "sentry:/open"),
        ("GET", "https://sentry.example/deep/erx", "sentry:/deep/erx"),
        ("GET", "https://sentry.example/deep/er", "sentry:/deep/er"),
    ] {
        let expected = format!("{method} {term} was refused: {rules}");
        assert_eq!(ask(method, url), Err(expected));
    }
}

#[test]
fn what_lies_under_no_origin_is_refused() {
    for url in [
        "http://sentry.example/open",
        "https://sentry.example:444/open",
        "https://sentry.example:0/open",
        "https://sentry.example./open",
        "https://sentry.example.evil.test/open",
        "https://evil.test/?https://sentry.example/open",
        "https://sentry.ex\u{430}mple/open",
        "http://127.0.0.1/",
        "http://[::1]:8080/",
    ] {
        let message = ask("GET", url).unwrap_err();
        assert!(
            message.ends_with(
                "it is not below the base URL of a granted origin (this run may access: deep, local, sentry)"
            ),
            "{message}"
        );
    }
    assert_eq!(
        ask("GET", "jira:/x").unwrap_err(),
        "GET jira:/x was refused: no origin is called `jira` (this run may access: deep, local, sentry)"
    );
}

#[test]
fn spellings_that_parsers_disagree_about_are_refused() {
    for (url, flaw) in [
        ("https://sentry.example@evil.test/open", Flaw::Userinfo),
        ("https://@sentry.example/open", Flaw::Userinfo),
        ("https://sentry.example\\@evil.test/", Flaw::Backslash),
        ("https:\\\\sentry.example/open", Flaw::Backslash),
        ("https://sentry.example/op\ten", Flaw::Control),
        ("sentry:/open\r\nHost: evil", Flaw::Control),
        ("sentry:/open/\0", Flaw::Control),
        ("sentry:/open?a b", Flaw::Control),
        ("sentry:/open/%0d%0a", Flaw::Control),
        ("sentry:/open/..%2f", Flaw::Encoded),
        ("sentry:/open/%5c", Flaw::Encoded),
        ("sentry:/open/%252e%252e/x", Flaw::Encoded),
        ("sentry:/open/%2e%2E/x", Flaw::Encoded),
        ("sentry:/open/../api", Flaw::Dots),
        ("sentry:/open/..;v=1/api", Flaw::Dots),
        ("https://sentry.example/open/./x", Flaw::Dots),
        ("sentry:/open//x", Flaw::EmptySegment),
        ("https://sentry.example//open", Flaw::EmptySegment),
        ("sentry:/open/%zz", Flaw::Percent),
        ("sentry:/open/%c0%af", Flaw::Percent),
        ("https:///sentry.example/open", Flaw::EmptyHost),
        ("https://:443/open", Flaw::EmptyHost),
        ("https:/sentry.example/open", Flaw::Scheme),
        ("https:sentry.example/open", Flaw::Scheme),
        ("//sentry.example/open", Flaw::Scheme),
        ("/open", Flaw::Scheme),
        ("", Flaw::Scheme),
        ("sentry://open", Flaw::Scheme),
        ("SENTRY:/open", Flaw::Scheme),
        ("sentry:open", Flaw::Scheme),
        ("file:///etc/passwd", Flaw::Scheme),
        ("ftp://sentry.example/open", Flaw::Scheme),
        ("https://sentry.example:99999/open", Flaw::Invalid),
        ("https://sentry%40example/open", Flaw::Invalid),
        ("http://[fe80::1%25eth0]/", Flaw::Invalid),
    ] {
        let expected = format!("GET {} was refused: {flaw}", shown_url(url));
        assert_eq!(ask("GET", url), Err(expected), "{url}");
    }
    for method in ["TRACE", "CONNECT", "", "GET ", "G\u{17f}T"] {
        assert!(
            ask(method, "sentry:/open")
                .unwrap_err()
                .ends_with("a script may use GET, HEAD, POST, PUT, PATCH and DELETE")
        );
    }
}

#[test]
fn the_length_is_bounded() {
    let fits = format!("sentry:/open/{}", "x".repeat(URL_BYTES_MAX - 13));
    assert!(ask("GET", &fits).is_ok());
    let message = ask("GET", &format!("{fits}x")).unwrap_err();
    assert!(message.ends_with("was refused: it is 8193 bytes long, and at most 8192 are allowed"), "{message}");
    assert!(message.len() < 300);
}

#[test]
fn a_refused_request_needs_the_rule_that_allows_it_alone() {
    let needs = |method: &str, url: &str| grant().admit(&origins(), method, url).unwrap_err().needs();
    let rule: HttpRule = "sentry: POST /api/0/x".parse().unwrap();
    let rules = Access { http: vec![rule.clone()], ..Access::default() };
    assert_eq!(needs("POST", "sentry:/api/0/%78?q=1"), Some(Needs::Rules(rules)));
    assert!(Grant::of([rule]).admit(&origins(), "POST", "sentry:/api/0/%78?q=1").is_ok());
    assert_eq!(needs("GET", "https://evil.test:81/x"), Some(Needs::OriginAt("https://evil.test:81".to_owned())));
    assert_eq!(needs("GET", "jira:/x"), Some(Needs::OriginNamed("jira".parse().unwrap())));
    assert_eq!(needs("GET", "file:///x"), None);
    // A rule has at most 2 KiB.
    let long = |length: usize| needs("POST", &format!("sentry:/{}", "x".repeat(length)));
    let most = 2_048 - "sentry: POST /".len();
    assert_eq!((long(most).is_some(), long(most + 1)), (true, None));
}

#[test]
fn a_redirect_passes_the_same_gate() {
    let (grant, origins) = (grant(), origins());
    let from = grant.admit(&origins, "GET", "sentry:/open/a/b?q=1").unwrap();
    let follow = |location: &str| {
        let next = from.redirect(&grant, &origins, Method::Get, location);
        next.map(|allowed| allowed.shown().to_owned()).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(follow("c"), Ok("sentry:/open/a/c".to_owned()));
    assert_eq!(follow("../c#x"), Ok("sentry:/open/c".to_owned()));
    assert_eq!(follow("?p"), Ok("sentry:/open/a/b?p".to_owned()));
    assert_eq!(follow("//sentry.example/open"), Ok("sentry:/open".to_owned()));
    assert_eq!(follow("/deep/er/x"), Ok("deep:/x".to_owned()));
    for location in
        ["../../c", "/", "//evil.test/", "http://sentry.example/open", "sentry:/open", "/open/%2fx", "/open x"]
    {
        assert!(follow(location).unwrap_err().contains(" was refused: "), "{location}");
    }
    let posted = from.redirect(&grant, &origins, Method::Post, "c");
    assert!(posted.is_err(), "the method is asked about too");
}

/// A refusal is told to the script and written to logs, and the user of a `Location` is the server's.
#[test]
fn no_refusal_repeats_a_user_or_a_password() {
    let long = "x".repeat(URL_BYTES_MAX);
    let (long_path, long_user) =
        (format!("https://ann:hunter2@evil.test/{long}"), format!("https://ann:hunter2{long}@evil.test/"));
    for (url, told) in [
        ("https://ann:hunter2@evil.test/x", "https://evil.test/x"),
        ("https://ann:hunter2@sentry.example/open", "https://sentry.example/open"),
        ("HTTPS://ann:hunt@hunter2@evil.test", "HTTPS://evil.test"),
        ("//ann:hunter2@evil.test/a@b?c@d#e@f", "//evil.test/a@b?c@d#e@f"),
        ("ftp://ann:hunter2@evil.test/", "ftp://evil.test/"),
        ("https:\\\\ann:hunter2@evil.test/", "https:\\\\evil.test/"),
        ("https://ann:hunter2@evil.test\\x@y", "https://evil.test\\x@y"),
        ("https:/\t/ann:hunter2@evil.test/", "https:/\\u{9}/evil.test/"),
        ("ht\ttps:/\t/ann:hunter2@evil.test/", "ht\\u{9}tps:/\\u{9}/evil.test/"),
        (long_path.as_str(), "https://evil.test/xxx"),
        (long_user.as_str(), "https://evil.test/"),
        // To a redirect these two are paths.
        ("https:/ann:hunter2@evil.test/", "https:/evil.test/"),
        ("https:ann:hunter2@evil.test/", "https:evil.test/"),
    ] {
        for method in ["GET", "TRACE"] {
            let message = ask(method, url).unwrap_err();
            assert!(message.starts_with(&format!("{method} {told}")) && !message.contains("hunt"), "{url}: {message}");
        }
        let (grant, origins) = (grant(), origins());
        let from = grant.admit(&origins, "GET", "sentry:/open/a/b").unwrap();
        if !url.starts_with("https:/ann") && !url.starts_with("https:ann") {
            let message = from.redirect(&grant, &origins, Method::Get, url).unwrap_err().to_string();
            assert!(!message.contains("ann:") && !message.contains("hunt"), "{url}: {message}");
        }
    }
    // What only looks like one stays: an `@` is an ordinary letter of a path.
    for url in ["jira:/@ann:x/y", "jira:/a//ann:x@b", "https://evil.test/@ann:x", "https://evil.test/?ann:x@y"] {
        let message = ask("GET", url).unwrap_err();
        assert!(message.starts_with(&format!("GET {url} was refused: ")), "{message}");
    }
}

#[test]
fn a_base_url_is_only_a_base_url() {
    let base = |text: &str| Origin::new("x".parse().unwrap(), text);
    assert!(base("https://h.example").is_ok() && base("http://h.example:81/a/b/").is_ok());
    for text in [
        "ftp://h.example",
        "https://u:p@h.example",
        "https://h.example/?q",
        "https://h.example/#f",
        "https://h.example/a/../b",
        "https://h.example//",
        "h.example",
        "",
    ] {
        let message = base(text).unwrap_err().to_string();
        assert!(message.starts_with("the base URL of `x` cannot be used: ") && !message.contains("u:p"), "{text}");
    }
}
