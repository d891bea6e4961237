"""Checks of all runs together: copies, and runs that are nearly copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.data.groups import DEPTH, NEARLY, Fingerprint, overlaps
from unjudged.errors import some_of
from unjudged.studies.doctor.check import Hit, check
from unjudged.wording import counted

__all__ = ["near_copies"]

MOST_PAIRS = 10_000
"""Pairs of near copies that are named one by one."""


@check(
    "runs",
    "copied-runs",
    "warning",
    "runs with the same documents in the same order",
    next_step="Keep one of them: a copy counts twice in correlations, in pools and in corrected p-values.",
)
def copied_runs(prints: Sequence[Fingerprint]) -> Iterator[Hit]:
    """Equal rankings for all topics. Scores and names may differ."""
    groups: dict[bytes, list[int]] = {}
    for r, one in enumerate(prints):
        groups.setdefault(one.digest, []).append(r)
    for group in groups.values():
        if len(group) > 1:
            names = [prints[r].name for r in group]
            shown = some_of(names, 4)
            yield Hit(len(group), f"{len(group):,} runs rank the same documents in the same order", shown, run=group[0])


@check(
    "runs",
    "near-copies",
    "note",
    f"pairs of runs with at least {NEARLY:.0%} of their top {DEPTH} in common",
    next_step="Nothing, if they are variants of one system; know that they are not independent of each other.",
)
def near_copies(prints: Sequence[Fingerprint]) -> Iterator[Hit]:
    """Pairs of runs that return nearly the same top documents; the closest pair first. Copies are left out.

    Of thousands of variants of a few systems, millions of pairs are close: beyond ``MOST_PAIRS`` they are one hit.
    """
    pairs, number = _closest(prints, MOST_PAIRS + 1)
    for place, (a, b, share, topics) in enumerate(pairs):
        names = f"{prints[a].name} and {prints[b].name}"
        if place == MOST_PAIRS:
            text = f"{number - place:,} more pairs with {NEARLY:.0%} to {share:.1%} of the top {DEPTH} in common"
            yield Hit(number - place, text, names, run=a)
        else:
            over = counted(topics, "common topic")
            yield Hit(1, f"{share:.1%} of the top {DEPTH} in common over {over}", names, run=a)


def _closest(prints: Sequence[Fingerprint], most: int) -> tuple[list[tuple[int, int, float, int]], int]:
    """The closest near copies (run, other run, share, common topics), the closest first, and how many there are."""
    closest = np.zeros(0, dtype=[("a", np.int64), ("b", np.int64), ("share", np.float64), ("topics", np.int64)])
    digests = np.array([one.digest for one in prints])
    waiting, number = [closest], 0
    for a, (shares, topics) in enumerate(overlaps(prints)):
        near = a + 1 + np.flatnonzero((shares[a + 1 :] >= NEARLY) & (digests[a + 1 :] != digests[a]))
        more = np.zeros(len(near), dtype=closest.dtype)
        more["a"], more["b"], more["share"], more["topics"] = a, near, shares[near], topics[near]
        waiting.append(more)
        number += len(near)
        if a == len(prints) - 1 or sum(map(len, waiting)) > 2 * most:
            closest = np.concatenate(waiting)
            closest = closest[np.argsort(-closest["share"], kind="stable")[:most]]
            waiting = [closest]
    return closest.tolist(), number
