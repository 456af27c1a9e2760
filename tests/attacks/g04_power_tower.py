# row: G04
# outcome: memory_limit
# flags: --fuel 3000000000
# about: 9**9**9 has 370 million digits: no answer, no crash of the host
9**9**9
