"""unjudged.compat.beir in the place of beir.retrieval.evaluation."""

from __future__ import annotations

import copy
import logging
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unjudged.compat import beir as drop_in
from unjudged.compat.beir import EvaluateRetrieval
from unjudged.errors import InputError

CUTOFFS = [1, 3, 10]
TOPICS = [f"q{i}" for i in range(4)]
DOCS = [f"d{i}" for i in range(8)] + TOPICS  # a document may have the id of a topic
FEW_SCORES = st.sampled_from([-0.5, 0.0, 0.25, 0.5, 0.5000000001])  # many ties, some in single precision only

judgments = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1), min_size=1
)
collections = judgments.flatmap(
    lambda qrels: st.tuples(
        st.just(qrels),
        st.dictionaries(
            st.sampled_from(sorted(qrels)), st.dictionaries(st.sampled_from(DOCS), FEW_SCORES, min_size=1), min_size=1
        ),
    )
)
many = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def real(module: str) -> Any:
    return pytest.importorskip(module, reason="needs beir and torch: make test-torch", exc_type=ImportError)


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means as they are before they are rounded, so that they can be compared to 1e-9."""
    monkeypatch.setattr(drop_in, "round", lambda value, _: value, raising=False)


def by_hand(qrels: Any, results: Any, cutoff: int, metric: str) -> float:
    """What the four measures are, written out; a topic without relevant documents has a capped recall of 0."""
    total = 0.0
    for topic, docs in results.items():
        first = sorted(docs, key=lambda doc: docs[doc], reverse=True)[:cutoff]
        relevant = {doc for doc, grade in qrels[topic].items() if grade > 0}
        ranks = [rank for rank, doc in enumerate(first, 1) if doc in relevant]
        total += {
            "mrr": 1 / ranks[0] if ranks else 0.0,
            "recall_cap": len(ranks) / min(len(relevant), cutoff) if relevant else 0.0,
            "hole": sum(doc not in qrels[topic] for doc in first) / cutoff,
            "top_k_accuracy": float(bool(ranks)),
        }[metric]
    return total / len(qrels)


@given(collections, st.sampled_from(["mrr", "recall_cap", "hole", "top_k_accuracy"]))
@many
def test_custom_measures_are_what_they_are_by_hand(exact: None, data: Any, metric: str) -> None:
    qrels, results = data
    result = EvaluateRetrieval.evaluate_custom(qrels, results, CUTOFFS, metric)
    assert list(result.values()) == pytest.approx([by_hand(qrels, results, k, metric) for k in CUTOFFS], abs=1e-9)


@given(collections)
@many
def test_evaluate_has_the_means_of_pytrec_eval_without_identical_ids(exact: None, data: Any) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, results = data
    without = {topic: {doc: score for doc, score in docs.items() if doc != topic} for topic, docs in results.items()}
    for ignore, expected in ((False, results), (True, without)):
        given = copy.deepcopy(results)
        result = EvaluateRetrieval.evaluate(qrels, given, CUTOFFS, ignore_identical_ids=ignore)
        assert given == expected  # as BEIR leaves it
        names = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
        there = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.1,3,10" for name in names.values()}).evaluate(expected)
        for means, (label, name) in zip(result, names.items(), strict=True):
            assert means == pytest.approx(
                {f"{label}@{k}": np.mean([one[f"{name}_{k}"] for one in there.values()]) for k in CUTOFFS}, abs=1e-9
            )


def test_the_real_one_gives_the_same(exact: None, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = real("beir.retrieval.evaluation")
    for module in (evaluation, real("beir.retrieval.custom_metrics")):
        monkeypatch.setattr(module, "round", lambda value, _: value, raising=False)
    theirs, ours = evaluation.EvaluateRetrieval, EvaluateRetrieval

    @given(collections, st.booleans())
    @settings(max_examples=200)
    def same(data: Any, ignore: bool) -> None:
        qrels, results = data
        there, here = copy.deepcopy(results), copy.deepcopy(results)
        expected = theirs.evaluate(qrels, there, CUTOFFS, ignore_identical_ids=ignore)
        result = ours.evaluate(qrels, here, CUTOFFS, ignore_identical_ids=ignore)
        for mine, other in zip(result, expected, strict=True):
            assert mine == pytest.approx(other, abs=1e-9)
        assert here == there
        every_topic_has_relevant = all(any(grade > 0 for grade in docs.values()) for docs in qrels.values())
        for metric in ("MRR", "mrr@k", "top_k_acc", "accuracy", *(["r_cap"] if every_topic_has_relevant else [])):
            expected = theirs.evaluate_custom(qrels, there, CUTOFFS, metric=metric)
            assert ours.evaluate_custom(qrels, here, CUTOFFS, metric=metric) == pytest.approx(expected, abs=1e-9)
        holes = theirs.evaluate_custom(qrels, there, CUTOFFS, metric="hole")
        mine = ours.evaluate_custom(qrels, here, CUTOFFS, metric="hole")
        assert mine.keys() == holes.keys()
        assert all(mine[name] >= holes[name] - 1e-9 for name in holes)  # they miss some
        if len(qrels) == 1:  # no other topic for which a document could be judged
            assert mine == pytest.approx(holes, abs=1e-9)

    same()


# The example of its README, from where the data set is loaded and the model made.
README = """
from beir.retrieval.evaluation import EvaluateRetrieval

