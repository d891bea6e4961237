"""A packed column of ids: bytes and offsets instead of a Python string per row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Bytes, Floats, Hashes, Ints
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded

__all__ = ["Ids", "PairIndex", "concatenate_ids", "is_writable", "pair_keys"]


@dataclass(frozen=True, eq=False)
class Ids:
    """Ids as UTF-8 bytes: id ``i`` is ``blob[offsets[i]:offsets[i + 1]]``."""

    blob: Bytes
    offsets: Ints

    @classmethod
    def of(cls, strings: Iterable[str]) -> Ids:
        """Pack Python strings."""
        given = list(strings)
        joined = "".join(given)
        # A character of ASCII is a byte, so nearly all ids need not be encoded one by one.
        lengths = map(len, given) if joined.isascii() else (len(one.encode()) for one in given)
        offsets = np.zeros(len(given) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(lengths, np.int64, len(given)), out=offsets[1:])
        return cls(np.frombuffer(joined.encode(), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        row = range(len(self))[row]
        return self.blob[self.offsets[row] : self.offsets[row + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        data, ends = self.blob.tobytes(), self.offsets.tolist()
        for start, end in pairwise(ends):
            yield data[start:end].decode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        return bool(np.array_equal(self.offsets, other.offsets) and np.array_equal(self.blob, other.blob))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        head = ", ".join(repr(self[i]) for i in range(min(3, len(self))))
        return f"Ids({len(self):,}: {head}{', ...' if len(self) > 3 else ''})"

    def slice(self, first: int, last: int) -> Ids:
        """The ids of rows *first* up to, not including, *last*; shares the bytes."""
        start, end = int(self.offsets[first]), int(self.offsets[last])
        return Ids(self.blob[start:end], self.offsets[first : last + 1] - start)

    def copy(self) -> Ids:
        """The same ids in memory of their own."""
        return Ids(self.blob.copy(), self.offsets.copy())

    def reorder(self, first: int, order: Ints) -> None:
        """Put the rows from *first* on in another order, in place. For builders only; cheap where few rows move."""
        offsets = self.offsets[first : first + len(order) + 1]
        lengths = np.diff(offsets)[order]
        starts = offsets[0] + np.cumsum(lengths) - lengths
        moved = np.flatnonzero((order != np.arange(len(order))) | (starts != offsets[:-1]))
        if 2 * len(moved) > len(order):  # all of them at once, without looking for the place of each
            ids = self.take(first + order)
            self.blob[offsets[0] : offsets[-1]] = ids.blob
            offsets[:-1] = starts
            return
        ids = self.take(first + order[moved])
        offsets[:-1] = starts
        self.blob[np.arange(len(ids.blob)) + np.repeat(starts[moved] - ids.offsets[:-1], lengths[moved])] = ids.blob

    def hashes(self) -> Hashes:
        """A number for each id, from its bytes alone."""
        return kernels.hash_ids(self.blob, self.offsets)

    def take(self, rows: Ints) -> Ids:
        """The ids of some rows, in the given order."""
        return Ids(*kernels.pack_fields(self.blob, self.offsets[rows], self.offsets[rows + 1]))


def is_writable(text: str) -> bool:
    """Whether text can be an id: half a character, as JSON may have (``"\\ud800"``), has no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def concatenate_ids(parts: list[Ids]) -> Ids:
    """One column after the other."""
    blob = np.empty(sum(len(part.blob) for part in parts), dtype=np.uint8)
    offsets = np.zeros(sum(map(len, parts)) + 1, dtype=np.int64)
    row = byte = 0
    for part in parts:
        blob[byte : byte + len(part.blob)] = part.blob
        np.add(part.offsets[1:], byte, out=offsets[row + 1 : row + 1 + len(part)])
        row, byte = row + len(part), byte + len(part.blob)
    return Ids(blob, offsets)


def pair_keys(topics: Sequence[str], of_row: Ints, docs: Ids, seed: int) -> Hashes:
    """A random number for each (topic, document) pair, from the seed, the two names and nothing else.

    *of_row* says which of the topics each document belongs to.
    """
    by_topic = Ids.of(topics).hashes()[of_row]
    return mixed(mixed(docs.hashes() ^ mixed(by_topic + GOLDEN)) + seeded(seed))


class PairIndex:
    """Finds (group, id) pairs, such as (topic, doc), in a column. Built once, used for every run."""

    def __init__(self, groups: Ints, ids: Ids) -> None:
        self._groups = groups
        self._ids = ids
        self._index = kernels.index_ids(groups, ids.blob, ids.offsets)

    def find(self, groups: Ints, ids: Ids) -> Ints:
        """The row of each pair in the indexed column, or -1."""
        own = self._ids
        return kernels.find_ids(self._index, self._groups, own.blob, own.offsets, groups, ids.blob, ids.offsets)

    def match(self, offsets: Ints, groups: Ints, scores: Floats, ids: Ids) -> tuple[Ints | None, Ints, bool]:
        """Rank ids, and find the pairs of these with the group of their ranking: :func:`kernels.match_rankings`."""
        own = self._ids
        return kernels.match_rankings(
            offsets, groups, scores, ids.blob, ids.offsets, self._index, self._groups, own.blob, own.offsets
        )

    def find_rest(self, rows: Ints, first: int, groups: Ints, ids: Ids) -> Ints:
        """The *rows* of pairs in another column; those that are not there (-1) are looked up here, from *first* on."""
        out = rows.copy()
        missing = np.flatnonzero(rows < 0)
        matches = self.find(groups[missing], ids.take(missing))
        out[missing] = np.where(matches >= 0, matches + first, -1)
        return out

    def first_rows(self) -> Ints:
        """Rows of the indexed column whose pair does not stand further up."""
        return np.flatnonzero(self.find(self._groups, self._ids) == np.arange(len(self._ids)))
