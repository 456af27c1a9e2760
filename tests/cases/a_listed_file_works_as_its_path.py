# outcome: ok
# result: {"gz":["logs:old/b.log.gz"],"texts":["a","a","a","a"],"keys":{"logs:a.log":1,"logs:old/b.log.gz":3},"first":{"path":"logs:a.log","bytes":1,"modified":0.0},"awaited":2,"sorted":["logs:a.log","logs:old/b.log.gz"],"joined":"at logs:a.log"}

# Scripts take the files of a listing for their paths, and `files.list` for a coroutine. Both work, and what a listing says of a
# file is there as well. The host's answers are played.
import asyncio
import os

import _intentbox

CONTENT = {"logs:a.log": b"a", "logs:old/b.log.gz": b"zip"}
_intentbox.list_files = lambda folder: ("files", [(path, len(text), 0) for path, text in CONTENT.items()], [])
_intentbox.read_file = lambda path, offset, length: ("piece", CONTENT[path][offset:])


async def listed():
    return await files.list("logs")


first, second = files.list("logs:")
result = {
    "gz": [str(file) for file in files.list("logs") if file.endswith(".gz") and "old/" in file],
    "texts": [files.read_text(first), files.read_text("logs/a.log"), open(first).read(), open("logs/a.log").read()],
    "keys": {str(file): {first: 1, second: 3}[file] for file in (first, second)},
    "first": first,
    "awaited": len(asyncio.run(listed())),
    "sorted": [os.fspath(file) for file in sorted([second, first])],
    "joined": "at " + first,
}
assert first == "logs:a.log" and first.path[:4] == first[:4] == "logs" and first.bytes == 1
