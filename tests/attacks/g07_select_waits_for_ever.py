# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: select() with a long timeout is refused or meets the deadline
import select

select.select([], [], [], 10**6)
while True:
    select.select([0], [1], [2], 10**6)
