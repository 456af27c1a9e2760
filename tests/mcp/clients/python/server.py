"""The server under test, and the lines of its log as they come."""

import asyncio
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from origin import Origin, origin


class Log:
    """The lines of a server's stderr."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.changed = asyncio.Condition()
        self.ended = False

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Reads until the end of the stream."""
        while line := await reader.readline():
            async with self.changed:
                self.lines.append(line.decode(errors="replace").rstrip("\n"))
                self.changed.notify_all()
        async with self.changed:
            self.ended = True
            self.changed.notify_all()

    async def until(self, fits: Callable[[str], bool], after: int = 0) -> str:
        """Waits for a line that fits, after so many lines."""

        def found() -> str | None:
            return next((line for line in self.lines[after:] if fits(line)), None)

        async with self.changed:
            await self.changed.wait_for(lambda: self.ended or found() is not None)
            if (line := found()) is None:
                raise EOFError(f"the server's log ended: {self.lines[-3:]}")
            return line

    async def run_ended(self, after: int) -> str:
        """Waits for the line that a run of a script ends with, after so many lines."""
        return await self.until(lambda line: " ended " in line and 'target="code"' in line, after)


@dataclass
class Server:
    """A server, or how a client starts one: `url` over HTTP, `command` over stdin and stdout."""

    command: list[str]
    home: Path
    log: Log
    origin: Origin
    url: str | None = None
    errors: TextIO = field(default=sys.stderr)
    """Where a client that starts the server sends its stderr, so that `log` gets it."""

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the caller's configuration reaches the server."""
        return {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    @property
    def transport(self) -> str:
        return "stdio" if self.url is None else "http"


@contextlib.asynccontextmanager
async def _place(binary: str, is_held: bool, flags: tuple[str, ...]) -> AsyncIterator[Server]:
    """The home and the command of a server that logs the end of every run.

    With `is_held`, its scripts reach the origin that answers late. Otherwise it has no configuration, which is when the
    tracker with invented data answers.
    """
    async with origin() as late:
        with tempfile.TemporaryDirectory(prefix="intentbox-clients-", ignore_cleanup_errors=True) as folder:
            home = Path(folder)
            configured = ["--config", str(late.configure(home))] if is_held else []
            command = [binary, "mcp", "--log", "info", *configured, *flags]
            yield Server(command, home, Log(), late)


@contextlib.asynccontextmanager
async def over_http(binary: str, *flags: str, is_held: bool = False) -> AsyncIterator[Server]:
    """A server that listens on a free port of the loopback address."""
    async with _place(binary, is_held, ("--http", "127.0.0.1:0", *flags)) as server:
        process = await asyncio.create_subprocess_exec(
            *server.command,
            cwd=server.home,
            env=server.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        reading = asyncio.ensure_future(server.log.read(process.stderr))
        try:
            address = re.compile(r"http://[0-9.:]+/mcp")
            line = await server.log.until(lambda line: address.search(line) is not None)
            server.url = address.search(line).group()
            yield server
        finally:
            # Not SIGTERM: with a stream open, the server takes its time to end, and nothing here is about that.
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            await reading


@contextlib.asynccontextmanager
async def over_stdio(binary: str, *flags: str, is_held: bool = False) -> AsyncIterator[Server]:
    """How a client starts a server, and the pipe for its stderr."""
    async with _place(binary, is_held, flags) as server:
        incoming, outgoing = os.pipe()
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb")
        )
        reading = asyncio.ensure_future(server.log.read(reader))
        with os.fdopen(outgoing, "w") as server.errors:
            try:
                yield server
            finally:
                transport.close()
                reading.cancel()
