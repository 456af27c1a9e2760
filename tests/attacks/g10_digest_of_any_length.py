# row: G10
# outcome: python_error
# flags: --fuel 2000000000
# about: an extendable hash gives as many bytes as asked for; the size must be limited
import hashlib

hashlib.shake_256(b"").digest(3 << 30)
