//! What the demo organisation is made of: projects, people, teams and the kinds of error that happen in it.
//!
//! Everything here is constant. What varies (when, how often, to whom) is made by `data`.

use std::sync::LazyLock;

/// The slug of the only organisation.
pub(crate) const ORGANIZATION: &str = "demo";
/// Its numeric id, which Sentry accepts wherever it accepts the slug.
pub(crate) const ORGANIZATION_ID: &str = "4507100000000001";

pub(crate) const ENVIRONMENTS: [&str; 3] = ["production", "staging", "development"];
pub(crate) const LEVELS: [&str; 5] = ["fatal", "error", "warning", "info", "debug"];

/// One project and what its stack traces look like.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) id: i64,
    pub(crate) slug: &'static str,
    pub(crate) name: &'static str,
    pub(crate) platform: &'static str,
    /// Oldest first; which one an event belongs to follows from its time.
    pub(crate) releases: [&'static str; 4],
    pub(crate) sdk: [&'static str; 2],
    /// What stands before a relative file name in `absPath`.
    pub(crate) root: &'static str,
    /// The frames below the failing one, oldest first.
    pub(crate) callers: &'static [Caller<'static>],
    /// A source line that can stand before and one that can stand after any other, in the project's language.
    pub(crate) around: [&'static str; 2],
}

/// A frame of a stack trace.
#[derive(Debug)]
pub(crate) struct Caller<'text> {
    pub(crate) file: &'text str,
    pub(crate) line: i64,
    pub(crate) function: &'text str,
    pub(crate) source: &'text str,
    pub(crate) in_app: bool,
}

