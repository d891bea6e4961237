"""Which runs belong together: those that one group made, and copies of each other, or nearly so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from unjudged.arrays import Floats, Hashes, Ints, SmallInts
from unjudged.data.ids import Ids
from unjudged.data.run import Run
from unjudged.data.spans import offsets_of, rows_of_spans, top_rows
from unjudged.errors import InputError, some_of
from unjudged.kernels.splitmix import GOLDEN
from unjudged.spec import nearest

__all__ = [
    "DEPTH",
    "NEARLY",
    "Fingerprint",
    "Groups",
    "RankingsDigest",
    "fingerprint",
    "of_each_run",
    "overlaps",
    "without_copies",
]

T = TypeVar("T")


DEPTH = 10
NEARLY = 0.9
"""From this share of common top documents on, two runs are called near copies."""


@dataclass(frozen=True)
class Groups:
    """The group of each run, by name, and where that is written; or its type. Nobody knows where ``of_run`` is None."""

    of_run: Mapping[str, str] | None = None
    source: str = "groups"

    @property
    def given(self) -> bool:
        """Whether somebody said who made which run."""
        return self.of_run is not None

    def group(self, name: str) -> str | None:
        """The group of a run; None where nobody knows."""
        return None if self.of_run is None else self.of_run[name]

    def of_each(self, names: Sequence[str], what: str = "group") -> tuple[str, ...]:
        """The group of each run; an error that names the source where some have none."""
        return of_each_run(names, self.of_run or {}, self.source, what)

    def among(self, names: Sequence[str]) -> Groups:
        """The same for these runs alone, all of which have a group where groups are given."""
        if not self.given:
            return self
        return Groups(dict(zip(names, self.of_each(names), strict=True)), self.source)

    def members(self, names: Sequence[str]) -> dict[str, list[int]]:
        """Positions of the runs of each group, in the order of *names*; none where nobody knows."""
        members: dict[str, list[int]] = {}
        for i, group in enumerate(self.of_each(names) if self.given else ()):
            members.setdefault(group, []).append(i)
        return members

    def numbers(self, names: Sequence[str]) -> Ints:
        """A number for the group of each run; a run whose group nobody knows is one of its own."""
        groups = [name if self.of_run is None else self.of_run.get(name, name) for name in names]
        number = {group: i for i, group in enumerate(sorted(set(groups)))}  # np.unique would load numpy.ma
        return np.array([number[group] for group in groups], dtype=np.int64)

    def or_copies(self, names: Sequence[str], prints: Sequence[Fingerprint]) -> Sequence[object]:
        """What runs of one group have in common; near copies are taken for one where nobody knows."""
        if self.of_run is None:
            return [int(first) for first in without_copies(prints)]
        return self.of_each(names)


def of_each_run(runs: Sequence[str], by_run: Mapping[str, T], source: str, what: str = "group") -> tuple[T, ...]:
    """What *by_run* says of each run, such as its group; an error that names *source* where some have none."""
    missing = [repr(run) for run in runs if run not in by_run]
    if missing:
        unknown = [run for run in by_run if run not in runs]
        near = nearest(next(run for run in runs if run not in by_run), unknown)
        hint = f" (it lists {unknown[0]!r}, which is no run that was given)" if unknown else ""
        hint = f" (it lists {near!r}, which is no run that was given: is that the first of them?)" if near else hint
        raise InputError(f"{source}: no {what} for {some_of(missing, 3)}{hint}; every run needs one")
    return tuple(by_run[run] for run in runs)


# ---- near copies


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What is kept of a run to compare it with others: small, whatever the run's size."""

    name: str
    topics: tuple[str, ...]
    digest: bytes
    """Hash of all rankings; equal for runs with the same documents in the same order, whatever their scores."""
    top: Hashes
    """Hashes of the first documents, topic by topic."""
    lengths: Ints
    """How many of them each topic has."""


