"""Lists the projects of the organization that the token can see."""

import pack

organization = 'acme'
name = None
limit = 20

params = {"query": name, "per_page": min(limit, 100)}
most = {"limit": limit, "limit_max": 500}
projects = pack.rows(organization, "projects", scope="org:read", params=params, things="projects", **most)

result = [
    {"slug": project["slug"], "name": project["name"], "platform": project["platform"]} for project in projects
]
