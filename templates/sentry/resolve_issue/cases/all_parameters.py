"""Marks one issue as resolved."""

import pack

organization = 'acme'
issue = '45012'

# This endpoint takes a short id in place of a number.
before = pack.get(organization, "issues", issue, scope="event:read")

# A second time would be one more entry in the issue's history.
after = before
if before["status"] != "resolved":
    after = pack.put(organization, "issues", issue, scope="event:write", json={"status": "resolved"})

result = {"id": before["shortId"], "status_before": before["status"], "status_after": after["status"]}
