"""Lists the projects of the organization that the token can see."""

from urllib.parse import quote

organization = 'acme'
name = 'web'
limit = 101

PAGES_MAX = 10

params = {"query": name, "per_page": min(limit, 100)}
url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/projects/"
projects = []
for _ in range(PAGES_MAX):
    reply = http.get(url, params=params)
    reply.raise_for_status()
    projects += reply.json()
    following = reply.links.get("next")
    if len(projects) >= limit or not following or following["results"] != "true":
        break
    params["cursor"] = following["cursor"]

result = [
    {"slug": project["slug"], "name": project["name"], "platform": project["platform"]}
    for project in projects[:limit]
]
