"""Lists the projects of the organization that the token can see."""

import pack

organization = 'acme'
name = 'nothing'
limit = 20

params = {"query": name, "per_page": min(limit, 100)}
projects = pack.rows(organization, "projects", scope="org:read", params=params, limit=limit, things="projects")

result = [
    {"slug": project["slug"], "name": project["name"], "platform": project["platform"]} for project in projects
]
