"""Judging a collection again in the order of a strategy, with the judgments that there are as answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.strategies.base import Strategy
from unjudged.strategies.candidates import Candidates

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, eq=False)
class Replayed:
    """The rows of the judgments in the order in which a strategy has asked for them."""

    rows: Ints
    priorities: Floats
    inclusion: Floats | None = None


def replay(
    strategy: Strategy, candidates: Candidates, qrels: Qrels, *, seed: int, batch: int = 1, most: int | None = None
) -> Replayed:
    """Follow a strategy, *batch* judgments at a time, until all is judged, or *most*.

    Only what is judged can be asked for: other documents are passed over, as if they were not in the pool.
    """
    judged = np.zeros(len(candidates), dtype=bool)
    judged[candidates.judgments(qrels)[0]] = True
    candidates = candidates.only(judged & candidates.askable)
    grades = qrels.grades[candidates.qrels_rows]
    order = strategy.start(candidates, seed=seed)
    most = len(candidates) if most is None else min(most, len(candidates))
    pairs: list[Ints] = []
    priorities: list[Floats] = []
    inclusion: list[Floats] = []
    done = 0
    while done < most:
        asked = order.ask(min(batch, most - done))
        if not len(asked):
            break
        order.tell(asked.pairs, grades[asked.pairs])
        pairs.append(asked.pairs)
        priorities.append(asked.priorities)
        if asked.inclusion is not None:
            inclusion.append(asked.inclusion)
        done += len(asked)
    none = np.zeros(0)
    rows = candidates.qrels_rows[np.concatenate([none.astype(np.int64), *pairs])]
    return Replayed(rows, np.concatenate([none, *priorities]), np.concatenate(inclusion) if inclusion else None)
