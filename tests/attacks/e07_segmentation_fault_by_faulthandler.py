# row: E07
# outcome: ok
# about: the test functions that crash an interpreter crash the run only
import faulthandler

for name in ("_sigsegv", "_sigabrt", "_sigfpe", "_read_null", "_fatal_error_c_thread", "_stack_overflow"):
    try:
        getattr(faulthandler, name)()
    except AttributeError:
        pass
result = "alive"
