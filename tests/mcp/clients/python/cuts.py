"""A connection that is cut while a call waits for its answer. Whatever the client makes of it, the call comes to an end.

The end is the result or an error: which one is the client's affair. No client here has a time limit of its own.
"""

import asyncio

from claims import Claims, Differs, brief, equal, holds, leaves
from client import Answer, Client, Connected, Person
from origin import ASK
from proxy import ANSWER, MARK, Cut, Proxy, proxy
from server import Server, over_http

WORD, OTHER = ANSWER.decode().split("-")
VALUE = f"result = '{WORD}-' + '{OTHER}'  # {MARK.decode()}"
RESULT = {"outcome": "ok", "result": ANSWER.decode()}


async def call(client: Connected, code: str) -> Answer | Exception:
    """The end of a call: its answer, or the error that the client gives."""
    try:
        return await client.call("execute_code", {"code": code})
    except Exception as error:
        return error


def is_of_the_client(error: BaseException) -> bool:
    """Whether the client raised it about its connection or its call. Anything else is a fault of the claim."""
    return isinstance(error, OSError) or type(error).__module__.split(".")[0] in ("anyio", "httpx", "httpx2", "mcp")


def comes_to_an_end(end: Answer | Exception) -> None:
    """Fails unless the answer is the right one, or the error has words."""
    if isinstance(end, Answer):
        equal("the answer", end.structured, RESULT)
    else:
        holds("the error has no words", is_of_the_client(end) and bool(str(end).strip()), end)


async def the_next_call_is_answered(client: Connected) -> None:
    end = await call(client, "result = 42")
    if not isinstance(end, Answer):
        raise Differs(f"the call after it gives {brief(end)}")
    equal("the answer after it", end.structured, {"outcome": "ok", "result": 42})


async def a_run_ends_while_the_network_is_down(client: Connected, server: Server, cutting: Proxy) -> None:
    start = len(server.log.lines)
    waiting = asyncio.ensure_future(call(client, f"{ASK}{VALUE}"))
    request = await server.origin.arrival()
    cutting.down()
    request.answer()
    await server.log.run_ended(start)
    cutting.up()
    comes_to_an_end(await waiting)
    await the_next_call_is_answered(client)


async def a_run_goes_on_after_the_network_is_back(client: Connected, server: Server, cutting: Proxy) -> None:
    waiting = asyncio.ensure_future(call(client, f"{ASK}{VALUE}"))
    request = await server.origin.arrival()
    cutting.down()
    cutting.up()
    # Either the client comes back for the answer, or its call has failed: both happen before the run ends.
    back = asyncio.ensure_future(cutting.resumed.wait())
    try:
        await asyncio.wait({back, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        back.cancel()
    request.answer()
    comes_to_an_end(await waiting)
    await the_next_call_is_answered(client)


async def a_connection_is_cut_within_the_answer(client: Connected, _: Server, cutting: Proxy) -> None:
    cutting.cut_next(Cut(within=ANSWER))
    end = await call(client, VALUE)
    equal("the connection was cut", cutting.done.is_set(), True)
    comes_to_an_end(end)
    await the_next_call_is_answered(client)


async def a_connection_is_cut_before_the_answer(client: Connected, _: Server, cutting: Proxy) -> None:
    cutting.cut_next(Cut(after_bytes=0))
    end = await call(client, VALUE)
    equal("the connection was cut", cutting.done.is_set(), True)
    comes_to_an_end(end)


async def a_connection_is_cut_within_the_head(client: Connected, _: Server, cutting: Proxy) -> None:
    cutting.cut_next(Cut(after_bytes=20))
    end = await call(client, VALUE)
    equal("the connection was cut", cutting.done.is_set(), True)
    comes_to_an_end(end)


CUTS = [
    a_run_ends_while_the_network_is_down,
    a_run_goes_on_after_the_network_is_back,
    a_connection_is_cut_within_the_answer,
    a_connection_is_cut_before_the_answer,
    a_connection_is_cut_within_the_head,
]


async def check(claims: Claims, binary: str, client: Client) -> None:
    """All of it, on a server for each claim, which serves the next client as well."""

    async def behind_a_proxy(claim) -> None:
        async with over_http(binary, is_held=True) as server, proxy(server.url) as cutting:
            try:
                async with client.connect(server, cutting.url, Person()) as connection:
                    await claim(connection, server, cutting)
            except BaseExceptionGroup as group:
                # The client may end as a whole, with the error of its connection: that is an end with words too.
                if not all(is_of_the_client(error) for error in leaves(group)):
                    raise
            async with client.connect(server, None, Person()) as connection:
                await the_next_call_is_answered(connection)

    for claim in CUTS:
        await claims.hold(f"{client.name}/cut/{claim.__name__}", behind_a_proxy, claim)
