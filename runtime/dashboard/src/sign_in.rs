//! Signs in with a token: a browser keeps it as a cookie that scripts do not see, and that requests of other sites do not carry.

use axum::body::Bytes;
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use intentbox_listen::http::{COOKIE, is_same_origin};
use serde_json::json;

use crate::query::Query;
use crate::render;

/// How long a browser keeps the token, in seconds: a working day.
const KEPT_S: u32 = 12 * 60 * 60;

/// The page that asks for a token.
pub(crate) fn page(trouble: &str) -> Response {
    render::open_page("Sign in", render::part("sign_in", &json!({ "trouble": trouble })))
}

/// Keeps the token of a form. Whether it is one that is accepted shows with the next page.
pub(crate) async fn sign_in(headers: HeaderMap, body: Bytes) -> Response {
    if !is_same_origin(&headers) {
        return render::foreign();
    }
    let form = Query::of_form(&body);
    let token = form.get("token").trim();
    let is_token = (8..=4_096).contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_graphic() && !b"\";,\\".contains(&byte));
    if !is_token {
        return page("This is no token: it has visible letters alone, and is at least 8 long.");
    }
    // A browser reached this server over TLS if the page of the form did, or if whoever stands in front says so.
    let is_of_https = |origin: &HeaderValue| origin.as_bytes().starts_with(b"https://");
    let is_secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https")
        || headers.get("origin").is_some_and(is_of_https);
    let secure = if is_secure { "; Secure" } else { "" };
    home(&format!("{COOKIE}={token}; Path=/; Max-Age={KEPT_S}; HttpOnly; SameSite=Strict{secure}"))
}

pub(crate) async fn sign_out(headers: HeaderMap) -> Response {
    if !is_same_origin(&headers) {
        return render::foreign();
    }
    home(&format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"))
}

/// Leads to the first page, with a cookie.
fn home(cookie: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}
