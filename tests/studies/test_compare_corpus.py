"""compare: how much another corpus would change, measures that take no grades for holes, and pools."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from test_compare import as_runs, study

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.errors import UnjudgedWarning
from unjudged.uncertainty.intervals import mean_interval
from unjudged.uncertainty.significance import significance

pytestmark = [
    pytest.mark.filterwarnings("ignore:no p-value can be below"),
    pytest.mark.filterwarnings("ignore:.*drawn scores of .* are above its limit"),
    pytest.mark.filterwarnings("ignore:only .* of the documents that .* looks at are judged"),
]

T = TypeVar("T")

HOW = uj.CorpusBootstrap(images=130, corpus_size=1500)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("compare") / "demo").directory


# ---- the corpus in the budget


@pytest.mark.parametrize("measure", ["nDCG@10", "AP@20", "Q"])
def test_the_corpus_alone_is_what_resample_gives(demo: Path, measure: str) -> None:
    budget = study(demo, measure, draws=20, corpus=HOW).budget()
    images = uj.resample(demo / "qrels.txt", demo / "runs", measure, HOW)
    assert len(budget) == len(images.runs)
    for row in budget:
        assert row.corpus == pytest.approx(images.of(row.run, measure).std(), rel=1e-9)


@pytest.mark.parametrize("measure", ["nDCG@10", "Q", "infAP"])  # infAP takes no grades for holes: it has no P(A>B)
def test_which_run_is_better_on_images_is_what_resample_says(demo: Path, measure: str) -> None:
    pairs = study(demo, measure, draws=20, corpus=HOW).pairs()
    images = uj.resample(demo / "qrels.txt", demo / "runs", measure, HOW)
    for pair in pairs:
        both = zip(images.of(pair.run, measure).tolist(), images.of(pair.other, measure).tolist(), strict=True)
        gaps = [run - other for run, other in both]
        ahead = sum(gap > 1e-12 for gap in gaps) + 0.5 * sum(abs(gap) <= 1e-12 for gap in gaps)
        assert pair.p_greater_corpus == pytest.approx(ahead / len(gaps), abs=1e-12)
    assert any(0.1 < (pair.p_greater_corpus or 0) < 1 for pair in pairs)


def test_every_source_against_a_simulation() -> None:
    """The oracle draws images, grades and topics itself, writes everything out and counts; P@3 needs no more."""
    rng = random.Random(3)
    documents, topics = [f"d{i}" for i in range(12)], [str(t) for t in range(6)]
    qrels = {t: {doc: int(rng.random() < 0.4) for doc in rng.sample(documents, 7)} for t in topics}
    rankings = {name: {t: rng.sample(documents, 9) for t in topics} for name in ("a", "b")}
    how = uj.CorpusBootstrap(images=4000, corpus_size=12)
    comparison = uj.compare(
        qrels, as_runs(rankings), "P@3", test="sign", correction="none", draws=4000, corpus=how, prior="pool+run"
    )
    shown = {t: {doc for run in rankings.values() for doc in run[t][:3]} for t in topics}
    probabilities = {t: _probability_of_relevant(qrels[t], shown[t]) for t in topics}
    for row in comparison.budget():
        run = rankings[row.run]
        drawn: dict[str, list[float]] = {name: [] for name in ("holes", "topics", "corpus", "together")}
        observed = float(np.mean([_precision(run[t], qrels[t]) for t in topics]))
        expected = {t: np.mean([qrels[t].get(doc, probabilities[t]) for doc in run[t][:3]]) for t in topics}
        for _ in range(4000):
            image, again = rng.choices(documents, k=12), rng.choices(topics, k=len(topics))
            world = {t: {doc: int(rng.random() < probabilities[t]) for doc in documents} | qrels[t] for t in topics}
            moved = -observed
            for t in topics:
                if any(qrels[t].get(doc) for doc in image):
                    ranked = [doc for doc in run[t] for _ in range(image.count(doc))]
                    moved += _precision(ranked, qrels[t]) / len(topics)
            drawn["holes"].append(float(np.mean([_precision(run[t], world[t]) for t in topics])))
            drawn["topics"].append(float(np.mean([expected[t] for t in again])))
            drawn["corpus"].append(moved)
            drawn["together"].append(moved + float(np.mean([_precision(run[t], world[t]) for t in again])))
        for name, values in drawn.items():
            # Both are drawn 4,000 times, so each has a standard error of 1.1%.
            assert getattr(row, name) == pytest.approx(np.std(values), rel=0.06), name


def _precision(ranking: list[str], relevant: dict[str, int]) -> float:
    return sum(relevant.get(doc, 0) for doc in ranking[:3]) / 3


def _probability_of_relevant(judged: dict[str, int], shown: set[str]) -> float:
    """The average of the share in the pool and of the share among judged documents that runs show."""
    pool = float(np.mean(list(judged.values())))
    seen = [judged[doc] for doc in shown if doc in judged]
    return (pool + float(np.mean(seen))) / 2 if seen else pool


def test_the_corpus_changes_nothing_else(demo: Path) -> None:
    plain, more = study(demo, draws=100), study(demo, draws=100, corpus=HOW)
    assert (plain.rows(), plain.ranks()) == (more.rows(), more.ranks())
    assert plain.pairs() == tuple(pair._replace(p_greater_corpus=None) for pair in more.pairs())
    assert (plain.images, plain.corpus_size) == (None, None)
    assert (more.images, more.corpus_size) == (130, 1500)
    for row, other in zip(plain.budget(), more.budget(), strict=True):
        assert row.corpus is None
        assert (row.holes, row.topics) == (other.holes, other.topics)


@pytest.mark.parametrize("measure", ["nDCG@10", "Q"])
def test_threads_and_blocks_change_nothing(demo: Path, measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = study(demo, measure, draws=150, corpus=HOW, jobs=1).to_json()
    assert study(demo, measure, draws=150, corpus=HOW, jobs=4).to_json() == plain
    monkeypatch.setattr("unjudged.engine.numerics.joint_imputations.CELLS", 1000)
    assert study(demo, measure, draws=150, corpus=HOW, jobs=2).to_json() == plain
    monkeypatch.setattr("unjudged.uncertainty.corpus._BLOCK_ROWS", 1)
    monkeypatch.setattr("unjudged.engine.numerics.scoring.BLOCK_ROWS", 1)
    assert study(demo, measure, draws=150, corpus=HOW, jobs=3).to_json() == plain


def test_fewer_images_than_draws_and_the_other_way_round(demo: Path) -> None:
    few = study(demo, draws=130, corpus=HOW, prior="pool+run").budget()
    more = study(demo, draws=130, corpus=HOW.replace(images=200), prior="pool+run").budget()
    assert more[0].together == few[0].together
    assert study(demo, draws=200, corpus=HOW, prior="pool+run").budget()[0].together == few[0].together


def test_a_run_from_a_generator_is_read_once(demo: Path) -> None:
    ranking = {"101": {"D0016": 3.0, "D0103": 2.0}}
    runs: dict[str, Any] = {"rows": (("101", doc, score) for doc, score in ranking["101"].items()), "dict": ranking}
    with pytest.warns(UnjudgedWarning, match="lacks 24 of 25 judged topics"):
        comparison = uj.compare(demo / "qrels.txt", runs, corpus=HOW)
    assert comparison.budget()[0][1:] == comparison.budget()[1][1:]


def test_an_unknown_size_is_a_warning(demo: Path) -> None:
    codes = [notice.code for notice in study(demo, draws=10, corpus=uj.CorpusBootstrap(images=2)).warnings]
    assert codes == ["maybe-missing-kind", "little-judged", "guessed-corpus-size"]


# ---- intervals


@pytest.mark.parametrize("method", ["t", "percentile", "basic(draws=500)", "bca(draws=500)"])
def test_intervals_are_those_of_the_library(demo: Path, method: str) -> None:
    comparison = study(demo, draws=10, interval_method=method)
    scores = uj.score(demo / "qrels.txt", demo / "runs", "nDCG@10")
    row, other = comparison.rows()[0], comparison.rows()[3]
    values = np.stack([scores.values[0, 0, scores.runs.index(one.run)] for one in (row, other)])
    expected = mean_interval(values, method)
    assert (row.low, row.high) == (expected.low[0], expected.high[0])
    difference = mean_interval(values[:1] - values[1:], method)
    pair = comparison.pair(row.run, other.run)
    assert (pair.low, pair.high) == (difference.low[0], difference.high[0])
    assert comparison.interval_method == method


# ---- measures that take no grades for holes


QRELS = {
    "1": {"a": 1, "b": 0, "c": 1, "d": 0},
    "2": {"a": 0, "b": 1, "e": 1},
    "3": {"f": 1, "a": 0, "b": 0},
}
RANKINGS = {
    "one": {"1": ["x", "a", "b", "c"], "2": ["b", "x", "e"], "3": ["y", "f"]},
    "two": {"1": ["b", "y", "c"], "2": ["x", "y", "a", "e"], "3": ["a", "b", "f"]},
}


@pytest.mark.parametrize("measure", ["infAP", "indAP", "nDCG(judged_only=True)@3"])
def test_p_values_and_intervals_without_verdicts(measure: str) -> None:
    runs = as_runs(RANKINGS)
    comparison = uj.compare(QRELS, runs, measure, pool_depth=2, test="t", correction="none", draws=30)
    matrix = uj.score(QRELS, runs, measure, pool_depth=2).values[0, 0]
    pair = comparison.pair("one", "two")
    assert pair.difference == pytest.approx(abs(matrix[0].mean() - matrix[1].mean()))
    assert pair.p == significance(matrix, test="t").p[0]
    assert (pair.worst, pair.best, pair.bounds, pair.p_greater, pair.verdict) == (None,) * 5
    assert [row.holes for row in comparison.budget()] == [None, None]
    assert comparison.summary() == f"No verdicts: {measure} takes no grades for unjudged documents."
    assert [row.expected for row in comparison.rows()] == pytest.approx([row.mean for row in comparison.rows()])


def test_a_pool_is_taken_as_in_score() -> None:
    runs = as_runs(RANKINGS)
    pool = {"1": ["x", "y"], "2": ["x"], "3": ["y"]}
    options: dict[str, Any] = {"test": "t", "correction": "none", "draws": 10}
    with pytest.warns(UnjudgedWarning, match="infAP: the judgments list no document that was pooled but not judged"):
        without = uj.compare(QRELS, runs, "infAP", **options)
    given = uj.compare(QRELS, runs, "infAP", pool=pool, **options)
    expected = uj.score(QRELS, runs, "infAP", pool=pool).mean()
    assert {row.run: row.mean for row in given.rows()} == pytest.approx({run: expected[run, "infAP"] for run in runs})
    assert [row.mean for row in without.rows()] != [row.mean for row in given.rows()]


# ---- progress


def test_every_step_that_may_take_long_is_shown(demo: Path) -> None:
    steps: dict[str, tuple[int, int]] = {}

    def progress(items: Iterable[T], total: int, words: str = "", /) -> Iterable[T]:
        seen = list(items)
        steps[words] = (len(seen), total)
        return seen

    plain = study(demo, draws=10, corpus=HOW).to_json()
    assert study(demo, draws=10, corpus=HOW, progress=progress).to_json() == plain
    assert steps == {
        "reading runs": (12, 12),
        "drawing grades": (12, 12),
        "testing pairs": (1, 1),
        "bounding differences": (1, 1),
        "scoring images": (3, 3),
    }
    study(demo, draws=10, test="tukey_hsd(draws=20000)", progress=progress)  # 7,000 shuffles of 12 x 25 at once
    assert steps["testing pairs"] == (3, 3)
