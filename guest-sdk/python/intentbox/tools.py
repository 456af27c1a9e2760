"""Tools of upstream MCP servers that the run was granted, to call.

    commits = tools["git"]["git_log"](repo_path=".", max_count=3)
    total = tools.everything["get-sum"](a=2, b=3)

A server is named as in the configuration, and a tool as its server names it; where a name is one of Python's, the dot works
as well. A call returns what the tool declares as its result, as Python values, or its text.

What is not granted raises `CapabilityDenied`. A tool that says that it failed, a server that failed and arguments that do not
match the tool's schema raise `ToolError`, which is a `HostCallFailed`: `kind` is `tool_failed`, `upstream_failed`,
`upstream_changed`, `unknown_outcome` or `arguments`.
"""

import json as _json
import sys as _sys

import _intentbox
from intentbox.errors import CapabilityDenied, HostCallFailed

__all__ = ["ToolError"]


class ToolError(HostCallFailed):
    """A call of a tool that was granted and did not work out. Its text is that of the tool or of its server."""


class _Tool:
    def __init__(self, server, name):
        self._server, self._name = server, name

    def __call__(self, *args, **arguments):
        if args and not (len(args) == 1 and isinstance(args[0], dict) and not arguments):
            raise TypeError(f"{self!r} takes its arguments by name, as in {self!r}(name=value)")
        # A dictionary holds the names that Python does not take, such as `start-date`.
        arguments = args[0] if args else arguments
        answer = _intentbox.call_tool(self._server, self._name, _json.dumps(arguments, allow_nan=False))
        if answer[0] == "answer":
            return answer[1]
        if answer[0] == "refused":
            raise CapabilityDenied(*answer[1:])
        raise ToolError(*answer[1:])

    def __repr__(self):
        return f"tools[{self._server!r}][{self._name!r}]"


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
