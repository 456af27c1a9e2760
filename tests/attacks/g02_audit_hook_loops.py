# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: an audit hook of the script is metered and cannot be a way around a limit
import sys


def hook(event, arguments):
    while True:
        pass


sys.addaudithook(hook)
sys.audit("anything")
open("/x")
while True:
    pass
