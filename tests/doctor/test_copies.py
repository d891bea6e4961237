"""Shares of common top documents, against sets."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.groups import Fingerprint, fingerprint, overlaps, without_copies
from unjudged.io.tables import run_from_table
from unjudged.reports.doctor import render_diagnosis
from unjudged.results.diagnosis import Diagnosis
from unjudged.studies.doctor import copied_runs as copies

rankings = st.dictionaries(
    st.sampled_from("123"),
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=12, unique=True),
    min_size=1,
)


def run(topics: dict[str, list[str]]):  # type: ignore[no-untyped-def]
    return run_from_table({topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in topics.items()})


@settings(deadline=None)
@given(st.lists(rankings, min_size=2, max_size=4))
def test_overlap_is_that_of_sets(runs: list[dict[str, list[str]]]) -> None:
    shares, topics = map(np.array, zip(*overlaps([fingerprint(run(one)) for one in runs]), strict=True))
    for i, one in enumerate(runs):
        for j, other in enumerate(runs):
            common = one.keys() & other.keys()
            shared = sum(len({*one[topic][:10]} & {*other[topic][:10]}) for topic in common)
            possible = sum(max(len(one[topic][:10]), len(other[topic][:10])) for topic in common)
            assert np.isclose(shares[i, j], shared / possible if possible else 0.0)
            assert topics[i, j] == len(common)


@given(rankings)
def test_copies_have_one_digest_whatever_the_order_of_topics_and_the_scores(topics: dict[str, list[str]]) -> None:
    turned = dict(reversed(topics.items()))
    scaled = {topic: {doc: 10.0 - 2 * i for i, doc in enumerate(docs)} for topic, docs in turned.items()}
    assert fingerprint(run(topics)).digest == fingerprint(run_from_table(scaled)).digest


def test_ids_are_not_glued_together() -> None:
    first = run_from_table({"1": {"ab": 2.0, "c": 1.0}})
    second = run_from_table({"1": {"a": 2.0, "bc": 1.0}})
    assert fingerprint(first).digest != fingerprint(second).digest


# ---- thousands of runs


def prints_of(runs: int, *, alike: bool) -> list[Fingerprint]:
    """Runs with ten documents each for five topics; of *alike* ones each has one document to itself."""
    rng = np.random.default_rng(0)
    topics = tuple("12345")
    same = rng.integers(2**60, size=50).astype(np.uint64)
    prints = []
    for r in range(runs):
        top = same.copy() if alike else rng.integers(2**60, size=50).astype(np.uint64)
        top[0] = r
        prints.append(Fingerprint(f"r{r}", topics, r.to_bytes(16, "big"), top, np.full(5, 10)))
    return prints


def peak_of(work: object, prints: Sequence[Fingerprint]) -> float:
    tracemalloc.start()
    work(prints)  # type: ignore[operator]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


@pytest.mark.parametrize("alike", [False, True])
def test_memory_does_not_grow_with_the_number_of_pairs(alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of all pairs of 800 runs has 10 MB, and a hit for each pair that is close would take 100."""
    monkeypatch.setattr(copies, "MOST_PAIRS", 1000)
    prints = prints_of(800, alike=alike)
    assert peak_of(lambda some: list(copies.near_copies(some)), prints) < 4


def test_pairs_beyond_the_most_are_counted_in_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    prints = prints_of(8, alike=True)
    everything = list(copies.near_copies(prints))
    assert len(everything) == 28
    monkeypatch.setattr(copies, "MOST_PAIRS", 5)
    hits = list(copies.near_copies(prints))
    assert hits[:5] == everything[:5]
    assert (hits[5].count, hits[5].message, hits[5].example) == (
        23,
        "23 more pairs with 90% to 98.0% of the top 10 in common",
        everything[5].example,
    )
    assert len(hits) == 6
    assert sum(hit.count for hit in hits) == len(everything)


def test_the_closest_pairs_are_named_whatever_the_order_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    prints = prints_of(40, alike=True)
    for one, other in ((31, 39), (2, 38)):
        prints[one].top[:] = prints[other].top
    monkeypatch.setattr(copies, "MOST_PAIRS", 3)
    assert [hit.example for hit in copies.near_copies(prints)][:2] == ["r2 and r38", "r31 and r39"]


def test_the_text_says_how_many_pairs_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "MOST_PAIRS", 5)
    docs = [f"d{i}" for i in range(10)]
    runs = {f"r{i}": {"1": {doc: -float(rank) for rank, doc in enumerate([*docs[:9], f"x{i}"])}} for i in range(8)}
    diagnosis: Diagnosis = uj.doctor({"1": {"d0": 1}}, runs)
    assert "  and 25 more\n" in render_diagnosis(diagnosis, "table")


def test_near_copies_of_near_copies_have_one_number() -> None:
    prints = prints_of(6, alike=False)
    prints[4].top[:] = prints[1].top
    prints[4].top[:4] = 7
    prints[5].top[:] = prints[4].top
    prints[5].top[4:8] = 8
    assert without_copies(prints).tolist() == [0, 1, 2, 3, 1, 1]
