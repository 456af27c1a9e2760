"""Tools of upstream MCP servers that the run was granted, to call.

    commits = tools["git"]["git_log"](repo_path=".", max_count=3)
    total = tools.everything["get-sum"](a=2, b=3)
    found = tools.search("commits between two dates")
    print(tools.describe("git", "git_log")["stub"])

A server is named as in the configuration, and a tool as its server names it; where a name is one of Python's, the dot works
as well. A call returns what the tool declares as its result, as Python values, or its text.

Calls that wait go on at once when they are started first. `start` returns at once, and `result` waits:

    first, second = tools.gather(tools.a.slow.start(n=1), tools.a.slow.start(n=2))
    started = [tools.a.slow.start(n=n) for n in range(8)]
    answers = [call.result() for call in started]
    answers = await asyncio.gather(*started)

A call that was started and never waited for is cut off when the script ends. A server that is named as a function of this module is
reached with brackets: `tools["search"]`.

What is not granted raises `CapabilityDenied`. A tool that says that it failed, a server that failed and arguments that do not
match the tool's schema raise `ToolError`, which is a `HostCallFailed`: `kind` is `tool_failed`, `upstream_failed`,
`upstream_changed`, `unknown_outcome` or `arguments`.
"""

import json as _json
import sys as _sys

import _intentbox
from intentbox.errors import CapabilityDenied, HostCallFailed

# Made once: `json.dumps` makes an encoder for each call that has an option.
_encode = _json.JSONEncoder(allow_nan=False).encode

__all__ = ["ToolError", "describe", "gather", "search"]


class ToolError(HostCallFailed):
    """A call of a tool that was granted and did not work out. Its text is that of the tool or of its server."""


class _Tool:
    def __init__(self, server, name):
        self._server, self._name = server, name

    def __call__(self, *args, **arguments):
        return _said(_intentbox.call_tool(self._server, self._name, self._arguments(args, arguments)))

    def start(self, *args, **arguments):
        """Begins the call and returns it. `result()` waits for its answer, and so does `await`."""
        begun = _intentbox.begin_tool(self._server, self._name, self._arguments(args, arguments))
        return Started(repr(self), _said(begun))

    def _arguments(self, args, arguments):
        if args and not (len(args) == 1 and isinstance(args[0], dict) and not arguments):
            raise TypeError(f"{self!r} takes its arguments by name, as in {self!r}(name=value)")
        # A dictionary holds the names that Python does not take, such as `start-date`.
        return _encode(args[0] if args else arguments)

    def __repr__(self):
        return f"tools[{self._server!r}][{self._name!r}]"


class Started:
    """A call that goes on. Its answer, or what it raises, is kept: waiting twice gives the same."""

    def __init__(self, shown, call):
        self._shown, self._call, self._answer = shown, call, None

    def result(self):
        """Waits for the answer."""
        if self._answer is None:
            self._answer = _intentbox.end_tool(self._call)
        return _said(self._answer)

    def __await__(self):
        return self.result()
        yield

    def __repr__(self):
        return f"{self._shown}.start(…)"


def gather(*calls):
    """Waits for calls that were started and returns their answers in this order. The first that failed raises, after all ended."""
    for call in calls:
        if not isinstance(call, Started):
            raise TypeError(f"gather takes calls that were started, as in tools.server.tool.start(…), and not {type(call).__name__}")
    for call in calls:
        if call._answer is None:
            call._answer = _intentbox.end_tool(call._call)
    return [call.result() for call in calls]


def search(text, most=5):
    """Finds granted tools by what they do: a list of `{"server", "tool", "summary", "arguments", "required", "effect", "call"}`, the best
    first, and empty where none fits. `required` of the arguments come first, and `call` shows how a script calls it. Nothing is started."""
    return _said(_intentbox.find_tools(text, most))


def describe(server, tool):
    """What a granted tool takes and gives: `{"stub", "description", "arguments", "result", "seen", "effect"}`. `stub` is its
    signature as Python has it, `arguments` and `result` are JSON Schemas, and `result` is None where the server declares none.
    `seen` is then the schema of what it answered so far, or None; where the stub says `str`, it is that of the JSON in the text.
    A server's description is a stranger's text."""
    return _said(_intentbox.describe_tool(server, tool))


def _said(answer):
    if answer[0] in ("answer", "begun"):
        return answer[1]
    if answer[0] == "refused":
        raise CapabilityDenied(*answer[1:])
    raise ToolError(*answer[1:])


class _Server:
    def __init__(self, name):
        self._name = name

    def __getitem__(self, tool):
        return _Tool(self._name, _name(tool))

    def __getattr__(self, tool):
        if tool.startswith("__"):
            raise AttributeError(tool)
        return _Tool(self._name, tool)

    def __repr__(self):
        return f"tools[{self._name!r}]"


def _name(name):
    if not isinstance(name, str):
        raise TypeError(f"the name of a server or tool is a text, and not {type(name).__name__}")
    return name


class _Tools(type(_sys)):
    """The module itself, so that it has servers."""

    def __getitem__(self, server):
        return _Server(_name(server))

    def __getattr__(self, server):
        if server.startswith("_"):
            raise AttributeError(f"module 'intentbox.tools' has no attribute {server!r}")
        return _Server(server)


_sys.modules[__name__].__class__ = _Tools
