//! The invented data: which issues there are, when they happened, how often and to whom.
//!
//! The same `now` always gives the same data: the random numbers start from a fixed seed, and every time is relative
//! to that `now`. So the answers of a demo can be tested, and an issue keeps its id from one run to the next.

use std::collections::HashMap;

use crate::organization::{ASSIGNEES, Assignee, ENVIRONMENTS, FAMILIES, Family, PROJECTS, Project};
use crate::random::SplitMix;

pub(crate) const HOUR: i64 = 3_600;
pub(crate) const DAY: i64 = 24 * HOUR;
/// How far back the data reaches, a little less than the 90 days that Sentry searches when no period is given.
const HISTORY: i64 = 89 * DAY;
const SEED: u64 = 0x005E_EDDE_3000;
/// How many stretches of equal length the life of an issue has; each has its own share of the events.
const STRETCHES: usize = 32;

/// An issue as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) id: i64,
    pub(crate) short_id: String,
    /// The place of its kind in [`FAMILIES`].
    pub(crate) family: usize,
    /// What the `{}` of the family stand for.
    pub(crate) fill: &'static str,
    pub(crate) status: &'static str,
    pub(crate) substatus: Option<String>,
    pub(crate) priority: &'static str,
    pub(crate) assigned_to: Option<&'static Assignee>,
    pub(crate) bookmarked: bool,
    pub(crate) seen: bool,
    pub(crate) subscribed: bool,
    pub(crate) comments: i64,
    pub(crate) count: i64,
    pub(crate) user_count: i64,
    pub(crate) first_seen: i64,
    pub(crate) last_seen: i64,
    /// How the events bunch towards the end: 1 is evenly, 3 is mostly of late.
    pub(crate) growth: i64,
    /// A few of its events, the oldest first.
    pub(crate) events: Vec<Event>,
}

impl Issue {
    pub(crate) fn family(&self) -> &'static Family {
        &FAMILIES[self.family]
    }

    pub(crate) fn project(&self) -> &'static Project {
        self.family().project
    }

    pub(crate) fn value(&self) -> String {
        self.family().value.replace("{}", self.fill)
    }

    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.family().kind, self.value())
    }

    /// The version that its first event carries.
    pub(crate) fn first_release(&self) -> &str {
        let first = self.events.iter().min_by_key(|event| event.time);
        first.and_then(|event| event.tag("release")).unwrap_or_default()
    }

    /// How many of its events lie between two times, both included.
    ///
    /// Only a handful of events are stored; the rest exist as this curve. Every number the API gives about an
    /// issue comes from it, so the buckets of a chart always add up to the count of the same period.
    pub(crate) fn count_between(&self, start: i64, end: i64) -> i64 {
        (self.count_until(end) - self.count_until(start - 1)).max(0)
    }

    fn count_until(&self, time: i64) -> i64 {
        if time >= self.last_seen {
            return self.count;
        }
        if time < self.first_seen {
            return 0;
        }
        // The first event is at `first_seen`, the last at `last_seen`, the others lie along the curve between them. It
        // is made of straight pieces. With 90 days in seconds, shares below 2^17 and 2^15 events this stays far below
        // 2^127.
        let shares = self.shares();
        let whole = i128::from(self.last_seen - self.first_seen);
        let elapsed = i128::from(time - self.first_seen) * i128::try_from(shares.len()).unwrap_or(1);
        let stretch = usize::try_from(elapsed / whole).unwrap_or(0);
        let before: i128 = shares[..stretch].iter().sum();
        let reached = before * whole + shares[stretch] * (elapsed % whole);
        let between = i128::from((self.count - 2).max(0)) * reached / (shares.iter().sum::<i128>() * whole);
        1 + i64::try_from(between).unwrap_or(0)
    }

    /// How the events are shared out among the stretches of the issue's life: quiet ones, some bursts, and all the more
    /// towards the end the larger the growth. The random numbers start from the id, so that a count stays the same.
    fn shares(&self) -> [i128; STRETCHES] {
        let power = u32::try_from(self.growth).unwrap_or(1);
        let mut random = SplitMix(self.id.unsigned_abs());
        let mut place: i128 = 0;
        std::array::from_fn(|_| {
            let rise = (place + 1).pow(power) - place.pow(power);
            place += 1;
            rise * i128::from(if random.chance(15) { 12 } else { 1 + random.below(3) })
        })
    }

    /// How many people those events concerned: at most all of the issue's, and at most one for each event.
    /// The part of an amount that belongs to events such as these, as far as the stored ones tell, which stand for all.
    pub(crate) fn part(&self, amount: i64, is_such: impl Fn(&Event) -> bool) -> i64 {
        let all = i64::try_from(self.events.len()).unwrap_or(i64::MAX);
        let such = i64::try_from(self.events.iter().filter(|event| is_such(event)).count()).unwrap_or(0);
        if such == all || amount == 0 {
            return amount;
        }
        if such == 0 { 0 } else { ((amount * such * 2 + all) / (all * 2)).max(1) }
    }

    pub(crate) fn users_between(&self, start: i64, end: i64) -> i64 {
        self.user_count.min(self.count_between(start, end))
    }
}

