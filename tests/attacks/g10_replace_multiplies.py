# row: G10
# outcome: memory_limit
# about: replacing nothing by a megabyte, a million times
("a" * 1_000_000).replace("", "b" * 1_000_000)