const fn ours(file: &'static str, line: i64, function: &'static str, source: &'static str) -> Caller<'static> {
    Caller { file, line, function, source, in_app: true }
}

const fn theirs(file: &'static str, line: i64, function: &'static str, source: &'static str) -> Caller<'static> {
    Caller { file, line, function, source, in_app: false }
}

const REACT: &str = "node_modules/react-dom/cjs/react-dom-client.development.js";

pub(crate) static PROJECTS: [Project; 6] = [
    Project {
        id: 4_507_100_000_000_101,
        slug: "web",
        name: "Web",
        platform: "javascript",
        releases: ["web@4.9.2", "web@4.10.0", "web@4.11.1", "web@4.12.0"],
        sdk: ["sentry.javascript.react", "8.42.0"],
        root: "https://shop.example/static/",
        callers: &[
            theirs(REACT, 15_641, "performWorkUntilDeadline", "hasMoreWork = flushWork(currentTime);"),
            theirs(REACT, 6_213, "renderWithHooks", "children = Component(props, secondArg);"),
            ours("src/routes/Page.tsx", 34, "Page", "return <Layout>{children}</Layout>;"),
        ],
        around: ["const settings = useSettings();", "if (!ready) return null;"],
    },
    Project {
        id: 4_507_100_000_000_102,
        slug: "api",
        name: "API",
        platform: "python",
        releases: ["api@2026.7.0", "api@2026.8.1", "api@2026.9.0", "api@2026.10.2"],
        sdk: ["sentry.python.django", "2.19.0"],
        root: "/srv/api/",
        callers: &[
            theirs(
                "django/core/handlers/base.py",
                197,
                "_get_response",
                "response = wrapped_callback(request, *callback_args, **callback_kwargs)",
            ),
            theirs("rest_framework/views.py", 506, "dispatch", "response = handler(request, *args, **kwargs)"),
            ours("api/common/views.py", 61, "handle", "return self.perform(request.validated)"),
        ],
        around: ["self.metrics.count(self.name)", "self.finish()"],
    },
    Project {
        id: 4_507_100_000_000_103,
        slug: "mobile",
        name: "Mobile",
        platform: "react-native",
        releases: [
            "com.example.shop@7.1.0+710",
            "com.example.shop@7.2.0+720",
            "com.example.shop@7.2.1+721",
            "com.example.shop@7.3.0+730",
        ],
        sdk: ["sentry.javascript.react-native", "6.3.0"],
        root: "app:///",
        callers: &[
            theirs("node_modules/react-native/Libraries/Core/Timers/JSTimers.js", 214, "_callTimer", "callback();"),
            ours("app/runtime/scheduler.ts", 40, "runTask", "await task.run(context);"),
        ],
        around: ["const context = currentContext();", "trace.end();"],
    },
    Project {
        id: 4_507_100_000_000_104,
        slug: "worker",
        name: "Worker",
        platform: "python",
        releases: ["worker@1.18.0", "worker@1.19.0", "worker@1.19.3", "worker@1.20.0"],
        sdk: ["sentry.python.celery", "2.19.0"],
        root: "/srv/worker/",
        callers: &[
            theirs("celery/app/trace.py", 453, "trace_task", "R = retval = fun(*args, **kwargs)"),
            ours("worker/tasks.py", 88, "run", "return self.execute(*args, **kwargs)"),
        ],
        around: ["log.debug(\"step %s\", step)", "self.heartbeat()"],
    },
    Project {
        id: 4_507_100_000_000_105,
        slug: "checkout",
        name: "Checkout",
        platform: "node",
        releases: ["checkout@3.4.0", "checkout@3.4.1", "checkout@3.5.0", "checkout@3.6.0"],
        sdk: ["sentry.javascript.node", "8.42.0"],
        root: "/srv/checkout/",
        callers: &[
            theirs("node_modules/express/lib/router/layer.js", 95, "handle [as handle_request]", "fn(req, res, next);"),
            ours("src/middleware/route.js", 22, "wrap", "await handler(req, res);"),
        ],
        around: ["const started = Date.now();", "metrics.timing(name, Date.now() - started);"],
    },
    Project {
        id: 4_507_100_000_000_106,
        slug: "billing",
        name: "Billing",
        platform: "go",
        releases: ["billing@0.61.0", "billing@0.62.0", "billing@0.63.0", "billing@0.64.1"],
        sdk: ["sentry.go", "0.30.0"],
        root: "/src/",
        callers: &[
            theirs("net/http/server.go", 2_220, "HandlerFunc.ServeHTTP", "f(w, r)"),
            ours("billing/api/router.go", 57, "(*Router).handle", "route.handler.ServeHTTP(w, r.WithContext(ctx))"),
        ],
        around: ["defer span.Finish()", "if err != nil {"],
    },
];

/// The project with this slug or this decimal id.
pub(crate) fn project(slug_or_id: &str) -> Option<&'static Project> {
    let id = slug_or_id.parse::<i64>().ok();
    PROJECTS.iter().find(|project| project.slug == slug_or_id || Some(project.id) == id)
}

/// Somebody or some team an issue can be assigned to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Assignee {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// A person's address, or a team's slug with `#`: what the search language compares.
    pub(crate) handle: &'static str,
}

impl Assignee {
    pub(crate) fn is_team(&self) -> bool {
        self.handle.starts_with('#')
    }
}

/// The first is `me`: the person the demo's token belongs to.
pub(crate) static ASSIGNEES: [Assignee; 6] = [
    Assignee { id: "3001", name: "Dana Demo", handle: "dana@demo.example" },
    Assignee { id: "3002", name: "Kim Okafor", handle: "kim@demo.example" },
    Assignee { id: "3003", name: "Luis Varga", handle: "luis@demo.example" },
    Assignee { id: "5001", name: "frontend", handle: "#frontend" },
    Assignee { id: "5002", name: "backend", handle: "#backend" },
    Assignee { id: "5003", name: "payments", handle: "#payments" },
];

/// The exception that another one was raised because of.
#[derive(Debug)]
pub(crate) struct Cause {
    /// The kind of the other one.
    pub(crate) of: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) value: &'static str,
    /// Its own trace, oldest frame first.
    pub(crate) frames: &'static [Caller<'static>],
}

