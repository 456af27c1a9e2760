//! Schedules: requests that are submitted again and again, at the times of a cron expression.

use std::str::FromStr as _;
use std::time::Duration;

use croner::Cron;
use intentbox_catalog::json::parse_value;
use intentbox_engine::{Principal, new_run_id};
use intentbox_store::{Firing, JobStore, NewSchedule, Schedule, StoreError, TokenRecord};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::queue::new_job;
use crate::request::{Fault, JobRequest, When, object};

/// How often it is looked for schedules that are due.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// How many schedules are looked at together.
const DUE_MAX: u32 = 200;

/// How far the clock has to be set back for schedules to be looked at anew, in milliseconds. One is moved only if it would be due
/// earlier even so much later: a clock that is corrected by less submits no time twice.
const SET_BACK_MS: i64 = 60_000;

/// The longest request of a schedule, in bytes of JSON: all schedules of a client are in one answer.
const JOB_BYTES_MAX: usize = 64 << 10;

/// The longest cron expression and the longest name of a time zone, in bytes.
const TEXT_BYTES_MAX: usize = 128;

/// The label of each job of a schedule: the id of the schedule.
const LABEL: &str = "schedule";

/// What is submitted, and when. In JSON: `{"cron": "0 8 * * 1-5", "timezone": "Europe/Berlin", "job": {"intent": "list errors"}}`.
#[derive(Debug, Clone)]
pub struct ScheduleRequest {
    times: Times,
    /// The request of each job.
    pub job: JobRequest,
    text: String,
}

/// The times of a cron expression in a time zone.
#[derive(Debug, Clone)]
struct Times {
    cron: Cron,
    written: String,
    zone: TimeZone,
    zone_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    cron: String,
    timezone: Option<String>,
    job: Box<RawValue>,
}

/// What each field of a cron expression is, and what may be in it. The names of the days and months are those of the library.
/// A longer step than the last of them is none.
const FIELDS: [(&str, &str, u8); 5] = [
    ("minute", "0 to 59", 59),
    ("hour", "0 to 23", 23),
    ("day of the month", "1 to 31", 31),
    ("month", "1 to 12 or JAN to DEC", 12),
    ("day of the week", "0 to 7 or SUN to SAT", 7),
];

/// What is said of a time zone that is none.
const NO_ZONE: &str = "write UTC or a name of the IANA database, such as Europe/Berlin";

/// Names that the time zone database has for the machine, and for no place.
const NO_ZONES: [&str; 3] = ["localtime", "posixrules", "Factory"];

/// What is wrong with the first field of a cron expression that is invalid with `*` in all others.
fn invalid_field(cron: &str) -> Option<String> {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    // That it has the length and the fields of one is looked at before its times.
    if cron.len() > TEXT_BYTES_MAX || fields.len() != FIELDS.len() {
        return None;
    }
    FIELDS.iter().enumerate().zip(fields).find_map(|((place, (name, values, last)), field)| {
        let mut alone = ["*"; FIELDS.len()];
        alone[place] = field;
        let has_steps = field.split(',').all(|item| {
            let step = item.split_once('/').map_or(Some(1), |(_, step)| step.parse::<u8>().ok());
            !item.is_empty() && step.is_some_and(|step| step <= *last)
        });
        let is_valid = has_steps && Cron::from_str(&alone.join(" ")).is_ok();
        let forms =
            format!("write {values}, `*`, a range such as `1-5`, a step such as `*/2` up to `*/{last}`, or several with `,` between");
        (!is_valid).then(|| format!("`{field}` is no {name}: {forms}"))
    })
}

