"""The exceptions that a host call can raise."""


class CapabilityDenied(PermissionError):
    """The run was not granted what the script asked for.

    `hint` is the line that would allow it, for the person who owns the policy. Catching this exception gives the
    script a way on; it does not give it the capability, and the refusal stays in the run's report.
    """

    # `OSError` takes a second argument for the text of an error number: only the message may reach it.
    def __new__(cls, message, hint=""):
        return super().__new__(cls, message)

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint


class HostCallFailed(OSError):
    """A granted call did not work out.

    `kind` is a stable word: `timeout`, `connect`, `tls`, `body_too_large`, and so on.
    """

    def __new__(cls, kind, message):
        return super().__new__(cls, message)

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class HttpStatusError(HostCallFailed):
    """A reply whose status says error, raised by `Response.raise_for_status`.

    `response` is the reply; its body often says why.
    """

    def __new__(cls, message, response):
        return super().__new__(cls, "status", message)

    def __init__(self, message, response):
        super().__init__("status", message)
        self.response = response
