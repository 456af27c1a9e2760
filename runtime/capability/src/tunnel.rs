//! Requests that name another method than the one they are sent with. **This file is a boundary.**
//!
//! Many frameworks let a form, which can only POST, say what it means: `?_method=DELETE`, or a field of that name in its
//! body. A rule for POST would be one for DELETE by it. Invariant: where a query or a form names a method in one of the ways
//! that frameworks read, it is one that the grant covers for this path too.
//!
//! What is looked at is bytes of a script's choice, for parsers that are not known: names are compared by their letters, and
//! read both once and twice decoded.

use crate::rule::Method;

/// How many bytes of a field's name in a body in parts are looked at: each of the names that are looked for fits in twice
/// encoded, and a body of nothing but names is still read in one go.
const FIELD_BYTES_MAX: usize = 256;

/// A name in a query or a body that makes it another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tunnel {
    /// The name, as a server reads it.
    pub(crate) name: String,
    /// The method it asks for, if that is one that can be granted.
    pub(crate) method: Option<Method>,
}

/// The first name of a query or of a form that asks for a method that is not among the `granted`. `sent` is the method of
/// the request itself.
pub(crate) fn in_form(text: &[u8], sent: Method, granted: &[Method]) -> Option<Tunnel> {
    // Some servers separate with semicolons.
    text.split(|byte| matches!(byte, b'&' | b';')).find_map(|pair| {
        let mut parts = pair.splitn(2, |byte| *byte == b'=');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if name.len() < "method".len() {
            return None;
        }
        let (once, value_once) = (decoded(name), decoded(value));
        let twice = in_pair(&decoded(&once), &decoded(&value_once), sent, granted);
        in_pair(&once, &value_once, sent, granted).or(twice)
    })
}

/// The same of a body in parts. What a field holds is not read, since parsers disagree about where it begins: a name
/// alone asks for every method that changes something.
pub(crate) fn in_parts(body: &[u8], granted: &[Method]) -> Option<Tunnel> {
    if [Method::Put, Method::Patch, Method::Delete].iter().all(|method| granted.contains(method)) {
        return None;
    }
    let lower = body.to_ascii_lowercase();
    let mut rest = lower.as_slice();
    while let Some(at) = rest.windows(4).position(|window| window == b"name") {
        rest = &rest[at + 4..];
        // `name="x"`, `name=x`, `name*=utf-8''x`, with spaces anywhere.
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'*' | b'=' | b'"' | b'\'');
        let value = &rest[rest.iter().take_while(|byte| blank(byte)).count()..];
        let value = &value[..value.len().min(FIELD_BYTES_MAX)];
        let end = value.iter().position(|byte| matches!(byte, b'"' | b';' | b'\r' | b'\n'));
        let value = &value[..end.unwrap_or(value.len())];
        let encoded = value.rsplit(|byte| *byte == b'\'').find(|part| !part.is_empty()).unwrap_or_default();
        let name = decoded(encoded);
        if is_override(&name) {
            return Some(Tunnel { name: String::from_utf8_lossy(&name).into_owned(), method: None });
        }
    }
    None
}

fn in_pair(name: &[u8], value: &[u8], sent: Method, granted: &[Method]) -> Option<Tunnel> {
    let method = String::from_utf8_lossy(value).trim().parse::<Method>().ok();
    let writes = !matches!(sent, Method::Get | Method::Head);
    // Some frameworks take a plain `method`. Where nothing is sent but a question, it is one about methods.
    let is_named = is_override(name) || (writes && method.is_some() && letters(name).ends_with("method"));
    if !is_named || method.is_some_and(|method| granted.contains(&method)) {
        return None;
    }
    Some(Tunnel { name: String::from_utf8_lossy(name).into_owned(), method })
}

/// Whether frameworks take the method from a field of this name: `_method`, `$httpMethod`, `X-HTTP-Method-Override` and
/// their kind. PHP reads `.method` and ` method` as `_method`, and what follows a bracket as an index.
fn is_override(name: &[u8]) -> bool {
    let end = name.iter().skip(1).position(|byte| matches!(byte, b'[' | 0)).map_or(name.len(), |at| at + 1);
    let name = &name[..end];
    let letters = letters(name);
    let is_marked = name.first().is_some_and(|first| !first.is_ascii_alphanumeric());
    letters.contains("methodoverride")
        || letters == "xhttpmethod"
        || (is_marked && matches!(letters.as_str(), "method" | "httpmethod"))
}

