# row: E10
# outcome: ok
# result: null
# about: clearing the globals that the answer is read from gives no answer, and no crash
import sys

result = "gone"
main = sys.modules["__main__"]
del sys.modules["__main__"]
main.__dict__.clear()
