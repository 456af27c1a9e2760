"""An origin on the loopback address that answers when a test says so: until then, the script that asked it is in flight."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

ASK = "http.get('held:/')\n"
"""Python for `execute_code` that waits for the origin."""

REPLY = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    b"content-length: 2\r\nconnection: close\r\n\r\n[]"
)


class Request:
    """A request that has arrived and waits for its answer."""

    def __init__(self) -> None:
        self.answered = asyncio.Event()

    def answer(self) -> None:
        """Answers it: the script goes on."""
        self.answered.set()


class Origin:
    """The origin and the requests that nobody has taken from it."""

    def __init__(self) -> None:
        self.port = 0
        self.arrived: asyncio.Queue[Request] = asyncio.Queue()
        self.tasks: set[asyncio.Task] = set()

    async def arrival(self) -> Request:
        """Waits for the next request."""
        return await self.arrived.get()

    def configure(self, folder: Path) -> Path:
        """Writes a configuration and a policy with which scripts reach this origin. Returns the former."""
        configuration = folder / "config.toml"
        configuration.write_text(
            f'[origins.held]\nbase_url = "http://127.0.0.1:{self.port}"\nprivate_addresses = ["127.0.0.1"]\n'
        )
        (folder / "policy.toml").write_text('[exec]\nhttp = ["held: GET /"]\n')
        return configuration

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            request = Request()
            self.arrived.put_nowait(request)
            await request.answered.wait()
            writer.write(REPLY)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def origin() -> AsyncIterator[Origin]:
    """An origin, until the end of the block."""
    held = Origin()
    server = await asyncio.start_server(held.serve, "127.0.0.1", 0)
    held.port = server.sockets[0].getsockname()[1]
    try:
        yield held
    finally:
        server.close()
        for task in tuple(held.tasks):
            task.cancel()
