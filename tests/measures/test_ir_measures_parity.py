"""Measures of ir_measures that trec_eval does not have give the same number here, or differ for a stated reason.

Runs have no ties, because ir_measures breaks them in three ways (docid descending, docid ascending, input order).
"""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Iterator

import ir_measures
import numpy as np
import pytest
from measure_views import QrelsDict, RunDict, make_view, random_collection, view_of

from unjudged.measures import (
    BPM,
    ERR,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    RBP,
    SDCG,
    Accuracy,
    Compat,
    Judged,
    Measure,
    P,
    SetAP,
    SetF,
    SetP,
    SetR,
    nDCG,
    parse_measures,
)

SEEDS = range(5)


@pytest.fixture(autouse=True, scope="module")
def _no_log_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """cwl_eval writes ``cwl.log`` to the working directory when it is imported."""
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("cwl"))
        yield


def theirs(text: str, run: RunDict, qrels: QrelsDict) -> dict[str, float]:
    measure = ir_measures.parse_measure(text)
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


def ours(measure: Measure, run: RunDict, qrels: QrelsDict) -> dict[str, float]:
    view = make_view(run, qrels)
    return dict(zip(view.qrels.topics, measure.score(view).tolist(), strict=True))


def assert_agrees(measure: Measure, text: str, seed: int, *, within: float = 1e-9) -> None:
    run, qrels = random_collection(seed, ties=False)
    expected = theirs(text, run, qrels)
    scores = ours(measure, run, qrels)
    assert len(expected) > 5
    for topic in set(expected) & set(run):
        assert scores[topic] == pytest.approx(expected[topic], abs=within), f"topic {topic}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (Compat(), "Compat"),
        (Compat(p=0.5), "Compat(p=0.5)"),
        (Compat(p=0.99, normalize=False), "Compat(p=0.99,normalize=False)"),
        (Judged(as_in="ir_measures", cutoff=10), "Judged@10"),
        (Judged(as_in="ir_measures"), "Judged"),
        (SetP(relative=True), "SetP(relative=True)"),
        (SetP(judged_only=True), "SetP(judged_only=True)"),
        (SetR(rel=2), "SetR(rel=2)"),
        (SetAP(rel=2), "SetAP(rel=2)"),
        (SetF(), "SetF"),
        (nDCG(gains={1: 5, 3: 7}, cutoff=10), "nDCG(gains={1:5,3:7})@10"),
        (nDCG(gains={0: 1, 1: 2}), "nDCG(gains={0:1,1:2})"),
        (nDCG(judged_only=True, cutoff=5), "nDCG(judged_only=True)@5"),
        (P(rel=2, judged_only=True, cutoff=5), "P(rel=2,judged_only=True)@5"),
    ],
    ids=str,
)
def test_agrees(measure: Measure, text: str, seed: int) -> None:
    assert_agrees(measure, text, seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (INSQ(T=1, max_grade=3, horizon=1000), "INSQ(max_rel=3)"),
        (INSQ(T=2.5, max_grade=2, horizon=1000), "INSQ(T=2.5,max_rel=2)"),
        (INST(T=1, max_grade=3, horizon=1000), "INST(max_rel=3)"),
        (INST(T=3, max_grade=2, horizon=1000), "INST(T=3.0,max_rel=2)"),
        (BPM(max_grade=3, cutoff=10), "BPM(max_rel=3)@10"),
        (BPM(T=2.5, max_grade=2, cutoff=100), "BPM(T=2.5,max_rel=2)@100"),
        (NERR8(max_grade=3, cutoff=10), "NERR8(max_rel=3)@10"),
        (NERR8(max_grade=2, cutoff=1000), "NERR8(max_rel=2)@1000"),
        (NERR9(max_grade=3, cutoff=10), "NERR9(max_rel=3)@10"),
        (NERR9(max_grade=4, cutoff=1000), "NERR9(max_rel=4)@1000"),
        (NERR10(max_grade=3, horizon=1000), "NERR10(max_rel=3)"),
        (NERR10(p=0.999, max_grade=4, horizon=1000), "NERR10(p=0.999,max_rel=4)"),
        (NERR11(max_grade=3, horizon=1000), "NERR11(max_rel=3)"),
        (NERR11(T=30, max_grade=4, horizon=1000), "NERR11(T=30.0,max_rel=4)"),
        (SDCG(max_grade=3, cutoff=10), "SDCG(max_rel=3)@10"),
        (SDCG(max_grade=2, cutoff=100), "SDCG(max_rel=2)@100"),
        (RBP(rel=1), "RBP(rel=1)"),
        (RBP(p=0.95, rel=2), "RBP(rel=2,p=0.95)"),
    ],
    ids=str,
)
def test_agrees_with_cwl_eval_over_its_1000_ranks(measure: Measure, text: str, seed: int) -> None:
    assert_agrees(measure, text, seed)


def test_horizon_cuts_longer_runs_as_cwl_eval_does() -> None:
    run = {"1": {f"d{i}": 2000.0 - i for i in range(1500)}}
    qrels = {"1": {f"d{i}": 1 + i % 3 for i in range(0, 1500, 7)}}
    for measure, text in [
        (INSQ(horizon=1000), "INSQ(max_rel=3)"),
        (INST(T=4, horizon=1000), "INST(T=4.0,max_rel=3)"),
        (BPM(T=900, cutoff=1000), "BPM(T=900.0,max_rel=3)@1400"),
        (NERR8(max_grade=30, cutoff=1000), "NERR8(max_rel=30)@1400"),
        (NERR9(max_grade=30, cutoff=1000), "NERR9(max_rel=30)@1400"),
        (NERR10(p=0.9999, max_grade=30, horizon=1000), "NERR10(p=0.9999,max_rel=30)"),
        (NERR11(T=500, max_grade=30, horizon=1000), "NERR11(T=500.0,max_rel=30)"),
    ]:
        assert ours(measure, run, qrels)["1"] == pytest.approx(theirs(text, run, qrels)["1"], abs=1e-9)