impl Times {
    fn parse(cron: &str, zone: &str) -> Result<Self, Fault> {
        let fault = |field: &str, reason: String| Fault { field: field.to_owned(), reason };
        let example =
            "write five fields: minute, hour, day of the month, month, day of the week, such as \"0 8 * * 1-5\""
                .to_owned();
        if cron.len() > TEXT_BYTES_MAX {
            return Err(fault("cron", format!("it has {} bytes, and may have {TEXT_BYTES_MAX}", cron.len())));
        }
        if cron.split_whitespace().count() != 5 {
            return Err(fault("cron", example));
        }
        let parsed = Cron::from_str(cron).map_err(|_| fault("cron", example))?;
        let no_zone = || fault("timezone", NO_ZONE.to_owned());
        if zone.len() > TEXT_BYTES_MAX {
            return Err(no_zone());
        }
        let found = if zone == "UTC" { Ok(TimeZone::UTC) } else { TimeZone::get(zone) };
        let times = Self {
            cron: parsed,
            written: cron.to_owned(),
            zone: found.map_err(|_| no_zone())?,
            zone_name: zone.to_owned(),
        };
        if times.after(Timestamp::now().as_millisecond()).is_none() {
            return Err(fault("cron", "there is no such time in the years to come".to_owned()));
        }
        Ok(times)
    }

    /// The first of these times after another, in milliseconds after 1970, UTC.
    fn after(&self, ms: i64) -> Option<i64> {
        let at = Timestamp::from_millisecond(ms).ok()?.to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&at, false).ok()?;
        Some(next.timestamp().as_millisecond())
    }
}

impl ScheduleRequest {
    /// Reads a request for a schedule.
    ///
    /// # Errors
    /// The first fault.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let fault = |field: &str, reason: String| Fault { field: field.to_owned(), reason };
        let written: Written = object(text)?;
        let zone = written.timezone.as_deref().unwrap_or("UTC");
        // Schedules that an earlier version accepted go on: only new ones have to pass this.
        if let Some(reason) = invalid_field(&written.cron) {
            return Err(fault("cron", reason));
        }
        let times = Times::parse(&written.cron, zone)?;
        if NO_ZONES.contains(&zone) {
            return Err(fault("timezone", NO_ZONE.to_owned()));
        }
        let text = parse_value(written.job.get()).map_err(|error| fault("job", error.to_string()))?.to_string();
        let job = JobRequest::parse(&text).map_err(|inner| Fault {
            field: format!("job.{}", inner.field).trim_end_matches('.').to_owned(),
            ..inner
        })?;
        if text.len() > JOB_BYTES_MAX {
            return Err(fault("job", format!("a schedule keeps at most {JOB_BYTES_MAX} bytes of JSON")));
        }
        if job.labels.contains_key(LABEL) {
            return Err(fault("job.labels", format!("`{LABEL}` is the id of the schedule: choose another name")));
        }
        if job.when != When::Now {
            return Err(fault("job", "a schedule says when: leave out `delay_s` and `run_at`".to_owned()));
        }
        Ok(Self { times, job, text })
    }

    pub(crate) fn new_schedule(&self, principal: &Principal, now_ms: i64) -> NewSchedule {
        NewSchedule {
            id: new_run_id().to_string(),
            principal: principal.as_str().to_owned(),
            cron: self.times.written.clone(),
            zone: self.times.zone_name.clone(),
            request: self.text.clone(),
            next_ms: self.times.after(now_ms).unwrap_or(i64::MAX),
        }
    }
}

/// Submits the jobs of schedules when they are due, until `stop`. Any number of servers may do so: each time is taken once. Times that
/// passed while no server ran are made up for by one job.
pub async fn keep_schedules(store: JobStore, stop: CancellationToken) {
    // Before the first look the clock may have been set as well.
    let mut last_ms = i64::MAX;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(LOOK_PAUSE) => {}
        }
        // What fails now is still due with the next look.
        let _ = look(&store, &mut last_ms).await;
    }
}

/// Submits what is due. `last_ms` is the time of the last look.
async fn look(store: &JobStore, last_ms: &mut i64) -> Result<(), StoreError> {
    let (due, now_ms) = store.schedules_due(DUE_MAX).await?;
    if now_ms < last_ms.saturating_sub(SET_BACK_MS) {
        recall(store).await?;
    }
    *last_ms = now_ms;
    fire(store, due, now_ms).await
}

