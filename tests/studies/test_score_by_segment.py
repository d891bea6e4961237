"""Scores of segments of the topics."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unjudged as uj
from unjudged.api import read_measure
from unjudged.io.segments import read_segments
from unjudged.studies.score_by_segment import with_segments

QRELS = {f"t{t}": {"a": 1, "b": 0, "c": t % 2} for t in range(6)}
RUNS = {
    "one": {topic: {"a": 2.0, "c": 1.0} if topic < "t4" else {"b": 2.0, "x": 1.0} for topic in QRELS},
    "two": {topic: {"c": 2.0, "b": 1.0} for topic in QRELS},
}
SEGMENTS = {topic: "late" if topic >= "t3" else "early" for topic in QRELS}


def test_a_segment_is_scored_as_if_it_were_all_there_is() -> None:
    result = uj.score(QRELS, RUNS, ["P@2", "RR"], holes="nonrelevant", segments=SEGMENTS)
    assert [row.segment for row in result.segments[:4]] == ["early", "early", "late", "late"]
    for row in result.segments:
        topics = [topic for topic, segment in SEGMENTS.items() if segment == row.segment]
        alone = uj.score(QRELS, RUNS, row.measure, holes="nonrelevant", only_topics=topics)
        (mean,) = (one for one in alone.mean() if one.run == row.run)
        assert (row.topics, row.value, row.judged) == (3, pytest.approx(mean.value), pytest.approx(mean.judged))
        values = np.array([one.value for one in alone.per_topic() if one.run == row.run])
        if np.ptp(values):
            interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
            assert (row.low, row.high) == pytest.approx((interval.low, interval.high))


def test_simpsons_paradox_is_named_where_runs_have_scores_on_other_topics() -> None:
    """With the same topics for both it cannot happen: the whole is the mean of the parts, weighted alike."""
    scores = uj.score(QRELS, RUNS, "RR", holes="nonrelevant")
    values = np.array([[0.9, 0.9, 0.9, 0.2, np.nan, np.nan], [1.0, np.nan, np.nan, 0.3, 0.3, 0.3]])
    found = with_segments(replace(scores, values=values[None, None]), read_segments(SEGMENTS), [read_measure("RR")])
    assert [(one.code, one.count, one.message) for one in found.warnings] == [
        (
            "simpsons-paradox",
            1,
            "RR: one is better than two on the whole (+0.2500), and worse in every segment (Simpson's paradox); none of"
            " these differences is more than noise (corrected p of 0.05 or more)",
        )
    ]


def test_means_of_segments_are_over_the_same_topics_for_all_runs() -> None:
    with pytest.raises(uj.InputError, match=r"^--segments goes with --missing zero \(missing= in Python\): means of a"):
        uj.score(QRELS, RUNS, "RR", missing="skip", segments=SEGMENTS)


def test_most_segments_may_say_otherwise_than_the_whole() -> None:
    segments = {"t0": "x", "t1": "y", **dict.fromkeys(("t2", "t3", "t4", "t5"), "z")}
    runs = {
        "one": {t: {"a": 1.0} if s == "z" else {"b": 1.0} for t, s in segments.items()},
        "two": {t: {"b": 1.0} if s == "z" else {"a": 1.0} for t, s in segments.items()},
    }
    with pytest.warns(
        uj.UnjudgedWarning,
        match=r"RR: one is better than two on the whole .*, and worse in 2 of 3 segments, with 33% of",
    ):
        uj.score(QRELS, runs, "RR", holes="nonrelevant", segments=segments)


def test_segments_are_in_the_json_and_an_input(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("".join(f"{topic}\t{segment}\n" for topic, segment in SEGMENTS.items()))
    found = json.loads(uj.score(QRELS, RUNS, "RR", holes="nonrelevant", segments=path, hashes=True).to_json())
    assert [one["role"] for one in found["inputs"]] == ["segments"]
    assert len(found["segments"]) == 4
    assert list(found["segments"][0]) == [
        "segment",
        "run",
        "measure",
        "holes",
        "topics",
        "value",
        "low",
        "high",
        "judged",
    ]