/// One cause in the project's own code, and one in which no frame is its own.
static CAUSES: [Cause; 2] = [
    Cause {
        of: "MaxRetriesExceededError",
        kind: "ConnectionResetError",
        value: "[Errno 104] Connection reset by peer",
        frames: &[
            theirs("celery/app/trace.py", 453, "trace_task", "R = retval = fun(*args, **kwargs)"),
            ours("worker/transport.py", 118, "drain_events", "data = self.socket.recv(4096)"),
        ],
    },
    Cause {
        of: "ReadTimeout",
        kind: "TimeoutError",
        value: "The read operation timed out",
        frames: &[
            theirs("urllib3/connectionpool.py", 534, "_make_request", "response = conn.getresponse()"),
            theirs("ssl.py", 1_103, "read", "return self._sslobj.read(len, buffer)"),
        ],
    },
];

/// A kind of error: one line of `families.txt`.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) project: &'static Project,
    pub(crate) level: &'static str,
    pub(crate) handled: bool,
    pub(crate) kind: &'static str,
    pub(crate) value: &'static str,
    pub(crate) fills: Vec<&'static str>,
    pub(crate) file: &'static str,
    pub(crate) line: i64,
    pub(crate) function: &'static str,
    pub(crate) transaction: &'static str,
    pub(crate) source: &'static str,
}

impl Family {
    /// What it was raised because of, if it was not the first to go wrong.
    pub(crate) fn cause(&self) -> Option<&'static Cause> {
        CAUSES.iter().find(|cause| cause.of == self.kind)
    }

    /// Whether the line that failed is the project's own, and not a library's.
    pub(crate) fn is_in_app(&self) -> bool {
        !self.file.starts_with("node_modules/") && !self.file.starts_with("webpack/")
    }

    /// The family of one line, or nothing when a column is missing or names what does not exist.
    fn parse(line: &'static str) -> Option<Family> {
        let columns: Vec<&'static str> = line.split(" | ").map(str::trim).collect();
        let &[project_slug, level, handled, kind, value, fills, file, line, function, transaction, source] =
            columns.as_slice()
        else {
            return None;
        };
        Some(Family {
            project: project(project_slug)?,
            level: LEVELS.into_iter().find(|known| *known == level)?,
            handled: handled == "yes",
            kind,
            value,
            fills: fills.split(';').collect(),
            file,
            line: line.parse().ok()?,
            function,
            transaction,
            source,
        })
    }
}

/// Every kind of error. An issue refers to its family by its place in this list.
pub(crate) static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    include_str!("families.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| Family::parse(line).expect("families.txt is part of the program"))
        .collect()
});

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_line_of_the_families_file_parses() {
        for line in include_str!("families.txt").lines().filter(|line| !line.starts_with('#')) {
            assert!(Family::parse(line).is_some(), "{line}");
        }
    }

    #[test]
    fn there_are_forty_distinct_families_and_every_project_has_some() {
        let distinct: HashSet<_> = FAMILIES.iter().map(|family| (family.kind, family.value)).collect();
        assert!(distinct.len() >= 40, "{}", distinct.len());
        for project in &PROJECTS {
            assert!(FAMILIES.iter().any(|family| family.project.id == project.id), "{project:?}");
        }
    }

    #[test]
    fn every_cause_explains_a_family() {
        for cause in &CAUSES {
            assert!(FAMILIES.iter().any(|family| family.kind == cause.of), "{cause:?}");
            assert!(!cause.frames.is_empty(), "{cause:?}");
        }
    }

    #[test]
    fn a_project_is_found_by_slug_and_by_id() {
        assert_eq!(project("web").map(|found| found.id), Some(4_507_100_000_000_101));
        assert_eq!(project("4507100000000102").map(|found| found.slug), Some("api"));
        assert!(project("nothing").is_none());
        assert!(project("-1").is_none());
    }
}
