"""prior=labels on TREC 2019 Deep Learning, each team left out in turn: no bias, and lower errors than a table's.

With what judged documents of the same label turned out to be, estimates of means were too high by .0072, .0079, .0066
and .0062, and their RMSE was .0168, .0261, .0152 and .0207 (UMBRELA and Sun, nDCG@10 and P(rel=2)@10).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import unjudged as uj

UMBRELA, SUN = "umbrella_gpt-4_zeroshot_dl19.txt.gz", "TREMA_Sun.qrel.gz"
BEFORE = {("nDCG@10", UMBRELA): 0.0168, ("nDCG@10", SUN): 0.0261}
BEFORE |= {("P(rel=2)@10", UMBRELA): 0.0152, ("P(rel=2)@10", SUN): 0.0207}


@pytest.mark.shared
def test_means_have_no_bias_and_half_the_errors(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    models = {f"bootstrap(prior=labels,labels={folder / 'llm_labels' / name})": name for name in (UMBRELA, SUN)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        result = uj.reuse(
            folder / "2019qrels-pass.txt",
            folder / "runs",
            ["nDCG@10", "P(rel=2)@10"],
            degrade="LeaveOutGroup(10)",
            holes=list(models),
            groups=folder / "runs_teams.tsv",
            jobs=1,
        )
    for measure, name in BEFORE:
        rows = [row for row in result.leaveout() if row.lost and row.measure == measure and name in row.holes]
        assert len(rows) == 35
        errors = np.array([row.estimate - row.true_score for row in rows])
        assert abs(errors.mean()) < 0.004
        assert np.sqrt((errors**2).mean()) < 0.62 * BEFORE[measure, name]
        inside = {one.of: one.inside for one in result.coverage() if one.measure == measure and name in one.holes}
        assert inside["means"] >= 0.85
        assert 0.85 <= inside["topics"] <= 0.97
