"""Frameworks that need `mcp` 1.x: `mcp-use` with its LangChain adapter, and `smolagents` with `mcpadapt`."""

import asyncio
import contextlib
import logging
import sys
from importlib.metadata import version

import frameworks
from claims import main
from frameworks import Framework, Kit
from mcp import StdioServerParameters
from mcp_use import MCPClient
from mcp_use.agents.adapters.langchain_adapter import LangChainAdapter
from smolagents import MCPClient as SmolClient


@contextlib.asynccontextmanager
async def mcp_use(server):
    """Sends null for each argument that is left out."""
    if server.url is None:
        entry = {"command": server.command[0], "args": server.command[1:], "env": server.environment}
    else:
        entry = {"url": server.url}
    client = MCPClient.from_dict({"mcpServers": {"intentbox": entry}})
    try:
        tools = {tool.name: tool for tool in await LangChainAdapter().create_tools(client)}

        async def call(name, arguments):
            return await tools[name].ainvoke(arguments)

        yield Kit(list(tools), call)
    finally:
        await client.close_all_sessions()


@contextlib.asynccontextmanager
async def smolagents(is_structured, server):
    """Its tools block, and run on a thread of their own."""
    if server.url is None:
        target = StdioServerParameters(
            command=server.command[0], args=server.command[1:], env=server.environment, cwd=server.home
        )
    else:
        target = {"url": server.url, "transport": "streamable-http"}
    client = await asyncio.to_thread(SmolClient, target, structured_output=is_structured)
    try:
        tools = {tool.name: tool for tool in client.get_tools()}

        async def call(name, arguments):
            return await asyncio.to_thread(lambda: tools[name](**arguments))

        yield Kit(list(tools), call)
    finally:
        await asyncio.to_thread(client.disconnect)


async def program(claims):
    # It logs to stdout, where the claims are.
    logging.getLogger("mcp_use").handlers = [logging.StreamHandler(sys.stderr)]
    binary = sys.argv[1]
    await frameworks.check(claims, binary, Framework(f"mcp-use-{version('mcp-use')}", mcp_use))
    for form, is_structured in (("texts", False), ("structured", True)):
        name = f"smolagents-{version('smolagents')}-{form}"
        opened = lambda server, is_structured=is_structured: smolagents(is_structured, server)  # noqa: E731
        await frameworks.check(claims, binary, Framework(name, opened))


main(program)
