"""The numbers of a study, against plain Python over ``uj.score`` with judgments that are really taken away."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, rankdata, ttest_rel
from small_collection import GROUPS, TOPICS, collection

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.simulate import KeepFraction

HOLES = ["nonrelevant", "condensed", "bounds", "bootstrap(draws=50)"]
QRELS, RUNS = collection()
NAMES = list(RUNS)


def top(names: set[str], depth: int) -> set[tuple[str, str]]:
    return {
        (topic, doc)
        for name in names
        for topic, docs in RUNS[name].items()
        for doc in sorted(docs, key=lambda doc: -docs[doc])[:depth]
    }


def judgments(chosen: set[tuple[str, str]]) -> dict[str, dict[str, int]]:
    return {
        topic: {doc: grade for doc, grade in docs.items() if (topic, doc) in chosen} for topic, docs in QRELS.items()
    }


EVERY = {(topic, doc) for topic, docs in QRELS.items() for doc in docs}
TRUTH = uj.score(QRELS, RUNS, ["nDCG@5", "AP"]).values[0]


@pytest.fixture(scope="module")
def result() -> uj.Reuse:
    return uj.reuse(
        QRELS,
        RUNS,
        ["nDCG@5", "AP"],
        degrade=["LeaveOutGroup(5)", "DepthCut(3,6)", "KeepFraction(20%)"],
        holes=HOLES,
        groups=GROUPS,
        repeat=3,
        correction="none",
        jobs=1,
    )


def estimates(left: set[tuple[str, str]]) -> uj.Scores:
    return uj.score(judgments(left), RUNS, ["nDCG@5", "AP"], holes=HOLES)


@pytest.mark.parametrize(("h", "holes"), list(enumerate(HOLES)))
@pytest.mark.parametrize(("m", "measure"), list(enumerate(["nDCG@5", "AP"])))
def test_a_shallower_pool(result: uj.Reuse, h: int, holes: str, m: int, measure: str) -> None:
    left = EVERY & top(set(NAMES), 3)
    scores = estimates(left)
    row = result.correlation("DepthCut(3)", measure, holes)
    truth, means = TRUTH[m].mean(axis=1), scores.means[h, m]
    assert row.judgments == len(left)
    assert row.share == len(left) / len(EVERY)
    assert row.tau_b == pytest.approx(kendalltau(means, truth).statistic)
    assert row.pearson == pytest.approx(pearsonr(means, truth).statistic)
    assert row.rmse == pytest.approx(np.sqrt(np.mean((means - truth) ** 2)))
    assert row.bias == pytest.approx(np.mean(means - truth))
    assert row.rmse**2 == pytest.approx(row.rmse_lower**2 + row.rmse_upper**2)

    cutoff = {"nDCG@5": 5, "AP": None}[measure]
    pairs = []
    for (r, name), (t, topic) in itertools.product(enumerate(NAMES), enumerate(TOPICS)):
        read = sorted(RUNS[name][topic], key=lambda doc: -RUNS[name][topic][doc])[:cutoff]
        if any((topic, doc) not in left for doc in read):
            pairs.append((r, t))
    off = np.array([scores.values[h, m, r, t] - TRUTH[m, r, t] for r, t in pairs])
    assert row.topic_rmse == pytest.approx(np.sqrt(np.mean(off**2)))
    assert row.topic_bias == pytest.approx(off.mean())

    wrong = [0, 0]
    for i, j in itertools.combinations(range(len(NAMES)), 2):
        now, then = (decision(values[i], values[j]) for values in (scores.values[h, m], TRUTH[m]))
        wrong[0] += now not in (0, then)
        wrong[1] += now == 0 != then
    assert row.false_positives * 15 == pytest.approx(wrong[0])
    assert row.false_negatives * 15 == pytest.approx(wrong[1])

    coverage = [one for one in result.coverage() if (one.degradation, one.measure, one.holes) == row[:3]]
    if h < 2:
        assert not coverage
        return
    topics, of_means = coverage
    inside = [scores.low[h, m, r, t] - 1e-9 <= TRUTH[m, r, t] <= scores.high[h, m, r, t] + 1e-9 for r, t in pairs]
    assert (topics.of, topics.pairs, topics.inside) == ("topics", len(pairs), pytest.approx(np.mean(inside)))
    assert topics.nominal == pytest.approx(0.9 if "bootstrap" in holes else 1.0)
    within = (scores.mean_low[h, m] - 1e-9 <= truth) & (truth <= scores.mean_high[h, m] + 1e-9)
    assert (of_means.of, of_means.pairs, of_means.inside) == ("means", len(NAMES), pytest.approx(within.mean()))
    assert of_means.width == pytest.approx(np.mean(scores.mean_high[h, m] - scores.mean_low[h, m]))


def decision(one: np.ndarray, other: np.ndarray) -> int:
    return int(np.sign(one.mean() - other.mean())) if ttest_rel(one, other).pvalue <= 0.05 else 0


@pytest.mark.parametrize(("h", "holes"), list(enumerate(HOLES)))
def test_left_out_groups(result: uj.Reuse, h: int, holes: str) -> None:
    assembled = np.empty(len(NAMES))
    true_ranks = rankdata(-TRUTH[0].mean(axis=1))
    rows = {row.run: row for row in result.leaveout() if (row.measure, row.holes) == ("nDCG@5", holes)}
    for group in sorted(set(GROUPS.values())):
        mine = {name for name in NAMES if GROUPS[name] == group}
        scores = estimates(EVERY - (top(mine, 5) - top(set(NAMES) - mine, 5)))
        ranks = rankdata(-scores.means[h, 0])
        for name in mine:
            r = NAMES.index(name)
            row = rows[name]
            assembled[r] = scores.means[h, 0, r]
            assert row.left_out == group
            assert (row.estimate, row.true_score) == pytest.approx((assembled[r], TRUTH[0, r].mean()))
            assert (row.true_rank, row.rank, row.change) == (true_ranks[r], ranks[r], ranks[r] - true_ranks[r])
            gone = top(mine, 5) - top(set(NAMES) - mine, 5)
            assert row.lost == pytest.approx(len(gone & top({name}, 5)) / len(top({name}, 5)))
            assert row.never_judged == 0.0
            if h >= 2:
                ends = scores.mean_low[h, 0, r], scores.mean_high[h, 0, r]
                assert (row.low, row.high) == pytest.approx(ends)
            else:
                assert (row.low, row.high) == (None, None)
    row = result.correlation("LeaveOutGroup(5)", "nDCG@5", holes)
    assert row.tau_b == pytest.approx(kendalltau(assembled, TRUTH[0].mean(axis=1)).statistic)
    losses = sorted(one.change for one in rows.values() if one.lost)
    (method,) = [one for one in result.methods() if (one.measure, one.holes) == ("nDCG@5", holes)]
    assert method.loss == max(0.0, losses[math.ceil(0.95 * len(losses)) - 1])
    assert method.rank_error == pytest.approx(np.mean(np.abs(losses)))
    assert (method.tau_b, method.tried) == (row.tau_b, len(losses))


def test_random_samples_and_their_curve(result: uj.Reuse) -> None:
    qrels = uj.read_qrels(QRELS)
    taus = []
    for repetition in range(3):
        left = KeepFraction(p=0.2).leave(join_runs(qrels), seed=42, repetition=repetition)
        means = uj.score(left.of(qrels), RUNS, "nDCG@5").means[0, 0]
        taus.append(kendalltau(means, TRUTH[0].mean(axis=1)).statistic)
    row = result.correlation("KeepFraction(0.2)", "nDCG@5")
    assert row.repetitions == 3
    assert row.tau_b == pytest.approx(np.mean(taus))
    (point,) = [
        one
        for one in result.curves()
        if (one.family, one.measure, one.holes, one.statistic) == ("KeepFraction", "nDCG@5", "nonrelevant", "tau_b")
    ]
    half = 4.302652729911275 * np.std(taus, ddof=1) / math.sqrt(3)  # t of 2 degrees of freedom
    assert point.over == "repetitions"
    assert (point.value, point.low, point.high) == pytest.approx(
        (np.mean(taus), max(-1, np.mean(taus) - half), min(1, np.mean(taus) + half))
    )
    agreements = [one for one in result.curves() if one.statistic in ("tau_b", "tau_a", "tau_ap", "pearson")]
    ends = [end for one in agreements for end in (one.low, one.high)]
    assert max(ends) == 1.0
    assert min(ends) >= -1.0


def test_what_runs_lost_in_a_shallower_pool_is_counted_as_deep_as_the_measure_reads(result: uj.Reuse) -> None:
    (row,) = [
        one
        for one in result.tables.runs
        if (one.degradation, one.measure, one.holes, one.run) == ("DepthCut(3)", "nDCG@5", "nonrelevant", NAMES[0])
    ]
    read = top({NAMES[0]}, 5)
    assert row.lost == pytest.approx(len(read - top(set(NAMES), 3)) / len(read))
    assert row.lost > 0


def test_curves_without_chance_have_intervals_over_topics(result: uj.Reuse) -> None:
    """Against the plain bootstrap: other random numbers, so that the ends agree only roughly."""
    scores = estimates(EVERY & top(set(NAMES), 3)).values[0, 0]
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(4000):
        topics = rng.integers(len(TOPICS), size=len(TOPICS))
        drawn.append(np.mean(scores[:, topics].mean(axis=1) - TRUTH[0][:, topics].mean(axis=1)))
    (point,) = [
        one
        for one in result.curves()
        if (one.degradation, one.measure, one.holes, one.statistic) == ("DepthCut(3)", "nDCG@5", "nonrelevant", "bias")
    ]
    assert point.over == "topics"
    assert (point.low, point.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.15 * np.ptp(drawn))
    assert point.low < point.value < point.high
    assert {one.over for one in result.curves() if one.family == "KeepFraction"} == {"repetitions"}


def test_recommended_is_the_best_of_what_leaves_runs_out(result: uj.Reuse) -> None:
    for measure in ("nDCG@5", "AP"):
        methods = [row for row in result.methods() if row.truth == measure]
        assert [row.recommended for row in methods] == [True, False, False, False]
        evidence = []
        for row in methods:
            changes = [
                one.change for one in result.leaveout() if (one.measure, one.holes) == (measure, row.holes) and one.lost
            ]
            tau = result.correlation("LeaveOutGroup(5)", measure, row.holes).tau_b
            evidence.append((np.mean(np.abs(changes)), -tau))
        assert evidence == sorted(evidence)
    best = result.methods()[0]
    assert f"({best.measure}, {best.holes}; tried on {best.tried} runs)" in result.verdict
    assert "a new group's run with holes loses " in result.verdict


def test_all_judgments_leave_nothing_to_estimate() -> None:
    result = uj.reuse(
        QRELS, RUNS, ["AP", "nDCG@5", "infAP"], degrade=["KeepFraction(1)", "DepthCut(30)"], holes=HOLES, jobs=1
    )
    for row in result.correlations():
        assert row.share == 1.0
        assert (row.tau_b, row.tau_ap) == (1.0, pytest.approx(1.0))
        assert row.rmse == pytest.approx(0.0, abs=1e-15)
        assert row.topic_rmse is None  # no pair lost a judgment
        assert row.false_positives == row.false_negatives == 0
    assert {(row.measure, row.holes) for row in result.correlations() if row.measure == "infAP"} == {
        ("infAP", "nonrelevant")  # it says itself what becomes of unjudged documents
    }


def test_another_measure_as_truth() -> None:
    result = uj.reuse(
        QRELS, RUNS, ["AP", "indAP", "Bpref"], truth="AP", degrade="DepthCut(2)", holes="nonrelevant", jobs=1
    )
    left = EVERY & top(set(NAMES), 2)
    means = uj.score(judgments(left), RUNS, ["AP", "indAP", "Bpref"], pool=QRELS).means[0]
    for measure, mine in zip(["AP", "indAP", "Bpref"], means, strict=True):
        row = result.correlation("DepthCut(2)", measure)
        assert row.truth == "AP"
        assert row.rmse == pytest.approx(np.sqrt(np.mean((mine - TRUTH[1].mean(axis=1)) ** 2)))
    assert sum(row.recommended for row in result.methods()) == 1


def test_topics_that_are_left_are_compared_with_all() -> None:
    result = uj.reuse(
        QRELS, RUNS, "nDCG@5", degrade=["KeepTopics(3)", "KeepTopics(8)"], holes="nonrelevant", jobs=1, repeat=2
    )
    assert result.correlation("KeepTopics(8)", "nDCG@5").rmse == pytest.approx(0, abs=1e-15)
    few = result.correlation("KeepTopics(3)", "nDCG@5")
    assert few.topic_rmse is None
    assert 0 < few.rmse < 0.3


def test_errors_and_coverage_are_about_runs_with_something_to_estimate() -> None:
    """A run that lost nothing has its true score, which says nothing about a method."""
    judged_again = {topic: sorted(RUNS["b1"][topic], key=lambda doc: -RUNS["b1"][topic][doc]) for topic in TOPICS}
    runs = {name: RUNS[name] for name in ("a1", "b1")} | {
        f"copy{i}": {topic: {doc: -float(j) for j, doc in enumerate(docs)} for topic, docs in judged_again.items()}
        for i in range(3)
    }
    groups = {"a1": "a", "b1": "b", "copy0": "c", "copy1": "d", "copy2": "e"}
    result = uj.reuse(
        QRELS, runs, "P@5", degrade="LeaveOutGroup(5)", groups=groups, holes=["nonrelevant", "bounds"], jobs=1
    )
    (left,) = [row for row in result.leaveout() if row.lost and row.holes == "nonrelevant"]
    assert left.run == "a1"
    row = result.correlation("LeaveOutGroup(5)", "P@5")
    assert (row.runs, row.rmse, row.bias) == (
        1,
        pytest.approx(abs(left.estimate - left.true_score)),
        left.estimate - left.true_score,
    )
    (means,) = [row for row in result.coverage() if row.of == "means"]
    assert (means.pairs, means.inside) == (1, 1.0)
    assert means.width > 0


def test_the_upper_bound_is_tried_as_an_estimate_as_in_tables_4_and_5_of_paper_1() -> None:
    """Its estimate is the mean of the upper ends, and its errors are those of the ends."""
    holes = ["bounds", "bounds(point=upper)"]
    tried = uj.reuse(QRELS, RUNS, "nDCG@5", degrade="LeaveOutGroup(5)", holes=holes, groups=GROUPS, jobs=1)
    bounds, upper = (
        [row for row in tried.tables.runs if row.holes == name] for name in ("bounds", "bounds(point='upper')")
    )
    assert [row.estimate for row in upper] == pytest.approx([row.topics_high for row in bounds])
    ends = next(row for row in tried.coverage() if (row.holes, row.of) == ("bounds", "topics"))
    errors = tried.correlation("LeaveOutGroup(5)", "nDCG@5", "bounds(point=upper)")
    assert errors.topic_rmse == pytest.approx(ends.high_rmse)
    assert errors.topic_rmse_upper == pytest.approx(ends.high_outside)
    assert errors.topic_rmse**2 == pytest.approx(errors.topic_rmse_lower**2 + errors.topic_rmse_upper**2)
