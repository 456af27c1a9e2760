# outcome: fuel_exhausted
# flags: --fuel 200000000
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
