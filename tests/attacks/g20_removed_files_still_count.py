# row: G20
# outcome: ok
# result: {"refused": true, "again": true}
# about: content of files that are removed and still open counts; closing them gives it back
import os

held = []
refused = False
for number in range(200):
    try:
        descriptor = os.open("/f", os.O_RDWR | os.O_CREAT)
        held.append(descriptor)
        os.write(descriptor, b"x" * (1 << 20))
        os.remove("/f")
    except OSError:
        refused = True
        break
for descriptor in held:
    os.close(descriptor)
if os.path.exists("/f"):
    os.remove("/f")
again = True
try:
    with open("/g", "wb", buffering=0) as file:
        for _ in range(32):
            file.write(b"x" * (1 << 20))
except OSError:
    again = False
result = {"refused": refused, "again": again}