/// One stored event. What it looks like in full is made from its issue's family when somebody asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// 32 hexadecimal digits.
    pub(crate) id: String,
    pub(crate) time: i64,
    /// Keys and values. `user.*` are not tags in Sentry but can be searched like tags, so they live here too.
    pub(crate) tags: Vec<(&'static str, String)>,
}

impl Event {
    pub(crate) fn tag(&self, key: &str) -> Option<&str> {
        self.tags.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    /// Whether it happened in one of these environments; in any when there are none.
    pub(crate) fn is_in(&self, environments: &[&str]) -> bool {
        environments.is_empty() || self.tag("environment").is_some_and(|name| environments.contains(&name))
    }
}

/// A version of a project that came out.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) id: i64,
    pub(crate) project: &'static Project,
    pub(crate) version: &'static str,
    pub(crate) created: i64,
}

/// Everything there is to ask for.
#[derive(Debug)]
pub(crate) struct Dataset {
    /// The oldest first.
    pub(crate) releases: Vec<Release>,
    /// In the order in which they were first seen, which is that of their ids.
    pub(crate) issues: Vec<Issue>,
}

impl Dataset {
    /// Invents the data as of `now`, in seconds since 1970.
    pub(crate) fn generate(now: i64) -> Dataset {
        let mut random = SplitMix(SEED);
        let mut issues = Vec::new();
        for (place, family) in FAMILIES.iter().enumerate() {
            for &fill in &family.fills {
                issues.push(invent_issue(&mut random, place, fill, now));
            }
        }

        // Ids and short ids follow the order of first appearance, as they do in the original.
        issues.sort_by_key(|issue| (issue.first_seen, issue.family));
        let mut next_id = 5_400_120_400;
        let mut numbers = HashMap::new();
        for issue in &mut issues {
            next_id += 1 + random.below(4_000);
            issue.id = next_id;
            let project = issue.project();
            let number = numbers.entry(project.id).or_insert(20_i64);
            *number += 1 + random.below(6);
            issue.short_id = format!("{}-{}", project.slug.to_uppercase(), base32(*number));
        }

        for issue in &mut issues {
            issue.events = invent_events(&mut random, issue, now);
        }
        Dataset { releases: invent_releases(now), issues }
    }

    /// The place of the issue with this number or short id. Issues keep their places.
    pub(crate) fn place(&self, id_or_short_id: &str) -> Option<usize> {
        let id = id_or_short_id.parse::<i64>().ok();
        let is_it = |issue: &Issue| Some(issue.id) == id || issue.short_id.eq_ignore_ascii_case(id_or_short_id);
        self.issues.iter().position(is_it)
    }

