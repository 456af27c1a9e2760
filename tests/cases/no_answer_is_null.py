# outcome: ok
# result: null
x = 1
