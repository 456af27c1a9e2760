"""Counts error events: in all, by level and by project.

What is counted are events, not issues: each time an error happened within the period, whether its issue is resolved or
not. The level is that of the issue. Sentry's own totals (`stats_v2`) know no levels and no environments, so the counts
of the issues are added up here; `complete` says whether all issues were seen.
"""

from collections import Counter

import pack

organization = 'acme'
level = None
project = None
environment = None
period = '2026-11-18T00:00:00Z/2026-11-19T00:00:00Z'

PAGE_SIZE = 100

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = f"level:{level}" if level is not None else "level:[error,fatal]"
if project is not None:
    query += f" project:{project}"

# An empty `groupStatsPeriod` leaves out the charts.
params = {
    "query": query,
    **pack.period(period),
    "groupStatsPeriod": "",
    "limit": PAGE_SIZE,
    "environment": environment,
}
issues = []
for reply in pack.pages(organization, "issues", scope="event:read", params=params):
    issues += reply.rows
pack.tell(len(issues), reply, "issues")

total = 0
levels = Counter()
projects = Counter()
for issue in issues:
    # Of an issue's events `filtered` counts those that match the search, where Sentry gives it.
    events = int((issue.get("filtered") or issue)["count"])
    total += events
    levels[issue["level"]] += events
    projects[issue["project"]["slug"]] += events

result = {
    "period": period,
    "events": total,
    "issues": len(issues),
    "levels": [{"level": name, "events": events} for name, events in levels.most_common()],
    "projects": [{"project": slug, "events": events} for slug, events in projects.most_common()],
    "complete": reply.is_last,
}
