"""Which judged topics a run has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run, ScoreType
from unjudged.errors import InputError, Notice
from unjudged.io.reading import RunSource

__all__ = ["Covering", "read_judged", "topic_notices"]


class Covering(Protocol):
    """What is known about the topics of a run."""

    @property
    def answered(self) -> NDArray[np.bool_]:
        """For each judged topic, whether the run has it."""

    @property
    def extra_topics(self) -> int:
        """Topics of the run that have no judgments."""


def read_judged(source: RunSource, qrels: Qrels, *, score_type: ScoreType, threads: int = 1) -> Run:
    """Read a run that has at least one judged topic."""
    run = source.read(score_type=score_type, threads=threads)
    if not set(run.topics) & qrels.topic_rows.keys():
        raise InputError(
            f"{run.source or run.name}: no topic of this run is judged"
            f" (the run has {run.topics[0]!r}, the judgments have {qrels.topics[0]!r})"
        )
    return run


def topic_notices(runs: Iterable[tuple[str, Covering]], topics: int, counts: str = "they count as 0") -> list[Notice]:
    """Topics that runs, given with their names, lack or have too many of; *topics* are judged."""
    notices = []
    for name, run in runs:
        absent = int((~run.answered).sum())
        if absent:
            text = f"{name} lacks {absent} of {topics} judged topics; {counts}"
            notices.append(Notice("missing-topics", absent, text))
        if run.extra_topics:
            text = f"{name} has {run.extra_topics} topics without judgments; they are left out"
            notices.append(Notice("unjudged-topics", run.extra_topics, text))
    return notices
