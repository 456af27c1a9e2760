# row: G10
# outcome: memory_limit
# flags: --fuel 2000000000
# about: a float with two billion digits after the point
"%.2000000000f" % 1.5
