# cpython: "0 SIGALRM\n"
# intentbox: "OSError signals are not available in the sandbox: --timeout-ms bounds the run, asyncio.timeout() a wait in it\n"
import signal
try:
    print(signal.alarm(0), signal.SIGALRM.name)
except OSError as error:
    print(type(error).__name__, error)
