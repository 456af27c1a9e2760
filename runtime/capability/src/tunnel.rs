//! Requests that override their own method. **This file is a boundary.**
//!
//! Many frameworks let a form, which can only POST, override the method: `?_method=DELETE`, or a field of that name in
//! its body. That would turn a rule for POST into one for DELETE. Invariant: if a query or a form names a method in one
//! of the ways that frameworks read, the grant covers that method for this path too; and a form in a character set or
//! spelling that cannot be searched is not sent.
//!
//! A script chose the bytes that are searched, and the parsers that read them are unknown: names are compared by their
//! letters, decoded both once and twice.

use crate::refusal::shown;
use crate::rule::Method;

/// How many bytes of a field's name in a body in parts are looked at: each of the names that are looked for fits in twice
/// encoded, and a body of nothing but names is still read in one go.
const FIELD_BYTES_MAX: usize = 256;

/// A name in a query or a body that overrides the method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tunnel {
    /// The name, as a server reads it.
    pub(crate) name: String,
    /// The method it asks for, if that is one that can be granted.
    pub(crate) method: Option<Method>,
}

/// What keeps a body from being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// It names another method.
    Tunnel(Tunnel),
    /// It could name one in a place that is not searched. The text says which, as the beginning of a sentence.
    Unsearched(String),
}

/// The character sets in which the names that are looked for are the same bytes. In others, such as UTF-16 and UTF-7, they
/// are not.
const CHARACTER_SETS: [&str; 10] =
    ["ascii", "cp1252", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii", "utf-8", "utf8", "windows-1252"];

/// The first name of a query or of a form that asks for a method that is not among the `granted`. `sent` is the method of
/// the request itself.
pub(crate) fn in_form(text: &[u8], sent: Method, granted: &[Method]) -> Option<Tunnel> {
    // What is decoded is split once more by some.
    in_pairs(text, sent, granted).or_else(|| {
        let once = decoded(text);
        in_pairs(&once, sent, granted).or_else(|| in_pairs(&decoded(&once), sent, granted))
    })
}

/// The type of a form, or a field in it, that says it is in a character set in which it cannot be searched.
pub(crate) fn in_other_letters(form: &[u8], content_types: &[&str], granted: &[Method]) -> Option<Finding> {
    if changes_all(granted) {
        return None;
    }
    let by_type = content_types.iter().find_map(|found| other_character_set(found.as_bytes()));
    let by_field = || {
        form.split(|byte| matches!(byte, b'&' | b';')).find_map(|pair| {
            let mut parts = pair.splitn(2, |byte| *byte == b'=');
            let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_field = decoded(name).eq_ignore_ascii_case(b"_charset_");
            is_field.then(|| unknown(&decoded(value))).flatten()
        })
    };
    by_type.or_else(by_field).map(Finding::Unsearched)
}

/// The same of a body in parts. What a field holds is not read, since parsers disagree about where it begins: a name
/// alone asks for every method that changes something.
pub(crate) fn in_parts(body: &[u8], content_types: &[&str], granted: &[Method]) -> Option<Finding> {
    if changes_all(granted) {
        return None;
    }
    if let Some(what) = content_types.iter().find_map(|found| other_character_set(found.as_bytes())) {
        return Some(Finding::Unsearched(what));
    }
    let lower = body.to_ascii_lowercase();
    if let Some(what) = in_types_of_parts(&lower) {
        return Some(Finding::Unsearched(what));
    }
    let mut rest = lower.as_slice();
    while let Some(at) = rest.windows(4).position(|window| window == b"name") {
        let is_field = !rest[..at].ends_with(b"file");
        rest = &rest[at + 4..];
        if is_field && is_continued(rest) {
            return Some(Finding::Unsearched("a form with a name in pieces".to_owned()));
        }
        // `name="x"`, `name=x`, `name*=utf-8''x`, with spaces anywhere.
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'*' | b'=' | b'"' | b'\'');
        let value = &rest[rest.iter().take_while(|byte| blank(byte)).count()..];
        let value = &value[..value.len().min(FIELD_BYTES_MAX)];
        let end = value.iter().position(|byte| matches!(byte, b'"' | b';' | b'\r' | b'\n'));
        let value = &value[..end.unwrap_or(value.len())];
        // RFC 2047: `=?utf-8?q?=5Fmethod?=`.
        if is_field && value.windows(3).any(|window| matches!(window, b"?q?" | b"?b?")) {
            return Some(Finding::Unsearched("a form with an encoded name".to_owned()));
        }
        let encoded = value.rsplit(|byte| *byte == b'\'').find(|part| !part.is_empty()).unwrap_or_default();
        let name = decoded(encoded);
        if is_field && name.trim_ascii() == b"_charset_" {
            return Some(Finding::Unsearched("a form with a field `_charset_`".to_owned()));
        }
        if is_override(&name) {
            let name = String::from_utf8_lossy(&name).into_owned();
            return Some(Finding::Tunnel(Tunnel { name, method: None }));
        }
    }
    None
}

/// If all of these are granted, no name can ask for more.
fn changes_all(granted: &[Method]) -> bool {
    [Method::Put, Method::Patch, Method::Delete].iter().all(|method| granted.contains(method))
}

