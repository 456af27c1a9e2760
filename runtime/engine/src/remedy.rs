//! Remedies for refusals: the lines of the policy and of the configuration that would allow the call, if any can.
//!
//! A script of `exec` gets what its table permits, so one more line is enough. A template gets what it wants as far as the
//! policy permits it, so a line helps only if the template asks for the access. The proposed line is for that template
//! alone, and covers all paths that it asks for: the one path of a refusal would be a rule for one issue. If the policy has
//! a table for the principal, that table must permit the call as well.

use intentbox_capability::{Access, Needs, Refusal};
use intentbox_catalog::{Template, TemplateId};
use intentbox_files::Directories;
use intentbox_report::{MissingOrigin, Permission, Principal, Remedy, TableRules};

use crate::policy::{Policy, table_of_principal};

/// Whose run it is, and which tables of the policy must permit its calls.
#[derive(Debug, Clone)]
pub(crate) struct Requester {
    /// The template, with what it wants. A script of `exec` may ask for anything.
    template: Option<(TemplateId, Access)>,
    /// The table of the template or of `exec`.
    own: Table,
    /// The table of the principal, if there is one.
    principal: Option<Table>,
}

/// A table of the policy.
#[derive(Debug, Clone)]
struct Table {
    /// As written, without brackets.
    name: String,
    /// What it permits. For a template that is what the table of its pack permits, too.
    permits: Access,
}

impl Requester {
    /// A run of a template, or of code, for a principal.
    pub(crate) fn of(template: Option<&Template>, policy: &Policy, principal: &Principal) -> Self {
        let own = match template {
            None => Table { name: "exec".to_owned(), permits: policy.exec().clone() },
            Some(template) => Table { name: table_of(template.id()), permits: policy.template(template.id()) },
        };
        let of_principal = policy.principal(principal).zip(principal.name());
        Self {
            template: template.map(|template| (template.id().clone(), template.wants().clone())),
            own,
            principal: of_principal
                .map(|(permits, name)| Table { name: table_of_principal(name), permits: permits.clone() }),
        }
    }

    /// A run of a template that was made for a tool: it wants that tool, and the policy permits it as it permits code.
    pub(crate) fn of_tool(template: &Template, policy: &Policy, principal: &Principal) -> Self {
        let template = Some((template.id().clone(), template.wants().clone()));
        Self { template, ..Self::of(None, policy, principal) }
    }

    /// What to do about a refusal, with these directories configured; `None` if the request itself is invalid.
    pub(crate) fn remedy(&self, refusal: &Refusal, directories: &Directories) -> Option<Remedy> {
        let origin = |origin| {
            let tables = self.tables().map(|table| table.name.clone()).collect();
            Remedy::Permit(Permission::Origin { origin, tables })
        };
        let needed = match refusal.needs()? {
            Needs::Rules(needed) => needed,
            Needs::OriginAt(base_url) => {
                return Some(self.not_wanted().unwrap_or_else(|| origin(MissingOrigin::At(base_url))));
            }
            Needs::OriginNamed(alias) => {
                let names_it = |(_, wants): &(TemplateId, Access)| wants.http.iter().any(|want| *want.alias() == alias);
                let is_wanted = self.template.as_ref().is_none_or(names_it);
                return if is_wanted { Some(origin(MissingOrigin::Named(alias))) } else { self.not_wanted() };
            }
        };
        let Some(proposed) = self.wanted(&needed) else { return self.not_wanted() };
        let lacks = |table: &Table| needed.lacking(&table.permits).is_some();
        let rules = |table: &Table| TableRules { table: table.name.clone(), rules: proposed.clone() };
        let rules: Vec<TableRules> = self.tables().filter(|table| lacks(table)).map(rules).collect();
        if let Some(alias) = needed.read.first().filter(|alias| !directories.has(alias)) {
            // The flag permits too, but only to `exec` and to the pack of the name.
            let is_of_flag = self.template.as_ref().is_none_or(|(id, _)| id.pack() == alias.as_str());
            let is_permitted_by_flag = is_of_flag && !self.principal.as_ref().is_some_and(lacks);
            let alias = alias.clone();
            return Some(Remedy::Permit(Permission::Directory { alias, is_permitted_by_flag, rules }));
        }
        (!rules.is_empty()).then_some(Remedy::Permit(Permission::Rules(rules)))
    }

