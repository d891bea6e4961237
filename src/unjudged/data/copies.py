"""Which runs are copies of each other, or nearly so."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unjudged.data.run import Run
from unjudged.data.spans import top_rows
from unjudged.kernels.splitmix import GOLDEN

__all__ = ["DEPTH", "NEARLY", "Fingerprint", "fingerprint", "overlaps", "without_copies"]

DEPTH = 10
NEARLY = 0.9
"""From this share of common top documents on, two runs are called near copies."""


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What is kept of a run to compare it with others: small, whatever the run's size."""

    name: str
    topics: tuple[str, ...]
    digest: bytes
    """Hash of all rankings; equal for runs with the same documents in the same order, whatever their scores."""
    top: NDArray[np.uint64]
    """Hashes of the first documents, topic by topic."""
    lengths: NDArray[np.int64]
    """How many of them each topic has."""


def fingerprint(run: Run) -> Fingerprint:
    """Boil a run down."""
    digest = hashlib.blake2b(digest_size=16)
    offsets, blob = run.docs.offsets, run.docs.blob
    for topic in sorted(run.topics):
        first, last = run.bounds[run.topic_rows[topic] :][:2].tolist()
        digest.update(f"{topic}\n{last - first}\n".encode("utf-8", "surrogateescape"))
        digest.update(np.diff(offsets[first : last + 1]).tobytes())
        digest.update(blob[offsets[first] : offsets[last]].tobytes())
    rows, bounds = top_rows(run.bounds, DEPTH)
    return Fingerprint(run.name, run.topics, digest.digest(), run.docs.take(rows).hashes(), np.diff(bounds))


def overlaps(prints: Sequence[Fingerprint]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For every pair of runs the share of top documents they have in common, and the number of common topics.

    The share is over all common topics: documents that both return in their top 10 for the same topic, over the most
    that could be common. 0 without common topics.
    """
    codes: dict[str, int] = {}
    for one in prints:
        for topic in one.topics:
            codes.setdefault(topic, len(codes))
    lengths = np.zeros((len(prints), len(codes)), dtype=np.int64)
    keys, owners = [], []
    for r, one in enumerate(prints):
        topics = np.array([codes[topic] for topic in one.topics], dtype=np.int64)
        lengths[r, topics] = one.lengths
        keys.append(one.top ^ (np.repeat(topics, one.lengths).astype(np.uint64) * GOLDEN))
        owners.append(np.full(len(one.top), r))
    owner = np.concatenate(owners)
    unique, place = np.unique(np.concatenate(keys), return_inverse=True)
    shares = np.zeros((len(prints), len(prints)))
    common_topics = np.zeros((len(prints), len(prints)), dtype=np.int64)
    for r in range(len(prints)):
        mine = np.zeros(len(unique), dtype=bool)
        mine[place[owner == r]] = True
        common = np.bincount(owner[mine[place]], minlength=len(prints))
        both = (lengths[r] > 0) & (lengths > 0)
        possible = np.where(both, np.maximum(lengths[r], lengths), 0).sum(axis=1)
        shares[r] = np.divide(common, possible, out=np.zeros(len(prints)), where=possible > 0)
        common_topics[r] = both.sum(axis=1)
    return shares, common_topics


def without_copies(prints: Sequence[Fingerprint]) -> NDArray[np.int64]:
    """A number for each run that it shares with its near copies, with theirs, and so on: the first of them."""
    together = overlaps(prints)[0] >= NEARLY
    first = np.arange(len(prints))
    while True:
        # A run takes the lowest number among its near copies, until nothing changes.
        lower = np.where(together | np.eye(len(prints), dtype=bool), first, len(prints)).min(axis=1)
        if np.array_equal(lower, first):
            return first
        first = lower
