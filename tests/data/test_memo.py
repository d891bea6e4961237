"""Data that keeps what was computed from it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

from unjudged.data.memo import Memo


@dataclass(frozen=True, eq=False)
class Number(Memo):
    value: int

    def squared(self) -> int:
        return self.remember("squared", lambda: self.value**2)


def test_what_was_computed_is_not_computed_again() -> None:
    calls = []
    number = Number(3)
    for _ in range(2):
        number.remember("called", lambda: calls.append(1))
    assert calls == [1]


def test_a_changed_copy_remembers_nothing_of_the_original() -> None:
    number = Number(3)
    assert number.squared() == 9
    assert replace(number, value=4).squared() == 16


def test_a_copy_for_another_process_starts_anew() -> None:
    number = Number(3)
    number.remember("a function that cannot be sent", lambda: lambda: None)
    assert pickle.loads(pickle.dumps(number)).squared() == 9


def test_two_can_share_what_they_remember() -> None:
    first = Number(3)
    second = Number(3).sharing(first)
    second.remember("said", lambda: "by the second")
    assert first.remember("said", lambda: "by the first") == "by the second"