    /// Every stored event with its issue.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&Event, &Issue)> {
        self.issues.iter().flat_map(|issue| issue.events.iter().map(move |event| (event, issue)))
    }
}

/// All releases, the oldest first, as their ids say.
fn invent_releases(now: i64) -> Vec<Release> {
    let mut releases = Vec::new();
    for project in &PROJECTS {
        for (place, version) in project.releases.into_iter().enumerate() {
            let created = released_at(project, place, now);
            releases.push(Release { id: 0, project, version, created });
        }
    }
    releases.sort_by_key(|release| (release.created, release.project.id));
    for (id, release) in (88_001..).zip(&mut releases) {
        release.id = id;
    }
    releases
}

/// When the release at this place of its project came out: the first ones before everything, the others a quarter of the
/// history apart, and those of each project some days after those of the one before it.
fn released_at(project: &Project, place: usize, now: i64) -> i64 {
    let quarters = i64::try_from(place).unwrap_or(0);
    let behind = if place == 0 { 0 } else { (project.id - PROJECTS[0].id) * 4 * DAY };
    now - HISTORY + quarters * (HISTORY / 4) + behind
}

fn invent_issue(random: &mut SplitMix, place: usize, fill: &'static str, now: i64) -> Issue {
    let family = &FAMILIES[place];
    let recent = random.chance(45);
    // The product of two random numbers is more often small than large: most of the recent ones are very recent.
    let quiet = if recent {
        40 + random.below(DAY - 600) * random.below(DAY - 600) / DAY
    } else {
        DAY + random.below(60 * DAY)
    };
    let last_seen = now - quiet;

    // The smaller of two octaves: most issues have a few events, a few have tens of thousands.
    let octave = random.below(15).min(random.below(15));
    let mut count = (1_i64 << octave) + random.below(1 << octave);
    let age = if recent && random.chance(25) {
        random.below(DAY - 600 - quiet.min(DAY - 601))
    } else {
        HOUR + random.below(HISTORY - quiet - HOUR)
    };
    if age == 0 {
        count = 1;
    }
    let first_seen = if count == 1 { last_seen } else { last_seen - age };

    let new = first_seen > now - DAY;
    let (status, substatus) = match random.below(100) {
        _ if new => ("unresolved", Some("new")),
        0..8 => ("unresolved", Some("escalating")),
        8..16 => ("unresolved", Some("regressed")),
        16..72 => ("unresolved", Some("ongoing")),
        72..90 => ("resolved", None),
        90..97 => ("ignored", Some("archived_until_escalating")),
        _ => ("ignored", Some("archived_forever")),
    };
    // Nobody sits in front of a background job.
    let user_count = match family.project.slug {
        "worker" => 0,
        _ => (count * (10 + random.below(60)) / 100).max(1),
    };
    let assigned_to = random.chance(35).then(|| random.pick(&ASSIGNEES));

    Issue {
        id: 0,
        short_id: String::new(),
        family: place,
        fill,
        status,
        substatus: substatus.map(str::to_owned),
        priority: match family.level {
            "fatal" => "high",
            "error" if random.chance(30) => "high",
            "error" => "medium",
            _ => "low",
        },
        assigned_to,
        bookmarked: random.chance(6),
        seen: random.chance(60),
        subscribed: random.chance(15),
        comments: random.below(8).saturating_sub(5).max(0),
        count,
        user_count,
        first_seen,
        last_seen,
        growth: 1 + random.below(3),
        events: Vec::new(),
    }
}

fn invent_events(random: &mut SplitMix, issue: &Issue, now: i64) -> Vec<Event> {
    let wanted = (3 + random.below(4)).min(issue.count);
    let mut times = vec![issue.last_seen];
    if wanted > 1 {
        times.push(issue.first_seen);
    }
    for _ in 2..wanted {
        times.push(issue.first_seen + random.below(issue.last_seen - issue.first_seen + 1));
    }
    times.sort_unstable();
    let event = |time| Event {
        id: format!("{:016x}{:016x}", random.draw(), random.draw()),
        time,
        tags: invent_tags(random, issue, time, now),
    };
    times.into_iter().map(event).collect()
}

