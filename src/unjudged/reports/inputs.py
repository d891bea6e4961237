"""What was read, as small tables for notebooks: judgments, runs, pools, texts."""

from __future__ import annotations

import numpy as np

from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.texts import Texts
from unjudged.reports.layout import Table
from unjudged.wording import counted

__all__ = ["pool_tables", "qrels_tables", "run_tables", "text_tables"]

_FIRST_DOCUMENTS = 10
"""Documents of a run that are shown."""


def qrels_tables(qrels: Qrels) -> tuple[list[Table], list[str]]:
    """How many documents have each grade, and in how many topics."""
    chosen = {str(grade): qrels.judged & (qrels.grades == grade) for grade in qrels.grade_counts()}
    pooled = qrels.states == State.POOLED
    if pooled.any():
        chosen["pooled, not judged"] = pooled
    rows = [[name, f"{rows.sum():,}", f"{(qrels.count(rows) > 0).sum():,}"] for name, rows in chosen.items()]
    words = [
        f"Judgments: {counted(len(qrels.topics), 'topic')}, {counted(int(qrels.judged.sum()), 'judged document')}."
    ]
    return [Table(["grade", "documents", "topics with such"], rows)], words


def run_tables(run: Run) -> tuple[list[Table], list[str]]:
    """The first documents of the first topic."""
    words = [f"Run {run.name}: {counted(len(run.topics), 'topic')}, {counted(len(run), 'document')}."]
    if not len(run):
        return [], words
    topic = int(np.flatnonzero(np.diff(run.offsets))[0])
    first, last = (int(bound) for bound in run.offsets[topic : topic + 2])
    shown = np.arange(first, min(last, first + _FIRST_DOCUMENTS))
    retrieved = zip(run.docs.take(shown), run.scores[shown].tolist(), strict=True)
    rows = [[run.topics[topic], doc, str(rank), f"{score:.6g}"] for rank, (doc, score) in enumerate(retrieved, start=1)]
    rest = len(run) - len(rows)
    return [Table(["topic", "doc", "rank", "score"], rows, 2, whole=".ranking(topic)", left_out=rest)], words


def pool_tables(pool: Pool) -> tuple[list[Table], list[str]]:
    """How many documents each topic has."""
    counts = pool.topics.counts().tolist()
    rows = [[topic, f"{count:,}"] for topic, count in zip(pool.topics.names, counts, strict=True)]
    words = [f"Pool: {counted(len(pool.topics.names), 'topic')}, {counted(len(pool), 'document')}."]
    return [Table(["topic", "documents"], rows, whole=".topics")], words


def text_tables(texts: Texts) -> tuple[list[Table], list[str]]:
    """How large the collection is, and what of it is here."""
    rows = [
        ["documents kept", f"{len(texts):,}"],
        ["terms in them", f"{len(texts.words):,}"],
        ["documents of the collection", f"{texts.documents:,}"],
        ["words of the collection", f"{texts.tokens:,}"],
    ]
    return [Table(["texts", "number"], rows)], []
