# row: G02
# outcome: ok
# result: "first"
# about: what a replaced stream does when flushed comes too late to change the answer already given by the last name bound
import sys

result = "first"


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        raise SystemExit(7)


sys.stdout = sys.stderr = Stream()
