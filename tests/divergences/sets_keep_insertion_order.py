# cpython: "{1, 2, 3} {1, 10, 5} [3, 1] frozenset({1, 2})\n"
# intentbox: "{3, 1, 2} {10, 5, 1} [3, 1] frozenset({2, 1})\n"
print({3, 1, 2}, set([10, 5, 1]), list(dict.fromkeys([3, 1])), frozenset([2, 1]))
