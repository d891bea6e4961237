"""What holds for every hole model. A model without an entry in ``EXAMPLES`` fails the first test."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged.api import read_measure
from unjudged.holes import HoleModel, Settings, hole_models
from unjudged.testing import check_hole_model
from unjudged.testing.collections import random_collection, view_for

EXAMPLES = {
    "bootstrap": ["bootstrap", "bootstrap(prior='pool',point='mean')", "bootstrap(scope='collection')"],
    "bounds": ["bounds", "bounds(point=upper)"],
    "condensed": ["condensed"],
    "discounted": [],  # takes where runs have documents: tests/holes/test_discounted.py
    "evidence": [],  # takes what other runs return: tests/holes/test_evidence.py
    "guaranteed": ["guaranteed"],
    "joint": ["joint", "joint(max_grade=4)"],
    "labels": [],  # reads a file, whose labels are its belief: tests/holes/test_label_scores.py
    "nonrelevant": ["nonrelevant"],
    "rbp_bounds": ["rbp_bounds", "rbp_bounds(max_grade=4)"],
}


def test_every_hole_model_has_examples() -> None:
    assert {cls.name for cls in hole_models if cls.__module__.startswith("unjudged.")} == EXAMPLES.keys()


@pytest.mark.parametrize("text", [text for texts in EXAMPLES.values() for text in texts])
def test_what_hole_models_of_plugins_are_checked_for(text: str) -> None:
    check_hole_model(text)


@pytest.mark.parametrize("cls", [cls for cls in hole_models if cls.takes_as_nonrelevant or cls.only_bounds])
@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "RBP", "P@5"])
def test_models_that_say_so_have_the_plain_scores_as_values(cls: type[HoleModel], measure: str) -> None:
    chosen = read_measure(measure)
    view = view_for(chosen, *random_collection(3))
    estimate = cls().prepare(view.qrels).estimate(chosen, view, Settings())
    np.testing.assert_array_equal(estimate.value, chosen.score(view))
    assert (estimate.low is None) == cls.takes_as_nonrelevant


def test_these_models_say_so() -> None:
    assert [cls.name for cls in hole_models if cls.takes_as_nonrelevant] == ["nonrelevant"]
    assert [cls.name for cls in hole_models if cls.only_bounds] == ["bounds", "guaranteed", "joint", "rbp_bounds"]
