"""unjudged.compat.ir_measures: our measures in ir_measures, and ir_measures' own measures from us.

Values are compared with those of ir_measures' other providers. It breaks ties in three ways, so runs have ties only
where its measures come from pytrec_eval, whose way is ours.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, RR, Judged, NumRet, P, SetF, nDCG
from ir_measures.providers import FallbackProvider
from measure_views import QrelsDict, RunDict, random_collection

import unjudged as uj
from unjudged.compat import ir_measures as drop_in
from unjudged.compat.ir_measures import (
    GMAP,
    OURS,
    counterpart,
    indAP,
    infNDCG,
    nDCG_est,
    nDCG_lower,
    nDCG_upper,
    nrg_against,
    provider,
    subAP,
    xinfAP,
)
from unjudged.errors import InputError, SpecError, UnjudgedWarning

PEERS = FallbackProvider([one for one in ir_measures.DefaultPipeline.providers if one is not provider])

FROM_PYTREC_EVAL = [
    "P@5", "P(rel=2)@10", "P(judged_only=True)@3", "RR", "RR(rel=2)", "RR(judged_only=True)", "Rprec", "Rprec(rel=2)",
    "AP", "AP@7", "AP(rel=2,judged_only=True)@20", "nDCG", "nDCG@10", "nDCG(judged_only=True)@10",
    "nDCG(gains={1:5,3:7})@10", "R@5", "R(rel=2)@20", "R(judged_only=True)@5", "Bpref", "Bpref(rel=2)", "NumRet",
    "NumRet(rel=2)", "NumRelRet", "NumQ", "NumRel", "SetAP", "SetAP(rel=2)", "SetF", "SetF(beta=0.5)", "SetF(beta=2.0)",
    "SetP", "SetRelP", "SetP(rel=2,judged_only=True)", "SetR", "SetR(rel=2)", "Success@1", "Success(rel=2)@5",
    "IPrec@0.1", "IPrec(rel=2)@0.5", "infAP", "infAP(rel=2)",
]  # fmt: skip
FROM_OTHERS = [
    "RR@3", "RR(rel=2)@10", "Judged", "Judged@10", "RBP(rel=1)", "RBP(rel=2,p=0.5)", "SDCG(max_rel=3)@10",
    "INST(max_rel=3)", "INST(T=2.5,max_rel=2)", "INSQ(max_rel=3)", "INSQ(T=2.5,max_rel=2)", "Compat", "Compat(p=0.8)",
    "Compat(p=0.99,normalize=False)", "BPM(max_rel=3)@10", "BPM(T=2.5,max_rel=2)@3", "BPM(T=0.7,max_rel=4)@30",
    "NERR8(max_rel=3)@10", "NERR8(max_rel=2)@1", "NERR9(max_rel=3)@10", "NERR9(max_rel=4)@30", "NERR10(max_rel=3)",
    "NERR10(p=0.5,max_rel=2)", "NERR11(max_rel=3)", "NERR11(T=2.5,max_rel=4)", "SDCG(min_rel=1,max_rel=3)@10",
    "INSQ(min_rel=2,max_rel=3)", "INST(min_rel=1,max_rel=4)", "BPM(min_rel=1,max_rel=3)@10",
    "NERR8(min_rel=1,max_rel=3)@10", "NERR9(min_rel=2,max_rel=4)@10", "NERR10(min_rel=1,max_rel=2)",
    "NERR11(min_rel=1,max_rel=3)",
]  # fmt: skip
BELOW_0 = ir_measures.SDCG(min_rel=-1, max_rel=3) @ 5


@pytest.fixture(autouse=True)
def _quiet(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Random runs lack topics, about which we warn; cwl_eval writes a log file to the working directory."""
    monkeypatch.chdir(tmp_path)
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        yield


def per_topic(who: Any, measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in who.iter_calc(measures, qrels, run)}