    /// The rules that the tables lack for everything that the template wants: its own first.
    pub(crate) fn lacking(&self) -> Vec<TableRules> {
        let Some((_, wants)) = &self.template else { return Vec::new() };
        let lacking = |table: &Table| {
            let rules = wants.lacking(&table.permits)?;
            Some(TableRules { table: table.name.clone(), rules })
        };
        self.tables().filter_map(lacking).collect()
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.own).chain(&self.principal)
    }

    /// The rules to propose for a call: for a template, its wants that cover the call. `None` if they do not cover it.
    fn wanted(&self, needed: &Access) -> Option<Access> {
        let Some((_, wants)) = &self.template else { return Some(needed.clone()) };
        needed.proposed(wants)
    }

    /// The answer to a call that the template does not want.
    fn not_wanted(&self) -> Option<Remedy> {
        let (id, wants) = self.template.as_ref()?;
        Some(Remedy::Permit(Permission::NotWanted { template: id.to_string(), wants: wants.lines() }))
    }
}

/// The policy table of one template.
fn table_of(id: &TemplateId) -> String {
    format!("templates.\"{id}\"")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use intentbox_capability::{Alias, Grant, HttpRule, Method, Origin, Origins, Reads, WrittenRule};

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

    /// A run of a template that the policy permits this, for a principal whose table permits that.
    fn template(id: &str, wants: Access, own: Access, principal: Option<Access>) -> Requester {
        let id = id.parse().expect("an id");
        let principal = principal.map(|permits| Table { name: "principals.bob".to_owned(), permits });
        Requester { own: Table { name: table_of(&id), permits: own }, template: Some((id, wants)), principal }
    }

    /// A run of code, likewise.
    fn exec(own: Access, principal: Option<Access>) -> Requester {
        let principal = principal.map(|permits| Table { name: "principals.bob".to_owned(), permits });
        Requester { own: Table { name: "exec".to_owned(), permits: own }, template: None, principal }
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
        let requester = template("shop/refund", access(&WANTS, &["logs"]), Access::default(), None);
        let refusal = if method == "READ" {
            Reads::default().admit(url).expect_err("nothing is granted")
        } else {
            Grant::nothing().admit(&origins, method, url).expect_err("nothing is granted")
        };
        requester.remedy(&refusal, &directories()).map(text)
    }

    fn text(remedy: Remedy) -> String {
        match remedy {
            Remedy::Permit(permission) => permission.to_string(),
            other => panic!("{other:?} permits nothing"),
        }
    }

    /// A line of the policy alone would lead to a directory that there is not.
    #[test]
    fn a_directory_that_is_not_configured_is_named_before_the_line_of_the_policy() {
        let hint = |requester: &Requester, directories: &Directories| {
            let refusal = Reads::default().admit("logs:app.log").expect_err("nothing is granted");
            requester.remedy(&refusal, directories).map(text).expect("there is one")
        };
        let template = |id: &str, reads: &[&str]| template(id, access(&[], reads), Access::default(), None);
        let name = "add --dir logs=PATH, or a line for `logs` under [directories] in the configuration";
        let add = |table: &str| format!("\"logs\" to read under [{table}] in policy.toml");
        let (own, other) = (template("logs/tail", &["logs"]), template("shop/refund", &["logs"]));
        for (requester, table, between) in [
            (&exec(Access::default(), None), "exec", " and "),
            (&own, "templates.\"logs/tail\"", " and "),
            (&other, "templates.\"shop/refund\"", "; and, with either, "),
        ] {
            let add = add(table);
            assert_eq!(hint(requester, &Directories::default()), format!("{name}{between}{add}"));
            assert_eq!(hint(requester, &directories()), format!("add {add}"));
        }
        let asks_nothing = hint(&template("shop/refund", &[]), &Directories::default());
        assert!(asks_nothing.starts_with("no line of the policy can allow this"), "{asks_nothing}");
    }

    /// What is missing in one table is not proposed for the other.
    #[test]
    fn a_line_is_proposed_for_each_table_that_lacks_it() {
        let all = || access(&["shop: GET /**"], &["logs"]);
        let some = || access(&["shop: GET /v1/orders/*"], &[]);
        let none = Access::default;
        let refund = |own: Access, bob: Access| template("shop/refund", access(&WANTS, &["logs"]), own, Some(bob));
        let hint = |requester: &Requester, url: &str| {
            let origin = Origin::new("shop".parse().expect("an alias"), "https://shop.example.com").expect("an origin");
            let origins = Origins::new([origin]).expect("one is enough");
            let refusal = Grant::nothing().admit(&origins, "GET", url).expect_err("nothing is granted");
            requester.remedy(&refusal, &directories()).map(text)
        };
        let add =
            |line: &str, tables: &str| Some(format!("add \"shop: GET {line}\" to http under {tables} in policy.toml"));
        let (own, bob) = ("[templates.\"shop/refund\"]", "[principals.bob]");
        for (requester, line, tables) in [
            (exec(none(), Some(none())), "/v1/customers/3", format!("[exec] and {bob}")),
            (exec(none(), Some(all())), "/v1/customers/3", "[exec]".to_owned()),
            (exec(all(), Some(some())), "/v1/customers/3", bob.to_owned()),
            (refund(none(), some()), "/v1/**", format!("{own} and {bob}")),
            (refund(some(), all()), "/v1/**", own.to_owned()),
            (refund(all(), some()), "/v1/**", bob.to_owned()),
        ] {
            assert_eq!(hint(&requester, "shop:/v1/customers/3"), add(line, &tables), "{requester:?}");
        }
        assert_eq!(hint(&exec(all(), Some(some())), "shop:/v1/orders/3"), None, "every table permits it");
        // A principal's table is not what a flag permits.
        let refusal = Reads::default().admit("logs:app.log").expect_err("nothing is granted");
        let told = exec(none(), Some(none())).remedy(&refusal, &Directories::default()).map(text);
        assert_eq!(
            told.as_deref(),
            Some(
                "add --dir logs=PATH, or a line for `logs` under [directories] in the configuration; and, with either, \
                 \"logs\" to read under [exec] and [principals.bob] in policy.toml"
            )
        );
        let origin = hint(&exec(none(), Some(none())), "jira:/x").expect("it can be configured");
        assert!(
            origin.ends_with("rules for `jira` to http under [exec] and [principals.bob] in policy.toml"),
            "{origin}"
        );
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
            let wants = Access { http: vec![want], ..Access::default() };
            let requester = template("shop/refund", wants, Access::default(), None);
            requester.remedy(refusal, &directories()).map(text).expect("there is one")
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
        let lacking = template("shop/refund", wants, permitted, None).lacking();
        let whole = "{ rule = \"shop: GET,POST /v1/search\", headers = [\"x-tenant\"] }";
        assert_eq!(Permission::Rules(lacking).to_string(), of(whole));
    }

    #[test]
    fn what_a_policy_permits_no_part_of_is_told_before_a_run_begins() {
        let lacking = |http: &[&str], read: &[&str]| {
            let lacking = template("shop/refund", access(&WANTS, &["logs"]), access(http, read), None).lacking();
            (!lacking.is_empty()).then(|| Permission::Rules(lacking).to_string())
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
