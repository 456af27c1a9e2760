"""Counts the events of one issue over time, by hour or by day."""

import math
from datetime import datetime, timezone
from urllib.parse import quote

organization = 'acme'
issue = 'WEB-42'
period = '90m'
bucket = None
environment = None

UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

period_seconds = int(period[:-1]) * UNIT_SECONDS[period[-1]]
if bucket is None:
    bucket = "hour" if period_seconds <= 86400 else "day"

# This endpoint takes a short id in place of a number, and comes with two charts that count every event.
url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/issues/{quote(issue, safe='')}/"
reply = http.get(url, params={"environment": environment})
if reply.status == 404:
    where = organization if environment is None else f"{organization}, environment {environment}"
    raise LookupError(f"no issue {issue} in {where}")
reply.raise_for_status()
found = reply.json()

if bucket == "hour":
    chart, bucket_seconds, form = found["stats"]["24h"], 3600, "%Y-%m-%dT%H:00Z"
else:
    chart, bucket_seconds, form = found["stats"]["30d"], 86400, "%Y-%m-%d"

# The last bucket is the one that now lies in, so the first may begin a little late.
buckets = math.ceil(period_seconds / bucket_seconds)
timeline = [
    {"start": datetime.fromtimestamp(start, timezone.utc).strftime(form), "events": events}
    for start, events in chart[-buckets:]
]
result = {
    "id": found["shortId"],
    "bucket": bucket,
    "events": sum(point["events"] for point in timeline),
    "timeline": timeline,
}
