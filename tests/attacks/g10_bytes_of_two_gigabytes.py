# row: G10
# outcome: python_error
# about: a size that fits the address space and not the limit is memory_limit
bytes(2 << 30)
