# outcome: ok
# result: 16777216
import os

len(os.urandom(1 << 24))
