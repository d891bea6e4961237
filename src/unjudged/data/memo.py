"""Data that keeps what was computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

__all__ = ["Memo", "remembered"]


@dataclass(frozen=True, eq=False)
class Memo:
    """Keeps what was computed from it for whoever asks next. A changed copy, or one in another process, starts anew."""

    _memory: dict[object, Any] = field(init=False, default_factory=dict, repr=False)

    def forget(self) -> None:
        """Let go of it all. What is remembered may point back here, which would keep both until Python looks for that.

        In a worker, that is for long: large arrays there are files that somebody waits to remove.
        """
        self._memory.clear()

    def sharing(self, other: Self) -> Self:
        """This, remembering the same as another does and will."""
        object.__setattr__(self, "_memory", other._memory)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_memory": {}}


M = TypeVar("M", bound=Memo)
P = ParamSpec("P")
T = TypeVar("T")


def remembered(compute: Callable[Concatenate[M, P], T]) -> Callable[Concatenate[M, P], T]:
    """A function or method whose first argument keeps what it returns, by the other arguments, which have a hash."""
    defaults = tuple(one.default for one in signature(compute).parameters.values())[1:]

    @wraps(compute)
    def recall(memo: M, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key, memory = (compute, *args, *defaults[len(args) :], *kwargs.items()), memo._memory
        if key not in memory:
            memory[key] = compute(memo, *args, **kwargs)
        return memory[key]  # type: ignore[no-any-return]

    return recall
