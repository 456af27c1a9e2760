# outcome: capability_denied
http.get("https://example.com/")
