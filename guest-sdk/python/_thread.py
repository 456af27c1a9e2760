"""`_thread` for one thread: locks that know when nobody could ever release them, and no way to start another thread.

The interpreter imports this module before all others, so it imports nothing at the top.
"""

error = RuntimeError
# The largest timeout that a lock takes, in seconds: CPython's, from 63 bits of nanoseconds.
TIMEOUT_MAX = 9223372036.0

_IDENT = 1


def _wait(blocking, timeout):
    """What a lock that is held says to `acquire`: False, after the timeout. Without one, it would wait for ever."""
    if not blocking:
        return False
    if timeout < 0:
        raise RuntimeError("deadlock: what is waited for can only come from another thread, and there is none")
    import time

    time.sleep(timeout)
    return False


def _check(blocking, timeout):
    if timeout != -1:
        if not blocking:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0:
            raise ValueError("timeout value must be a non-negative number")
        if timeout > TIMEOUT_MAX:
            raise OverflowError("timeout value is too large")


class lock:
    """A lock that is held or not, whoever holds it."""

    __slots__ = ("_held", "__weakref__")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        """Takes the lock. Held already: False, after `timeout`; `RuntimeError` if that would wait for ever."""
        _check(blocking, timeout)
        if self._held:
            return _wait(blocking, timeout)
        self._held = True
        return True

    def release(self):
        """Gives the lock back."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        """Whether it is held."""
        return self._held

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, traceback):
        self.release()

    def _at_fork_reinit(self):
        self._held = False

    def __repr__(self):
        return f"<{'locked' if self._held else 'unlocked'} _thread.lock object at {hex(id(self))}>"


LockType = lock


class RLock:
    """A lock that its thread may take again. There is one thread, so nobody ever waits."""

    __slots__ = ("_count", "__weakref__")

    def __init__(self):
        self._count = 0

    def acquire(self, blocking=True, timeout=-1):
        """Takes the lock once more."""
        _check(blocking, timeout)
        self._count += 1
        return True

    def release(self):
        """Gives the lock back as often as it was taken."""
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1

    def locked(self):
        """Whether it is held."""
        return self._count > 0

    def __enter__(self):
        self._count += 1
        return True

    def __exit__(self, kind, value, traceback):
        self.release()

    def _is_owned(self):
        return self._count > 0

    def _recursion_count(self):
        return self._count

    def _release_save(self):
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        count, self._count = self._count, 0
        return count

    def _acquire_restore(self, count):
        self._count = count

    def _at_fork_reinit(self):
        self._count = 0

    def __repr__(self):
        held = self._count > 0
        state, owner = ("locked", _IDENT) if held else ("unlocked", 0)
        return f"<{state} _thread.RLock object owner={owner} count={self._count} at {hex(id(self))}>"


class _local:
    """Attributes of a thread: with one thread, attributes."""

    def __new__(cls, /, *arguments, **options):
        if (arguments or options) and cls.__init__ is object.__init__:
            raise TypeError("Initialization arguments are not supported")
        return super().__new__(cls)


class _ThreadHandle:
    """What `threading` keeps of a thread: here, of the main one, or of one that never starts."""

    def __init__(self):
        self.ident = None
        self._done = False

    def is_done(self):
        return self._done

    def _set_done(self):
        self._done = True

    def join(self, timeout=None):
        pass


def _make_thread_handle(ident):
    handle = _ThreadHandle()
    handle.ident = ident
    return handle


def start_new_thread(function, args, kwargs=None):
    """Raises `RuntimeError`, as CPython does where no thread can be started."""
    from intentbox import absent

    raise RuntimeError(absent.THREADS)


def start_joinable_thread(function, *, handle=None, daemon=True):
    """Raises the same."""
    start_new_thread(function, ())


start_new = start_new_thread
allocate_lock = allocate = lock


def get_ident():
    """Returns the number of the one thread."""
    return _IDENT


get_native_id = _get_main_thread_ident = get_ident


def exit():
    """Raises `SystemExit`."""
    raise SystemExit


exit_thread = exit


def interrupt_main(signum=2):
    """Raises `KeyboardInterrupt`: the main thread is this one."""
    raise KeyboardInterrupt


def stack_size(size=0):
    """Returns 0: the stack is the host's to set."""
    return 0


def daemon_threads_allowed():
    """Returns True; none can be started either way."""
    return True


def _is_main_interpreter():
    return True


def _count():
    return 0


def _shutdown():
    pass


def _set_sentinel():
    return lock()