fn invent_tags(random: &mut SplitMix, issue: &Issue, time: i64, now: i64) -> Vec<(&'static str, String)> {
    let family = issue.family();
    let project = family.project;
    let environment = match random.below(100) {
        0..76 => ENVIRONMENTS[0],
        76..92 => ENVIRONMENTS[1],
        _ => ENVIRONMENTS[2],
    };
    let newest = (0..project.releases.len()).rev().find(|place| released_at(project, *place, now) <= time);
    let release = project.releases[newest.unwrap_or(0)];

    let mut tags = Vec::new();
    let mut tag = |key, value| tags.push((key, value));
    tag("environment", environment.to_owned());
    tag("release", release.to_owned());
    tag("level", family.level.to_owned());
    tag("handled", if family.handled { "yes" } else { "no" }.to_owned());
    tag("mechanism", mechanism(project.platform).to_owned());
    tag("transaction", family.transaction.to_owned());
    match project.platform {
        "javascript" => {
            let browser = random.pick(&["Chrome 131.0.0", "Firefox 133.0", "Safari 18.1", "Edge 131.0.0"]);
            let os = random.pick(&["Windows 11", "macOS 15.1", "Linux", "iOS 18.1", "Android 15"]);
            tag("browser", (*browser).to_owned());
            tag("browser.name", first_word(browser));
            tag("os", (*os).to_owned());
            tag("os.name", first_word(os));
            tag("url", format!("https://shop.example{}", family.transaction.replace(":slug", "blue-chair")));
        }
        "react-native" => {
            let (os, device) = *random.pick(&[
                ("Android 15", "Pixel 8"),
                ("Android 14", "SM-S921B"),
                ("iOS 18.1", "iPhone15,2"),
                ("iOS 17.7", "iPhone13,1"),
            ]);
            tag("os", os.to_owned());
            tag("os.name", first_word(os));
            tag("device", device.to_owned());
        }
        platform => {
            let runtime = match platform {
                "python" => "CPython 3.13.1",
                "node" => "node v22.12.0",
                _ => "go 1.23.4",
            };
            tag("runtime", runtime.to_owned());
            tag("runtime.name", first_word(runtime));
            tag("server_name", format!("{}-{}", project.slug, 1 + random.below(5)));
        }
    }
    if issue.user_count > 0 {
        let number = 1_000 + random.below(4_000);
        tag("user", format!("id:{number}"));
        tag("user.id", number.to_string());
        tag("user.email", format!("user{number}@example.com"));
        tag("user.username", format!("user{number}"));
        tag("user.ip", format!("203.0.113.{}", 1 + number % 250));
    }
    tags
}

/// What reported the error, in the words of the platform's SDK.
pub(crate) fn mechanism(platform: &str) -> &'static str {
    match platform {
        "javascript" | "react-native" => "onerror",
        "node" => "onunhandledrejection",
        "go" => "recover",
        _ => "logging",
    }
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or(text).to_owned()
}

