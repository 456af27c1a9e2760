# row: E13
# outcome: memory_limit
# flags: --fuel 5000000000
# about: pickles with wild memo numbers, lengths, marks and opcodes are refused or crash the run
import pickle, random, struct

random.seed(9)
pieces = [b"(", b")", b"]", b"}", b"l", b"t", b"d", b"0", b"1", b"2", b"R", b"b", b"o", b"i", b"\x81", b"\x92", b"\x93", b"\x94", b"a", b"e", b"s", b"u", b"N", b"K\x05", b"\x8c\x01x", b"q\xff", b"h\xff", b"r\xff\xff\xff\x7f", b"j\xff\xff\xff\xff",
          b"X\xff\xff\xff\x7f", b"B\xff\xff\xff\xff", b"\x8e" + struct.pack("<Q", 2**62), b"\x96" + struct.pack("<Q", 2**40), b"\x95" + struct.pack("<Q", 2**63), b"\x8b\xff\xff\xff\xff", b"\x8a\xff" + b"\xff" * 255, b"I99999999999999999999\n", b"L9L\n", b"F1e999\n", b"V\\ud800\n", b"S'\\x'\n", b"p-1\n", b"g2147483648\n", b"\x8f", b"\x90", b"\x91", b"\x97", b"\x98", b"cos\nsystem\n"]
for _ in range(6000):
    data = b"\x80" + bytes([random.randrange(6)]) + b"".join(random.choices(pieces, k=random.randrange(1, 12))) + b"."
    try:
        pickle.loads(data)
    except (Exception, RecursionError):
        pass
result = "alive"
