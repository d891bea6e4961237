"""The bootstrap over holes: draws, against exact distributions and bounds."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hole_oracles import (
    EVERY,
    Floats,
    Topic,
    distributions,
    merged,
    random_cases,
    random_topic,
    view_of,
)
from scipy import stats

from unjudged.data.view import View
from unjudged.holes import Bootstrap, Bounds, Condensed, Joint, NonRelevant, Settings
from unjudged.holes.imputation import scores_of_draws as drawing
from unjudged.measures import Measure, measures


@pytest.fixture(scope="module")
def thousand() -> View:
    """1,000 random small topics with at least one hole."""
    rng = random.Random(5)
    topics: dict[str, Topic] = {}
    while len(topics) < 1000:
        topic = random_topic(rng, 3, length=6, holes=3, outside=5)
        if topic.holes():
            topics[f"{len(topics)}"] = topic
    return view_of(
        {name: topic.ranking() for name, topic in topics.items()},
        {name: topic.judgments() for name, topic in topics.items()},
    )


@pytest.mark.parametrize("text", ["nDCG@5", "AP", "ERR"])
@pytest.mark.parametrize("options", [{}, {"prior": "run", "order": "doc"}], ids=str)
def test_draws_agree_with_exact_distributions_on_1000_topics(
    thousand: View, text: str, options: dict[str, Any]
) -> None:
    """Chi-square, mean and variance. The seed is fixed, so this cannot fail by chance."""
    measure, draws = measures.parse(text), 1000
    exact = distributions(Bootstrap(draws=1, **options), measure, thousand)
    drawn = Bootstrap(draws=draws, method="draws", **options).estimate(measure, thousand, Settings(seed=7)).draws
    assert drawn is not None
    probabilities, mean_errors, variance_errors = [], [], []
    for one, scores_ in zip(exact, drawn, strict=True):
        assert one.weights is not None
        values, weights = merged(one.values, one.weights)
        cell = np.abs(scores_[:, None] - values).argmin(axis=1)
        np.testing.assert_allclose(scores_, values[cell], rtol=0, atol=1e-9)
        if one.std() < 1e-9:
            continue
        probabilities.append(chi_square(np.bincount(cell, minlength=len(values)), weights * draws))
        mean, variance = one.mean(), one.std() ** 2
        fourth = float(np.average((one.values - mean) ** 4, weights=one.weights))
        mean_errors.append((scores_.mean() - mean) / np.sqrt(variance / draws))
        if fourth - variance**2 > 1e-12:
            squares = ((scores_ - mean) ** 2).mean()
            variance_errors.append((squares - variance) / np.sqrt((fourth - variance**2) / draws))
    tested = np.array([probability for probability in probabilities if probability is not None])
    assert len(tested) > 300
    assert tested.min() > 1e-5
    assert (tested < 0.01).mean() < 0.025
    assert 0.45 < tested.mean() < 0.55
    for errors in (np.array(mean_errors), np.array(variance_errors)):
        assert abs(errors.mean()) < 4 / np.sqrt(len(errors))
        assert 0.9 < np.sqrt((errors**2).mean()) < 1.1


def chi_square(observed: np.ndarray[Any, Any], expected: Floats) -> float | None:
    """P-value; cells in which fewer than 5 draws are expected are taken together. None where one cell is left."""
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 5 and len(expected) > 1:
            observed, expected = (np.append(one[:-2], one[-2:].sum()) for one in (observed, expected))
    if len(expected) < 2:
        return None
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, len(expected) - 1))


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_no_draw_leaves_the_naive_bounds(measure: Measure) -> None:
    for case in random_cases(6, 6):
        view = case.view()
        limits = Bounds().estimate(measure, view, Settings())
        for order in ("rank", "doc"):
            model = Bootstrap(draws=50, method="draws", order=order)
            draws = model.estimate(measure, view, Settings()).draws
            assert draws is not None
            assert (draws >= limits.low[:, None] - 1e-9).all(), case  # type: ignore[index]
            assert (draws <= limits.high[:, None] + 1e-9).all(), case  # type: ignore[index]


def test_draws_never_give_a_grade_more_often_than_the_pool_has_it_outside(
    thousand: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def watched(measure: Measure, view: View, rankings: Any, rows: Any, labels: Any, scale: Any) -> Floats:
        given.append((view, rankings, labels))
        return np.zeros(labels.shape[:2])

    monkeypatch.setattr(drawing, "score_drawn", watched)
    Bootstrap(draws=100).estimate(measures.parse("nDCG@5"), thousand, Settings())
    assert len(given) > 2
    for view, rankings, labels in given:
        for ranking, of_ranking in zip(rankings.tolist(), labels, strict=True):
            topic = view.qrels.topics[view.topics[ranking]]
            pool = Counter(view.qrels.judgments(topic).values())
            rows = slice(view.offsets[ranking], view.offsets[ranking + 1])
            inside = Counter(view.grades[rows][view.judged[rows]].tolist())
            for grade in (1, 2, 3):
                assert (of_ranking == grade).sum(axis=1).max() <= pool[grade] - inside[grade]


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_without_holes_every_model_gives_the_plain_score_and_no_width(measure: Measure) -> None:
    topics = {"1": Topic("2010|3"), "2": Topic("0|"), "3": Topic("310|0011")}
    view = view_of({t: one.ranking() for t, one in topics.items()}, {t: one.judgments() for t, one in topics.items()})
    plain = measure.score(view)
    for model in (NonRelevant(), Condensed(), Bounds(), Joint(), Bootstrap(draws=3), Bootstrap(point="mode", draws=2)):
        estimate = model.estimate(measure, view, Settings())
        np.testing.assert_array_equal(estimate.value, plain)
        for end in (estimate.low, estimate.high):
            if end is not None:
                np.testing.assert_array_equal(end, plain)
        if estimate.draws is not None:
            np.testing.assert_array_equal(estimate.draws, np.repeat(plain[:, None], estimate.draws.shape[1], axis=1))
