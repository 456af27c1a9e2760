# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a limit is a trap; except BaseException around the loop must never run
while True:
    try:
        while True:
            pass
    except BaseException:
        print("caught")
