# row: G08
# outcome: host_call_limit
# about: one call of 3 MiB is over the size of a message and ends the run
http.post("sentry:/x", data=b"x" * (3 << 20))
