"""What a study knows of its documents' text: which documents it wants, what was found, what each model rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import ScoreType
from unjudged.data.texts import ModelSize, Texts
from unjudged.engine.scoring import deepest_rank
from unjudged.errors import InputError, Notice
from unjudged.holes.base import HoleModel
from unjudged.io.names import unique_names
from unjudged.io.reading import RunSource
from unjudged.io.texts import TextSource
from unjudged.measures.base import Measure
from unjudged.measures.language_models import model_sizes, subtopic_models
from unjudged.threads import in_order, worker_count

__all__ = ["add_texts"]

_FAR_LONGER = 10
"""From so many times the length of a text on, ``mu`` is too large (experiments/results/few-subtopic-judgments.md)."""
_NAMED = 3
"""Documents or subtopics that a message names."""


@dataclass(frozen=True, eq=False)
class _Returned:
    """The documents that a run returns for judged topics, as far as anybody looks."""

    name: str
    source: str
    docs: Ids


def add_texts(
    qrels: Qrels,
    runs: Sequence[RunSource],
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    texts: TextSource | Texts,
    *,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
) -> tuple[Qrels, Sequence[RunSource], list[ModelSize], list[Notice]]:
    """The judgments with texts, the runs (still to be read), what each subtopic model rests on, and what to know.

    Texts are read if a measure wants them, or a hole model that asks other runs too. Runs are read twice: first to see
    which documents they return as far as anybody looks, so that only those and the judged ones keep their term counts.
    """
    wanting = [measure for measure in measures if "texts" in measure.needs]
    asked = any(model.asks_runs for model in holes)
    depth = deepest_rank(measures if asked else wanting, holes)
    if not wanting and not asked:
        text = "nothing that was asked for looks at the texts; they were not read"
        return qrels, runs, [], [Notice("unused-texts", 1, text)]
    again = [source.rereadable(score_type=score_type) for source in runs]

    def look(source: RunSource) -> _Returned:
        run = source.read(score_type=score_type)
        top = run if depth is None else run.top(depth)
        judged = np.array([topic in qrels.topic_rows for topic in top.topics], dtype=bool)
        return _Returned(run.name, run.source, top.docs.take(np.flatnonzero(np.repeat(judged, np.diff(top.bounds)))))

    returned = list(in_order(look, again, worker_count(jobs, len(again))))
    found = texts if isinstance(texts, Texts) else _read(texts, qrels, returned)
    qrels = qrels.with_texts(found)
    grades = sorted({int(getattr(measure, "rel", 1)) for measure in wanting})
    sizes = [size for rel in grades for size in model_sizes(qrels, rel)]
    _refuse_no_model(qrels, found, sizes)
    for rel in grades:
        subtopic_models(qrels, rel)  # built once; threads would each build their own
    notices = [*found.notices, *_missing(found, returned, depth), *_silent(sizes), *_drowned(found, wanting)]
    return qrels, again, sizes, notices


def _read(texts: TextSource, qrels: Qrels, returned: Sequence[_Returned]) -> Texts:
    return texts.read({doc for column in (qrels.docs, *(one.docs for one in returned)) for doc in column})


def _refuse_no_model(qrels: Qrels, texts: Texts, sizes: Sequence[ModelSize]) -> None:
    if sizes and not any(size.documents for size in sizes):
        raise InputError(
            f"{texts.source or 'texts'}: there is no text of any document judged relevant to a subtopic"
            f" (the texts have {texts.docs[0]!r}, the judgments have {qrels.docs[0]!r})"
        )


def _missing(texts: Texts, returned: Sequence[_Returned], depth: int | None) -> list[Notice]:
    """Documents that runs return and that have no text."""
    absent = [one.docs.take(np.flatnonzero(texts.find(one.docs) < 0)) for one in returned]
    docs, every = _distinct(absent), _distinct([one.docs for one in returned])
    if not len(docs):
        return []
    shares = [len(lacks) / max(1, len(one.docs)) for lacks, one in zip(absent, returned, strict=True)]
    most = int(np.argmax(shares))
    names = unique_names([(one.name, one.source) for one in returned])  # as tables have them
    where = "" if depth is None else f" within rank {depth}"
    named = ", ".join(map(repr, docs.slice(0, min(_NAMED, len(docs)))))
    text = (
        f"{len(docs):,} of {len(every):,} documents{where} of the runs have no text, such as {named};"
        f" they add nothing (in {names[most]}, {shares[most]:.0%} of the ranks, the most of all runs)"
    )
    return [Notice("missing-texts", len(docs), text)]


def _silent(sizes: Sequence[ModelSize]) -> list[Notice]:
    """Subtopics that have relevant documents, but no text of them."""
    silent = list(dict.fromkeys((size.topic, size.subtopic) for size in sizes if not size.tokens))
    if not silent:
        return []
    every = len({(size.topic, size.subtopic) for size in sizes})
    named = ", ".join(f"{subtopic!r} of topic {topic!r}" for topic, subtopic in silent[:_NAMED])
    text = f"{len(silent):,} of {every:,} subtopics have relevant documents but no text of them, such as {named};"
    return [Notice("subtopics-without-text", len(silent), f"{text} they are left out")]


def _drowned(texts: Texts, measures: Sequence[Measure]) -> list[Notice]:
    """Whether smoothing adds so many words to each text that the text itself hardly counts."""
    length = float(texts.lengths.mean())
    drowned = [one for one in measures if getattr(one, "mu", 0.0) > _FAR_LONGER * length]
    if not drowned:
        return []
    first = drowned[0]
    text = (
        f"{first}: mu = {getattr(first, 'mu', 0.0):,.0f} drowns these short texts ({length:,.0f} words on average);"
        f" on short texts a mu near their length ranked systems better, as in {first.replace(mu=float(round(length)))}"
    )
    return [Notice("mu-far-above-length", len(drowned), text)]


def _distinct(columns: Sequence[Ids]) -> Ids:
    docs = concatenate_ids(list(columns))
    group: NDArray[np.int64] = np.zeros(len(docs), dtype=np.int64)
    return docs.take(PairIndex(group, docs).first_rows())