fn letters(name: &[u8]) -> String {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// Form-decoded once; a percent sign that encodes nothing stays.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let encoded = (text[at] == b'%').then(|| digit(at + 1).zip(digit(at + 2))).flatten();
        let byte = encoded.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        decoded.push(byte.unwrap_or(if text[at] == b'+' { b' ' } else { text[at] }));
        at += if byte.is_some() { 3 } else { 1 };
    }
    decoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POST: [Method; 2] = [Method::Get, Method::Post];

    #[expect(clippy::option_option, reason = "a form may name a method, and one that is known")]
    fn form(text: &str) -> Option<Option<Method>> {
        in_form(text.as_bytes(), Method::Post, &POST).map(|tunnel| tunnel.method)
    }

    #[test]
    fn h10_a_form_that_names_another_method_is_found_in_every_spelling() {
        for text in [
            "_method=DELETE",
            "a=1&_method=delete&b=2",
            "a=1;_Method=Delete",
            "%5fmethod=DELETE",
            "%5Fmethod=%44ELETE",
            "%255fmethod=DELETE",
            "_method=DELETE%20",
            "+_method=DELETE",
            ".method=DELETE",
            "_method%00=DELETE",
            "_method[]=DELETE",
            "$httpMethod=DELETE",
            "_HttpMethod=DELETE",
            "X-HTTP-Method-Override=DELETE",
            "x_http_method_override=DELETE",
            "X-HTTP-Method=DELETE",
            "X-Method-Override=DELETE",
            "_method_override=DELETE",
            "method=DELETE",
            "httpMethod=DELETE",
            "_method=GET&_method=DELETE",
        ] {
            assert_eq!(form(text), Some(Some(Method::Delete)), "{text}");
        }
        for text in ["_method", "_method=", "_method=PURGE", "_method=DELETE%00", "_method=GET,DELETE"] {
            assert_eq!(form(text), Some(None), "{text}");
        }
        assert_eq!(
            in_form(b"_method=DELETE", Method::Get, &POST).map(|tunnel| tunnel.name),
            Some("_method".to_owned())
        );
    }

    #[test]
    fn h10_a_form_that_names_no_other_method_is_left_alone() {
        for text in [
            "",
            "a=1&b=DELETE",
            "_method=POST",
            "_method=get",
            "method=flickr.photos.search",
            "payment_method=card",
            "methods=DELETE",
            "text=_method%3DDELETE",
            "my_method=1",
            "%zz=%",
        ] {
            assert_eq!(form(text), None, "{text}");
        }
        // A question about methods is one, where nothing is sent but questions.
        assert_eq!(in_form(b"http_method=DELETE", Method::Get, &POST), None);
        let all = [Method::Post, Method::Put, Method::Patch, Method::Delete];
        assert_eq!(in_form(b"_method=DELETE", Method::Post, &all), None);
    }

    /// Bytes of a script's choice, with what the search looks for among them.
    fn near_forms() -> impl Strategy<Value = Vec<u8>> {
        let pieces =
            ["name", "_method", "method", "%5f", "%", "=", "&", ";", "\"", "'", "[", "\0", "DELETE", "\r\n", "*", "+"];
        let piece = prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec());
        let byte = any::<u8>().prop_map(|byte| vec![byte]);
        prop::collection::vec(prop_oneof![piece, byte], 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn h10_any_bytes_are_searched_to_their_end(bytes in near_forms()) {
            let all = Method::ALL;
            prop_assert_eq!(in_parts(&bytes, &all), None);
            prop_assert!(in_form(&bytes, Method::Post, &all).is_none_or(|found| found.method.is_none()));
            // What is found before is found with more behind it.
            let more = [bytes.as_slice(), b"&a=1"].concat();
            prop_assert_eq!(in_form(&bytes, Method::Post, &POST).is_some(), in_form(&more, Method::Post, &POST).is_some());
            let more = [b"a=1&".as_slice(), &bytes, b"&_method=DELETE"].concat();
            prop_assert!(in_form(&more, Method::Post, &POST).is_some());
        }
    }

    #[test]
    fn h10_a_body_in_parts_is_searched_for_the_names_of_its_fields() {
        let part = |disposition: &str| {
            format!("--b\r\nContent-Disposition: form-data; {disposition}\r\n\r\nDELETE\r\n--b--\r\n")
        };
        for disposition in [
            "name=\"_method\"",
            "NAME=\"_method\"",
            "name=_method",
            "name = \"_METHOD\"",
            "name*=utf-8''%5Fmethod",
            "name='_method'",
            "filename=\"a\"; name=\"X-HTTP-Method-Override\"",
        ] {
            assert!(in_parts(part(disposition).as_bytes(), &POST).is_some(), "{disposition}");
        }
        for disposition in ["name=\"method\"", "name=\"file\"; filename=\"_methods.txt\"", "", "name"] {
            assert_eq!(in_parts(part(disposition).as_bytes(), &POST), None, "{disposition}");
        }
        let all = [Method::Post, Method::Put, Method::Patch, Method::Delete];
        assert_eq!(in_parts(part("name=\"_method\"").as_bytes(), &all), None);
    }
}
