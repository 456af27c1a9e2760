"""What the claims need of a client, whichever package it comes from."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from server import Server


@dataclass
class Answer:
    """The answer of a tool, as the client gives it."""

    structured: dict[str, Any]
    texts: list[str]
    is_error: bool


@dataclass
class Person:
    """Who answers questions: the action for the next one, and the messages of those that were asked."""

    action: str = "accept"
    asked: list[str] = field(default_factory=list)


class Connected(Protocol):
    """A client that is connected."""

    async def tools(self) -> dict[str, dict[str, Any]]:
        """The input schemas of the tools, by their names."""

    async def call(self, name: str, arguments: dict[str, Any], progress: Callable[[], None] | None = None) -> Answer:
        """Calls a tool. `progress` is called at each notification."""

    async def cancelled(self, name: str, arguments: dict[str, Any], when: Awaitable[object]) -> None:
        """Calls a tool, and cancels the call once the event is there."""


@dataclass(frozen=True)
class Client:
    """A client by its name, and how it connects."""

    name: str
    connect: Callable[[Server, str | None, Person], AbstractAsyncContextManager[Connected]]
    """Connects to a server, at its own address or another one, with a person who answers questions."""
