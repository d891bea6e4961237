"""The first documents of every run for every topic, with what is known about them, for readers to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.texts import Texts
from unjudged.data.view import join

if TYPE_CHECKING:
    from unjudged.io.texts import TextSource

__all__ = ["Rankings", "TopicRankings", "top_rankings"]

_EXCERPT = 300
"""Characters of a document that are shown."""
_ALL_EXCERPTS = 3_000_000
"""Characters of all excerpts together; where they would be more, each is shorter."""
_SHORTEST_EXCERPT = 40


@dataclass(frozen=True)
class TopicRankings:
    """One topic. Rankings are positions in ``docs``, which has every document once.

    ``grades`` has None for documents that nobody judged; ``pooled`` says which of those were chosen to be.
    """

    docs: tuple[str, ...]
    grades: tuple[int | None, ...]
    pooled: tuple[bool, ...]
    runs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Rankings:
    """The first ``depth`` documents of all runs, topic by topic, and the beginning of their texts where known."""

    depth: int
    topics: tuple[TopicRankings, ...]
    excerpts: Mapping[str, str] = field(default_factory=dict)


def top_rankings(qrels: Qrels, runs: Sequence[Run], depth: int, texts: TextSource | Texts | None = None) -> Rankings:
    """The first *depth* documents of all runs for the judged topics, with excerpts of *texts* (not of term counts)."""
    gathered = [_Topic() for _ in qrels.topics]
    for run in runs:
        view = join(run, qrels, depth=depth)
        docs, offsets = list(view.doc_ids()), view.offsets.tolist()
        grades, states = view.grades.tolist(), view.states.tolist()
        for topic, start, end in zip(gathered, offsets[:-1], offsets[1:], strict=True):
            topic.add(docs[start:end], grades[start:end], states[start:end])
    topics = tuple(topic.finished() for topic in gathered)
    excerpts: Mapping[str, str] = {}
    if texts is not None and not isinstance(texts, Texts):
        wanted = {doc for topic in topics for doc in topic.docs}
        length = max(_SHORTEST_EXCERPT, min(_EXCERPT, _ALL_EXCERPTS // max(1, len(wanted))))
        excerpts = texts.excerpts(wanted, length)
    return Rankings(depth, topics, excerpts)


class _Topic:
    """Rankings of one topic as they come, run by run."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._grades: list[int | None] = []
        self._pooled: list[bool] = []
        self._runs: list[tuple[int, ...]] = []

    def add(self, docs: Sequence[str], grades: Sequence[int], states: Sequence[int]) -> None:
        ranking = []
        for doc, grade, state in zip(docs, grades, states, strict=True):
            code = self._codes.setdefault(doc, len(self._codes))
            if code == len(self._grades):
                self._grades.append(grade if state == State.JUDGED else None)
                self._pooled.append(state == State.POOLED)
            ranking.append(code)
        self._runs.append(tuple(ranking))

    def finished(self) -> TopicRankings:
        return TopicRankings(tuple(self._codes), tuple(self._grades), tuple(self._pooled), tuple(self._runs))
