"""Counts error events: in all, by level and by project.

What is counted are events, not issues: each time an error happened within the period, whether its issue is resolved or
not. The level is that of the issue. Sentry's own totals (`stats_v2`) know no levels and no environments, so the counts
of the issues are added up here; `complete` says whether all issues were seen. Over time, the bars of their charts are
added up in the same way: by hour Sentry has those of the last 24 hours, and by day those of the last 14 days.
"""

from collections import Counter

import pack

organization = 'acme'
level = None
project = None
environment = None
period = '24h'
bucket = None

PAGE_SIZE = 100
# The charts of issues that lists have, by what their bars cover.
CHARTS = {None: "", "hour": "24h", "day": "14d"}

# The `project` parameter of this endpoint takes numeric ids only; its search takes slugs.
query = f"level:{level}" if level is not None else "level:[error,fatal]"
if project is not None:
    query += f" project:{project}"

# An empty `groupStatsPeriod` leaves out the charts.
params = {
    "query": query,
    **pack.period(period),
    "groupStatsPeriod": CHARTS[bucket],
    "limit": PAGE_SIZE,
    "environment": environment,
}
issues = []
for reply in pack.pages(organization, "issues", scope="event:read", params=params):
    issues += reply.rows
pack.tell(len(issues), reply, "issues")

chart = Counter()
if bucket is not None:
    for issue in issues:
        for start, events in issue["stats"][CHARTS[bucket]]:
            chart[start] += events
bars = pack.shown(sorted(chart.items()), bucket, period) if bucket is not None else []
counted = {start for start, _ in bars}

total = 0
levels = Counter()
projects = Counter()
for issue in issues:
    if bucket is not None:
        # What the bars show, so that the counts add up.
        events = sum(events for start, events in issue["stats"][CHARTS[bucket]] if start in counted)
    else:
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
if bucket is not None:
    result |= {"bucket": bucket, "timeline": pack.timeline(bars, bucket)}
