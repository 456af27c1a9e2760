# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: the guest flushes whatever stands at sys.stdout when the script ends; an endless flush must be metered
import sys


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        while True:
            pass


sys.stdout = Stream()
result = "done"
