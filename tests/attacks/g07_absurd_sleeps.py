# row: G07
# outcome: ok
# result: ["ValueError", "ValueError", "ValueError", "ValueError"]
# about: negative, infinite, undefined and overflowing durations are refused before anything waits
import time

found = []
for duration in (-1, float("inf"), float("nan"), 10**30):
    try:
        time.sleep(duration)
        found.append("slept")
    except (ValueError, OverflowError):
        found.append("ValueError")
result = found
