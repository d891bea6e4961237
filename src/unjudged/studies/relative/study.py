"""What does a run add to others?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unjudged.data.provenance import Provenance
from unjudged.data.qrels import Qrels
from unjudged.data.relative import Relative
from unjudged.data.run import ScoreType
from unjudged.data.texts import Texts
from unjudged.engine.coverage import topic_notices
from unjudged.engine.hearing import Groups
from unjudged.engine.novelty import Counting, Rareness, TascPriors, document_rarity, rare_precision, tasc, unique
from unjudged.engine.priors import PriorSets
from unjudged.engine.residual import Readings
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import Belief, HoleModel, Settings
from unjudged.holes.bounds import Joint
from unjudged.holes.fixed import NonRelevant
from unjudged.io.names import unique_names
from unjudged.io.reading import RunSource
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.needs import check_needs
from unjudged.measures.relative import NRG
from unjudged.progress import Progress, watched
from unjudged.studies.gathering import gather
from unjudged.studies.relative.runs import (
    Sight,
    Whom,
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
from unjudged.threads import in_order, worker_count
from unjudged.wording import counted

if TYPE_CHECKING:
    from unjudged.io.texts import TextSource

__all__ = ["relative"]


def relative(
    qrels: Qrels,
    runs: Sequence[RunSource],
    measure: Measure,
    *,
    whom: Whom | None = None,
    absolute: Measure | None = None,
    holes: Sequence[HoleModel] = (),
    pool_depth: int | None = None,
    rel: int | None = None,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    tasc_priors: TascPriors = "priors",
    explain: Sequence[str] = (),
    choose: int | None = None,
    texts: TextSource | Texts | None = None,
    settings: Settings | None = None,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Relative:
    """What each run adds to its prior set, with *measure* (the base of NRG, or NRG itself).

    *absolute* is the score beside it, by which a run is also the best of its group; the base unless given. Without
    *holes*, bounds over all labels are given where the base has a cut-off. The *pool_depth* is the base's cut-off, or
    10, and *rel* the lowest grade that counts for the measure, unless given. *texts* are for hole models that look at
    what documents say.
    """
    whom, settings = whom or Whom(), settings or Settings()
    nrg = NRG.over(measure)
    absolute = absolute or nrg.base
    depth = (nrg.depth() or 10) if pool_depth is None else pool_depth
    counting = Counting(depth, _rel(nrg) if rel is None else rel, alpha, rareness, tasc_priors)
    holes = holes or [Joint(max_grade=None) if nrg.depth() is not None else NonRelevant()]
    _check(absolute, whom, counting, choose)
    check_needs(qrels, [absolute])
    sources: Sequence[RunSource] = [*runs, *prior_sources(runs, whom.prior)]
    witnesses = Groups(whom.groups, whom.source) if any(model.asks_runs for model in holes) else None
    known = gather(qrels, sources, [nrg], holes, texts=texts, witnesses=witnesses, score_type=score_type, jobs=jobs)
    qrels, sources = known.qrels, known.runs
    beliefs = [model.prepare(qrels) for model in holes]
    with_holes = any(not (model.looks_below or isinstance(model, NonRelevant)) for model in holes)

    read = reader(qrels, nrg, absolute, counting, holes, with_holes, score_type)
    stream: Iterable[Sight] = in_order(read, sources, worker_count(jobs, len(sources)))
    found = list(watched(progress, stream, len(sources), "reading runs"))
    names = unique_names([(one.name, one.source) for one in found])
    found, names, scored = scored_first(found, names, len(runs), whom.prior)
    found, undefined = _defined(found, absolute)
    explained = [position(names[:scored], name) for name in explain]
    means = [float(np.mean(one.absolute)) for one in found]
    sets = prior_sets(names, scored, means, whom, str(absolute))

    readings = Readings(nrg, qrels, [one.view for one in found], holes=with_holes)
    condensed = [one.condensed for one in found if one.condensed is not None]
    moved = Readings(nrg, qrels, condensed, holes=False) if condensed else readings
    estimates = _estimates(nrg, holes, beliefs, readings, moved, sets.sets, settings)
    beside = _beside(readings, found, names, sets, counting, whom, means)
    order = np.argsort(-np.array(means[:scored]), kind="stable").tolist()
    rows, topics = score_rows(qrels, names, found, sets, holes, estimates, beside, order, whom.groups)
    notices = [*known.notices, *topic_notices(zip(names, found, strict=True), len(qrels.topics)), *sets.notices]
    notices += [notice for belief in beliefs for notice in belief.notices]
    notices += [*undefined, *_lone_runs(whom, names, counting), *_unknown(nrg, holes, estimates)]
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
        pair_rows=pair_rows(readings, names, order, scored),
        choice_rows=choice_rows(readings, names, scored, choose, counting),
        group_rows=() if whom.groups is None else group_rows(readings, names, means, whom.groups, counting),
        warnings=tuple(notices),
        provenance=provenance or Provenance(seed=settings.seed),
    )


def _check(absolute: Measure, whom: Whom, counting: Counting, choose: int | None) -> None:
    if absolute.summary != "mean":
        raise InputError(f"{absolute} is not a mean over topics; use a measure that is, such as nDCG@10")
    if sum([bool(whom.prior), whom.groups is not None, whom.order is not None]) > 1:
        raise InputError("give prior runs, groups or an order, not several of them")
    if counting.tasc == "group" and whom.groups is None:
        raise InputError("TaSC against the run's own group needs groups")
    if choose is not None:
        Whole(1).checked("choose", choose)


def _defined(found: Sequence[Sight], absolute: Measure) -> tuple[list[Sight], list[Notice]]:
    """The runs with 0 where the absolute score is undefined, and how often that is."""
    count = sum(int(np.isnan(one.absolute).sum()) for one in found)
    text = f"{absolute} is undefined for {counted(count, '(run, topic) pair')}; counted as 0"
    notices = [Notice("undefined", count, text)] if count else []
    return [replace(one, absolute=np.nan_to_num(one.absolute)) for one in found], notices


def _rel(nrg: NRG) -> int:
    """The lowest grade that counts for the measure."""
    return nrg.rel if nrg.gain == "binary" else getattr(nrg.base, "rel", None) or 1


def _estimates(
    nrg: NRG,
    holes: Sequence[HoleModel],
    beliefs: Sequence[Belief],
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
        belief: Belief = NonRelevant() if model.looks_below else beliefs[h]
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
    found: Sequence[Sight],
    names: Sequence[str],
    sets: PriorSets,
    counting: Counting,
    whom: Whom,
    means: Sequence[float],
) -> Beside:
    absolute = np.stack([one.absolute for one in found])
    rarity = document_rarity(readings, counting, [one.docs for one in found if one.docs is not None])
    counts, rare, tascs = [], [], []
    for run, priors in enumerate(sets.sets):
        counts.append(unique(readings, run, readings.found_by(priors, counting.depth), counting))
        rare.append(rare_precision(readings, run, rarity, counting))
        against = priors
        if counting.tasc == "group" and whom.groups is not None:
            mine = [i for i, name in enumerate(names) if whom.groups[name] == whom.groups[names[run]]]
            against = tuple(i for i in [max(mine, key=lambda i: means[i])] if i != run)
        tascs.append(tasc(absolute, run, against))
    return Beside(np.stack(counts), np.stack(rare), np.stack(tascs))


def _lone_runs(whom: Whom, names: Sequence[str], counting: Counting) -> list[Notice]:
    """Groups of one run, where TaSC looks at the own group."""
    if counting.tasc != "group" or whom.groups is None:
        return []
    sizes = Counter(whom.groups[name] for name in names)
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
