//! The policy: what the operator permits in `policy.toml`. **This file is a boundary.**
//!
//! Invariant: only what a line of the policy names is permitted. An absent file, table or key permits nothing, and an
//! unknown key is an error, because a misspelled line must not look like one that applies.
//!
//! ```toml
//! [packs.sentry]                          # all templates of the pack
//! http = ["sentry: GET /api/0/**"]
//!
//! [templates."sentry/resolve_issue"]      # one template, besides what its pack may
//! http = ["sentry: PUT /api/0/organizations/*/issues/*/"]
//!
//! [packs.logs]
//! read = ["logs"]
//!
//! [exec]                                  # scripts of `exec` and `execute_code`
//! http = [
//!     "sentry: GET /api/0/organizations/*/issues/",
//!     { rule = "loki: GET /loki/api/v1/**", headers = ["X-Scope-OrgID"] },   # a header that is not ordinary
//!     { rule = "search: GET /logs/_search", body = true },                   # a body of GET
//! ]
//! read = ["logs"]
//! tools = ["git: git_log,git_diff", "time: *"]
//! ```
//!
//! Where the ends of jobs are told (webhooks) is a table too, which has HTTP rules with POST alone:
//!
//! ```toml
//! [callbacks]
//! http = ["hooks: POST /intentbox/**"]
//! ```
//!
//! A principal with a table of its own gets no more than that, whatever else is permitted:
//!
//! ```toml
//! [principals.alice]                      # the holder of alice's token
//! http = ["sentry: GET /api/0/organizations/acme/**"]
//! ```
//!
//! A run of a template gets what the template wants, as far as its pack's table and its own permit it. A run of `exec`
//! gets the table `exec`. This file parses text and decides; [`Policy::check`] finds files and aliases that do not
//! exist.

use std::collections::{BTreeMap, BTreeSet};

use intentbox_capability::{Access, Alias, Grant, HttpRule, Method};
use intentbox_catalog::{Catalog, Template, TemplateId};
use intentbox_report::Principal;
use serde::Deserialize;

use crate::callback::CALLBACK_HEADERS;
use crate::configuration::Configuration;

/// The largest policy that is read, in bytes.
pub const POLICY_BYTES_MAX: usize = 1 << 20;

/// What runs may access, by who makes the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    #[serde(default)]
    packs: BTreeMap<String, Access>,
    #[serde(default)]
    templates: BTreeMap<String, Access>,
    #[serde(default)]
    exec: Access,
    #[serde(default)]
    callbacks: Access,
    #[serde(default)]
    principals: BTreeMap<String, Access>,
    /// What flags permit to packs. [`Policy::check`] ignores it, because nobody wrote it as a line.
    #[serde(skip)]
    flags: BTreeMap<String, Access>,
}

