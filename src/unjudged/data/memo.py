"""Data that keeps what was computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

__all__ = ["Memo"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Memo:
    """Keeps what was computed from it for whoever asks next. A changed copy, or one in another process, starts anew."""

    _memory: dict[object, Any] = field(init=False, default_factory=dict, repr=False)

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """What was computed under this key before, or is now."""
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]  # type: ignore[no-any-return]

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
