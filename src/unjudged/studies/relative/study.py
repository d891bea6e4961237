"""What does a run add to others?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unjudged.collection import UNUSED_FEATURES, BaseCollection
from unjudged.data.groups import Groups
from unjudged.data.run_info import run_notices
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.prior_run_sets import PriorSets
from unjudged.engine.numerics.unique_contributions import Counting, document_rarity, rare_precision, tasc, unique
from unjudged.errors import Notice, some_of
from unjudged.holes.base import HoleModel, PreparedHoleModel, Settings, files_of
from unjudged.holes.bounds import Joint
from unjudged.holes.nonrelevant_and_condensed import NonRelevant
from unjudged.io.reading import RunSource
from unjudged.limits import Rareness, TascPriors
from unjudged.measures.base import Measure
from unjudged.measures.relative import NRG
from unjudged.measures.requested import check_needs, ignored_subtopics
from unjudged.results.provenance import Provenance
from unjudged.results.relative import Relative
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.relative import tables
from unjudged.studies.relative.parameters import Choosing, PriorRuns, Question
from unjudged.studies.relative.read_runs import (
    ReadRuns,
    RelativeRun,
    position,
    prior_sets,
    prior_sources,
    reader,
    scored_first,
)
from unjudged.wording import counted

__all__ = ["relative"]


def relative(
    collection: BaseCollection,
    measure: Measure,
    *,
    prior_runs: PriorRuns = PriorRuns(),  # noqa: B008  # it is frozen
    types: Groups = Groups(),  # noqa: B008
    types_path: str | None = None,
    absolute: Measure | None = None,
    holes: Sequence[HoleModel] = (),
    rel: float | None = None,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    tasc_priors: TascPriors = "priors",
    explain: Sequence[str] = (),
    choosing: Choosing = Choosing(),  # noqa: B008  # it is frozen
    interval: tuple[float, float] = Settings.quantiles,
) -> Relative:
    """What each run adds to its prior set, with *measure* (the base of NRG, or NRG itself).

    Whom a run is compared with follows from *prior_runs* and the collection's groups (see :class:`PriorRuns`); *types*
    only say what kind of run each is. *absolute* is the score beside it, by which a run is also the best of its
    group; the base unless given. Without *holes*, bounds over all labels are given where the base has a cut-off. Unique
    and rare documents are looked for within the pool depth, which is the base's cut-off, or 10, where it is not known;
    *rel* is the lowest grade that counts for the measure, unless given.
    """
    nrg = NRG.over(measure)
    depth = (nrg.depth() or 10) if collection.pool_depth is None else collection.pool_depth
    question = Question(
        nrg,
        absolute or nrg.base,
        holes or [Joint(max_grade=None) if nrg.depth() is not None else NonRelevant()],
        prior_runs,
        collection.groups,
        Counting(depth, _rel(nrg) if rel is None else rel, alpha, rareness, tasc_priors),
        choosing,
        types,
        Settings(collection.seed, interval),
    )
    only_prior_runs = collection.sources(prior_sources(collection.runs, prior_runs.runs))
    provenance = collection.provenance(
        runs=only_prior_runs, labels=files_of(question.holes), order=prior_runs.path, types=types_path
    )
    check_needs(collection.qrels, [question.absolute])
    return _answer(question, _read(collection, question, only_prior_runs), explain, provenance)


def _read(collection: BaseCollection, question: Question, only_prior_runs: Sequence[RunSource]) -> ReadRuns:
    """Read all runs once, and keep what the question looks at."""
    # The pool depth is for counts; it makes no pool here.
    every = collection.replaced(runs=[*collection.runs, *only_prior_runs], pool_depth=None)
    if question.choosing.fusion is not None:  # whose runs are read again
        every = every.rereadable()
    holes = question.holes
    learning = any(model.learns_from_runs for model in holes)
    prepared = prepare(every, [question.nrg], holes, evidence=learning)
    qrels = prepared.collection.qrels
    beliefs = [model.learn(qrels, prepared.collection.occurrences) for model in holes]
    infos, relative_runs = prepared.collection.each_run(reader(question, qrels), "reading runs")
    order, scored = scored_first([info.name for info in infos], len(collection.runs), question.prior_runs.runs)
    infos = [infos[i] for i in order]
    relative_runs, undefined = _defined([relative_runs[i] for i in order], question.absolute)
    flattened = ignored_subtopics(qrels, [question.nrg, question.absolute])
    unused = [UNUSED_FEATURES] if collection.features and not learning else []
    notices = [*flattened, *prepared.notices, *unused, *run_notices(infos), *undefined]
    notices += [notice for belief in beliefs for notice in belief.notices]
    sources = [prepared.collection.runs[i] for i in order]
    return ReadRuns(qrels, infos, sources, relative_runs, scored, beliefs, notices)


def _answer(question: Question, read: ReadRuns, explain: Sequence[str], provenance: Provenance) -> Relative:
    """All tables, from what was read."""
    nrg, counting, qrels, names = question.nrg, question.counting, read.qrels, read.names
    explained = [position(names[: read.scored], name) for name in explain]
    sets = prior_sets(question, read)
    if question.types.given:
        question.types.of_each(names, "type")
    readings = Readings(nrg, qrels, [one.view for one in read.runs], holes=question.with_holes)
    condensed = [one.condensed for one in read.runs if one.condensed is not None]
    moved = Readings(nrg, qrels, condensed, holes=False) if condensed else readings
    estimates = _estimates(question, read, readings, moved, sets.sets)
    rows, topics = tables.score_rows(question, read, sets, estimates, _beside(question, read, readings, sets))
    documents = [row for run in explained for row in tables.document_rows(question, read, readings, sets, run)]
    choice, fusion = tables.choice_rows(question, read, readings), question.choosing.fusion
    notices = [*read.notices, *sets.notices, *_lone_runs(question, names), *_unknown(question, estimates)]
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
        document_rows=tuple(documents),
        pair_rows=tables.pair_rows(readings, read),
        choice_rows=choice,
        fused_rows=() if fusion is None else tuple(tables.fused_rows(question, read, choice, fusion)),
        group_rows=tuple(tables.group_rows(question, read, readings, rows)),
        warnings=tuple(notices),
        provenance=provenance,
    )


def _defined(relative_runs: Sequence[RelativeRun], absolute: Measure) -> tuple[list[RelativeRun], list[Notice]]:
    """The runs with 0 where the absolute score is undefined, and how often that is."""
    count = sum(int(np.isnan(one.absolute).sum()) for one in relative_runs)
    text = f"{absolute} is undefined for {counted(count, '(run, topic) pair')}; counted as 0"
    notices = [Notice("undefined", count, text)] if count else []
    return [replace(one, absolute=np.nan_to_num(one.absolute)) for one in relative_runs], notices


def _settings(question: Question) -> dict[str, str | float]:
    counting, choosing = question.counting, question.choosing
    settings: dict[str, str | float] = {"alpha": counting.alpha, "rareness": counting.rareness, "tasc": counting.tasc}
    if choosing.number is not None:
        settings["choose_by"] = choosing.by
    if choosing.fusion is not None:
        settings["fusion"] = str(choosing.fusion)
    return settings


def _rel(nrg: NRG) -> float:
    """The lowest grade that counts for the measure."""
    return nrg.rel if nrg.gain == "binary" else nrg.base.rel or 1


def _estimates(
    question: Question, read: ReadRuns, readings: Readings, moved: Readings, sets: Sequence[tuple[int, ...]]
) -> tables.Estimates:
    """NRG under each hole model; *moved* are the readings without unjudged documents."""
    holes, settings = question.holes, question.settings
    shape = (len(holes), len(sets), len(readings.qrels.topics))
    out = tables.Estimates(*(np.full(size, np.nan) for size in (shape, shape, shape, shape[:2], shape[:2])))
    for h, model in enumerate(holes):
        place = moved if model.looks_below else readings
        belief: PreparedHoleModel = NonRelevant() if model.looks_below else read.beliefs[h]
        # Runs with the same prior set, such as those of a group, share what it leaves.
        for prior_runs in dict.fromkeys(sets):
            left = place.left(prior_runs)
            for run in [run for run, mine in enumerate(sets) if mine == prior_runs]:
                estimate = belief.estimate(question.nrg, place.after(run, left), settings)
                out.value[h, run] = estimate.value
                if estimate.low is not None and estimate.high is not None:
                    out.low[h, run], out.high[h, run] = estimate.low, estimate.high
                    out.mean_low[h, run], out.mean_high[h, run] = estimate.low.mean(), estimate.high.mean()
                if estimate.draws is not None:
                    ends = model.interval(estimate.draws.mean(axis=0)[None], None, settings)[0]
                    out.mean_low[h, run], out.mean_high[h, run] = ends
    return out


def _beside(question: Question, read: ReadRuns, readings: Readings, sets: PriorSets) -> tables.Beside:
    counting, names = question.counting, read.names
    of_run = question.groups.of_run or {}
    absolute = np.stack([one.absolute for one in read.runs])
    rarity = document_rarity(readings, counting, [one.docs for one in read.runs if one.docs is not None])
    counts, rare, tascs = [], [], []
    for run, prior_runs in enumerate(sets.sets):
        counts.append(unique(readings, run, readings.found_by(prior_runs, counting.depth), counting))
        rare.append(rare_precision(readings, run, rarity, counting))
        against = prior_runs
        if counting.tasc == "group":
            mine = [i for i, name in enumerate(names) if of_run[name] == of_run[names[run]]]
            against = tuple(i for i in [max(mine, key=lambda i: read.means[i])] if i != run)
        tascs.append(tasc(absolute, run, against))
    return tables.Beside(np.stack(counts), np.stack(rare), np.stack(tascs))


def _lone_runs(question: Question, names: Sequence[str]) -> list[Notice]:
    """Groups of one run, where TaSC looks at the own group."""
    if question.counting.tasc != "group":
        return []
    alone = [group for group, runs in question.groups.members(names).items() if len(runs) == 1]
    such = f"{counted(len(alone), 'group has', 'groups have')} one run only ({some_of(alone, 3)})"
    text = f"{such}: TaSC against the own group is the run's score there"
    return [Notice("one-run-groups", len(alone), text)] if alone else []


def _unknown(question: Question, estimates: tables.Estimates) -> list[Notice]:
    """Where a hole model gives bounds for some rankings and not for others."""
    notices = []
    for h, model in enumerate(question.holes):
        unknown = np.isnan(estimates.low[h])
        if unknown.any() and not unknown.all():
            count = int(unknown.sum())
            pairs = counted(count, "(run, topic) pair")
            text = f"{model} of {question.nrg} is unknown for {pairs}: too many ways to grade holes"
            notices.append(Notice("unknown-bounds", count, text))
    return notices
