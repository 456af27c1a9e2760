"""Lists unresolved errors, the most recently seen first unless another order is asked for."""

import pack

organization = 'acme'
project = None
environment = None
level = None
period = '2026-11-16T00:00:00Z/..'
order = 'last_seen'
limit = 4

SORTS = {"last_seen": "date", "first_seen": "new", "count": "freq", "users": "user"}

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = "is:unresolved level:[error,fatal]" if level is None else f"is:unresolved level:{level}"
if project is not None:
    query += f" project:{project}"

params = {
    "query": query,
    **pack.period(period),
    "sort": SORTS[order],
    "limit": limit,
    "environment": environment,
}
issues = pack.rows(organization, "issues", scope="event:read", params=params, limit=limit, things="errors")

result = []
for issue in issues:
    row = {
        "id": issue["shortId"],
        "title": pack.short(issue["title"]),
        "count": int(issue["count"]),
        "last_seen": pack.moment(issue["lastSeen"]),
    }
    # What the rows are sorted by is in them.
    if order == "first_seen":
        row["first_seen"] = pack.moment(issue["firstSeen"])
    elif order == "users":
        row["users"] = issue["userCount"]
    result.append(row)