def assert_same(names: list[str], qrels: QrelsDict, run: RunDict, *, within: float = 1e-9) -> None:
    measures = [ir_measures.parse_measure(name) for name in names]
    result, means = per_topic(provider, measures, qrels, run), provider.calc_aggregate(measures, qrels, run)
    for measure in measures:  # one at a time: see test_a_value_does_not_depend_on_the_measures_beside_it
        expected = per_topic(PEERS, [measure], qrels, run)
        assert {key: value for key, value in result.items() if key[0] == str(measure)} == pytest.approx(
            expected, abs=within
        )
        mean = PEERS.calc_aggregate([measure], qrels, run)[measure]
        assert means[measure] == pytest.approx(mean, abs=within, nan_ok=True), str(measure)


DOCS = [f"d{i}" for i in range(20)]
GRADES = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1).map(
    lambda docs: {**docs, "d0": max(0, docs.get("d0", 0))}  # only negative grades would crash pytrec_eval
)


def collections(scores: st.SearchStrategy[list[float]]) -> st.SearchStrategy[tuple[QrelsDict, RunDict]]:
    ranking = st.lists(st.sampled_from(DOCS), min_size=1, unique=True).flatmap(
        lambda docs: scores.map(lambda values: dict(zip(docs, values, strict=False)))
    )
    topics = st.sampled_from(["1", "2", "zehn", "99"])
    return st.tuples(st.dictionaries(topics, GRADES, min_size=1), st.dictionaries(topics, ranking))


WITH_TIES = st.lists(st.one_of(st.integers(-2, 2).map(float), st.floats(-9, 9)), min_size=20, max_size=20)
WITHOUT = st.permutations([i / 4 + 1 for i in range(20)])  # and above 0: see Compat in test_ir_measures_parity.py


@settings(max_examples=60, deadline=None)
@given(collection=collections(WITH_TIES))
def test_gives_what_pytrec_eval_gives_there(collection: tuple[QrelsDict, RunDict]) -> None:
    assert_same(FROM_PYTREC_EVAL, *collection)


@settings(max_examples=20, deadline=None)
@given(collection=collections(WITHOUT))
def test_gives_what_the_other_providers_give_where_there_are_no_ties(collection: tuple[QrelsDict, RunDict]) -> None:
    assert_same(FROM_OTHERS, *collection)


@pytest.mark.parametrize("names", [FROM_PYTREC_EVAL, FROM_OTHERS], ids=["pytrec_eval", "others"])
@pytest.mark.parametrize("seed", range(3))
def test_gives_the_same_for_longer_runs(names: list[str], seed: int) -> None:
    run, qrels = random_collection(seed, ties=False)
    assert_same(names, qrels, run)


@pytest.mark.parametrize("name", ["ERR@10", "nDCG(dcg='exp-log2')@10"])
def test_gives_what_gdeval_rounds_to_five_decimals(name: str) -> None:
    if not PEERS.supports(ir_measures.parse_measure(name)):
        pytest.skip("gdeval needs Perl")
    run, qrels = random_collection(0, ties=False)
    assert_same([name], qrels, run, within=5.1e-6)


def test_reads_1000_ranks_where_cwl_eval_does() -> None:
    run = {"1": {f"d{i}": 2000.0 - i for i in range(1500)}}
    qrels = {"1": {f"d{i}": 1 + i % 3 for i in range(0, 1500, 7)}}
    names = ["BPM(T=900.0,max_rel=3)@1400", "INSQ(max_rel=3)", "INST(T=4.0,max_rel=3)", "NERR8(max_rel=90)@1400"]
    assert_same([*names, "NERR9(max_rel=90)@1400", "NERR10(p=0.9999,max_rel=90)", "NERR11(max_rel=90)"], qrels, run)


