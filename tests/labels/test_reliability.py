"""Kappa and alpha are those of other tools, to 1e-9."""

from __future__ import annotations

import math
import time

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from unjudged.errors import InputError
from unjudged.labels.reliability import (
    bias,
    cohen_kappa,
    confusion,
    exact_agreement,
    krippendorff_alpha,
    within_one,
)

WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}


def judged(seed: int, judges: int = 2, pairs: int = 200, grades: int = 4, missing: float = 0.0) -> np.ndarray:
    """Noisy labels of the same pairs."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, grades, pairs)
    labels = np.clip(truth + rng.integers(-1, 2, (judges, pairs)), 0, grades - 1).astype(float)
    labels[rng.random(labels.shape) < missing] = np.nan
    return labels


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_that_of_scikit_learn(seed: int, weights: str) -> None:
    a, b = judged(seed)
    counts = confusion(a, b, range(4))
    assert counts.tolist() == confusion_matrix(a, b, labels=range(4)).tolist()
    wanted = cohen_kappa_score(a, b, labels=range(4), weights=WEIGHTS[weights])
    assert cohen_kappa(counts, weights) == pytest.approx(wanted, abs=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("judges", [2, 3, 8])
def test_alpha_is_that_of_krippendorff(seed: int, level: str, judges: int) -> None:
    labels = judged(seed, judges, missing=0.3)
    wanted = krippendorff.alpha(reliability_data=labels, level_of_measurement=level)
    assert krippendorff_alpha(labels, level) == pytest.approx(wanted, abs=1e-9)  # type: ignore[arg-type]


def test_alpha_of_krippendorffs_own_example() -> None:
    # K. Krippendorff, Computing Krippendorff's alpha-reliability (2011), section D: four observers, twelve units.
    x = math.nan
    labels = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, x, x, x],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, x, 3],
        [x, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, x],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, x],
    ]
    published = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}
    for level, value in published.items():
        assert round(krippendorff_alpha(labels, level), 3) == value  # type: ignore[arg-type]


def test_alpha_of_fractional_labels_needs_no_grades() -> None:
    labels = judged(3) / 3
    wanted = krippendorff.alpha(reliability_data=labels, level_of_measurement="ordinal")
    assert krippendorff_alpha(labels, "ordinal") == pytest.approx(wanted, abs=1e-9)


def test_33_judges_of_4423_pairs_take_less_than_a_second() -> None:
    labels = judged(1, judges=33, pairs=4423, missing=0.1)
    start = time.process_time()
    krippendorff_alpha(labels, "nominal")
    krippendorff_alpha(labels, "ordinal")
    assert time.process_time() - start < 1


def test_agreement_is_over_what_both_label() -> None:
    x = math.nan
    a, b = [0, 1, 3, x, 2], [0, 2, 1, 1, x]
    assert exact_agreement(a, b) == pytest.approx(1 / 3)
    assert within_one(a, b) == pytest.approx(2 / 3)
    assert bias(a, b) == pytest.approx(1 / 3)


def test_what_cannot_be_said_is_nan() -> None:
    x = math.nan
    assert math.isnan(cohen_kappa([[4, 0], [0, 0]]))
    assert math.isnan(cohen_kappa([[0, 0], [0, 0]]))
    assert math.isnan(krippendorff_alpha([[1, 1, 1], [1, 1, 1]]))
    assert math.isnan(krippendorff_alpha([[1, x], [x, 1]]))
    assert all(math.isnan(how([x, 1], [1, x])) for how in (exact_agreement, within_one, bias))


def test_a_label_off_the_scale_is_named() -> None:
    with pytest.raises(InputError, match=r"^label 7 is none of 0, 1, 2$"):
        confusion([0, 7], [0, 1], [0, 1, 2])
    with pytest.raises(InputError, match=r"^two judges' labels must be two lists of one length, not of shapes"):
        bias([0, 1], [0])
    with pytest.raises(InputError, match=r"^weights must be one of 'none', 'linear', 'quadratic', not 'cubic'$"):
        cohen_kappa([[1, 0], [0, 1]], "cubic")  # type: ignore[arg-type]
