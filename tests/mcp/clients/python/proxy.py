"""A TCP proxy on the loopback address that cuts connections where a test says so."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

MARK = b"marked"
"""Text in the body of a request whose connection is cut."""

ANSWER = b"the-answer"
"""Text in the answer to such a request. The request must not contain it as one word."""

EVENT = re.compile(rb"^id: ?([^\r\n]+)", re.MULTILINE)
RESUMED = re.compile(rb"^last-event-id: ?([^\r\n]+)", re.MULTILINE | re.IGNORECASE)

KEPT_BYTES = 1 << 16
"""How much of a stream is searched for a text."""


@dataclass(frozen=True)
class Cut:
    """Where to cut the answer to a marked request."""

    after_bytes: int | None = None
    """After so many bytes of it."""
    within: bytes | None = None
    """In the middle of this text."""

    def length(self, before: bytes, chunk: bytes) -> int | None:
        """How much of the chunk still passes, or nothing if all does and the cut is not here."""
        if self.after_bytes is not None and len(before) + len(chunk) >= self.after_bytes:
            return max(self.after_bytes - len(before), 0)
        if self.within is not None and (at := (before + chunk).find(self.within)) >= 0:
            return max(at + len(self.within) // 2 - len(before), 0)
        return None


class Link:
    """A connection of a client, and the one to the server that belongs to it."""

    def __init__(self, proxy: "Proxy", writer: asyncio.StreamWriter, upstream: asyncio.StreamWriter) -> None:
        self.proxy = proxy
        self.writers = (writer, upstream)
        self.is_marked = False
        self.is_resuming = False

    def abort(self) -> None:
        for writer in self.writers:
            writer.transport.abort()

    async def requests(self, reader: asyncio.StreamReader, upstream: asyncio.StreamWriter) -> None:
        """Passes what the client sends."""
        seen = b""
        while chunk := await reader.read(KEPT_BYTES):
            # Clients send the head of a request at once, and reuse a connection for the next one.
            if chunk.startswith((b"GET ", b"POST ", b"DELETE ")):
                seen = b""
            seen = (seen + chunk)[-KEPT_BYTES:]
            self.is_marked = MARK in seen
            self.is_resuming = (named := RESUMED.search(seen)) is not None and named[1] in self.proxy.events
            upstream.write(chunk)
            await upstream.drain()
            if chunk.startswith(b"GET "):
                self.proxy.streams.put_nowait(self)
        upstream.close()

    async def answers(self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes what the server sends, up to the cut."""
        before = b""
        while chunk := await upstream.read(KEPT_BYTES):
            if self.is_marked:
                self.proxy.events.update(EVENT.findall(chunk))
            if self.is_resuming:
                self.proxy.resumed.set()
            if self.is_marked and self.proxy.cut is not None:
                length = self.proxy.cut.length(before, chunk)
                before += chunk
                if length is not None:
                    writer.write(chunk[:length])
                    await writer.drain()
                    # An orderly end, so that the client reads what came before it, as it does when a proxy gives up.
                    self.proxy.cut = None
                    writer.close()
                    self.writers[1].transport.abort()
                    self.proxy.done.set()
                    return
            writer.write(chunk)
            await writer.drain()
        writer.close()


class Proxy:
    """The proxy: its address, its connections, and where it cuts next."""

    def __init__(self, target: str) -> None:
        host, _, self.path = target.removeprefix("http://").partition("/")
        self.host, _, port = host.partition(":")
        self.port = int(port)
        self.url = ""
        self.links: set[Link] = set()
        self.tasks: set[asyncio.Task] = set()
        self.is_up = asyncio.Event()
        self.is_up.set()
        self.streams: asyncio.Queue[Link] = asyncio.Queue()
        """Connections whose first request is a GET: the stream that clients of the older era hold open."""
        self.events: set[bytes] = set()
        """The ids of the events in answers to marked requests."""
        self.resumed = asyncio.Event()
        """A client has come back for such an answer, and the server has begun to reply to that."""
        self.cut: Cut | None = None
        self.done = asyncio.Event()
        """The cut was made."""

    def cut_next(self, cut: Cut) -> None:
        """Cuts the next marked answer there."""
        self.cut = cut
        self.done.clear()

    def down(self) -> None:
        """Cuts all connections. New ones are accepted, and pass nothing until `up`."""
        self.is_up.clear()
        for link in tuple(self.links):
            link.abort()

    def up(self) -> None:
        """Passes data again."""
        self.is_up.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await self.is_up.wait()
            incoming, upstream = await asyncio.open_connection(self.host, self.port)
            link = Link(self, writer, upstream)
            self.links.add(link)
            try:
                await asyncio.gather(link.requests(reader, upstream), link.answers(incoming, writer))
            finally:
                self.links.discard(link)
                link.abort()
        writer.transport.abort()


@contextlib.asynccontextmanager
async def proxy(target: str) -> AsyncIterator[Proxy]:
    """A proxy in front of this URL, until the end of the block."""
    cutting = Proxy(target)
    server = await asyncio.start_server(cutting.serve, "127.0.0.1", 0)
    cutting.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/{cutting.path}"
    try:
        yield cutting
    finally:
        server.close()
        cutting.down()
        for task in tuple(cutting.tasks):
            task.cancel()
