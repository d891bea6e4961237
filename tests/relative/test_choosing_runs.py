"""``uj.relative``: runs that are chosen one after the other, and those fused, against trying all in plain Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from random_runs import DEPTH, Judged, Runs, collection, top

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.engine.numerics.fusion import fuse_first, fusions
from unjudged.errors import UnjudgedWarning
from unjudged.reports.relative import render_relative


def test_every_choice_adds_most_to_those_before() -> None:
    judged, runs = collection(10)
    result = uj.relative(judged, runs, "nDCG@3", choose=5)
    means = {row.run: row.value or 0.0 for row in uj.score(judged, runs, "nDCG@3").mean()}
    first, *others = result.choice()
    assert first.run == max(means, key=lambda run: means[run])
    assert first.nrg == pytest.approx(max(means.values()))
    taken = [first.run]
    for row in others:
        rest = uj.relative(judged, runs, "nDCG@3", prior_runs=taken)
        best = max(rest.rows(), key=lambda one: one.nrg)
        assert (row.run, row.nrg) == (best.run, pytest.approx(best.nrg))
        taken.append(row.run)
    relevant = {(topic, doc) for topic, docs in judged.items() for doc, grade in docs.items() if grade}
    seen = {(topic, doc) for run in runs.values() for topic in run for doc in top(run, topic, 3)}
    assert others[-1].relevant == pytest.approx(len(relevant & seen) / len(relevant))


def added_by(judged: Judged, runs: Runs, name: str, taken: list[str], *, only_new: bool) -> float:
    """nDCG@3 of what *taken* runs leave, in plain Python; with *only_new* from documents none of them has in its top.

    Rank 1 is seen for sure, rank 2 with chance 0.63, rank 3 with 0.5.
    """
    total = 0.0
    for topic, grades in judged.items():
        tops = [top(runs[one], topic, 3) for one in taken]
        left = {
            doc: grade * math.prod(1 - 1 / math.log2(one.index(doc) + 2) for one in tops if doc in one)
            for doc, grade in grades.items()
        }
        seen = {doc for one in runs for doc in top(runs[one], topic) if one in taken}
        mine = enumerate(top(runs[name], topic, 3), start=2)
        gain = sum(left.get(doc, 0) / math.log2(at) for at, doc in mine if not (only_new and doc in seen))
        ideal = sum(one / math.log2(at) for at, one in enumerate(sorted(left.values(), reverse=True)[:3], start=2))
        total += gain / ideal if ideal else 0.0
    return total / len(judged)


def cost(judged: Judged, runs: Runs, name: str, taken: list[str]) -> int:
    """Judged documents that a run has in its top, and no taken run."""
    count = 0
    for topic, grades in judged.items():
        earlier = {doc for one in taken for doc in top(runs[one], topic)}
        count += sum(doc in grades and doc not in earlier for doc in top(runs[name], topic))
    return count


@pytest.mark.parametrize("holes", ["nonrelevant", "joint"])
@pytest.mark.parametrize("by", ["gain", "gain-per-judgment"])
@pytest.mark.parametrize("seed", range(30, 42))
def test_choices_are_those_of_trying_every_run_at_every_step(by: Any, holes: str, seed: int) -> None:
    judged, runs = collection(seed, runs=6, topics=3)
    runs["copy"] = runs["run2"]
    prior = ["run5"] if seed % 2 else []
    result = uj.relative(
        judged, runs, "nDCG@3", pool_depth=DEPTH, choose=7, choose_by=by, prior_runs=prior or None, holes=holes
    )
    taken, rest = list(prior), [name for name in runs if name not in prior]
    for row in result.choice():
        wanted = {name: added_by(judged, runs, name, taken, only_new=False) for name in rest}
        costs = {name: cost(judged, runs, name, taken) for name in rest}
        if by == "gain-per-judgment":
            news = {name: added_by(judged, runs, name, taken, only_new=True) for name in rest}
            wanted = {name: news[name] / costs[name] if costs[name] else 0.0 for name in rest}
        assert wanted[row.run] == pytest.approx(max(wanted.values()))
        assert row.nrg == pytest.approx(added_by(judged, runs, row.run, taken, only_new=False))
        assert row.judgments == costs[row.run]
        rest.remove(row.run)
        taken.append(row.run)
    assert rest == []


def test_documents_that_nobody_judged_are_counted_beside_the_judgments_that_a_run_costs() -> None:
    judged, runs = collection(3)
    for by in ("gain", "gain-per-judgment"):
        result, seen = uj.relative(judged, runs, "nDCG@3", pool_depth=DEPTH, choose=5, choose_by=by), set()
        for row in result.choice():
            mine = {(topic, doc) for topic in judged for doc in top(runs[row.run], topic)} - seen
            seen |= mine
            assert row.judgments == sum(doc in judged[topic] for topic, doc in mine)
            assert row.unjudged == len(mine) - row.judgments
        assert sum(row.unjudged for row in result.choice()) > 0
    shown = render_relative(result, "table")
    assert "adds most per judgment" in shown
    assert "unjudged: those that nobody judged" in " ".join(shown.split())


def test_a_copy_is_not_worth_a_judgment() -> None:
    """It costs nothing, but nothing is gained: what it adds was judged for the first one."""
    judged = {"1": {"a": 4, "b": 4, "c": 1, "d": 0}}
    order = {"x": "ab", "y": "ab", "z": "dc"}
    runs = {name: {"1": {doc: 9.0 - i for i, doc in enumerate(docs)}} for name, docs in order.items()}
    by_gain = uj.relative(judged, runs, "nDCG@2", choose=3)
    assert [(row.run, row.judgments) for row in by_gain.choice()] == [("x", 2), ("y", 0), ("z", 2)]
    per_judgment = uj.relative(judged, runs, "nDCG@2", choose=3, choose_by="gain-per-judgment")
    assert [(row.run, row.judgments) for row in per_judgment.choice()] == [("x", 2), ("z", 2), ("y", 0)]


def test_what_a_run_has_below_the_pool_costs_no_judgment_and_counts_for_none() -> None:
    """Whole runs are scored, but only their first document would be judged: y is chosen for c, not z for b and d."""
    judged = {"1": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0}}
    order = {"x": "a", "y": "ce", "z": "ebd"}
    runs = {name: {"1": {doc: 9.0 - i for i, doc in enumerate(docs)}} for name, docs in order.items()}
    asked: Any = {"pool_depth": 1, "choose": 3, "prior_runs": ["x"]}
    by_gain = uj.relative(judged, runs, "nDCG", **asked)
    assert [(row.run, row.judgments) for row in by_gain.choice()] == [("z", 1), ("y", 1)]
    per_judgment = uj.relative(judged, runs, "nDCG", choose_by="gain-per-judgment", **asked)
    assert [(row.run, row.judgments) for row in per_judgment.choice()] == [("y", 1), ("z", 1)]


@pytest.mark.parametrize("fuse", ["RRF", "RRF(k=1)", "CombSUM", "CombMNZ"])
def test_fused_runs_are_scored_as_any_other(fuse: str) -> None:
    judged, runs = collection(19)
    models = ["joint", "nonrelevant", "condensed", "bootstrap(draws=50)"]
    result = uj.relative(
        judged, runs, "nDCG@3", prior_runs=["run4"], choose=3, fuse=fuse, holes=models, absolute="RBP@5"
    )
    assert len(result.fusion()) == 3 * len(models)
    best = max(uj.score(judged, runs, "RBP@5").mean(), key=lambda row: row.value or 0.0).run
    together = ["run4"]
    for step, chosen in enumerate(result.choice()):
        together.append(chosen.run)
        (run,) = fuse_first([uj.read_run(runs[one]) for one in together], fusions.choose(fuse), [len(together)])
        scores = uj.score(judged, {"fused": run, "alone": runs[best]}, "RBP@5", holes=models)
        for row in result.fusion()[step * len(models) : (step + 1) * len(models)]:
            mine = next(one for one in scores.mean() if (one.run, one.holes) == ("fused", row.holes))
            alone = next(one for one in scores.mean() if (one.run, one.holes) == ("alone", row.holes))
            assert (row.runs, row.last, row.best) == (len(together), chosen.run, best)
            assert (row.score, row.low, row.high, row.judged) == (mine.value, mine.low, mine.high, mine.judged)
            assert (row.best_score, row.best_low) == (alone.value, alone.low)
            assert (row.best_high, row.best_judged) == (alone.high, alone.judged)


def test_a_fused_run_has_holes_of_its_own() -> None:
    """Each run has judged documents on top; what both have further down, and nobody judged, comes between them."""
    judged = {"1": {"a": 1, "b": 1}}
    runs = {"x": {"1": {"a": 3.0, "h": 2.0}}, "y": {"1": {"b": 3.0, "h": 2.0}}}
    last = uj.relative(judged, runs, "P@1", choose=2, fuse="RRF").fusion()[-1]
    assert (last.best_score, last.best_judged) == (1.0, 1.0)
    assert (last.score, last.low, last.high, last.judged) == (0.0, 0.0, 1.0, 0.0)


def test_what_models_cannot_say_about_the_absolute_score_is_left_out(tmp_path: Path) -> None:
    """Measures of subtopics that are divided by an ideal ranking have no joint bounds; there is the score alone."""
    (tmp_path / "qrels").write_text("".join(f"1 {i} d{i} 1\n" for i in range(1, 5)))
    runs = {"x": {"1": {"d1": 2.0, "d2": 1.0}}, "y": {"1": {"d3": 2.0, "z": 1.0}}}
    given = {"choose": 2, "fuse": "RRF", "absolute": "alpha_nDCG@2", "format": "diversity"}
    with pytest.warns(UnjudgedWarning, match=r"^these are diversity judgments; "):
        result = uj.relative(tmp_path / "qrels", runs, "P@2", **given)
    assert {row.holes for row in result.rows()} == {"joint"}
    assert {(row.holes, row.low) for row in result.fusion()} == {("nonrelevant", None)}


def test_evidence_has_an_interval_for_fused_runs(tmp_path: Path) -> None:
    demo = write_collection(tmp_path)
    result = uj.relative(demo.qrels, demo.runs, groups=demo.teams, holes="evidence(draws=50)", choose=3, fuse="RRF")
    last = result.fusion()[-1]
    assert (last.runs, last.holes) == (3, "evidence(draws=50)")
    assert last.judged is not None
    assert last.low is not None
    assert last.high is not None
    assert 0 < last.low < last.score < last.high < 1
    assert last.judged < 1


def test_runs_that_can_be_read_once_are_fused_too() -> None:
    judged, runs = collection(21, runs=3)
    again = {name: ((t, d, s) for t, docs in run.items() for d, s in docs.items()) for name, run in runs.items()}
    once = uj.relative(judged, again, "nDCG@3", choose=3, fuse="CombSUM")
    assert once.fusion() == uj.relative(judged, runs, "nDCG@3", choose=3, fuse="CombSUM").fusion()
