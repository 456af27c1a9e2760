# outcome: ok
# result: [3,true]
reply = http.get("sentry:/api/0/organizations/demo/issues/", params={"limit": 3})
rows = reply.raise_for_status().json()
[len(rows), "next" in reply.links]
