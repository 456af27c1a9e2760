"""Finds the line of our code in which the latest event of an issue failed, and its root cause."""

import pack
from intentbox import NotFound

organization = 'acme'
issue = 'API-7'
environment = None

# Which issue `issue` means where it is no id: the first of the unresolved ones in this order.
SORTS = {"last_seen": "date", "first_seen": "new", "most_events": "freq", "most_users": "user"}

chosen = None
if issue in SORTS:
    search = {
        "query": "is:unresolved",
        **pack.period(pack.PERIOD),
        "sort": SORTS[issue],
        "limit": 1,
        "environment": environment,
    }
    found = pack.get(organization, "issues", scope="event:read", params=search)
    if not found:
        raise NotFound(f"no unresolved issue happened in the last {pack.PERIOD}", hint="name an issue by its id")
    chosen = {"id": found[0]["shortId"], "title": pack.short(found[0]["title"])}
    issue = chosen["id"]

# This endpoint takes a short id in place of a number.
params = {"environment": environment}
event = pack.get(organization, "issues", issue, "events", "latest", scope="event:read", params=params)

# A recursion has thousands.
FRAMES_MAX = 20

exceptions = []
for entry in event["entries"]:
    if entry["type"] == "exception":
        exceptions = entry["data"]["values"]
if not exceptions:
    raise NotFound(f"the latest event of {issue} has no exception, so there is no trace of it")


def frames(exception):
    return (exception.get("stacktrace") or {}).get("frames") or []


def place(frame):
    return {
        "file": frame.get("filename") or frame.get("module"),
        "line": frame.get("lineNo"),
        "function": frame.get("function"),
    }


# A chain begins with its cause and ends with what was raised last; a trace begins with the oldest call. So the root
# cause is the first exception, and it was raised in its last frame. Where that is a library's, the place to look is our
# last frame before it: in the cause's own trace, or else in that of the first exception that has one of ours.
cause = exceptions[0]
raised_in = (frames(cause) or [{}])[-1]
traces = [[frame for frame in frames(exception) if frame.get("inApp")] for exception in exceptions]
ours = [trace[-1] for trace in traces if trace]
frame = ours[0] if ours else raised_in

result = {
    **place(frame),
    "in_app": bool(ours),
    "root_cause": ": ".join(part for part in (cause["type"], cause["value"]) if part),
}
if chosen:
    result = {**chosen, **result}
if place(raised_in) != place(frame):
    result["raised_in"] = place(raised_in)
# The whole trace of what was raised, where it failed first; a deep one without its beginning.
trace = [place(frame) for frame in reversed(frames(cause))]
if len(trace) > 1:
    result["trace"] = trace[:FRAMES_MAX]
    result["frames"] = len(trace)
