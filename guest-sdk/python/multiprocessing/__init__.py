"""`multiprocessing` without processes: one processor, one process, and one error for whatever would start another."""

from intentbox import absent


class ProcessError(Exception):
    pass


class BufferTooShort(ProcessError):
    pass


class TimeoutError(ProcessError):
    pass


class AuthenticationError(ProcessError):
    pass


class Process:
    """A process that can be described and not started."""

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        self.name, self.daemon, self.pid, self.exitcode = name or "Process-1", bool(daemon), None, None

    ident = property(lambda self: self.pid)

    def is_alive(self):
        """Returns False: it never started."""
        return False

    start = run = join = terminate = kill = absent.no_processes


class _MainProcess(Process):
    def __init__(self):
        super().__init__(name="MainProcess")
        self.pid = 1

    def is_alive(self):
        return True


_main = _MainProcess()
Pool = Manager = Pipe = Queue = SimpleQueue = JoinableQueue = Value = Array = RawValue = RawArray = absent.no_processes
Lock = RLock = Event = Condition = Semaphore = BoundedSemaphore = Barrier = absent.no_processes


def cpu_count():
    """Returns 1."""
    return 1


def current_process():
    """Returns the one process there is."""
    return _main


def parent_process():
    """Returns None."""
    return None


def active_children():
    """Returns an empty list."""
    return []


def freeze_support():
    """Does nothing."""


def set_start_method(method, force=False):
    """Does nothing: no method can start a process."""


def get_start_method(allow_none=False):
    """Returns None."""
    return None


def get_all_start_methods():
    """Returns an empty list."""
    return []


def get_context(method=None):
    """Returns this module: it has the names of a context."""
    import multiprocessing

    return multiprocessing
