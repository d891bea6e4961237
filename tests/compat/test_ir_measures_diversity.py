"""ir_measures' measures of diversity, and Accuracy, from our provider: the values of its pyndeval and accuracy ones."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, Accuracy, P, alpha_nDCG, nDCG
from ir_measures.providers import registry

from unjudged.compat.ir_measures import provider
from unjudged.errors import InputError, UnjudgedWarning

DOCS = [f"d{i}" for i in range(10)]
NAMES = [
    "ERR_IA@5", "ERR_IA(rel=2)@10", "nERR_IA@5", "alpha_DCG@5", "alpha_nDCG@5", "alpha_nDCG(alpha=0.3)@3", "NRBP",
    "NRBP(alpha=0.3,beta=0.8)", "nNRBP", "AP_IA", "AP_IA(rel=2)", "P_IA@5", "StRecall@3", "StRecall(rel=2)@5",
]  # fmt: skip
MEASURES = [ir_measures.parse_measure(name) for name in NAMES]

PEER = registry["pyndeval"]


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Judgments of two topics for up to three subtopics, sorted as ndeval numbers them, and runs without ties."""
    rows, ranked = [], []
    for topic in ("1", "2"):
        subtopics = draw(st.integers(1, 3))
        for subtopic in range(subtopics):
            graded = draw(st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2), min_size=1))
            graded["d0"] = 2  # without any relevant document there is none in ndeval either: it divides 0 by 0
            rows += [ir_measures.Qrel(topic, doc, grade, str(subtopic)) for doc, grade in sorted(graded.items())]
        returned = draw(st.lists(st.sampled_from([*DOCS, "u1", "u2"]), min_size=1, unique=True))
        ranked += [ir_measures.ScoredDoc(topic, doc, 9.0 - i / 2) for i, doc in enumerate(returned)]
    return rows, ranked


def values(who: Any, measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in who.iter_calc(measures, qrels, run)}


@settings(max_examples=60, deadline=None)
@given(collections())
@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_measures_of_diversity_are_those_of_pyndeval(collection: tuple[list[Any], list[Any]]) -> None:
    qrels, run = collection
    ours, means = values(provider, MEASURES, qrels, run), provider.calc_aggregate(MEASURES, qrels, run)
    for measure in MEASURES:  # one at a time: its provider reads an iterator once for each setting
        theirs = values(PEER, [measure], qrels, run)
        assert {key: value for key, value in ours.items() if key[0] == str(measure)} == pytest.approx(theirs, abs=1e-9)
        assert means[measure] == pytest.approx(PEER.calc_aggregate([measure], qrels, run)[measure], abs=1e-9)


QRELS = [ir_measures.Qrel("1", doc, grade, at) for doc, grade, at in [("a", 1, "1"), ("b", 1, "2"), ("c", 0, "1")]]
RUN = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}}


def test_iterations_are_subtopics_for_them_even_where_no_document_is_judged_for_two() -> None:
    result = provider.calc_aggregate([alpha_nDCG @ 3, AP], QRELS, RUN)
    assert result[alpha_nDCG @ 3] == pytest.approx(PEER.calc_aggregate([alpha_nDCG @ 3], QRELS, RUN)[alpha_nDCG @ 3])
    assert result[AP] == pytest.approx((1 / 2 + 2 / 3) / 2)  # beside them, plain judgments stay plain
    assert provider.calc_aggregate([alpha_nDCG @ 3], pd.DataFrame(QRELS), RUN) == pytest.approx(
        {alpha_nDCG @ 3: result[alpha_nDCG @ 3]}
    )


def test_topics_that_the_run_lacks_count_as_0() -> None:
    both = [*QRELS, *(judgment._replace(query_id="2") for judgment in QRELS)]
    with pytest.warns(UnjudgedWarning, match="lacks 1 of 2"):
        result = values(provider, [alpha_nDCG @ 3], both, RUN)
    assert result[str(alpha_nDCG @ 3), "2"] == 0 and len(result) == 2


def test_says_so_where_there_is_only_one_subtopic_or_none() -> None:
    plain = [judgment._replace(iteration="0") for judgment in QRELS]
    with pytest.warns(UnjudgedWarning, match="^no topic has more than one subtopic: are these judgments for diversity"):
        provider.evaluator([alpha_nDCG @ 3], plain)
    with pytest.raises(InputError, match=r"^alpha_nDCG@3 needs subtopics, which qrels does not have"):
        provider.evaluator([alpha_nDCG @ 3], {"1": {"a": 1}})


# ---- Accuracy


class Collection(NamedTuple):
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]


graded = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 2), min_size=1)
ranking = st.lists(st.sampled_from(DOCS), min_size=1, unique=True).map(
    lambda docs: {**{doc: 9.0 - i / 2 for i, doc in enumerate(docs)}, "never judged": 0.0}  # else it divides by 0
)
topics = st.sampled_from(["1", "2", "3"])


@settings(max_examples=60, deadline=None)
@given(st.builds(Collection, st.dictionaries(topics, graded, min_size=1), st.dictionaries(topics, ranking, min_size=1)))
@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_accuracy_has_the_values_and_the_topics_of_its_provider(collection: Collection) -> None:
    peer = registry["accuracy"]
    for measure in (Accuracy, Accuracy(rel=2)):
        assert values(provider, [measure], *collection) == pytest.approx(values(peer, [measure], *collection))
        mean = peer.calc_aggregate([measure], *collection)[measure]
        assert provider.calc_aggregate([measure], *collection)[measure] == pytest.approx(mean, nan_ok=True)


@pytest.mark.filterwarnings("ignore:Accuracy is undefined")
def test_accuracy_does_not_depend_on_the_measures_beside_it() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"x": 2.0, "a": 1.0, "y": 0.5}, "2": {"x": 1.0, "y": 0.5}}
    together = provider.calc_aggregate([Accuracy, P @ 1, nDCG], qrels, run)
    assert together[Accuracy] == provider.calc_aggregate([Accuracy], qrels, run)[Accuracy] == 0.5
    assert together[P @ 1] == 0
    assert values(provider, [Accuracy], {"1": {"a": 1}}, {"1": {"a": 1.0}}) == {}  # it divides by 0 there
    assert math.isnan(provider.calc_aggregate([Accuracy], {"1": {"a": 1}}, {})[Accuracy])
