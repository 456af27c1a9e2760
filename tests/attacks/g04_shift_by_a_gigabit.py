# row: G04
# outcome: memory_limit
# about: one shift to an integer of 4 gigabits (512 MiB) must meet the memory limit
1 << (1 << 32) - 64
