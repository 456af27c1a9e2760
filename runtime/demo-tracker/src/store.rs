//! The database: the invented data in an embedded `SQLite` that lives in memory and goes with the process.
//!
//! What is searched by is stored in columns or in the tags of events; everything else about an issue or an event
//! follows from its family and is made when it is asked for.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Row, Sqlite, SqliteConnection};
use tokio::sync::Mutex;

use crate::data::{Dataset, Event, Issue};
use crate::organization::PROJECTS;
use crate::period::Period;
use crate::search::Search;

const SCHEMA: &str = "
CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL,
    platform TEXT NOT NULL
);
CREATE TABLE issues (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    short_id TEXT NOT NULL UNIQUE,
    family INTEGER NOT NULL,
    fill TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    title TEXT NOT NULL,
    culprit TEXT NOT NULL,
    filename TEXT NOT NULL,
    function TEXT NOT NULL,
    level TEXT NOT NULL,
    handled INTEGER NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT,
    priority TEXT NOT NULL,
    assigned_to TEXT,
    bookmarked INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    subscribed INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    count INTEGER NOT NULL,
    user_count INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    growth INTEGER NOT NULL
);
CREATE TABLE events (
    id TEXT PRIMARY KEY,
    issue_id INTEGER NOT NULL REFERENCES issues (id),
    time INTEGER NOT NULL,
    tags TEXT NOT NULL
);
CREATE TABLE releases (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    version TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL
);
CREATE INDEX events_of_issue ON events (issue_id, time);
";

/// The one connection to the database.
///
/// One is enough for a demo, and closing it drops the data, so it is held for as long as the server runs.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Mutex<SqliteConnection>,
    /// The issues as the database has them. A list reads some sixty of them with 26 columns each, and taking those apart
    /// costs more than finding them.
    decoded: RwLock<BTreeMap<i64, Issue>>,
}

/// Which stored events are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventFilter<'names> {
    pub(crate) of: EventsOf,
    pub(crate) period: Period,
    /// Any when empty.
    pub(crate) environments: &'names [&'names str],
}

/// Whose events.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventsOf {
    Issue(i64),
    Project(i64),
}

/// Everything about the values of one tag that the events of an issue carry.
#[derive(Debug)]
pub(crate) struct TagValue {
    pub(crate) value: String,
    pub(crate) count: i64,
    pub(crate) first_seen: i64,
    pub(crate) last_seen: i64,
}

/// A release, and what the stored events that carry it say about it.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) id: i64,
    pub(crate) project_id: i64,
    pub(crate) version: String,
    pub(crate) created: i64,
    pub(crate) first_event: Option<i64>,
    pub(crate) last_event: Option<i64>,
    /// How many issues were seen in it for the first time.
    pub(crate) new_issues: i64,
}

impl Store {
    /// Opens an empty database and fills it with the data as of `now`.
    pub(crate) async fn open(now: i64) -> Result<Store, sqlx::Error> {
        let options = SqliteConnectOptions::new().in_memory(true).disable_statement_logging();
        let mut connection = options.connect().await?;
        let mut transaction = connection.begin().await?;
        sqlx::raw_sql(SCHEMA).execute(&mut *transaction).await?;
        fill(&mut transaction, &Dataset::generate(now)).await?;
        transaction.commit().await?;
        let rows = sqlx::query("SELECT * FROM issues").fetch_all(&mut connection).await?;
        let decoded: Result<BTreeMap<i64, Issue>, sqlx::Error> =
            rows.iter().map(issue).map(|issue| issue.map(|issue| (issue.id, issue))).collect();
        Ok(Store { connection: Mutex::new(connection), decoded: RwLock::new(decoded?) })
    }

