//! Which resource a path names.

use crate::organization::{ORGANIZATION, ORGANIZATION_ID, Project, project};

/// A resource of the API. The organisation is not part of it, since there is only one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Route<'path> {
    Projects,
    Releases,
    Issues,
    ProjectIssues(&'static Project),
    ProjectEvents(&'static Project),
    ProjectEvent(&'static Project, &'path str),
    Environments(&'static Project),
    Issue(&'path str),
    IssueEvents(&'path str),
    IssueEvent(&'path str, &'path str),
    IssueTag(&'path str, &'path str),
}

impl<'path> Route<'path> {
    /// The resource behind a path, or nothing when there is none or its organisation or project does not exist.
    ///
    /// The slash at the end is part of every path, as in the original.
    pub(crate) fn parse(path: &'path str) -> Option<Route<'path>> {
        let path = path.strip_prefix("/api/0/")?.strip_suffix('/')?;
        let parts: Vec<&'path str> = path.split('/').collect();
        match parts.as_slice() {
            ["organizations", organization, rest @ ..] => {
                exists(organization)?;
                match rest {
                    ["projects"] => Some(Route::Projects),
                    ["releases"] => Some(Route::Releases),
                    ["issues"] => Some(Route::Issues),
                    ["issues", issue @ ..] => Route::of_issue(issue),
                    _ => None,
                }
            }
            ["issues", issue @ ..] => Route::of_issue(issue),
            ["projects", organization, slug_or_id, rest @ ..] => {
                exists(organization)?;
                let project = project(slug_or_id)?;
                match rest {
                    ["issues"] => Some(Route::ProjectIssues(project)),
                    ["events"] => Some(Route::ProjectEvents(project)),
                    &["events", event] => Some(Route::ProjectEvent(project, event)),
                    ["environments"] => Some(Route::Environments(project)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn of_issue(parts: &[&'path str]) -> Option<Route<'path>> {
        match *parts {
            [id] => Some(Route::Issue(id)),
            [id, "events"] => Some(Route::IssueEvents(id)),
            [id, "events", event] => Some(Route::IssueEvent(id, event)),
            [id, "tags", key] => Some(Route::IssueTag(id, key)),
            _ => None,
        }
    }

    /// The methods it takes, as the `Allow` header writes them.
    pub(crate) fn methods(self) -> &'static str {
        match self {
            Route::Issue(_) => "GET, PUT, HEAD",
            _ => "GET, HEAD",
        }
    }
}

fn exists(organization: &str) -> Option<()> {
    (organization == ORGANIZATION || organization == ORGANIZATION_ID).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<&str>) {
        let found = Route::parse(path).map(|route| match route {
            Route::Projects => "projects".to_owned(),
            Route::Releases => "releases".to_owned(),
            Route::Issues => "issues".to_owned(),
            Route::ProjectIssues(project) => format!("issues of {}", project.slug),
            Route::ProjectEvents(project) => format!("events of {}", project.slug),
            Route::ProjectEvent(project, event) => format!("event {event} of {}", project.slug),
            Route::Environments(project) => format!("environments of {}", project.slug),
            Route::Issue(issue) => format!("issue {issue}"),
            Route::IssueEvents(issue) => format!("events of issue {issue}"),
            Route::IssueEvent(issue, event) => format!("event {event} of issue {issue}"),
            Route::IssueTag(issue, key) => format!("tag {key} of issue {issue}"),
        });
        assert_eq!(found.as_deref(), expected, "{path}");
    }

    #[test]
    fn paths_are_those_of_the_original() {
        check("/api/0/organizations/demo/projects/", Some("projects"));
        check("/api/0/organizations/demo/releases/", Some("releases"));
        check("/api/0/organizations/4507100000000001/issues/", Some("issues"));
        check("/api/0/organizations/demo/issues/WEB-1A/", Some("issue WEB-1A"));
        check("/api/0/issues/7/", Some("issue 7"));
        check("/api/0/organizations/demo/issues/7/events/", Some("events of issue 7"));
        check("/api/0/issues/7/events/latest/", Some("event latest of issue 7"));
        check("/api/0/organizations/demo/issues/7/tags/release/", Some("tag release of issue 7"));
        check("/api/0/projects/demo/web/issues/", Some("issues of web"));
        check("/api/0/projects/demo/4507100000000102/events/", Some("events of api"));
        check("/api/0/projects/demo/api/events/ab/", Some("event ab of api"));
        check("/api/0/projects/demo/api/environments/", Some("environments of api"));
    }

    #[test]
    fn other_paths_name_nothing() {
        check("/", None);
        check("/api/0/", None);
        check("/api/0/organizations/demo/projects", None);
        check("/api/0/organizations/other/projects/", None);
        check("/api/0/organizations/demo//", None);
        check("/api/0/organizations/demo/releases/web@4.12.0/", None);
        check("/api/0/organizations/demo/issues//", Some("issue "));
        check("/api/0/projects/demo/other/issues/", None);
        check("/api/1/organizations/demo/projects/", None);
        check("/api/0/issues/7/events/latest/more/", None);
    }
}
