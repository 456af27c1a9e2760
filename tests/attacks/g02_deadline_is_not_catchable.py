# row: G02
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: the deadline must not surface as an exception either
import time

while True:
    try:
        time.sleep(0.01)
    except BaseException:
        print("caught")
