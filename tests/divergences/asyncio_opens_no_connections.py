# cpython: "ConnectionRefusedError Connect call failed\n"
# intentbox: "OSError sockets are not available in the sandbox: use requests.get(url) or http.get(url) for granted origins\n"
import asyncio
async def main():
    try:
        await asyncio.open_connection("127.0.0.1", 9)
    except OSError as error:
        print(type(error).__name__, str(error).split("] ")[-1].split(" (")[0])
asyncio.run(main())