NEEDED = {"cutoff": 10, "recall": 0.5, "max_rel": 3}


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry.keys() - OURS.keys()))
def test_every_measure_of_ir_measures_is_served(name: str) -> None:
    measure = ir_measures.measures.registry[name]
    measure = measure(**{param: value for param, value in NEEDED.items() if param in measure.SUPPORTED_PARAMS})
    assert provider.supports(measure)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (BELOW_0, "SDCG(min_rel=-1,max_rel=3)@5: min_rel must be a whole number of at least 0, not -1"),
        (
            ir_measures.BPM(min_rel=2, max_rel=2) @ 5,
            "BPM(min_rel=2,max_rel=2)@5: max_rel must be above min_rel (2), not 2",
        ),
    ],
)
def test_says_what_it_does_not_compute(measure: Any, message: str) -> None:
    assert not provider.supports(measure)
    with pytest.raises(SpecError) as raised:
        provider.evaluator([measure], {"1": {"a": 1}})
    assert str(raised.value) == message


def test_min_rel_is_not_for_tests_of_significance() -> None:
    with pytest.raises(SpecError, match=r"^BPM\(min_rel=1,max_rel=3\)@5: min_rel must be 0 here$"):
        counterpart(ir_measures.parse_measure("BPM(min_rel=1,max_rel=3)@5"))


def test_ties_are_broken_alike_for_all_measures_of_a_call() -> None:
    qrels, run = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    assert PEERS.calc_aggregate([P @ 1, Judged @ 1], qrels, run) == {P @ 1: 1.0, Judged @ 1: 0.0}
    assert provider.calc_aggregate([P @ 1, Judged @ 1], qrels, run) == {P @ 1: 1.0, Judged @ 1: 1.0}


def test_the_drop_in_asks_us_first_and_others_for_what_we_refuse() -> None:
    qrels, run = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    asked = [P @ 1, Judged @ 1, BELOW_0]
    expected = {P @ 1: 1.0, Judged @ 1: 1.0, **PEERS.calc_aggregate([BELOW_0], qrels, run)}
    assert drop_in.calc_aggregate(asked, qrels, run) == expected
    assert drop_in.calc(asked, qrels, run).aggregated == expected
    assert drop_in.evaluator(asked, qrels).calc_aggregate(run) == expected
    assert len(list(drop_in.iter_calc(asked, qrels, run))) == 3
    with pytest.raises(AttributeError, match=r"^module 'unjudged.compat.ir_measures' has no attribute 'nDCGG'$"):
        drop_in.nDCGG  # noqa: B018
    assert not hasattr(drop_in, "__path__")  # that would make a package of it


def test_a_value_does_not_depend_on_the_measures_beside_it() -> None:
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    judged_only, gains = P(judged_only=True) @ 1, nDCG(gains={2: 10})
    pytrec_eval = ir_measures.pytrec_eval
    assert pytrec_eval.calc_aggregate([NumRet], qrels, run)[NumRet] == 3
    assert pytrec_eval.calc_aggregate([judged_only, NumRet], qrels, run)[NumRet] == 2, "mended: say so in the docs"
    alone = pytrec_eval.calc_aggregate([nDCG], qrels, run)[nDCG]
    assert pytrec_eval.calc_aggregate([gains, nDCG], qrels, run)[nDCG] != pytest.approx(alone), "mended as well"
    result = provider.calc_aggregate([judged_only, gains, NumRet, nDCG], qrels, run)
    assert result[NumRet] == 3
    assert result[nDCG] == pytest.approx(alone, abs=1e-9)


def test_is_one_of_the_providers() -> None:
    assert ir_measures.providers.registry["unjudged"] is provider
    assert ir_measures.DefaultPipeline.providers[-1] is provider


# ---- our measures


