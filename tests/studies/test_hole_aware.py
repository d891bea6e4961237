"""P-values over the grades of holes, against every labelling of small collections, each judged and tested anew."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import stats

import unjudged as uj
from unjudged.api.reading import read_measure
from unjudged.errors import InputError
from unjudged.studies.hole_aware_significance import check_grades, hole_aware_p, score_runs

Dicts = dict[str, dict[str, float]]


def collection(
    seed: int, topics: int = 5, holes: int = 5, noise: float = 0.4
) -> tuple[dict[str, dict[str, int]], Dicts, Dicts]:
    """A run that finds relevant documents first, one that does not, and few unjudged documents."""
    rng = np.random.default_rng(seed)
    qrels, good, bad = {}, {}, {}
    unjudged = rng.permutation(topics * 4)[:holes]
    for topic in range(topics):
        grades = {f"d{i}": int(i < 4) + int(i < 2) for i in range(8)}
        best = sorted(grades, key=lambda doc: -grades[doc] + rng.normal(0, noise))
        worst = sorted(grades, key=lambda doc: grades[doc] + rng.normal(0, noise))
        for hole in unjudged[unjudged // 4 == topic]:
            (best if hole % 2 else worst).insert(int(hole % 4), f"x{hole}")
        qrels[str(topic)] = grades
        good[str(topic)] = {doc: -float(rank) for rank, doc in enumerate(best[:5])}
        bad[str(topic)] = {doc: -float(rank) for rank, doc in enumerate(worst[:5])}
    return qrels, good, bad


def p_of(qrels: object, good: Dicts, bad: Dicts, measure: str, **how: object) -> float:
    judged, spec = uj.read_qrels(qrels), read_measure(measure)
    scored_runs = score_runs(judged, [uj.read_run(good), uj.read_run(bad)], spec)
    return hole_aware_p(spec, scored_runs, 0, 1, **how)  # type: ignore[arg-type]


def t_test(qrels: object, good: Dicts, bad: Dicts, measure: str) -> float:
    scores = uj.score(qrels, {"good": good, "bad": bad}, measure).values[0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scipy's about equal differences
        return float(stats.ttest_rel(*scores).pvalue)


@pytest.mark.parametrize("measure", ["P@3", "nDCG@3", "nDCG", "R(rel=2)@4", "RR", "AP", "ERR@3", "RBP"])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_holes_are_judged_p_is_not_higher(measure: str, seed: int) -> None:
    qrels, good, bad = collection(seed)
    holes = {(t, doc) for run in (good, bad) for t, docs in run.items() for doc in docs if doc not in qrels[t]}
    assert 3 <= len(holes) <= 5
    p = p_of(qrels, good, bad, measure)
    assert p < 0.2 or measure in {"AP", "RR", "ERR@3"}  # whose bounds are wider than needed
    for grades in product(range(3), repeat=len(holes)):
        if seed and set(grades) - {0, 2}:
            continue  # all grades once, then only the extremes
        labelled = {topic: dict(docs) for topic, docs in qrels.items()}
        for (topic, doc), grade in zip(sorted(holes), grades, strict=True):
            labelled[topic][doc] = grade
        assert not t_test(labelled, good, bad, measure) > p + 1e-9


@pytest.mark.parametrize("grades", ["any", "drawn"])
@pytest.mark.parametrize("measure", ["nDCG@3", "AP"])
def test_without_holes_it_is_the_t_test(measure: str, grades: str) -> None:
    qrels, good, bad = collection(0, topics=12, holes=0)
    assert p_of(qrels, good, bad, measure, grades=grades) == pytest.approx(t_test(qrels, good, bad, measure), rel=1e-9)


def test_it_can_still_be_significant_with_holes() -> None:
    qrels, good, bad = collection(3, topics=20, holes=8, noise=1.5)
    plain = t_test(qrels, good, bad, "nDCG@5")
    drawn, highest = (p_of(qrels, good, bad, "nDCG@5", grades=grades) for grades in ("drawn", "any"))
    assert plain < drawn < highest < 0.05


def test_holes_that_two_runs_share_cancel() -> None:
    qrels, good, bad = collection(0, topics=8, holes=0, noise=1.5)
    for run in (good, bad):
        for docs in run.values():
            docs["x"] = 1.0  # first in both
    measure = "P@3"  # whose divisor no label changes
    assert p_of(qrels, good, bad, measure) == pytest.approx(t_test(qrels, good, bad, measure), rel=1e-9)


def test_measures_that_take_no_grades_for_holes_have_the_plain_test() -> None:
    qrels, good, bad = collection(1, topics=12)
    measure = "nDCG(judged_only=True)@3"
    assert p_of(qrels, good, bad, measure) == pytest.approx(t_test(qrels, good, bad, measure), rel=1e-9)


def test_some_topics_only() -> None:
    qrels, good, bad = collection(2, topics=10)
    chosen = ["1", "4", "5", "8"]
    part = {topic: qrels[topic] for topic in chosen}
    parts = [{topic: run[topic] for topic in chosen} for run in (good, bad)]
    rows = np.array([1, 4, 5, 8])
    for grades in ("any", "drawn"):
        whole = p_of(qrels, good, bad, "nDCG@3", topics=rows, grades=grades)
        assert whole == pytest.approx(p_of(part, *parts, "nDCG@3", grades=grades), rel=1e-9)


def test_what_cannot_be_asked_for_is_said() -> None:
    with pytest.raises(InputError, match=r"^grades must be one of 'any', 'drawn', not 'all'$"):
        check_grades("all", 10)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^draws must be a whole number of at least 2, not 1$"):
        check_grades("drawn", 1)
