"""evidence: a group whose unjudged documents look unlike those of any group that was left out."""

from __future__ import annotations

import random
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from evidence_oracles import others, with_occurrences
from grouped_runs import DEPTH, as_runs, collection, pooled

import unjudged as uj
from unjudged.errors import Notice
from unjudged.holes.evidence_model import new_kinds
from unjudged.holes.evidence_model.model import EvidenceModel

NEW = "new"


@cache
def parts(groups: int = 14) -> tuple[Any, Any, Any, Any]:
    """Truth, what is judged of it without the newcomer, rankings, groups. Others never find every third document."""
    truth, rankings, group_of = collection(3, groups=groups, runs=1, topics=15, docs=90)
    rng = random.Random(1)
    hidden = {topic: {doc for doc in docs if int(doc[1:]) % 3 == 0} for topic, docs in truth.items()}
    rankings = {
        run: {topic: [doc for doc in docs if doc not in hidden[topic]] for topic, docs in ranked.items()}
        for run, ranked in rankings.items()
    }
    rankings["new"] = {
        topic: sorted(docs, key=lambda doc, docs=docs: -docs[doc] - rng.gauss(0, 1))[:40]
        for topic, docs in truth.items()
    }
    group_of = {**group_of, "new": NEW}
    return truth, pooled(truth, rankings, [run for run in rankings if run != NEW]), rankings, group_of


def scores() -> uj.Scores:
    _, judged, rankings, group_of = parts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.score(
            judged, as_runs(rankings), "P@6", holes="evidence(draws=100)", groups=group_of, pool_depth=DEPTH
        )


def of_new(found: uj.Scores) -> tuple[float, float, float]:
    run = found.runs.index(NEW)
    return float(found.means[0, 0, run]), float(found.mean_low[0, 0, run]), float(found.mean_high[0, 0, run])


def model_of_new() -> new_kinds.Expected:
    """What is expected of the newcomer, by the two."""
    _, judged, rankings, group_of = parts()
    model = others(judged, rankings, group_of)
    expected = [model.new_kinds._expected(g, left_out=False) for g in range(len(model.occurrences.keys))]
    return next(one for g, one in enumerate(expected) if one is not None and model.new_kinds.of_holes(g))


def notices(found: uj.Scores) -> list[Notice]:
    return [one for one in found.warnings if one.code == new_kinds.NEW_KIND]


def test_a_new_kind_is_said_in_one_line_and_its_interval_holds_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, _, rankings, _ = parts()
    true = uj.score(truth, as_runs(rankings), "P@6").mean()[NEW, "P@6"]
    found = scores()
    value, low, high = of_new(found)
    (notice,) = notices(found)
    odds = np.exp(model_of_new().distance)
    assert notice.message == (
        "new: maybe a new kind of system: by its own judged documents, the odds that unjudged ones are relevant are"
        f" {odds:.1f} times those by other runs, further apart than for 9 in 10 of 12 groups left out; estimates follow"
        " its own, with intervals as wide as those of discounted"
    )
    monkeypatch.setattr(new_kinds, "SHARE", 0.0)
    usual, usual_low, usual_high = of_new(scores())
    assert notices(scores()) == []
    assert abs(value - true) < abs(usual - true) / 2
    assert low <= true <= high
    assert high - low > usual_high - usual_low


def test_groups_that_were_in_the_pool_are_estimated_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    found = scores()
    monkeypatch.setattr(new_kinds, "SHARE", 0.0)
    usual = scores()
    rest = [i for i, run in enumerate(found.runs) if run != NEW]
    np.testing.assert_array_equal(found.values[0, 0, rest], usual.values[0, 0, rest])


def test_the_mean_grade_is_that_by_the_runs_own_documents() -> None:
    _, judged, rankings, group_of = parts()
    model = others(judged, rankings, group_of)
    (new,) = [g for g in range(len(model.occurrences.keys)) if model.new_kinds.of_holes(g)]
    holes = model.group_fit(new).holes
    near = holes.rows(np.flatnonzero(holes.ranks <= DEPTH))
    own = model.discounted.expected_of(near.pairs, near.runs, near.ranks, unjudged=None)
    fitted = model.group_fit(new).model
    assert fitted is not None
    moved = fitted.moved(model.new_kinds.of_holes(new)).probabilities(near.features)
    assert (moved @ np.arange(3)).mean() == pytest.approx((own @ np.arange(3)).mean(), abs=1e-6)


def test_a_group_like_the_others_is_not_new() -> None:
    truth, rankings, group_of = collection(3, groups=14, runs=1, topics=15, docs=90)
    for newcomer in ("g2", "g8", "g13"):
        judged = pooled(truth, rankings, [run for run in rankings if group_of[run] != newcomer])
        model = others(judged, rankings, group_of)
        assert not any(map(model.new_kinds.of_holes, range(len(model.occurrences.keys))))


def test_too_few_groups_say_nothing_about_kinds() -> None:
    _, judged, rankings, group_of = parts(groups=7)
    qrels, occurrences = with_occurrences(judged, rankings, group_of)
    model = EvidenceModel(qrels, occurrences, DEPTH)
    assert not any(map(model.new_kinds.of_holes, range(len(occurrences.keys))))
