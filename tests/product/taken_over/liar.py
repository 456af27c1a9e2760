"""A worker process that somebody has taken over: it speaks the wire, and says what its argument names.

Frames are a length (four bytes, little endian) and a postcard message; numbers are varints, texts have their length before
them. Written without the product's code, as an attacker would write it.
"""

import os
import sys

LIE = sys.argv[1]
SOCKET = 0


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    return number(len(value)) + value


def frame(message):
    return len(message).to_bytes(4, "little") + message


def say(data):
    while data:
        data = data[os.write(SOCKET, data) :]


def exactly(count):
    data = b""
    while len(data) < count:
        piece = os.read(SOCKET, count - len(data))
        if not piece:
            sys.exit()
        data += piece
    return data


def heard():
    return exactly(int.from_bytes(exactly(4), "little"))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value


READY, FAILED, CALL, OUTPUT, ENDED, OVERLOADED, BROKEN = range(7)
ALL_HARDENING = bytes([1, 1, 1, 1, 1, 1])


def call(run):
    read_file = number(2) + text(b"data:x") + number(0) + number(1 << 20)
    return frame(number(CALL) + number(run) + text(read_file))


def output(run, words):
    return frame(number(OUTPUT) + number(run) + number(0) + text(words))


def ended(run, json):
    nothing = text(b"") + b"\0"
    return frame(number(ENDED) + number(run) + number(0) + text(json) + nothing + nothing + number(1) * 3)


def overloaded(run):
    return frame(number(OVERLOADED) + number(run) + number(0) + number(1) + number(1))


def broken(run):
    return frame(number(BROKEN) + number(run) + text(b"x"))


def lie(run):
    other = run + 1_000
    if LIE == "forges":
        say(ended(run, b"[]"))
    elif LIE == "asks for a run that it has not":
        say(call(other) * 100_000)
    elif LIE == "ends a run that it has not":
        say(ended(other, b"1") * 100_000)
    elif LIE == "is overloaded by a run that it has not":
        say(overloaded(other) * 100_000)
    elif LIE == "breaks a run that it has not":
        say(broken(other) * 100_000)
    elif LIE == "breaks its own run":
        say(frame(number(BROKEN) + number(run) + text(b"x" * 100_000)))
    elif LIE == "prints for a run that it has not":
        say(output(other, b"x") * 100_000)
    elif LIE == "prints what nobody follows":
        say(output(run, b"x"))
    elif LIE == "prints nothing":
        say(output(run, b""))
    elif LIE == "prints without an end":
        say(output(run, b"x" * 10_000) * 1_000)
    elif LIE == "asks twice at once":
        say(call(run) * 2)
    elif LIE == "asks and never reads":
        while True:
            say(call(run))
    elif LIE == "announces a frame of four gigabytes":
        say(b"\xff" * 4 + b"x" * 100)
    elif LIE == "says hello again":
        say(frame(number(READY) + ALL_HARDENING))
    elif LIE == "babbles":
        say(frame(b"\xfe" * 1_000))
    elif LIE == "answers more than was asked for":
        say(ended(run, b'"' + b"x" * (1 << 20) + b'"'))
    elif LIE == "answers what is not JSON":
        say(ended(run, b"[1,"))
    else:
        sys.exit(f"no such lie: {LIE}")


heard()
say(frame(number(READY) + ALL_HARDENING))
while True:
    message = heard()
    if message[0] == 1:
        lie(read_varint(message, 1))
