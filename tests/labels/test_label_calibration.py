"""What labels turned out to mean: learned where people judged the same pairs, on other topics."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unjudged.kernels.splitmix import mixed
from unjudged.labels.calibration import chances_of_reaching, drawn_grades, expected_gains
from unjudged.labels.folds import FOLDS, dealt_folds, folds_of


def test_drawn_grades_have_their_chances_and_belong_to_the_document() -> None:
    chances = np.tile([0.5, 0.3, 0.2], (20_000, 1))
    keys = mixed(np.arange(20_000, dtype=np.uint64))
    drawn = drawn_grades(chances, keys, 3)
    assert np.abs(np.bincount(drawn) / len(drawn) - [0.5, 0.3, 0.2]).max() < 0.015
    assert np.array_equal(drawn[::-1], drawn_grades(chances, keys[::-1], 3))
    assert (drawn != drawn_grades(chances, keys, 4)).mean() > 0.5


def pairs(number: int = 3000) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    topics = rng.integers(0, 30, number)
    feature = rng.normal(0, 1, number)
    labels = rng.integers(0, 4, number).astype(float)
    gains = (rng.random(number) < 1 / (1 + np.exp(-(labels - 1.5 + feature)))).astype(float)
    return labels, feature[:, None], topics, rng.random(number) < 0.2, gains


def test_expected_gains_are_those_of_a_logistic_regression_on_other_topics() -> None:
    labels, features, topics, sampled, gains = pairs()
    expected = expected_gains(labels, features, folds_of(topics, 1), sampled, gains)
    folds = folds_of(topics, 1)
    assert len(np.unique(folds)) == FOLDS
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    columns = np.concatenate([np.eye(5)[labels.astype(int)], scaled], axis=1)
    for fold in range(FOLDS):
        learn, here = sampled & (folds != fold), folds == fold
        model = LogisticRegression(C=10, fit_intercept=False, tol=1e-10, max_iter=10_000)
        wanted = model.fit(columns[learn], gains[learn]).predict_proba(columns[here])[:, 1]
        assert np.abs(expected[here] - wanted).max() < 1e-5


def test_a_topic_does_not_say_what_its_own_documents_are_expected_by() -> None:
    labels, features, topics, sampled, gains = pairs()
    before = expected_gains(labels, features, folds_of(topics, 1), sampled, gains)
    other = np.where(topics == 7, 1 - gains, gains)
    after = expected_gains(labels, features, folds_of(topics, 1), sampled, other)
    assert np.array_equal(before[topics == 7], after[topics == 7])
    assert not np.array_equal(before, after)


def test_graded_gains_add_up_over_the_grades() -> None:
    labels, features, topics, sampled, gains = pairs()
    graded = gains * (1 + 2 * (labels >= 2))
    expected = expected_gains(labels, features, folds_of(topics, 1), sampled, graded)
    assert expected.mean() == pytest.approx(graded.mean(), abs=0.1)
    assert np.diff([expected[labels == label].mean() for label in range(4)]).min() > 0
    assert expected.min() >= 0
    assert expected.max() <= 3


def test_one_gain_only_is_what_all_have() -> None:
    labels, features, topics, sampled, gains = pairs()
    assert set(expected_gains(labels, features, folds_of(topics, 1), sampled, 0 * gains + 2).tolist()) == {2.0}


def test_labels_with_many_values_are_binned() -> None:
    rng = np.random.default_rng(1)
    labels, topics = rng.random(5000), rng.integers(0, 30, 5000)
    gains = (rng.random(5000) < labels).astype(float)
    expected = expected_gains(labels, np.zeros((5000, 1)), folds_of(topics, 1), np.ones(5000, dtype=bool), gains)
    assert np.abs(expected - labels).max() < 0.15


def test_chances_never_rise_with_the_level() -> None:
    labels, features, topics, sampled, gains = pairs()
    graded = gains * (1 + 2 * (labels >= 2))
    levels = np.array([1.0, 3.0])
    chances = chances_of_reaching(labels, features, folds_of(topics, 1), sampled, graded, levels)
    assert (chances[:, 1] <= chances[:, 0]).all()
    assert np.allclose(
        expected_gains(labels, features, folds_of(topics, 1), sampled, graded), chances @ [1, 2], atol=1e-12
    )


def test_dealt_folds_have_as_many_topics_each() -> None:
    keys = mixed(np.arange(47, dtype=np.uint64))
    folds = dealt_folds(keys, 12)
    assert sorted(np.bincount(folds[:12]).tolist()) == [2, 2, 2, 3, 3]
    assert set(np.bincount(folds[12:]).tolist()) == {7}
    order = np.random.default_rng(1).permutation(12)
    assert np.array_equal(dealt_folds(np.r_[keys[:12][order], keys[12:]], 12)[:12], folds[:12][order])
