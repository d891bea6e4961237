"""Corrections against statsmodels."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from unjudged.errors import InputError
from unjudged.uncertainty import corrections

STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0])), min_size=1, max_size=30)


@pytest.mark.parametrize("name", STATSMODELS)
@settings(deadline=None)
@given(p=P_VALUES)
def test_corrections_are_those_of_statsmodels(name: str, p: list[float]) -> None:
    with mock.patch("gc.collect"):  # statsmodels collects garbage in its Holm correction, 0.2 s each time
        expected = multipletests(p, method=STATSMODELS[name])[1]
    np.testing.assert_allclose(corrections[name]().adjust(p), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("cls", list(corrections), ids=str)
@given(p=P_VALUES)
def test_corrections_are_monotone_and_never_make_a_p_value_smaller(cls, p: list[float]) -> None:
    given_p = np.array(p)
    adjusted = cls().adjust(given_p)
    assert (adjusted >= given_p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(given_p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    # Equal p-values stay equal, so the order in which they are given does not matter.
    np.testing.assert_allclose(cls().adjust(given_p[::-1]), adjusted[::-1], rtol=1e-15)


@given(p=P_VALUES)
def test_corrections_are_ordered_by_how_strict_they_are(p: list[float]) -> None:
    none, bh, holm, bonferroni = (corrections[name]().adjust(p) for name in ("none", "bh", "holm", "bonferroni"))
    assert (none <= bh).all()
    assert (bh <= holm * (1 + 1e-12)).all()
    assert (holm <= bonferroni).all()


@pytest.mark.parametrize("cls", list(corrections), ids=str)
def test_one_comparison_needs_no_correction_and_none_is_no_mistake(cls) -> None:
    assert cls().adjust([0.03]).tolist() == [0.03]
    assert cls().adjust([]).tolist() == []


def test_the_input_is_not_touched() -> None:
    p = np.array([0.04, 0.01])
    for cls in corrections:
        cls().adjust(p)[:] = 9
    assert p.tolist() == [0.04, 0.01]


@pytest.mark.parametrize("bad", [[0.5, float("nan")], [1.5], [-0.1]])
def test_what_is_not_a_p_value_is_refused(bad: list[float]) -> None:
    with pytest.raises(InputError, match=r"^p-values must be between 0 and 1$"):
        corrections["bh"]().adjust(bad)
    with pytest.raises(InputError, match=r"^p-values must be one list, not of shape \(1, 1\)$"):
        corrections["bh"]().adjust([[0.5]])
