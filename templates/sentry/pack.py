"""What the scripts about Sentry share: requests whose failures say what to do, pages of lists, and times.

A status that is an error never leaves a script as such. What does not exist ends it as `NotFound`, a search that Sentry
does not understand as `Invalid`, and the rest as a failed call whose message says what the status means.
"""

import math
import re
import sys
import time
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from intentbox import HostCallFailed, HttpStatusError, Invalid, NotFound, http

# The most pages of one answer: with pages of a hundred, a thousand rows.
PAGES_MAX = 10
# The period of a search that names none.
PERIOD = "14d"
DAY_SECONDS = 86400
# The longest title of a row. A terminal cuts it to its width; programs get all that people wrote, and no page of a log.
TITLE_CHARS_MAX = 1000
# As far back as Sentry keeps events.
KEPT = timedelta(days=90)
# The longest part of an origin's own words in a message: they are a sentence, or a page of HTML.
DETAIL_CHARS_MAX = 200


def get(organization, *path, scope, params=None):
    """Returns what is known of something in an organization, such as `get("acme", "issues", "WEB-42", scope=…)`.

    `scope` is what the token needs for it, in Sentry's words.
    """
    return parsed(_checked(_get(organization, path, params), organization, path, scope, params))


def put(organization, *path, scope, json):
    """Changes something in an organization, and returns the parsed reply."""
    reply = http.put(_url(organization, path), json=json)
    return parsed(_checked(reply, organization, path, scope, None))


def pages(organization, *path, scope, params):
    """Yields the replies with the pages of a list, each with its `rows`, and `is_last` where nothing follows."""
    for _ in range(PAGES_MAX):
        reply = _checked(_get(organization, path, params), organization, path, scope, params)
        following = reply.links.get("next")
        reply.rows = parsed(reply)
        reply.is_last = not following or following["results"] != "true"
        yield reply
        if reply.is_last:
            return
        params = {**params, "cursor": following["cursor"]}


def rows(organization, *path, scope, params, limit, things, limit_max=100, besides=""):
    """Returns the first `limit` rows of a list, and tells of how many `things` they are, and how to get more of them.

    `limit_max` is the highest limit, and `besides` says what else helps.
    """
    found = []
    for reply in pages(organization, *path, scope=scope, params=params):
        found += reply.rows
        if len(found) >= limit:
            break
    found = found[:limit]
    tell(len(found), reply, things, limit_max, besides)
    return found


def tell(shown, reply, things, limit_max=None, besides=""):
    """Tells on stderr how many there are where an answer does not hold all, if Sentry counted them."""
    hits, most = (reply.headers.get(name, "") for name in ("x-hits", "x-max-hits"))
    if hits.isdecimal() and int(hits) > shown:
        # Sentry stops counting there.
        more = " or more" if hits == most else ""
        how = f" ({limits(int(hits), limit_max)}{besides})" if limit_max is not None else ""
        print(f"{shown} of {hits}{more} {things}{how}", file=sys.stderr)


def limits(count, limit_max):
    """Says how all of so many are listed, or as many as can be."""
    return f"limit={count} lists all" if count <= limit_max else f"limit={limit_max} lists more"


def tell_period(text, status):
    """Tells on stderr what a period is about, where somebody may mean when the issues got their status."""
    if text != PERIOD and status in ("resolved", "ignored"):
        print(f"the time is when an issue happened, not when it was {status}", file=sys.stderr)


def parsed(reply):
    """Returns the JSON of a reply."""
    try:
        return reply.json()
    except ValueError:
        raise HostCallFailed(
            "json", "the origin answers something else than JSON; check `base_url` under [origins.sentry]"
        ) from None


