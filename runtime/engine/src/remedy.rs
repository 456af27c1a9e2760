//! Remedies for refusals: the line of the policy that would allow the call, if one can.
//!
//! A script of `exec` gets what the policy permits, so one more line is enough. A template gets what it wants as far as
//! the policy permits it, so a line helps only if the template asks for the access. The proposed line is for that
//! template alone, and covers all paths that it asks for: the one path of a refusal would be a rule for one issue.

use intentbox_capability::{Access, Alias, HttpRule, Method, Refusal, WrittenRule};
use intentbox_catalog::{Template, TemplateId};
use intentbox_files::Directories;
use intentbox_report::Remedy;

/// How many of a template's wants a hint lists.
const LISTED_MAX: usize = 4;

/// Whose run it is.
#[derive(Debug, Clone)]
pub(crate) enum Asker {
    /// A script of `exec`.
    Exec,
    /// A template, with what it asks for.
    Template { id: TemplateId, wants: Access },
}

impl Asker {
    pub(crate) fn of(template: &Template) -> Self {
        Asker::Template { id: template.id().clone(), wants: template.wants().clone() }
    }

    /// What to do about a refusal, with these directories configured; `None` if the request itself is invalid.
    pub(crate) fn remedy(&self, refusal: &Refusal, directories: &Directories) -> Option<Remedy> {
        let asks_for = |alias: &Alias| match self {
            Asker::Exec => true,
            Asker::Template { wants, .. } => wants.read.contains(alias),
        };
        if let Refusal::NotReadable { alias, .. } = refusal
            && asks_for(alias)
            && !directories.has(alias)
        {
            return Some(Remedy::Advice(self.absent(alias)));
        }
        let Asker::Template { id, wants } = self else { return refusal.hint("exec").map(Remedy::Permit) };
        let table = table_of(id);
        let anything = refusal.hint(&table)?;
        let asked = match refusal {
            Refusal::UnknownAlias { alias, .. } if wants.http.iter().any(|want| want.alias() == alias) => {
                return Some(Remedy::Permit(anything));
            }
            Refusal::NotReadable { alias, .. } if wants.read.contains(alias) => return Some(Remedy::Permit(anything)),
            _ => asked(refusal),
        };
        let want = asked.and_then(|(asked, method)| {
            let want = wants.http.iter().find(|want| asked.lacking(std::slice::from_ref(*want)).is_none())?;
            want.only(method)
        });
        Some(match want {
            Some(want) => Remedy::Permit(format!("add {} to http under [{table}] in policy.toml", want.written())),
            None => Remedy::Advice(in_vain(id, wants)),
        })
    }
}

impl Asker {
    /// The hint if no directory has this name: a line of the policy alone would permit nothing that exists. The flag
    /// permits too, but only to `exec` and to the pack of the name.
    fn absent(&self, alias: &Alias) -> String {
        let (table, flag_permits) = match self {
            Asker::Exec => ("exec".to_owned(), true),
            Asker::Template { id, .. } => (table_of(id), id.pack() == alias.as_str()),
        };
        let flag = format!("--dir {alias}=PATH, or a line for `{alias}` under [directories] in the configuration");
        let line = format!("\"{alias}\" to read under [{table}] in policy.toml");
        if flag_permits { format!("{flag} and {line}") } else { format!("{flag}; and, with either, {line}") }
    }
}

/// The refused request as a rule for it alone, and its method.
fn asked(refusal: &Refusal) -> Option<(HttpRule, Method)> {
    let none = || (Vec::new(), false);
    let (method, alias, path, (headers, body)) = match refusal {
        Refusal::NotGranted { method, alias, path, .. } => (*method, alias, path, none()),
        Refusal::Tunnel { asked, alias, path, .. } => ((*asked)?, alias, path, none()),
        Refusal::Header { method, alias, path, header } => (*method, alias, path, (vec![header.to_string()], false)),
        Refusal::Body { method, alias, path } => (*method, alias, path, (Vec::new(), true)),
        _ => return None,
    };
    let rule = WrittenRule { rule: format!("{alias}: {method} {path}"), headers, body };
    Some((rule.try_into().ok()?, method))
}

/// The policy table of one template.
fn table_of(id: &TemplateId) -> String {
    format!("templates.\"{id}\"")
}

/// The lines that the policy lacks for a template.
pub(crate) fn permit(id: &TemplateId, lacking: &Access) -> Remedy {
    Remedy::Permit(format!("add {} under [{}] in policy.toml", lacking.additions(), table_of(id)))
}

