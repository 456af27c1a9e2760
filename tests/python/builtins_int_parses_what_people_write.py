for text in ("42", " -7 ", "1_000", "+5", "0x1f", "0b101", "٣", "4.0", "", "ten"):
    try:
        print(repr(text), int(text), end=" ")
    except ValueError as error:
        print("ValueError", error, end=" ")
    try:
        print(int(text, 0))
    except ValueError:
        print("no")
print(int("ff", 16), int("z", 36), int(3.99), int(-3.99), int(True))
print(float("1e-3"), float(" inf "), float("-nan") != float("nan"), float("1_0.5"))
print((255).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"), (1000).bit_length(), (0b1011).bit_count())
print(bool("False"), bool(0.0), bool([0]), complex("1+2j").imag, str(1e16), str(123456789.123), repr(0.1 + 0.2))
