//! Headers of a request that the SDK reads more narrowly than clients write them.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

/// Both types that an answer may have, as the SDK wants to see them.
const BOTH: &str = "application/json, text/event-stream";

/// Names both types of an answer for a client that accepts any: the SDK asks for their names.
pub(super) fn name_accepted_types(headers: &mut HeaderMap) {
    if accepts_anything(headers) {
        headers.insert(ACCEPT, HeaderValue::from_static(BOTH));
    }
}

/// Whether one of the accepted types is `*/*`, with a weight above zero.
fn accepts_anything(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        parts.next() == Some("*/*") && !parts.any(is_weight_of_zero)
    })
}

fn is_weight_of_zero(parameter: &str) -> bool {
    let weight = parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    weight.is_some_and(|(_, weight)| weight.trim().trim_matches(['.', '0']).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_accepts_anything_accepts_both_types() {
        for (accepted, named) in [
            (vec!["*/*"], "application/json, text/event-stream"),
            (vec!["application/json, */*;q=0.1"], "application/json, text/event-stream"),
            (vec!["text/html", "*/* ; q=1"], "application/json, text/event-stream"),
            (vec!["*/*;q=0"], "*/*;q=0"),
            (vec!["*/*;q=0.000"], "*/*;q=0.000"),
            (vec!["application/json"], "application/json"),
            (vec!["text/*"], "text/*"),
            (vec![""], ""),
        ] {
            let mut headers = HeaderMap::new();
            for &value in &accepted {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }
            name_accepted_types(&mut headers);
            assert_eq!(headers.get(ACCEPT).map(HeaderValue::as_bytes), Some(named.as_bytes()), "{accepted:?}");
        }
        let mut none = HeaderMap::new();
        name_accepted_types(&mut none);
        assert!(none.is_empty());
    }
}
