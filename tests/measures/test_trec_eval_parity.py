"""Every measure of pytrec_eval (trec_eval 9 compiled into Python) gives the same number here, topic by topic.

Where it cannot:

* ``gm_map`` and ``gm_bpref`` are logarithms per topic there; here they are AP and Bpref, and the summary is geometric.
* ``iprec_at_recall`` and ``11pt_avg`` are NaN there when dropping unjudged documents leaves nothing; here they are 0.
* A topic whose judgments are all negative crashes pytrec_eval 0.5.11 (segmentation fault) when it is the first one
  evaluated, so that none is fed to it. Here it is a topic without relevant documents.
"""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_views import QrelsDict, RunDict, make_view, random_collection, view_of

from unjudged.data.view import View
from unjudged.measures import TREC_GROUPS, Measure, measures, parse_trec_name

NOT_MEASURES = {"runid", "relstring"}
NAMES = sorted(pytrec_eval.supported_measures - NOT_MEASURES)

# With ties, and with numbers that need all bits of single precision: trec_eval 9 keeps scores in single precision.
SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-100, 100, width=32))
DOCS = st.text("ab0-_zäß€文𝔡", min_size=1, max_size=3)


@st.composite
def collections(draw: st.DrawFn) -> tuple[RunDict, QrelsDict]:
    """Up to four topics, some of them only in the run or only in the qrels."""
    docs = draw(st.lists(DOCS, min_size=1, max_size=25, unique=True))
    run: RunDict = {}
    qrels: QrelsDict = {}
    for topic in ["1", "two", "dreißig", "4"][: draw(st.integers(1, 4))]:
        if draw(st.integers(0, 9)):
            judged = draw(st.dictionaries(st.sampled_from(docs), st.integers(-2, 4), min_size=1))
            if max(judged.values()) < 0:
                judged[next(iter(judged))] = draw(st.integers(0, 4))
            qrels[topic] = judged
        if draw(st.integers(0, 9)):
            run[topic] = draw(st.dictionaries(st.sampled_from(docs), SCORES, min_size=1))
    return run, qrels


def assert_agrees(run: RunDict, qrels: QrelsDict, *, rel: int, judged_only: bool) -> None:
    peer = pytrec_eval.RelevanceEvaluator(qrels, NAMES, relevance_level=rel, judged_docs_only_flag=judged_only)
    expected = peer.evaluate(run)
    view = make_view(run, qrels)
    view = view.condensed() if judged_only else view
    assert set(expected) == set(qrels) & set(run)
    for name in next(iter(expected.values()), {}):
        measure = measure_at(name, rel)
        scores = measure.score(view)
        for topic, values in expected.items():
            row = view.qrels.topics.index(topic)
            ours, theirs = per_topic(measure, float(scores[row])), values[name]
            if math.isnan(theirs):
                assert view.lengths[row] == 0, f"{name} is undefined there"
                assert name.startswith(("iprec_at_recall", "11pt_avg"))
                assert ours == 0
            else:
                assert math.isclose(ours, theirs, abs_tol=1e-9, rel_tol=1e-9), f"{name} of topic {topic}"


@cache
def measure_at(name: str, rel: int) -> Measure:
    """The measure at another relevance level, as trec_eval's ``-l`` sets it for all of them."""
    measure = parse_trec_name(name)[0]
    has_level = any(field.name == "rel" for field in measure.parameters()) and measure.name != "NumRet"
    return measure.replace(rel=rel) if has_level else measure


def per_topic(measure: Measure, value: float) -> float:
    return math.log(max(value, 1e-5)) if measure.summary == "geometric" else value


@pytest.mark.parametrize("judged_only", [False, True], ids=["all documents", "judged documents only"])
@pytest.mark.parametrize("rel", [1, 2])
@settings(max_examples=60, deadline=None)
@given(collection=collections())
def test_every_measure_agrees_with_pytrec_eval(
    collection: tuple[RunDict, QrelsDict], rel: int, judged_only: bool
) -> None:
    run, qrels = collection
    assert_agrees(run, qrels, rel=rel, judged_only=judged_only)


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
def test_every_measure_agrees_on_runs_longer_than_every_cutoff(rel: int, judged_only: bool) -> None:
    rng = random.Random(rel)
    docs = [f"d{i}" for i in range(3000)]
    run = {str(t): {doc: rng.randint(1, 400) / 4 for doc in rng.sample(docs, 1200)} for t in range(3)}
    qrels = {str(t): {doc: rng.choice([-1, 0, 0, 1, 2, 3]) for doc in rng.sample(docs, 2600)} for t in range(3)}
    assert_agrees(run, qrels, rel=rel, judged_only=judged_only)


@pytest.mark.parametrize("seed", range(20))
def test_every_measure_agrees_on_topics_of_middle_size(seed: int) -> None:
    run, qrels = random_collection(seed)
    assert_agrees(run, qrels, rel=1 + seed % 3, judged_only=seed % 2 == 0)


@pytest.mark.parametrize("name", NAMES)
def test_summaries_agree_with_pytrec_eval(name: str) -> None:
    run, qrels = random_collection(3)
    qrels = {topic: docs for topic, docs in qrels.items() if topic in run}  # pytrec_eval leaves out missing topics
    expected = pytrec_eval.RelevanceEvaluator(qrels, [name]).evaluate(run)
    view = make_view(run, qrels)
    for full_name in next(iter(expected.values())):
        (measure,) = parse_trec_name(full_name)
        values = [expected[topic][full_name] for topic in qrels]
        theirs = pytrec_eval.compute_aggregated_measure(full_name, values)
        assert measure.summarise(measure.score(view)) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_trec_evals(name: str) -> None:
    run, qrels = random_collection(0)
    printed = list(next(iter(pytrec_eval.RelevanceEvaluator(qrels, [name]).evaluate(run).values())))
    assert [measure.trec_name() for measure in parse_trec_name(name)] == printed


def test_group_of_all_measures_is_pytrec_evals() -> None:
    new_in_trec_eval_10 = {"rbp", "rbp_resid", "unj"}
    for group, names in TREC_GROUPS.items():
        assert set(names) - new_in_trec_eval_10 == pytrec_eval.supported_nicknames[group] - NOT_MEASURES


def test_a_topic_with_only_negative_judgments_has_no_relevant_documents() -> None:
    view = view_of("pp|p")
    for name in NAMES:
        for measure in parse_trec_name(name):
            value = {"NumQ": 1.0, "NumRet": 2.0, "Utility": -2.0}.get(measure.name, 0.0)
            assert measure.score(view).tolist() == [value], str(measure)


# ---- measures that only trec_eval 10 has; the numbers are its own (built from source, one measure at a time)


@pytest.fixture(scope="module")
def example() -> View:
    return view_of("2u10p|3", "1u1", "10", "uup")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rbp", [0.1 * (2 / 3 + 0.81 / 3), 0.1 * 1.81, 0.1, 0.0]),
        ("rbp_resid", [0.9**5 + 0.1 * (0.9 + 0.9**4), 0.9**3 + 0.09, 0.0, 1.0]),
        ("unj_5", [0.4, 0.2, 0.0, 0.6]),
    ],
)
def test_measures_new_in_trec_eval_10(example: View, name: str, values: list[float]) -> None:
    (measure,) = parse_trec_name(name)
    np.testing.assert_allclose(measure.score(example), values, rtol=1e-12)


def test_no_two_measures_claim_the_same_trec_eval_name() -> None:
    names = [trec.name for cls in measures for trec in cls.trec_names]
    assert len(names) == len(set(names))
