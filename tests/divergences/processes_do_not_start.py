# cpython: "child\n"
# intentbox: "OSError processes are not available in the sandbox: do the work in Python itself\n"
import subprocess
import sys
try:
    print(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True, text=True).stdout.strip())
except OSError as error:
    print(type(error).__name__, error)
