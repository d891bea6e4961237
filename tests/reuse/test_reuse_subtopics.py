"""reuse with measures of subtopics: how likely users mean each one counts for truth and estimates alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import unjudged as uj

RNG = np.random.default_rng(3)
TOPICS, DOCS = ["1", "2", "3"], [f"d{i}" for i in range(20)]
JUDGED = [(t, s, d, int(RNG.random() < 0.3)) for t in TOPICS for s in "abc" for d in DOCS]
RUNS = {name: {t: {d: float(RNG.random()) for d in DOCS} for t in TOPICS} for name in "xyz"}
INTENTS = {t: {"a": 0.8, "b": 0.1, "c": 0.1} for t in TOPICS}
MEASURE = "ERR_IA@5"


def frame(rows: list[tuple[str, str, str, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "subtopic_id", "doc_id", "relevance"])


def test_intents_are_those_of_the_user() -> None:
    top = {(t, d) for run in RUNS.values() for t in TOPICS for d in sorted(run[t], key=lambda d: -run[t][d])[:2]}
    left = [row for row in JUDGED if (row[0], row[2]) in top]
    results = {}
    for intents in (None, INTENTS):
        result = uj.reuse(
            frame(JUDGED), RUNS, MEASURE, degrade="DepthCut(2)", holes="nonrelevant", intents=intents, jobs=1
        )
        truth = uj.score(frame(JUDGED), RUNS, MEASURE, intents=intents).means[0, 0]
        estimates = uj.score(frame(left), RUNS, MEASURE, intents=intents).means[0, 0]
        assert [row.true_score for row in result.tables.runs] == pytest.approx(truth)
        assert [row.estimate for row in result.tables.runs] == pytest.approx(estimates)
        results[intents is None] = truth
    assert np.abs(results[True] - results[False]).max() > 0.01
