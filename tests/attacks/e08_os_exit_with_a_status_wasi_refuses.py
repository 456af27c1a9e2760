# row: E08
# outcome: python_error
# about: a status above 125 is refused by the host's own WASI and must still be the script's end
import os

os._exit(134)
