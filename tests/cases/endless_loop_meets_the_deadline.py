# outcome: deadline_exceeded
# flags: --timeout-ms 200
while True:
    pass
