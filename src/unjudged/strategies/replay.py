"""Judging a collection again in the order of a strategy, with the judgments that there are as answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints, SmallInts
from unjudged.data.qrels import Qrels
from unjudged.strategies.base import Strategy
from unjudged.strategies.candidates import Candidates

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, eq=False)
class Replayed:
    """The rows of the judgments in the order in which a strategy has asked for them."""

    rows: Ints
    priorities: Floats
    strata: SmallInts | None = None
    """The stratum of every row of the judgments, asked for or not, where a sample is drawn from strata."""


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
    done = 0
    while done < most:
        asked = order.ask(min(batch, most - done))
        if not len(asked):
            break
        order.tell(asked.pairs, grades[asked.pairs])
        pairs.append(asked.pairs)
        priorities.append(asked.priorities)
        done += len(asked)
    none = np.zeros(0)
    rows = candidates.qrels_rows[np.concatenate([none.astype(np.int64), *pairs])]
    strata = None
    if order.strata is not None:
        strata = np.zeros(len(qrels), dtype=np.int32)
        strata[candidates.qrels_rows] = order.strata
    return Replayed(rows, np.concatenate([none, *priorities]), strata)