/// Has schedules be due at the first of their times again, after the clock was set back: the time that they have may be days ahead.
async fn recall(store: &JobStore) -> Result<(), StoreError> {
    let mut last = 0;
    loop {
        let (schedules, now_ms) = store.schedules_after(last, DUE_MAX).await?;
        let Some(end) = schedules.last() else { return Ok(()) };
        last = end.number;
        for schedule in &schedules {
            if let Some(first_ms) = recalled(schedule, now_ms) {
                store.move_schedule(schedule.number, schedule.next_ms, first_ms).await?;
            }
        }
    }
}

/// When a schedule is due that has another time ahead of it before the one that it waits for.
fn recalled(schedule: &Schedule, now_ms: i64) -> Option<i64> {
    let times = Times::parse(&schedule.cron, &schedule.zone).ok()?;
    let is_late = |first_ms: i64| first_ms < schedule.next_ms;
    times.after(now_ms.saturating_add(SET_BACK_MS)).filter(|second_ms| is_late(*second_ms))?;
    times.after(now_ms)
}

async fn fire(store: &JobStore, due: Vec<Schedule>, now_ms: i64) -> Result<(), StoreError> {
    let tokens = if due.is_empty() { Vec::new() } else { store.tokens().await? };
    for schedule in due {
        let is_revoked = is_revoked(&tokens, &schedule.principal, now_ms);
        store.fire(Firing { is_revoked, ..firing(&schedule, now_ms) }).await?;
    }
    Ok(())
}

/// Whether a principal had tokens of the store, and none of them is accepted any more.
#[must_use]
pub fn is_revoked(tokens: &[TokenRecord], principal: &str, now_ms: i64) -> bool {
    let mut own = tokens.iter().filter(|token| token.principal == principal).peekable();
    let is_over = |token: &TokenRecord| {
        token.revoked_ms.is_some() || token.expires_ms.is_some_and(|expires_ms| expires_ms <= now_ms)
    };
    own.peek().is_some() && own.all(is_over)
}

