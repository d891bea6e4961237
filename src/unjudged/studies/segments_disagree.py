"""Runs of which one is better on the whole, and the other in most segments of the topics, or in all.

A run *A* is named with a run *B* if A has the higher mean on the whole, and B the higher one in every segment
(Simpson's paradox), or in more than half of the segments, or in segments with more than half of their topics. Where
both have scores on the same topics, and each topic is in a segment, the whole is the mean of the segments with the same
weights for both, and the first cannot happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.errors import Notice
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.scores import mean_known
from unjudged.uncertainty.ranks import SAME_MEAN
from unjudged.wording import counted

__all__ = ["PValues", "disagreements"]

PValues = Callable[[int, int], tuple[float, Sequence[float]]]
"""Of two runs: the corrected p-value of the difference on the whole, and that on each segment."""


def disagreements(
    measure: str,
    runs: Sequence[str],
    values: Floats,
    segments: Sequence[Ints],
    p_values: PValues,
    *,
    whole: Floats,
    among: Flags | None = None,
) -> list[Notice]:
    """What is said of such pairs, with that of the largest difference on the *whole* as an example.

    *values*: scores (runs, topics), NaN where they are not known; *segments*: positions of topics; *among*: which pairs
    are looked at, all unless given.
    """
    if len(segments) < 2:
        return []
    parts = np.stack([mean_known(values[:, own]) for own in segments])
    behind = np.zeros((len(runs), len(runs)), dtype=np.int64)
    topics_behind = np.zeros_like(behind)
    for part, own in zip(parts, segments, strict=True):
        worse = part[:, None] < part[None] - SAME_MEAN
        behind += worse
        topics_behind += worse * len(own)
    ahead = whole[:, None] > whole[None] + SAME_MEAN
    if among is not None:
        ahead &= among
    number, topics = len(segments), sum(map(len, segments))
    most = (2 * behind > number) | (2 * topics_behind > topics)
    out = []
    for code, which in (
        ("simpsons-paradox", ahead & (behind == number)),
        ("segments-disagree", ahead & most & (behind < number)),
    ):
        pairs = np.argwhere(which)
        if not len(pairs):
            continue
        a, b = max(pairs.tolist(), key=lambda pair: whole[pair[0]] - whole[pair[1]])
        where = (
            "every segment (Simpson's paradox)"
            if code == "simpsons-paradox"
            else f"{behind[a, b]} of {number} segments, with {topics_behind[a, b] / topics:.0%} of their topics"
        )
        worse_in = np.flatnonzero(parts[:, a] < parts[:, b] - SAME_MEAN)
        text = (
            f"{measure}: {runs[a]} is better than {runs[b]} on the whole ({whole[a] - whole[b]:+.4f}), and worse in"
            f" {where}; {_noise(*p_values(a, b), worse_in)}"
        )
        more = f"; so {'is' if len(pairs) == 2 else 'are'} {counted(len(pairs) - 1, 'more pair')} of runs"
        out.append(Notice(code, len(pairs), text + (more if len(pairs) > 1 else "")))
    return out


def _noise(whole: float, parts: Sequence[float], worse_in: Ints) -> str:
    """Whether all that is more than the luck of the topics."""
    sure = [part for part in worse_in.tolist() if parts[part] < SIGNIFICANT]
    if whole >= SIGNIFICANT and not sure:
        return f"none of these differences is more than noise (corrected p of {SIGNIFICANT} or more)"
    known = "significant" if whole < SIGNIFICANT else "not significant"
    number = "none" if not sure else f"{len(sure):,}"
    which = f"{number} of these {counted(len(worse_in), 'segment')} {'are' if len(sure) > 1 else 'is'}"
    return f"corrected for all comparisons, the whole is {known}, and {which}"
