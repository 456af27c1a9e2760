# cpython: "2 17 FileNotFoundError\n"
# intentbox: "44 20 PermissionError\n"
import errno
print(errno.ENOENT, errno.EEXIST, type(OSError(2, "message")).__name__)
