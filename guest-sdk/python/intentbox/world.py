"""What makes the interpreter's world the one that a script expects.

`prepare` runs once, before the snapshot. Of modules that are not there already it imports two small ones, `http` and
`pyexpat`. Modules that scripts rarely use are replaced by modules of the same name beside this package instead, which
cost nothing until they are imported.
"""

import _random
import _signal
import importlib.machinery
import marshal
import os
import random
import sys
import time

from intentbox import absent
from intentbox import http as requests

# Not there: libraries ask with `hasattr` whether these exist, so a function that raises would mislead them.
_MISSING_PROCESS_FUNCTIONS = frozenset(
    "fork forkpty posix_spawn posix_spawnp wait wait3 wait4 waitid waitpid killpg setsid pidfd_open".split()
)
_PROCESS_FUNCTIONS = (
    "system popen kill abort execl execle execlp execlpe execv execve execvp execvpe "
    "spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"
).split()
# The numbers that Linux gives them: `signal.signal(signal.SIGALRM, …)` then fails with a sentence, not with a name.
_SIGNALS = dict(
    SIGHUP=1, SIGINT=2, SIGQUIT=3, SIGILL=4, SIGTRAP=5, SIGABRT=6, SIGBUS=7, SIGFPE=8, SIGKILL=9, SIGUSR1=10,
    SIGSEGV=11, SIGUSR2=12, SIGPIPE=13, SIGALRM=14, SIGTERM=15, SIGCHLD=17, SIGCONT=18, SIGSTOP=19, SIGTSTP=20, SIGWINCH=28,
)
_SIGNAL_FUNCTIONS = "signal alarm setitimer pause raise_signal sigwait set_wakeup_fd pthread_kill".split()


class Module:
    """Finds `pack`, the module that came with the script: what the templates of a pack share.

    It is the last that is asked, so it takes no other module's name. Where the host has its bytecode from an earlier
    run that compiled it, that saves compiling it again; else it is compiled when it is imported and not before.
    """

    file = source = bytecode = None

    def find_spec(self, name, path=None, target=None):
        if name != "pack" or self.source is None:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.file)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = self.file
        code = marshal.loads(self.bytecode) if self.bytecode else compile(self.source, self.file, "exec")
        exec(code, module.__dict__)

    def get_source(self, name):
        """For `traceback`, which shows the lines of the module through it."""
        return self.source


module = Module()


class Script:
    """The `__loader__` of `__main__`: through it `traceback` and `inspect` find the script's own lines."""

    source = ""

    def get_source(self, name):
        """Returns the script's text."""
        return self.source


def prepare():
    """Patches the modules that are native or already imported."""
    _prepare_time()
    _prepare_random()
    _prepare_os()
    _prepare_open()
    _prepare_http()
    sys.meta_path.append(module)
    _prepare_xml()
    for name, number in _SIGNALS.items():
        if not hasattr(_signal, name):
            setattr(_signal, name, number)
    for name in _SIGNAL_FUNCTIONS:
        setattr(_signal, name, absent.no_signals)
    sys.argv = ["script.py"]
    # CPython says "" as well when it cannot tell; "" is falsy where libraries test it.
    sys.executable = ""


def settle():
    """Lets `logging` close its handlers at the end of a run, if the run makes one.

    It asked for that when it was imported, and the exits of the runs before the snapshot have used it up. Asking at once
    would cost every run as much as a small script.
    """
    import atexit
    import logging

    stock = logging._addHandlerRef

    def _addHandlerRef(handler):
        logging._addHandlerRef = stock
        atexit.register(logging.shutdown)
        stock(handler)

    logging._addHandlerRef = _addHandlerRef


def _prepare_time():
    time.tzname = ("UTC", "UTC")
    time.timezone = time.altzone = time.daylight = 0
    time.tzset = lambda: None
    time.gmtime = _weekday_from_monday(time.gmtime, "GMT")
    time.localtime = _weekday_from_monday(time.localtime, "UTC")
    time.strftime = _with_c_locale(time.strftime)


