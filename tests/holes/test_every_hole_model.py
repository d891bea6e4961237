"""What holds for every hole model. A model without an entry in ``EXAMPLES`` fails the first test."""

from __future__ import annotations

import pytest

from unjudged.holes import hole_models
from unjudged.testing import check_hole_model

EXAMPLES = {
    "bootstrap": ["bootstrap", "bootstrap(prior='pool',point='mean')", "bootstrap(scope='collection')"],
    "bounds": ["bounds"],
    "condensed": ["condensed"],
    "evidence": [],  # takes what other runs return: tests/holes/test_evidence.py
    "guaranteed": ["guaranteed"],
    "joint": ["joint", "joint(max_grade=4)"],
    "labels": [],  # reads a file, whose labels are its belief: tests/holes/test_label_scores.py
    "nonrelevant": ["nonrelevant"],
}


def test_every_hole_model_has_examples() -> None:
    assert {cls.name for cls in hole_models if cls.__module__.startswith("unjudged.")} == EXAMPLES.keys()


@pytest.mark.parametrize("text", [text for texts in EXAMPLES.values() for text in texts])
def test_what_hole_models_of_plugins_are_checked_for(text: str) -> None:
    check_hole_model(text)
