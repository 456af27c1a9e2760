# row: G10
# outcome: memory_limit
# about: the width of the old formatting operator
"%2000000000d" % 1
