import atexit
import sys
atexit.register(print, "registered")
print("working")
try:
    sys.exit("stopped here")
finally:
    print("cleanup")