retriever = EvaluateRetrieval(model, score_function="cos_sim") # or "dot" for dot product
results = retriever.retrieve(corpus, queries)

#### Evaluate your model with NDCG@k, MAP@K, Recall@K and Precision@K  where k = [1,3,5,10,100,1000]
ndcg, _map, recall, precision = retriever.evaluate(qrels, results, retriever.k_values)
mrr = retriever.evaluate_custom(qrels, results, retriever.k_values, metric="mrr")
"""


class Model:
    """Retrieves the same documents whatever it is asked."""

    def search(self, corpus: Any, queries: Any, top_k: int, score_function: str, **_: Any) -> Any:
        assert (top_k, score_function) == (1000, "cos_sim")
        return {query: {doc: len(text["text"]) / 10 for doc, text in corpus.items()} for query in queries}


def test_the_example_of_its_readme_with_another_import_line() -> None:
    real("beir.retrieval.evaluation")
    answers = []
    for module in ("beir.retrieval.evaluation", "unjudged.compat.beir"):
        names: dict[str, Any] = {
            "model": Model(),
            "corpus": {doc: {"title": "", "text": "x" * i} for i, doc in enumerate(DOCS)},
            "queries": {"q1": "one", "q2": "two"},
            "qrels": {"q1": {"d2": 1, "q0": 2}, "q2": {"d1": 1, "q3": 0}},
        }
        exec(README.replace("beir.retrieval.evaluation", module), names)
        answers.append([names[name] for name in ("ndcg", "_map", "recall", "precision", "mrr")])
    assert answers[0] == answers[1]
    assert answers[0][0].keys() == {f"NDCG@{k}" for k in (1, 3, 5, 10, 100, 1000)}


# ---- what may be given, and what is wrong with it


def test_rounds_and_logs_as_beir(caplog: pytest.LogCaptureFixture) -> None:
    qrels, results = {"1": {"a": 1, "b": 0}}, {"1": {"x": 0.9, "b": 0.8, "a": 0.7}}
    with caplog.at_level(logging.INFO):
        assert EvaluateRetrieval.evaluate_custom(qrels, results, [3], "MRR") == {"MRR@3": 0.33333}
    assert caplog.messages == ["MRR@3: 0.3333"]


def test_numbers_of_any_type_and_topics_without_documents_or_judgments() -> None:
    qrels: Any = {"1": {"a": np.int64(1)}, "2": {"a": 1.0}, "3": {}}
    results: Any = {"1": {"a": np.float32(0.5)}, "2": {}, "9": {"a": 1}}
    assert EvaluateRetrieval.evaluate_custom(qrels, results, [1], "acc") == {"Accuracy@1": round(1 / 3, 5)}
    assert EvaluateRetrieval.evaluate(qrels, results, [np.int64(1)])[3] == {"P@1": 0.5}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: EvaluateRetrieval.evaluate_custom({"1": {"a": 1}}, {"1": {"a": 1.0}}, [1], "ndcg"),
            "unknown metric 'ndcg' (there are mrr_cut, recall_cap, hole@k, top_k_accuracy)",
        ),
        (
            lambda: EvaluateRetrieval.evaluate({"1": {"a": 1}}, {"2": {"a": 1.0}}, [1]),
            "no topic of the results is judged",
        ),
        (
            lambda: EvaluateRetrieval.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, []),
            "k_values is empty: give at least one cut-off",
        ),
        (
            lambda: EvaluateRetrieval.evaluate({"1": {"a": 1}}, [("1", "a", 1.0)], [1]),  # type: ignore[arg-type]
            "expected {topic: {doc: score}}, not list",
        ),
        (
            lambda: EvaluateRetrieval.evaluate_custom({"1": {"a": 1}}, {"1": {"a": "high"}}, [1], "hole"),
            "run: the score of topic '1', document 'a' is not a finite number: 'high'",
        ),
        (
            lambda: EvaluateRetrieval.evaluate_custom({"1": {"a": 1}}, {"1": {"a": 1.0}}, [0], "hole"),
            "Unjudged: cutoff must be a whole number from 1 to 1,000,000, not 0",
        ),
    ],
)
def test_mistakes_are_one_line(call: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_retrieving_without_beir_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "beir.retrieval", None)
    with pytest.raises(ImportError) as caught:
        EvaluateRetrieval(Model()).retrieve({}, {})
    assert str(caught.value) == "retrieving needs beir: pip install beir"
