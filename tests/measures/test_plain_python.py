"""Measures that no other package has, or has in this form, against their definition written as plain loops."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from measure_views import make_view, random_collection, view_of

from unjudged.data.qrels import State
from unjudged.data.view import View
from unjudged.errors import InputError, SpecError
from unjudged.measures import (
    AP,
    BPM,
    DCG,
    ERR,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NRG,
    RBP,
    RR,
    SDCG,
    Judged,
    Measure,
    NumNonrelJudgedRet,
    Q,
    RBPresid,
    Unjudged,
    Utility,
    infAP,
    nDCG,
    nERR,
)

SEEDS = range(4)
HOLE = None
Ranking = list[int | None]


def topics_of(view: View) -> list[tuple[Ranking, list[int]]]:
    """(grades by rank, None for a hole; all judged grades) of each topic."""
    qrels = view.qrels
    out = []
    for i, topic in enumerate(view.topics.tolist()):
        rows = slice(view.offsets[i], view.offsets[i + 1])
        pairs = zip(view.grades[rows].tolist(), view.states[rows].tolist(), strict=True)
        ranking = [grade if state == State.JUDGED else HOLE for grade, state in pairs]
        out.append((ranking, sorted(qrels.judgments(qrels.topics[topic]).values(), reverse=True)))
    return out


@pytest.fixture(params=SEEDS)
def view(request: pytest.FixtureRequest) -> View:
    return make_view(*random_collection(request.param))


def plain_q(ranking: Ranking, judged: list[int], beta: float, rel: int) -> float:
    ideal = [grade for grade in judged if grade >= rel]
    total, relevant, gain = 0.0, 0, 0
    for rank, grade in enumerate(ranking, start=1):
        if grade is not None and grade >= rel:
            relevant, gain = relevant + 1, gain + grade
            total += (relevant + beta * gain) / (rank + beta * sum(ideal[:rank]))
    return total / len(ideal) if ideal else 0.0


@pytest.mark.parametrize(("beta", "rel"), [(1, 1), (10, 1), (1, 2), (0.5, 3)])
def test_q_measure(view: View, beta: float, rel: int) -> None:
    expected = [plain_q(*topic, beta, rel) for topic in topics_of(view)]
    assert Q(beta=beta, rel=rel).score(view).tolist() == pytest.approx(expected, abs=1e-12)


def test_q_measure_without_gains_is_average_precision(view: View) -> None:
    assert Q(beta=0, rel=2).score(view).tolist() == pytest.approx(AP(rel=2).score(view).tolist(), abs=1e-12)


def plain_err(ranking: Ranking, max_grade: int, cutoff: int | None) -> float:
    total, looking = 0.0, 1.0
    for rank, grade in enumerate(ranking[:cutoff], start=1):
        satisfied = (2 ** min(grade or 0, max_grade) - 1) / 2**max_grade
        total += looking * satisfied / rank
        looking *= 1 - satisfied
    return total


@pytest.mark.parametrize("cutoff", [None, 1, 5])
@pytest.mark.parametrize("max_grade", [None, 2, 5])
def test_err_and_its_normalised_form(view: View, max_grade: int | None, cutoff: int | None) -> None:
    top = max_grade or 3
    expected = [plain_err(ranking, top, cutoff) for ranking, _ in topics_of(view)]
    ideal = [plain_err(list(judged), top, cutoff) for _, judged in topics_of(view)]
    normalised = [value / best if best else 0.0 for value, best in zip(expected, ideal, strict=True)]
    assert ERR(max_grade=max_grade, cutoff=cutoff).score(view).tolist() == pytest.approx(expected, abs=1e-12)
    assert nERR(max_grade=max_grade, cutoff=cutoff).score(view).tolist() == pytest.approx(normalised, abs=1e-12)


@pytest.mark.parametrize("cutoff", [None, 3, 20])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_graded_rbp(view: View, p: float, cutoff: int | None) -> None:
    def plain(ranking: Ranking, top: int) -> float:
        return (1 - p) * sum(min(grade or 0, top) / top * p**i for i, grade in enumerate(ranking[:cutoff]))

    topics = topics_of(view)
    expected = [plain(ranking, 3) for ranking, _ in topics]
    assert RBP(p=p, cutoff=cutoff).score(view).tolist() == pytest.approx(expected, abs=1e-12)
    expected = [plain(ranking, 2) for ranking, _ in topics]
    assert RBP(p=p, cutoff=cutoff, max_grade=2).score(view).tolist() == pytest.approx(expected, abs=1e-12)
    expected = [plain(ranking, max([1, *judged])) for ranking, judged in topics]
    assert RBP(p=p, cutoff=cutoff, scale="topic").score(view).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cutoff", [None, 3, 20])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_residual_of_rbp(view: View, p: float, cutoff: int | None) -> None:
    rankings = [ranking[:cutoff] for ranking, _ in topics_of(view)]
    holes = [(1 - p) * sum(p**i for i, grade in enumerate(ranking) if grade is HOLE) for ranking in rankings]
    tails = [p ** len(ranking) for ranking in rankings]
    assert RBPresid(p=p, tail=False, cutoff=cutoff).score(view).tolist() == pytest.approx(holes, abs=1e-12)
    both = [hole + tail for hole, tail in zip(holes, tails, strict=True)]
    assert RBPresid(p=p, cutoff=cutoff).score(view).tolist() == pytest.approx(both, abs=1e-12)


def test_rbp_with_every_hole_of_the_highest_grade_is_rbp_plus_its_residual() -> None:
    with_holes, filled = view_of("2u10u", "uu1"), view_of("22102", "221")
    top = RBP(max_grade=2).score(with_holes) + RBPresid(tail=False).score(with_holes)
    assert top.tolist() == pytest.approx(RBP(max_grade=2).score(filled).tolist())


LONG = 200_000


def plain_inst(ranking: Ranking, hope: float, max_grade: int, ranks: int | None) -> float:
    """Weights rank by rank; without a horizon 200,000 of them, and an integral for the rest."""
    n = ranks or LONG
    weights, weight, seen, score = 0.0, 1.0, 0.0, 0.0
    for i in range(1, n + 1):
        gain = min((ranking[i - 1] or 0), max_grade) / max_grade if i <= len(ranking) else 0.0
        weights += weight
        score += weight * gain
        seen += gain
        a = 2 * hope - seen
        if ranks is None and i == n:
            weights += weight * (i + a - 1) ** 2 / (i + a - 0.5)  # sum over j >= i of (j + a)^-2
        weight *= ((i + a - 1) / (i + a)) ** 2
    return score / weights


INST_TOPICS = ("3u201p|3", "333333", "000|1", "u3", "1" * 20, "0000000002")


@pytest.mark.parametrize("hope", [0.5, 1.0, 2.5])
@pytest.mark.parametrize("horizon", [None, 5, 50])
def test_inst_over_infinitely_many_ranks(hope: float, horizon: int | None) -> None:
    view = view_of(*INST_TOPICS)
    expected = [plain_inst(ranking[:horizon], hope, 3, horizon) for ranking, _ in topics_of(view)]
    assert INST(T=hope, horizon=horizon).score(view).tolist() == pytest.approx(expected, abs=1e-9)


def test_inst_of_a_run_that_only_has_relevant_documents_and_of_an_empty_one() -> None:
    assert INST(rel=1).score(view_of("1" * 2000))[0] == pytest.approx(1.0, abs=1e-6)
    assert INST(rel=1).score(view_of("|1"))[0] == 0.0


@pytest.mark.parametrize("hope", [0.25, 1.0, 5.0])
def test_insq_over_infinitely_many_ranks(hope: float) -> None:
    view = view_of(*INST_TOPICS)
    weights = [(i + 2 * hope - 1) ** -2 for i in range(1, LONG)]
    whole = sum(weights) + 1 / (LONG + 2 * hope - 1.5)
    expected = [
        sum((grade or 0) / 3 * weight for grade, weight in zip(ranking, weights, strict=False)) / whole
        for ranking, _ in topics_of(view)
    ]
    assert INSQ(T=hope).score(view).tolist() == pytest.approx(expected, abs=1e-9)


def test_insq_weight_of_the_first_rank_as_published() -> None:
    whole = math.pi**2 / 6 - sum(j**-2 for j in range(1, 10))
    assert INSQ(T=5, rel=1).score(view_of("1"))[0] == pytest.approx(10**-2 / whole, abs=1e-12)
    assert INSQ(T=5, rel=1).score(view_of("1"))[0] == pytest.approx(0.095087, abs=1e-6)


@pytest.mark.parametrize("horizon", [None, 4])
def test_insq_with_ranks_counted_from_0_gives_each_document_the_weight_of_the_one_above(horizon: int | None) -> None:
    view = view_of(*INST_TOPICS)
    ends = range(10, 10 + horizon) if horizon else range(10, LONG)
    whole = sum(j**-2 for j in ends) + (0 if horizon else 1 / (LONG - 0.5))
    expected = [
        sum((grade or 0) / 3 * (i + 8) ** -2 for i, grade in enumerate(ranking[:horizon], start=1)) / whole
        for ranking, _ in topics_of(view)
    ]
    measure = INSQ(T=5, first_rank=0, horizon=horizon)
    assert measure.score(view).tolist() == pytest.approx(expected, abs=1e-9)
    best = measure.score(view_of("3" * 5000, "3"))[0]
    assert measure.limits() == (0.0, pytest.approx(best, abs=1e-2 if horizon is None else 1e-12))


def test_insq_from_rank_0_has_no_weight_for_a_user_who_hopes_for_half_a_document() -> None:
    with pytest.raises(SpecError) as caught:
        INSQ(T=0.5, first_rank=0)
    assert str(caught.value) == "INSQ(first_rank=0) has no weight for rank 0 unless T is above 0.5, not 0.5"


def plain_cwl(gains: list[float], goes_on: Callable[[int, float, float], float], ranks: int) -> float:
    """C/W/L: the chance of going on follows from the rank, its gain and the gain so far; the score is gain per rank."""
    looks, read, gained, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, ranks + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        read += looks
        gained += looks * gain
        so_far += gain
        looks *= goes_on(rank, gain, so_far)
    return gained / read


GainPerRankRead = tuple[Measure, int, Callable[[int, float, float], float]]
GAIN_PER_RANK_READ: list[GainPerRankRead] = [
    (BPM(cutoff=4), 4, lambda rank, gain, so_far: so_far < 1),
    (BPM(T=0.5, cutoff=9), 9, lambda rank, gain, so_far: so_far < 0.5),
    (BPM(T=5 / 3, cutoff=9), 9, lambda rank, gain, so_far: so_far < 1.66),
    (BPM(T=99, cutoff=30), 30, lambda rank, gain, so_far: 1),
    (NERR8(cutoff=4), 4, lambda rank, gain, so_far: 1 - gain),
    (NERR8(cutoff=30), 30, lambda rank, gain, so_far: 1 - gain),
    (NERR9(cutoff=4), 4, lambda rank, gain, so_far: (1 - gain) * rank / (rank + 1)),
    (NERR9(cutoff=30), 30, lambda rank, gain, so_far: (1 - gain) * rank / (rank + 1)),
    (NERR10(), 1000, lambda rank, gain, so_far: (1 - gain) * 0.9),  # the ranks beyond weigh 1e-45
    (NERR10(p=0.5, horizon=3), 3, lambda rank, gain, so_far: (1 - gain) * 0.5),
    (NERR11(T=2, horizon=30), 30, lambda rank, gain, so_far: (1 - gain) * ((rank + 3) / (rank + 4)) ** 2),
]


@pytest.mark.parametrize("case", GAIN_PER_RANK_READ, ids=lambda case: str(case[0]))
def test_gain_per_rank_read(case: GainPerRankRead) -> None:
    measure, ranks, goes_on = case
    view = view_of(*INST_TOPICS, "12321", "u2p1|3")
    expected = [plain_cwl([(grade or 0) / 3 for grade in ranking], goes_on, ranks) for ranking, _ in topics_of(view)]
    assert measure.score(view).tolist() == pytest.approx(expected, abs=1e-12)


def test_nerr11_over_infinitely_many_ranks() -> None:
    """The plain loop has the first ranks, and an integral the rest: nothing is gained there."""
    view, hope = view_of("u1020|3"), 1.5
    looks, read, gained = 1.0, 0.0, 0.0
    for rank, gain in enumerate([0.0, 1 / 3, 0.0, 2 / 3, *[0.0] * LONG], start=1):
        read, gained = read + looks, gained + looks * gain
        looks *= (1 - gain) * ((rank + 2 * hope - 1) / (rank + 2 * hope)) ** 2
    read += looks * (rank + 2 * hope) ** 2 / (rank + 2 * hope - 0.5)  # sum over i > rank of (i + 2T - 1)^-2
    assert NERR11(T=hope).score(view)[0] == pytest.approx(gained / read, abs=1e-9)


@pytest.mark.parametrize("cutoff", [1, 5, 50])
def test_with_binary_gains_these_are_reciprocal_rank(view: View, cutoff: int) -> None:
    expected = RR(rel=2, cutoff=cutoff).score(view).tolist()
    assert BPM(rel=2, cutoff=cutoff).score(view).tolist() == pytest.approx(expected, abs=1e-12)
    assert NERR8(rel=2, cutoff=cutoff).score(view).tolist() == pytest.approx(expected, abs=1e-12)


def test_gains_by_hand_replace_only_the_grades_they_name() -> None:
    view = view_of("10u2|3")
    third = 1 / math.log2(5)
    assert DCG().score(view)[0] == pytest.approx(1 + 2 * third)
    assert DCG(dcg="exp-log2").score(view)[0] == pytest.approx(1 + 3 * third)
    assert DCG(gains={1: 10}).score(view)[0] == pytest.approx(10 + 2 * third)
    assert DCG(gains={0: 1, 2: 0.5}).score(view)[0] == pytest.approx(1 + 1 / math.log2(3) + 0.5 * third)
    assert DCG(gains={0: -1}).score(view)[0] == pytest.approx(1 - 1 / math.log2(3) + 2 * third)
    ideal = 10 + 3 / math.log2(3) + 2 / 2
    assert nDCG(gains={1: 10}).score(view)[0] == pytest.approx((10 + 2 * third) / ideal)


@pytest.mark.parametrize(
    ("measure", "top"),
    [
        (DCG(dcg="exp-log2"), 2000),
        (nDCG(dcg="exp-log2"), 2000),
        (NRG(base=RBP(), gain="exponential"), 2000),
        (NRG(base=RBP(max_grade=3000), gain="exponential"), 3000),
    ],
    ids=str,
)
def test_grades_that_are_too_high_for_a_gain(measure: Measure, top: int) -> None:
    view = make_view({"1": {"a": 1.0}}, {"1": {"a": 2000}})
    message = f"qrels: grade {top} is too high for gains of 2^grade (exp-log2), which goes up to 500; use dcg=log2"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        measure.score(view)
    # Tests of differences take squares of such gains.
    assert math.isfinite(DCG(dcg="exp-log2").score(make_view({"1": {"a": 1.0}}, {"1": {"a": 500}}))[0] ** 2)


def test_a_top_of_the_scale_next_to_which_other_grades_vanish() -> None:
    run, judged = {"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}}, {"b": 1, "c": 3}
    on_scale = make_view(run, {"1": {"a": 1000}, "2": judged})
    worth = [2.0 - 1, 2.0**3 - 1]
    assert nERR().score(on_scale)[1] == pytest.approx((worth[0] + worth[1] / 2) / (worth[1] + worth[0] / 2))
    beyond = make_view(run, {"1": {"a": 1001}, "2": judged})
    message = "qrels: grade 1001 is too high for nERR, which divides by 2^grade and goes up to 1000; give a max_grade"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        nERR().score(beyond)
    assert np.isfinite(nERR(max_grade=3).score(beyond)).all()
    # ERR itself is what it should be: next to the highest grade, the others satisfy nobody.
    assert ERR().score(make_view(run, {"1": {"a": 100_000}, "2": judged})).tolist() == [1.0, 0.0]


def test_gains_of_grades_that_nobody_has_take_no_memory() -> None:
    far = nDCG(gains={10**15: 5})
    assert far.score(view_of("210"))[0] == nDCG().score(view_of("210"))[0]
    assert (far.normaliser(), far.limits()) == ("ideal", (0.0, 1.0))


def test_scaled_dcg_takes_the_highest_grade_of_the_qrels() -> None:
    view = view_of("10|2")
    assert SDCG(cutoff=1).score(view).tolist() == [0.5]
    assert SDCG(cutoff=1, max_grade=1).score(view).tolist() == [1.0]


def test_inferred_ap_with_nothing_judged_above_takes_half() -> None:
    assert infAP().score(view_of("p1"))[0] == pytest.approx(0.75)
    assert infAP().score(view_of("u1"))[0] == pytest.approx(0.5)


def test_what_counts_as_judged() -> None:
    """Judged, unpooled and pooled documents; then a run of two documents, one of them judged for the other topic."""
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "x": 1.0}}
    view = make_view(run, {"1": {"a": 0, "c": -1}, "2": {"x": 1}, "3": {"y": 1}})
    assert Judged(cutoff=5).score(view).tolist() == pytest.approx([1 / 3, 1 / 2, math.nan], nan_ok=True)
    assert Judged(as_in="ir_measures", cutoff=5).score(view).tolist()[:2] == pytest.approx([2 / 3, 1 / 2])
    assert Judged(as_in="trec_eval", cutoff=5).score(view).tolist() == pytest.approx([3 / 5, 4 / 5, 1.0])
    assert Judged(as_in="beir", cutoff=5).score(view).tolist() == pytest.approx([4 / 5, 1.0, 1.0])
    assert Unjudged(cutoff=5).score(view).tolist() == pytest.approx([2 / 5, 1 / 5, 0.0])
    with pytest.raises(SpecError, match="needs one"):
        Judged(as_in="beir")


def test_counts_and_utility() -> None:
    view = view_of("210up|11")
    assert NumNonrelJudgedRet().score(view).tolist() == [1.0]
    assert NumNonrelJudgedRet(rel=2).score(view).tolist() == [2.0]
    assert Utility().score(view).tolist() == [2.0 - 3.0]
    assert Utility(found=3, noise=-2, missed=-1).score(view).tolist() == [6.0 - 6.0 - 2.0]


def test_binary_and_graded_gains_exclude_each_other() -> None:
    for cls in (RBP, INSQ, INST, NERR10, NERR11):
        with pytest.raises(SpecError, match="not both"):
            cls(rel=1, max_grade=3)
    for at_depth in (BPM, NERR8, NERR9):
        with pytest.raises(SpecError, match="not both"):
            at_depth(rel=1, max_grade=3, cutoff=5)
