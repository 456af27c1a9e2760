//! Releases in the JSON of the API.

use serde_json::{Value, json};

use crate::organization::PROJECTS;
use crate::period::iso;
use crate::store::Release;

/// A release as the organisation's list shows it.
pub(crate) fn summary(release: &Release) -> Value {
    let projects: Vec<Value> = PROJECTS
        .iter()
        .filter(|project| project.id == release.project_id)
        .map(|project| {
            json!({
                "id": project.id,
                "slug": project.slug,
                "name": project.name,
                "newGroups": release.new_issues,
                "platform": project.platform,
                "platforms": [project.platform],
                "hasHealthData": false,
            })
        })
        .collect();
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
        "firstEvent": release.first_event.map(iso),
        "lastEvent": release.last_event.map(iso),
        "newGroups": release.new_issues,
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
        "projects": projects,
    })
}
