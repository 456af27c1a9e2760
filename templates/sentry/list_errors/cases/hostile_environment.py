"""Lists unresolved errors, the most recently seen first."""

from urllib.parse import quote

organization = 'acme'
project = None
environment = '\"); import os; (\'\'\'\x7b\x7b 7*7 \x7d\x7d\\ \u2028&project=-1#'
period = '14d'
limit = 4

PAGES_MAX = 10
# Four rows of a short title and a day are about 140 tokens. Whoever wants more asks for one issue.
TITLE_CHARS_MAX = 40

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = "is:unresolved level:[error,fatal]"
if project is not None:
    query += f" project:{project}"

params = {"query": query, "statsPeriod": period, "sort": "date", "limit": limit, "environment": environment}

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
        "count": int(issue["count"]),
        "last_seen": (issue["lastSeen"] or "")[:10],
    }
    for issue in issues[:limit]
]
