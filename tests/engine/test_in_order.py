"""Work in threads comes back in the order of the items, and never much ahead of who asks for it."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from unjudged.threads import in_order

workers = pytest.mark.parametrize("workers", [1, 2, 5])


@workers
def test_results_are_in_the_order_of_the_items(workers: int) -> None:
    def slow_at_first(item: int) -> int:
        time.sleep(0.01 if item % 3 == 0 else 0)
        return item * item

    assert list(in_order(slow_at_first, range(40), workers)) == [item * item for item in range(40)]
    assert list(in_order(slow_at_first, [], workers)) == []


@workers
def test_an_error_comes_where_its_result_would_have_come(workers: int) -> None:
    def work(item: int) -> int:
        if item == 3:
            raise ValueError(f"number {item}")
        return item

    stream = in_order(work, range(20), workers)
    assert [next(stream) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="number 3"):
        next(stream)
    assert list(stream) == []


@workers
def test_an_error_of_the_items_is_the_caller_s(workers: int) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        list(in_order(str, items(), workers))


def test_no_more_than_a_few_items_are_taken_ahead() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    stream = in_order(lambda item: item, items(), 3)
    next(stream)
    assert len(taken) <= 7
    stream.close()
    assert len(taken) <= 7


def test_whoever_stops_waits_for_what_runs_only() -> None:
    done: list[int] = []
    stream = in_order(lambda item: (time.sleep(0.02), done.append(item)), range(100), 2)
    next(stream)
    stream.close()
    before = len(done)
    time.sleep(0.1)
    assert len(done) == before <= 5
    assert not [
        one for one in threading.enumerate() if one is not threading.main_thread() and one.name.endswith("_work)")
    ]


def test_items_are_let_go_when_they_are_done() -> None:
    class Item:
        pass

    known: list[weakref.ref[Item]] = []

    def items() -> Iterator[Item]:
        for _ in range(6):
            item = Item()
            known.append(weakref.ref(item))
            yield item
            del item

    stream = in_order(lambda item: type(item).__name__, items(), 2)
    next(stream)
    deadline = time.monotonic() + 5
    while sum(one() is not None for one in known) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sum(one() is not None for one in known) <= 1
    assert list(stream) == ["Item"] * 5
