import struct
record = struct.pack("<HIf8s?", 1, 70000, 2.5, b"name", True)
print(record.hex(), struct.calcsize("<HIf8s?"), struct.unpack("<HIf8s?", record))
print(struct.pack(">q", -2).hex(), struct.pack("!d", 1.1).hex(), struct.unpack(">h", b"\xff\xfe"), struct.pack("3B", 1, 2, 3))
point = struct.Struct("<2i")
data = b"".join(point.pack(x, x * x) for x in range(3))
print([p for p in point.iter_unpack(data)], point.unpack_from(data, 8), point.size, point.format)
buffer = bytearray(6)
struct.pack_into(">HI", buffer, 0, 258, 1)
print(buffer.hex(), struct.unpack("<5sx", b"helloX"), struct.pack("<bx", -1), struct.pack("5p", b"abc"))
for format, value in (("B", 300), ("<H", -1), ("i", "x")):
    try:
        struct.pack(format, value)
    except struct.error as error:
        print("struct.error")
try:
    struct.unpack("<I", b"abc")
except struct.error as error:
    print("short")
import array
a = array.array("h", [1, -2, 3])
a.append(4)
print(a, a.tobytes().hex(), a.itemsize, sum(a), array.array("d", [0.5]).tolist())
