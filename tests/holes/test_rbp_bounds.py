"""RBP-inspired bounds: against measures of rankings whose holes are written out, and the paper's example."""

from __future__ import annotations

import numpy as np
import pytest

import unjudged as uj
from unjudged.testing.collections import random_collection

MEASURES = ["nDCG@5", "nDCG(dcg='exp-log2')@3", "AP", "RBP(p=0.8)", "P@5", "R@7", "ERR@5"]


def ends(qrels: dict, run: dict, measure: str, model: str = "rbp_bounds") -> tuple[np.ndarray, ...]:
    scores = uj.score(qrels, {"run": run}, measure, holes=model)
    return scores.values[0, 0, 0], scores.low[0, 0, 0], scores.high[0, 0, 0]


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_holes_have_nothing_or_the_highest_grade(measure: str, seed: int) -> None:
    run, qrels = random_collection(seed, negative=False)
    depth = {"AP": None, "RBP(p=0.8)": None}.get(measure, int(measure.rpartition("@")[2]) if "@" in measure else None)
    top = max(max(docs.values()) for docs in qrels.values())
    filled = {}
    for topic, docs in qrels.items():
        ranked = sorted(run.get(topic, {}), key=lambda doc: (run[topic][doc], doc.encode()), reverse=True)[:depth]
        filled[topic] = {**docs, **{doc: top for doc in ranked if doc not in docs}}
    value, low, high = ends(qrels, run, measure)
    best = uj.score(filled, {"run": run}, measure).values[0, 0, 0]
    assert value == pytest.approx(uj.score(qrels, {"run": run}, measure).values[0, 0, 0])
    assert low == pytest.approx(np.minimum(value, best), abs=1e-12)
    assert high == pytest.approx(np.maximum(value, best), abs=1e-12)


def test_table_1_of_paper_1() -> None:
    """[1, ?] on a scale to 3: 1.00 with nothing, .71 with the highest grade, and .80 when its grade is 2."""
    value, low, high = ends(
        {"1": {"a": 1}}, {"1": {"a": 2.0, "x": 1.0}}, "nDCG(dcg='exp-log2')@2", "rbp_bounds(max_grade=3)"
    )
    assert [f"{one[0]:.2f}" for one in (value, low, high)] == ["1.00", "0.71", "1.00"]


def test_a_scale_that_ends_below_the_judgments_is_refused() -> None:
    with pytest.raises(uj.InputError) as error:
        ends({"1": {"a": 2}}, {"1": {"a": 2.0, "x": 1.0}}, "AP", "rbp_bounds(max_grade=1)")
    assert str(error.value) == "max_grade=1 contradicts the judgments, whose highest grade is 2"
