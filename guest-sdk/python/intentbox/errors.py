"""The exceptions that a host call can raise, and those that a script raises to say what is wrong with a request."""


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


class NotFound(LookupError):
    """What the request names does not exist, such as a project or an issue.

        raise NotFound("there is no project chekout; there are web and api", hint="name one of these")

    Uncaught, it ends the run as `target_not_found`: `message` in one line, without a traceback. `hint` is one sentence
    that says what to do.
    """

    def __init__(self, message, *, hint=""):
        super().__init__(message)
        self.hint = hint


class Invalid(ValueError):
    """What the request gives cannot be used, such as a column without numbers.

        raise Invalid("column price holds no numbers", hint="name another column")

    Uncaught, it ends the run as `input_invalid`: `message` in one line, without a traceback. `hint` is one sentence that
    says what to do.
    """

    def __init__(self, message, *, hint=""):
        super().__init__(message)
        self.hint = hint
