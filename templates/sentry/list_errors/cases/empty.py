"""Lists unresolved errors, the most recently seen first."""

from urllib.parse import quote

organization = 'acme'
project = None
environment = None
period = '1h'
limit = 10

PAGES_MAX = 10

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = "is:unresolved level:[error,fatal]"
if project is not None:
    query += f" project:{project}"

params = {"query": query, "statsPeriod": period, "sort": "date", "limit": limit}
if environment is not None:
    params["environment"] = environment

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

result = [
    {
        "id": issue["shortId"],
        "title": issue["title"],
        "project": issue["project"]["slug"],
        "level": issue["level"],
        "count": int(issue["count"]),
        "users": issue["userCount"],
        "last_seen": issue["lastSeen"],
    }
    for issue in issues[:limit]
]
