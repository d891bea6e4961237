"""Small views for tests, from plain dictionaries."""

from __future__ import annotations

import numpy as np

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, build_qrels
from unjudged.data.run import Run, TopicColumn, build_run
from unjudged.data.term_counting import TermCounter
from unjudged.data.texts import Texts, with_texts
from unjudged.data.view import View, join
from unjudged.data.words import Tokeniser
from unjudged.testing import random_collection

__all__ = ["make_qrels", "make_run", "make_texts", "make_view", "random_collection", "ranked", "view_of"]

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]
StrataDict = dict[str, dict[str, int]]


def make_run(run: RunDict) -> Run:
    rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    scores = np.array([score for _, _, score in rows], dtype=np.float64)
    return build_run("run", _topics(tuple(run), rows), Ids.of(doc for _, doc, _ in rows), scores)[0]


def make_qrels(qrels: QrelsDict, *, strata: int | StrataDict = 0, subtopics: tuple[str, ...] = ()) -> Qrels:
    """Judgments; with a number of *strata*, a topic's documents are dealt out to them in the order of their names.

    With *subtopics*, document i of a topic has its grade for those whose bits are set in i + 1, and 0 for the others.
    """
    if subtopics:
        return _diversity_qrels(qrels, subtopics)
    rows = [(topic, doc, grade) for topic, docs in qrels.items() for doc, grade in docs.items()]
    grades = np.array([grade for _, _, grade in rows], dtype=np.int64)
    numbers = None
    if strata:
        if isinstance(strata, int):
            strata = {t: {doc: i % strata for i, doc in enumerate(sorted(docs))} for t, docs in qrels.items()}
        numbers = np.array([strata[topic][doc] for topic, doc, _ in rows], dtype=np.int64)
    return build_qrels(_topics(tuple(qrels), rows), Ids.of(doc for _, doc, _ in rows), grades, strata=numbers)[0]


def _diversity_qrels(qrels: QrelsDict, subtopics: tuple[str, ...]) -> Qrels:
    lines = [
        (topic, doc, grade if grade < 0 or (i % 2 ** len(subtopics) + 1) >> j & 1 else 0, subtopic)
        for topic, docs in qrels.items()
        for i, (doc, grade) in enumerate(sorted(docs.items()))
        for j, subtopic in enumerate(subtopics)
    ]
    grades = np.array([line[2] for line in lines], dtype=np.int64)
    column = TopicColumn(subtopics, np.array([subtopics.index(line[3]) for line in lines], dtype=np.int64))
    topics = _topics(tuple(qrels), [line[:3] for line in lines])
    return build_qrels(topics, Ids.of(line[1] for line in lines), grades, subtopics=column)[0]


def make_texts(run: RunDict, qrels: QrelsDict) -> Texts:
    """A text for each document; which one depends on its place among the names, and not on the names."""
    counter = TermCounter(Tokeniser())
    docs = sorted({doc for docs in [*run.values(), *qrels.values()] for doc in docs})
    for i, doc in enumerate(docs):
        counter.add(doc, f"every {'even' if i % 2 == 0 else 'odd'} {WORDS[i % 7]} {WORDS[i % 3]}", "texts", 0)
    return counter.texts()


WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu")


def make_view(
    run: RunDict,
    qrels: QrelsDict,
    *,
    strata: int | StrataDict = 0,
    subtopics: tuple[str, ...] = (),
    texts: bool = False,
) -> View:
    made = make_qrels(qrels, strata=strata, subtopics=subtopics)
    return join(make_run(run), with_texts(made, make_texts(run, qrels)) if texts else made)


def _topics(names: tuple[str, ...], rows: list[tuple[str, str, float]]) -> TopicColumn:
    code = {name: i for i, name in enumerate(names)}
    return TopicColumn(names, np.array([code[topic] for topic, _, _ in rows], dtype=np.int64))


def ranked(grades: str) -> tuple[dict[str, float], dict[str, int]]:
    """One topic in a word: digits are grades by rank, ``u`` not pooled, ``p`` pooled; after ``|`` not retrieved.

    >>> ranked("2u|1")
    ({'d0': 2.0, 'd1': 1.0}, {'d0': 2, 'd2': 1})
    """
    retrieved, _, rest = grades.partition("|")
    run = {f"d{i}": float(len(retrieved) - i) for i in range(len(retrieved))}
    qrels = {f"d{i}": -1 if char == "p" else int(char) for i, char in enumerate(retrieved + rest) if char != "u"}
    return run, qrels


def view_of(*topics: str, strata: int = 0, subtopics: tuple[str, ...] = (), texts: bool = False) -> View:
    """A view of topics written as words; see :func:`ranked`."""
    pairs = [ranked(grades) for grades in topics]
    run = {f"t{i}": docs for i, (docs, _) in enumerate(pairs)}
    qrels = {f"t{i}": judged for i, (_, judged) in enumerate(pairs)}
    return make_view(run, qrels, strata=strata, subtopics=subtopics, texts=texts)