@pytest.mark.parametrize("seed", range(3))
def test_our_measures_have_our_values_beside_those_of_ir_measures(seed: int) -> None:
    run, qrels = random_collection(seed)
    asked = [nDCG @ 10, indAP, subAP, indAP(pool=False), nDCG_lower @ 10, nDCG_upper @ 10, nDCG_est @ 10, GMAP]
    result = ir_measures.calc_aggregate(asked, qrels, run)
    names = ["nDCG@10", "indAP", "subAP", "indAP(pool=False)", "GMAP"]
    models = ["nonrelevant", "bounds", "bootstrap"]
    ours = uj.score(qrels, run, names, scores="float32", holes=models, negative="pooled")
    rows = {(row.measure, row.holes): row for row in ours.mean()}
    for measure, name in zip([nDCG @ 10, indAP, subAP, indAP(pool=False), GMAP], names, strict=True):
        assert result[measure] == pytest.approx(rows[name, "nonrelevant"].value, abs=1e-9), name
    assert result[nDCG_lower @ 10] == pytest.approx(rows["nDCG@10", "bounds"].low, abs=1e-9)
    assert result[nDCG_upper @ 10] == pytest.approx(rows["nDCG@10", "bounds"].high, abs=1e-9)
    assert result[nDCG_est @ 10] == pytest.approx(rows["nDCG@10", "bootstrap"].value, abs=1e-9)
    assert result[nDCG_lower @ 10] < result[nDCG_est @ 10] < result[nDCG_upper @ 10]


def test_estimates_from_a_sample_need_a_column_of_strata() -> None:
    rows = [("1", f"d{i}", i % 3 - 1, i % 2) for i in range(12)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "stratum"])
    run = {"1": {f"d{i}": 1.0 - i / 20 for i in range(0, 12, 2)}}
    result = ir_measures.calc_aggregate([infNDCG, xinfAP, AP], qrels, run)
    ours = uj.score(qrels, run, ["infNDCG", "xinfAP"], scores="float32").mean()
    assert result[infNDCG] == pytest.approx(ours["infNDCG",], abs=1e-9)
    assert result[xinfAP] == pytest.approx(ours["xinfAP",], abs=1e-9)
    assert 0 < result[infNDCG] != result[AP]
    with pytest.raises(InputError, match=r"^infNDCG needs strata, which qrels does not have"):
        ir_measures.calc_aggregate([infNDCG], qrels.drop(columns="stratum"), run)


@pytest.mark.parametrize("name", OURS)
def test_the_name_of_every_measure_can_be_read_back(name: str) -> None:
    measure = OURS[name]
    cutoff = measure.AT_PARAM in measure.SUPPORTED_PARAMS
    measure = measure @ (0.5 if name == "RprecMult" else 10) if cutoff else measure
    again = ir_measures.parse_measure(str(measure))
    assert again == measure and again.asked() == measure.asked()
    assert provider.supports(measure)


@pytest.mark.parametrize("name", [name for name in OURS if not name.startswith(("inf", "xinf"))])
def test_every_measure_of_ours_is_computed(name: str) -> None:
    measure = OURS[name]
    cutoff = measure.AT_PARAM in measure.SUPPORTED_PARAMS
    measure = measure @ (0.5 if name == "RprecMult" else 5) if cutoff else measure
    run, qrels = random_collection(4)
    aggregated, topics = ir_measures.calc([measure], qrels, run)
    assert {metric.query_id for metric in topics} == set(qrels)
    assert math.isfinite(aggregated[measure])
    assert any(metric.value != 0 for metric in topics)


def test_an_asterisk_imports_all_measures() -> None:
    names: dict[str, Any] = {}
    exec("from unjudged.compat.ir_measures import *", names)
    assert ir_measures.measures.registry.keys() <= names.keys()
    assert names["nDCG_lower"] is nDCG_lower and names["calc_aggregate"] == drop_in.calc_aggregate


def test_measures_that_need_what_ir_measures_cannot_give_are_left_out() -> None:
    assert not {"NRG", "ABSRB"} & OURS.keys()
    with pytest.raises(ImportError, match="NRG"):
        from unjudged.compat.ir_measures import NRG  # noqa: F401


def test_a_wrong_parameter_is_named_where_it_is_given() -> None:
    with pytest.raises(SpecError, match=r"^indAP has no parameter 'rell' \(it has rel, pool\); did you mean 'rel'\?$"):
        indAP(rell=2)
    with pytest.raises(SpecError, match=r"^nDCG: cutoff must be a whole number of at least 1, not 0$"):
        nDCG_lower @ 0


# ---- ways to ask, and what may be given


