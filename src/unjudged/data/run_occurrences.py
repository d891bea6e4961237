"""Which runs return which documents, and at which ranks: occurrences of documents nobody judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Hashes, Ints, SmallInts
from unjudged.data.document_features import DocumentFeature
from unjudged.data.groups import Fingerprint
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.memo import Memo, remembered
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.kernels.splitmix import mixed

__all__ = ["Occurrences", "OccurrencesInRuns", "RunOccurrences", "Unlisted", "order_occurrences"]


@dataclass(frozen=True, eq=False)
class Unlisted:
    """(topic, document) pairs that the judgments do not list; a pair may occur several times, and the first counts."""

    topics: Ints
    docs: Ids

    @cached_property
    def index(self) -> PairIndex:
        """Finds (topic position, doc)."""
        return PairIndex(self.topics, self.docs)


@dataclass(frozen=True, eq=False)
class RunOccurrences:
    """Where one run has the pairs that matter, ranking by ranking, best first."""

    offsets: Ints
    """Topic ``t`` owns rows ``offsets[t]:offsets[t + 1]``."""
    pairs: SmallInts
    ranks: SmallInts
    lengths: Ints
    """How many documents the run has for each topic, whether or not they matter."""


class Occurrences(NamedTuple):
    """Which run has which pair at which rank, in columns: by pair, by group, and from the best rank on.

    There may be as many as all runs have documents, so numbers are small ones.
    """

    pairs: SmallInts
    groups: SmallInts
    ranks: SmallInts
    runs: SmallInts


@dataclass(frozen=True, eq=False)
class OccurrencesInRuns(Memo):
    """Where runs have documents. A pair is a row of the judgments or, after those, a row of :attr:`unlisted`.

    Runs and groups come in the order of what they return, not of their names or of how they were given, so that sums
    over them do not depend on either.
    """

    unlisted: Unlisted
    run_occurrences: tuple[RunOccurrences, ...]
    group_of_run: Ints
    keys: Hashes
    """A number for each group that follows from what its runs return: the same with another copy of one of them."""
    run_keys: Hashes
    """The same for each run."""
    depth: int | None
    """Ranks down to which runs are going to be scored; None for all. Unlisted documents further down are left out."""
    pool_depth: int | None = None
    """How many documents of each run went into the pool, where that is known."""
    groups_given: bool = False
    """Whether somebody said who made which run; else near copies are a group, and several groups may be one team."""
    names: tuple[str, ...] = ()
    """What the runs are called, for messages."""
    features: tuple[DocumentFeature, ...] = ()
    """What else may say which of the pairs are relevant."""

    def __repr__(self) -> str:
        return f"OccurrencesInRuns({len(self.run_occurrences):,} runs, {len(self.keys):,} groups)"

    def with_pool_depth(self, depth: int) -> OccurrencesInRuns:
        """The same about another pool."""
        return replace(self, pool_depth=depth).sharing(self)

    @property
    @remembered
    def columns(self) -> Occurrences:
        """The occurrences of all runs; of runs that have a pair at the same rank, the first comes first."""
        numbers = np.arange(len(self.run_occurrences), dtype=np.int32)
        runs = np.repeat(numbers, [len(one.pairs) for one in self.run_occurrences])
        pairs = np.concatenate([one.pairs for one in self.run_occurrences])
        ranks = np.concatenate([one.ranks for one in self.run_occurrences])
        groups = self.group_of_run.astype(np.int32)[runs]
        order = np.lexsort((runs, ranks, groups, pairs))
        return Occurrences(pairs[order], groups[order], ranks[order], runs[order])

    def find(self, qrels: Qrels, topics: Ints, docs: Ids) -> Ints:
        """The pair of each document, -1 where no run was going to be asked about it."""
        return self.unlisted.index.find_rest(qrels.pairs.find(topics, docs), len(qrels), topics, docs)

    def find_rows(self, qrels: Qrels, view: View, rows: Ints) -> Ints:
        """The same of some rows of a view, which may know already where they are in the judgments."""
        topics, docs = view.topics[view.ranking[rows]], view.doc_ids().take(rows)
        if view.cached_qrels_rows is None or view.qrels is not qrels:
            return self.find(qrels, topics, docs)
        return self.unlisted.index.find_rest(view.cached_qrels_rows[rows], len(qrels), topics, docs)

    def docs(self, qrels: Qrels, pairs: Ints) -> Ids:
        """Ids of the documents of some pairs, which must be in order."""
        listed = pairs[pairs < len(qrels)]
        unlisted = pairs[len(listed) :] - len(qrels)
        return concatenate_ids([qrels.docs.take(listed), self.unlisted.docs.take(unlisted)])


def order_occurrences(
    unlisted: Unlisted,
    run_occurrences: Sequence[RunOccurrences],
    prints: Sequence[Fingerprint],
    groups: Sequence[object],
    *,
    depth: int | None,
    pool_depth: int | None = None,
    names: Sequence[str] = (),
) -> OccurrencesInRuns:
    """Put the occurrences of all runs in an order that does not depend on names; *groups* has the group of each run."""
    digests: dict[object, set[bytes]] = {}
    for group, one in zip(groups, prints, strict=True):
        digests.setdefault(group, set()).add(one.digest)
    order = sorted(digests, key=lambda group: sorted(digests[group]))
    number = {group: place for place, group in enumerate(order)}
    runs = sorted(range(len(prints)), key=lambda r: (prints[r].digest, number[groups[r]]))
    return OccurrencesInRuns(
        unlisted,
        tuple(run_occurrences[r] for r in runs),
        np.array([number[groups[r]] for r in runs], dtype=np.int64),
        np.array([_key(digests[group]) for group in order], dtype=np.uint64),
        np.array([_key({prints[r].digest}) for r in runs], dtype=np.uint64),
        depth,
        pool_depth,
        names=tuple(names[r] for r in runs) if names else (),
    )


def _key(digests: set[bytes]) -> np.uint64:
    """A number for a set of runs; groups with the very same runs have the same."""
    numbers = np.array([int.from_bytes(digest[:8], "big") for digest in sorted(digests)], dtype=np.uint64)
    key: np.uint64 = mixed(mixed(numbers).sum(dtype=np.uint64, keepdims=True))[0]
    return key
