"""Finds the line of code in which the latest event of an issue failed, and its root cause."""

from urllib.parse import quote

organization = 'acme'
issue = 'WEB-99'
environment = None

# This endpoint takes a short id in place of a number.
url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/issues/{quote(issue, safe='')}/events/latest/"
reply = http.get(url, params={"environment": environment})
if reply.status == 404:
    where = organization if environment is None else f"{organization}, environment {environment}"
    raise LookupError(f"no issue {issue} in {where}, or no event of it to look at")
reply.raise_for_status()

exceptions = []
for entry in reply.json()["entries"]:
    if entry["type"] == "exception":
        exceptions = entry["data"]["values"]
if not exceptions:
    raise LookupError(f"the latest event of {issue} has no exception")

# A chain begins with its cause and ends with what was raised last; a trace begins with the oldest call. So the root
# cause is the first exception, and the place is the last frame that is ours, or the last one if none is.
cause = exceptions[0]
frames = (cause.get("stacktrace") or {}).get("frames") or []
ours = [frame for frame in frames if frame.get("inApp")]
frame = (ours or frames or [{}])[-1]

result = {
    "file": frame.get("filename") or frame.get("module"),
    "line": frame.get("lineNo"),
    "function": frame.get("function"),
    "in_app": bool(ours),
    "root_cause": ": ".join(part for part in (cause["type"], cause["value"]) if part),
}
