//! A token that a browser keeps and sends with every request. **This file is a boundary**: other sites can make a browser send requests,
//! and so its cookies.
//!
//! Invariant: a token counts only for a request that changes nothing, or that a page of this very server sent. Who sets the cookie sets
//! `SameSite=Strict` and `HttpOnly` as well, so that this is the second of two locks.

use axum::http::header::COOKIE as HEADER;
use axum::http::{HeaderMap, Method};

use super::host_and_origin::is_same_origin;

/// The name of the cookie.
pub const COOKIE: &str = "intentbox_token";

/// The token of a browser, if this request may have one. Of several cookies of the name none counts: another program on this machine may
/// have set one of them.
pub(super) fn token<'a>(method: &Method, headers: &'a HeaderMap) -> Option<&'a str> {
    if method != Method::GET && method != Method::HEAD && !is_same_origin(headers) {
        return None;
    }
    let pairs =
        headers.get_all(HEADER).iter().filter_map(|header| header.to_str().ok()).flat_map(|text| text.split(';'));
    let mut tokens = pairs.filter_map(|pair| pair.trim().split_once('=')).filter(|(name, _)| *name == COOKIE);
    match (tokens.next(), tokens.next()) {
        (Some((_, token)), None) => Some(token),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::{HOST, ORIGIN};

    use super::*;

    fn read(method: &Method, origin: &'static str, cookies: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "127.0.0.1:8360".parse().expect("a header"));
        if !origin.is_empty() {
            headers.insert(ORIGIN, origin.parse().expect("a header"));
        }
        for cookie in cookies {
            headers.append(HEADER, cookie.parse().expect("a header"));
        }
        token(method, &headers).map(str::to_owned)
    }

    #[test]
    fn a_cookie_counts_for_looking_and_for_pages_of_this_server() {
        let cookies = &["a=b; intentbox_token=t0ken; c=d"][..];
        let here = "http://127.0.0.1:8360";
        let found = Some("t0ken".to_owned());
        assert_eq!((read(&Method::GET, "", cookies), read(&Method::HEAD, "", cookies)), (found.clone(), found.clone()));
        assert_eq!(read(&Method::POST, here, cookies), found);
        for other in ["", "null", "http://127.0.0.1:3000", "http://localhost:8360", "https://evil.example"] {
            assert_eq!(read(&Method::POST, other, cookies), None, "{other}");
            assert_eq!(read(&Method::DELETE, other, cookies), None, "{other}");
        }
    }

    #[test]
    fn of_several_cookies_none_counts() {
        for cookies in
            [&["intentbox_token=a; intentbox_token=b"][..], &["intentbox_token=a", "intentbox_token=b"], &["x=1"], &[]]
        {
            assert_eq!(read(&Method::GET, "", cookies), None, "{cookies:?}");
        }
    }
}
