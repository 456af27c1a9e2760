//! Renders templates, and sets the headers of every page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use intentbox_engine::Principal;
use intentbox_store::StoreError;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value as Given};
use serde_json::{Value, json};

/// What a page may load and do: its own style and script, requests to this server, and forms that go to it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The pages, by their names.
const PAGES: [(&str, &str); 13] = [
    ("layout", include_str!("../pages/layout.html")),
    ("jobs", include_str!("../pages/jobs.html")),
    ("rows", include_str!("../pages/rows.html")),
    ("live", include_str!("../pages/live.html")),
    ("job", include_str!("../pages/job.html")),
    ("templates", include_str!("../pages/templates.html")),
    ("tools", include_str!("../pages/tools.html")),
    ("trends", include_str!("../pages/trends.html")),
    ("plot", include_str!("../pages/plot.html")),
    ("refusals", include_str!("../pages/refusals.html")),
    ("try", include_str!("../pages/try.html")),
    ("value", include_str!("../pages/value.html")),
    ("sign_in", include_str!("../pages/sign_in.html")),
];

/// The pages of the menu: path and name.
const MENU: [(&str, &str); 6] = [
    ("/", "Jobs"),
    ("/ui/try", "Try an intent"),
    ("/ui/templates", "Templates"),
    ("/ui/tools", "Tools"),
    ("/ui/trends", "Trends"),
    ("/ui/refusals", "Refusals"),
];

/// # Panics
/// Never: a test renders each of them.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in PAGES {
        environment.add_template(name, text).expect("a test reads it");
    }
    environment
});

/// A part of a page, of these values and of what is HTML already.
pub(crate) fn part_with(name: &str, values: &Value, html: &[(&str, String)]) -> Result<String, minijinja::Error> {
    let fields = values.as_object().into_iter().flatten();
    let mut given: BTreeMap<&str, Given> =
        fields.map(|(name, value)| (name.as_str(), Given::from(Serde(value)))).collect();
    given.extend(html.iter().map(|(name, text)| (*name, Given::from_safe_string(text.clone()))));
    ENVIRONMENT.get_template(name)?.render(Given::from_pairs(given))
}

/// A part of a page.
pub(crate) fn part(name: &str, values: &Value) -> Result<String, minijinja::Error> {
    part_with(name, values, &[])
}

/// A page for somebody. `path` is its place in the menu, and `body` what it has.
pub(crate) fn page(principal: &Principal, path: &str, title: &str, body: Result<String, minijinja::Error>) -> Response {
    let menu = MENU.iter().map(|(to, name)| json!({"path": to, "name": name, "is_here": *to == path}));
    let values = json!({"title": title, "menu": menu.collect::<Value>(), "who": principal.name()});
    within_layout(&values, body)
}

/// A page for somebody unknown, without a menu.
pub(crate) fn open_page(title: &str, body: Result<String, minijinja::Error>) -> Response {
    within_layout(&json!({"title": title}), body)
}

fn within_layout(values: &Value, body: Result<String, minijinja::Error>) -> Response {
    let page = body.and_then(|body| part_with("layout", values, &[("body", body)]));
    page.map_or_else(|_| plain("the page cannot be rendered"), html_response)
}

fn plain(text: &str) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{text}\n")).into_response()
}

/// A page that says one thing.
pub(crate) fn message(title: &str, text: &str) -> Response {
    let back = "<p><a href=\"/\">To the jobs</a></p>";
    open_page(title, Ok(format!("<h1>{}</h1><p>{}</p>{back}", escaped(title), escaped(text))))
}

/// Something went wrong here.
pub(crate) fn failed(why: &str) -> Response {
    with_status(StatusCode::SERVICE_UNAVAILABLE, message("This does not work now", why))
}

/// The store does not answer. Where it lies is the operator's affair.
pub(crate) fn unstored(error: &StoreError) -> Response {
    failed(intentbox_api::unstored(error))
}

/// There is no such thing.
pub(crate) fn missing(what: &str) -> Response {
    with_status(StatusCode::NOT_FOUND, message("Not found", what))
}

/// A form came from a page that is none of these.
pub(crate) fn foreign() -> Response {
    with_status(
        StatusCode::FORBIDDEN,
        message("Not allowed", "This form came from another page. Load the page here and try again."),
    )
}

fn with_status(status: StatusCode, mut response: Response) -> Response {
    *response.status_mut() = status;
    response
}

/// The part of a page that changes, for the script.
pub(crate) fn fragment(part: Result<String, minijinja::Error>) -> Response {
    part.map_or_else(|_| plain("it cannot be rendered"), html_response)
}

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

pub(crate) fn html_response(html: String) -> Response {
    let mut response = ([(CONTENT_TYPE, "text/html; charset=utf-8")], visible(html)).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        // Not `no-referrer`: browsers would then send the origin of a form as `null`.
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The same with a sign in the place of each control character, which HTML may not have, but for those between lines.
fn visible(html: String) -> String {
    let is_hidden = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    if html.contains(is_hidden) { html.replace(is_hidden, "\u{fffd}") } else { html }
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind), (X_CONTENT_TYPE_OPTIONS, "nosniff"), (CACHE_CONTROL, "max-age=300")], text).into_response()
}

pub(crate) async fn style() -> Response {
    asset("text/css; charset=utf-8", include_str!("../pages/style.css"))
}

pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", include_str!("../pages/script.js"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_read_and_values_are_escaped() {
        for (name, _) in PAGES {
            assert!(ENVIRONMENT.get_template(name).is_ok(), "{name}");
        }
        let rows = part("rows", &json!({"jobs": [{"id": "<b>", "asked": "\"><script>"}]}));
        let rows = rows.expect("it renders");
        assert!(rows.contains("&lt;b&gt;") && !rows.contains("<script>"), "{rows}");
        assert_eq!(visible("a\u{1b}[31m\u{0}\u{85}\tb\r\n".to_owned()), "a\u{fffd}[31m\u{fffd}\u{fffd}\tb\r\n");
        assert_eq!(escaped("<a href=\"'&\">"), "&lt;a href=&quot;&#39;&amp;&quot;&gt;");
    }
}
