# row: G10
# outcome: python_error
# about: an integer written to two gigabytes
(1).to_bytes(2 << 30, "little")
