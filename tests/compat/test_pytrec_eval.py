"""unjudged.compat.pytrec_eval gives what pytrec_eval gives: the same dicts, in the same order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import pytrec_eval as peer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from measure_views import QrelsDict, RunDict, random_collection

from unjudged.compat import pytrec_eval as ours
from unjudged.errors import InputError

QRELS: QrelsDict = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
RUN: RunDict = {"1": {"a": 1.0, "b": 1.0, "x": 3.0}, "2": {"x": 1.0}}


def assert_same(run: RunDict, qrels: QrelsDict, measures: Any, *arguments: Any) -> None:
    result = ours.RelevanceEvaluator(qrels, measures, *arguments).evaluate(run)
    expected = peer.RelevanceEvaluator(qrels, measures, *arguments).evaluate(run)
    assert list(result) == list(expected)
    for topic, values in expected.items():
        # Where dropping unjudged documents leaves nothing, interpolated precision is NaN there and 0 here.
        values = {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
        assert list(result[topic]) == list(values)
        assert result[topic] == pytest.approx(values, abs=1e-9, rel=1e-9), topic


# Multiples of 1/3 that are different only in double precision, and ties.
SCORES = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e30, 1e30), st.integers(0, 5).map(lambda i: 1 / 3 + i * 1e-9)
)
DOCS = st.text("ab0-_zäß€文𝔡", min_size=1, max_size=3)
NAMES = st.one_of(
    st.sampled_from(sorted(peer.supported_measures)),
    st.sampled_from(["official", "set", "all_trec"]),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"]),
        st.sampled_from("._"),
        st.lists(st.integers(1, 40).map(str), min_size=1, max_size=3).map(",".join),
    ),
    st.builds("iprec_at_recall_{:.2f}".format, st.floats(0, 1)),
    st.builds("Rprec_mult.{:.2f}".format, st.floats(0.01, 3)),
    st.sampled_from(["set_F_0.5", "set_F.2"]),
)


@st.composite
def collections(draw: st.DrawFn) -> tuple[RunDict, QrelsDict]:
    """Some topics are only in the run or only in the judgments. No topic has negative grades only: it would crash."""
    docs = draw(st.lists(DOCS, min_size=1, max_size=25, unique=True))
    run: RunDict = {}
    qrels: QrelsDict = {}
    for topic in ["4", "two", "dreißig", "1"]:
        if draw(st.integers(0, 3)):
            qrels[topic] = draw(st.dictionaries(st.sampled_from(docs), st.integers(-2, 4), min_size=1))
            first = next(iter(qrels[topic]))
            qrels[topic][first] = max(0, qrels[topic][first])
        if draw(st.integers(0, 3)):
            run[topic] = draw(st.dictionaries(st.sampled_from(docs), SCORES, min_size=1))
    return run, qrels


@settings(max_examples=150, deadline=None)
@given(
    collection=collections(),
    measures=st.sets(NAMES, max_size=4).filter(lambda names: not {"set_F_0.5", "set_F.2"} <= names),
    level=st.integers(1, 3),
    judged_only=st.booleans(),
)
@example(collection=(RUN, QRELS), measures={"P", "P_5"}, level=1, judged_only=False)
@example(collection=(RUN, QRELS), measures={"set_F", "set_F_2"}, level=1, judged_only=False)
@example(collection=(RUN, QRELS), measures={"ndcg_cut.5,10", "ndcg_cut_3", "P_7"}, level=2, judged_only=True)
@example(collection=({}, QRELS), measures={"map"}, level=1, judged_only=False)
@example(collection=(RUN, {}), measures={"map"}, level=1, judged_only=False)
@example(collection=(RUN, {"1": {}, "2": {"a": 1}}), measures={"map"}, level=1, judged_only=False)
def test_gives_the_same_dicts(
    collection: tuple[RunDict, QrelsDict], measures: set[str], level: int, judged_only: bool
) -> None:
    assert_same(*collection, measures, level, judged_only)


@pytest.mark.parametrize("seed", range(5))
def test_gives_the_same_numbers_for_all_measures(seed: int) -> None:
    run, qrels = random_collection(seed)
    assert_same(run, qrels, peer.supported_measures, 1 + seed % 3, seed % 2 == 0)


def test_has_the_same_names() -> None:
    assert ours.supported_measures == peer.supported_measures
    assert set(ours.__all__) - {"compute_aggregated_measure"} == set(peer.__all__)
    for group, names in ours.supported_nicknames.items():
        assert peer.supported_nicknames[group] == names
    for group in peer.supported_nicknames.keys() - ours.supported_nicknames.keys():
        with pytest.raises(ValueError, match="unsupported"):
            peer.RelevanceEvaluator(QRELS, {group})


def test_scores_that_differ_only_in_double_precision_are_ties() -> None:
    run = {"1": {"a": 1.0 + 1e-9, "c": 1.0}}  # c is first among ties
    assert ours.RelevanceEvaluator({"1": {"c": 1}}, {"recip_rank"}).evaluate(run) == {"1": {"recip_rank": 1.0}}
    assert_same(run, {"1": {"c": 1}}, {"recip_rank"})


@pytest.mark.parametrize(
    "grade", [int, np.int64, np.int32, np.uint8, float, np.float64], ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize("score", [int, np.int64, np.float32, np.float16, np.float64], ids=lambda kind: kind.__name__)
def test_takes_every_type_of_number(grade: Callable[[int], Any], score: Callable[[float], Any]) -> None:
    qrels = {topic: {doc: grade(one) for doc, one in docs.items()} for topic, docs in QRELS.items()}
    run = {topic: {doc: score(one) for doc, one in docs.items()} for topic, docs in RUN.items()}
    expected = peer.RelevanceEvaluator(QRELS, {"map", "ndcg"}).evaluate(RUN)
    assert ours.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run) == expected


def test_ids_may_be_whole_numbers_and_topics_keep_their_type() -> None:
    qrels, run = {301: {7: 1}, "302": {8: 1}}, {np.int64(301): {"7": 1.0}, 302: {8: 1.0}}
    result = ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert result == {301: {"map": 1.0}, 302: {"map": 1.0}}


def test_a_topic_without_documents_scores_nothing_where_pytrec_eval_reads_memory_it_should_not() -> None:
    for run in ({"1": {}}, {"1": {}, "2": {"a": 1.0}}):
        result = ours.RelevanceEvaluator(QRELS, {"map", "num_rel", "gm_map"}).evaluate(run)
        assert result["1"] == {"num_rel": 2.0, "map": 0.0, "gm_map": math.log(1e-5)}


def test_measures_may_also_be_named_as_everywhere_else() -> None:
    result = ours.RelevanceEvaluator(QRELS, ["nDCG@10", "map", "indAP", "P(rel=2)@1"]).evaluate(RUN)
    assert list(result["1"]) == ["map", "nDCG@10", "indAP", "P(rel=2)@1"]
    expected = peer.RelevanceEvaluator(QRELS, ["ndcg_cut_10"]).evaluate(RUN)["1"]["ndcg_cut_10"]
    assert result["1"]["nDCG@10"] == pytest.approx(expected, abs=1e-9)


def test_an_evaluator_does_not_change_what_it_is_given() -> None:
    qrels, run = {"1": {"a": 1}, "2": {}}, {"1": {"a": 1.0}, "3": {}}
    evaluator = ours.RelevanceEvaluator(qrels, {"map"})
    assert evaluator.evaluate(run) == evaluator.evaluate(run) == {"1": {"map": 1.0}}
    assert (qrels, run) == ({"1": {"a": 1}, "2": {}}, {"1": {"a": 1.0}, "3": {}})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, {"mapp"}), "unknown measure 'mapp'; did you mean 'map'? (`unjudged measures` lists them all)"),
        ((QRELS, {"map_5"}), "unknown measure 'map_5'"),
        ((QRELS, {"P_5xyz"}), "trec_eval measure 'P': '5xyz' is not a number"),
        ((QRELS, {"P_0"}), "P: cutoff must be"),
        ((QRELS, {"set_F_4", "set_F_9"}), "are both called set_F: use an evaluator for each"),
        ((QRELS, {5}), "a measure must be given by its name, not 5"),
        ((QRELS, {"map"}, 0), "relevance_level must be a whole number of at least 1, not 0"),
        ((QRELS, {"map"}, "2"), "relevance_level must be a whole number of at least 1, not '2'"),
        (([("1", "a", 1)], {"map"}), "expected {topic: {doc: grade}}, not list"),
        (({"1": ["a"]}, {"map"}), "qrels: expected {topic: {doc: grade}}, but topic '1' holds list"),
        (({"1": {"a": 0.5}}, {"map"}), "the grade of topic '1', document 'a' is not a whole number: 0.5"),
        ((QRELS, {"infNDCG"}), "infNDCG needs strata, which qrels does not have"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as raised:
        ours.RelevanceEvaluator(*arguments)
    assert message in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ([("1", "a", 1.0)], "expected {topic: {doc: score}}, not list"),
        ({"1": {"a": math.nan}}, "run: the score of topic '1', document 'a' is not a finite number: nan"),
        ({"1": {"a": "first"}}, "run: the score of topic '1', document 'a' is not a finite number: 'first'"),
    ],
)
def test_a_wrong_run_is_refused(run: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)
    assert str(raised.value) == message


@pytest.mark.parametrize("name", ["map", "num_ret", "gm_map", "P_5"])
@given(values=st.lists(st.floats(-20, 20), min_size=1))
def test_aggregates_the_same(name: str, values: list[float]) -> None:
    expected = peer.compute_aggregated_measure(name, values)
    assert ours.compute_aggregated_measure(name, values) == pytest.approx(expected, abs=1e-9, rel=1e-9)


def test_no_topics_have_no_mean() -> None:
    assert math.isnan(ours.compute_aggregated_measure("map", []))
    assert math.isnan(ours.compute_aggregated_measure("gm_map", []))
    assert ours.compute_aggregated_measure("num_ret", []) == 0


def test_parses_the_same_lines() -> None:
    run = ["1 Q0 a 1 0.5 mine\n", "2 Q0 a 1 -3e2 mine\n", " 1\tQ0 b 2 7 mine "]
    qrels = ["1 0 a 2\n", "2 0 a -1\n", "1 0 b 0"]
    assert ours.parse_run(run) == peer.parse_run(run)
    assert ours.parse_qrel(qrels) == peer.parse_qrel(qrels)
    assert ours.parse_run(run)["missing"] == peer.parse_run(run)["missing"] == {}


@pytest.mark.parametrize(
    ("parse", "lines", "message"),
    [
        (ours.parse_run, ["1 Q0 a 1 0.5 x", "1 Q0 b"], "line 2: expected 6 columns, got 3: '1 Q0 b'"),
        (ours.parse_run, ["1 Q0 a 1 high x"], "line 1: not a number: 'high'"),
        (ours.parse_run, ["1 Q0 a 1 1 x", "1 Q0 a 2 1 x"], "line 2: document 'a' is listed twice for topic '1'"),
        (ours.parse_qrel, ["1 0 a 0.5"], "line 1: not a whole number: '0.5'"),
        (ours.parse_qrel, ["1 0 a 1 1"], "line 1: expected 4 columns, got 5: '1 0 a 1 1'"),
    ],
)
def test_a_wrong_line_is_named(parse: Callable[[list[str]], object], lines: list[str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(lines)
    assert str(raised.value) == message
