import asyncio
import contextvars
user = contextvars.ContextVar("user", default="nobody")
def blocking(a, b=1):
    return a * b, user.get()
async def main():
    user.set("ada")
    print(await asyncio.to_thread(blocking, 6, b=7))
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, blocking, 3))
    def fails():
        raise LookupError("inside")
    try:
        await asyncio.to_thread(fails)
    except LookupError as error:
        print("raised", error)
    print(await asyncio.gather(*(asyncio.to_thread(pow, 2, n) for n in range(4))))
    async def child():
        user.set("child")
        return user.get()
    print(await asyncio.create_task(child()), user.get())
asyncio.run(main())
print(user.get())
