import sys
import traceback
def inner():
    raise LookupError("deep")
def outer():
    inner()
try:
    outer()
except LookupError as error:
    frames = traceback.extract_tb(error.__traceback__)
    print([frame.name for frame in frames])
    print(traceback.format_exception_only(error))
    print(frames[-1].lineno - frames[-2].lineno)
    print(sys.exc_info()[0] is LookupError, sys.exc_info()[1] is error)
    print(traceback.format_exc().splitlines()[-1])
print(sys.exc_info())
def assertion(value):
    assert value > 0, f"{value} is not positive"
try:
    assertion(-1)
except AssertionError as error:
    print(error)
try:
    raise SystemExit(3)
except SystemExit as stop:
    print(stop.code)
