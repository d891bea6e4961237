"""Small collections on which measures and hole models are checked."""

from __future__ import annotations

import itertools
import random
from collections import namedtuple
from typing import Any

from unjudged.api import read_qrels, read_run
from unjudged.data.term_counting import TermCounter
from unjudged.data.texts import with_texts
from unjudged.data.view import View, join
from unjudged.data.words import Tokeniser
from unjudged.measures import Measure

__all__ = ["SEEDS", "QrelsDict", "RunDict", "documents_of", "random_collection", "view_for"]

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

SEEDS = range(3)
"""Of the random collections that every check looks at."""
_WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu")
_SUBTOPICS = 3


_Judgment = namedtuple("_Judgment", "query_id doc_id relevance")
_OfSubtopic = namedtuple("_OfSubtopic", "query_id doc_id relevance subtopic")
_InStratum = namedtuple("_InStratum", "query_id doc_id relevance stratum")


def random_collection(seed: int, *, ties: bool = True, negative: bool = True) -> tuple[RunDict, QrelsDict]:
    """Topics with holes, missing rankings and unretrieved relevant documents; every topic has a judgment."""
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    docs = [f"doc{i:03d}" for i in range(60)]
    run: RunDict = {}
    qrels: QrelsDict = {}
    for t in range(12):
        topic = f"{t + 1}"
        judged = rng.sample(docs, rng.randint(1, 40))
        grades = [-1, 0, 0, 0, 1, 1, 2, 3] if negative else [0, 0, 0, 1, 1, 2, 3]
        qrels[topic] = {doc: rng.choice(grades) for doc in judged}
        qrels[topic][judged[0]] = rng.choice([0, 1, 3])
        if t == 5:
            qrels[topic] = dict.fromkeys(judged, 0)
        if t == 7:
            continue
        retrieved = rng.sample(docs, rng.randint(1, 50))
        scores = range(1, 12) if ties else range(1, 1000)
        values = rng.choices(scores, k=len(retrieved)) if ties else rng.sample(scores, len(retrieved))
        run[topic] = {doc: value / 8 for doc, value in zip(retrieved, values, strict=True)}
    run["99"] = {"doc000": 1.0}
    return run, qrels


def view_for(measure: Measure, run: RunDict, qrels: QrelsDict) -> View:
    """A run joined with judgments that have what a measure needs: strata, subtopics, texts.

    They follow from the places of documents among those of their topic, and not from their names.
    """
    rows = [(t, i, doc, grade) for t, docs in qrels.items() for i, (doc, grade) in enumerate(sorted(docs.items()))]
    made: list[Any] = [_Judgment(t, doc, grade) for t, _, doc, grade in rows]
    if "strata" in measure.needs:
        made = [_InStratum(t, doc, grade, i % 2) for t, i, doc, grade in rows]
    elif "subtopics" in measure.needs:
        made = [
            _OfSubtopic(t, doc, grade if grade < 0 or (i % 2**_SUBTOPICS + 1) >> s & 1 else 0, f"{s + 1}")
            for t, i, doc, grade in rows
            for s in range(_SUBTOPICS)
        ]
    judgments = read_qrels(made, negative="pooled")
    if "texts" in measure.needs:
        counter = TermCounter(Tokeniser())
        for i, doc in enumerate(documents_of(run, qrels)):
            text = f"every {'even' if i % 2 == 0 else 'odd'} {_WORDS[i % 7]} {_WORDS[i % 3]}"
            counter.add(doc, text, "texts", 0)
        judgments = with_texts(judgments, counter.texts())
    return join(read_run(run), judgments)


def documents_of(run: RunDict, qrels: QrelsDict) -> list[str]:
    """All documents, in order."""
    return sorted({*itertools.chain(*run.values()), *itertools.chain(*qrels.values())})