/// The first unknown character set that one of the parts says its value is in. A header may go on in lines that begin
/// with white space.
fn in_types_of_parts(lower: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"content-type";
    let mut rest = lower;
    while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME) {
        rest = &rest[at + NAME.len()..];
        let goes_on = |end: usize| matches!(rest.get(end + 1), Some(b' ' | b'\t'));
        let end = (0..rest.len()).find(|end| rest[*end] == b'\n' && !goes_on(*end)).unwrap_or(rest.len());
        let (header, behind) = rest.split_at(end);
        if let Some(what) = other_character_set(header) {
            return Some(what);
        }
        rest = behind;
    }
    None
}

/// The first unknown `charset` among the parameters of a type.
fn other_character_set(content_type: &[u8]) -> Option<String> {
    content_type.split(|byte| matches!(byte, b';' | b',')).find_map(|parameter| {
        let at = parameter.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (parameter[..at].to_ascii_lowercase(), &parameter[at + 1..]);
        let is_charset = name.windows(7).any(|window| window == b"charset");
        is_charset.then(|| unknown(value)).flatten()
    })
}

/// A form in this character set, unless it is one of those that are known.
fn unknown(character_set: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(character_set).to_ascii_lowercase();
    let name = text.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\''));
    (!CHARACTER_SETS.contains(&name)).then(|| format!("a form in the character set `{}`", shown(name)))
}

/// RFC 2231: `name*0="_met"; name*1="hod"`, and the encoded `name*0*=`.
fn is_continued(behind_name: &[u8]) -> bool {
    let text = behind_name.trim_ascii_start();
    let Some(text) = text.strip_prefix(b"*") else { return false };
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text[digits..].trim_ascii_start();
    let text = text.strip_prefix(b"*").unwrap_or(text).trim_ascii_start();
    digits > 0 && text.starts_with(b"=")
}

fn in_pairs(text: &[u8], sent: Method, granted: &[Method]) -> Option<Tunnel> {
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
            "a=1%26_method%3DDELETE",
            "a=1%2526_method%253DDELETE",
            "a=1%3b_method=DELETE",
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
            prop_assert_eq!(in_parts(&bytes, &[], &all), None);
            // It ends.
            in_parts(&bytes, &[], &POST);
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
            let found = in_parts(part(disposition).as_bytes(), &[], &POST);
            assert!(matches!(found, Some(Finding::Tunnel(_))), "{disposition}: {found:?}");
        }
        for disposition in ["name=\"method\"", "name=\"file\"; filename=\"_methods.txt\"", "", "name"] {
            assert_eq!(in_parts(part(disposition).as_bytes(), &[], &POST), None, "{disposition}");
        }
        let all = [Method::Post, Method::Put, Method::Patch, Method::Delete];
        assert_eq!(in_parts(part("name=\"_method\"").as_bytes(), &[], &all), None);
    }

    #[test]
    fn h10_a_form_in_letters_that_are_not_searched_is_found() {
        let form = |body: &str, kind: &str| in_other_letters(body.as_bytes(), &[kind], &POST);
        let unsearched = |what: &str| Some(Finding::Unsearched(what.to_owned()));
        let urlencoded = "application/x-www-form-urlencoded";
        for charset in ["utf-16", "UTF-7", "ibm500", ""] {
            let expected = unsearched(&format!("a form in the character set `{}`", charset.to_lowercase()));
            for kind in [
                format!("{urlencoded}; charset={charset}"),
                format!("{urlencoded};CHARSET = \"{charset}\""),
                format!("{urlencoded}; charset=utf-8; charset={charset}"),
            ] {
                assert_eq!(form("a=1", &kind), expected, "{kind}");
                assert_eq!(in_parts(b"", &[&kind], &POST), expected, "{kind}");
                let part = format!("--b\r\nContent-Type:\r\n {kind}\r\n\r\nx\r\n--b--");
                assert_eq!(in_parts(part.as_bytes(), &[], &POST), expected, "{part}");
                assert_eq!(in_parts(part.as_bytes(), &[&kind], &Method::ALL), None);
                assert_eq!(in_other_letters(b"a=1", &[&kind], &Method::ALL), None);
            }
        }
        assert_eq!(form("a=1&%5Fcharset_=utf-16", urlencoded), unsearched("a form in the character set `utf-16`"));
        for charset in CHARACTER_SETS {
            let kind = format!("{urlencoded}; charset={}", charset.to_uppercase());
            assert_eq!(form(&format!("a=1&_charset_={charset}"), &kind), None, "{kind}");
        }
        // What a file holds says nothing about the form.
        let file = "--b\r\nContent-Type: text/html\r\n\r\n<meta charset=utf-16>\r\n--b--";
        assert_eq!(in_parts(file.as_bytes(), &["multipart/form-data; boundary=charset"], &POST), None);
        for (name, what) in [
            ("name=\"_charset_\"", "a form with a field `_charset_`"),
            ("name*0=\"_met\"; name*1=\"hod\"", "a form with a name in pieces"),
            ("name*0*=utf-8''%5Fmet; name*1=hod", "a form with a name in pieces"),
            ("name=\"=?utf-8?q?=5Fmethod?=\"", "a form with an encoded name"),
            ("name=\"=?UTF-8?B?X21ldGhvZA==?=\"", "a form with an encoded name"),
        ] {
            let part = format!("--b\r\nContent-Disposition: form-data; {name}\r\n\r\nDELETE\r\n--b--");
            assert_eq!(in_parts(part.as_bytes(), &[], &POST), unsearched(what), "{name}");
            let file = part.replace("name", "filename");
            assert_eq!(in_parts(file.as_bytes(), &[], &POST), None, "{file}");
        }
    }
}
