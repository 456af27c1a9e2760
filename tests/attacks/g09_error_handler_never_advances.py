# row: G09
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 5000000000
# about: an error handler of a codec that sends the decoder back to the start, adding text each time, must meet a limit
import codecs

codecs.register_error("back", lambda error: ("x" * 1000, 0))
b"ab\xff".decode("ascii", "back")
