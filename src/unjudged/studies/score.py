"""What are my runs' scores, given that they return unjudged documents?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo, topic_notices
from unjudged.engine.numerics.scoring import (
    RunScores,
    check_explains,
    deepest_rank,
    explain_topic,
    explaining_model,
    score_run,
)
from unjudged.engine.preparation.pooling import MissingPool
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import HoleModel, PreparedHoleModel, Settings, files_of
from unjudged.limits import MissingTopics
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs, ignored_subtopics
from unjudged.results.scores import HoleRow, Scores, mean_known
from unjudged.studies.prepare_collection import prepare
from unjudged.wording import counted

__all__ = ["score"]


_LACKING: dict[MissingTopics, str] = {"zero": "they count as 0", "skip": "they are left out of its mean"}


def score(
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    missing: MissingTopics = "zero",
    explain: Sequence[tuple[str, str]] = (),
    interval: tuple[float, float] = Settings.quantiles,
) -> Scores:
    """Score every run with every measure under every hole model.

    *explain* has runs and topics whose holes are to be explained; *interval*, two quantiles, is for models with draws.
    """
    provenance = collection.provenance(labels=files_of(holes))
    _check(collection, measures, holes)
    settings = Settings(collection.seed, interval)
    prepared = prepare(collection, measures, holes)
    qrels, threads = prepared.collection.qrels, collection.threads
    for measure in measures:
        measure.prepare(qrels)
    beliefs = [model.learn(qrels, prepared.collection.occurrences) for model in holes]
    _check_explained(explain, qrels, holes)
    missing_pool = MissingPool(qrels, measures, given=collection.has_pool)
    depth = deepest_rank(measures, holes)

    def work(run: Run) -> RunScores:
        return score_run(
            run, qrels, measures, beliefs, settings, depth=depth, missing_pool=missing_pool, threads=threads
        )

    infos, results = prepared.collection.each_run(work, "scoring runs")
    names = [info.name for info in infos]
    cells = _cells(results)
    means = _means(infos, results, cells, measures, holes, missing, settings)
    rests = _lost_share(means.values, means.without_labels)
    explained, nothing = _explain(explain, names, prepared.collection, measures, holes, beliefs)
    return Scores(
        runs=tuple(names),
        topics=qrels.topics,
        measures=tuple(map(str, measures)),
        holes=tuple(map(str, holes)),
        values=cells.values,
        low=cells.low,
        high=cells.high,
        judged=np.broadcast_to(np.stack([result.judged for result in results], axis=1), cells.values.shape),
        means=means.values,
        mean_low=means.low,
        mean_high=means.high,
        labelled=cells.labelled,
        rests_on_labels=_lost_share(cells.values, cells.without_labels),
        mean_rests_on_labels=rests,
        counts=tuple(measure.is_count for measure in measures),
        depths=tuple(measure.depth() for measure in measures),
        distributions={
            (h, m, r): distribution
            for r, result in enumerate(results)
            for (h, m), distribution in result.distributions.items()
        },
        subtopic_models=tuple(prepared.subtopic_models),
        explained=explained,
        warnings=(
            *ignored_subtopics(qrels, measures),
            *prepared.notices,
            *missing_pool.notices,
            *topic_notices(infos, lacking=_LACKING[missing]),
            *_undefined(measures, cells.values),
            *_unknown_bounds(results, measures, holes, cells),
            *(notice for belief in beliefs for notice in belief.notices),
            *nothing,
            *_mixed_judges(names, measures, holes, cells.labelled, rests),
        ),
        provenance=provenance,
    )


def _check(collection: BaseCollection, measures: Sequence[Measure], holes: Sequence[HoleModel]) -> None:
    """Refuse what cannot be scored before any work starts."""
    if not measures:
        raise InputError("no measure was given; for example nDCG@10")
    check_needs(collection.qrels, measures, texts=collection.texts is not None)
    for model in holes:
        for measure in measures:
            model.check(measure)


def _check_explained(explain: Sequence[tuple[str, str]], qrels: Qrels, holes: Sequence[HoleModel]) -> None:
    """Refuse what cannot be explained before any work starts."""
    if explain:
        check_explains(holes)
    for _, topic in explain:
        if topic not in qrels.topic_rows:
            raise InputError(f"no topic {topic!r} to explain; there is {some_of(qrels.topics)}")


def _explain(
    explain: Sequence[tuple[str, str]],
    names: Sequence[str],
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    prepared: Sequence[PreparedHoleModel],
) -> tuple[tuple[HoleRow, ...], list[Notice]]:
    """The holes of the runs and topics that are asked about, and a notice for those that have none."""
    rows: list[HoleRow] = []
    notices = []
    for name, topic in explain:
        if name not in names:
            raise InputError(f"no run {name!r} to explain; there is {some_of(names)}")
        run = collection.runs[names.index(name)].read()
        model = explaining_model(holes, prepared)
        explained = explain_topic(run, name, topic, collection.qrels, measures, model, collection.seed)
        rows += explained
        if not explained:
            text = f"{name} has no hole on topic {topic} within what is measured, so there is nothing to explain"
            notices.append(Notice("nothing-to-explain", 1, text))
    return tuple(rows), notices


class _Cells(NamedTuple):
    """Arrays of shape (holes, measures, runs, topics)."""

    values: Floats
    low: Floats
    high: Floats
    labelled: Floats
    without_labels: Floats


def _cells(results: Sequence[RunScores]) -> _Cells:
    return _Cells(*(np.stack([getattr(one, name) for one in results], axis=2) for name in _Cells._fields))


class _Means(NamedTuple):
    """Summaries over topics, shape (holes, measures, runs)."""

    values: Floats
    low: Floats
    high: Floats
    without_labels: Floats


def _means(
    infos: Sequence[RunInfo],
    results: Sequence[RunScores],
    cells: _Cells,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    missing: MissingTopics,
    settings: Settings,
) -> _Means:
    means = _Means(*(_summaries(infos, getattr(cells, name), measures, missing) for name in _Means._fields))
    for name in ("low", "high", "without_labels"):
        # A mean of bounds is a bound of the mean only if every topic has one.
        unknown = np.isnan(getattr(cells, name)) & ~np.isnan(cells.values)
        getattr(means, name)[unknown.any(axis=-1)] = np.nan
    _draw_means(results, measures, holes, missing, settings, means.low, means.high)
    return means


def _summaries(infos: Sequence[RunInfo], values: Floats, measures: Sequence[Measure], missing: MissingTopics) -> Floats:
    means = np.empty(values.shape[:3])
    for r, info in enumerate(infos):
        topics = np.ones_like(info.answered) if missing == "zero" else info.answered
        for h in range(values.shape[0]):
            for m, measure in enumerate(measures):
                means[h, m, r] = measure.summarise(values[h, m, r, topics])
    return means


def _draw_means(
    results: Sequence[RunScores],
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    missing: MissingTopics,
    settings: Settings,
    low: Floats,
    high: Floats,
) -> None:
    """Where there are draws, the interval of a mean is that of the drawn means, not the mean of the intervals."""
    for r, result in enumerate(results):
        for (h, m), drawn in result.drawn.items():
            total, topics = drawn.all if missing == "zero" else drawn.answered
            means = measures[m].from_sum(total, topics) if topics.all() else np.full(1, np.nan)
            low[h, m, r], high[h, m, r] = holes[h].interval(means[None], None, settings)[0]


def _lost_share(values: Floats, without: Floats) -> Floats:
    """Which share of a value is lost without the labels; NaN where there are none, or nothing to lose."""
    shares = np.full(values.shape, np.nan)
    np.divide(np.abs(values - without), np.abs(values), out=shares, where=values != 0)
    return shares


def _mixed_judges(
    names: Sequence[str],
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    labelled: Floats,
    rests: Floats,
) -> list[Notice]:
    """Whether runs are compared that owe more or less to another judge's labels; the first measure tells how much."""
    notices = []
    for h, model in enumerate(holes):
        shares = mean_known(labelled[h])
        touched = np.flatnonzero((shares > 0).any(axis=1))
        if len(names) < 2 or not len(touched):
            continue
        m = int(touched[0])
        what = f"of {measures[m]} rests on labels"
        shown = rests[h, m]
        if np.isnan(shown).all():
            what, shown = f"of the documents that {measures[m]} looks at have a label", shares[m]
        low, high = int(np.nanargmin(shown)), int(np.nanargmax(shown))
        text = (
            f"{model} mixes two judges in this comparison:"
            f" {shown[low]:.1%} ({names[low]}) to {shown[high]:.1%} ({names[high]}) {what}"
        )
        notices.append(Notice("mixed-labels", int((shares[m] > 0).sum()), text))
    return notices


