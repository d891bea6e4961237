"""The tables of the result, from arrays over runs and topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.prior_run_sets import PriorSets
from unjudged.engine.numerics.unique_documents import Counting, unique_to
from unjudged.holes.base import HoleModel
from unjudged.measures.base import share
from unjudged.measures.relative import row_weights
from unjudged.results.relative import AddedDocument, AddedGroup, AddedPair, AddedRun, AddedTopic
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.studies.relative.prior_runs import RelativeRun

__all__ = ["Beside", "Estimates", "document_rows", "group_rows", "pair_rows", "score_rows"]


@dataclass(frozen=True, eq=False)
class Estimates:
    """NRG under each hole model: (holes, runs, topics), and means (holes, runs)."""

    value: Floats
    low: Floats
    high: Floats
    mean_low: Floats
    mean_high: Floats


@dataclass(frozen=True, eq=False)
class Beside:
    """Unique documents, rareness-based precision and TaSC: (runs, topics)."""

    unique: Ints
    rareness: Floats
    tasc: Floats


def score_rows(
    qrels: Qrels,
    names: Sequence[str],
    relative_runs: Sequence[RelativeRun],
    sets: PriorSets,
    holes: Sequence[HoleModel],
    estimates: Estimates,
    beside: Beside,
    order: Sequence[int],
    groups: Mapping[str, str] | None,
    types: Mapping[str, str] | None,
) -> tuple[tuple[AddedRun, ...], tuple[AddedTopic, ...]]:
    """Means and single topics of all runs, in *order*."""
    rows, topics = [], []
    for run in order:
        one = relative_runs[run]
        for h, model in enumerate(holes):
            rows.append(
                AddedRun(
                    run=names[run],
                    group=None if groups is None else groups[names[run]],
                    priors=len(sets.sets[run]),
                    holes=str(model),
                    absolute=float(one.absolute.mean()),
                    nrg=float(estimates.value[h, run].mean()),
                    low=number_or_none(estimates.mean_low[h, run]),
                    high=number_or_none(estimates.mean_high[h, run]),
                    judged=number_or_none(float(mean_known(one.judged))),
                    unique=float(beside.unique[run].mean()),
                    rareness=float(beside.rareness[run].mean()),
                    tasc=float(beside.tasc[run].mean()),
                    type=None if types is None else types[names[run]],
                )
            )
            topics += [
                AddedTopic(
                    run=names[run],
                    topic=topic,
                    holes=str(model),
                    absolute=float(one.absolute[t]),
                    nrg=float(estimates.value[h, run, t]),
                    low=number_or_none(estimates.low[h, run, t]),
                    high=number_or_none(estimates.high[h, run, t]),
                    judged=number_or_none(one.judged[t]),
                    unique=int(beside.unique[run, t]),
                    rareness=float(beside.rareness[run, t]),
                    tasc=float(beside.tasc[run, t]),
                )
                for t, topic in enumerate(qrels.topics)
            ]
    return tuple(rows), tuple(topics)


def document_rows(
    readings: Readings, run: int, sets: PriorSets, names: Sequence[str], counting: Counting
) -> list[AddedDocument]:
    """The documents behind a run's scores: those that bring gain and, where they are known, those nobody judged."""
    nrg, qrels, priors = readings.measure, readings.qrels, sets.sets[run]
    view, numbers = readings.read(run)
    left = readings.left(priors)
    model = nrg.model(qrels, view.deepest)
    gains = np.where(view.judged, model.gains[view.levels], model.gains.max())
    rows = np.flatnonzero(gains != 0)
    numbers, gains = numbers[rows], gains[rows] * left[numbers[rows]]
    # A label for a document that nobody judged would also add to what there is to find.
    new = np.where(view.judged[rows], 0.0, gains)
    divisor = nrg.divisors_with(qrels, left[: len(qrels)], view.topics[view.ranking[rows]], new[:, None])
    added = share(row_weights(model, view, rows) * gains, divisor)
    had = readings.found_by(priors, counting.depth)[numbers]
    return [
        AddedDocument(
            run=names[run],
            topic=qrels.topics[view.topics[view.ranking[row]]],
            doc=doc,
            rank=int(view.rank[row]),
            grade=int(view.grades[row]) if view.judged[row] else None,
            left=float(left[numbers[i]]),
            found_by=int(had[i]),
            added=float(added[i]),
        )
        for i, (row, doc) in enumerate(zip(rows.tolist(), view.doc_ids().take(rows), strict=True))
    ]


def pair_rows(readings: Readings, names: Sequence[str], order: Sequence[int], scored: int) -> tuple[AddedPair, ...]:
    """What each scored run adds to each other run."""
    added = readings.pairwise()
    others = [*order, *range(scored, len(names))]
    return tuple(
        AddedPair(names[run], names[prior], float(added[run, prior]))
        for run in order
        for prior in others
        if run != prior
    )


def group_rows(
    readings: Readings,
    rows: Sequence[AddedRun],
    names: Sequence[str],
    means: Sequence[float],
    groups: Mapping[str, str] | None,
    counting: Counting,
    grouping: Literal["group", "type"],
) -> Iterator[AddedGroup]:
    """What only the runs of each group found, and what they add on average; groups with the best run come first."""
    if groups is None:
        return
    runs: dict[str, list[int]] = {}
    for run in np.argsort(-np.asarray(means), kind="stable").tolist():
        runs.setdefault(groups[names[run]], []).append(run)
    added = {row.run: row.nrg for row in reversed(rows)}  # under the first hole model
    for group, mine in runs.items():
        yield AddedGroup(
            group=group,
            runs=len(mine),
            best=names[mine[0]],
            unique=unique_to(readings, mine, counting),
            absolute=float(np.mean([means[run] for run in mine])),
            nrg=number_or_none(float(mean_known(np.array([added.get(names[run], np.nan) for run in mine])))),
            grouping=grouping,
        )
