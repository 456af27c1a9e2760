"""Frameworks on `mcp` 2.x: `fastmcp` as a client and as a proxy in front, and the tools of `pydantic-ai`."""

import contextlib
import json
import sys
from importlib.metadata import version

import frameworks
from claims import main
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.server import create_proxy
from frameworks import Framework, Kit
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


def transport(server, *, stays=False):
    """`stays`: the process outlives a connection, and with it the handles of its results."""
    if server.url is not None:
        return StreamableHttpTransport(server.url)
    return StdioTransport(
        server.command[0],
        server.command[1:],
        env=server.environment,
        cwd=str(server.home),
        keep_alive=stays,
        log_file=server.errors,
    )


@contextlib.asynccontextmanager
async def through(client):
    async with client:

        async def call(name, arguments):
            return (await client.call_tool(name, arguments)).structured_content

        yield Kit([tool.name for tool in await client.list_tools()], call)


def fastmcp_client(server):
    return through(Client(transport(server)))


@contextlib.asynccontextmanager
async def fastmcp_proxy(server):
    """It connects anew for every call."""
    behind = transport(server, stays=True)
    try:
        async with through(Client(create_proxy(behind))) as kit:
            yield kit
    finally:
        await behind.close()


@contextlib.asynccontextmanager
async def pydantic_ai(server):
    """The model is a function: it calls one tool, and ends with what it got."""
    toolset = MCPToolset(transport(server))
    seen = []

    async def call(name, arguments):
        def model(history, info):
            seen[:] = [tool.name for tool in info.function_tools]
            for part in history[-1].parts:
                if isinstance(part, ToolReturnPart):
                    return ModelResponse(parts=[TextPart(json.dumps(part.content))])
                if isinstance(part, RetryPromptPart):
                    return ModelResponse(parts=[TextPart(json.dumps(part.content))])
            return ModelResponse(parts=[ToolCallPart(name, arguments)])

        answer = await Agent(FunctionModel(model), toolsets=[toolset]).run("call it")
        return json.loads(answer.output)

    async with toolset:
        await call("execute_code", {"code": "result = 1"})
        yield Kit(list(seen), call)


async def program(claims):
    binary = sys.argv[1]
    fastmcp = version("fastmcp")
    await frameworks.check(claims, binary, Framework(f"fastmcp-{fastmcp}-client", fastmcp_client))
    await frameworks.check(claims, binary, Framework(f"fastmcp-{fastmcp}-proxy", fastmcp_proxy))
    name = f"pydantic-ai-{version('pydantic-ai-slim')}"
    await frameworks.check(claims, binary, Framework(name, pydantic_ai))


main(program)
