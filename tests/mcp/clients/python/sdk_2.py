"""Python's `mcp` 2.x: with a handshake, without one, and as it finds out by itself."""

import asyncio
import contextlib
import sys
from functools import partial
from importlib.metadata import version

import calls
import cuts
import idle
import mcp
import mcp_types as types
from claims import main
from client import Answer, Client, Person
from mcp.client.stdio import StdioServerParameters, stdio_client

MODES = {"legacy": "legacy", "auto": "auto", "modern": "2026-07-28"}


class Session:
    def __init__(self, client: mcp.Client) -> None:
        self.client = client

    async def tools(self):
        return {tool.name: tool.input_schema for tool in (await self.client.list_tools()).tools}

    async def call(self, name, arguments, progress=None):
        async def heard(_progress, _total, _message):
            progress()

        result = await self.client.call_tool(name, arguments, progress_callback=heard if progress else None)
        texts = [block.text for block in result.content]
        return Answer(result.structured_content, texts, result.is_error)

    async def cancelled(self, name, arguments, when):
        task = asyncio.ensure_future(self.client.call_tool(name, arguments))
        await when
        task.cancel()
        await asyncio.wait({task})


@contextlib.asynccontextmanager
async def connect(mode, server, url, person: Person):
    async def answer(_context, params):
        person.asked.append(params.message)
        content = {} if person.action == "accept" else None
        return types.ElicitResult(action=person.action, content=content)

    if server.url is None:
        parameters = StdioServerParameters(
            command=server.command[0], args=server.command[1:], env=server.environment, cwd=server.home
        )
        target = stdio_client(parameters, errlog=server.errors)
    else:
        target = url or server.url
    async with mcp.Client(target, mode=MODES[mode], elicitation_callback=answer) as client:
        yield Session(client)


async def program(claims):
    for mode in MODES:
        client = Client(f"python-{version('mcp')}-{mode}", partial(connect, mode))
        await calls.check(claims, sys.argv[1], client)
        await cuts.check(claims, sys.argv[1], client)
        await idle.check(claims, sys.argv[1], client, holds_a_stream=mode == "legacy")


main(program)
