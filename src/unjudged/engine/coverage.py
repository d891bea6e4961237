"""Which judged topics a run has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import Notice
from unjudged.wording import counted

__all__ = ["Covering", "topic_notices"]


class Covering(Protocol):
    """What is known about the topics of a run."""

    @property
    def answered(self) -> NDArray[np.bool_]:
        """For each judged topic, whether the run has it."""

    @property
    def extra_topics(self) -> int:
        """Topics of the run that have no judgments."""


def topic_notices(
    runs: Iterable[tuple[str, Covering]], topics: int, *, lacking: str = "they count as 0"
) -> list[Notice]:
    """Topics that runs, given with their names, lack or have too many of; *topics* are judged.

    *lacking* says what becomes of those that they lack.
    """
    notices = []
    for name, run in runs:
        absent = int((~run.answered).sum())
        if absent:
            text = f"{name} lacks {absent} of {topics} judged topics; {lacking}"
            notices.append(Notice("missing-topics", absent, text))
        if run.extra_topics:
            text = f"{name} has {counted(run.extra_topics, 'topic')} without judgments; left out"
            notices.append(Notice("unjudged-topics", run.extra_topics, text))
    return notices