/// The hint if no line can help.
fn in_vain(id: &TemplateId, wants: &Access) -> String {
    let all = wants.lines().into_iter().map(|line| format!("`{line}`"));
    let mut listed: Vec<String> = all.collect();
    let more = listed.len().saturating_sub(LISTED_MAX);
    listed.truncate(LISTED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let wanted = if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") };
    format!(
        "no line of the policy can allow this, because the template does not ask for it: `{id}` wants {wanted}{more}"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use intentbox_capability::{Grant, Origin, Origins, Reads};

    use super::*;

    const WANTS: [&str; 2] = ["shop: GET /v1/**", "shop: GET,POST /v1/orders/*/refund"];

    fn rules(lines: &[&str]) -> Vec<HttpRule> {
        lines.iter().map(|line| line.parse().expect("a rule")).collect()
    }

    fn aliases(names: &[&str]) -> Vec<Alias> {
        names.iter().map(|name| name.parse().expect("an alias")).collect()
    }

    fn access(http: &[&str], read: &[&str]) -> Access {
        Access { http: rules(http), read: aliases(read), tools: Vec::new() }
    }

    fn refund() -> TemplateId {
        "shop/refund".parse().expect("an id")
    }

    /// `logs`, which is there as any folder is.
    fn directories() -> Directories {
        let alias = "logs".parse().expect("an alias");
        Directories::open([(&alias, Path::new("."))]).expect("the folder that the test runs in")
    }

    /// The hint for a request of a template, where nothing is granted.
    fn hint(method: &str, url: &str) -> Option<String> {
        let origin = Origin::new("shop".parse().expect("an alias"), "https://shop.example.com").expect("an origin");
        let origins = Origins::new([origin]).expect("one is enough");
        let asker = Asker::Template { id: refund(), wants: access(&WANTS, &["logs"]) };
        let refusal = if method == "READ" {
            Reads::default().admit(url).expect_err("nothing is granted")
        } else {
            Grant::nothing().admit(&origins, method, url).expect_err("nothing is granted")
        };
        asker.remedy(&refusal, &directories()).map(text)
    }

    fn text(remedy: Remedy) -> String {
        match remedy {
            Remedy::Advice(text) | Remedy::Permit(text) => text,
            other => panic!("surfaces need no words of their own here: {other:?}"),
        }
    }

    /// A line of the policy alone would lead to a directory that there is not.
    #[test]
    fn a_directory_that_is_not_configured_is_named_before_the_line_of_the_policy() {
        let hint = |asker: &Asker, directories: &Directories| {
            let refusal = Reads::default().admit("logs:app.log").expect_err("nothing is granted");
            asker.remedy(&refusal, directories).map(text).expect("there is one")
        };
        let template = |id: &str, reads: &[&str]| {
            let id = id.parse().expect("an id");
            Asker::Template { id, wants: access(&[], reads) }
        };
        let name = "--dir logs=PATH, or a line for `logs` under [directories] in the configuration";
        let add = |table: &str| format!("\"logs\" to read under [{table}] in policy.toml");
        let (own, other) = (template("logs/tail", &["logs"]), template("shop/refund", &["logs"]));
        for (asker, table, between) in [
            (&Asker::Exec, "exec", " and "),
            (&own, "templates.\"logs/tail\"", " and "),
            (&other, "templates.\"shop/refund\"", "; and, with either, "),
        ] {
            let add = add(table);
            assert_eq!(hint(asker, &Directories::default()), format!("{name}{between}{add}"));
            assert_eq!(hint(asker, &directories()), format!("add {add}"));
        }
        let asks_nothing = hint(&template("shop/refund", &[]), &Directories::default());
        assert!(asks_nothing.starts_with("no line of the policy can allow this"), "{asks_nothing}");
    }

    #[test]
    fn a_line_is_proposed_where_the_template_asks_and_no_other() {
        let add =
            |line: &str, key: &str| format!("add \"{line}\" to {key} under [templates.\"shop/refund\"] in policy.toml");
        let in_vain = "no line of the policy can allow this, because the template does not ask for it: `shop/refund` wants \
                       `shop: GET /v1/**`, `shop: GET,POST /v1/orders/*/refund`, `logs: READ`";
        for (method, url, expected) in [
            ("GET", "shop:/v1/customers/3", Some(add("shop: GET /v1/**", "http"))),
            ("POST", "shop:/v1/orders/3/refund", Some(add("shop: POST /v1/orders/*/refund", "http"))),
            ("POST", "shop:/v1/orders/3", Some(in_vain.to_owned())),
            ("DELETE", "shop:/v1/orders/3/refund", Some(in_vain.to_owned())),
            ("GET", "shop:/v2/", Some(in_vain.to_owned())),
            ("GET", "other:/v1/", Some(in_vain.to_owned())),
            ("GET", "https://example.com/", Some(in_vain.to_owned())),
            ("READ", "logs:app.log", Some(add("logs", "read"))),
            ("READ", "data:a.csv", Some(in_vain.to_owned())),
            ("READ", "logs:../x", None),
            ("TRACE", "shop:/v1/", None),
            ("GET", "shop:/v1/../", None),
        ] {
            assert_eq!(hint(method, url), expected, "{method} {url}");
        }
    }

    /// What a rule carries is proposed as a table, where the template asks for it.
    #[test]
    fn a_header_and_a_body_are_proposed_where_the_template_asks_for_them() {
        let search = |headers: &[&str], body| -> HttpRule {
            let headers = headers.iter().map(|header| (*header).to_owned()).collect();
            let rule = WrittenRule { rule: "shop: GET,POST /v1/search".to_owned(), headers, body };
            rule.try_into().expect("a rule")
        };
        let (method, alias, path) = (Method::Get, "shop".parse::<Alias>().expect("an alias"), "/v1/search".to_owned());
        let header = |name: &str| Refusal::Header {
            method,
            alias: alias.clone(),
            path: path.clone(),
            header: name.parse().expect("a header"),
        };
        let body = Refusal::Body { method, alias: alias.clone(), path: path.clone() };
        let hint = |want: HttpRule, refusal: &Refusal| {
            let asker = Asker::Template { id: refund(), wants: Access { http: vec![want], ..Access::default() } };
            asker.remedy(refusal, &directories()).map(text).expect("there is one")
        };
        let of = |what: &str| format!("add {what} to http under [templates.\"shop/refund\"] in policy.toml");
        let with_header = "{ rule = \"shop: GET /v1/search\", headers = [\"x-tenant\"] }";
        assert_eq!(hint(search(&["X-Tenant"], false), &header("X-Tenant")), of(with_header));
        assert_eq!(hint(search(&[], true), &body), of("{ rule = \"shop: GET /v1/search\", body = true }"));
        for (want, refusal) in [
            (search(&["X-Tenant"], true), header("X-Other")),
            (search(&[], true), header("X-Tenant")),
            (search(&["X-Tenant"], false), body),
        ] {
            assert!(hint(want, &refusal).starts_with("no line of the policy can allow this"), "{refusal}");
        }
        // A policy that leaves out what a want carries lets it end nowhere.
        let permitted = access(&["shop: GET,POST /v1/search"], &[]);
        let wants = Access { http: vec![search(&["X-Tenant"], false)], ..Access::default() };
        let lacking = wants.lacking(&permitted).expect("the header");
        let whole = "{ rule = \"shop: GET,POST /v1/search\", headers = [\"x-tenant\"] }";
        assert_eq!(permit(&refund(), &lacking), Remedy::Permit(of(whole)));
    }

    #[test]
    fn what_a_policy_permits_no_part_of_is_told_before_a_run_begins() {
        let lacking = |http: &[&str], read: &[&str]| {
            let lacking = access(&WANTS, &["logs"]).lacking(&access(http, read));
            lacking.map(|lacking| text(permit(&refund(), &lacking)))
        };
        let add = |what: &str| Some(format!("add {what} under [templates.\"shop/refund\"] in policy.toml"));
        for (http, read, expected) in [
            (&["shop: GET,POST /v1/**"][..], &["logs"][..], None),
            // Narrowed is permitted.
            (&["shop: GET /v1/orders/*", "shop: GET,POST /v1/orders/7/refund"], &["logs"], None),
            (&["shop: GET /v1/**"], &["logs"], add("\"shop: POST /v1/orders/*/refund\" to http")),
            (
                &["shop: POST /v1/orders/*/refund"],
                &["logs"],
                add("\"shop: GET /v1/**\", \"shop: GET /v1/orders/*/refund\" to http"),
            ),
            (&["shop: GET /v1/**"], &[], add("\"shop: POST /v1/orders/*/refund\" to http and \"logs\" to read")),
            (&["shop: GET,POST /v1/**"], &["data"], add("\"logs\" to read")),
        ] {
            assert_eq!(lacking(http, read), expected, "{http:?} {read:?}");
        }
    }
}