/// An invalid policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PolicyError {
    /// Counted from 1.
    pub line: usize,
    /// What was expected.
    pub message: String,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// When the text is not TOML of this shape, with its line.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..at].split(|byte| *byte == b'\n').count();
            PolicyError { line, message: error.message().trim_end().to_owned() }
        })
    }

    /// The policy of one origin that everybody may use with these methods: the demo's.
    ///
    /// # Panics
    /// Never: the aliases are checked, and the rules made of them are.
    #[must_use]
    pub fn open(alias: &Alias, template_methods: &str, exec_methods: &str) -> Policy {
        let rule = |methods: &str| -> HttpRule {
            format!("{alias}: {methods} /**").parse().expect("an alias, methods and a path make a rule")
        };
        let rules = |methods| Access { http: vec![rule(methods)], ..Access::default() };
        Policy {
            packs: BTreeMap::from([(alias.to_string(), rules(template_methods))]),
            exec: rules(exec_methods),
            ..Policy::default()
        }
    }

    /// This policy, with a directory that one pack and `exec` may read as well: for directories named on the command
    /// line, where naming one permits it.
    #[must_use]
    pub fn and_read(mut self, alias: &Alias) -> Policy {
        self.flags.entry(alias.to_string()).or_default().read.push(alias.clone());
        self.exec.read.push(alias.clone());
        self
    }

    /// What a template may use of what it wants: the lines of its pack and its own.
    #[must_use]
    pub fn template(&self, id: &TemplateId) -> Access {
        let mut rules = self.packs.get(id.pack()).cloned().unwrap_or_default();
        for more in [self.templates.get(id.as_str()), self.flags.get(id.pack())].into_iter().flatten() {
            rules.extend(more);
        }
        rules
    }

    /// Where a principal may have the ends of its jobs told.
    pub(crate) fn callbacks(&self, principal: &Principal) -> Grant {
        let posts = |rules: &Access| -> Vec<HttpRule> {
            let posts = rules.http.iter().filter_map(|rule| rule.only(Method::Post));
            posts.filter_map(|rule| rule.with_headers(&CALLBACK_HEADERS).ok()).collect()
        };
        let grant = Grant::of(posts(&self.callbacks));
        match self.principal(principal) {
            Some(table) => grant.and(posts(table)),
            None => grant,
        }
    }

    /// The tables that are about a template or about `exec`, and the one of the principal, each with its name.
    pub(crate) fn tables(&self, who: Option<&TemplateId>, principal: &Principal) -> Vec<(String, &Access)> {
        let mut tables = self.tables_of(who);
        let of_principal = principal.name().zip(self.principal(principal));
        tables.extend(of_principal.map(|(name, rules)| (table_of_principal(name), rules)));
        tables
    }

    fn tables_of(&self, who: Option<&TemplateId>) -> Vec<(String, &Access)> {
        let Some(id) = who else { return vec![("exec".to_owned(), &self.exec)] };
        let pack = self.packs.get(id.pack()).map(|rules| (format!("packs.{}", id.pack()), rules));
        let own = self.templates.get(id.as_str()).map(|rules| (format!("templates.\"{id}\""), rules));
        let flags = self.flags.get(id.pack()).map(|rules| (format!("packs.{}", id.pack()), rules));
        // A directory that a line and a flag both permit is told once.
        let written: Vec<(String, &Access)> = pack.into_iter().chain(own).collect();
        let is_new = |(_, rules): &(String, &Access)| {
            rules.read.iter().any(|alias| written.iter().all(|(_, rules)| !rules.read.contains(alias)))
        };
        let flags = flags.filter(is_new);
        written.into_iter().chain(flags).collect()
    }

    /// An upper bound for a principal's runs; `None` if the policy has no table for it, which takes nothing away.
    #[must_use]
    pub fn principal(&self, principal: &Principal) -> Option<&Access> {
        self.principals.get(principal.name()?)
    }

    /// The names of the principals that have a table.
    pub fn principals(&self) -> impl Iterator<Item = &str> {
        self.principals.keys().map(String::as_str)
    }

    /// Whether any line permits a tool.
    #[must_use]
    pub fn has_tools(&self) -> bool {
        let tables = [&self.packs, &self.templates, &self.principals].into_iter().flat_map(BTreeMap::values);
        tables.chain([&self.exec]).any(|rules| !rules.tools.is_empty())
    }

    /// What scripts of `exec` may access.
    #[must_use]
    pub fn exec(&self) -> &Access {
        &self.exec
    }

    /// Lines that can never apply: they name a pack, template, origin, directory server or tool that does not exist, or something
    /// that no template of their table asks for.
    #[must_use]
    pub fn check(&self, catalog: &Catalog, configuration: &Configuration, servers: &KnownTools) -> Vec<String> {
        let mut faults = Vec::new();
        for pack in self.packs.keys() {
            if !catalog.templates().any(|template| template.id().pack() == pack) {
                faults.push(format!("[packs.{pack}]: there is no such pack"));
            }
        }
        for template in self.templates.keys() {
            if catalog.get(template).is_none() {
                faults.push(format!("[templates.\"{template}\"]: there is no such template"));
            }
        }
        let packs = self.packs.iter().map(|(pack, rules)| Table {
            name: format!("packs.{pack}"),
            rules,
            askers: catalog.templates().filter(|template| template.id().pack() == pack).collect(),
            nobody: "no template of the pack asks for it",
        });
        let templates = self.templates.iter().map(|(id, rules)| Table {
            name: format!("templates.\"{id}\""),
            rules,
            askers: catalog.get(id).into_iter().collect(),
            nobody: "the template does not ask for it",
        });
        let exec = Table { name: "exec".to_owned(), rules: &self.exec, askers: Vec::new(), nobody: "" };
        let principals = self.principals.iter().map(|(principal, rules)| Table {
            name: table_of_principal(principal),
            rules,
            askers: Vec::new(),
            nobody: "",
        });
        let callbacks = Table { name: "callbacks".to_owned(), rules: &self.callbacks, askers: Vec::new(), nobody: "" };
        for table in packs.chain(templates).chain([exec, callbacks]).chain(principals) {
            table.check(configuration, servers, &mut faults);
        }
        let posts = |rule: &HttpRule| rule.methods() == [Method::Post];
        let others = Access { http: Vec::new(), ..self.callbacks.clone() };
        if !self.callbacks.http.iter().all(posts) || !others.is_empty() {
            faults.push("[callbacks]: it has lines of `http` with the method POST, and nothing else".to_owned());
        }
        faults
    }
}

