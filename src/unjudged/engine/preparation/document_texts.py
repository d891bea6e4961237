"""What a study knows of its documents' text: which documents it wants, what was found, what each model rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.arrays import Ints
from unjudged.collection import UNUSED_TEXTS, BaseCollection
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo
from unjudged.data.texts import ModelSize, Texts, with_texts
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError, Notice
from unjudged.holes.base import HoleModel
from unjudged.io.texts import TextSource
from unjudged.measures.base import Measure
from unjudged.measures.language_models import model_sizes, subtopic_models
from unjudged.measures.smoothing import FITTED, fitted_mu

__all__ = ["add_texts"]

_FAR_LONGER = 10
"""From so many times the length of a text on, ``mu`` is too large (experiments/results/few-subtopic-judgments.md)."""
_NAMED = 3
"""Documents or subtopics that a message names."""


def add_texts(
    collection: BaseCollection,
    given: TextSource | Texts,
    measures: Sequence[Measure],
    hole_models: Sequence[HoleModel],
    *,
    whole_runs: bool = False,
) -> tuple[BaseCollection, list[ModelSize], list[Notice]]:
    """The collection whose judgments have texts, what each subtopic model rests on, and what the user should know.

    Texts are read if a measure wants them, or a hole model that asks other runs too. Runs are read twice: first to see
    which documents they return as far as anybody looks, so that only those and the judged ones keep their term counts;
    all of them for *whole_runs*, whose documents may move up before anybody looks.
    """
    wanting = [measure for measure in measures if "texts" in measure.needs]
    asked = any(model.learns_from_runs for model in hole_models)
    depth = None if whole_runs else deepest_rank(measures if asked else wanting, hole_models)
    if not wanting and not asked:
        return collection, [], [UNUSED_TEXTS]
    qrels, collection = collection.qrels, collection.rereadable()

    def judged_topics(run: Run) -> Ids:
        """The documents that a run returns for judged topics, as far as anybody looks."""
        top = run if depth is None else run.top(depth)
        judged = np.array([topic in qrels.topic_rows for topic in top.topics], dtype=bool)
        return top.docs.take(np.flatnonzero(np.repeat(judged, np.diff(top.offsets))))

    runs, returned = collection.each_run(judged_topics)
    wanted = (doc for column in (qrels.docs, *returned) for doc in column)
    texts = given if isinstance(given, Texts) else given.read(set(wanted))
    qrels = with_texts(qrels, texts)
    grades = sorted({measure.rel or 1 for measure in wanting})
    sizes = [size for rel in grades for size in model_sizes(qrels, rel)]
    _refuse_no_model(qrels, texts, sizes)
    for rel in grades:
        subtopic_models(qrels, rel)  # built once; threads would each build their own
    notices = [*texts.notices, *_missing(texts, runs, returned, depth), *_silent(sizes)]
    notices += [*_drowned(texts, wanting), *_fitted(qrels, wanting)]
    return collection.replaced(qrels=qrels), sizes, notices


def _refuse_no_model(qrels: Qrels, texts: Texts, sizes: Sequence[ModelSize]) -> None:
    if sizes and not any(size.documents for size in sizes):
        raise InputError(
            f"{texts.source or 'texts'}: there is no text of any document judged relevant to a subtopic"
            f" (the texts have {texts.docs[0]!r}, the judgments have {qrels.docs[0]!r})"
        )


def _missing(texts: Texts, runs: Sequence[RunInfo], returned: Sequence[Ids], depth: int | None) -> list[Notice]:
    """Documents that runs return and that have no text."""
    absent = [docs.take(np.flatnonzero(texts.find(docs) < 0)) for docs in returned]
    docs, every = _distinct(absent), _distinct(returned)
    if not len(docs):
        return []
    shares = [len(lacks) / max(1, len(own)) for lacks, own in zip(absent, returned, strict=True)]
    most = int(np.argmax(shares))
    where = "" if depth is None else f" within rank {depth}"
    named = ", ".join(map(repr, docs.slice(0, min(_NAMED, len(docs)))))
    text = (
        f"{len(docs):,} of {len(every):,} documents{where} of the runs have no text, such as {named};"
        f" they add nothing (in {runs[most].name}, {shares[most]:.0%} of the ranks, the most of all runs)"
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
    given = {one: mu for one in measures if isinstance(mu := one.mu, float)}
    drowned = [one for one, mu in given.items() if mu > _FAR_LONGER * length]
    if not drowned:
        return []
    first = drowned[0]
    text = (
        f"{first}: mu = {given[first]:,.0f} drowns these short texts ({length:,.0f} words on average);"
        f" on short texts a mu near their length ranked systems better; {first.replace(mu=FITTED)} chooses one"
    )
    return [Notice("mu-far-above-length", len(drowned), text)]


def _fitted(qrels: Qrels, measures: Sequence[Measure]) -> list[Notice]:
    """What smoothing turned out to fit these texts best, where that was asked for."""
    fitted = [one for one in measures if one.mu == FITTED]
    if not fitted:
        return []
    named = ", ".join(map(str, fitted))
    return [Notice("fitted-mu", len(fitted), f"{named}: mu is {fitted_mu(qrels):,.0f} for these texts")]


def _distinct(columns: Sequence[Ids]) -> Ids:
    docs = concatenate_ids(list(columns))
    group: Ints = np.zeros(len(docs), dtype=np.int64)
    return docs.take(PairIndex(group, docs).first_rows())
