"""Counts the events of one issue over time, by hour or by day."""

import pack

organization = 'acme'
issue = '45012'
period = '3d'
bucket = 'hour'
environment = 'production'

bucket = bucket or pack.hours_or_days(period)

# This endpoint takes a short id in place of a number, and comes with two charts that count every event.
found = pack.get(organization, "issues", issue, scope="event:read", params={"environment": environment})
bars = pack.shown(found["stats"]["24h" if bucket == "hour" else "30d"], bucket, period)
result = {
    "id": found["shortId"],
    "bucket": bucket,
    "events": sum(events for _, events in bars),
    "timeline": pack.timeline(bars, bucket),
}
