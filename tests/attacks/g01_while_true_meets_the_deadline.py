# row: G01
# outcome: deadline_exceeded
# flags: --timeout-ms 300 --fuel 10000000000000
# about: with fuel to spare the wall deadline must end the loop, at most 250 ms late
while True:
    pass
