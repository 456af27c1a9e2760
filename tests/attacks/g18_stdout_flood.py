# row: G18
# outcome: output_limit
# about: print without end must meet the limit of stdout, with what fits kept and marked as cut
while True:
    print("x" * 1000)
