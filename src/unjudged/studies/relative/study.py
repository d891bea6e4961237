"""What does a run add to others?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.groups import Groups, of_each_run
from unjudged.data.run_info import topic_notices
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.prior_run_sets import OtherGroups, PriorSets
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
from unjudged.limits import Choice
from unjudged.measures.base import Measure
from unjudged.measures.relative import NRG
from unjudged.measures.requested import check_needs
from unjudged.results.provenance import Provenance
from unjudged.results.relative import Chosen, FusedRuns, Relative
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.relative.choosing import Choosing, FusedScoring, choice_rows, fused_rows
from unjudged.studies.relative.prior_runs import (
    PriorRuns,
    ReadRuns,
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
    document_rows,
    group_rows,
    pair_rows,
    score_rows,
)
from unjudged.wording import counted

__all__ = ["relative"]


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked, with what follows from the measure where the user says nothing."""

    nrg: NRG
    absolute: Measure
    holes: Sequence[HoleModel]
    prior_runs: PriorRuns
    counting: Counting
    choosing: Choosing
    types: Groups
    """What kind of run each is."""
    settings: Settings

    @cached_property
    def with_holes(self) -> bool:
        """Whether some hole model asks about unjudged documents where they stand."""
        return any(not (model.looks_below or model.takes_as_nonrelevant) for model in self.holes)


def relative(
    collection: BaseCollection,
    measure: Measure,
    *,
    prior: Sequence[RunSource | str] = (),
    order: Mapping[str, int] | None = None,
    order_source: str | None = None,
    other_groups: OtherGroups = "best",
    types: Mapping[str, str] | None = None,
    types_source: str | None = None,
    absolute: Measure | None = None,
    holes: Sequence[HoleModel] = (),
    rel: int | None = None,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    tasc_priors: TascPriors = "priors",
    explain: Sequence[str] = (),
    choosing: Choosing = Choosing(),  # noqa: B008  # it is frozen
    interval: tuple[float, float] = Settings.quantiles,
) -> Relative:
    """What each run adds to its prior set, with *measure* (the base of NRG, or NRG itself).

    Whom a run is compared with follows from *prior*, the collection's groups or the *order* (see :class:`PriorRuns`);
    *types* only say what kind of run each is. *absolute* is the score beside it, by which a run is also the best of its
    group; the base unless given. Without *holes*, bounds over all labels are given where the base has a cut-off. Unique
    and rare documents are looked for within the pool depth, which is the base's cut-off, or 10, where it is not known;
    *rel* is the lowest grade that counts for the measure, unless given.
    """
    groups, nrg = collection.groups, NRG.over(measure)
    source = (order_source or "") if groups.of_run is None else groups.source
    depth = (nrg.depth() or 10) if collection.pool_depth is None else collection.pool_depth
    question = _Question(
        nrg,
        absolute or nrg.base,
        holes or [Joint(max_grade=None) if nrg.depth() is not None else NonRelevant()],
        PriorRuns(prior, groups.of_run, order, source, other_groups),
        Counting(depth, _rel(nrg) if rel is None else rel, alpha, rareness, tasc_priors),
        choosing,
        Groups(types, types_source or "types"),
        Settings(collection.seed, interval),
    )
    _check(question)
    only_priors = collection.sources(prior_sources(collection.runs, prior))
    provenance = collection.provenance(
        runs=only_priors, labels=files_of(question.holes), order=order_source, types=types_source
    )
    check_needs(collection.qrels, [question.absolute])
    return _answer(question, _read(collection, question, only_priors), explain, provenance)


def _check(question: _Question) -> None:
    absolute, prior_runs = question.absolute, question.prior_runs
    if absolute.summary != "mean":
        raise InputError(f"{absolute} is not a mean over topics; use a measure that is, such as nDCG@10")
    if sum([bool(prior_runs.prior), prior_runs.groups is not None, prior_runs.order is not None]) > 1:
        raise InputError("give prior runs, groups or an order, not several of them")
    Choice(get_args(OtherGroups)).checked("other_groups", prior_runs.which)
    if prior_runs.which == "all" and prior_runs.groups is None:
        raise InputError("all runs of other groups can only be priors where groups are given")
    if question.counting.tasc == "group" and prior_runs.groups is None:
        raise InputError("TaSC against the run's own group needs groups")


