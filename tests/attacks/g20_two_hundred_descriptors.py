# row: G20
# outcome: ok
# result: {"some": true, "refused": true, "over": false, "again": true}
# about: no more than 256 open descriptors, the standard ones included; closing makes room
import os

held = []
refused = False
for number in range(2_000):
    try:
        held.append(os.open("/f", os.O_RDWR | os.O_CREAT))
    except OSError:
        refused = True
        break
count = len(held)
for descriptor in held:
    os.close(descriptor)
again = True
try:
    os.close(os.open("/f", os.O_RDONLY))
except OSError:
    again = False
result = {"some": count > 100, "refused": refused, "over": count > 256, "again": again}
