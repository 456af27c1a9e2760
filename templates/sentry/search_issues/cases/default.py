"""Searches issues of any status and level, the most recently seen first unless another order is asked for."""

import sys

import pack

organization = 'acme'
query = None
status = None
level = None
project = None
environment = None
release = None
first_release = None
period = '14d'
order = 'last_seen'
limit = 5

SORTS = {"last_seen": "date", "first_seen": "new", "count": "freq", "users": "user"}

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
for key, name in (("release", release), ("firstRelease", first_release)):
    if name is not None:
        terms.append(pack.release_term(organization, key, name))
if order == "first_seen":
    # An issue that is seen again is not new.
    terms += pack.first_seen(period)

params = {
    "query": " ".join(terms),
    **pack.period(period),
    "sort": SORTS[order],
    "limit": limit,
    "environment": environment,
}
issues = pack.rows(organization, "issues", scope="event:read", params=params, limit=limit, things="issues")
pack.tell_period(period, status)
if query is not None and not issues:
    # Words of the question may have been taken for a text, and any of the terms may be the one that nothing has.
    print(f'no issue was found for the search "{" ".join(terms)}"', file=sys.stderr)

result = []
for issue in issues:
    # Of a release, `filtered` is about the events in it, where Sentry gives that.
    seen = (issue.get("filtered") if release is not None else None) or issue
    row = {
        "id": issue["shortId"],
        "title": pack.short(issue["title"]),
        "project": issue["project"]["slug"],
        "level": issue["level"],
        "status": issue["status"],
        "count": int(seen["count"]),
        "last_seen": pack.moment(seen["lastSeen"]),
    }
    # What the rows are sorted by is in them.
    if order == "first_seen":
        row["first_seen"] = pack.moment(issue["firstSeen"])
    elif order == "users":
        row["users"] = seen["userCount"]
    result.append(row)
