"""Keeping a part of the judgments: sizes, what belongs together, and what it depends on."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.qrels import Qrels, State
from unjudged.errors import InputError
from unjudged.simulate.judgments import keep_percent


def collection(sizes: list[tuple[int, int]]) -> Qrels:
    """Topics with so many relevant and other documents."""
    return uj.read_qrels(
        {
            f"t{t}": {f"d{i}": int(i < relevant) for i in range(relevant + others)}
            for t, (relevant, others) in enumerate(sizes)
        }
    )


def kept_docs(qrels: Qrels) -> set[tuple[str, str]]:
    return {(qrels.topics[topic], doc) for topic, doc in zip(qrels.topic_of_row, qrels.docs, strict=True)}


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=4), st.integers(0, 100))
def test_sizes_are_exact(sizes: list[tuple[int, int]], percent: int) -> None:
    few = keep_percent(collection(sizes), percent)
    for topic, (relevant, others) in enumerate(sizes):
        judged = few.judgments(f"t{topic}")
        wanted = max(min(1, relevant), math.ceil(Fraction(percent * relevant, 100)))
        assert sum(judged.values()) == wanted
        assert len(judged) - wanted == math.ceil(Fraction(percent * others, 100))
    assert few.topics == collection(sizes).topics


@pytest.mark.parametrize(
    ("percent", "number"), [(7, 7), ("7", 7), (0.1, 1), ("14.5", 15), (Fraction(100, 3), 34), (100, 100)]
)
def test_percentages_mean_what_they_say(percent: float | str | Fraction, number: int) -> None:
    """In floating point 0.07 * 100 is above 7."""
    assert len(keep_percent(collection([(100, 1)]), percent).judgments("t0")) - 1 == number


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 3))
def test_more_contains_less(low: int, high: int, repetition: int) -> None:
    qrels = collection([(30, 30), (3, 60)])
    less, more = (keep_percent(qrels, percent, repetition=repetition) for percent in sorted((low, high)))
    assert kept_docs(less) <= kept_docs(more)


def test_repetitions_and_seeds_differ_and_the_same_ones_agree() -> None:
    qrels = collection([(30, 30)])
    samples = [keep_percent(qrels, 50, seed=seed, repetition=i) for seed in (1, 2) for i in range(3)]
    assert len({frozenset(kept_docs(sample)) for sample in samples}) == 6
    assert kept_docs(samples[0]) == kept_docs(keep_percent(qrels, 50, seed=1))


def test_every_document_has_the_same_chance() -> None:
    qrels = collection([(20, 1)])
    counts = np.zeros(20)
    for repetition in range(2000):
        counts[
            [int(doc[1:]) for topic, doc in kept_docs(keep_percent(qrels, 25, repetition=repetition)) if doc != "d20"]
        ] += 1
    assert counts.sum() == 5 * 2000
    spread = math.sqrt(2000 * 0.25 * 0.75)
    assert (np.abs(counts - 500) < 4.5 * spread).all()


def test_a_document_keeps_all_its_subtopics() -> None:
    rng = np.random.default_rng(3)
    lines = [("1", str(s), f"d{d}", int(rng.integers(0, 4))) for d in range(40) for s in range(3)]
    qrels = uj.read_qrels(pd.DataFrame(lines, columns=["query_id", "subtopic", "doc_id", "relevance"]))
    few = keep_percent(qrels, 30, rel=3)
    assert qrels.subtopics is not None and few.subtopics is not None
    docs = {doc for _, doc in kept_docs(few)}
    found = {
        (few.subtopics.names[number], few.docs[doc], grade)
        for doc, number, grade in zip(
            few.subtopics.docs.tolist(), few.subtopics.numbers.tolist(), few.subtopics.grades.tolist(), strict=True
        )
    }
    assert found == {line[1:] for line in lines if line[2] in docs}
    best = {doc: max(line[3] for line in lines if line[2] == doc) for doc in {line[2] for line in lines}}
    relevant = sum(grade >= 3 for grade in best.values())
    assert sum(best[doc] >= 3 for doc in docs) == math.ceil(Fraction(3 * relevant, 10))
    assert few.judgments("1") == {doc: best[doc] for doc in docs}


def test_what_was_pooled_but_not_judged_stays() -> None:
    qrels = uj.read_qrels({"1": {"a": 1, "b": -1, "c": 0, "d": 0}})
    few = keep_percent(qrels, 1)
    assert (few.states == State.POOLED).sum() == 1
    assert len(few) == 3


@pytest.mark.parametrize("percent", [-1, 101, "many", "1/0", float("nan")])
def test_what_is_not_a_percentage(percent: float | str) -> None:
    with pytest.raises(InputError, match=r"^share: percent must be a percentage between 0 and 100, not "):
        keep_percent(collection([(1, 1)]), percent)
