"""The tables of the result, from arrays over runs and topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.groups import Groups
from unjudged.data.run import Run
from unjudged.engine.numerics.fusion import Fusion, fuse_first
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.prior_run_sets import PriorSets
from unjudged.engine.numerics.scoring import deepest_rank, score_run
from unjudged.engine.numerics.unique_contributions import judged_in_top, relevant_found, unique_to, unjudged_in_top
from unjudged.holes.nonrelevant_and_condensed import NonRelevant
from unjudged.measures.base import share
from unjudged.measures.relative import row_weights
from unjudged.results.relative import AddedDocument, AddedGroup, AddedPair, AddedRun, AddedTopic, Chosen, FusedRuns
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.studies.relative.parameters import Question
from unjudged.studies.relative.read_runs import ReadRuns

__all__ = [
    "Beside",
    "Estimates",
    "choice_rows",
    "document_rows",
    "fused_rows",
    "group_rows",
    "pair_rows",
    "score_rows",
]


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
    question: Question, read: ReadRuns, sets: PriorSets, estimates: Estimates, beside: Beside
) -> tuple[tuple[AddedRun, ...], tuple[AddedTopic, ...]]:
    """Means and single topics of all runs, best first."""
    rows, topics = [], []
    for run in read.best_first:
        name, one = read.names[run], read.runs[run]
        for h, model in enumerate(question.holes):
            rows.append(
                AddedRun(
                    run=name,
                    group=question.groups.group(name),
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
                    type=question.types.group(name),
                )
            )
            topics += [
                AddedTopic(
                    run=name,
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
                for t, topic in enumerate(read.qrels.topics)
            ]
    return tuple(rows), tuple(topics)


def document_rows(
    question: Question, read: ReadRuns, readings: Readings, sets: PriorSets, run: int
) -> list[AddedDocument]:
    """The documents behind a run's scores: those that bring gain and, where they are known, those nobody judged."""
    nrg, qrels, prior_runs = question.nrg, read.qrels, sets.sets[run]
    view, numbers = readings.read(run)
    left = readings.left(prior_runs)
    model = nrg.model(qrels, view.deepest)
    gains = np.where(view.judged, model.gains[view.levels], model.gains.max())
    rows = np.flatnonzero(gains != 0)
    numbers, gains = numbers[rows], gains[rows] * left[numbers[rows]]
    # A label for a document that nobody judged would also add to what there is to find.
    new = np.where(view.judged[rows], 0.0, gains)
    divisor = nrg.divisors_with(qrels, left[: len(qrels)], view.topics[view.ranking[rows]], new[:, None])
    added = share(row_weights(model, view, rows) * gains, divisor)
    had = readings.found_by(prior_runs, question.counting.depth)[numbers]
    return [
        AddedDocument(
            run=read.names[run],
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


def pair_rows(readings: Readings, read: ReadRuns) -> tuple[AddedPair, ...]:
    """What each scored run adds to each other run."""
    added, names = readings.pairwise(), read.names
    others = [*read.best_first, *range(read.scored, len(names))]
    return tuple(
        AddedPair(names[run], names[prior_run], float(added[run, prior_run]))
        for run in read.best_first
        for prior_run in others
        if run != prior_run
    )


def group_rows(
    question: Question, read: ReadRuns, readings: Readings, rows: Sequence[AddedRun]
) -> Iterator[AddedGroup]:
    """What only the runs of each group and type found, and what they add on average; that with the best run first."""
    names, means = read.names, read.means
    best_first = np.argsort(-np.asarray(means), kind="stable").tolist()
    added = {row.run: row.nrg for row in reversed(rows)}  # under the first hole model
    groupings: dict[Literal["group", "type"], Groups] = {"group": question.groups, "type": question.types}
    for grouping, groups in groupings.items():
        for group, places in groups.members([names[run] for run in best_first]).items():
            mine = [best_first[place] for place in places]
            yield AddedGroup(
                group=group,
                runs=len(mine),
                best=names[mine[0]],
                unique=unique_to(readings, mine, question.counting),
                absolute=float(np.mean([means[run] for run in mine])),
                nrg=number_or_none(float(mean_known(np.array([added.get(names[run], np.nan) for run in mine])))),
                grouping=grouping,
            )


# ---- which runs to take for a pool or an ensemble, and what the ensemble scores


def choice_rows(question: Question, read: ReadRuns, readings: Readings) -> tuple[Chosen, ...]:
    """Runs chosen greedily, beside those that are only prior runs."""
    choosing, counting, names = question.choosing, question.counting, read.names
    if choosing.number is None:
        return ()
    taken, rows = list(range(read.scored, len(names))), []
    judged = [judged_in_top(readings, run, counting) for run in range(len(names))]
    per_judgment = choosing.by == "gain-per-judgment"
    chosen = readings.greedy(tuple(taken), choosing.number, judged, per_judgment=per_judgment)
    seen = {pair for run in taken for pair in unjudged_in_top(readings, run, counting).tolist()}
    for step, (run, nrg, judgments) in enumerate(chosen, start=1):
        taken.append(run)
        holes = set(unjudged_in_top(readings, run, counting).tolist()) - seen
        seen |= holes
        rows.append(Chosen(step, names[run], nrg, relevant_found(readings, taken, counting), judgments, len(holes)))
    return tuple(rows)


def fused_rows(question: Question, read: ReadRuns, choice: Sequence[Chosen], fusion: Fusion) -> Iterator[FusedRuns]:
    """What prior and the first chosen runs score together, and what the best run scores alone."""
    only_prior_runs = range(read.scored, len(read.names))
    runs = [read.sources[run].read() for run in (*only_prior_runs, *(read.names.index(row.run) for row in choice))]
    best = int(np.argmax(read.means))
    alone = _mean_scores(question, read, read.sources[best].read())
    numbers = [len(only_prior_runs) + row.step for row in choice]
    for row, number, fused in zip(choice, numbers, fuse_first(runs, fusion, numbers), strict=True):
        for holes, together in _mean_scores(question, read, fused).items():
            yield FusedRuns(number, row.run, holes, *together, read.names[best], *alone[holes])


_MeanScore = tuple[float, float | None, float | None, float | None]
"""The mean score of a run, between which bounds it lies, and how much of it is judged."""


def _mean_scores(question: Question, read: ReadRuns, run: Run) -> dict[str, _MeanScore]:
    """By each hole model that has something to say about the absolute measure; topics without a score count 0."""
    measure, settings = question.absolute, question.settings
    suited = [both for both in zip(question.holes, read.beliefs, strict=True) if both[0].suits(measure)]
    models, beliefs = zip(*(suited or [(NonRelevant(), NonRelevant())]), strict=True)
    scores = score_run(run, read.qrels, [measure], beliefs, settings, depth=deepest_rank([measure], models))
    judged = number_or_none(float(mean_known(scores.judged[0])))
    out = {}
    for h, model in enumerate(models):
        undefined = np.isnan(scores.values[h, 0])
        value, low, high = (
            np.where(undefined, 0.0, part[h, 0]).mean() for part in (scores.values, scores.low, scores.high)
        )
        if (h, 0) in scores.drawn:
            means = scores.drawn[h, 0].all[0] / len(undefined)
            low, high = model.interval(means[None], None, settings)[0]
        out[str(model)] = float(value), number_or_none(low), number_or_none(high), judged
    return out
