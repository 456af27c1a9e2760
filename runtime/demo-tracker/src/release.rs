//! Releases in the JSON of the API, with figures from the stored events that carry them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::data::{Dataset, Event, Issue, Release};
use crate::period::iso;

/// The stored events that carry a release, each with its issue. Without environments, those of all.
pub(crate) fn carrying<'data>(
    release: &Release,
    data: &'data Dataset,
    environments: &[&str],
) -> Vec<(&'data Event, &'data Issue)> {
    // Versions name their project, so there is no second condition.
    let carries = |event: &Event| event.tag("release") == Some(release.version) && event.is_in(environments);
    data.events().filter(|(event, _)| carries(event)).collect()
}

/// A release as the organisation's list shows it.
pub(crate) fn summary(release: &Release, carrying: &[(&Event, &Issue)]) -> Value {
    let project = release.project;
    let times = || carrying.iter().map(|(event, _)| event.time);
    let begun = carrying.iter().filter(|(event, issue)| event.time == issue.first_seen);
    let new_issues = begun.map(|(_, issue)| issue.id).collect::<BTreeSet<_>>().len();
    json!({
        "id": release.id,
        "version": release.version,
        "shortVersion": release.version,
        "versionInfo": null,
        "status": "open",
        "ref": null,
        "url": null,
        "dateCreated": iso(release.created),
        "dateStarted": null,
        "dateReleased": iso(release.created),
        "firstEvent": times().min().map(iso),
        "lastEvent": times().max().map(iso),
        "newGroups": new_issues,
        "commitCount": 0,
        "deployCount": 0,
        "lastCommit": null,
        "lastDeploy": null,
        "owner": null,
        "authors": [],
        "data": {},
        "currentProjectMeta": null,
        "userAgent": null,
        "adoptionStages": null,
        "projects": [{
            "id": project.id,
            "slug": project.slug,
            "name": project.name,
            "newGroups": new_issues,
            "platform": project.platform,
            "platforms": [project.platform],
            "hasHealthData": false,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_knows_the_events_that_carry_it() {
        let data = Dataset::generate(1_795_000_000);
        let cases: [&[&str]; 2] = [&[], &["staging"]];
        for environments in cases {
            let mut new = 0;
            for release in &data.releases {
                let shown = summary(release, &carrying(release, &data, environments));
                let events = data.events().filter(|(event, _)| event.tag("release") == Some(release.version));
                let events =
                    events.filter(|(event, _)| environments.is_empty() || event.tag("environment") == Some("staging"));
                let times: Vec<i64> = events.map(|(event, _)| event.time).collect();
                assert_eq!(shown["firstEvent"], json!(times.iter().min().copied().map(iso)), "{release:?}");
                assert_eq!(shown["lastEvent"], json!(times.iter().max().copied().map(iso)), "{release:?}");
                assert!(times.iter().all(|time| *time >= release.created), "{release:?}");
                new += shown["newGroups"].as_u64().expect("it is a number");
            }
            // Every issue was new in one release, that of its first event, which not all had in staging.
            let new = usize::try_from(new).expect("it is small");
            assert_eq!(new == data.issues.len(), environments.is_empty(), "{new}");
        }
    }
}
