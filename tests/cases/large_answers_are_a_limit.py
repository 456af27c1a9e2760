# outcome: result_limit
"x" * 2_000_000
