# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: many short sleeps, errors swallowed, must end at the same deadline
import time

while True:
    try:
        time.sleep(0.0001)
    except BaseException:
        pass
