"""Comparisons on segments of the topics: each as if it were all there is, but corrected together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import unjudged as uj
from unjudged.reports.comparison import render_comparison
from unjudged.results.comparison import SegmentPairRow
from unjudged.studies.segments_disagree import disagreements
from unjudged.uncertainty.multiple_comparisons import Bonferroni, Holm
from unjudged.uncertainty.significance import significance

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")

RNG = np.random.default_rng(5)
QRELS = {f"t{t:02}": {f"d{i}": int(RNG.integers(0, 3)) for i in range(12)} for t in range(24)}
SEGMENTS = {topic: ("en", "de", "fr")[min(t // 10, 2)] for t, topic in enumerate(QRELS)}


def ranked(new: float) -> dict[str, dict[str, float]]:
    """A run; a share of what it returns nobody judged."""
    run = {}
    for topic in QRELS:
        docs = [f"x{i}" if RNG.random() < new else f"d{i}" for i in RNG.permutation(12)[:6]]
        run[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
    return run


RUNS = {"one": ranked(0.0), "two": ranked(0.3), "three": ranked(0.2)}


def of_segment(segment: str) -> list[str]:
    return [topic for topic, name in SEGMENTS.items() if name == segment]


def rows_by_segment(result: uj.Comparison) -> Iterator[tuple[str, list[SegmentPairRow]]]:
    for segment in dict.fromkeys(row.segment for row in result.segment_pairs()):
        yield segment, [row for row in result.segment_pairs() if row.segment == segment]


@pytest.mark.parametrize("measure", ["nDCG@5", "RR"])
def test_a_segment_is_compared_as_if_it_were_all_there_is(measure: str) -> None:
    """Grades are drawn topic by topic, so that these are the same, too, where the model learns within a topic."""
    how: dict[str, Any] = {"holes": "bootstrap(draws=50)", "correction": "none", "test": "t"}
    result = uj.compare(QRELS, RUNS, measure, segments=SEGMENTS, **how)
    assert [row.segment for row in result.segments()] == ["en"] * 3 + ["de"] * 3 + ["fr"] * 3
    for segment, rows in rows_by_segment(result):
        alone = uj.compare(QRELS, RUNS, measure, only_topics=of_segment(segment), **how)
        for row in rows:
            wanted = alone.pair(row.run, row.other)
            sign = 1 if (wanted.run, wanted.other) == (row.run, row.other) else -1
            assert row.topics == alone.topics
            assert row.difference == pytest.approx(sign * wanted.difference)
            assert (row.p, row.corrected_p) == pytest.approx((wanted.p, wanted.p))
            ends = (wanted.worst, wanted.best) if sign > 0 else (-wanted.best, -wanted.worst)  # type: ignore[operator]
            assert (row.worst, row.best) == pytest.approx(ends)
            assert row.p_greater is not None and wanted.p_greater is not None
            assert row.p_greater == pytest.approx(wanted.p_greater if sign > 0 else 1 - wanted.p_greater)
            assert (row.verdict, row.bounds) == (wanted.verdict, wanted.bounds)
        means = {row.run: row for row in result.segments() if row.segment == segment}
        for one in alone.rows():
            own = means[one.run]
            assert (own.mean, own.expected, own.judged) == pytest.approx((one.mean, one.expected, one.judged))
            assert (own.low, own.high) == pytest.approx((one.low, one.high))
            assert own.rank == one.rank


def test_p_values_are_corrected_for_all_pairs_on_all_segments() -> None:
    result = uj.compare(QRELS, RUNS, "nDCG@5", segments=SEGMENTS, draws=20)
    p = [row.p for row in result.segment_pairs()]
    assert len(p) == 9
    assert [row.corrected_p for row in result.segment_pairs()] == pytest.approx(Holm().adjust(p).tolist())
    with_holes = [row.p_holes for row in result.segment_pairs()]
    assert [row.corrected_p_holes for row in result.segment_pairs()] == pytest.approx(
        Holm().adjust(with_holes).tolist()
    )
    bonferroni = uj.compare(QRELS, RUNS, "nDCG@5", segments=SEGMENTS, draws=20, correction="bonferroni")
    assert [row.corrected_p for row in bonferroni.segment_pairs()] == pytest.approx(Bonferroni().adjust(p).tolist())
    tukey = uj.compare(QRELS, RUNS, "nDCG@5", segments=SEGMENTS, draws=20, test="tukey_hsd")
    scores = {(row.run, row.topic): row.value for row in uj.score(QRELS, RUNS, "nDCG@5").per_topic()}
    for segment, rows in rows_by_segment(tukey):
        own = [[scores[run.run, topic] for topic in of_segment(segment)] for run in tukey.rows()]
        alone = significance(own, test="tukey_hsd", seed=42)
        assert [row.p for row in rows] == alone.p.tolist()
        assert [row.corrected_p for row in rows] == [min(1, 3 * p) for p in alone.p.tolist()]


def test_the_whole_is_as_without_segments() -> None:
    plain, result = (uj.compare(QRELS, RUNS, "nDCG@5", draws=30, segments=one) for one in (None, SEGMENTS))
    assert (plain.rows(), plain.pairs(), plain.ranks()) == (result.rows(), result.pairs(), result.ranks())
    assert plain.segments() == () == plain.segment_pairs()
    assert not {"segments", "segment_pairs"} & json.loads(plain.to_json()).keys()
    assert len(json.loads(result.to_json())["segment_pairs"]) == 9


def test_pairs_with_a_baseline_and_of_the_best_only() -> None:
    against = uj.compare(QRELS, RUNS, "nDCG@5", draws=10, baseline="two", segments=SEGMENTS)
    assert {row.other for row in against.segment_pairs()} == {"two"}
    assert len(against.segment_pairs()) == 6
    best = uj.compare(QRELS, RUNS, "nDCG@5", draws=10, top=2, segments=SEGMENTS)
    assert len(best.segment_pairs()) == 3


# ---- the whole and its parts


values = st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=8, max_size=8), min_size=2, max_size=3)
cuts = st.lists(st.integers(0, 3), min_size=8, max_size=8)


@given(values, cuts)
@settings(max_examples=200, deadline=None)
def test_pairs_are_named_by_the_rule_and_no_others(scores: list[list[float]], cut: list[int]) -> None:
    array = np.array(scores)
    segments = [own for name in sorted(set(cut)) if len(own := np.flatnonzero(np.array(cut) == name))]
    names = [f"r{i}" for i in range(len(array))]
    found = disagreements("M", names, array, segments, lambda a, b: (1.0, [1.0] * 9), whole=array.mean(axis=1))
    wanted = 0
    for a in range(len(array)):
        for b in range(len(array)):
            if len(segments) < 2 or not array[a].mean() > array[b].mean() + 1e-9:
                continue
            behind = [own for own in segments if array[a, own].mean() < array[b, own].mean() - 1e-9]
            assert len(behind) < len(segments), "with the same topics for both it cannot happen"
            wanted += 2 * len(behind) > len(segments) or 2 * sum(map(len, behind)) > 8
    assert sum(one.count for one in found) == wanted
    assert {one.code for one in found} <= {"segments-disagree"}


def test_it_is_said_whether_all_that_is_noise() -> None:
    scores = np.array([[1.0] * 4 + [0.0] * 4, [0.0] * 4 + [0.5] * 4])
    parts = [np.arange(4), np.array([4, 5]), np.array([6, 7])]

    def said(whole: float, *p: float) -> str:
        (one,) = disagreements("M", ["a", "b"], scores, parts, lambda a, b: (whole, p), whole=scores.mean(axis=1))
        return one.message

    start = "M: a is better than b on the whole (+0.2500), and worse in 2 of 3 segments, with 50% of their topics; "
    assert (
        said(0.2, 0.01, 0.3, 0.4)
        == start + "none of these differences is more than noise (corrected p of 0.05 or more)"
    )
    known = "corrected for all comparisons, the whole is"
    assert said(0.01, 1, 0.3, 0.4) == start + f"{known} significant, and none of these 2 segments is"
    assert said(0.2, 1, 0.03, 0.4) == start + f"{known} not significant, and 1 of these 2 segments is"
    assert said(0.01, 1, 0.03, 0.04) == start + f"{known} significant, and 2 of these 2 segments are"


def with_outsiders() -> tuple[Any, Any, dict[str, str]]:
    """A run that is worse in every segment, and better on the whole: by topics that are in none."""
    right, wrong = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    qrels = {f"{t:02}": {"a": 1, "b": 0} for t in range(36)}
    inside = [topic for topic in qrels if topic < "16"]
    runs = {
        "old": {topic: wrong if topic in inside else right for topic in qrels},
        "new": {topic: right if topic in inside else wrong for topic in qrels},
    }
    return qrels, runs, {topic: "en" if topic < "08" else "de" for topic in inside}


def test_simpsons_paradox_is_named_where_topics_without_a_segment_turn_the_whole_around() -> None:
    qrels, runs, segments = with_outsiders()
    result = uj.compare(qrels, runs, "P@1", segments=segments, draws=2)
    said = {one.code: one.message for one in result.warnings}
    assert said["simpsons-paradox"] == (
        "P@1: old is better than new on the whole (+0.1111), and worse in every segment (Simpson's paradox); corrected"
        " for all comparisons, the whole is not significant, and 2 of these 2 segments are"
    )
    assert said["no-segment"].startswith("segments: 20 of 36 topics have no segment, such as")
    assert [row.corrected_p < 0.05 for row in result.segment_pairs()] == [True, True]


def test_segments_that_are_too_small_are_said() -> None:
    segments = {topic: "small" if topic < "t03" else "large" for topic in QRELS}
    result = uj.compare(QRELS, RUNS, "nDCG@5", segments=segments, draws=5)
    (said,) = [one.message for one in result.warnings if one.code == "small-segments"]
    assert said == (
        "1 of 2 segments has too few topics for any difference to be significant among 6 comparisons: small"
    )


def test_one_topic_alone_says_nothing_about_others() -> None:
    segments = {topic: topic for topic in QRELS}
    result = uj.compare(QRELS, RUNS, "nDCG@5", segments=segments, draws=5, test="t")
    rows = result.segment_pairs()
    assert len(rows) == 3 * 24
    assert {(row.low, row.high, row.corrected_p) for row in rows} == {(None, None, 1.0)}
    assert all(row.topics == 1 for row in result.segments())


def test_intervals_are_those_of_students_t() -> None:
    result = uj.compare(QRELS, RUNS, "nDCG@5", segments=SEGMENTS, draws=5)
    scores = {(row.run, row.topic): row.value for row in uj.score(QRELS, RUNS, "nDCG@5").per_topic()}
    for row in result.segment_pairs():
        differences = [scores[row.run, topic] - scores[row.other, topic] for topic in of_segment(row.segment)]  # type: ignore[operator]
        interval = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))


def test_too_many_comparisons_are_refused_before_the_work() -> None:
    runs = {f"r{i}": RUNS["one"] for i in range(150)}
    with pytest.raises(uj.InputError) as found:
        uj.compare(QRELS, runs, "P@1", segments={str(i): str(i) for i in range(50)})
    assert str(found.value) == (
        "11,175 pairs of runs on 50 segments are 558,750 comparisons, and compare makes up to 500,000: use --top N, or"
        " --baseline RUN to compare all with one"
    )


def test_files_of_segments_are_inputs(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("".join(f"{topic}\t{segment}\n" for topic, segment in SEGMENTS.items()))
    found = json.loads(uj.compare(QRELS, RUNS, "P@2", segments=path, hashes=True, draws=2).to_json())
    assert [one["role"] for one in found["inputs"]] == ["segments"]


def test_tables_for_readers_have_the_largest_segments_and_say_so() -> None:
    qrels = {f"t{t}": {"a": 1, "b": 0} for t in range(120)}
    runs = {name: {topic: {doc: 1.0} for topic in qrels} for name, doc in (("one", "a"), ("two", "b"))}
    segments = {topic: f"s{min(i // 2, 50)}" for i, topic in enumerate(qrels)}
    text = render_comparison(uj.compare(qrels, runs, "P@1", draws=2, segments=segments), "table")
    lines = text.splitlines()
    assert "P@1 by segment: the largest 40 of 51; -f json has all" in lines
    assert "one less two by segment, p for 51 comparisons; 40 are shown, -f json has all" in lines
    assert sum(line.startswith("s50 ") for line in lines) == 2  # the largest, which is the last
    assert max(map(len, lines)) <= 80