def fingerprint(run: Run) -> Fingerprint:
    """Boil a run down."""
    rankings = RankingsDigest()
    rankings.add(run.topics, run.offsets, run.docs)
    rows, offsets = top_rows(run.offsets, DEPTH)
    return Fingerprint(run.name, run.topics, rankings.digest(), run.docs.take(rows).hashes(), np.diff(offsets))


class RankingsDigest:
    """The hash of rankings for a :class:`Fingerprint`, some topics at a time."""

    def __init__(self) -> None:
        import hashlib  # which loads OpenSSL

        self._hash = hashlib.blake2b(digest_size=16)
        self._last: str | None = None

    def add(self, topics: Sequence[str], offsets: Ints, docs: Ids) -> bool:
        """Add topics with their documents, best first.

        False where one does not come after all before it, by name: then the hash is not that of the whole run.
        """
        order = sorted(range(len(topics)), key=topics.__getitem__)
        in_order = not order or self._last is None or topics[order[0]] > self._last
        starts, sizes = docs.offsets, docs.offsets[1:] - docs.offsets[:-1]
        for place in order:
            first, last = offsets[place : place + 2].tolist()
            self._hash.update(f"{topics[place]}\n{last - first}\n".encode("utf-8", "surrogateescape"))
            self._hash.update(sizes[first:last].data)
            self._hash.update(docs.blob[starts[first] : starts[last]].data)
            self._last = topics[place]
        return in_order

    def digest(self) -> bytes:
        """Of what was added."""
        return self._hash.digest()


def overlaps(prints: Sequence[Fingerprint]) -> Iterator[tuple[Floats, Ints]]:
    """For each run, run by run: the share of top documents in common with every run, and the number of common topics.

    The share is over all common topics: documents that both return in their top 10 for the same topic, over the most
    that could be common. 0 without common topics. One run at a time, because a table of all pairs of 5,000 runs would
    not fit beside them.
    """
    codes: dict[str, int] = {}
    for one in prints:
        for topic in one.topics:
            codes.setdefault(topic, len(codes))
    lengths = np.zeros((len(prints), len(codes)), dtype=np.uint8)
    keys = []
    for r, one in enumerate(prints):
        topics = np.array([codes[topic] for topic in one.topics], dtype=np.int64)
        lengths[r, topics] = one.lengths
        keys.append(one.top ^ (np.repeat(topics, one.lengths).astype(np.uint64) * GOLDEN))
    offsets = offsets_of(np.array([len(one.top) for one in prints], dtype=np.int64))
    place, owners, starts = _owners(np.concatenate(keys) if keys else np.zeros(0, dtype=np.uint64), offsets)
    for r in range(len(prints)):
        mine = place[offsets[r] : offsets[r + 1]]
        also = owners[rows_of_spans(starts[mine], starts[mine + 1] - starts[mine])]
        common = np.bincount(also, minlength=len(prints))
        both = (lengths[r] > 0) & (lengths > 0)
        possible = np.where(both, np.maximum(lengths[r], lengths), 0).sum(axis=1)
        shares = np.divide(common, possible, out=np.zeros(len(prints)), where=possible > 0)
        yield shares, np.count_nonzero(both, axis=1)


def _owners(keys: Hashes, offsets: Ints) -> tuple[SmallInts, SmallInts, Ints]:
    """Who has each key: the number of each row's key, the owners of all keys key by key, and where each key's begin."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = keys[1:] != keys[:-1]
    place = np.empty(len(keys), dtype=np.int32)
    place[order] = np.cumsum(is_new, dtype=np.int32) - 1
    owners = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))[order]
    return place, owners, np.append(np.flatnonzero(is_new), len(keys))


def without_copies(prints: Sequence[Fingerprint]) -> Ints:
    """A number for each run that it shares with its near copies, with theirs, and so on: the first of them."""
    together = [np.flatnonzero(shares >= NEARLY) for shares, _ in overlaps(prints)]
    first = np.arange(len(prints))
    while True:
        # A run takes the lowest number among its near copies, until nothing changes.
        lower = np.array([min(first[r], first[near].min(initial=r)) for r, near in enumerate(together)], dtype=np.int64)
        if np.array_equal(lower, first):
            return first
        first = lower
