"""Searches issues of any status and level, the most recently seen first."""

from urllib.parse import quote

organization = 'acme'
query = None
status = None
level = None
project = None
environment = None
period = '14d'
limit = 5

PAGES_MAX = 10
TITLE_CHARS_MAX = 80

# An empty search is sent too: without one, Sentry lists unresolved issues only. The `project` parameter of this
# endpoint takes numeric ids only; its search takes slugs.
terms = []
if query is not None:
    terms.append(query)
if status is not None:
    terms.append(f"is:{status}")
if level is not None:
    terms.append(f"level:{level}")
if project is not None:
    terms.append(f"project:{project}")

params = {
    "query": " ".join(terms),
    "statsPeriod": period,
    "sort": "date",
    "limit": limit,
    "environment": environment,
}

url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/issues/"
issues = []
for _ in range(PAGES_MAX):
    reply = http.get(url, params=params)
    reply.raise_for_status()
    issues += reply.json()
    following = reply.links.get("next")
    if len(issues) >= limit or not following or following["results"] != "true":
        break
    params["cursor"] = following["cursor"]


def short(title):
    return title if len(title) <= TITLE_CHARS_MAX else title[: TITLE_CHARS_MAX - 1] + "…"


result = [
    {
        "id": issue["shortId"],
        "title": short(issue["title"]),
        "project": issue["project"]["slug"],
        "level": issue["level"],
        "status": issue["status"],
        "count": int(issue["count"]),
        "last_seen": issue["lastSeen"],
    }
    for issue in issues[:limit]
]
