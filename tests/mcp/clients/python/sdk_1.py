"""Python's `mcp` 1.x: the revisions with a handshake."""

import asyncio
import contextlib
import sys
from importlib.metadata import version

import calls
import cuts
import idle
from claims import main
from client import Answer, Client, Person
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


class Session:
    def __init__(self, session: ClientSession) -> None:
        self.session = session

    async def tools(self):
        return {tool.name: tool.inputSchema for tool in (await self.session.list_tools()).tools}

    async def call(self, name, arguments, progress=None):
        async def heard(_progress, _total, _message):
            progress()

        result = await self.session.call_tool(name, arguments, progress_callback=heard if progress else None)
        texts = [block.text for block in result.content]
        return Answer(result.structuredContent, texts, bool(result.isError))

    async def cancelled(self, name, arguments, when):
        # This package leaves it to its user to send the notification, and tells the id to nobody.
        number = self.session._request_id
        task = asyncio.ensure_future(self.session.call_tool(name, arguments))
        await when
        params = types.CancelledNotificationParams(requestId=number, reason="the user")
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        task.cancel()
        await asyncio.wait({task})


@contextlib.asynccontextmanager
async def connect(server, url, person: Person):
    async def answer(_context, params):
        person.asked.append(params.message)
        content = {} if person.action == "accept" else None
        return types.ElicitResult(action=person.action, content=content)

    if server.url is None:
        parameters = StdioServerParameters(
            command=server.command[0], args=server.command[1:], env=server.environment, cwd=server.home
        )
        streams = stdio_client(parameters, errlog=server.errors)
    else:
        streams = streamable_http_client(url or server.url)
    async with streams as (read, write, *_), ClientSession(read, write, elicitation_callback=answer) as session:
        await session.initialize()
        yield Session(session)


async def program(claims):
    client = Client(f"python-{version('mcp')}", connect)
    await calls.check(claims, sys.argv[1], client)
    await cuts.check(claims, sys.argv[1], client)
    await idle.check(claims, sys.argv[1], client, holds_a_stream=True)


main(program)