/// The table of a principal as written, without brackets. A name that is no bare key of TOML is quoted.
pub(crate) fn table_of_principal(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.bytes().all(is_bare) { format!("principals.{name}") } else { format!("principals.{name:?}") }
}

/// A table of the policy, and the templates that it is for.
struct Table<'a> {
    name: String,
    rules: &'a Access,
    /// Empty for `exec`, whose scripts may ask for anything, and for tables of packs or templates that do not exist.
    askers: Vec<&'a Template>,
    /// The message if none of them asks for something.
    nobody: &'static str,
}

/// The upstream servers that a policy may name, and the names of the tools of each; none where they are not known.
pub type KnownTools = BTreeMap<String, BTreeSet<String>>;

impl Table<'_> {
    /// Finds at most one fault per line.
    fn check(&self, configuration: &Configuration, servers: &KnownTools, faults: &mut Vec<String>) {
        let Table { name, rules, nobody, .. } = self;
        for rule in rules.each() {
            if !self.matters(|template| rule.meets(template.wants())) {
                faults.push(format!("{} under [{name}] can allow nothing: {nobody}", rule.values()));
            } else if let Some(fault) = configuration.unknown(&rule, servers) {
                faults.push(format!("[{name}]: {fault}"));
            }
        }
    }

    /// Whether anybody asks for it. A line may be broader than what is asked for.
    fn matters(&self, asks: impl Fn(&Template) -> bool) -> bool {
        self.askers.is_empty() || self.askers.iter().copied().any(asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "[packs.sentry]\nhttp = [\"sentry: GET /api/0/**\"]\n\
                          [templates.\"sentry/list_errors\"]\nread = [\"logs\"]\n\
                          [exec]\nread = [\"logs\"]\n";

    fn shown(rules: &Access) -> String {
        format!("{:?} {:?}", rules.http.iter().map(ToString::to_string).collect::<Vec<_>>(), rules.read)
    }

    #[test]
    fn what_no_line_names_is_not_permitted() {
        let policy = Policy::parse(POLICY).expect("it is a policy");
        let id = |text: &str| text.parse::<TemplateId>().expect("an id");
        assert_eq!(shown(&policy.template(&id("logs/tail"))), shown(&Access::default()));
        assert_eq!(shown(Policy::default().exec()), shown(&Access::default()));
        assert!(policy.exec().http.is_empty(), "a line of a pack is not one of exec");
        let both = policy.template(&id("sentry/list_errors"));
        assert_eq!((both.http.len(), both.read.len()), (1, 1));
        assert!(policy.template(&id("sentry/list_projects")).read.is_empty(), "a line of a template is its own");
    }

    #[test]
    fn unknown_keys_are_errors_with_their_line() {
        for (text, line, part) in [
            ("[exec]\nhtpp = []", 2, "unknown field `htpp`"),
            ("[pack.sentry]\nhttp = []", 1, "unknown field `pack`"),
            ("[exec]\nhttp = [\n  \"sentry: FETCH /\",\n]", 2, "method"),
            ("[exec]\nhttp = [{ rule = \"a: GET /\", heders = [] }]", 2, "unknown field `heders`"),
            ("[exec]\nhttp = [{ rule = \"a: GET /\", headers = [\"Host\"] }]", 2, "is not for scripts to set"),
            ("[exec]\nhttp = [{ rule = \"a: POST /\", body = true }]", 2, "`body` is for get and head"),
            ("[exec]\nhttp = [{ headers = [] }]", 2, "missing field `rule`"),
            ("[exec]\nhttp = [1]", 2, "a rule as a string, or a table"),
            ("[exec]\nread = [\"/etc\"]", 2, "alias"),
            ("[exec", 1, ""),
        ] {
            let error = Policy::parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.to_lowercase().contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_rule_is_shown_as_it_can_be_written() {
        let rules = "{ rule = \"a: GET,POST /x/*\", headers = [\"x-a\", \"x-b\"], body = true }, \"a: GET /y\", \
                     { rule = \"a: GET /z\", body = true }, { rule = \"a: PUT /z\", headers = [\"x-a\"] }";
        let policy = Policy::parse(&format!("[exec]\nhttp = [{rules}]")).expect("it is a policy");
        let written: Vec<String> = policy.exec().http.iter().map(HttpRule::written).collect();
        assert_eq!(written.join(", "), rules);
    }

    #[test]
    fn lines_that_can_never_matter_are_found() {
        let text = format!("{POLICY}[packs.sentri]\nhttp = [\"sentri: GET /\"]\n[templates.\"sentry/list\"]\n");
        let policy = Policy::parse(&text).expect("it is a policy");
        let catalog = Catalog::embedded().expect("whole");
        assert_eq!(
            policy.check(&catalog, &configuration(&["sentry"], &[]), &KnownTools::new()),
            [
                "[packs.sentri]: there is no such pack",
                "[templates.\"sentry/list\"]: there is no such template",
                "[packs.sentri]: `sentri: GET /` names the origin `sentri`, and there is no [origins.sentri]",
                "\"logs\" under [templates.\"sentry/list_errors\"] can allow nothing: the template does not ask for it",
                "[exec]: `logs` is no directory of [directories]",
            ]
        );
    }

    /// A configuration with these origins and directories.
    fn configuration(origins: &[&str], directories: &[&str]) -> Configuration {
        let origin = |alias: &&str| format!("[origins.{alias}]\nbase_url = \"https://{alias}.example\"\n");
        let directory = |alias: &&str| format!("{alias} = \"/nonexistent\"\n");
        let origins = origins.iter().map(origin).collect::<Vec<_>>().concat();
        let directories = directories.iter().map(directory).collect::<Vec<_>>().concat();
        let text = format!("{origins}[directories]\n{directories}");
        Configuration::parse(&text, &|_| Err("there is no token".to_owned())).expect("it is a configuration")
    }

    /// The faults of a policy where `sentry`, `tracker` and `logs` are configured.
    fn faults(policy: &Policy) -> Vec<String> {
        let catalog = Catalog::embedded().expect("whole");
        policy.check(&catalog, &configuration(&["sentry", "tracker"], &["logs", "mine"]), &KnownTools::new())
    }

    #[test]
    fn a_line_that_meets_nothing_that_is_asked_for_is_a_fault() {
        let pack = |what: &str| {
            vec![format!("{what} under [packs.sentry] can allow nothing: no template of the pack asks for it")]
        };
        for (text, expected) in [
            ("[packs.sentry]\nhttp = [\"sentry: GET /x\"]", pack("\"sentry: GET /x\"")),
            ("[packs.sentry]\nhttp = [\"tracker: GET /**\"]", pack("\"tracker: GET /**\"")),
            ("[packs.sentry]\nhttp = [\"absent: GET /**\"]", pack("\"absent: GET /**\"")),
            ("[packs.sentry]\nhttp = [\"sentry: DELETE /**\"]", pack("\"sentry: DELETE /**\"")),
            ("[packs.sentry]\nread = [\"logs\"]", pack("\"logs\"")),
            (
                "[templates.\"sentry/list_errors\"]\nhttp = [\"sentry: PUT /**\"]",
                vec![
                    "\"sentry: PUT /**\" under [templates.\"sentry/list_errors\"] can allow nothing: the template does not \
                     ask for it"
                        .to_owned(),
                ],
            ),
            // What is broader than what is asked for, or narrower, can matter.
            ("[packs.sentry]\nhttp = [\"sentry: GET,DELETE /**\"]", Vec::new()),
            ("[packs.sentry]\nhttp = [\"sentry: GET /api/0/organizations/acme/issues/\"]", Vec::new()),
            ("[packs.logs]\nread = [\"logs\"]", Vec::new()),
            // Scripts of `exec` may ask for anything.
            ("[exec]\nhttp = [\"tracker: DELETE /x\"]\nread = [\"mine\"]", Vec::new()),
        ] {
            assert_eq!(faults(&Policy::parse(text).expect(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_table_of_a_principal_is_for_that_principal_alone() {
        let text = "[principals.alice]\nhttp = [\"sentry: GET /x\"]\n[principals.bob]\n";
        let policy = Policy::parse(text).expect("it is a policy");
        let lines = |principal: Principal| policy.principal(&principal).map(Access::lines);
        assert_eq!(lines(Principal::named("alice")), Some(vec!["sentry: GET /x".to_owned()]));
        assert_eq!(lines(Principal::named("bob")), Some(Vec::new()), "an empty table permits nothing");
        assert_eq!(lines(Principal::named("carol")), None);
        assert_eq!(lines(Principal::local()), None);
        assert_eq!(policy.principals().collect::<Vec<_>>(), ["alice", "bob"]);
        let tables = |principal: Principal| {
            let tables = policy.tables(None, &principal);
            tables.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(tables(Principal::named("alice")), ["exec", "principals.alice"]);
        assert_eq!(tables(Principal::named("carol")), ["exec"]);
        assert_eq!(faults(&policy), Vec::<String>::new());
        let absent = Policy::parse("[principals.alice]\nread = [\"absent\"]").expect("it is a policy");
        assert_eq!(faults(&absent), ["[principals.alice]: `absent` is no directory of [directories]"]);
    }

    #[test]
    fn the_table_of_a_principal_is_named_as_it_can_be_written() {
        for (name, table) in [
            ("alice-2", "principals.alice-2"),
            ("al@example.com", "principals.\"al@example.com\""),
            ("a\"b", "principals.\"a\\\"b\""),
        ] {
            assert_eq!(table_of_principal(name), table);
            let policy = Policy::parse(&format!("[{table}]\n")).expect(table);
            assert_eq!(policy.principals().collect::<Vec<_>>(), [name]);
        }
    }

    #[test]
    fn a_rule_about_tools_names_a_server_and_tools() {
        let policy = Policy::parse("[exec]\ntools = [\"git: git_log,git_diff\", \"time: *\"]").expect("a policy");
        assert_eq!(policy.exec().lines(), ["git: git_diff,git_log TOOL", "time: * TOOL"]);
        assert!(policy.has_tools() && !Policy::default().has_tools());
        for line in ["git", "git: ", "git: a b", "a__b: *", "git: *,x"] {
            let error = Policy::parse(&format!("[exec]\ntools = [\"{line}\"]")).expect_err(line);
            assert_eq!(error.line, 2, "{line}: {error}");
        }
    }

    /// Its name need not be a pack's: nobody wrote a line about one.
    #[test]
    fn a_directory_of_the_command_line_is_permitted_and_no_fault() {
        let alias = |name: &str| name.parse::<Alias>().expect("an alias");
        let id = |text: &str| text.parse::<TemplateId>().expect("an id");
        let policy = Policy::default().and_read(&alias("mine")).and_read(&alias("logs"));
        assert_eq!(faults(&policy), Vec::<String>::new());
        assert_eq!(policy.exec().read, [alias("mine"), alias("logs")]);
        assert_eq!(policy.template(&id("logs/tail")).read, [alias("logs")]);
        assert!(policy.template(&id("sentry/list_errors")).read.is_empty());
        let written =
            Policy::parse("[packs.logs]\nread = [\"logs\"]").expect("it is a policy").and_read(&alias("logs"));
        for policy in [policy, written] {
            let tables = policy.tables(Some(&id("logs/tail")), &Principal::local());
            assert_eq!(tables.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["packs.logs"]);
        }
    }
}
