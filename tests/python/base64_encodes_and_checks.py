import base64
import binascii
data = bytes(range(0, 256, 17)) + "é😀".encode()
for encode, decode in ((base64.b64encode, base64.b64decode), (base64.urlsafe_b64encode, base64.urlsafe_b64decode),
                       (base64.b32encode, base64.b32decode), (base64.b16encode, base64.b16decode), (base64.b85encode, base64.b85decode),
                       (base64.a85encode, base64.a85decode)):
    text = encode(data)
    print(text.decode(), decode(text) == data)
print(base64.b64decode("aGVsbG8="), base64.b64decode("aGVs\nbG8="), base64.b64encode(b"").decode() == "")
for bad in ("aGVsbG8", "a"):
    try:
        base64.b64decode(bad)
    except binascii.Error:
        print("binascii.Error")
try:
    base64.b64decode("aG!VsbG8=", validate=True)
except binascii.Error:
    print("strict")
print(binascii.hexlify(b"\x01\xff"), binascii.unhexlify("01ff"), binascii.crc32(b"x"), base64.encodebytes(b"x" * 60))
token = "eyJ1c2VyIjoiYWRhIn0"
print(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