    /// The issues of these projects that match, latest first.
    pub(crate) async fn issues(&self, projects: &[i64], search: &Search) -> Result<Vec<Issue>, sqlx::Error> {
        let mut sql = QueryBuilder::<Sqlite>::new(
            "SELECT i.id FROM issues i JOIN projects p ON p.id = i.project_id WHERE p.id IN (",
        );
        let mut ids = sql.separated(", ");
        for id in projects {
            ids.push_bind(*id);
        }
        sql.push(")");
        search.push_conditions(&mut sql);
        sql.push(" ORDER BY i.last_seen DESC, i.id DESC");
        let mut connection = self.connection.lock().await;
        let ids: Vec<i64> = sql.build_query_scalar().fetch_all(&mut *connection).await?;
        // While the connection is held nobody writes, so the two agree.
        let decoded = self.decoded.read().unwrap_or_else(PoisonError::into_inner);
        Ok(ids.iter().filter_map(|id| decoded.get(id).cloned()).collect())
    }

    /// The issue with this number or short id.
    pub(crate) async fn issue(&self, id_or_short_id: &str) -> Result<Option<Issue>, sqlx::Error> {
        let mut connection = self.connection.lock().await;
        let row = sqlx::query("SELECT * FROM issues WHERE id = ? OR short_id = ?")
            .bind(id_or_short_id.parse::<i64>().ok())
            .bind(id_or_short_id.to_ascii_uppercase())
            .fetch_optional(&mut *connection)
            .await?;
        row.as_ref().map(issue).transpose()
    }

    /// The stored events that match, latest first.
    pub(crate) async fn events(&self, filter: EventFilter<'_>) -> Result<Vec<Event>, sqlx::Error> {
        let mut sql = match filter.of {
            EventsOf::Issue(id) => {
                let mut sql = QueryBuilder::<Sqlite>::new("SELECT e.* FROM events e WHERE e.issue_id = ");
                sql.push_bind(id);
                sql
            }
            EventsOf::Project(id) => {
                let mut sql = QueryBuilder::<Sqlite>::new(
                    "SELECT e.* FROM events e JOIN issues i ON i.id = e.issue_id WHERE i.project_id = ",
                );
                sql.push_bind(id);
                sql
            }
        };
        sql.push(" AND e.time >= ").push_bind(filter.period.start);
        sql.push(" AND e.time <= ").push_bind(filter.period.end);
        if !filter.environments.is_empty() {
            sql.push(" AND json_extract(e.tags, '$.environment') IN (");
            let mut names = sql.separated(", ");
            for name in filter.environments {
                names.push_bind(*name);
            }
            sql.push(")");
        }
        sql.push(" ORDER BY e.time DESC, e.id DESC");
        let mut connection = self.connection.lock().await;
        let rows = sql.build().fetch_all(&mut *connection).await?;
        rows.iter().map(event).collect()
    }

    /// The event with this id.
    pub(crate) async fn event(&self, id: &str) -> Result<Option<Event>, sqlx::Error> {
        let mut connection = self.connection.lock().await;
        let row = sqlx::query("SELECT * FROM events WHERE id = ?").bind(id).fetch_optional(&mut *connection).await?;
        row.as_ref().map(event).transpose()
    }

    /// The releases of these projects, the newest first. With environments, those that were seen in one of them.
    pub(crate) async fn releases(&self, projects: &[i64], environments: &[&str]) -> Result<Vec<Release>, sqlx::Error> {
        // Versions name their project, so an event's release needs no second condition.
        let mut sql = QueryBuilder::<Sqlite>::new(
            "SELECT r.id, r.project_id, r.version, r.created, MIN(e.time) AS first_event, MAX(e.time) AS last_event, \
             COUNT(DISTINCT CASE WHEN e.time = i.first_seen THEN i.id END) AS new_issues \
             FROM releases r LEFT JOIN events e ON json_extract(e.tags, '$.release') = r.version",
        );
        if !environments.is_empty() {
            sql.push(" AND json_extract(e.tags, '$.environment') IN (");
            let mut names = sql.separated(", ");
            for name in environments {
                names.push_bind(*name);
            }
            sql.push(")");
        }
        sql.push(" LEFT JOIN issues i ON i.id = e.issue_id WHERE r.project_id IN (");
        let mut ids = sql.separated(", ");
        for id in projects {
            ids.push_bind(*id);
        }
        sql.push(") GROUP BY r.id");
        if !environments.is_empty() {
            sql.push(" HAVING COUNT(e.id) > 0");
        }
        sql.push(" ORDER BY r.created DESC, r.id DESC");
        let mut connection = self.connection.lock().await;
        let rows = sql.build().fetch_all(&mut *connection).await?;
        rows.iter().map(release).collect()
    }