def test_rbp_of_a_patient_user_is_scaled_to_1000_ranks_by_cwl_eval() -> None:
    run, qrels = random_collection(0, ties=False)
    expected = theirs("RBP(rel=1,p=0.999)", run, qrels)
    scores = ours(RBP(rel=1, p=0.999), run, qrels)
    for topic in set(expected) & set(run):
        assert scores[topic] / (1 - 0.999**1000) == pytest.approx(expected[topic], abs=1e-9)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("measure", "text"),
    [(ERR(max_grade=4, cutoff=10), "ERR@10"), (nDCG(dcg="exp-log2", cutoff=10), "nDCG(dcg='exp-log2')@10")],
    ids=str,
)
def test_agrees_with_gdeval_to_its_five_decimals(measure: Measure, text: str, seed: int) -> None:
    assert_agrees(measure, text, seed, within=5.1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_exponential_gains_are_custom_gains_in_ir_measures(seed: int) -> None:
    assert_agrees(nDCG(dcg="exp-log2", cutoff=10), "nDCG(gains={1:1,2:3,3:7})@10", seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("measure", "text"), [(Accuracy(), "Accuracy"), (Accuracy(rel=2, cutoff=20), "Accuracy(rel=2)@20")], ids=str
)
def test_accuracy_agrees_where_there_is_a_pair(measure: Measure, text: str, seed: int) -> None:
    run, qrels = random_collection(seed, ties=False)
    defined = {topic: value for topic, value in ours(measure, run, qrels).items() if not math.isnan(value)}
    assert len(defined) > 3
    assert theirs(text, {topic: run[topic] for topic in defined}, qrels) == pytest.approx(defined, abs=1e-9)


# ---- where we differ on purpose


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_beta_of_set_f_is_squared_here_and_not_in_ir_measures(beta: float) -> None:
    """trec_eval's formula takes x = beta^2; ir_measures passes its beta as x."""
    assert_agrees(SetF(beta=math.sqrt(beta)), f"SetF(beta={beta})", seed=0)
    (from_trec_eval,) = parse_measures(f"set_F.{beta * beta}")
    assert from_trec_eval == SetF(beta=beta)
    precision, recall = 0.5, 0.25
    textbook = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert SetF(beta=beta).score(view_of("10|111"))[0] == pytest.approx(textbook)


def test_documents_listed_with_a_negative_grade_are_judged_only_in_ir_measures() -> None:
    run, qrels = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "b": -1}}
    assert theirs("Judged@3", run, qrels)["1"] == pytest.approx(2 / 3)
    assert ours(Judged(as_in="ir_measures", cutoff=3), run, qrels)["1"] == pytest.approx(2 / 3)
    assert ours(Judged(cutoff=3), run, qrels)["1"] == pytest.approx(1 / 3)


def test_accuracy_without_a_pair_is_undefined_here() -> None:
    only_relevant = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    with pytest.raises(ZeroDivisionError):
        theirs("Accuracy", *only_relevant)
    assert np.isnan(ours(Accuracy(), *only_relevant)["1"])
    only_other = {"1": {"b": 1.0}}, {"1": {"a": 1}}
    assert theirs("Accuracy", *only_other) == {}
    assert np.isnan(ours(Accuracy(), *only_other)["1"])


def test_compat_places_unretrieved_documents_by_a_score_of_zero_only_in_ir_measures() -> None:
    """With scores below 0 ir_measures puts documents that were not retrieved first; we always put them last."""
    qrels = {"1": {"found": 1, "missed": 1}}
    positive, negative = {"1": {"found": 1.0}}, {"1": {"found": -1.0}}
    assert theirs("Compat", positive, qrels)["1"] == pytest.approx(ours(Compat(), positive, qrels)["1"])
    assert ours(Compat(), positive, qrels) == ours(Compat(), negative, qrels)
    assert theirs("Compat", negative, qrels)["1"] < ours(Compat(), negative, qrels)["1"]


def test_cwl_eval_rounds_before_it_asks_whether_enough_is_gained() -> None:
    """Ten gains of 0.1 are 1, but their sum as binary fractions is less, so cwl_eval's reader goes on to rank 11."""
    run = {"1": {f"d{i}": 20.0 - i for i in range(12)}}
    qrels = {"1": {f"d{i}": 1 for i in range(11)}}
    assert ours(BPM(max_grade=10, cutoff=12), run, qrels)["1"] == pytest.approx(1.0 / 10)
    assert ours(BPM(max_grade=10, cutoff=12), run, {"1": qrels["1"] | {"d10": 10}})["1"] == pytest.approx(1.0 / 10)
    assert theirs("BPM(max_rel=10)@12", run, {"1": qrels["1"] | {"d10": 10}})["1"] == pytest.approx(2.0 / 11)


def test_gdeval_takes_4_as_the_top_of_every_scale() -> None:
    view = view_of("30|1")
    assert ERR().score(view).tolist() == [7 / 8]
    assert ERR(max_grade=4).score(view).tolist() == [7 / 16]
