# row: G20
# outcome: ok fuel_exhausted deadline_exceeded
# flags: --timeout-ms 1000 --fuel 5000000000
# about: files opened, appended and closed a hundred thousand times cost the run, and leave no descriptor behind
import os

for number in range(100_000):
    descriptor = os.open("/f", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, b"x")
    os.close(descriptor)
result = "written"
