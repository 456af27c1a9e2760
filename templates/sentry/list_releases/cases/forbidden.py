"""Lists releases, the newest first."""

from urllib.parse import quote

organization = 'acme'
project = None
environment = None
limit = 5

PAGES_MAX = 10

# The `project` parameter of this endpoint takes numeric ids only, and each release names the slugs of its projects: so
# whole pages are read and the project is looked for here.
params = {"environment": environment, "per_page": limit if project is None else 100}
url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/releases/"
releases = []
for _ in range(PAGES_MAX):
    reply = http.get(url, params=params)
    reply.raise_for_status()
    for release in reply.json():
        slugs = [known["slug"] for known in release["projects"]]
        if project is None or project in slugs:
            releases.append(
                {
                    "version": release["version"],
                    "projects": slugs,
                    "created": release["dateCreated"],
                    "last_event": release["lastEvent"],
                    "new_issues": release["newGroups"],
                }
            )
    following = reply.links.get("next")
    if len(releases) >= limit or not following or following["results"] != "true":
        break
    params["cursor"] = following["cursor"]

result = releases[:limit]
