# cpython: "ran\n"
# intentbox: "RuntimeError There is no current event loop in thread 'MainThread'.\n"
import asyncio
import warnings
warnings.simplefilter("ignore")
try:
    loop = asyncio.get_event_loop()
    print(loop.run_until_complete(asyncio.sleep(0, "ran")))
except RuntimeError as error:
    print(type(error).__name__, error)