def period(text):
    """Returns the parameters of a request for a window of time: a period such as `24h`, or an interval."""
    if "/" not in text:
        return {"statsPeriod": text}
    from intentbox import window

    since, until = window.bounds(text)
    # Sentry wants both ends.
    until = until or datetime.now(timezone.utc)
    since = since or until - KEPT
    if since >= until:
        raise Invalid("the period begins after now, so nothing can have happened in it", hint="name an earlier one")
    start, end = (bound.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") for bound in (since, until))
    return {"start": start, "end": end}


def first_seen(text):
    """Returns the terms of a search for issues that were first seen in a window of time, such as `["firstSeen:-24h"]`."""
    bounds = period(text)
    if "statsPeriod" in bounds:
        return [f"firstSeen:-{text}"]
    return [f"firstSeen:>={bounds['start']}", f"firstSeen:<{bounds['end']}"]


def hours_or_days(text):
    """Returns what one bar of a chart of a period covers where nobody says it: `hour` up to 24 hours, else `day`."""
    if "/" not in text:
        return "hour" if _seconds(text) <= DAY_SECONDS else "day"
    from intentbox import window

    since, _ = window.bounds(text)
    return "hour" if since is not None and since >= datetime.now(timezone.utc) - timedelta(days=1) else "day"


def shown(chart, bucket, text):
    """Returns the bars of a chart that lie in a period; a chart is `[[start, events], …]`, and its last bar is that of now.

    `bucket` is what a bar covers: `hour` or `day`.
    """
    seconds = 3600 if bucket == "hour" else DAY_SECONDS
    if "/" in text:
        from intentbox import window

        since, until = window.bounds(text)
        first = since.timestamp() if since else -math.inf
        last = until.timestamp() if until else math.inf
        bars = [[start, events] for start, events in chart if start + seconds > first and start < last]
        if chart and not bars:
            raise Invalid(
                f"by {bucket}, Sentry counts events from {bar_start(chart[0][0], bucket)} on, and nothing before",
                hint="name a later period" + (", or count by day" if bucket == "hour" else ""),
            )
        is_cut = bool(bars) and first < chart[0][0]
    else:
        # The last bar is the one that now lies in, so the first may begin a little late.
        wanted = math.ceil(_seconds(text) / seconds)
        bars = chart[-wanted:]
        is_cut = bool(bars) and wanted > len(chart)
    if is_cut:
        begin = bar_start(chart[0][0], bucket)
        print(f"counted from {begin} on: Sentry's chart by {bucket} begins there", file=sys.stderr)
    return bars


def bar_start(start, bucket):
    """Returns when a bar begins, as text: `2026-11-20T09:00Z`, or the day."""
    form = "%Y-%m-%dT%H:00Z" if bucket == "hour" else "%Y-%m-%d"
    return datetime.fromtimestamp(start, timezone.utc).strftime(form)


def timeline(bars, bucket):
    """Returns bars as rows of an answer."""
    return [{"start": bar_start(start, bucket), "events": events} for start, events in bars]


def release_term(organization, key, name):
    """Returns a term of a search for a release, such as `firstRelease:"web@2.4.1"` for `2.4.1`; `key` is `release` or
    `firstRelease`.

    People leave out the package before the version and the build after it, and Sentry's search does not. Where several
    projects have that version, all of them are meant. `latest` is the latest release of each project.
    """
    if name == "latest":
        print("the latest release of each project", file=sys.stderr)
        return f"{key}:latest"
    params = {"query": name, "per_page": 100}
    known = [row["version"] for row in get(organization, "releases", scope="project:releases", params=params)]

    def forms(version):
        version = version.rpartition("@")[2]
        return version, version.partition("+")[0]

    found = [version for version in known if version == name] or [version for version in known if name in forms(version)]
    if not found:
        raise NotFound(f"there is no release {name} in {organization}", hint='ask for "list releases" to see the latest')
    if found != [name]:
        print(f"release: {', '.join(found)}", file=sys.stderr)
    quoted = ['"' + re.sub(r'(["*])', r"\\\1", version) + '"' for version in found]
    return f"{key}:{quoted[0]}" if len(quoted) == 1 else f"{key}:[{','.join(quoted)}]"


def moment(text):
    """Returns a time of Sentry's to the second, such as `2026-11-20T09:58:12Z`; `None` for none."""
    if not text:
        return None
    # Almost every time looks like this, and parsing one takes a while.
    if re.fullmatch(r"[0-9-]{10}T[0-9:]{8}(\.[0-9]+)?Z", text):
        return text[:19] + "Z"
    try:
        return datetime.fromisoformat(text).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return text


def short(title):
    """Returns a title, cut where it is long."""
    return title if len(title) <= TITLE_CHARS_MAX else title[: TITLE_CHARS_MAX - 1] + "…"


def _seconds(text):
    """Returns the length of a period such as `24h`."""
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": DAY_SECONDS, "w": 7 * DAY_SECONDS}[text[-1]]


def _url(organization, path):
    return "/".join(["sentry:/api/0/organizations", *(quote(part, safe="") for part in (organization, *path))]) + "/"


def _get(organization, path, params):
    return http.get(_url(organization, path), params=params)


def _checked(reply, organization, path, scope, params):
    """Returns a reply that is an answer, and raises what any other means."""
    if reply.ok:
        return reply
    detail = _detail(reply)
    project = re.search(r"Project\(s\) (.+?) do not exist", detail)
    if project:
        raise NotFound(f"there is no project {project[1]} in {organization}", hint='ask for "list projects" to see all')
    if reply.status == 404:
        raise _absent(detail, organization, path, scope, params)
    said = detail.removeprefix("Error parsing search query: ")
    if reply.status == 400 and said != detail:
        raise Invalid(f"Sentry does not understand the search: {said}", hint="correct the terms of the search")
    raise HttpStatusError(_meaning(reply, detail, organization, scope), reply)


def _absent(detail, organization, path, scope, params):
    """Returns the exception for a 404: the issue, the environment or the organization is not there."""
    environment = (params or {}).get("environment")
    issue = path[1] if path[0] == "issues" and len(path) > 1 else None
    is_event = "event" in detail.lower()
    if environment is not None:
        # The same without the environment tells whether that is what does not exist. Another failure is raised there.
        _checked(_get(organization, path, {**params, "environment": None}), organization, path, scope, None)
        if issue is not None and is_event:
            return NotFound(f"issue {issue} has no event in the environment {environment}")
        return NotFound(
            f"there is no environment {environment} in {organization}", hint='ask for "list environments" to see all'
        )
    if issue is not None and is_event:
        return NotFound(f"issue {issue} has no event to look at")
    if issue is not None:
        return NotFound(
            f"there is no issue {issue} in {organization}", hint='ask for "search issues" to see the ids of issues'
        )
    return NotFound(
        f"there is no organization {organization}, or the token cannot see it",
        hint="check `organization` and `base_url` under [origins.sentry] in the configuration",
    )


def _meaning(reply, detail, organization, scope):
    """Returns what a status means to whoever asked."""
    status = reply.status
    said = f"{status}: {detail}" if detail else str(status)
    if status == 401:
        return f"the token was rejected ({said}); set `token_env` or `token_file` under [origins.sentry]"
    if status == 403:
        return f"the token may not do this ({said}); it needs the scope {scope} and access to {organization}"
    if status == 429:
        return f"the origin limits the rate of requests ({status}); try again {_later(reply)}"
    if status >= 500:
        return f"the origin answers {status}"
    return f"the origin answers {said}"


def _later(reply):
    """Returns when a reply to too many requests says to come back."""
    after = reply.headers.get("retry-after", "").strip()
    reset = reply.headers.get("x-sentry-rate-limit-reset", "").strip()
    if after and not after.isdecimal():
        return f"after {after[:40]}"
    if not after and reset.isdecimal():
        after = str(max(1, int(reset) - int(time.time())))
    return f"in {after} s" if after else "later"


def _detail(reply):
    """Returns the origin's own words for a failure, in one line; nothing where there are none."""
    try:
        detail = reply.json()["detail"]
    except (ValueError, LookupError, TypeError):
        return ""
    # Some have a code beside the words.
    if isinstance(detail, dict):
        detail = detail.get("message")
    return " ".join(detail.split())[:DETAIL_CHARS_MAX] if isinstance(detail, str) else ""
