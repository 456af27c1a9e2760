"""A server, its origin and a proxy in front, for clients that are not Python: commands on stdin, replies on stdout.

`stage.py BINARY held|demo [FLAG...]` prints `{"url": …, "proxied": …}`. A line `ID COMMAND` is replied to with
`{"id": ID, "value": …}` once it is done, and commands do not wait for each other. It ends with its stdin.
"""

import asyncio
import contextlib
import json
import sys

from origin import ASK
from proxy import ANSWER, MARK, Cut, Proxy, proxy
from server import Server, over_http


class Stage:
    def __init__(self, server: Server, cutting: Proxy) -> None:
        self.server, self.cutting = server, cutting
        self.request = None
        self.start = 0

    async def arrival(self):
        """Waits for a script that asks the origin. The runs that end from here on are those of `ended`."""
        self.start = len(self.server.log.lines)
        self.request = await self.server.origin.arrival()

    async def answer(self):
        self.request.answer()

    async def ended(self):
        return await self.server.log.run_ended(self.start)

    async def down(self):
        self.cutting.down()

    async def up(self):
        self.cutting.up()

    async def resumed(self):
        await self.cutting.resumed.wait()

    async def stream(self):
        """Waits for a client's stream of notifications."""
        await self.cutting.streams.get()

    async def cut_before_the_answer(self):
        self.cutting.cut_next(Cut(after_bytes=0))

    async def cut_within_the_answer(self):
        self.cutting.cut_next(Cut(within=ANSWER))

    async def is_cut(self):
        return self.cutting.done.is_set()


async def replied(stage: Stage, number: str, command: str) -> None:
    value = await getattr(stage, command)()
    print(json.dumps({"id": int(number), "value": value}), flush=True)


async def main(binary: str, kind: str, *flags: str) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with over_http(binary, *flags, is_held=kind == "held") as server, proxy(server.url) as cutting:
        told = {"url": server.url, "proxied": cutting.url, "ask": ASK, "mark": MARK.decode(), "answer": ANSWER.decode()}
        print(json.dumps(told), flush=True)
        stage, tasks = Stage(server, cutting), set()
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                tasks.add(asyncio.ensure_future(replied(stage, *line.decode().split())))
        for task in tasks:
            task.cancel()


asyncio.run(main(*sys.argv[1:]))
