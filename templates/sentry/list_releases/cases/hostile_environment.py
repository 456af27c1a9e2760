"""Lists releases, the newest first."""

import sys

import pack

organization = 'acme'
project = None
environment = '\"); import os; (\'\'\'\x7b\x7b 7*7 \x7d\x7d\\ \u2028&project=-1#'
limit = 5

# So many projects are named where the one that was asked for has no release.
NAMES_SHOWN = 10

# The `project` parameter of this endpoint takes numeric ids only, and each release names the slugs of its projects: so
# whole pages are read and the project is looked for here.
params = {"environment": environment, "per_page": limit if project is None else 100}
releases = []
others = set()
for reply in pack.pages(organization, "releases", scope="project:releases", params=params):
    for release in reply.rows:
        slugs = [known["slug"] for known in release["projects"]]
        others.update(slugs)
        if project is None or project in slugs:
            releases.append(
                {
                    "version": release["version"],
                    # As one text, since rows with lists are no table.
                    "projects": ", ".join(slugs),
                    "created": release["dateCreated"],
                    "last_event": release["lastEvent"],
                    "new_issues": release["newGroups"],
                }
            )
    if len(releases) >= limit:
        break

result = releases[:limit]
if project is None:
    pack.tell(len(result), reply, "releases")
elif not result and others:
    names = ", ".join(sorted(others)[:NAMES_SHOWN]) + (", …" if len(others) > NAMES_SHOWN else "")
    print(f"no release is of the project {project}; there are releases of {names}", file=sys.stderr)
