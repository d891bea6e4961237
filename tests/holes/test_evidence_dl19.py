"""prior=evidence on TREC 2019 Deep Learning, each team left out in turn: the figures that it must reach."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.results.reuse import Reuse

EVIDENCE = "evidence"


@pytest.fixture(scope="module")
def result(shared_data: Path) -> Reuse:
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
def test_errors_of_single_topics_and_of_means_are_low(result: Reuse) -> None:
    rows = {row.holes: row for row in result.correlations()}
    assert rows["nonrelevant"].topic_rmse == pytest.approx(0.0889, abs=0.0001)  # the protocol is the known one
    evidence = rows[EVIDENCE]
    assert evidence.topic_rmse < 0.05
    assert evidence.rmse < 0.008
    assert abs(evidence.topic_bias) < 0.005
    assert evidence.topic_rmse < 0.6 * rows["bootstrap"].topic_rmse
    assert evidence.rmse < 0.25 * rows["nonrelevant"].rmse


@pytest.mark.shared
def test_intervals_hold_about_what_they_promise(result: Reuse) -> None:
    inside = {row.of: row.inside for row in result.coverage() if row.holes == EVIDENCE}
    assert 0.85 <= inside["topics"] <= 0.95
    assert 0.85 <= inside["means"] <= 0.95


@pytest.mark.shared
@pytest.mark.slow
def test_trec_8_has_lower_errors_than_any_other_model_and_intervals_hold_what_they_promise(shared_data: Path) -> None:
    folder = shared_data / "trec8"
    groups = dict(line.split()[:2] for line in (folder / "runs-pids").read_text(encoding="utf-8").splitlines())
    others = ["nonrelevant", "condensed", "bootstrap", "bootstrap(prior=pool)", "bootstrap(prior=run)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        result = uj.reuse(
            folder / "trec8.qrels",
            folder / "runs",
            ["nDCG@10", "P@10"],
            degrade="LeaveOutGroup(10)",
            holes=[*others, EVIDENCE],
            groups=groups,
        )
    for measure in ("nDCG@10", "P@10"):
        rows = {row.holes: row for row in result.correlations() if row.measure == measure}
        ours = rows.pop(EVIDENCE)
        assert ours.topic_rmse < 0.8 * min(row.topic_rmse for row in rows.values())
        assert ours.rmse < 0.8 * min(row.rmse for row in rows.values())
        for row in result.coverage():
            if (row.measure, row.holes) == (measure, EVIDENCE):
                assert 0.85 <= row.inside <= 0.95


@pytest.mark.shared
def test_it_is_what_reuse_recommends(result: Reuse) -> None:
    assert [row.holes for row in result.methods() if row.recommended] == [EVIDENCE]
