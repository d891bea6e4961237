"""A sample from strata: its sizes, and what measures make of its known rates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.data.strata import strata_of
from unjudged.simulate import Stratified

RNG = np.random.default_rng(5)
TOPICS = ["1", "2", "3"]
GRADES = {t: {f"{t}-{i}": int(RNG.integers(3) == 0) for i in range(60)} for t in TOPICS}
RUNS = {
    name: {t: {doc: g + float(RNG.normal()) for doc, g in docs.items()} for t, docs in GRADES.items()} for name in "ab"
}
DEPTH = 7


def first(topic: str) -> set[str]:
    return {doc for run in RUNS.values() for doc in sorted(run[topic], key=lambda doc: -run[topic][doc])[:DEPTH]}


def left(how: Stratified, repetition: int = 0) -> uj.Qrels:
    qrels = uj.read_qrels(GRADES)
    joined = join_runs(qrels, uj.read_runs(RUNS))
    return how.leave(joined, seed=42, repetition=repetition).of(qrels)


def rounded(share: Fraction, count: int) -> int:
    return int(share * count + Fraction(1, 2))


@pytest.mark.parametrize(
    ("p", "options"), [("15%", {}), ("30%", {"first": "50%"}), ("50%", {"of": "all"}), ("1%", {}), ("100%", {})]
)
def test_sizes(p: str, options: dict[str, str]) -> None:
    how = Stratified(depth=DEPTH, p=p, **options)
    qrels = left(how)
    strata = strata_of(qrels)
    assert strata.numbers.tolist() == [1, 2] * 3
    for t, topic in enumerate(TOPICS):
        above = first(topic)
        one = max(2, rounded(how.first, len(above)))
        rest = rounded(how.p, 60) - one if how.of == "all" else rounded(how.p, 60 - len(above))
        assert strata.pooled[2 * t : 2 * t + 2].tolist() == [len(above), 60 - len(above)]
        assert strata.judged[2 * t : 2 * t + 2].tolist() == [one, max(2, rest)]
        judged = set(qrels.judgments(topic))
        assert len(judged & above) == one


def test_samples_are_drawn_anew_and_within_each_other() -> None:
    few, more = left(Stratified(depth=DEPTH, p="10%")), left(Stratified(depth=DEPTH, p="30%"))
    assert set(np.flatnonzero(few.judged)) < set(np.flatnonzero(more.judged))
    other = left(Stratified(depth=DEPTH, p="10%"), repetition=1)
    assert set(np.flatnonzero(few.judged)) != set(np.flatnonzero(other.judged))


def test_reuse_estimates_with_the_rates_as_from_a_file_of_five_columns() -> None:
    how = "Stratified(20%,depth=7)"
    result = uj.reuse(GRADES, RUNS, ["xinfAP", "infNDCG"], truth=["AP", "nDCG"], degrade=how, repeat=2, jobs=1)
    estimates = []
    for repetition in range(2):
        qrels = left(Stratified(depth=DEPTH, p="20%"), repetition)
        rows = [
            (topic, doc, 1 if doc in first(topic) else 2, GRADES[topic][doc] if doc in qrels.judgments(topic) else -1)
            for topic in TOPICS
            for doc in GRADES[topic]
        ]
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "stratum", "relevance"])
        estimates.append(uj.score(frame, RUNS, ["xinfAP", "infNDCG"], negative="pooled").means[0])
    truth = uj.score(GRADES, RUNS, ["AP", "nDCG"]).means[0]
    for m, (measure, of) in enumerate([("xinfAP", "AP"), ("infNDCG", "nDCG")]):
        rows = [row for row in result.tables.runs if (row.measure, row.truth) == (measure, of)]
        assert [row.run for row in rows] == ["a", "b"]
        assert [row.estimate for row in rows] == pytest.approx(np.mean([one[m] for one in estimates], axis=0))
        assert [row.true_score for row in rows] == pytest.approx(truth[m])


def test_all_judgments_give_average_precision() -> None:
    result = uj.reuse(GRADES, RUNS, "xinfAP", truth="AP", degrade="Stratified(100%)", repeat=1, jobs=1)
    assert result.correlation("Stratified(1)", "xinfAP").rmse == pytest.approx(0, abs=1e-4)  # but for smoothing


@pytest.mark.parametrize(
    ("measure", "degrade", "message"),
    [
        (
            "xinfAP",
            ["Stratified(10%)", "KeepFraction(10%)"],
            "xinfAP needs strata, which KeepFraction(0.1) does not leave; ask about it alone",
        ),
        (
            "xinfAP",
            "DepthCut(3)",
            "xinfAP needs strata, which qrels does not have",
        ),
    ],
)
def test_who_needs_strata_is_told(measure: str, degrade: list[str] | str, message: str) -> None:
    with pytest.raises(uj.InputError) as error:
        uj.reuse(GRADES, RUNS, measure, truth="AP", degrade=degrade)
    assert str(error.value).startswith(message)


def test_it_says_where_the_first_stratum_takes_all() -> None:
    joined = join_runs(uj.read_qrels(GRADES), uj.read_runs(RUNS))
    size = sum(len(first(topic)) for topic in TOPICS)
    text = (
        f"Stratified(0.1,depth=7,of='all'): the first 7 documents of each run alone are {size / 180:.0%} of the"
        " judgments, more than p = 10%, so that next to nothing is drawn at random; take a smaller depth or a larger p"
    )
    (notice,) = Stratified(depth=DEPTH, p="10%", of="all").remarks(joined)
    assert (notice.code, notice.count, notice.message) == ("census-alone", size, text)
    assert Stratified(depth=DEPTH, p="10%").remarks(joined) == []
    assert Stratified(depth=DEPTH, p="50%", of="all").remarks(joined) == []
    with pytest.warns(uj.UnjudgedWarning, match="next to nothing is drawn"):
        uj.reuse(GRADES, RUNS, "xinfAP", truth="AP", degrade="Stratified(10%,depth=7,of=all)", repeat=1, jobs=1)


def test_a_sample_is_not_sampled_again() -> None:
    table = [("1", "a", 1, 1), ("1", "b", 2, -1)]
    qrels = uj.read_qrels(pd.DataFrame(table, columns=["query_id", "doc_id", "stratum", "relevance"]))
    joined = join_runs(qrels, [uj.read_run({"1": {"a": 1.0}})])
    with pytest.raises(uj.InputError, match=r"^judgments with strata are a sample already"):
        Stratified(depth=1, p="10%").leave(joined, seed=1)
