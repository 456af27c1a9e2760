# row: G08
# outcome: host_call_limit
# about: an address of 8 MiB never reaches a parser
http.get("https://example.com/" + "a" * (8 << 20))
