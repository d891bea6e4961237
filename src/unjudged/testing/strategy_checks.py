"""What holds for every strategy: what its order asks for, and what that may depend on."""

from __future__ import annotations

import numpy as np

from unjudged.api import read_qrels, read_run
from unjudged.arrays import Ints, SmallInts
from unjudged.data.joined import Joined, join_runs
from unjudged.strategies import Candidates, Order, Strategy, candidates_of, strategies
from unjudged.testing.collections import SEEDS, random_collection

__all__ = ["STRATEGY_CHECKS"]

_RUNS = 4
_DEPTH = 10
_BATCH = 17
_SEED = 42


def _require(holds: object, strategy: Strategy, message: str) -> None:
    if not holds:
        raise AssertionError(f"{strategy} {message}")


def _joined(seed: int, *, backwards: bool = False) -> Joined:
    """Runs of the topics that are judged, by name or the other way round."""
    tables = [random_collection(seed * 100 + run) for run in range(_RUNS)]
    qrels = read_qrels({topic: {doc: max(0, one) for doc, one in docs.items()} for topic, docs in tables[0][1].items()})
    named = [read_run(run).renamed(f"run{i}") for i, (run, _) in enumerate(tables)]
    return join_runs(qrels, reversed(named) if backwards else named)


def _grades(candidates: Candidates, pairs: Ints) -> SmallInts:
    """What an assessor says: anything that follows from the document."""
    return (candidates.docs.hashes()[pairs] % np.uint64(3)).astype(np.int32)


def _started(strategy: Strategy, candidates: Candidates, told: Ints) -> Order:
    order = strategy.start(candidates, seed=_SEED)
    order.tell(told, _grades(candidates, told))
    return order


def _asks_for_each_open_pair_once(strategy: Strategy) -> None:
    for seed in SEEDS:
        candidates = candidates_of(_joined(seed), depth=_DEPTH)
        order, asked = _started(strategy, candidates, np.flatnonzero(~candidates.askable)), 0
        answered = np.zeros(len(candidates), dtype=bool)
        while len(batch := order.ask(_BATCH)):
            _require(len(batch) <= _BATCH, strategy, "asks for more than it is asked for")
            _require(len(np.unique(batch.pairs)) == len(batch), strategy, "asks for a document twice in a batch")
            wanted = candidates.askable & ~answered
            _require(wanted[batch.pairs].all(), strategy, "asks for what is judged, or is not in the pool")
            _require(
                np.array_equal(order.ask(_BATCH).pairs, batch.pairs), strategy, "asks for something else next time"
            )
            order.tell(batch.pairs, _grades(candidates, batch.pairs))
            answered[batch.pairs] = True
            asked += len(batch)
        whole = int(candidates.askable.sum())
        _require(asked == whole or strategy.is_sample, strategy, f"asks for {asked} of {whole} documents of the pool")


def _follows_from_what_was_told(strategy: Strategy) -> None:
    for seed in SEEDS:
        candidates = candidates_of(_joined(seed), depth=_DEPTH)
        first = _started(strategy, candidates, np.flatnonzero(~candidates.askable))
        for _ in range(2):
            pairs = first.ask(_BATCH).pairs
            first.tell(pairs, _grades(candidates, pairs))
        told, wanted = np.flatnonzero(first.judged)[::-1], first.ask(_BATCH).pairs
        for backwards in (False, True):
            again = candidates_of(_joined(seed, backwards=backwards), depth=_DEPTH)
            other = _started(strategy, again, told)
            asked = other.ask(_BATCH).pairs
            words = "asks for something else when runs are given in another order, or judgments all at once"
            _require(np.array_equal(asked, wanted), strategy, words)


def _explains_itself(strategy: Strategy) -> None:
    cls = type(strategy)
    _require(strategies.parse(str(strategy)) == strategy, strategy, "does not read back as itself")
    for what, text in (("title", cls.title), ("priority", cls.priority), ("docstring", cls.__doc__ or "")):
        _require(text.strip(), strategy, f"has no {what}")


STRATEGY_CHECKS = (_explains_itself, _asks_for_each_open_pair_once, _follows_from_what_was_told)
