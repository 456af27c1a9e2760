# outcome: memory_limit
hoard = []
while True:
    try:
        hoard.append(bytearray(1 << 20))
    except BaseException:
        pass