def _with_c_locale(native):
    """The native function says `%c` and `%x` in a format of its own, and leaves `%z` and `%Z` as they are."""
    meanings = {"%c": "%a %b %e %H:%M:%S %Y", "%x": "%m/%d/%y", "%z": "+0000", "%%": "%%"}

    def strftime(format, moment=None, /):
        if moment is None:
            moment = time.localtime()
        if any(directive in format for directive in ("%c", "%x", "%z", "%Z")):
            zone = getattr(moment, "tm_zone", None) or "UTC"
            parts, rest = [], format
            while rest:
                head, percent, rest = rest.partition("%")
                directive, rest = percent + rest[:1], rest[1:]
                parts += head, zone if directive == "%Z" else meanings.get(directive, directive)
            format = "".join(parts)
        return native(format, moment)

    return staticmethod(strftime)


def _weekday_from_monday(native, zone):
    """The native functions count the day of the week from Sunday; Python counts it from Monday."""

    def moment(seconds=None, /):
        fields = list(native(seconds))[:9]
        fields[6] = (fields[6] + 6) % 7
        return time.struct_time(fields + [zone, 0])

    moment.__name__ = moment.__qualname__ = native.__name__
    # Native functions do not turn into methods when a class keeps one; `logging.Formatter.converter` relies on it.
    return staticmethod(moment)


def _prepare_random():
    # Without a seed, the native generator draws from one whose state is in the snapshot: every run would get the same.
    stock = random.Random.seed

    def seed(self, a=None, version=2):
        """Seeds from `a`; without it, or with `None`, from the system's randomness."""
        if a is None:
            a, version = int.from_bytes(os.urandom(32), "little"), 2
        stock(self, a, version)

    random.Random.seed = seed
    random.seed = random._inst.seed


def _prepare_os():
    for name in _PROCESS_FUNCTIONS:
        setattr(os, name, absent.no_processes)
    os.getlogin = lambda: "sandbox"
    os.cpu_count = os.process_cpu_count = lambda: 1
    os.uname = _uname
    os.access = _access
    os.chmod = _chmod
    os.umask = lambda mask: 0o022
    os.__getattr__ = _missing_from_os


def _prepare_open():
    """Lets the built-in `open` read granted files by their paths, where the script has no file of that name."""
    import builtins
    import io

    native = builtins.open

    def open(file, mode="r", *arguments, **options):
        try:
            return native(file, mode, *arguments, **options)
        except FileNotFoundError:
            from intentbox import files

            stream = files.granted(file, mode, *arguments, **options)
            if stream is None:
                raise
            return stream

    open.__module__ = "io"
    builtins.open = io.open = open


def _missing_from_os(name):
    reason = f": {absent.PROCESSES}" if name in _MISSING_PROCESS_FUNCTIONS else ""
    raise AttributeError(f"module 'os' has no attribute {name!r}{reason}", name=name, obj=os)


class _Uname(tuple):
    """The five fields of `os.uname()`."""

    sysname = property(lambda self: self[0])
    nodename = property(lambda self: self[1])
    release = property(lambda self: self[2])
    version = property(lambda self: self[3])
    machine = property(lambda self: self[4])


def _uname():
    return _Uname(("WASI", "sandbox", "0", "0", "wasm32"))


def _access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Whether `path` is there: there are no permissions, and nothing is executable."""
    try:
        os.stat(path)
    except OSError:
        return False
    return not mode & os.X_OK or os.path.isdir(path)


def _chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    """Does nothing to a file that is there: `shutil.copy`, `tarfile` and `zipfile` call this for every file."""
    os.stat(path)


def _prepare_xml():
    """Gives every user of `pyexpat` a parser that refuses what is malformed; the native one stops there, silently."""
    import pyexpat

    native = pyexpat.ParserCreate

    def ParserCreate(*arguments, **options):
        from intentbox.expat import Parser

        return Parser(native(*arguments, **options))

    def ErrorString(code):
        from intentbox.expat import MESSAGES

        return MESSAGES.get(code)

    pyexpat.ParserCreate = ParserCreate
    pyexpat.ErrorString = ErrorString


def _prepare_http():
    """Lets `import http` give what the global `http` gives, besides the standard library's own names."""
    import http

    for name in requests.__all__:
        setattr(http, name, getattr(requests, name))

    def submodule(name):
        if name not in ("client", "cookies", "cookiejar"):
            raise AttributeError(f"module 'http' has no attribute {name!r}", name=name, obj=http)
        __import__("http." + name)
        return sys.modules["http." + name]

    http.__getattr__ = submodule
