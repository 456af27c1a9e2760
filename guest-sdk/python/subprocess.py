"""`subprocess` without processes: its constants and exceptions, and one error for whatever would start one."""

from intentbox import absent

__all__ = [
    "PIPE", "STDOUT", "DEVNULL", "Popen", "CompletedProcess", "SubprocessError", "CalledProcessError", "TimeoutExpired",
    "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput",
]  # fmt: skip

PIPE, STDOUT, DEVNULL = -1, -2, -3


class SubprocessError(Exception):
    """The base of the two below."""


class CalledProcessError(SubprocessError):
    """A process ended with a status other than 0."""

    def __init__(self, returncode, cmd, output=None, stderr=None):
        super().__init__(returncode, cmd, output, stderr)
        self.returncode, self.cmd, self.output, self.stderr = returncode, cmd, output, stderr

    def __str__(self):
        return f"Command '{self.cmd}' returned non-zero exit status {self.returncode}."

    stdout = property(lambda self: self.output)


class TimeoutExpired(SubprocessError):
    """A process took too long."""

    def __init__(self, cmd, timeout, output=None, stderr=None):
        super().__init__(cmd, timeout, output, stderr)
        self.cmd, self.timeout, self.output, self.stderr = cmd, timeout, output, stderr

    def __str__(self):
        return f"Command '{self.cmd}' timed out after {self.timeout} seconds"

    stdout = property(lambda self: self.output)


class CompletedProcess:
    """A process that ended. Tests make these by hand."""

    def __init__(self, args, returncode, stdout=None, stderr=None):
        self.args, self.returncode, self.stdout, self.stderr = args, returncode, stdout, stderr

    def __repr__(self):
        fields = [f"args={self.args!r}", f"returncode={self.returncode!r}"]
        fields += [f"{name}={value!r}" for name in ("stdout", "stderr") if (value := getattr(self, name)) is not None]
        return f"CompletedProcess({', '.join(fields)})"

    def check_returncode(self):
        """Raises `CalledProcessError` when the status is not 0."""
        if self.returncode:
            raise CalledProcessError(self.returncode, self.args, self.stdout, self.stderr)


class Popen:
    """A class for annotations and `isinstance`; there are no instances."""

    def __init__(self, *arguments, **options):
        absent.no_processes()

    def __class_getitem__(cls, parameters):
        return cls


run = call = check_call = check_output = getoutput = getstatusoutput = absent.no_processes
