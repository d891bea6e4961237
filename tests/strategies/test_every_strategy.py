"""What holds for every strategy. One without an entry in ``EXAMPLES`` fails the first test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings_by_hand import Judged, Rankings, collections, joined, pool

from unjudged.errors import InputError
from unjudged.strategies import Candidates, Depth, Order, candidates_of, replay, strategies
from unjudged.testing import check_strategy

EXAMPLES = {
    "decide": ["decide", "decide(measure=P@2)"],
    "depth": ["depth"],
    "evidence": ["evidence", "evidence(rel=2,topics=best)"],
    "mm_ns": ["mm_ns", "mm_ns(rate=0.5)"],
    "mtf": ["mtf", "mtf(rel=2)"],
    "sample": ["sample", "sample(50%,strata=none)", "sample(0.3,strata=depth,depth=1)"],
    "shared_credit": ["shared_credit"],
}
EVERY = [text for texts in EXAMPLES.values() for text in texts]
ALL_OF_THE_POOL = [text for text in EVERY if not strategies.choose(text).is_sample]


def started(text: str, given: tuple[Judged, Rankings], depth: int | None = None, seed: int = 42) -> Order:
    return strategies.choose(text).start(candidates_of(joined(*given), depth=depth), seed=seed)


def asked(order: Order, number: int) -> list[tuple[str, str]]:
    candidates = order.candidates
    pairs = order.ask(number).pairs
    topics = [candidates.topics[topic] for topic in candidates.topic_of[pairs].tolist()]
    return list(zip(topics, candidates.docs.take(pairs), strict=True))


def test_every_strategy_has_examples() -> None:
    assert {cls.name for cls in strategies if cls.__module__.startswith("unjudged.")} == EXAMPLES.keys()


@pytest.mark.parametrize("text", EVERY)
def test_what_strategies_of_plugins_are_checked_for(text: str) -> None:
    check_strategy(text)


def test_what_does_not_hold_is_said() -> None:
    class Forgetful(Depth):
        """Forgets what was judged."""

        name = "forgetful"
        title = "Forgets"

        def start(self, candidates: Candidates, *, seed: int) -> Order:
            order = super().start(candidates, seed=seed)
            order.tell = lambda pairs, grades: None  # type: ignore[method-assign]
            return order

    try:
        with pytest.raises(AssertionError, match="forgetful asks for what is judged, or is not in the pool"):
            check_strategy(Forgetful)
    finally:
        strategies.remove(Forgetful)


@pytest.mark.parametrize("text", ALL_OF_THE_POOL)
@settings(max_examples=8, deadline=None)
@given(collections(), st.integers(1, 8), st.integers(1, 7), st.integers(0, 3))
def test_all_of_the_pool_is_asked_for_once_and_nothing_else(
    text: str, given: tuple[Judged, Rankings], depth: int, batch: int, seed: int
) -> None:
    order, (judged, rankings) = started(text, given, depth, seed), given
    before = [(topic, doc) for topic in judged for doc in pool(rankings, topic, depth)][:2]
    names = [
        (order.candidates.topics[topic], doc)
        for topic, doc in zip(order.candidates.topic_of.tolist(), order.candidates.docs, strict=True)
    ]
    known = [names.index(pair) for pair in before]
    order.tell(np.array(known), np.array([judged[topic][doc] for topic, doc in before], dtype=np.int32))
    seen: list[tuple[str, str]] = []
    while some := asked(order, batch):
        assert len(some) <= batch
        pairs = order.ask(batch).pairs
        assert [names[pair] for pair in pairs] == some  # asking changes nothing
        order.tell(pairs, np.array([judged[topic][doc] for topic, doc in some], dtype=np.int32))
        seen += some
    expected = {(topic, doc) for topic in judged for doc in pool(rankings, topic, depth)} - set(before)
    assert len(seen) == len(set(seen))
    assert set(seen) == expected


@pytest.mark.parametrize("text", EVERY)
@settings(max_examples=6, deadline=None)
@given(collections(), st.integers(1, 10), st.randoms(use_true_random=False))
def test_what_is_asked_for_follows_from_what_was_told_and_not_from_how(
    text: str, given: tuple[Judged, Rankings], number: int, random: object
) -> None:
    judged, rankings = given
    one = started(text, given)
    for _ in range(2):
        pairs = one.ask(number).pairs
        one.tell(pairs, _grades(one, pairs, judged))
    shuffled = dict(sorted(rankings.items(), reverse=True))
    other = started(text, (judged, shuffled))
    told = np.flatnonzero(one.judged)[::-1]
    other.tell(told, _grades(other, told, judged))
    assert asked(other, number) == asked(one, number)
    assert asked(other, number)[: number // 2] == asked(one, number // 2)


def _grades(order: Order, pairs: np.ndarray, judged: Judged) -> np.ndarray:
    candidates = order.candidates
    topics = [candidates.topics[topic] for topic in candidates.topic_of[pairs].tolist()]
    docs = candidates.docs.take(pairs)
    return np.array([judged[topic][doc] for topic, doc in zip(topics, docs, strict=True)], dtype=np.int32)


@pytest.mark.parametrize("text", EVERY)
def test_nothing_to_judge_is_an_empty_batch(text: str) -> None:
    order = started(text, ({"1": {"a": 1}}, {"one": {"1": ["a"]}}))
    assert len(order.ask(0)) == 0
    order.tell(np.array([0]), np.array([1], dtype=np.int32))
    assert len(order.ask(5)) == 0


def test_a_judgment_is_told_once() -> None:
    order = started("depth", ({"1": {"a": 1}}, {"one": {"1": ["a"]}}))
    order.tell(np.array([0]), np.array([1], dtype=np.int32))
    with pytest.raises(InputError, match=r"^a document was judged twice$"):
        order.tell(np.array([0]), np.array([1], dtype=np.int32))


@pytest.mark.parametrize("text", ALL_OF_THE_POOL)
@settings(max_examples=6, deadline=None)
@given(collections(), st.integers(1, 6))
def test_a_replay_judges_all_that_was_judged_of_the_pool(text: str, given: tuple[Judged, Rankings], most: int) -> None:
    judged, rankings = given
    less = {topic: {doc: grade for doc, grade in grades.items() if doc != "d3"} for topic, grades in judged.items()}
    together = joined(less, rankings)
    candidates = candidates_of(together)
    rows = replay(strategies.choose(text), candidates, together.qrels, seed=7).rows.tolist()
    docs = [together.qrels.docs[row] for row in rows]
    assert sorted(docs) == sorted(doc for topic in less for doc in pool(rankings, topic, None) if doc in less[topic])
    first = replay(strategies.choose(text), candidates, together.qrels, seed=7, most=most).rows.tolist()
    assert first == rows[:most]
