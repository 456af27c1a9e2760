# outcome: ok
# result: null

