//! The secrets of an entry: what names say that a value may be one, and which values a server must not repeat.

use url::Url;

use crate::server::{Endpoint, Program, Transport};

/// What stands for a secret.
const HIDDEN: &str = "…";

/// Whether the value of a parameter or flag with this name may be a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "key", "auth", "credential", "signature"]
        .iter()
        .any(|word| name.contains(word))
}

/// Arguments without the values of flags such as `--token X` and `--api-key=X`, without `NAME=X` and headers such as
/// `Authorization: X` of such names, and without the password of a URL.
pub(crate) fn without_secrets(args: &[String]) -> Vec<String> {
    let (mut shown, mut hides_next) = (Vec::new(), false);
    for argument in args {
        let is_flag = argument.starts_with('-');
        let header = header(argument).filter(|header| is_secret_name(header.name)).map(|header| header.before);
        shown.push(match (header, argument.split_once('=')) {
            _ if hides_next && !is_flag => HIDDEN.to_owned(),
            (Some(name), _) => format!("{name}: {HIDDEN}"),
            (None, Some((name, _))) if !name.contains("://") && is_secret_name(name) => format!("{name}={HIDDEN}"),
            _ if argument.contains("://") => without_query_secrets(argument),
            _ => argument.clone(),
        });
        hides_next = is_flag && !argument.contains('=') && is_secret_name(argument);
    }
    shown
}

/// A header that is an argument: `Authorization: Bearer X` or `--header=Authorization: Bearer X`.
struct Header<'a> {
    /// What stands before the value.
    before: &'a str,
    name: &'a str,
    value: &'a str,
}

fn header(argument: &str) -> Option<Header<'_>> {
    let (before, value) = argument.split_once(':')?;
    let name = before.rsplit_once('=').map_or(before, |(_, name)| name);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (is_name && !value.starts_with("//")).then_some(Header { before, name, value })
}

/// A URL without its password and without the values of secret parameters.
pub(crate) fn without_query_secrets(text: &str) -> String {
    let Ok(mut url) = url::Url::parse(text) else { return text.to_owned() };
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let has_secret = pairs.iter().any(|(name, _)| is_secret_name(name));
    if !has_secret && url.password().is_none() {
        return text.to_owned();
    }
    if url.password().is_some() {
        let _ = url.set_password(Some("hidden"));
    }
    if has_secret {
        let shown = |(name, value): (String, String)| {
            if is_secret_name(&name) { (name, "hidden".to_owned()) } else { (name, value) }
        };
        let pairs: Vec<(String, String)> = pairs.into_iter().map(shown).collect();
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    url.to_string()
}

/// Whether the value of a variable in a file may be a secret. Any other one is told: loaders, interpreters and launchers read from
/// many what else to run, such as `LD_PRELOAD`, `NODE_OPTIONS` and `PAGER`.
pub(crate) fn may_be_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // `GIT_CONFIG_KEY_0` names a setting, and a setting can name a program, as `GOAUTH`, `SSH_ASKPASS` and
    // `CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS` do.
    let ends = ["_PROVIDER", "_PROVIDERS", "_HELPER", "_COMMAND", "_CMD", "_PROGRAM", "_PATH", "_FILE"];
    let names_program = name.starts_with("GIT_CONFIG_")
        || name == "GOAUTH"
        || name.contains("ASKPASS")
        || ends.iter().any(|end| name.ends_with(end));
    is_secret_name(&name) && !names_program
}

