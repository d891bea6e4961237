"""Scoring again and again with the same judgments and measures: every epoch of a training, every step of a search."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.api.reading import read_measures
from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.run import Run, in_precision, topics_alone
from unjudged.data.spans import offsets_of
from unjudged.data.view import View, join, join_unranked
from unjudged.errors import InputError
from unjudged.io.dict_rankings import join_dicts
from unjudged.io.reading import read_qrels, read_run
from unjudged.limits import Choice, NegativeGrades, ScoreType
from unjudged.measures.requested import check_needs
from unjudged.measures.walks import Together, walked
from unjudged.results.evaluation import Evaluation
from unjudged.threads import keep_freed_memory
from unjudged.wording import counted, shortened

__all__ = ["Evaluator"]


class Evaluator:
    """Judgments and measures that are made ready once; :meth:`score` is then called as often as you like.

    *qrels*: whatever :func:`unjudged.read_qrels` takes. *measures*: names or measures. *scores* and *negative*: as for
    :func:`unjudged.score`. Unjudged documents count as not relevant.

    >>> evaluator = Evaluator({"1": {"a": 1, "b": 0}, "2": {"c": 1}}, ["RR", "P@2"])
    >>> result = evaluator.score({"1": {"b": 0.9, "a": 0.8}, "2": {"d": 0.7}})
    >>> result.mean(), result.holes.tolist()
    ({'RR': 0.25, 'P@2': 0.25}, [[0, 1], [0, 1]])
    """

    def __init__(
        self, qrels: Any, measures: Any, *, scores: ScoreType = "float64", negative: NegativeGrades = "auto"
    ) -> None:
        self.qrels = read_qrels(qrels, negative=negative)
        self.measures = Together(read_measures(measures))
        self._names = tuple(map(str, self.measures))
        self._summaries = tuple(measure.summarise for measure in self.measures)
        if not self.measures:
            raise InputError("no measure was given; for example nDCG@10")
        check_needs(self.qrels, self.measures)
        for measure in self.measures:
            measure.prepare(self.qrels)
        self._scores: ScoreType = Choice(("float64", "float32")).checked("scores", scores)
        self._known = Ids.of([])
        self._codes: dict[bytes, int] = {}
        keep_freed_memory()  # each call asks for as much as the one before
        self._all_topics = np.arange(len(self.qrels.topics))

    def __repr__(self) -> str:
        return f"Evaluator({self.qrels!r}, {', '.join(map(str, self.measures))})"

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics: what numbers of topics count, from 0."""
        return self.qrels.topics

    def doc_codes(self, docs: Any) -> Ints:
        """A whole number for each of these documents, for :meth:`score_arrays`; the same document has the same one.

        *docs*: text or bytes. Give all documents of the corpus once, before the first epoch.

        >>> Evaluator({"1": {"a": 1}}, "RR").doc_codes(["a", "x", "a"]).tolist()
        [0, 1, 0]
        """
        texts = [_as_bytes(doc) for doc in (docs.tolist() if isinstance(docs, np.ndarray) else docs)]
        codes = np.fromiter((self._codes.setdefault(text, len(self._codes)) for text in texts), np.int64, len(texts))
        if len(self._codes) > len(self._known):
            self._known = _packed(list(self._codes))
        return codes

    def score(self, run: Any) -> Evaluation:
        """Score a run: ``{topic: {doc: score}}``, a frame, a path, or whatever else :func:`unjudged.read_run` takes."""
        view = None if isinstance(run, Run) else join_dicts(run, self.qrels, self._scores)
        if view is None:
            return self._evaluate(join(run if isinstance(run, Run) else read_run(run, scores=self._scores), self.qrels))
        return self._evaluate(view)

    def score_arrays(self, topic_index: Any, doc_ids: Any, scores: Any) -> Evaluation:
        """Score documents that stand in arrays: NumPy's, or whatever has ``__array__`` or DLPack, such as tensors.

        *topic_index*: the place of the topic in :attr:`topics`, for each document, or for each row where *doc_ids* and
        *scores* have two dimensions. *doc_ids*: text, bytes, or codes that :meth:`doc_codes` gave. A document may be
        there once for each topic.

        >>> evaluator = Evaluator({"1": {"a": 1, "b": 0}}, "RR")
        >>> evaluator.score_arrays([0], [["b", "a"]], [[0.9, 0.8]]).mean()
        {'RR': 0.5}
        """
        topics, docs = _as_array(topic_index, "topic_index"), _as_array(doc_ids, "doc_ids")
        values = _as_array(scores, "scores")
        if docs.shape != values.shape or topics.shape != docs.shape[:1] or docs.ndim not in (1, 2):
            shapes = f"{topics.shape}, {docs.shape} and {values.shape}"
            raise InputError(f"topic_index, doc_ids and scores must be as long as each other, not of shapes {shapes}")
        if topics.dtype.kind not in "iu" or (topics.size and not 0 <= topics.min() <= topics.max() < len(self.topics)):
            raise InputError(f"topic_index must hold places of topics, which are 0 to {len(self.topics) - 1}")
        if docs.ndim == 2:
            topics = np.repeat(topics, docs.shape[1])
        numbers = _finite(values.ravel())
        order = None if bool((topics[1:] >= topics[:-1]).all()) else np.argsort(topics, kind="stable")
        ids = self._ids(docs.ravel())
        if order is not None:
            topics, numbers, ids = topics[order], numbers[order], ids.take(order)
        used, lengths = np.unique(topics, return_counts=True)
        numbers = in_precision(numbers, self._scores)
        view = join_unranked(self.qrels, used.astype(np.int64), offsets_of(lengths), ids, numbers)
        if view is None:
            raise InputError("a document is there twice for the same topic")
        return self._evaluate(view)

    def _ids(self, docs: Any) -> Ids:
        """Ids out of text, bytes or codes."""
        if docs.dtype.kind in "iu":
            codes = docs.astype(np.int64, copy=False)
            if codes.size and not 0 <= codes.min() <= codes.max() < len(self._known):
                known = counted(len(self._known), "code")
                raise InputError(f"doc_ids must be codes that doc_codes gave, which were {known} so far")
            return self._known.take(codes)
        return _packed([_as_bytes(doc) for doc in docs.tolist()])

    def _evaluate(self, view: View) -> Evaluation:
        """Score a view of some topics, and the topics that it lacks as rankings without documents."""
        if len(view) == len(self.topics) and bool((view.topics == self._all_topics).all()):
            found = walked(self.measures, view)
            return self._evaluation(found.values, found.looked_at - found.judged, found.shares_judged)
        shape = (len(self.measures), len(self.topics))
        values, holes, judged = np.empty(shape), np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
        views = [view]
        if len(view) < len(self.topics):
            absent = np.setdiff1d(self._all_topics, view.topics)
            views.append(join(topics_alone("", (), ""), self.qrels, absent))
        for part in views:
            found = walked(self.measures, part)
            values[:, part.topics], judged[:, part.topics] = found.values, found.shares_judged
            holes[:, part.topics] = found.looked_at - found.judged
        return self._evaluation(values, holes, judged)

    def _evaluation(self, values: Floats, holes: Ints, judged: Floats) -> Evaluation:
        return Evaluation(self.topics, self._names, values, holes, judged, self._summaries)


def _as_array(given: Any, name: str) -> Any:
    """An array of NumPy's; the memory is shared where that is possible."""
    try:
        if not hasattr(given, "__array__") and hasattr(given, "__dlpack__"):
            return np.from_dlpack(given)
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        raise InputError(f"{name} cannot be read as an array: {shortened(str(problem))}") from None


def _finite(values: Any) -> Floats:
    if values.dtype.kind not in "iuf":
        raise InputError(f"scores must be numbers, not {values.dtype}")
    numbers: Floats = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise InputError(f"scores[{row}] is not a finite number: {numbers[row]}")
    return numbers


def _as_bytes(doc: Any) -> bytes:
    if isinstance(doc, bytes):
        return doc
    if isinstance(doc, str):
        try:
            return doc.encode()
        except UnicodeEncodeError:
            raise InputError(f"a document id cannot be written as UTF-8: {shortened(doc)}") from None
    raise InputError(f"a document id must be text, bytes or a code that doc_codes gave, not {shortened(doc)}")


def _packed(texts: list[bytes]) -> Ids:
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    return Ids(np.frombuffer(b"".join(texts), dtype=np.uint8), offsets)
