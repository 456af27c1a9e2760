# outcome: ok
# result: true
import logging

# `logging` notes the time when it is imported, and here that was when the interpreter was built.
record = logging.LogRecord("name", logging.INFO, __file__, 1, "text", (), None)
result = 0 <= record.relativeCreated < 5_000
