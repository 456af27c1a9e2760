"""What every client of the protocol can do with the server, over stdin and stdout and over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from claims import Claims, equal, holds
from client import Client, Connected, Person
from origin import ASK
from server import Server, over_http, over_stdio

LARGE = list(range(20_000))
"""A result of which an answer shows the beginning only."""


async def it_lists_the_three_tools(client: Connected) -> None:
    tools = await client.tools()
    equal("the list of tools", sorted(tools), ["execute_code", "read_result", "run_intent"])
    equal("what execute_code requires", tools["execute_code"].get("required"), ["code"])


async def a_value_and_a_print_come_back(client: Connected) -> None:
    answer = await client.call("execute_code", {"code": "print('seen')\nresult = {'a': [1, None]}"})
    equal("the answer", answer.structured, {"outcome": "ok", "result": {"a": [1, None]}, "stdout": "seen\n"})
    equal("isError", answer.is_error, False)
    holds("the text has no value or no print", '{"a":[1,null]}' in answer.texts[0] and "seen" in answer.texts[0], answer)


async def an_error_comes_back_as_one(client: Connected) -> None:
    answer = await client.call("execute_code", {"code": "x = 1\nraise ValueError('three')"})
    equal("isError", answer.is_error, True)
    equal("the outcome", answer.structured.get("outcome"), "python_error")
    error = answer.structured.get("error", {})
    equal("the error", (error.get("kind"), error.get("message")), ("ValueError", "three"))
    holds("the traceback names no line 2", "line 2" in error.get("traceback", ""), error)


async def params_and_limits_arrive(client: Connected) -> None:
    arguments = {"code": "result = params['n'] * 2", "params": {"n": 21}, "limits": {"wall_ms": 60000}}
    answer = await client.call("execute_code", arguments)
    equal("the answer", answer.structured, {"outcome": "ok", "result": 42})


async def list_errors_gives_rows(client: Connected) -> None:
    rows = await issues(client, 3)
    equal("the number of rows", len(rows), 3)
    equal("the columns", sorted(rows[0]), ["count", "id", "last_seen", "title"])


async def a_large_result_is_read_to_its_end(client: Connected) -> None:
    answer = await client.call("execute_code", {"code": f"result = list(range({len(LARGE)}))"})
    equal("the outcome", answer.structured.get("outcome"), "ok")
    holds("there is no handle", "handle" in answer.structured, answer)
    pages, offset = [], 0
    while offset is not None:
        page = await client.call("read_result", {"handle": answer.structured["handle"], "offset": offset})
        equal("isError of a page", page.is_error, False)
        pages.append(page.structured["text"])
        following = page.structured.get("next")
        holds("the next page is no later one", following is None or following > offset, page.structured)
        offset = following
    holds("there is one page only", len(pages) > 1, len(pages))
    equal("what the pages say", json.loads("".join(pages)) == LARGE, True)


async def progress_is_heard_while_a_script_runs(client: Connected, server: Server) -> None:
    heard = asyncio.Event()
    call = asyncio.ensure_future(client.call("execute_code", {"code": f"{ASK}result = 7"}, heard.set))
    request = await server.origin.arrival()
    hearing = asyncio.ensure_future(heard.wait())
    await asyncio.wait({hearing, call}, return_when=asyncio.FIRST_COMPLETED)
    hearing.cancel()
    request.answer()
    equal("the answer", (await call).structured, {"outcome": "ok", "result": 7})
    equal("progress was heard", heard.is_set(), True)


async def a_cancelled_loop_is_stopped(client: Connected, server: Server) -> None:
    start = len(server.log.lines)

    async def loops() -> None:
        (await server.origin.arrival()).answer()

    await client.cancelled("execute_code", {"code": f"{ASK}while True: pass"}, loops())
    line = await server.log.run_ended(start)
    holds("the run was not cancelled", 'outcome="cancelled"' in line, line)
    answer = await client.call("execute_code", {"code": "result = 42"})
    equal("the answer after it", answer.structured, {"outcome": "ok", "result": 42})


async def a_question_declined_changes_nothing(client: Connected, person: Person) -> None:
    issue = (await issues(client, 1))[0]["id"]
    person.asked.clear()
    person.action = "decline"
    answer = await client.call("run_intent", {"intent": f"resolve {issue}"})
    equal("the number of questions", len(person.asked), 1)
    holds("the question names no issue", issue in person.asked[0], person.asked)
    equal("the outcome", answer.structured.get("outcome"), "cancelled")
    equal("the first issue", (await issues(client, 1))[0]["id"], issue)


async def a_question_accepted_makes_the_change(client: Connected, person: Person) -> None:
    issue = (await issues(client, 1))[0]["id"]
    person.asked.clear()
    person.action = "accept"
    answer = await client.call("run_intent", {"intent": f"resolve {issue}"})
    equal("the number of questions", len(person.asked), 1)
    equal("the outcome", answer.structured.get("outcome"), "ok")
    remaining = [row["id"] for row in await issues(client, 5)]
    holds("the issue is still listed", issue not in remaining, remaining)


async def issues(client: Connected, limit: int) -> list[dict]:
    answer = await client.call("run_intent", {"intent": "list errors", "params": {"limit": limit}})
    equal("the outcome of list errors", answer.structured.get("outcome"), "ok")
    return answer.structured["result"]


ALONE = [
    it_lists_the_three_tools,
    a_value_and_a_print_come_back,
    an_error_comes_back_as_one,
    params_and_limits_arrive,
    list_errors_gives_rows,
    a_large_result_is_read_to_its_end,
]
WITH_ORIGIN = [progress_is_heard_while_a_script_runs, a_cancelled_loop_is_stopped]
WITH_PERSON = [a_question_declined_changes_nothing, a_question_accepted_makes_the_change]


async def check(claims: Claims, binary: str, client: Client) -> None:
    """All of it, with a connection for each claim, on one server over HTTP and on one for each over stdio."""

    async def connected(server: Server, claim: Callable[..., Awaitable[None]]) -> None:
        person = Person()
        async with client.connect(server, None, person) as connection:
            if claim in WITH_PERSON:
                await claim(connection, person)
            elif claim in WITH_ORIGIN:
                await claim(connection, server)
            else:
                await claim(connection)

    async def started(is_held: bool, claim: Callable[..., Awaitable[None]]) -> None:
        async with over_stdio(binary, is_held=is_held) as server:
            await connected(server, claim)

    for is_held, those in ((False, ALONE + WITH_PERSON), (True, WITH_ORIGIN)):
        for claim in those:
            await claims.hold(f"{client.name}/stdio/{claim.__name__}", started, is_held, claim)
        async with over_http(binary, is_held=is_held) as server:
            for claim in those:
                await claims.hold(f"{client.name}/http/{claim.__name__}", connected, server, claim)
