# row: G12
# outcome: result_limit
# about: shared lists that unfold to 10**40 elements must stop at the size of the result, in the guest
result = ["ha"] * 10
for _ in range(40):
    result = [result] * 10
