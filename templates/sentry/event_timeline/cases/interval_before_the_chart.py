"""Counts the events of one issue over time, by hour or by day."""

import math
import sys
from datetime import datetime, timedelta, timezone

import pack
from intentbox import Invalid

organization = 'acme'
issue = 'WEB-42'
period = '2026-10-01T00:00:00Z/2026-10-03T00:00:00Z'
bucket = None
environment = None

UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
DAY = timedelta(days=1)

since = until = None
if "/" in period:
    from intentbox import window

    since, until = window.bounds(period)
    by_hour = since is not None and since >= datetime.now(timezone.utc) - DAY
else:
    period_seconds = int(period[:-1]) * UNIT_SECONDS[period[-1]]
    by_hour = period_seconds <= DAY.total_seconds()
if bucket is None:
    bucket = "hour" if by_hour else "day"

# This endpoint takes a short id in place of a number, and comes with two charts that count every event.
found = pack.get(organization, "issues", issue, scope="event:read", params={"environment": environment})
if bucket == "hour":
    chart, bucket_seconds, form = found["stats"]["24h"], 3600, "%Y-%m-%dT%H:00Z"
else:
    chart, bucket_seconds, form = found["stats"]["30d"], 86400, "%Y-%m-%d"


def told(start):
    return datetime.fromtimestamp(start, timezone.utc).strftime(form)


if "/" in period:
    first = since.timestamp() if since else -math.inf
    last = until.timestamp() if until else math.inf
    points = [[start, events] for start, events in chart if start + bucket_seconds > first and start < last]
    if chart and not points:
        raise Invalid(
            f"by {bucket}, Sentry counts the events of an issue from {told(chart[0][0])} on, and nothing before",
            hint="name a later period" + (", or count by day" if bucket == "hour" else ""),
        )
    if points and first < chart[0][0]:
        print(f"counted from {told(chart[0][0])} on: Sentry's chart by {bucket} begins there", file=sys.stderr)
else:
    # The last bucket is the one that now lies in, so the first may begin a little late.
    points = chart[-math.ceil(period_seconds / bucket_seconds) :]

timeline = [{"start": told(start), "events": events} for start, events in points]
result = {
    "id": found["shortId"],
    "bucket": bucket,
    "events": sum(point["events"] for point in timeline),
    "timeline": timeline,
}
