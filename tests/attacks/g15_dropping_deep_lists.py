# row: G15
# outcome: ok stack_overflow
# result: "dropped"
# about: freeing a list nested 1,000,000 times must not run off the stack unseen
value = []
for _ in range(1_000_000):
    value = [value]
del value
result = "dropped"
