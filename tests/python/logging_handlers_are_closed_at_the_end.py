import logging
import logging.handlers
import sys


class Handler(logging.StreamHandler):
    def flush(self):
        super().flush()
        print("flushed")

    def close(self):
        print("closed")
        super().close()


# A record at INFO stays in the buffer until somebody flushes it.
buffer = logging.handlers.MemoryHandler(10, target=Handler(sys.stdout))
logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[buffer])
logging.info("kept until the end")
print("the last line")
