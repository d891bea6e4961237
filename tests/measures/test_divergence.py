"""The divergence measures against their dense definition, and what the issue says must hold."""

from __future__ import annotations

import math
import random
from collections import Counter

import dense_divergence as dense
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.texts import QrelsWithTexts, with_texts
from unjudged.data.view import join
from unjudged.io.texts import read_texts
from unjudged.measures import measures
from unjudged.measures.language_models import divergences, model_sizes, ranking_gains, subtopic_models

NAMES = ("ABSNB", "ABSRB", "DELTANB", "DELTARB")
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox"]

# A rare word in long texts makes large counts beside small probabilities, where sums lose digits first.
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=25), min_size=2, max_size=8)
MU = st.sampled_from([0.01, 1.0, 57.0, 2500.0, 1e6])


def judged(texts: dict[str, str], relevant: dict[str, list[str]], rel: int = 1) -> QrelsWithTexts:
    """Judgments for topic 1: which documents are relevant to each subtopic. Everything else is judged 0."""
    rows = [
        ("1", subtopic, doc, rel if doc in docs else 0) for subtopic, docs in relevant.items() for doc in sorted(texts)
    ]
    return with_texts(uj.read_qrels(_Rows(rows)), read_texts(texts))


def _Rows(rows: list[tuple[str, str, str, int]]):  # noqa: N802
    import pandas

    return pandas.DataFrame(rows, columns=["query_id", "subtopic_id", "doc_id", "relevance"])


def ranked(docs: list[str]):
    return uj.read_run({"1": {doc: float(len(docs) - i) for i, doc in enumerate(docs)}})


@given(DOCUMENTS, st.data(), MU, st.integers(1, 8))
def test_sparse_is_dense(documents: list[list[str]], data: st.DataObject, mu: float, cutoff: int) -> None:
    docs = {f"d{i}": words for i, words in enumerate(documents)}
    relevant = data.draw(st.lists(st.sets(st.sampled_from(sorted(docs)), min_size=1), min_size=1, max_size=3))
    ranking = data.draw(st.lists(st.sampled_from(sorted(docs)), min_size=1, unique=True))
    assume(any(docs[doc] for of_subtopic in relevant for doc in of_subtopic))
    qrels = judged({d: " ".join(w) for d, w in docs.items()}, {str(i): sorted(r) for i, r in enumerate(relevant)})

    words = Counter(word for text in docs.values() for word in text)
    collection = {word: count / words.total() for word, count in words.items()}
    subtopics = [[word for doc in sorted(of_subtopic) for word in docs[doc]] for of_subtopic in relevant]
    expected = dense.gains([docs[doc] for doc in ranking], subtopics, collection, mu)
    view = join(ranked(ranking), qrels)
    for name in NAMES:
        measure = measures.parse(f"{name}(mu={mu})@{cutoff}")
        low, high = measure.limits()
        [value] = measure.score(view)
        assert low <= value <= high + 1e-12
        # Where a subtopic reads almost like the collection, both quotients are of two sums that all but cancel.
        apart = [dense.divergence(dense.smoothed(s, collection, mu), collection) for s in filter(None, subtopics)]
        if all(one > 1e-6 for one in apart):
            assert value == pytest.approx(dense.score(name, expected, cutoff), abs=1e-9)


@given(DOCUMENTS, MU)
def test_models_sum_to_one_and_a_text_is_closest_to_itself(documents: list[list[str]], mu: float) -> None:
    """Not only in the oracle: the closed form of KLD(q || D) is right only for models that sum to 1."""
    docs = {f"d{i}": " ".join(words) for i, words in enumerate(documents)}
    assume(documents[0])
    qrels = judged(docs, {"1": ["d0"], "2": ["d1"]})
    texts, [models] = qrels.texts, subtopic_models(qrels, 1)
    words = Counter(word for text in documents for word in text)
    collection = {word: count / words.total() for word, count in words.items()}
    model = dense.smoothed(documents[0], collection, mu)
    assert math.fsum(model.values()) == pytest.approx(1.0, abs=1e-12)
    assert divergences(texts, models, mu)[0] == pytest.approx(dense.divergence(model, collection), abs=1e-9)


def test_a_subtopics_own_document_at_rank_1_has_gain_1_for_it_alone() -> None:
    texts = {"a": "ant bee", "b": "cat dog", "c": "eel eel fox", "d": "bee cat fox"}
    qrels = judged(texts, {"1": ["a"], "2": ["b"], "3": ["c"]})
    [models] = subtopic_models(qrels, 1)
    for i, doc in enumerate("abc"):
        rows = qrels.texts.find(ranked([doc]).docs)
        apart = divergences(qrels.texts, models, 10.0)
        [gains] = ranking_gains(qrels.texts, rows, np.array([0, 1]), [(models, apart)], 10.0)
        assert gains[i, 0] == pytest.approx(1.0, abs=1e-12)
        assert all(gain < 0.99 for j, gain in enumerate(gains[:, 0]) if j != i)


