# row: G01
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: the plainest endless loop must meet the fuel limit
while True:
    pass
