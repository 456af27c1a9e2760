# row: E09
# outcome: python_error
# flags: --fuel 1000000000
# about: the native thread function is absent, refuses, or runs under the limits of the run
import _thread


def spin():
    while True:
        pass


_thread.start_new_thread(spin, ())
_thread.interrupt_main()