    /// The values of each tag that the stored events of an issue carry, the most frequent first.
    pub(crate) async fn tags(&self, issue_id: i64) -> Result<BTreeMap<String, Vec<TagValue>>, sqlx::Error> {
        let mut connection = self.connection.lock().await;
        let rows: Vec<(String, String, i64, i64, i64)> = sqlx::query_as(
            "SELECT t.key, t.value, COUNT(*), MIN(e.time), MAX(e.time) \
             FROM events e, json_each(e.tags) t WHERE e.issue_id = ? \
             GROUP BY t.key, t.value ORDER BY t.key, COUNT(*) DESC, t.value",
        )
        .bind(issue_id)
        .fetch_all(&mut *connection)
        .await?;
        let mut tags: BTreeMap<String, Vec<TagValue>> = BTreeMap::new();
        for (key, value, count, first_seen, last_seen) in rows {
            tags.entry(key).or_default().push(TagValue { value, count, first_seen, last_seen });
        }
        Ok(tags)
    }

    /// Writes back what can change about an issue.
    pub(crate) async fn update(&self, issue: &Issue) -> Result<(), sqlx::Error> {
        let mut connection = self.connection.lock().await;
        sqlx::query(
            "UPDATE issues SET status = ?, substatus = ?, priority = ?, assigned_to = ?, \
             bookmarked = ?, seen = ?, subscribed = ? WHERE id = ?",
        )
        .bind(issue.status.as_str())
        .bind(issue.substatus.as_deref())
        .bind(issue.priority.as_str())
        .bind(issue.assigned_to.as_deref())
        .bind(issue.bookmarked)
        .bind(issue.seen)
        .bind(issue.subscribed)
        .bind(issue.id)
        .execute(&mut *connection)
        .await?;
        self.decoded.write().unwrap_or_else(PoisonError::into_inner).insert(issue.id, issue.clone());
        Ok(())
    }
}

/// Inserts everything in four statements: a statement for each row would take most of the start-up time.
async fn fill(connection: &mut SqliteConnection, data: &Dataset) -> Result<(), sqlx::Error> {
    let mut sql = QueryBuilder::<Sqlite>::new("INSERT INTO projects (id, slug, platform) ");
    sql.push_values(&PROJECTS, |mut row, project| {
        row.push_bind(project.id).push_bind(project.slug).push_bind(project.platform);
    });
    sql.build().execute(&mut *connection).await?;

    // 26 values for each of some 110 issues and 4 for each of some 500 events: a tenth of the 32,766 that a statement
    // can bind.
    let mut sql = QueryBuilder::<Sqlite>::new(
        "INSERT INTO issues (id, project_id, short_id, family, fill, kind, value, title, culprit, filename, \
         function, level, handled, status, substatus, priority, assigned_to, bookmarked, seen, subscribed, \
         comments, count, user_count, first_seen, last_seen, growth) ",
    );
    sql.push_values(&data.issues, |mut row, issue| {
        let family = issue.family();
        row.push_bind(issue.id)
            .push_bind(family.project.id)
            .push_bind(issue.short_id.as_str())
            .push_bind(i64::try_from(issue.family).unwrap_or(0))
            .push_bind(issue.fill.as_str())
            .push_bind(family.kind)
            .push_bind(issue.value())
            .push_bind(issue.title())
            .push_bind(family.transaction)
            .push_bind(family.file)
            .push_bind(family.function)
            .push_bind(family.level)
            .push_bind(family.handled)
            .push_bind(issue.status.as_str())
            .push_bind(issue.substatus.as_deref())
            .push_bind(issue.priority.as_str())
            .push_bind(issue.assigned_to.as_deref())
            .push_bind(issue.bookmarked)
            .push_bind(issue.seen)
            .push_bind(issue.subscribed)
            .push_bind(issue.comments)
            .push_bind(issue.count)
            .push_bind(issue.user_count)
            .push_bind(issue.first_seen)
            .push_bind(issue.last_seen)
            .push_bind(issue.growth);
    });
    sql.build().execute(&mut *connection).await?;

    let mut sql = QueryBuilder::<Sqlite>::new("INSERT INTO events (id, issue_id, time, tags) ");
    sql.push_values(&data.events, |mut row, event| {
        let tags = serde_json::to_string(&event.tags).unwrap_or_else(|_| "{}".to_owned());
        row.push_bind(event.id.as_str()).push_bind(event.issue_id).push_bind(event.time).push_bind(tags);
    });
    sql.build().execute(&mut *connection).await?;

    let mut sql = QueryBuilder::<Sqlite>::new("INSERT INTO releases (id, project_id, version, created) ");
    sql.push_values(&data.releases, |mut row, release| {
        row.push_bind(release.id).push_bind(release.project_id).push_bind(release.version).push_bind(release.created);
    });
    sql.build().execute(&mut *connection).await?;
    Ok(())
}

