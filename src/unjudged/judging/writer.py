"""One thread that writes: what many assessors send at a time goes to disk together, and is confirmed after that.

Waiting for the disk takes longer than everything else, and one wait is enough for all who wait. A request that cannot
be done is taken out alone; if the disk fails, all of them fail.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from unjudged.errors import FileError, UnjudgedError

if TYPE_CHECKING:
    from unjudged.judging.project import Project

__all__ = ["Writer"]

T = TypeVar("T")
_MOST = 100
"""Requests in one transaction."""


class _Request(NamedTuple):
    work: Callable[[], Any]
    future: asyncio.Future[Any]


class Writer:
    """Does what it is given, in order, in its own thread; answers when it is durable."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._requests: SimpleQueue[_Request | None] = SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[], T]) -> T:
        """What *work* returns, once all that it wrote is on disk."""
        if self._closed:
            raise UnjudgedError("the server is being stopped")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._requests.put(_Request(work, future))
        return await future

    def close(self) -> None:
        """Finish what is waiting."""
        self._closed = True
        self._requests.put(None)
        self._thread.join()

    def _run(self) -> None:
        ended = False
        while not ended:
            batch: list[_Request] = []
            first = self._requests.get()
            for request in (first, *self._waiting()):
                if request is None:
                    ended = True
                else:
                    batch.append(request)
            if batch:
                _answer(batch, self._outcomes(batch))

    def _waiting(self) -> Iterator[_Request | None]:
        for _ in range(_MOST - 1):
            try:
                yield self._requests.get_nowait()
            except Empty:
                return

    def _outcomes(self, batch: list[_Request]) -> list[Any]:
        """What each returned or raised; nothing of it is said before the transaction has ended."""
        outcomes: list[Any] = []
        try:
            with self._project.transaction():
                for request in batch:
                    outcomes.append(self._outcome(request))
        except Exception as problem:
            # What the disk said to the first one tells more than that nothing could be written after it.
            said = [one for one in outcomes if isinstance(one, _Raised) and isinstance(one.problem, FileError)]
            return [said[0] if said else _Raised(problem)] * len(batch)
        return outcomes

    def _outcome(self, request: _Request) -> Any:
        try:
            with self._project.transaction():
                return request.work()
        except Exception as problem:
            return _Raised(problem)


class _Raised(NamedTuple):
    problem: Exception


def _answer(batch: list[_Request], outcomes: list[Any]) -> None:
    def say() -> None:
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if future.done():  # whoever asked has gone
                continue
            if isinstance(outcome, _Raised):
                future.set_exception(outcome.problem)
            else:
                future.set_result(outcome)

    with suppress(RuntimeError):  # the server has stopped; what was written is written
        batch[0].future.get_loop().call_soon_threadsafe(say)
