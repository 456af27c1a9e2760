# row: G20
# outcome: ok
# result: {"some": true, "refused": true, "over": false}
# about: no more than 10,000 files, folders and names; the next is an OSError, and after removing one there is room again
import os

os.mkdir("/w")
made = 0
refused = False
for number in range(12_000):
    try:
        if number % 2:
            os.mkdir(f"/w/d{number}")
        else:
            open(f"/w/f{number}", "w").close()
        made += 1
    except OSError:
        refused = True
        break
if refused:
    os.rmdir("/w/d1")
    open("/w/again", "w").close()
result = {"some": made > 1000, "refused": refused, "over": made > 10_000}
