"""What one judge said: a language model, a crowd, an assessor; and where that comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids, PairIndex
from unjudged.data.qrels import Qrels, State
from unjudged.data.scale import Scale
from unjudged.data.spans import offsets_of
from unjudged.errors import Notice

__all__ = ["JudgeLabels", "LabelOrigin"]


@dataclass(frozen=True)
class LabelOrigin:
    """Who said it and when, as far as the file tells."""

    source: str
    """The file, or what it is called."""
    model: str = ""
    prompt: str = ""
    first: str = ""
    """The earliest time of a label, as it is written."""
    last: str = ""
    hashed: int = 0
    """Labels that come with a hash of the text that was judged."""


@dataclass(frozen=True, eq=False)
class JudgeLabels:
    """Labels of one judge for the topics of some judgments; ``topics`` are positions there. No pair is there twice."""

    name: str
    origin: LabelOrigin
    topics: Ints
    docs: Ids
    values: Floats
    """Grades, or scores with fractions."""
    notices: tuple[Notice, ...] = ()
    forgotten: int = 0
    """Further labels, for pairs that nobody judged, where these were not asked for."""

    def __len__(self) -> int:
        return len(self.values)

    def of(self, topics: Ints, docs: Ids) -> Floats:
        """The label of each pair of a topic's position and a document, NaN where there is none."""
        out: Floats = np.full(len(topics), np.nan)
        rows = PairIndex(self.topics, self.docs).find(topics, docs)
        out[rows >= 0] = self.values[rows[rows >= 0]]
        return out

    def beyond(self, qrels: Qrels) -> int:
        """How many labels are for pairs that nobody judged."""
        return int((~qrels.judges(self.topics, self.docs)).sum()) + self.forgotten

    def as_qrels(self, topics: Sequence[str], values: Floats, scale: Scale | None = None) -> Qrels:
        """These labels, with other *values*, as if they were all the judgments there are.

        Rows are those of the labels where these are in the order of their topics (:meth:`by_topic`).
        """
        docs = self.docs
        if not self._is_by_topic:
            order = np.argsort(self.topics, kind="stable")
            docs, values = docs.take(order), values[order]
        return Qrels(
            tuple(topics),
            offsets_of(np.bincount(self.topics, minlength=len(topics))),
            docs,
            values.astype(np.int32),
            np.full(len(values), State.JUDGED, dtype=np.uint8),
            source=self.name,
            given_scale=scale,
        )

    @property
    def _is_by_topic(self) -> bool:
        return not (self.topics[1:] < self.topics[:-1]).any()

    def by_topic(self) -> JudgeLabels:
        """The same labels in the order of their topics."""
        if self._is_by_topic:
            return self
        order = np.argsort(self.topics, kind="stable")
        return replace(self, topics=self.topics[order], docs=self.docs.take(order), values=self.values[order])

    def renamed(self, name: str) -> JudgeLabels:
        """The same labels under another name."""
        return replace(self, name=name)
