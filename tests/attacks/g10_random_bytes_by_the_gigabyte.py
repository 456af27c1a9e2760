# row: G10
# outcome: python_error
# about: the host refuses to make random bytes by the gigabyte
import os

os.urandom(3 << 30)
