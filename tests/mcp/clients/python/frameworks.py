"""What the frameworks for agents do with the tools: one list, and one call of each tool at least."""

import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from claims import Claims, equal, holds
from server import Server, over_http, over_stdio

TOOLS = ["execute_code", "read_result", "run_intent"]
HANDLE = re.compile(r"handle\W{1,8}([0-9a-f]{32})")
LARGE = json.dumps(list(range(20_000)), separators=(",", ":"))
PAGE = 8192
"""Characters of a page, and so the offset of the second one."""
ISSUE = re.compile(r"\b[A-Z]+-[0-9A-Z]+\b")


@dataclass(frozen=True)
class Kit:
    """The tools as a framework offers them."""

    names: list[str]
    call: Callable[[str, dict], Awaitable[object]]
    """Calls a tool as the framework does for a model. Gives what the model would read."""


@dataclass(frozen=True)
class Framework:
    """A framework by its name and version, and how it gets the tools of a server."""

    name: str
    open: Callable[[Server], contextlib.AbstractAsyncContextManager[Kit]]


def words(answer: object) -> str:
    """What a model would read, as one text."""
    return answer if isinstance(answer, str) else json.dumps(answer, default=str)


def value(answer: object) -> object:
    """The result within an answer, if the framework gives the structured form, or the text of it."""
    if isinstance(answer, dict) and "outcome" in answer:
        return answer.get("result")
    try:
        return json.loads(answer) if isinstance(answer, str) else answer
    except ValueError:
        return answer


async def it_lists_the_three_tools(kit: Kit) -> None:
    equal("the list of tools", sorted(kit.names), TOOLS)


async def a_script_gives_its_result(kit: Kit) -> None:
    equal("the result", value(await kit.call("execute_code", {"code": "result = 40 + 2"})), 42)


async def a_script_gets_its_params(kit: Kit) -> None:
    arguments = {"code": "result = params['n'] * 2", "params": {"n": 21}, "limits": {"wall_ms": 60000}}
    equal("the result", value(await kit.call("execute_code", arguments)), 42)


async def an_intent_gives_rows(kit: Kit) -> None:
    answer = words(await kit.call("run_intent", {"intent": "list errors"}))
    holds("there is no issue in it", ISSUE.search(answer) is not None and "last_seen" in answer, answer)


async def a_large_result_has_a_second_page(kit: Kit) -> None:
    text = words(await kit.call("execute_code", {"code": "result = list(range(20000))"}))
    found = HANDLE.search(text)
    holds("no handle can be read", found is not None, text[-300:])
    page = words(await kit.call("read_result", {"handle": found[1], "offset": PAGE}))
    holds("the page does not go on there", LARGE[PAGE : PAGE + 100] in page, page)


async def an_error_can_be_read(kit: Kit) -> None:
    try:
        answer = words(await kit.call("execute_code", {"code": "raise ValueError('three')"}))
    except Exception as error:
        answer = str(error)
    holds("the error is not named", "ValueError" in answer and "three" in answer, answer)


CLAIMS = [
    it_lists_the_three_tools,
    a_script_gives_its_result,
    a_script_gets_its_params,
    an_intent_gives_rows,
    a_large_result_has_a_second_page,
    an_error_can_be_read,
]


async def check(claims: Claims, binary: str, framework: Framework) -> None:
    """All of it over both transports, with tools of its own for each claim."""

    async def kept(claim: Callable[[Kit], Awaitable[None]], transport: Callable) -> None:
        async with transport(binary) as server, framework.open(server) as kit:
            await claim(kit)

    for transport in (over_stdio, over_http):
        for claim in CLAIMS:
            name = f"{framework.name}/{transport.__name__.removeprefix('over_')}/{claim.__name__}"
            await claims.hold(name, kept, claim, transport)
