"""Clients that are silent for longer than a session may be idle: they hold their stream open, and call again."""

import asyncio

from claims import Claims, Differs, equal
from client import Client, Person
from proxy import proxy
from server import over_http

FLAG = "--session-idle"
IDLE_SECONDS = 2
SILENCE_SECONDS = 5
"""The silence is the subject here: the only wait for a time."""


async def has_flag(binary: str) -> bool:
    """Whether the server can be told how long a session may be idle."""
    process = await asyncio.create_subprocess_exec(binary, "mcp", "--help", stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    return FLAG.encode() in told


async def check(claims: Claims, binary: str, client: Client, *, holds_a_stream: bool) -> None:
    """One claim."""

    async def a_silent_client_keeps_its_session() -> None:
        if not await has_flag(binary):
            raise Differs(f"`intentbox mcp --help` names no {FLAG}")
        async with over_http(binary, FLAG, f"{IDLE_SECONDS}s") as server, proxy(server.url) as passing:
            async with client.connect(server, passing.url, Person()) as connection:
                await connection.tools()
                if holds_a_stream:
                    await passing.streams.get()
                await asyncio.sleep(SILENCE_SECONDS)
                answer = await connection.call("execute_code", {"code": "result = 42"})
                equal("the answer", answer.structured, {"outcome": "ok", "result": 42})

    await claims.hold(f"{client.name}/http/a_silent_client_keeps_its_session", a_silent_client_keeps_its_session)
