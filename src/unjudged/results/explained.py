"""Holes, one by one: what other runs say about them, and what they are worth to a score."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HoleRow"]


class HoleRow(NamedTuple):
    """An unjudged document of a run.

    ``groups`` other groups return it, the best of them at ``best_rank``. ``run_mean`` is the mean grade of the run's
    documents on the topic that others brought too, ``pool_mean`` that of the topic's judged documents, both pulled to
    the average. They are of the run that has the document at the best rank, and so are other groups. All are None where
    there is no evidence. ``share`` is the share of the score that is lost with grade 0, None where the score is 0.
    """

    run: str
    topic: str
    measure: str
    holes: str
    rank: int
    doc: str
    groups: int | None
    best_rank: int | None
    run_mean: float | None
    pool_mean: float | None
    grades: tuple[int, ...]
    """Those that it can have, from 0 on."""
    chances: tuple[float, ...]
    """Of each of these grades."""
    expected: float
    """The grade that it has on average."""
    share: float | None