def _read(collection: BaseCollection, question: _Question, only_priors: Sequence[RunSource]) -> ReadRuns:
    """Read all runs once, and keep what the question looks at."""
    # The pool depth is for counts; it makes no pool here.
    every = collection.replaced(runs=[*collection.runs, *only_priors], pool_depth=None)
    if question.choosing.fusion is not None:  # whose runs are read again
        every = every.rereadable()
    nrg, holes = question.nrg, question.holes
    prepared = prepare(every, [nrg], holes, evidence=any(model.learns_from_runs for model in holes))
    qrels = prepared.collection.qrels
    keep = reader(
        qrels,
        nrg,
        question.absolute,
        question.counting,
        holes,
        question.with_holes,
        with_costs=question.choosing.number is not None,
    )
    beliefs = [model.learn(qrels, prepared.collection.occurrences) for model in holes]
    infos, relative_runs = prepared.collection.each_run(keep, "reading runs")
    order, scored = scored_first([info.name for info in infos], len(collection.runs), question.prior_runs.prior)
    infos = [infos[i] for i in order]
    relative_runs, undefined = _defined([relative_runs[i] for i in order], question.absolute)
    notices = [*prepared.notices, *topic_notices(infos), *undefined]
    notices += [notice for belief in beliefs for notice in belief.notices]
    sources = [prepared.collection.runs[i] for i in order]
    return ReadRuns(qrels, infos, sources, relative_runs, scored, beliefs, notices)


def _answer(question: _Question, read: ReadRuns, explain: Sequence[str], provenance: Provenance) -> Relative:
    """All tables, from what was read."""
    nrg, counting, holes, groups = question.nrg, question.counting, question.holes, question.prior_runs.groups
    qrels, names, scored, types = read.qrels, read.names, read.scored, question.types.of_run
    explained = [position(names[:scored], name) for name in explain]
    sets = prior_sets(names, scored, read.means, question.prior_runs, str(question.absolute))
    if types is not None:
        of_each_run(names, types, question.types.source, "type")
    readings = Readings(nrg, qrels, [one.view for one in read.runs], holes=question.with_holes)
    condensed = [one.condensed for one in read.runs if one.condensed is not None]
    moved = Readings(nrg, qrels, condensed, holes=False) if condensed else readings
    estimates = _estimates(nrg, holes, read.beliefs, readings, moved, sets.sets, question.settings)
    beside = _beside(readings, read, sets, counting, question.prior_runs)
    rows, topics = score_rows(qrels, names, read.runs, sets, holes, estimates, beside, read.best_first, groups, types)
    choice = choice_rows(readings, names, scored, question.choosing, counting)
    notices = [*read.notices, *sets.notices]
    notices += [*_lone_runs(question.prior_runs, names, counting), *_unknown(nrg, holes, estimates)]
    return Relative(
        measure=str(nrg),
        absolute=str(question.absolute),
        priors=sets.words,
        depth=nrg.depth(),
        prior_depth=nrg.prior_depth(),
        pool_depth=counting.depth,
        rel=counting.rel,
        settings=_settings(question),
        topics_count=len(qrels.topics),
        run_rows=rows,
        topic_rows=topics,
        document_rows=tuple(row for run in explained for row in document_rows(readings, run, sets, names, counting)),
        pair_rows=pair_rows(readings, names, read.best_first, scored),
        choice_rows=choice,
        fused_rows=_fused(question, read, choice),
        group_rows=(
            *group_rows(readings, rows, names, read.means, groups, counting, "group"),
            *group_rows(readings, rows, names, read.means, types, counting, "type"),
        ),
        warnings=tuple(notices),
        provenance=provenance,
    )


def _defined(relative_runs: Sequence[RelativeRun], absolute: Measure) -> tuple[list[RelativeRun], list[Notice]]:
    """The runs with 0 where the absolute score is undefined, and how often that is."""
    count = sum(int(np.isnan(one.absolute).sum()) for one in relative_runs)
    text = f"{absolute} is undefined for {counted(count, '(run, topic) pair')}; counted as 0"
    notices = [Notice("undefined", count, text)] if count else []
    return [replace(one, absolute=np.nan_to_num(one.absolute)) for one in relative_runs], notices


def _settings(question: _Question) -> dict[str, str | float]:
    counting, choosing = question.counting, question.choosing
    settings: dict[str, str | float] = {"alpha": counting.alpha, "rareness": counting.rareness, "tasc": counting.tasc}
    if choosing.number is not None:
        settings["choose_by"] = choosing.by
    if choosing.fusion is not None:
        settings["fusion"] = str(choosing.fusion)
    return settings


def _fused(question: _Question, read: ReadRuns, choice: Sequence[Chosen]) -> tuple[FusedRuns, ...]:
    if question.choosing.fusion is None:
        return ()
    scoring = FusedScoring(read.qrels, question.absolute, question.holes, read.beliefs, question.settings)
    return tuple(fused_rows(read, choice, question.choosing.fusion, scoring))


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


def _beside(readings: Readings, read: ReadRuns, sets: PriorSets, counting: Counting, prior_runs: PriorRuns) -> Beside:
    relative_runs, names, means = read.runs, read.names, read.means
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
