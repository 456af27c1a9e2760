# cpython: ""
# intentbox: "waited\n"
import asyncio
print(await asyncio.sleep(0, "waited"))
