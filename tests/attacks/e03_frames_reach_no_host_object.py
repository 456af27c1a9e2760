# row: E03
# outcome: ok
# result: []
# about: walking out through frames ends at the script's own module: no frame of the guest's machinery below it
import sys

leaks = []
frame = sys._getframe()
while frame:
    name = frame.f_code.co_filename
    if frame.f_globals is not globals():
        leaks.append(name)
    for word in ("token", "secret", "authorization", "grant"):
        if any(word in str(key).lower() for key in frame.f_locals if key not in ("word", "words")):
            leaks.append(f"{name} {word}")
    frame = frame.f_back
result = leaks