fn issue(row: &SqliteRow) -> Result<Issue, sqlx::Error> {
    let family: i64 = row.try_get("family")?;
    Ok(Issue {
        id: row.try_get("id")?,
        short_id: row.try_get("short_id")?,
        family: usize::try_from(family).map_err(|error| sqlx::Error::Decode(error.into()))?,
        fill: row.try_get("fill")?,
        status: row.try_get("status")?,
        substatus: row.try_get("substatus")?,
        priority: row.try_get("priority")?,
        assigned_to: row.try_get("assigned_to")?,
        bookmarked: row.try_get("bookmarked")?,
        seen: row.try_get("seen")?,
        subscribed: row.try_get("subscribed")?,
        comments: row.try_get("comments")?,
        count: row.try_get("count")?,
        user_count: row.try_get("user_count")?,
        first_seen: row.try_get("first_seen")?,
        last_seen: row.try_get("last_seen")?,
        growth: row.try_get("growth")?,
    })
}

fn event(row: &SqliteRow) -> Result<Event, sqlx::Error> {
    let tags: String = row.try_get("tags")?;
    Ok(Event {
        id: row.try_get("id")?,
        issue_id: row.try_get("issue_id")?,
        time: row.try_get("time")?,
        tags: serde_json::from_str(&tags).map_err(|error| sqlx::Error::Decode(error.into()))?,
    })
}

