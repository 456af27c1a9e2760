# outcome: ok
# result: 2
1 + 1
