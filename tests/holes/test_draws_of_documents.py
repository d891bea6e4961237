"""Draws belong to (topic, document) pairs, so neither workers nor blocks nor other runs change them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hole_oracles import (
    view_of,
)
from scipy import stats

import unjudged as uj
from unjudged.holes import Bootstrap, Estimate, Settings
from unjudged.holes.imputation.filling import Holes
from unjudged.holes.imputation.grade_sampler import hole_keys
from unjudged.kernels.splitmix import GOLDEN, mixed, to_unit
from unjudged.measures import measures


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and three runs with many holes, too many for exact distributions."""
    rng = random.Random(9)
    docs = [f"doc{i:02d}" for i in range(40)]
    qrels = {f"{t}": {doc: rng.choice([0, 0, 1, 2]) for doc in rng.sample(docs, 15)} for t in range(8)}
    runs = {
        name: {topic: {doc: rng.random() for doc in rng.sample(docs, 25)} for topic in qrels if topic != name[-1]}
        for name in ("run-0", "run-x", "run-3")
    }
    return qrels, runs


MODELS = ["bootstrap(draws=40)", "bootstrap(draws=40,order='doc',point='mode')", "bounds", "joint"]
TEXTS = ["nDCG@8", "AP", "GMAP", "ERR", "Bpref"]


def numbers(jobs: int | None = 1, seed: int = 1, **changes: Any) -> uj.Scores:
    qrels, runs = collection()
    with pytest.warns(uj.UnjudgedWarning):
        return uj.score(
            changes.get("qrels", qrels), changes.get("runs", runs), TEXTS, holes=MODELS, jobs=jobs, seed=seed
        )


@pytest.fixture(scope="module")
def plain() -> uj.Scores:
    return numbers()


def assert_same(one: uj.Scores, other: uj.Scores) -> None:
    for name in ("values", "low", "high", "means", "mean_low", "mean_high"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("run", [None, "run-x"])
def test_workers_make_no_difference(run: str | None) -> None:
    """Several runs are worked on beside each other; of a single run, its blocks are."""
    runs = collection()[1]
    chosen = runs if run is None else {run: runs[run] | {"0": {"doc00": 1.0}}}
    if run is not None:
        del chosen[run]["7"]
    alone = numbers(1, runs=chosen)
    for jobs in (2, 4, None):
        assert_same(alone, numbers(jobs, runs=chosen))


@pytest.mark.parametrize("rows", [1, 30, 100])
@pytest.mark.parametrize("cells", [1, 1000])
def test_block_sizes_make_no_difference(
    rows: int, cells: int, plain: uj.Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unjudged.engine.numerics.scoring.BLOCK_ROWS", rows)
    monkeypatch.setattr("unjudged.holes.bootstrap.CELLS", cells)
    monkeypatch.setattr("unjudged.holes.bounds._CELLS", cells)
    assert_same(numbers(), plain)
    one = {"run-x": {topic: docs for topic, docs in collection()[1]["run-x"].items() if topic != "7"}}
    assert_same(numbers(4, runs=one), numbers(1, runs=one))


def test_seeds_make_a_difference_and_the_same_seed_none(plain: uj.Scores) -> None:
    again, other = numbers(seed=1), numbers(seed=2)
    assert_same(plain, again)
    drawn = [i for i, name in enumerate(plain.holes) if name.startswith("bootstrap")]
    assert (plain.values[drawn] != other.values[drawn]).any(axis=(1, 2, 3)).all()
    still = [i for i in range(len(plain.holes)) if i not in drawn]
    np.testing.assert_array_equal(plain.values[still], other.values[still])


def test_order_of_topics_lines_and_runs_makes_no_difference(plain: uj.Scores) -> None:
    qrels, runs = collection()
    rng = random.Random(3)

    def shuffled(items: dict[str, Any]) -> dict[str, Any]:
        return {
            key: shuffled(items[key]) if isinstance(items[key], dict) else items[key]
            for key in rng.sample(list(items), len(items))
        }

    other = numbers(qrels=shuffled(qrels), runs=shuffled(runs))
    run = [other.runs.index(name) for name in plain.runs]
    topic = [other.topics.index(name) for name in plain.topics]
    for name in ("values", "low", "high"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name)[:, :, run][..., topic])
    for name in ("means", "mean_low", "mean_high"):  # sums over topics in another order
        np.testing.assert_allclose(getattr(plain, name), getattr(other, name)[:, :, run], rtol=0, atol=1e-12)


def test_an_unjudged_document_has_the_same_draws_in_every_run() -> None:
    """Two runs with the same holes at the same ranks, but other judged documents: what the holes add is the same."""
    judged = {f"j{i}": i % 3 for i in range(30)}
    runs = {
        name: {"1": {doc: float(20 - rank) for rank, doc in enumerate(docs)}}
        for name, docs in {"a": ["u1", "j1", "u2", "j2"], "b": ["u1", "j0", "u2", "j3"]}.items()
    }
    model = Bootstrap(prior="pool", draws=200, method="draws")
    measure = measures.parse("DCG@4")
    estimates: dict[str, Estimate] = {}
    for name, run in runs.items():
        view = view_of(run, {"1": judged})
        estimates[name] = model.estimate(measure, view, Settings())
        estimates[name].draws[...] -= measure.score(view)[:, None]  # type: ignore[index]
    np.testing.assert_allclose(estimates["a"].draws, estimates["b"].draws, rtol=0, atol=1e-12)  # type: ignore[arg-type]
    assert len(np.unique(estimates["a"].draws.round(9))) > 4  # type: ignore[union-attr]


def test_holes_are_drawn_apart() -> None:
    """Other documents, other topics and other draws have other numbers, without correlation."""
    view = view_of(
        {topic: {f"u{i}": float(9 - i) for i in range(4)} for topic in ("1", "2")},
        {topic: {f"j{i}": i % 2 for i in range(30)} for topic in ("1", "2")},
    )
    flat = to_unit(mixed(hole_keys(Holes(view), 3)[:, None] + np.arange(1, 4001, dtype=np.uint64) * GOLDEN))
    assert stats.kstest(flat.ravel(), "uniform").pvalue > 0.01
    between = np.corrcoef(flat) - np.eye(8)
    assert np.abs(between).max() < 0.06
    assert np.abs(np.corrcoef(flat[:, 1:].ravel(), flat[:, :-1].ravel())[0, 1]) < 0.02
