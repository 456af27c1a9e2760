"""Lists unresolved errors, the most recently seen first unless another order is asked for."""

import sys

import pack

organization = 'acme'
project = None
environment = None
level = None
release = None
first_release = None
period = '14d'
order = 'last_seen'
limit = 4

SORTS = {"last_seen": "date", "first_seen": "new", "count": "freq", "users": "user"}

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = "is:unresolved level:[error,fatal]" if level is None else f"is:unresolved level:{level}"
if project is not None:
    query += f" project:{project}"
for key, name in (("release", release), ("firstRelease", first_release)):
    if name is not None:
        query += f" {pack.release_term(organization, key, name)}"
if order == "first_seen":
    # An error that is seen again is not new.
    query = " ".join([query, *pack.first_seen(period)])

params = {
    "query": query,
    **pack.period(period),
    "sort": SORTS[order],
    "limit": limit,
    "environment": environment,
}
# The gravest are not the latest, and of few of many nobody sees that.
graver = ", order=count the most frequent" if order == "last_seen" else ""
things = "unresolved errors"
issues = pack.rows(organization, "issues", scope="event:read", params=params, limit=limit, things=things, besides=graver)
if not issues:
    print("only unresolved issues are listed; `sentry/search_issues` finds the others too", file=sys.stderr)
elif len(issues) < limit:
    # All of them are here: somebody may miss those that are resolved.
    print("unresolved issues only", file=sys.stderr)

result = []
for issue in issues:
    # Of a release, `filtered` is about the events in it, where Sentry gives that.
    seen = (issue.get("filtered") if release is not None else None) or issue
    row = {
        "id": issue["shortId"],
        "title": pack.short(issue["title"]),
        "count": int(seen["count"]),
        "last_seen": pack.moment(seen["lastSeen"]),
    }
    # What the rows are sorted by is in them.
    if order == "first_seen":
        row["first_seen"] = pack.moment(issue["firstSeen"])
    elif order == "users":
        row["users"] = seen["userCount"]
    result.append(row)
