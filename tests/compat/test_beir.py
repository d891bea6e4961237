"""Dicts of BEIR and MTEB go in as they are, and Hole@k means what it says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from measure_views import QrelsDict, RunDict, random_collection

import unjudged as uj

# "d1" is judged for another topic only, "d7" for none; the run has two documents for q2.
QRELS: QrelsDict = {"q1": {"d2": 1, "d3": 0}, "q2": {"d1": 2, "d3": 0}}
RUN: RunDict = {"q1": {"d1": 0.9, "d2": 0.8, "d7": 0.7, "d3": 0.6}, "q2": {"d1": 0.5, "d7": 0.4}}


def hole(qrels: QrelsDict, run: RunDict, cutoff: int, *, of_any_topic: bool) -> float:
    """Hole@k written out: https://github.com/beir-cellar/beir, beir/retrieval/custom_metrics.py, has *of_any_topic*."""
    anywhere = {doc for docs in qrels.values() for doc in docs}
    shares = []
    for topic in qrels:
        judged = anywhere if of_any_topic else qrels[topic].keys()
        first = sorted(run.get(topic, {}).items(), key=lambda item: (-item[1], item[0]))[:cutoff]
        shares.append(sum(doc not in judged for doc, _ in first) / cutoff)
    return sum(shares) / len(shares)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Random runs lack topics, about which we warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        yield


def mean(qrels: Any, run: Any, measure: str) -> float:
    return float(uj.score(qrels, run, measure).means[0, 0, 0])


def test_a_document_judged_for_another_topic_is_a_hole() -> None:
    assert mean(QRELS, RUN, "Hole@2") == (1 / 2 + 1 / 2) / 2  # d1 of q1, d7 of q2
    assert mean(QRELS, RUN, "Hole@4") == (2 / 4 + 1 / 4) / 2
    assert 1 - mean(QRELS, RUN, "Judged(as_in=beir)@2") == (0 / 2 + 1 / 2) / 2  # as BEIR has it
    assert mean(QRELS, RUN, "Hole@2") == mean(QRELS, RUN, "Unjudged@2") == mean(QRELS, RUN, "unj_2")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_hole_and_beirs_are_what_they_say(seed: int, cutoff: int) -> None:
    run, qrels = random_collection(seed, ties=False)
    qrels = {topic: {doc: max(0, grade) for doc, grade in docs.items()} for topic, docs in qrels.items()}
    ours, theirs = hole(qrels, run, cutoff, of_any_topic=False), hole(qrels, run, cutoff, of_any_topic=True)
    assert mean(qrels, run, f"Hole@{cutoff}") == pytest.approx(ours, abs=1e-12)
    assert 1 - mean(qrels, run, f"Judged(as_in=beir)@{cutoff}") == pytest.approx(theirs, abs=1e-12)
    assert theirs <= ours


@pytest.mark.parametrize("package", ["beir.retrieval.custom_metrics", "mteb._evaluators.retrieval_metrics"])
def test_the_real_ones_count_documents_of_any_topic(package: str) -> None:
    real = pytest.importorskip(
        package, reason=f"needs {package.split('.')[0]} and torch: make test-torch", exc_type=ImportError
    )
    for seed in range(5):
        run, qrels = random_collection(seed, ties=False)
        both = {topic: docs for topic, docs in run.items() if topic in qrels}
        result = next(iter(real.hole(qrels, both, [5]).values()))
        value = result if isinstance(result, float) else sum(result) / len(qrels)
        assert 1 - mean(qrels, run, "Judged(as_in=beir)@5") == pytest.approx(value, abs=5.1e-6)  # BEIR rounds


def test_dicts_with_types_of_numpy_and_topics_without_documents() -> None:
    qrels: Any = {"q1": {"d2": np.int64(1), "d3": np.int8(0)}, "q2": {"d1": np.float32(2.0)}, "q3": {}}
    run: Any = {"q1": {"d1": np.float32(0.9), "d2": np.float16(0.5)}, "q2": {}, "q3": {"d1": 1.0}}
    scores = uj.score(qrels, run, "RR")
    assert scores.topics == ("q1", "q2")  # without a judgment there is no topic
    assert scores.values[0, 0, 0].tolist() == [0.5, 0.0]
    assert uj.score(qrels, {"a": run, "b": RUN}, "RR").runs == ("a", "b")
    pair = uj.compare(qrels, {"a": run, "b": RUN}, "P@1").pair("b", "a")
    assert (pair.difference, pair.verdict) == (0.5, "certain")  # they share the hole of q1


def test_names_and_values_of_beir() -> None:
    """BEIR asks pytrec_eval for ndcg_cut, map_cut, recall and P, and gives the means over topics five decimals."""
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    run, qrels = random_collection(7, ties=False)
    asked = {"NDCG@10": "ndcg_cut_10", "MAP@10": "map_cut_10", "Recall@10": "recall_10", "P@10": "P_10"}
    there = pytrec_eval.RelevanceEvaluator(qrels, set(asked.values())).evaluate(run)
    scores = uj.score(qrels, run, list(asked), missing="skip", scores="float32")
    for mean, name in zip(scores.means[0, :, 0], asked.values(), strict=True):
        assert mean == pytest.approx(np.mean([values[name] for values in there.values()]), abs=1e-9)


def test_mteb_has_the_values_of_uj_score() -> None:
    mteb = pytest.importorskip(
        "mteb._evaluators.retrieval_metrics", reason="needs mteb and torch: make test-torch", exc_type=ImportError
    )
    names = {"NDCG": "ndcg", "MAP": "map", "Recall": "recall", "P": "precision", "Success": "hit_rate", "MRR": "mrr"}
    for seed in range(20):
        run, qrels = random_collection(seed, negative=False)
        both = {topic: docs for topic, docs in run.items() if topic in qrels}
        theirs = mteb.calculate_retrieval_scores(both, qrels, [1, 3, 10])
        for label, name in names.items():
            asked = [f"{label}@{k}" for k in (1, 3, 10)]
            ours = uj.score(qrels, both, asked, missing="skip", scores="float32").means[0, :, 0]
            # It rounds to five decimals.
            assert ours.tolist() == pytest.approx(list(getattr(theirs, name).values()), abs=5.1e-6), label
