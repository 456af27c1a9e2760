"""The event loop of the sandbox, in the place of the one that waits for sockets.

Nothing outside the script can wake a task here: no socket, no thread, no signal. So the loop has no selector to ask; it
runs what is ready, and sleeps until the next timer. When neither is there, no task will ever go on, and the loop says
so instead of waiting for the deadline.
"""

import concurrent.futures
import contextvars
import time

from intentbox import absent

from . import base_events, events, tasks

__all__ = ("SelectorEventLoop", "EventLoop")

# In the message about a deadlock: more tasks than these tell the reader nothing new.
_TASKS_NAMED_MAX = 5


class _Clock:
    """Takes the place of a selector: `select` sleeps until the next timer, and no event ever comes."""

    def __init__(self, loop):
        self._loop = loop

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError(_deadlock(self._loop))
        if timeout > 0:
            time.sleep(timeout)
        return ()


def _deadlock(loop):
    waiting = sorted(tasks.all_tasks(loop), key=lambda task: task.get_name())
    names = [f"{task.get_name()} ({getattr(task.get_coro(), '__qualname__', '?')})" for task in waiting]
    if len(names) > _TASKS_NAMED_MAX:
        names[_TASKS_NAMED_MAX:] = [f"{len(names) - _TASKS_NAMED_MAX} more"]
    return "asyncio deadlock: no task is ready, no timer is set, and nothing else can wake " + (
        ", ".join(names) or "the loop"
    )


class SelectorEventLoop(base_events.BaseEventLoop):
    """An event loop over timers alone."""

    def __init__(self, selector=None):
        super().__init__()
        self._selector = _Clock(self)

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """Runs `func(*args)` at once, in place, and returns a future that is done. There are no threads.

        An executor that does not need threads may be passed; it gets the work. `to_thread` comes here as well.
        """
        threads = executor is None or isinstance(executor, concurrent.futures.ThreadPoolExecutor)
        if not threads:
            return super().run_in_executor(executor, func, *args)
        self._check_closed()
        future = self.create_future()
        try:
            # As in a thread: the variables of the caller's context are not there, unless `to_thread` brings them.
            result = contextvars.Context().run(func, *args)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    async def shutdown_default_executor(self, timeout=None):
        """There is none to shut down."""
        self._executor_shutdown_called = True

    async def _make_subprocess_transport(self, *arguments, **options):
        absent.no_processes()

    async def getaddrinfo(self, *arguments, **options):
        absent.no_sockets()

    getnameinfo = getaddrinfo
    sock_accept = sock_connect = sock_recv = sock_recv_into = sock_sendall = sock_sendto = sock_recvfrom = getaddrinfo
    create_datagram_endpoint = create_unix_connection = create_unix_server = create_server = getaddrinfo
    create_connection = getaddrinfo

    def add_reader(self, fd, callback, *args):
        absent.no_sockets()

    def add_writer(self, fd, callback, *args):
        absent.no_sockets()

    def remove_reader(self, fd):
        return False

    remove_writer = remove_reader

    # Not `OSError`: programs that run on Windows as well expect this one where a loop has no signals.
    def add_signal_handler(self, sig, callback, *args):
        raise NotImplementedError(absent.SIGNALS)

    def remove_signal_handler(self, sig):
        return False


class _DefaultEventLoopPolicy(events._BaseDefaultEventLoopPolicy):
    _loop_factory = SelectorEventLoop


EventLoop = SelectorEventLoop
