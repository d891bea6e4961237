"""Labels that do not mean what their numbers say are named; healthy ones are not."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from unjudged.labels.recognition import Copy, association, copies, oddities
from unjudged.labels.reliability import krippendorff_alpha

Judged = tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]


@pytest.fixture
def judge() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A healthy judge's labels, grades from 0 to 3, and topics."""
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 4, 300).astype(float)
    labels = np.clip(grades + rng.integers(-1, 2, 300), 0, 3)
    return labels, grades, rng.integers(0, 10, 300)


def said(labels: np.ndarray, grades: np.ndarray, topics: np.ndarray) -> list[str]:
    return [f"{one.kind}: {one.words}" for one in oddities(labels, grades, topics)]


def test_a_healthy_judge_is_not_odd(judge: tuple[np.ndarray, ...]) -> None:
    assert said(*judge) == []


def test_each_oddity_is_said_in_one_line(judge: tuple[np.ndarray, ...]) -> None:
    labels, *rest = judge
    assert said(0 * labels + 1, *rest) == ["constant: all labels are 1"]
    assert said(labels + 1, *rest) == ["shifted: labels go from 1 to 4, grades from 0 to 3: +1"]
    assert said(labels - 2, *rest) == ["shifted: labels go from -2 to 1, grades from 0 to 3: -2"]
    assert said(labels * 10, *rest) == ["rescaled: labels go from 0 to 30, grades from 0 to 3"]
    assert said(labels / 3, *rest) == ["rescaled: labels have fractions, and go from 0 to 1, grades from 0 to 3"]
    (inverted,) = said(3 - labels, *rest)
    assert inverted.startswith("inverted: higher labels go with lower grades within topics (z = -")


def test_a_strict_or_binary_judge_is_not_odd(judge: tuple[np.ndarray, ...]) -> None:
    labels, *rest = judge
    assert said(np.minimum(labels, 2), *rest) == []
    assert said((labels >= 2).astype(float), *rest) == []


def test_random_labels_are_neither_inverted_nor_related(judge: tuple[np.ndarray, ...]) -> None:
    labels, grades, topics = judge
    rng = np.random.default_rng(2)
    z = np.array([association(rng.permutation(labels), grades, topics) for _ in range(1000)])
    assert abs(z.mean()) < 0.15
    assert 0.9 < z.std() < 1.1


def test_association_is_the_shuffled_one() -> None:
    # Its two moments, over all ways of shuffling the labels of each topic.
    labels, grades, topics = (
        np.array([0, 1, 3, 1, 0, 2.0]),
        np.array([1, 0, 2, 0, 1, 2.0]),
        np.array([0, 0, 0, 1, 1, 1]),
    )
    from itertools import permutations

    sums = [
        float(np.r_[a, b] @ grades)
        for a, b in product(permutations(labels[:3].tolist()), permutations(labels[3:].tolist()))
    ]
    wanted = (labels @ grades - np.mean(sums)) / np.std(sums)
    assert association(labels, grades, topics) == pytest.approx(wanted, abs=1e-12)


def test_an_easy_topic_is_no_association() -> None:
    grades = np.repeat([0.0, 3.0], 50)
    labels = np.r_[np.tile([0.0, 1.0], 25), np.tile([2.0, 3.0], 25)]
    assert np.isnan(association(labels, grades, np.repeat([0, 1], 50)))


def test_copies_are_found_also_turned_around(judge: tuple[np.ndarray, ...]) -> None:
    labels, grades, _ = judge
    missing = labels.copy()
    missing[:50] = np.nan
    assert copies(np.stack([labels, grades, missing, 3 - labels])) == [Copy(0, 2, True), Copy(0, 3, False)]
    assert copies(np.stack([0 * labels, 0 * labels + 1])) == []
    assert copies(np.stack([labels[:20], labels[:20]])) == []  # too few to say so


@pytest.mark.shared
def test_of_33_real_judges_none_is_odd_and_all_inverted_copies_are_found(dl23: Judged) -> None:
    labels, grades, topics, names = dl23
    assert len(names) == 33
    for row in labels:
        assert {one.kind for one in oddities(row, grades, topics)} & {"inverted", "constant"} == set()
        assert "inverted" in {one.kind for one in oddities(3 - row, grades, topics)}
    turned = copies(np.concatenate([labels, 3 - labels]))
    assert {one.again for one in turned} >= set(range(33, 66))


@pytest.mark.shared
def test_alpha_of_33_real_judges_takes_less_than_a_second(dl23: Judged) -> None:
    labels, *_ = dl23
    start = time.process_time()
    krippendorff_alpha(labels, "nominal")
    krippendorff_alpha(labels, "ordinal")
    assert time.process_time() - start < 1