/// What a server must not repeat: these values of variables, and the values in its entry whose names are those of secrets. Of a text
/// in a URL, what it looks like there as well: the server gets it so. Of variables that no name calls a secret, digits alone are left
/// out, which are numbers elsewhere.
pub(crate) fn secrets(transport: &Transport, variables: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_number = |value: &String| value.bytes().all(|byte| byte.is_ascii_digit());
    let mut secrets: Vec<String> = variables.into_iter().filter(|value| !is_number(value)).collect();
    match transport {
        Transport::Stdio(Program { args, env, .. }) => {
            for (name, value) in env {
                secrets.extend(of_url(value));
                if names_secret(name) {
                    secrets.push(value.clone());
                }
            }
            let mut is_value = false;
            for argument in args {
                let is_flag = argument.starts_with('-');
                // `--token=X`, `DB_PASSWORD=X`, and the header `Authorization: Bearer X`.
                let named = argument.split_once('=').or_else(|| argument.split_once(':'));
                let named_secret = named.filter(|(name, _)| names_secret(name));
                // `--header=Authorization: Bearer X`, and a value that has a `=` of its own.
                let header = header(argument).filter(|header| names_secret(header.name));
                match header.map(|header| (header.name, header.value)).or(named_secret) {
                    _ if is_value && !is_flag => secrets.push(argument.clone()),
                    Some((_, value)) => secrets.push(value.trim().to_owned()),
                    None => {}
                }
                secrets.extend(of_url(argument));
                is_value = is_flag && named.is_none() && names_secret(argument);
            }
        }
        Transport::Http(Endpoint { url, .. }) => {
            let encoded: Vec<String> = secrets.iter().flat_map(|secret| encoded(secret)).collect();
            secrets.extend(encoded);
            secrets.extend(of_url(url));
        }
    }
    // Of `Bearer X`, X alone.
    let alone = |secret: &String| {
        let (scheme, rest) = secret.split_once(' ')?;
        let is_scheme = ["basic", "bearer", "token"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        is_scheme.then(|| rest.trim().to_owned())
    };
    let alone: Vec<String> = secrets.iter().filter_map(alone).collect();
    secrets.extend(alone);
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort();
    secrets.dedup();
    secrets
}

/// Whether a name says that its value is a secret, by its last word: `GITHUB_TOKEN`, `--api-key` and `clientSecret` do, and
/// `GIT_AUTHOR_NAME`, `MAX_TOKENS`, `KEYSPACE` and `SSH_KEY_PATH` do not.
pub(crate) fn names_secret(name: &str) -> bool {
    const LAST: [&str; 14] = [
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "pass",
        "key",
        "apikey",
        "auth",
        "authorization",
        "credential",
        "credentials",
        "pat",
        "signature",
    ];
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() || (letter.is_ascii_uppercase() && was_lower) {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric() {
            if words.is_empty() {
                words.push(String::new());
            }
            if let Some(last) = words.last_mut() {
                last.push(letter.to_ascii_lowercase());
            }
        }
        was_lower = letter.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    let is_header = words.ends_with(&["auth".to_owned(), "header".to_owned()]);
    let is_negated = words.first().is_some_and(|word| word == "no");
    is_header || (!is_negated && words.last().is_some_and(|last| LAST.contains(&last.as_str())))
}

/// The password of a URL and its secret parameters, as they are and as they stand there. One that is the user's name as well is none.
fn of_url(text: &str) -> Vec<String> {
    let Some(url) = Url::parse(text).ok().filter(Url::has_host) else { return Vec::new() };
    let mut secrets = Vec::new();
    for raw in url.query().unwrap_or_default().split('&') {
        let Some((name, value)) = url::form_urlencoded::parse(raw.as_bytes()).next() else { continue };
        if names_secret(&name) {
            secrets.push(value.into_owned());
            secrets.extend(raw.split_once('=').map(|(_, raw)| raw.to_owned()));
        }
    }
    if let Some(password) = url.password().filter(|password| *password != url.username()) {
        let pair = format!("password={}", password.replace('+', "%2B"));
        secrets.extend(url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()));
        secrets.push(password.to_owned());
    }
    secrets
}

/// A text as a URL has it, in its path and in its query.
fn encoded(text: &str) -> [String; 2] {
    let Ok(mut url) = Url::parse("http://a/") else { return [String::new(), String::new()] };
    url.set_path(text);
    url.set_query(Some(text));
    [url.path().trim_start_matches('/').to_owned(), url.query().unwrap_or_default().to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_no_secret_of_an_argument_or_of_a_query() {
        for (args, expected) in [
            (&["--token", "abc", "x"][..], "npx --token … x"),
            (&["--api-key=abc", "--name=x"], "npx --api-key=… --name=x"),
            (&["GITHUB_TOKEN=abc", "--auth", "--verbose"], "npx GITHUB_TOKEN=… --auth --verbose"),
            (
                &["postgres://me:abc@db/shop", "https://x.example/?key=abc&page=2"],
                "npx postgres://me:hidden@db/shop https://x.example/?key=hidden&page=2",
            ),
            (&["https://x.example/?page=2", "-y"], "npx https://x.example/?page=2 -y"),
            (
                &["--header", "Authorization: Bearer abc", "--header=X-Api-Key:abc", "Accept: text/plain"],
                "npx --header Authorization: … --header=X-Api-Key: … Accept: text/plain",
            ),
            (&["Authorization: Basic abc=="], "npx Authorization: …"),
        ] {
            let args = args.iter().map(|argument| (*argument).to_owned()).collect();
            let transport = Transport::Stdio(Program { command: "npx".to_owned(), args, ..Program::default() });
            let shown = transport.shown().replace(['"', '\''], "");
            assert_eq!(shown, expected);
            assert_eq!(
                transport.summary().contains("abc"),
                expected.contains(['…']) || expected.contains("hidden"),
                "{shown}"
            );
        }
        let endpoint = Endpoint { url: "https://x.example/mcp?token=abc".to_owned(), ..Endpoint::default() };
        let transport = Transport::Http(endpoint);
        assert_eq!(transport.shown(), "\"https://x.example/mcp?token=hidden\"");
    }

    fn of(transport: &Transport, variables: &[&str]) -> Vec<String> {
        secrets(transport, variables.iter().map(|value| (*value).to_owned()))
    }

    #[test]
    fn m14_a_value_is_a_secret_by_its_name_wherever_it_stands() {
        let program = |args: &[&str], env: &[(&str, &str)]| {
            Transport::Stdio(Program {
                command: "npx".to_owned(),
                args: args.iter().map(|text| (*text).to_owned()).collect(),
                env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                cwd: None,
            })
        };
        let args = [
            "--token",
            "in-flag",
            "--api-key=in-word",
            "DB_PASSWORD=in-name",
            "-y",
            "postgres://me:in%2Furl@db/shop",
            "--header",
            "Authorization: Bearer in-header",
            "--header=X-Api-Key:in-flag-header",
            "Authorization: Basic aW4ta2V5==",
            "--auth-url",
            "https://a.example/?key=in-query",
        ];
        let env = [
            ("MY_TOKEN", "in-env"),
            ("PIN_CODE_KEY", "12345678"),
            ("ROOT", "/srv"),
            ("DATABASE_URL", "postgres://me:in-env-url@db/shop"),
        ];
        assert_eq!(
            of(&program(&args, &env), &["in-variable", "87654321"]),
            [
                "12345678",
                "Basic aW4ta2V5==",
                "Bearer in-header",
                "aW4ta2V5==",
                "in%2Furl",
                "in-env",
                "in-env-url",
                "in-flag",
                "in-flag-header",
                "in-header",
                "in-name",
                "in-query",
                "in-variable",
                "in-word",
                "in/url"
            ]
        );
        let plain = ["--author", "Ada Lovelace", "--no-auth", "my-server", "postgres://postgres:postgres@db/shop"];
        let env = [
            ("GIT_AUTHOR_NAME", "Ada Lovelace"),
            ("AUTH_METHOD", "password"),
            ("MAX_TOKENS", "a lot of"),
            ("KEYSPACE", "keyspace"),
            ("SSH_KEY_PATH", "/home/me/.ssh/id"),
            ("GIT_CONFIG_KEY_0", "user.name"),
        ];
        assert_eq!(of(&program(&plain, &env), &[]), Vec::<String>::new());
        let http = |url: &str| Transport::Http(Endpoint { url: url.to_owned(), ..Endpoint::default() });
        let url = "https://a.example/p/x%20y@z/mcp?flag&page=2&api_key=a%2Fb+c&keyword=word";
        assert_eq!(of(&http(url), &["x y@z"]), ["a%2Fb+c", "a/b c", "x y@z", "x%20y@z"]);
    }
}
