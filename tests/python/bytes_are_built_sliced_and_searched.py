data = bytes(range(5)) + b"\xff\x00end"
print(data, data[0], data[1:3], list(data[-3:]), data.hex(" "), bytes.fromhex("00ff 10"))
buffer = bytearray(b"hello")
buffer[0] = ord("J")
buffer.extend(b" world")
buffer[5:6] = b"--"
print(buffer, bytes(buffer).upper(), buffer.find(b"wor"), len(buffer))
print(b"a,b,c".split(b","), b"  x ".strip(), b"abc".replace(b"b", b"??"), b"abc".startswith(b"ab"))
view = memoryview(buffer)
view[0:1] = b"H"
print(view[1:4].tobytes(), view.nbytes, buffer[:5])
view.release()
print(b"%d-%s" % (5, b"x"), b"abc" < b"abd", b"".join([b"1", b"2"]), 98 in b"abc", b"x" * 3)
try:
    b"abc" + "d"
except TypeError as error:
    print("TypeError")
try:
    bytearray([256])
except ValueError as error:
    print(error)
print(b"abc".translate(bytes.maketrans(b"a", b"z")), int.from_bytes(b"\xff\xfe", "big", signed=True))
