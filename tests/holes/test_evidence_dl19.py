"""prior=evidence on TREC 2019 Deep Learning, each team left out in turn: the figures that it must reach."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.data.reuse import Reuse

EVIDENCE = "bootstrap(prior='evidence')"


@pytest.fixture(scope="module")
def found(shared_data: Path) -> Reuse:
    folder = shared_data / "dl19"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.reuse(
            folder / "2019qrels-pass.txt",
            folder / "runs",
            "nDCG@10",
            degrade="LeaveOutGroup(10)",
            holes=["nonrelevant", "bootstrap", EVIDENCE],
            groups=folder / "runs_teams.tsv",
        )


@pytest.mark.shared
def test_errors_of_single_topics_and_of_means_are_low(found: Reuse) -> None:
    rows = {row.holes: row for row in found.tables["correlations"]}
    assert rows["nonrelevant"].topic_rmse == pytest.approx(0.0889, abs=0.0001)  # the protocol is the known one
    evidence = rows[EVIDENCE]
    assert evidence.topic_rmse < 0.05
    assert evidence.rmse < 0.008
    assert abs(evidence.topic_bias) < 0.005
    assert evidence.topic_rmse < 0.6 * rows["bootstrap"].topic_rmse
    assert evidence.rmse < 0.25 * rows["nonrelevant"].rmse


@pytest.mark.shared
def test_intervals_hold_about_what_they_promise(found: Reuse) -> None:
    inside = {row.of: row.inside for row in found.tables["coverage"] if row.holes == EVIDENCE}
    assert 0.85 <= inside["topics"] <= 0.97  # few values are possible, so that intervals hold more than 90%
    assert inside["means"] >= 0.85


@pytest.mark.shared
def test_it_is_what_reuse_recommends(found: Reuse) -> None:
    assert [row.holes for row in found.tables["methods"] if row.recommended] == [EVIDENCE]
