# outcome: capability_denied
http.put("sentry:/api/0/organizations/demo/issues/1/", json={"status": "resolved"})
