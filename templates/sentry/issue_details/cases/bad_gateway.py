"""Shows one issue: status, level, counts, when it was seen, where, assignee and top tags."""

import pack

organization = 'acme'
issue = 'WEB-42'

# The tags that tell where an issue happens, in this order; each costs a request of its own.
TAG_KEYS = ["environment", "release", "browser", "os", "device", "runtime", "server_name", "transaction"]
TAGS_MAX = 4

# This endpoint takes a short id in place of a number.
found = pack.get(organization, "issues", issue, scope="event:read")

known = {tag["key"] for tag in found["tags"]}
tags = []
for key in [key for key in TAG_KEYS if key in known][:TAGS_MAX]:
    tag = pack.get(organization, "issues", issue, "tags", key, scope="event:read")
    if tag["topValues"]:
        top = tag["topValues"][0]
        percent = round(100 * top["count"] / tag["totalValues"])
        tags.append({"key": key, "value": top["value"], "percent": percent})

result = {
    "id": found["shortId"],
    "title": found["title"],
    "status": found["status"],
    "level": found["level"],
    "project": found["project"]["slug"],
    "events": int(found["count"]),
    "users": found["userCount"],
    "first_seen": found["firstSeen"],
    "last_seen": found["lastSeen"],
    "culprit": found["culprit"],
    "assignee": found["assignedTo"]["name"] if found["assignedTo"] else None,
    "tags": tags,
}
