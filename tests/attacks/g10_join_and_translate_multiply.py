# row: G10
# outcome: memory_limit
# about: translate() maps each character to a megabyte
("a" * 100_000).translate({97: "b" * 1_000_000})
