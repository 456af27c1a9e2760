import hashlib
import hmac
import zlib
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"):
    print(f"{name:9}", hashlib.new(name, b"hello").hexdigest()[:32])
h = hashlib.sha256()
for chunk in (b"hel", b"lo"):
    h.update(chunk)
print(h.hexdigest() == hashlib.sha256(b"hello").hexdigest(), h.digest_size, h.block_size, h.name, h.copy().hexdigest()[:8])
print(hmac.new(b"key", b"message", "sha256").hexdigest(), hmac.compare_digest(b"a", b"b"))
print(hashlib.pbkdf2_hmac("sha256", b"pw", b"salt", 10).hex()[:24], hashlib.shake_128(b"x").hexdigest(8), hashlib.blake2b(b"x", digest_size=8).hexdigest())
print(zlib.crc32(b"hello"), zlib.adler32(b"hello"), hashlib.sha256("é".encode()).hexdigest()[:8])
try:
    hashlib.new("nope")
except ValueError:
    print("ValueError")
try:
    hashlib.md5("text")
except TypeError:
    print("TypeError")
etag = hashlib.sha1(repr(sorted({"b": 1, "a": 2}.items())).encode()).hexdigest()[:10]
print(etag, "sha256" in hashlib.algorithms_available)