def _undefined(measures: Sequence[Measure], values: Floats) -> list[Notice]:
    """How often a measure is undefined under some hole model, and what measures have to say about their values."""
    notices = []
    for m, measure in enumerate(measures):
        undefined = int(np.isnan(values[:, m]).any(axis=0).sum())
        if undefined:
            text = f"{measure} is undefined for {counted(undefined, '(run, topic) pair')}; left out of its means"
            notices.append(Notice("undefined", undefined, text))
        notices += measure.remarks(np.fmax.reduce(values[:, m], axis=0))
    return notices


def _unknown_bounds(
    results: Sequence[RunScores], measures: Sequence[Measure], holes: Sequence[HoleModel], cells: _Cells
) -> list[Notice]:
    """Where a hole model gives bounds for some rankings and not for others."""
    notices = []
    for h, m in np.argwhere(results[0].bounded).tolist():
        unknown = int((np.isnan(cells.low[h, m]) & ~np.isnan(cells.values[h, m])).sum())
        if unknown:
            why = "too many ways to grade holes"
            if not np.isfinite(measures[m].limits()).all():
                why += ", or no limit to its value"
            text = f"{holes[h]} of {measures[m]} is unknown for {counted(unknown, '(run, topic) pair')}: {why}"
            notices.append(Notice("unknown-bounds", unknown, text))
    return notices
