# row: E07
# outcome: guest_trap python_error
# about: os.abort() ends the run and nothing else
import os

os.abort()
