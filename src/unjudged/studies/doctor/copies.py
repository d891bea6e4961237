"""Checks of all runs together: copies, and runs that are nearly copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.data.copies import DEPTH, NEARLY, Fingerprint, overlaps
from unjudged.errors import some_of
from unjudged.studies.doctor.findings import Hit, check
from unjudged.wording import counted

__all__ = ["copied_runs", "near_copies"]


@check(
    "copied-runs",
    "runs",
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
    "near-copies",
    "runs",
    "note",
    f"pairs of runs with at least {NEARLY:.0%} of their top {DEPTH} in common",
    next_step="Nothing, if they are variants of one system; know that they are not independent of each other.",
)
def near_copies(prints: Sequence[Fingerprint]) -> Iterator[Hit]:
    """Pairs of runs that return nearly the same top documents; the closest pair first. Copies are left out."""
    if len(prints) < 2:
        return
    shares, topics = overlaps(prints)
    first, second = np.nonzero(np.triu(shares >= NEARLY, k=1))
    for i in np.argsort(-shares[first, second], kind="stable").tolist():
        a, b = int(first[i]), int(second[i])
        if prints[a].digest != prints[b].digest:
            over = counted(int(topics[a, b]), "common topic")
            message = f"{shares[a, b]:.1%} of the top {DEPTH} in common over {over}"
            yield Hit(1, message, f"{prints[a].name} and {prints[b].name}", run=a)
