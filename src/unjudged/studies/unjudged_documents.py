"""Which unjudged documents weigh most in what runs are scored by, whatever their grades are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import View, join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.results.scores import UnjudgedRow

__all__ = ["unjudged_documents"]


def unjudged_documents(collection: BaseCollection, measures: Sequence[Measure], number: int) -> list[UnjudgedRow]:
    """The *number* unjudged documents that weigh most, for each measure that looks at unjudged ones.

    A document's weight is the part of what the measure looks at that it is, on average over runs and topics. Ranks
    count by how likely somebody looks there, and by 1 / rank where the measure is no model of that (AP). So the weights
    of all unjudged documents come to the share that is unjudged, by weight; for P@k to 1 less Judged@k.
    """
    number = Whole(1).checked("--unjudged", number)
    asked = [measure for measure in measures if measure.has_holes]
    infos, held = collection.each_run(
        lambda run: [_held(measure, run, collection.qrels) for measure in asked], "reading runs"
    )
    names = [info.name for info in infos]
    return [
        row
        for measure, of_runs in zip(asked, zip(*held, strict=True), strict=True)
        for row in _heaviest(measure, of_runs, names, collection.qrels.topics, number)
    ]


class _Held(NamedTuple):
    """The unjudged documents of one run that a measure looks at."""

    topics: Ints
    docs: Ids
    ranks: Ints
    weights: Floats


def _held(measure: Measure, run: Run, qrels: Qrels) -> _Held:
    view = measure.seen(join(run, qrels, depth=deepest_rank([measure])))
    weights = _weights_of_ranks(measure, view)[view.rank - 1]
    whole = view.total(np.arange(len(weights)), weights)
    rows = np.flatnonzero(~view.judged)
    rankings = view.ranking[rows]
    shares = weights[rows] / whole[rankings] / len(qrels.topics)
    return _Held(view.topics[rankings], view.doc_ids(rows), view.rank[rows], shares)


def _weights_of_ranks(measure: Measure, view: View) -> Floats:
    form = measure.browsing(view.qrels, view.deepest)
    return 1.0 / np.arange(1, view.deepest + 1) if form is None else form.seen


def _heaviest(
    measure: Measure, held: Sequence[_Held], names: Sequence[str], topics: Sequence[str], number: int
) -> list[UnjudgedRow]:
    topic = np.concatenate([one.topics for one in held])
    docs = concatenate_ids([one.docs for one in held])
    rank = np.concatenate([one.ranks for one in held])
    run = np.repeat(np.arange(len(held)), [len(one.ranks) for one in held])
    first = PairIndex(topic, docs).find(topic, docs)
    weights = np.bincount(
        first, weights=np.concatenate([one.weights for one in held]) / len(held), minlength=len(topic)
    )
    best = np.full(len(topic), np.iinfo(np.int64).max)
    np.minimum.at(best, first, rank)
    order = np.lexsort((np.arange(len(topic)), best, -np.round(weights, 12)))[:number]
    order = order[weights[order] > 0]
    left = weights.sum() - np.cumsum(weights[order])
    out = []
    for place, (row, rest) in enumerate(zip(order.tolist(), np.maximum(left, 0.0).tolist(), strict=True), start=1):
        own = np.flatnonzero(first == row)
        ranks = tuple(sorted(((names[run[i]], int(rank[i])) for i in own.tolist()), key=lambda one: one[1]))
        out.append(
            UnjudgedRow(
                str(measure), place, topics[int(topic[row])], docs[row], float(weights[row]), rest, len(ranks), ranks
            )
        )
    return out