def test_all_ways_to_ask_give_the_same() -> None:
    run, qrels = random_collection(2)
    measures = [nDCG @ 5, indAP, nDCG_upper @ 5]
    aggregated, topics = ir_measures.calc(measures, qrels, run)
    assert ir_measures.calc_aggregate(measures, qrels, run) == aggregated
    assert sorted(map(str, ir_measures.iter_calc(measures, qrels, run))) == sorted(map(str, topics))
    evaluator = ir_measures.evaluator(measures, qrels)
    assert evaluator.calc_aggregate(run) == evaluator.calc_aggregate(run) == aggregated
    assert indAP.calc_aggregate(qrels, run) == aggregated[indAP]
    assert {metric.query_id for metric in topics} == set(qrels)


@pytest.mark.parametrize("who", [ir_measures, provider], ids=["ir_measures", "provider"])
def test_dicts_frames_and_named_tuples_give_the_same(who: Any) -> None:
    run, qrels = random_collection(2)
    judged = [ir_measures.Qrel(topic, doc, grade) for topic, docs in qrels.items() for doc, grade in docs.items()]
    ranked = [ir_measures.ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    expected = who.calc_aggregate([P @ 5, indAP, RBP(rel=1)], qrels, run)
    for some_qrels, some_run in [
        (judged, ranked),
        (iter(judged), iter(ranked)),
        (pd.DataFrame(judged), pd.DataFrame(ranked)),
        (pd.DataFrame(judged).drop(columns="iteration"), pd.DataFrame(ranked)),
    ]:
        assert who.calc_aggregate([P @ 5, indAP, RBP(rel=1)], some_qrels, some_run) == pytest.approx(expected)


def test_takes_numbers_that_ir_measures_refuses() -> None:
    qrels, run = {"1": {"a": np.int64(1), "b": 0}}, {"1": {"b": np.float32(2), "a": 1}}
    with pytest.raises(TypeError):
        PEERS.calc_aggregate([RR], qrels, run)
    assert provider.calc_aggregate([RR], qrels, run) == {RR: 0.5}
    assert provider.calc_aggregate([RR], {7: {1: 1}}, {7: {1: 1}}) == {RR: 1.0}


@pytest.mark.parametrize(
    "run", [{}, {"1": {}}, [], {"other": {"a": 1.0}}, iter(())], ids=["none", "empty", "list", "other", "iterator"]
)
def test_a_run_without_any_judged_topic_scores_0(run: Any) -> None:
    result = ir_measures.calc_aggregate([indAP, nDCG_upper @ 10], {"1": {"a": 1}, "2": {"a": 1}}, run)
    assert result == {indAP: 0.0, nDCG_upper @ 10: 0.0}


def test_a_topic_without_judgments_counts_as_it_does_there() -> None:
    qrels: QrelsDict = {"1": {"a": 1}, "2": {}}
    assert provider.calc_aggregate([AP], qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}) == {AP: 0.5}
    assert PEERS.calc_aggregate([AP], qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}) == {AP: 0.5}


def test_no_judgments_have_no_mean() -> None:
    assert math.isnan(provider.calc_aggregate([indAP], {}, {"1": {"a": 1.0}})[indAP])


def test_beta_is_what_ir_measures_means_by_it() -> None:
    run, qrels = {"1": {"a": 1.0, "x": 0.5}}, {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}
    precision, recall, beta = 1 / 2, 1 / 4, 4.0
    expected = (1 + beta) * precision * recall / (beta * precision + recall)  # as trec_eval: beta is not squared again
    assert provider.calc_aggregate([SetF(beta=beta)], qrels, run)[SetF(beta=beta)] == pytest.approx(expected)


def test_beta_below_0_is_refused() -> None:
    assert not provider.supports(SetF(beta=-1.0))
    with pytest.raises(SpecError, match=r"^SetF\(beta=-1\.0\): beta must be at least 0$"):
        provider.evaluator([SetF(beta=-1.0)], {"1": {"a": 1}})


def test_bounds_without_holes_are_refused() -> None:
    with pytest.raises(SpecError, match=r"^nDCG_lower: judged_only drops the unjudged documents, which it is about$"):
        nDCG_lower(judged_only=True)


