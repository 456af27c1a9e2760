"""Marks one issue as resolved."""

from urllib.parse import quote

organization = 'acme'
issue = 'WEB-42'

# This endpoint takes a short id in place of a number.
url = f"sentry:/api/0/organizations/{quote(organization, safe='')}/issues/{quote(issue, safe='')}/"
reply = http.get(url)
if reply.status == 404:
    raise LookupError(f"no issue {issue} in {organization}")
reply.raise_for_status()
before = reply.json()

# A second time would be one more entry in the issue's history.
after = before
if before["status"] != "resolved":
    reply = http.put(url, json={"status": "resolved"})
    reply.raise_for_status()
    after = reply.json()

result = {"id": before["shortId"], "status_before": before["status"], "status_after": after["status"]}
