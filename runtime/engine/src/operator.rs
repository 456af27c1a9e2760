//! Queries of the operator: what is permitted, what is missing, whether origins and cases work.

use std::time::Duration;

use futures_util::future::BoxFuture;
use intentbox_capability::{Access, Alias, Asked, Grant, HttpRule, Refusal, ToolEffect};
use intentbox_catalog::{Case, Template, TemplateId};
use intentbox_egress::{Budget, Request, SendError};
use intentbox_report::{Lack, Principal, Refused};
use intentbox_sandbox::{StartError, WorkerState};
use intentbox_tools::Effect;

use crate::Engine;
use crate::caller::Caller;
use crate::rehearsal;
use crate::tool_caller::effect_of;

/// How long trying an origin may take.
const TRY_MAX: Duration = Duration::from_secs(10);

/// What code may access, for whoever writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeGrant {
    /// The rules line by line, each origin with its settings where it is first named: `shop: GET /** (region=eu)`.
    pub lines: Vec<String>,
    /// Whether it may reach beyond this machine's directories.
    pub has_requests: bool,
    /// Whether it may change anything.
    pub has_changes: bool,
}

impl CodeGrant {
    /// Whether one of its lines is about requests.
    #[must_use]
    pub fn is_of_requests(line: &str) -> bool {
        Access::is_of_requests(line)
    }
}

/// A case that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CaseFailed(pub(crate) String);

impl Engine {
    /// Whether everything that a template wants is configured, so that an intent can reach it.
    #[must_use]
    pub fn reaches(&self, template: &Template) -> bool {
        self.lacks(template).is_empty()
    }

    /// What must be configured before an intent can select this template.
    #[must_use]
    pub fn lacks(&self, template: &Template) -> Vec<Lack> {
        self.opened.lacks(template.wants(), self.tenants.common().egress.origins())
    }

    /// What code of a caller may access, for whoever writes it.
    #[must_use]
    pub fn code_grant(&self, caller: &Caller) -> CodeGrant {
        let access = self.grants_of_code(caller).access();
        let mut named: Vec<String> = Vec::new();
        let lines = access.lines().into_iter().map(|line| {
            let alias = line.split(':').next().unwrap_or_default().to_owned();
            // An origin's settings are named once.
            let is_first = Access::is_of_requests(&line) && !named.contains(&alias);
            let settings = if is_first { self.settings_of(&alias, caller) } else { Vec::new() };
            named.push(alias);
            if settings.is_empty() { line } else { format!("{line} ({})", settings.join(", ")) }
        });
        CodeGrant {
            lines: lines.collect(),
            has_requests: !access.http.is_empty() || !access.tools.is_empty(),
            has_changes: access.changes(),
        }
    }

    /// Says of a server, a tool and its effect whether code of a caller may call it.
    pub fn permitted_tools(&self, caller: &Caller) -> impl Fn(&str, &str, Effect) -> bool + use<> {
        let grants = self.grants_of_code(caller);
        move |server, tool, effect| grants.tools.admit(server, tool, effect_of(effect)).is_ok()
    }

    /// The settings of an origin, as `name=value`.
    fn settings_of(&self, alias: &str, caller: &Caller) -> Vec<String> {
        let own = self.tenants.of(&caller.principal).settings.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix(alias)?.strip_prefix('.')?;
            Some(format!("{name}={value}"))
        });
        own.collect()
    }

    /// Runs a case of a template in the sandbox, against the replies and files of the case.
    ///
    /// # Errors
    /// How the run differs from the case.
    pub fn rehearse<'a>(&'a self, case: &'a Case) -> BoxFuture<'a, Result<(), CaseFailed>> {
        Box::pin(async move {
            let catalog = self.catalog();
            let template = catalog.get(case.template.as_str());
            let template = template.ok_or_else(|| CaseFailed(format!("there is no template {}", case.template)))?;
            let sandbox = self.sandbox().await.map_err(|error| CaseFailed(error.to_string()))?;
            rehearsal::rehearse(sandbox, template, case).await.map_err(CaseFailed)
        })
    }

    /// Whether a request of a template or of code of this caller would be admitted, and by which lines of the policy.
    ///
    /// # Errors
    /// The refusal, with the lines that would allow it where there are any, as a run would get them.
    pub fn admits<'a>(
        &'a self,
        who: Option<&'a TemplateId>,
        caller: &'a Caller,
        method: &'a str,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Refused>> {
        Box::pin(async move {
            let catalog = self.catalog();
            let unknown = |id: &TemplateId| Refused { message: format!("there is no template {id}"), remedy: None };
            let template = who.map(|id| catalog.get(id.as_str()).ok_or_else(|| unknown(id))).transpose()?;
            let grants = match template {
                None => self.grants_of_code(caller),
                Some(template) => self.grants_of_template(&self.library(), template, caller),
            };
            let requester = self.requester(template, caller);
            let refused = |refusal: Refusal| {
                let remedy = requester.remedy(&refusal, &self.opened.directories);
                Refused { message: refusal.to_string(), remedy }
            };
            let (asked, origins) = (Asked::of(method, url), self.tenants.common().egress.origins());
            let effect = match (asked, self.upstreams()) {
                // A tool that has changed is told as one of which nothing is known.
                (Asked::Tool { server, tool }, Some(upstreams)) => {
                    upstreams.effect(server, tool).await.map_or(ToolEffect::MayChange, effect_of)
                }
                _ => ToolEffect::MayChange,
            };
            let request = grants.admits(asked, origins, effect).map_err(refused)?;
            let mut lines = Vec::new();
            for (table, rules) in self.policy.tables(who, &caller.principal) {
                let admitting = rules.admitting(asked, origins, effect);
                lines.extend(admitting.into_iter().map(|line| format!("{line} under [{table}]")));
            }
            lines.extend(request);
            Ok(lines)
        })
    }

    /// Requests one path of an origin with the token that a principal has for it, whatever the policy says, to try a configuration.
    /// Returns the status.
    ///
    /// # Errors
    /// Why there is no reply, without the token.
    ///
    /// # Panics
    /// Never: an alias, a method and a path make a rule.
    pub fn try_origin<'a>(
        &'a self,
        principal: &'a Principal,
        alias: &'a Alias,
        path: &'a str,
    ) -> BoxFuture<'a, Result<u16, SendError>> {
        Box::pin(async move {
            let rule =
                format!("{alias}: GET /**").parse::<HttpRule>().expect("an alias, a method and a path make a rule");
            let exchange = self
                .tenants
                .of(principal)
                .egress
                .open(Grant::of([rule]), Budget { timeout: TRY_MAX, ..Budget::default() });
            let url = format!("{alias}:{path}");
            let request = Request { method: "GET", url: &url, headers: &[], body: None, timeout: None };
            exchange.send(request).await.map(|reply| reply.status)
        })
    }

    /// Starts the sandbox if it is not up, and lists its worker processes.
    ///
    /// # Errors
    /// When it does not start.
    pub fn workers(&self) -> BoxFuture<'_, Result<Vec<WorkerState>, StartError>> {
        Box::pin(async move { Ok(self.sandbox().await?.workers()) })
    }
}
