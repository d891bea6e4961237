"""A script as users write it. It runs, and mypy --strict knows the type of everything that comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

import unjudged as uj
from unjudged.measures import AP, Measure, P, nDCG
from unjudged.plugins import HoleModel, find_plugins
from unjudged.results.comparison import PairRow
from unjudged.results.scores import ScoreRow, ScoreRows

qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d7": 1}}
runs = {
    "old": {"q1": {"d1": 9.5, "d2": 7.0}, "q2": {"d3": 3.2, "d7": 1.1}},
    "new": {"q1": {"d9": 0.9, "d1": 0.8}, "q2": {"d7": 0.7}},
}

# Measures
assert_type(nDCG @ 10, nDCG)
assert_type(P(rel=2) @ 5, P)
assert_type(uj.measures.AP, type[AP])
chosen: list[Measure] = [nDCG @ 10, P(rel=2) @ 5, AP()]

# Scores
scores = uj.score(qrels, runs, [*chosen, "RR"], holes=["bounds", "bootstrap"])
assert_type(scores, uj.Scores)
assert_type(scores.mean(), ScoreRows)
assert_type(scores.mean()["new", "AP", "bootstrap"], float)
row = scores.per_topic()[0]
assert_type(row, ScoreRow)
assert_type(row.low, float | None)
assert_type(scores.distribution("new", "q1", measure="AP").mean(), float)
assert_type(scores.to_json(), str)

# Comparisons
comparison = uj.compare(qrels, runs, nDCG @ 2)
assert_type(comparison, uj.Comparison)
pair = comparison.pairs()[0]
assert_type(pair, PairRow)
assert_type(pair.p, float)

# Files
assert_type(uj.read_qrels(qrels), uj.Qrels)
assert_type(uj.read_runs(runs), list[uj.Run])

# Everything else
assert_type(uj.reuse(qrels, runs, degrade="KeepFraction(50%)"), uj.Reuse)
assert_type(uj.relative(qrels, runs), uj.Relative)
assert_type(uj.judges(qrels, runs, {"model": qrels}), uj.Judges)
assert_type(uj.audit(qrels, runs, labels=qrels, top=3), uj.Audit)


assert_type(uj.properties(qrels, runs, ["P@2", nDCG], corpus=uj.CorpusBootstrap(images=3)), uj.Properties)
assert_type(str(uj.methods(scores)), str)
assert_type(find_plugins()[0].package if find_plugins() else "", str)
try:
    uj.score(qrels, runs, "nDGC@10")
except uj.InputError as problem:
    assert_type(problem, uj.InputError)


def widest(model: str | HoleModel) -> float:
    """The widest range over runs."""
    rows = uj.score(qrels, runs, nDCG @ 10, holes=model).mean()
    return max((one.high - one.low for one in rows if one.low is not None and one.high is not None), default=0.0)


assert_type(widest("bounds"), float)

# Charts, and what other questions return
assert_type(uj.doctor(qrels, runs), uj.Diagnosis)
assert_type(uj.plots.scores(scores).title, str)
page: Callable[..., uj.Page] = uj.report