def test_an_unknown_bound_makes_that_of_the_mean_unknown_and_an_undefined_topic_is_left_out() -> None:
    for measure, mean in [(nDCG_lower @ 10, math.nan), (indAP, 0.5)]:
        aggregator = measure.aggregator()
        for value in (0.5, math.nan):
            aggregator.add(value)
        assert aggregator.result() == pytest.approx(mean, nan_ok=True)


def test_warns_as_uj_score_does() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnjudgedWarning)
        ir_measures.calc_aggregate([indAP], {"1": {"a": 1}}, {"1": {"a": 1.0, "x": 2.0}})
    assert [one.category for one in caught] == [UnjudgedWarning]
    assert str(caught[0].message).startswith("indAP: the judgments list no document that was pooled but not judged")


def test_nrg_against_other_runs_is_that_of_relative() -> None:
    run, qrels = random_collection(3, ties=False)
    priors = {name: random_collection(seed, ties=False)[0] for name, seed in (("bm25", 4), ("neural", 5))}
    measure = nrg_against(priors, "nDCG@5")
    assert str(measure) == "NRG(base='nDCG@5',prior_runs='bm25+neural')"
    result = per_topic(ir_measures, [measure, AP], qrels, run)
    rows = uj.relative(qrels, run, "nDCG@5", prior_runs=priors, holes="nonrelevant", scores="float32").topics()
    expected = {row.topic: row.nrg if row.topic in run else 0.0 for row in rows}
    assert {topic: value for (name, topic), value in result.items() if name == str(measure)} == pytest.approx(expected)
    means = provider.calc_aggregate([measure, nrg_against(priors, "NRG(nDCG@5, gain=binary, rel=2)")], qrels, run)
    assert means[measure] == pytest.approx(np.mean(list(expected.values())))
    assert len(means) == 2


def test_nrg_without_anything_left_to_add_and_against_nothing_relevant() -> None:
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    alike, other = nrg_against(run, "P@2"), nrg_against({"run": {"1": {"x": 1.0}}}, "P@2")
    assert str(alike) == str(other) and alike != other  # the same name does not make them the same measure
    assert provider.calc_aggregate([alike, other, P @ 2], qrels, run) == {alike: 0.0, other: 1.0, P @ 2: 1.0}
    with pytest.raises(SpecError, match=r"^NRG: AP does not say how likely somebody is to look at a rank"):
        nrg_against(run, "AP")


@pytest.mark.parametrize(
    "name", ["P@5", "AP", "nDCG@5", "RR@5", "Judged@5", "Compat(p=0.8)", "NumRet", "SetF", "infAP"]
)
@pytest.mark.parametrize("judged", [(), ("0",), ("0", "1")])
@pytest.mark.parametrize("ranked", [(), ("1",), ("0", "1")])
def test_topics_that_judgments_or_runs_lack_count_as_they_do_there(name: str, judged: Any, ranked: Any) -> None:
    """The cases of ir_measures' own tests of providers, with what its other providers give."""
    rows = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
    scored = {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
    }
    qrels = [ir_measures.Qrel(topic, doc, grade) for topic in judged for doc, grade in rows[topic].items()]
    run = [ir_measures.ScoredDoc(topic, doc, score) for topic in ranked for doc, score in scored[topic].items()]
    measure = ir_measures.parse_measure(name)
    assert per_topic(provider, [measure], qrels, run) == pytest.approx(per_topic(PEERS, [measure], qrels, run))
    assert provider.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
        PEERS.calc_aggregate([measure], qrels, run)[measure], nan_ok=True
    )


def test_a_document_that_is_listed_twice_is_an_error() -> None:
    rows = [ir_measures.ScoredDoc("1", "a", 1.0), ir_measures.ScoredDoc("1", "a", 2.0)]
    with pytest.raises(InputError, match=r"^run: document 'a' is ranked twice for topic '1'$"):
        provider.calc_aggregate([AP], {"1": {"a": 1}}, rows)