fn release(row: &SqliteRow) -> Result<Release, sqlx::Error> {
    Ok(Release {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        version: row.try_get("version")?,
        created: row.try_get("created")?,
        first_event: row.try_get("first_event")?,
        last_event: row.try_get("last_event")?,
        new_issues: row.try_get("new_issues")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_000_000;

    async fn find(store: &Store, query: &str) -> Vec<Issue> {
        let projects: Vec<i64> = PROJECTS.iter().map(|project| project.id).collect();
        let search = Search::parse(query, NOW).unwrap_or_else(|error| panic!("{query}: {error}"));
        store.issues(&projects, &search).await.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    #[tokio::test]
    async fn what_is_read_back_is_what_was_invented() {
        let store = Store::open(NOW).await.expect("memory can be opened");
        let data = Dataset::generate(NOW);
        let mut stored = find(&store, "").await;
        stored.sort_by_key(|issue| issue.id);
        assert_eq!(stored, data.issues);
        for event in data.events.iter().step_by(50) {
            let found = store.event(&event.id).await.expect("the query is valid");
            assert_eq!(found.as_ref(), Some(event));
        }
    }

    #[tokio::test]
    async fn each_kind_of_term_selects_what_it_says() {
        type Test = fn(&Issue) -> bool;
        let store = Store::open(NOW).await.expect("memory can be opened");
        let all = find(&store, "").await;
        let cases: &[(&str, Test)] = &[
            ("is:unresolved", |issue| issue.status == "unresolved"),
            ("!is:unresolved", |issue| issue.status != "unresolved"),
            ("is:ignored", |issue| issue.status == "ignored"),
            ("is:unassigned", |issue| issue.assigned_to.is_none()),
            ("assigned:[me, #backend]", |issue| {
                matches!(issue.assigned_to.as_deref(), Some("dana@demo.example" | "#backend"))
            }),
            ("level:[error,fatal]", |issue| matches!(issue.family().level, "error" | "fatal")),
            ("!level:error", |issue| issue.family().level != "error"),
            ("project:web", |issue| issue.project().slug == "web"),
            ("platform:python", |issue| issue.project().platform == "python"),
            ("error.type:*Error", |issue| issue.family().kind.ends_with("Error")),
            ("error.unhandled:true", |issue| !issue.family().handled),
            ("timesSeen:>100", |issue| issue.count > 100),
            ("age:-24h", |issue| issue.first_seen >= NOW - 86_400),
            ("age:+7d", |issue| issue.first_seen <= NOW - 7 * 86_400),
            ("lastSeen:-24h", |issue| issue.last_seen >= NOW - 86_400),
            ("CANNOT read", |issue| issue.title().to_lowercase().contains("cannot read")),
            ("/cart", |issue| issue.family().transaction.contains("/cart")),
            ("has:browser", |issue| issue.project().slug == "web"),
            ("runtime.name:CPython", |issue| issue.project().platform == "python"),
            ("browser:\"\"", |issue| issue.project().slug != "web"),
        ];
        for (query, matches) in cases {
            let expected: Vec<i64> = all.iter().filter(|issue| matches(issue)).map(|issue| issue.id).collect();
            let found: Vec<i64> = find(&store, query).await.iter().map(|issue| issue.id).collect();
            assert_eq!(found, expected, "{query}");
            assert!(!found.is_empty() && found.len() < all.len(), "{query}");
        }
        assert!(find(&store, "is:linked").await.is_empty());
        assert_eq!(find(&store, "is:unlinked !has:nothing").await, all);
    }

    #[tokio::test]
    async fn a_release_knows_the_events_that_carry_it() {
        let store = Store::open(NOW).await.expect("memory can be opened");
        let data = Dataset::generate(NOW);
        let projects: Vec<i64> = PROJECTS.iter().map(|project| project.id).collect();
        let releases = store.releases(&projects, &[]).await.expect("the query is valid");
        assert_eq!(releases.len(), data.releases.len());
        assert!(releases.is_sorted_by(|newer, older| newer.created >= older.created));
        for release in &releases {
            let carrying = data.events.iter().filter(|event| event.tag("release") == Some(release.version.as_str()));
            let times: Vec<i64> = carrying.map(|event| event.time).collect();
            assert_eq!(release.first_event, times.iter().min().copied(), "{release:?}");
            assert_eq!(release.last_event, times.iter().max().copied(), "{release:?}");
            assert!(release.first_event.is_none_or(|first| first >= release.created), "{release:?}");
        }
        // Every issue was new in one release: the one of its first event.
        let new: i64 = releases.iter().map(|release| release.new_issues).sum();
        assert_eq!(usize::try_from(new).ok(), Some(data.issues.len()));

        let staging = store.releases(&projects[..1], &["staging"]).await.expect("the query is valid");
        assert!(!staging.is_empty());
        for release in &staging {
            assert_eq!(release.project_id, projects[0]);
            let last = data.events.iter().filter(|event| {
                event.tag("release") == Some(release.version.as_str()) && event.tag("environment") == Some("staging")
            });
            assert_eq!(release.last_event, last.map(|event| event.time).max(), "{release:?}");
        }
    }

    #[tokio::test]
    async fn a_change_is_seen_by_the_next_search() {
        let store = Store::open(NOW).await.expect("memory can be opened");
        let mut issue = find(&store, "is:unresolved").await.remove(0);
        "resolved".clone_into(&mut issue.status);
        issue.substatus = None;
        store.update(&issue).await.expect("the statement is valid");
        let found = store.issue(&issue.short_id.to_lowercase()).await.expect("the query is valid");
        assert_eq!(found.as_ref(), Some(&issue));
        assert!(!find(&store, "is:unresolved").await.contains(&issue));
    }
}
