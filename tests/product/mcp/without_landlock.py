"""Runs a program on a kernel that seems to have no landlock: `without_landlock.py PROGRAM ARGUMENT…`

A filter lets `landlock_create_ruleset` fail as it does where the kernel does not know it.
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LANDLOCK_CREATE_RULESET = 444  # on every machine that Linux runs on
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06


def instruction(code, if_true, if_false, value):
    return struct.pack("=HBBI", code, if_true, if_false, value)


program = (
    instruction(LOAD, 0, 0, 0)
    + instruction(IF_EQUAL, 0, 1, LANDLOCK_CREATE_RULESET)
    + instruction(RETURN, 0, 0, ERRNO | errno.ENOSYS)
    + instruction(RETURN, 0, 0, ALLOW)
)
instructions = ctypes.create_string_buffer(program, len(program))
filter = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
libc = ctypes.CDLL(None, use_errno=True)
for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, FILTER, filter)):
    if libc.prctl(*arguments) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[1], sys.argv[1:])