/// What is done with a schedule that is due. One that this version cannot read is never due again.
fn firing(schedule: &Schedule, now_ms: i64) -> Firing {
    let times = Times::parse(&schedule.cron, &schedule.zone).ok();
    let next_ms = times.and_then(|times| times.after(now_ms)).unwrap_or(i64::MAX);
    let principal = Principal::kept(&schedule.principal).unwrap_or_else(Principal::local);
    // It was valid for the version that kept it; one that no longer is fails when it runs, and says why.
    let request = JobRequest::parse(&schedule.request).unwrap_or_else(|_| JobRequest::unread());
    let mut job = new_job(&principal, &request, &schedule.request, None);
    job.principal.clone_from(&schedule.principal);
    // An earlier version kept schedules with a label of this name.
    job.labels.retain(|(name, _)| name != LABEL);
    job.labels.push((LABEL.to_owned(), schedule.id.clone()));
    Firing { number: schedule.number, due_ms: schedule.next_ms, next_ms, job, is_revoked: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedules_of_a_client_end_with_its_last_token() {
        let token = |principal: &str, expires_ms: Option<i64>, revoked_ms: Option<i64>| TokenRecord {
            id: String::new(),
            principal: principal.to_owned(),
            scopes: String::new(),
            digest: String::new(),
            created_ms: 0,
            expires_ms,
            revoked_ms,
        };
        let (open, late, gone) = (token("a", None, None), token("a", Some(5), None), token("a", None, Some(1)));
        for (tokens, expected) in [
            (vec![], false),
            (vec![token("b", None, Some(1))], false),
            (vec![gone.clone()], true),
            (vec![gone.clone(), open], false),
            (vec![gone.clone(), late.clone()], true),
            (vec![token("a", Some(6), None), gone], false),
            (vec![late], true),
        ] {
            assert_eq!(is_revoked(&tokens, "a", 5), expected, "{tokens:?}");
        }
    }

    fn next(cron: &str, zone: &str, after: &str) -> String {
        let after = after.parse::<Timestamp>().expect("a time").as_millisecond();
        let times = Times::parse(cron, zone).unwrap_or_else(|fault| panic!("{fault}"));
        Timestamp::from_millisecond(times.after(after).expect("a time")).expect("a time").to_string()
    }

    #[test]
    fn times_are_those_of_the_zone_also_where_clocks_change() {
        for (cron, zone, after, then) in [
            ("* * * * *", "UTC", "2026-11-23T12:00:00Z", "2026-11-23T12:01:00Z"),
            ("* * * * *", "UTC", "2026-11-23T12:00:59.999Z", "2026-11-23T12:01:00Z"),
            ("0 8 * * 1-5", "UTC", "2026-11-20T08:00:00Z", "2026-11-23T08:00:00Z"),
            ("0 8 * * *", "Europe/Berlin", "2026-07-01T12:00:00Z", "2026-07-02T06:00:00Z"),
            ("0 8 * * *", "Europe/Berlin", "2026-12-01T12:00:00Z", "2026-12-02T07:00:00Z"),
            // There is no 2:30 on this day.
            ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
            ("0 0 29 2 *", "UTC", "2026-11-23T00:00:00Z", "2028-02-29T00:00:00Z"),
        ] {
            assert_eq!(next(cron, zone, after), then, "{cron} in {zone}");
        }
    }

    #[test]
    fn a_schedule_that_an_earlier_version_accepted_goes_on() {
        assert_eq!(next("*/70 * * * *", "UTC", "2026-11-23T12:00:00Z"), "2026-11-23T13:00:00Z");
    }

    #[test]
    fn a_request_for_a_schedule_is_read_or_refused_with_its_field() {
        let read =
            |text: &str| ScheduleRequest::parse(text).map_or_else(|fault| fault.to_string(), |_| "read".to_owned());
        let with = |cron: &str, more: &str| format!(r#"{{"cron": "{cron}"{more}, "job": {{"code": "1"}}}}"#);
        assert_eq!(read(&with("*/5 * * * *", "")), "read");
        assert_eq!(read(&with("0 8 * * MON-FRI", r#", "timezone": "America/New_York""#)), "read");
        for (text, part) in [
            (with("* * * *", ""), "`cron`: write five fields"),
            (with("* * * * * *", ""), "`cron`: write five fields"),
            (with(&format!("{}* * * *", "1,".repeat(62)), ""), "`cron`: it has 131 bytes, and may have 128"),
            (
                r#"{"cron": "* * * * *", "job": {"code": "1", "labels": {"schedule": "a"}}}"#.to_owned(),
                "`job.labels`: `schedule` is the id of the schedule: choose another name",
            ),
            (with("61 * * * *", ""), "`cron`: `61` is no minute: write 0 to 59, "),
            (with("0 8 * * sunday", ""), "`cron`: `sunday` is no day of the week: write 0 to 7 or SUN to SAT, "),
            (with("*/70 * * * *", ""), "`cron`: `*/70` is no minute: "),
            (with("0 1,,2 * * *", ""), "`cron`: `1,,2` is no hour: "),
            (with("0 0 31 2 *", ""), "`cron`: "),
            (with("* * * * *", r#", "timezone": "localtime""#), "`timezone`: write UTC or a name"),
            (with("* * * * *", r#", "timezone": "Mars/Base""#), "`timezone`: write UTC or a name"),
            (with("* * * * *", r#", "timezone": "../../etc/passwd""#), "`timezone`: write UTC or a name"),
            (with("* * * * *", r#", "zone": 1"#), "unknown field `zone`"),
            (r#"{"cron": "* * * * *", "job": {"code": "1", "delay_s": 5}}"#.to_owned(), "`job`: a schedule says when"),
            (r#"{"cron": "* * * * *", "job": {"code": "1", "priority": 5000}}"#.to_owned(), "`job.priority`: "),
            (r#"{"cron": "* * * * *", "job": 1}"#.to_owned(), "`job`: "),
            ("[]".to_owned(), "the request is invalid"),
        ] {
            assert!(read(&text).contains(part), "{text}: {}", read(&text));
        }
    }
}
