# row: G08
# outcome: fuel_exhausted deadline_exceeded
# flags: --timeout-ms 500 --fuel 2000000000
# about: cheap calls that end in the host (stat of nothing, close of nothing) must meet a limit in time
import os

while True:
    for act, argument in ((os.stat, "/nowhere"), (os.close, 9999), (os.listdir, "/nowhere"), (os.fstat, 77), (os.fsync, 88), (os.lseek, None)):
        try:
            act(argument)
        except (OSError, TypeError):
            pass
