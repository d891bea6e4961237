"""Measures that are summed in one walk are what they compute, to the last bit, with both cores."""

from __future__ import annotations

import random
from types import ModuleType

import numpy as np
import pytest
from measure_views import make_view

import unjudged.kernels as kernels
from unjudged.data.pool_depth import judged_down_to, without_end
from unjudged.data.view import View
from unjudged.kernels import reference
from unjudged.measures import AP, Bpref, Measure, P, measures, nDCG, parse_measures
from unjudged.measures import walks as module
from unjudged.measures.walks import walked

SUMS = [
    *("P@1", "P@7", "P(rel=2)@5", "P(relative=True)@5", "R", "R@5", "R(rel=3)@100", "AP", "AP@3", "AP(rel=2)", "GMAP"),
    *("Rprec", "Rprec(rel=2)", "RR", "RR@2", "RR(rel=3)", "Success@1", "Success@5", "DCG", "DCG@4", "nDCG", "nDCG@10"),
    *("nDCG(dcg='exp-log2')@5", "nDCG(gains={1:0.5,3:7})@5", "DCG(gains={0:-1})", "RBP", "RBP(p=0.5)@3", "RBP(rel=1)"),
    *("RBP(max_grade=2)", "Bpref", "Bpref(form=paper)", "Bpref(plus=10)", "Bpref(rel=2)", "infAP", "infAP(pool=False)"),
    "infAP(epsilon=0.001,c=5)",
]
OTHERS = [
    "nERR@10",
    "RBP(scale=topic)",
    "AP(judged_only=True)",
    "P(judged_only=True)@5",
    "IPrec@0.1",
    "NumRet",
    "indAP",
]


@pytest.fixture(params=["active", "reference"])
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if request.param == "reference":
        for name in ("ready_sums", "sum_rankings"):
            monkeypatch.setattr(kernels, name, getattr(reference, name))
    return kernels


def some_view(seed: int) -> View:
    """Rankings of very different lengths, with judged, pooled and unlisted documents; a topic has nothing relevant."""
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(120)]
    qrels = {
        str(topic): {doc: rng.choice((-1, 0, 0, 0, 1, 1, 2, 3) if topic else (-1, 0)) for doc in rng.sample(docs, 60)}
        for topic in range(12)
    }
    run = {
        topic: {doc: rng.random() for doc in rng.sample(docs, rng.choice((1, 2, 5, 30, 64, 65, 110)))}
        for topic in qrels
        if topic != "7"
    }
    return make_view(run, qrels)


def chosen(names: list[str]) -> list[Measure]:
    return [measure for name in names for measure in parse_measures(name)]


@pytest.mark.parametrize("seed", range(8))
def test_one_walk_is_what_each_measure_computes(seed: int, core: ModuleType) -> None:
    view, asked = some_view(seed), chosen(SUMS + OTHERS)
    assert bool((view.lengths == 0).any())
    for some in (asked[:30], asked[30:]):
        found = walked(some, view)
        for measure, values in zip(some, found.values, strict=True):
            assert np.array_equal(values, measure.score(view), equal_nan=True), measure


@pytest.mark.parametrize("seed", range(3))
def test_what_is_judged_of_each_measure_is_counted_beside(seed: int, core: ModuleType) -> None:
    view, asked = some_view(seed), chosen(["P@5", "AP", "nDCG@30"])
    found = walked(asked, view)
    for measure, looked_at, judged, share in zip(
        asked, found.looked_at, found.judged, found.shares_judged, strict=True
    ):
        top = view.top(measure.depth())
        assert np.array_equal(looked_at, top.lengths)
        assert np.array_equal(judged, top.count(top.judged))
        assert np.array_equal(share, top.share(top.judged), equal_nan=True)
    assert np.array_equal(without_end(found.judged_first, view.lengths), judged_down_to(view))


def test_the_sums_are_used(core: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    for cls in (AP, P, nDCG, Bpref):
        monkeypatch.setattr(cls, "compute", never)
    walked(chosen(["AP", "P@5", "nDCG@10", "Bpref"]), some_view(1))


def test_a_class_that_computes_something_else_is_asked_itself() -> None:
    class Halved(AP):
        name = "HalvedAP"
        aliases = ()
        trec_names = ()

        def compute(self, view: View) -> np.ndarray:
            return super().compute(view) / 2

    try:
        view = some_view(2)
        both = walked([AP(), Halved()], view).values
        assert np.array_equal(both[1], AP().score(view) / 2)
        assert not np.array_equal(both[0], both[1])
    finally:
        measures.remove(Halved)


def test_views_that_the_kernel_does_not_know_are_scored_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    view, asked = some_view(3), chosen(["AP", "nDCG@10"])
    before = walked(asked, view)
    monkeypatch.setattr(module, "_plan", lambda *_: None)
    again = walked(asked, view)
    for name in ("values", "looked_at", "judged", "judged_first"):
        assert np.array_equal(getattr(before, name), getattr(again, name), equal_nan=True)


def test_rankings_that_do_not_fit_are_refused() -> None:
    view = some_view(4)
    one = AP().ranking_sum(view.qrels, 128)
    ready = kernels.ready_sums([one._replace(limits=np.zeros(len(view), dtype=np.int64))])
    whole = (view.topics, view.offsets, view.grades, view.states)
    kernels.sum_rankings(ready, *whole)
    if kernels.CORE == "fast":
        for wrong in (
            (view.topics + 12, *whole[1:]),
            (view.topics, view.offsets[::-1].copy(), *whole[2:]),
            (view.topics, view.offsets + 1, *whole[2:]),
            (view.topics[:-1], *whole[1:]),
            (*whole[:3], view.states[:-1]),
        ):
            with pytest.raises(ValueError, match="do not fit"):
                kernels.sum_rankings(ready, *wrong)
