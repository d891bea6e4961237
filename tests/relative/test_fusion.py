"""Fusion of runs against exact sums in plain Python, and against ranx where it is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.engine.numerics.fusion import RRF, CombMNZ, CombSUM, Fusion, fuse_first, fusions
from unjudged.errors import InputError, SpecError

Ranking = dict[str, int]
Scored = dict[str, dict[str, int]]

SCORES = st.dictionaries(st.sampled_from("abcdef"), st.integers(-9, 9), min_size=1)
RUNS = st.lists(st.dictionaries(st.sampled_from("123"), SCORES, min_size=1), min_size=1, max_size=4)
WAYS: list[Fusion] = [RRF(), RRF(k=0), CombSUM(), CombMNZ()]


def ranked(scores: Ranking) -> list[str]:
    """The tie rule of trec_eval."""
    return sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])


def worth(how: Fusion, scores: Ranking, doc: str) -> Fraction:
    """What one ranking says about one of its documents, as an exact number."""
    if isinstance(how, RRF):
        return 1 / (Fraction(how.k) + ranked(scores).index(doc) + 1)
    low, high = min(scores.values()), max(scores.values())
    return Fraction(scores[doc] - low, high - low) if high > low else Fraction(0)


def fused(how: Fusion, runs: list[Scored], topic: str) -> dict[str, Fraction]:
    rankings = [run[topic] for run in runs if topic in run]
    sums: dict[str, Fraction] = {}
    for doc in {doc for ranking in rankings for doc in ranking}:
        having = [ranking for ranking in rankings if doc in ranking]
        times = len(having) if isinstance(how, CombMNZ) else 1
        sums[doc] = times * sum((worth(how, ranking, doc) for ranking in having), Fraction(0))
    return sums


def read(runs: list[Scored]) -> list[uj.Run]:
    return [uj.read_run({topic: {d: float(s) for d, s in docs.items()} for topic, docs in run.items()}) for run in runs]


@pytest.mark.parametrize("how", WAYS, ids=str)
@given(RUNS)
def test_scores_are_exact_sums(how: Fusion, runs: list[Scored]) -> None:
    for number, result in enumerate(fuse_first(read(runs), how, range(1, len(runs) + 1)), start=1):
        first = runs[:number]
        assert {topic for topic in result.topics if result.ranking(topic)} == {topic for run in first for topic in run}
        for topic in {topic for run in first for topic in run}:
            expected = fused(how, first, topic)
            ranking = result.ranking(topic)
            assert dict(ranking) == pytest.approx({doc: float(score) for doc, score in expected.items()}, abs=1e-12)
            # Best first: what is better is never below what is worse, and equals of the same parts tie by id.
            assert all(expected[a] >= expected[b] - Fraction(1, 10**12) for (a, _), (b, _) in pairwise(ranking))


@pytest.mark.parametrize("how", WAYS, ids=str)
@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(how: Fusion, runs: list[Scored], random: object) -> None:
    shuffled = random.sample(runs, len(runs))  # type: ignore[attr-defined]
    one, other = (next(fuse_first(read(some), how, [len(runs)])) for some in (runs, shuffled))
    assert {topic: one.ranking(topic) for topic in one.topics} == {topic: other.ranking(topic) for topic in one.topics}


def test_documents_at_the_same_ranks_tie_exactly() -> None:
    """Ranks 1, 2, 3 and 3, 1, 2 and 2, 3, 1 of three runs: sums in the order of the runs would differ in rounding."""
    runs = [{"1": dict(zip(order, (3, 2, 1), strict=True))} for order in ("abc", "bca", "cab")]
    (result,) = fuse_first(read(runs), RRF(), [3])
    docs, scores = zip(*result.ranking("1"), strict=True)
    assert docs == ("c", "b", "a")
    assert len(set(scores)) == 1


def test_scores_that_cannot_be_put_between_0_and_1_are_explained() -> None:
    runs = [uj.read_run({"1": {"a": 1.0, "b": 0.5}, "2": {"a": 1e308, "b": -1e308}}, name="odd")]
    message = "odd: scores of topic '2' are too far apart to be put between 0 and 1; fuse by rank: RRF"
    with pytest.raises(InputError) as caught:
        next(fuse_first(runs, CombSUM(), [1]))
    assert str(caught.value) == message
    assert next(fuse_first(runs, RRF(), [1])).ranking("2") == [("a", 1 / 61), ("b", 1 / 62)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CombMAX", "unknown fusion 'CombMAX'; did you mean 'CombSUM'? (there are CombMNZ, CombSUM, RRF)"),
        ("RRF(k=-1)", "RRF: k must be a number at least 0, not -1"),
    ],
)
def test_names_are_explained(name: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        fusions.choose(name)
    assert str(caught.value) == message


RANX = """
import random
import ranx
import unjudged as uj
from unjudged.engine.numerics.fusion import fuse_first, fusions

rng = random.Random(1)
docs = [f"d{i}" for i in range(30)]
runs = []
for _ in range(4):  # ranx ranks ties as they come, so there are none here; and all runs have all topics
    runs.append({t: {d: rng.random() * 10 for d in rng.sample(docs, 12)} for t in ("1", "2", "3")})
for ours, theirs in {"RRF": "rrf", "CombSUM": "sum", "CombMNZ": "mnz"}.items():
    norm = None if ours == "RRF" else "min-max"
    peers = [ranx.Run(run, name=str(i)) for i, run in enumerate(runs)]
    expected = ranx.fuse(peers, norm=norm, method=theirs).to_dict()
    (result,) = fuse_first([uj.read_run(run) for run in runs], fusions.choose(ours), [4])
    for topic, scores in expected.items():
        mine = dict(result.ranking(topic))
        assert mine.keys() == scores.keys()
        assert all(abs(mine[doc] - score) < 1e-12 for doc, score in scores.items()), (ours, topic)
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ranx") is None, reason="ranx is not installed: pip install ranx")
def test_ranx_gives_the_same_scores(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RANX], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