@given(st.integers(0, 2**32), MU)
def test_documents_with_equal_text_may_change_places(seed: int, mu: float) -> None:
    rng = random.Random(seed)
    texts = {f"d{i}": " ".join(rng.choices(WORDS, k=5)) for i in range(6)}
    texts |= {"x": "ant bee", "y": "bee ant"}
    qrels = judged(texts, {"1": ["d0", "x"], "2": ["d1"]})
    order = rng.sample(sorted(texts), k=8)
    swapped = [{"x": "y", "y": "x"}.get(doc, doc) for doc in order]
    for name in NAMES:
        measure = measures.parse(f"{name}(mu={mu})")
        assert measure.score(join(ranked(order), qrels)) == measure.score(join(ranked(swapped), qrels))


def test_the_order_of_a_subtopics_documents_changes_nothing() -> None:
    texts = {"a": "ant bee cat", "b": "bee dog", "c": "eel"}
    one = judged(texts, {"1": ["a", "b"], "2": ["c"]})
    other = judged(dict(reversed(texts.items())), {"2": ["c"], "1": ["b", "a"]})
    run = ranked(["c", "b", "a"])
    for name in NAMES:
        assert measures.parse(name).score(join(run, one)) == measures.parse(name).score(join(run, other))


def test_what_is_undefined_or_nothing() -> None:
    qrels = with_texts(
        uj.read_qrels(
            _Rows(
                [
                    ("1", "1", "a", 1),
                    ("1", "2", "a", 0),
                    ("2", "1", "silent", 1),  # relevant, but there is no text of it
                    ("3", "1", "a", 0),  # nothing is relevant
                    ("4", "1", "a", 1),  # the run has nothing for it
                ]
            )
        ),
        read_texts({"a": "ant bee", "b": "cat", "empty": ""}),
    )
    run = uj.read_run({topic: {"a": 2.0, "b": 1.0} for topic in "123"})
    for name in NAMES:
        values = measures.parse(name).score(join(run, qrels))
        assert values[0] > 0
        assert np.isnan(values[1])
        assert values[2:].tolist() == [0.0, 0.0]


def test_a_document_without_text_adds_nothing_but_takes_its_rank() -> None:
    qrels = judged({"a": "ant bee", "b": "cat", "c": "dog eel"}, {"1": ["a"], "2": ["b"]})
    gain = measures.parse("ABSNB(mu=5)@1").score(join(ranked(["a"]), qrels))
    assert measures.parse("ABSNB(mu=5)@2").score(join(ranked(["nothing", "a"]), qrels)) == gain
    assert measures.parse("ABSNB(mu=5)@2").score(join(ranked(["a", "nothing"]), qrels)) == 2 * gain
    assert measures.parse("ABSNB(mu=5)@2").score(join(ranked(["a"]), qrels)) == gain  # short: not carried on
    assert measures.parse("DELTANB(mu=5)@2").score(join(ranked(["a", "nothing"]), qrels)) == gain


def test_a_subtopic_that_reads_like_the_collection_has_no_gain() -> None:
    qrels = judged({"a": "ant bee", "b": "ant bee ant bee"}, {"1": ["a"]})
    for name in NAMES:
        assert measures.parse(name).score(join(ranked(["a"]), qrels)).tolist() == [0.0]


def test_only_grades_from_rel_on_stand_for_a_subtopic() -> None:
    rows = [("1", "1", "a", 4), ("1", "1", "b", 3), ("1", "2", "b", 0), ("1", "2", "c", 5), ("1", "2", "silent", 4)]
    qrels = with_texts(uj.read_qrels(_Rows(rows)), read_texts({"a": "ant bee", "b": "cat", "c": "dog eel fox"}))
    sizes = [(one.subtopic, one.relevant, one.documents, one.tokens) for one in model_sizes(qrels, 4)]
    assert sizes == [("1", 1, 1, 2), ("2", 2, 1, 3)]
    sizes = [(one.subtopic, one.relevant, one.documents, one.tokens) for one in model_sizes(qrels, 1)]
    assert sizes == [("1", 2, 2, 3), ("2", 2, 1, 3)]
    only_a = with_texts(uj.read_qrels(_Rows([("1", "1", "a", 1), ("1", "2", "c", 1)])), qrels.texts)
    view, other = (join(ranked(["b", "c", "a"]), one) for one in (qrels, only_a))
    assert measures.parse("ABSRB(rel=4)").score(view) == measures.parse("ABSRB").score(other)
