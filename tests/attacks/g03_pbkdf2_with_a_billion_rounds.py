# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: key stretching by a script-chosen count is a native loop and must burn fuel
import hashlib

hashlib.pbkdf2_hmac("sha256", b"p", b"s", 2**31 - 1)
