"""Data that keeps what was computed from it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from unjudged.data.memo import Memo, remembered


@dataclass(frozen=True, eq=False)
class Number(Memo):
    value: int
    calls: list[tuple[int, int]] = field(default_factory=list)

    @remembered
    def plus(self, first: int, second: int = 0) -> int:
        """The sum."""
        self.calls.append((first, second))
        return self.value + first + second

    @remembered
    def times(self, first: int, second: int = 0) -> int:
        return self.value * first * second

    @remembered
    def cannot_be_sent(self) -> Callable[[], int]:
        return lambda: self.value


@remembered
def squared(number: Number) -> int:
    number.calls.append((number.value, number.value))
    return number.value**2


def test_what_was_computed_is_not_computed_again() -> None:
    number = Number(3)
    assert [number.plus(1), number.plus(1), squared(number), squared(number)] == [4, 4, 9, 9]
    assert number.calls == [(1, 0), (3, 3)]


def test_each_function_and_each_argument_has_its_own() -> None:
    number = Number(3)
    assert [number.plus(1, 2), number.plus(2, 1), number.plus(2, 2), number.times(1, 2)] == [6, 6, 7, 6]
    assert number.calls == [(1, 2), (2, 1), (2, 2)]


def test_a_default_is_the_same_as_its_value() -> None:
    number = Number(3)
    assert [number.plus(1), number.plus(1, 0)] == [4, 4]
    assert number.calls == [(1, 0)]


def test_names_of_arguments_count() -> None:
    number = Number(3)
    assert [number.plus(1, second=2), number.plus(1, second=5), number.plus(second=5, first=2)] == [6, 9, 10]


def test_a_function_that_fails_is_called_again() -> None:
    @remembered
    def fails(number: Number) -> int:
        number.calls.append((0, 0))
        raise ValueError("no")

    number = Number(3)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            fails(number)
    assert len(number.calls) == 2


def test_it_keeps_its_name_and_words() -> None:
    assert (Number.plus.__name__, Number.plus.__doc__) == ("plus", "The sum.")


def test_a_changed_copy_remembers_nothing_of_the_original() -> None:
    number = Number(3)
    assert squared(number) == 9
    assert squared(replace(number, value=4)) == 16


def test_a_copy_for_another_process_starts_anew() -> None:
    number = Number(3)
    assert number.cannot_be_sent()() == 3
    sent = pickle.loads(pickle.dumps(number))
    assert (squared(sent), sent.calls) == (9, [(3, 3)])


def test_what_is_forgotten_is_computed_again() -> None:
    number = Number(3)
    squared(number)
    number.forget()
    squared(number)
    assert len(number.calls) == 2


def test_two_can_share_what_they_remember() -> None:
    first = Number(3)
    second = Number(3).sharing(first)
    assert (second.plus(1), first.plus(1)) == (4, 4)
    assert (first.calls, second.calls) == ([], [(1, 0)])
