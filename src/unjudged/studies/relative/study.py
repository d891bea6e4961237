"""What does a run add to others?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.run_info import topic_notices
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.prior_run_sets import PriorSets
from unjudged.engine.numerics.unique_documents import (
    Counting,
    Rareness,
    TascPriors,
    document_rarity,
    rare_precision,
    tasc,
    unique,
)
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import HoleModel, PreparedHoleModel, Settings, files_of
from unjudged.holes.bounds import Joint
from unjudged.holes.fixed import NonRelevant
from unjudged.io.reading import RunSource
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.relative import NRG
from unjudged.measures.requested import check_needs
from unjudged.results.relative import Relative
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.relative.prior_runs import (
    PriorRuns,
    RelativeRun,
    position,
    prior_sets,
    prior_sources,
    reader,
    scored_first,
)
from unjudged.studies.relative.tables import (
    Beside,
    Estimates,
    choice_rows,
    document_rows,
    group_rows,
    pair_rows,
    score_rows,
)
from unjudged.wording import counted

__all__ = ["relative"]


def relative(
    collection: BaseCollection,
    measure: Measure,
    *,
    prior: Sequence[RunSource | str] = (),
    order: Mapping[str, int] | None = None,
    order_source: str | None = None,
    absolute: Measure | None = None,
    holes: Sequence[HoleModel] = (),
    rel: int | None = None,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    tasc_priors: TascPriors = "priors",
    explain: Sequence[str] = (),
    choose: int | None = None,
    interval: tuple[float, float] = Settings.quantiles,
) -> Relative:
    """What each run adds to its prior set, with *measure* (the base of NRG, or NRG itself).

    Whom a run is compared with follows from *prior*, the collection's groups or the *order* (see :class:`Whom`).
    *absolute* is the score beside it, by which a run is also the best of its group; the base unless given. Without
    *holes*, bounds over all labels are given where the base has a cut-off. Unique and rare documents are looked for
    within the pool depth, which is the base's cut-off, or 10, where it is not known; *rel* is the lowest grade that
    counts for the measure, unless given.
    """
    groups = collection.groups
    prior_runs = PriorRuns(
        prior, groups.of_run, order, (order_source or "") if groups.of_run is None else groups.source
    )
    settings = Settings(collection.seed, interval)
    nrg = NRG.over(measure)
    absolute = absolute or nrg.base
    depth = (nrg.depth() or 10) if collection.pool_depth is None else collection.pool_depth
    counting = Counting(depth, _rel(nrg) if rel is None else rel, alpha, rareness, tasc_priors)
    holes = holes or [Joint(max_grade=None) if nrg.depth() is not None else NonRelevant()]
    _check(absolute, prior_runs, counting, choose)
    only_priors = collection.sources(prior_sources(collection.runs, prior))
    labels = files_of(holes)
    provenance = collection.provenance(runs=only_priors, labels=labels, order=order_source)
    check_needs(collection.qrels, [absolute])
    # The pool depth is for counts; it makes no pool here.
    every = collection.replaced(runs=[*collection.runs, *only_priors], pool_depth=None)
    prepared = prepare(every, [nrg], holes, evidence=any(model.learns_from_runs for model in holes))
    qrels = prepared.collection.qrels
    beliefs = [model.learn(qrels, prepared.collection.occurrences) for model in holes]
    with_holes = any(not (model.looks_below or model.takes_as_nonrelevant) for model in holes)

    keep = reader(qrels, nrg, absolute, counting, holes, with_holes)
    infos, relative_runs = prepared.collection.each_run(keep, "reading runs")
    infos, relative_runs, scored = scored_first(infos, relative_runs, len(collection.runs), prior)
    names = [info.name for info in infos]
    relative_runs, undefined = _defined(relative_runs, absolute)
    explained = [position(names[:scored], name) for name in explain]
    means = [float(np.mean(one.absolute)) for one in relative_runs]
    sets = prior_sets(names, scored, means, prior_runs, str(absolute))

    readings = Readings(nrg, qrels, [one.view for one in relative_runs], holes=with_holes)
    condensed = [one.condensed for one in relative_runs if one.condensed is not None]
    moved = Readings(nrg, qrels, condensed, holes=False) if condensed else readings
    estimates = _estimates(nrg, holes, beliefs, readings, moved, sets.sets, settings)
    beside = _beside(readings, relative_runs, names, sets, counting, prior_runs, means)
    best_first = np.argsort(-np.array(means[:scored]), kind="stable").tolist()
    rows, topics = score_rows(
        qrels, names, relative_runs, sets, holes, estimates, beside, best_first, prior_runs.groups
    )
    notices = [*prepared.notices, *topic_notices(infos), *sets.notices]
    notices += [notice for belief in beliefs for notice in belief.notices]
    notices += [*undefined, *_lone_runs(prior_runs, names, counting), *_unknown(nrg, holes, estimates)]
    return Relative(
        measure=str(nrg),
        absolute=str(absolute),
        priors=sets.words,
        depth=nrg.depth(),
        prior_depth=nrg.prior_depth(),
        pool_depth=counting.depth,
        rel=counting.rel,
        settings={"alpha": counting.alpha, "rareness": counting.rareness, "tasc": counting.tasc},
        topics_count=len(qrels.topics),
        run_rows=rows,
        topic_rows=topics,
        document_rows=tuple(row for run in explained for row in document_rows(readings, run, sets, names, counting)),
        pair_rows=pair_rows(readings, names, best_first, scored),
        choice_rows=choice_rows(readings, names, scored, choose, counting),
        group_rows=() if prior_runs.groups is None else group_rows(readings, names, means, prior_runs.groups, counting),
        warnings=tuple(notices),
        provenance=provenance,
    )


def _check(absolute: Measure, prior_runs: PriorRuns, counting: Counting, choose: int | None) -> None:
    if absolute.summary != "mean":
        raise InputError(f"{absolute} is not a mean over topics; use a measure that is, such as nDCG@10")
    if sum([bool(prior_runs.prior), prior_runs.groups is not None, prior_runs.order is not None]) > 1:
        raise InputError("give prior runs, groups or an order, not several of them")
    if counting.tasc == "group" and prior_runs.groups is None:
        raise InputError("TaSC against the run's own group needs groups")
    if choose is not None:
        Whole(1).checked("choose", choose)


def _defined(relative_runs: Sequence[RelativeRun], absolute: Measure) -> tuple[list[RelativeRun], list[Notice]]:
    """The runs with 0 where the absolute score is undefined, and how often that is."""
    count = sum(int(np.isnan(one.absolute).sum()) for one in relative_runs)
    text = f"{absolute} is undefined for {counted(count, '(run, topic) pair')}; counted as 0"
    notices = [Notice("undefined", count, text)] if count else []
    return [replace(one, absolute=np.nan_to_num(one.absolute)) for one in relative_runs], notices


def _rel(nrg: NRG) -> int:
    """The lowest grade that counts for the measure."""
    return nrg.rel if nrg.gain == "binary" else nrg.base.rel or 1


def _estimates(
    nrg: NRG,
    holes: Sequence[HoleModel],
    beliefs: Sequence[PreparedHoleModel],
    readings: Readings,
    moved: Readings,
    sets: Sequence[tuple[int, ...]],
    settings: Settings,
) -> Estimates:
    shape = (len(holes), len(sets), len(readings.qrels.topics))
    unknown = np.full(shape, np.nan)
    out = Estimates(unknown.copy(), unknown.copy(), unknown, np.full(shape[:2], np.nan), np.full(shape[:2], np.nan))
    for h, model in enumerate(holes):
        place = moved if model.looks_below else readings
        belief: PreparedHoleModel = NonRelevant() if model.looks_below else beliefs[h]
        # Runs with the same prior set, such as those of a group, share what it leaves.
        for priors in dict.fromkeys(sets):
            left = place.left(priors)
            for run in [run for run, mine in enumerate(sets) if mine == priors]:
                estimate = belief.estimate(nrg, place.after(run, left), settings)
                out.value[h, run] = estimate.value
                if estimate.low is not None and estimate.high is not None:
                    out.low[h, run], out.high[h, run] = estimate.low, estimate.high
                    out.mean_low[h, run], out.mean_high[h, run] = estimate.low.mean(), estimate.high.mean()
                if estimate.draws is not None:
                    ends = model.interval(estimate.draws.mean(axis=0)[None], None, settings)[0]
                    out.mean_low[h, run], out.mean_high[h, run] = ends
    return out


def _beside(
    readings: Readings,
    relative_runs: Sequence[RelativeRun],
    names: Sequence[str],
    sets: PriorSets,
    counting: Counting,
    prior_runs: PriorRuns,
    means: Sequence[float],
) -> Beside:
    absolute = np.stack([one.absolute for one in relative_runs])
    rarity = document_rarity(readings, counting, [one.docs for one in relative_runs if one.docs is not None])
    counts, rare, tascs = [], [], []
    for run, priors in enumerate(sets.sets):
        counts.append(unique(readings, run, readings.found_by(priors, counting.depth), counting))
        rare.append(rare_precision(readings, run, rarity, counting))
        against = priors
        if counting.tasc == "group" and prior_runs.groups is not None:
            mine = [i for i, name in enumerate(names) if prior_runs.groups[name] == prior_runs.groups[names[run]]]
            against = tuple(i for i in [max(mine, key=lambda i: means[i])] if i != run)
        tascs.append(tasc(absolute, run, against))
    return Beside(np.stack(counts), np.stack(rare), np.stack(tascs))


def _lone_runs(prior_runs: PriorRuns, names: Sequence[str], counting: Counting) -> list[Notice]:
    """Groups of one run, where TaSC looks at the own group."""
    if counting.tasc != "group" or prior_runs.groups is None:
        return []
    sizes = Counter(prior_runs.groups[name] for name in names)
    alone = [group for group, size in sizes.items() if size == 1]
    shown = some_of(alone, 3)
    groups = counted(len(alone), "group has", "groups have")
    text = f"{groups} one run only ({shown}): TaSC against the own group is the run's score there"
    return [Notice("one-run-groups", len(alone), text)] if alone else []


def _unknown(nrg: NRG, holes: Sequence[HoleModel], estimates: Estimates) -> list[Notice]:
    """Where a hole model gives bounds for some rankings and not for others."""
    notices = []
    for h, model in enumerate(holes):
        unknown = np.isnan(estimates.low[h])
        if unknown.any() and not unknown.all():
            count = int(unknown.sum())
            pairs = counted(count, "(run, topic) pair")
            text = f"{model} of {nrg} is unknown for {pairs}: too many ways to grade holes"
            notices.append(Notice("unknown-bounds", count, text))
    return notices
