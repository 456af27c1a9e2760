"""Claims: each is a coroutine that either holds or says what differed. One line is printed for each."""

import asyncio
from collections.abc import Awaitable, Callable

PATIENCE = 60.0
"""Seconds after which a claim has failed. Nothing here takes this long unless it hangs."""

LEAVE = 10.0
"""Seconds that a claim which ran out of time has to clean up, before it is left alone."""


class Differs(Exception):
    """What is there is not what was claimed."""


def equal(what: str, found: object, expected: object) -> None:
    """Fails unless both are the same."""
    if found != expected:
        raise Differs(f"{what} is {brief(found)}, not {brief(expected)}")


def holds(what: str, condition: bool, found: object) -> None:
    """Fails unless the condition is true, and shows what was found."""
    if not condition:
        raise Differs(f"{what}: {brief(found)}")


def brief(value: object) -> str:
    """A value in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 400 else f"{text[:400]}…"


def leaves(error: BaseException) -> list[BaseException]:
    """The errors within groups of errors, which task groups raise."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


class Claims:
    """The claims of one program, in order. It counts those that do not hold."""

    def __init__(self) -> None:
        self.failed = 0

    async def hold(self, name: str, claim: Callable[..., Awaitable[None]], *arguments: object) -> None:
        """Checks one claim and prints whether it holds."""
        task = asyncio.ensure_future(claim(*arguments))
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=LEAVE)
            self.tell(name, f"it hangs: nothing after {PATIENCE:.0f} s")
        elif task.cancelled():
            self.tell(name, "it was cancelled by what it called")
        elif (error := task.exception()) is not None:
            self.tell(name, "; ".join(dict.fromkeys(self.words(leaf) for leaf in leaves(error))))
        else:
            self.tell(name, None)

    @staticmethod
    def words(error: BaseException) -> str:
        text = " ".join(str(error).split())
        text = text if len(text) <= 600 else f"{text[:600]}…"
        return text if isinstance(error, Differs) else f"{type(error).__name__}: {text}"

    def tell(self, name: str, differed: str | None) -> None:
        """Prints the line of one claim: what differed, or nothing if it holds."""
        self.failed += differed is not None
        print(f"ok {name}" if differed is None else f"not ok {name}: {differed}", flush=True)


def main(program: Callable[[Claims], Awaitable[None]]) -> None:
    """Runs a program of claims. It exits 1 if one of them does not hold."""
    claims = Claims()

    async def run() -> None:
        try:
            await program(claims)
        except BaseException as error:
            claims.tell("the_program_comes_to_its_end", "; ".join(Claims.words(leaf) for leaf in leaves(error)))

    asyncio.run(run())
    raise SystemExit(1 if claims.failed else 0)
