# row: G19
# outcome: result_limit
# flags: --memory-mib 512
# about: a text of 200 MB as the result is refused by size in the guest
result = "x" * 200_000_000