/// A short id's number in Crockford's base 32, which leaves out the letters that look like digits.
fn base32(mut number: i64) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(char::from(DIGITS[usize::try_from(number % 32).unwrap_or(0)]));
        number /= 32;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const NOW: i64 = 1_795_000_000;

    #[test]
    fn the_same_now_gives_the_same_data() {
        let (one, two) = (Dataset::generate(NOW), Dataset::generate(NOW));
        assert_eq!(one.issues, two.issues);
    }

    #[test]
    fn every_time_lies_within_the_last_ninety_days() {
        let data = Dataset::generate(NOW);
        for issue in &data.issues {
            assert!(issue.first_seen >= NOW - 90 * DAY, "{issue:?}");
            assert!(issue.first_seen <= issue.last_seen && issue.last_seen < NOW, "{issue:?}");
        }
        for (event, _) in data.events() {
            assert!(event.time >= NOW - 90 * DAY && event.time < NOW, "{event:?}");
        }
    }

    #[test]
    fn ids_are_distinct_and_follow_first_appearance() {
        let data = Dataset::generate(NOW);
        assert!(data.issues.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(data.issues.windows(2).all(|pair| pair[0].first_seen <= pair[1].first_seen));
        let short: HashSet<_> = data.issues.iter().map(|issue| &issue.short_id).collect();
        assert_eq!(short.len(), data.issues.len());
        let events: HashSet<_> = data.events().map(|(event, _)| &event.id).collect();
        assert_eq!(events.len(), data.events().count());
    }

    #[test]
    fn a_good_part_of_the_issues_is_recent_unresolved_and_an_error() {
        let issues = Dataset::generate(NOW).issues;
        let recent = issues.iter().filter(|issue| issue.last_seen > NOW - DAY).count();
        let unresolved = issues.iter().filter(|issue| issue.status == "unresolved").count();
        let errors = issues.iter().filter(|issue| issue.family().level == "error").count();
        assert!(issues.len() >= 100, "{}", issues.len());
        assert!(recent * 3 > issues.len(), "{recent}");
        assert!(unresolved * 2 > issues.len() && unresolved < issues.len(), "{unresolved}");
        assert!(errors * 2 > issues.len() && errors < issues.len(), "{errors}");
    }

    #[test]
    fn the_parts_of_a_period_add_up_to_the_count() {
        for issue in Dataset::generate(NOW).issues {
            let days = 0..91;
            let sum: i64 = days.map(|day| NOW - day * DAY).map(|end| issue.count_between(end - DAY + 1, end)).sum();
            assert_eq!(sum, issue.count, "{issue:?}");
            assert_eq!(issue.count_between(issue.last_seen + 1, NOW), 0);
            assert!(issue.count_between(issue.last_seen, issue.last_seen) >= 1);
            assert!(issue.count_between(issue.first_seen, issue.first_seen) >= 1);
        }
    }

    #[test]
    fn the_events_of_a_busy_issue_come_in_bursts() {
        let mut busy = 0;
        let mut bursting = 0;
        for issue in Dataset::generate(NOW).issues {
            let days = (issue.last_seen - issue.first_seen) / DAY;
            if issue.count < 200 || days < 10 {
                continue;
            }
            let day = |number: i64| {
                let start = issue.first_seen + number * DAY;
                issue.count_between(start, start + DAY - 1)
            };
            let most = (0..days).map(day).max().unwrap_or(0);
            busy += 1;
            bursting += usize::from(most * days > 2 * issue.count);
        }
        assert!(busy >= 5, "{busy}");
        assert!(bursting * 4 >= busy * 3, "{bursting} of {busy}");
    }

    #[test]
    fn an_event_carries_the_release_that_was_out_at_its_time() {
        let data = Dataset::generate(NOW);
        assert!(data.releases.is_sorted_by(|one, other| (one.created, one.id) < (other.created, other.id)));
        for (event, _) in data.events() {
            let release = data.releases.iter().find(|release| event.tag("release") == Some(release.version));
            let release = release.expect("every event has a release");
            assert!(release.created <= event.time, "{event:?}");
            let later = data.releases.iter().filter(|other| other.project.id == release.project.id);
            let next = later.map(|other| other.created).filter(|created| *created > release.created).min();
            assert!(next.is_none_or(|next| event.time < next), "{event:?}");
        }
    }

    #[test]
    fn short_id_numbers_skip_the_letters_that_look_like_digits() {
        assert_eq!(base32(42), "1A");
        assert_eq!(base32(31), "Z");
        assert_eq!(base32(32), "10");
        assert_eq!(base32(18), "J");
    }
}
