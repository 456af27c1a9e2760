# row: G10
# outcome: python_error
# flags: --fuel 2000000000
# about: a key function that takes gigabytes by its parameters
import hashlib

hashlib.scrypt(b"p", salt=b"s", n=2**22, r=8, p=1, maxmem=2**34, dklen=64)
