"""What are my runs' scores, given that they return unjudged documents?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.pool_depth import JudgedDepths
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo, run_notices
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import (
    MOST_RANKINGS,
    RunScores,
    deepest_rank,
    score_run,
    score_run_in_parts,
    score_small_runs,
)
from unjudged.engine.preparation.pooling import MissingPool, deeper_than_pool, pool_of, reads_mostly_unjudged
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes.base import ExplainingModel, HoleModel, PreparedHoleModel, Settings, files_of
from unjudged.limits import MissingTopics
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs, ignored_subtopics, nothing_relevant
from unjudged.measures.walks import Together
from unjudged.results.scores import HoleRow, Scores, mean_known
from unjudged.studies.prepare_collection import prepare
from unjudged.threads import in_order, worker_count
from unjudged.wording import counted

if TYPE_CHECKING:
    from unjudged.engine.preparation.run_tops import RunTop

__all__ = ["score", "score_and_keep"]


_LACKING: dict[MissingTopics, str] = {"zero": "they count as 0", "skip": "they are left out of its mean"}


def score(
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    missing: MissingTopics = "zero",
    explain: Sequence[tuple[str, str]] = (),
    interval: tuple[float, float] = Settings.quantiles,
    label_files: Sequence[str] = (),
    segment_file: str | None = None,
) -> Scores:
    """Score every run with every measure under every hole model.

    *explain* has runs and topics whose holes are to be explained; *interval*, two quantiles, is for models with draws.
    *label_files* and the *segment_file* are read elsewhere, and are inputs of the result.
    """
    return score_and_keep(
        collection,
        measures,
        holes,
        missing=missing,
        explain=explain,
        interval=interval,
        label_files=label_files,
        segment_file=segment_file,
    )[0]


def score_and_keep(
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    kept: int | None = None,
    small: bool = False,
    missing: MissingTopics = "zero",
    explain: Sequence[tuple[str, str]] = (),
    interval: tuple[float, float] = Settings.quantiles,
    label_files: Sequence[str] = (),
    segment_file: str | None = None,
) -> tuple[Scores, list[RunTop]]:
    """The same, and what is *kept* of the runs (so many documents of each topic) for later questions about them.

    *small*: whether all runs are such tops, in memory, so that some can be scored together.
    """
    provenance = collection.provenance(labels=[*files_of(holes), *label_files], segments=segment_file)
    _check(collection, measures, holes)
    settings = Settings(collection.seed, interval)
    if any(model.learns_from_runs for model in holes) and collection.occurrences is None:
        collection = collection.remembering()  # runs are read to see what they return, where, and to be scored
    prepared = prepare(collection, measures, holes)
    collection, qrels = prepared.collection, prepared.collection.qrels
    for measure in measures:
        measure.prepare(qrels)
    beliefs = [model.learn(qrels, collection.occurrences) for model in holes]
    _check_explained(explain, qrels, holes)
    missing_pool = MissingPool(qrels, measures, given=collection.has_pool)
    asked: dict[str, Any] = {
        "qrels": qrels,
        "measures": Together(measures),
        "hole_models": beliefs,
        "settings": settings,
        "depth": deepest_rank(measures, holes),
        "missing_pool": missing_pool,
    }
    if small and len(qrels.topics) < MOST_RANKINGS:
        infos, results = _some_at_once(
            collection, partial(score_small_runs, **asked), MOST_RANKINGS // len(qrels.topics)
        )
    else:
        asked.update(threads=collection.threads, kept=kept)
        in_parts = partial(score_run_in_parts, **asked) if all(model.topic_by_topic for model in holes) else None
        infos, results = collection.each_run(partial(score_run, **asked), "scoring runs", in_parts=in_parts)
    scored = _Scored(measures, holes, infos, results, missing, settings)
    depths = JudgedDepths.of((one.judged_down_to, one.lengths) for one in scored.results)
    pool = pool_of(collection, scored.names, depths)
    drawn = any(model.range_of_means == "interval" for model in holes)
    explained, nothing = _explain(explain, collection, scored, beliefs)
    notices = (
        *ignored_subtopics(qrels, measures),
        *nothing_relevant(qrels, measures),
        *prepared.notices,
        *missing_pool.notices,
        *deeper_than_pool(measures, pool, len(scored.names), drawn=drawn),
        *reads_mostly_unjudged(measures, np.stack([one.judged for one in scored.results], axis=1), drawn=drawn),
        *scored.notices(),
        *(notice for belief in beliefs for notice in belief.notices),
        *nothing,
        *scored.mixed_judges(),
    )
    subtopic_models = tuple(prepared.subtopic_models)
    result = scored.result(
        topics=qrels.topics,
        subtopic_models=subtopic_models,
        explained=explained,
        warnings=notices,
        provenance=provenance,
    )
    return result, [one.top for one in results if one.top is not None]


def _some_at_once(
    collection: BaseCollection, work: Callable[[Sequence[Run]], list[RunScores]], number: int
) -> tuple[list[RunInfo], list[RunScores]]:
    """Do some work on runs that are in memory, a *number* of them at a time."""
    infos, runs = collection.each_run(lambda run: run)
    blocks = [runs[start : start + number] for start in range(0, len(runs), number)]
    return infos, list(chain.from_iterable(in_order(work, blocks, worker_count(collection.jobs, len(blocks)))))


def _check(collection: BaseCollection, measures: Sequence[Measure], holes: Sequence[HoleModel]) -> None:
    """Refuse what cannot be scored before any work starts."""
    if not measures:
        raise InputError("no measure was given; for example nDCG@10")
    check_needs(collection.qrels, measures, texts=collection.texts is not None)
    for model in holes:
        for measure in measures:
            model.check(measure)


# ---- tables of scores


class _Values(NamedTuple):
    """Arrays of shape (holes, measures, runs, topics), or of their summaries over topics."""

    values: Floats
    low: Floats
    high: Floats
    without_labels: Floats

    @property
    def rests_on_labels(self) -> Floats:
        """Which share of a value is lost without the labels; NaN where there are none, or nothing to lose."""
        shares = np.full(self.values.shape, np.nan)
        np.divide(np.abs(self.values - self.without_labels), np.abs(self.values), out=shares, where=self.values != 0)
        return shares


@dataclass(frozen=True, eq=False)
class _Scored:
    """Scores of all runs."""

    measures: Sequence[Measure]
    holes: Sequence[HoleModel]
    infos: Sequence[RunInfo]
    results: Sequence[RunScores]
    missing: MissingTopics
    settings: Settings

    @cached_property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [info.name for info in self.infos]

    @cached_property
    def cells(self) -> _Values:
        """The score of each topic."""
        return _Values(*(np.stack([getattr(one, name) for one in self.results], axis=2) for name in _Values._fields))

    @cached_property
    def labelled(self) -> Floats:
        """Share of the documents with another judge's label: (holes, measures, runs, topics)."""
        return np.stack([one.labelled for one in self.results], axis=2)

    def result(self, **beside: Any) -> Scores:
        """What the user gets, *beside* what is not about scores."""
        cells, means, judged = self.cells, self.means, np.stack([one.judged for one in self.results], axis=1)
        return Scores(
            runs=tuple(self.names),
            measures=tuple(map(str, self.measures)),
            holes=tuple(map(str, self.holes)),
            values=cells.values,
            low=cells.low,
            high=cells.high,
            judged=np.broadcast_to(judged, cells.values.shape),
            means=means.values,
            mean_low=means.low,
            mean_high=means.high,
            labelled=self.labelled,
            rests_on_labels=cells.rests_on_labels,
            mean_rests_on_labels=means.rests_on_labels,
            counts=tuple(measure.is_count for measure in self.measures),
            depths=tuple(measure.depth() for measure in self.measures),
            ranges=tuple(model.range_of_means for model in self.holes),
            distributions={
                (h, m, r): distribution
                for r, result in enumerate(self.results)
                for (h, m), distribution in result.distributions.items()
            },
            **beside,
        )

    @cached_property
    def means(self) -> _Values:
        """The summary over topics."""
        means = _Values(*map(self._summaries, self.cells))
        for column, of_topics in zip(means[1:], self.cells[1:], strict=True):
            # A mean of bounds is a bound of the mean only if every topic has one.
            unknown = np.isnan(of_topics) & ~np.isnan(self.cells.values)
            column[unknown.any(axis=-1)] = np.nan
        # Where there are draws, the interval of a mean is that of the drawn means, not the mean of the intervals.
        for r, result in enumerate(self.results):
            for (h, m), drawn in result.drawn.items():
                total, topics = drawn.all if self.missing == "zero" else drawn.answered
                drawn_means = self.measures[m].from_sum(total, topics) if topics.all() else np.full(1, np.nan)
                ends = self.holes[h].interval(drawn_means[None], None, self.settings)[0]
                means.low[h, m, r], means.high[h, m, r] = ends
        return means

    def _summaries(self, values: Floats) -> Floats:
        means = np.empty(values.shape[:3])
        for h, m, r in np.ndindex(means.shape):
            topics = slice(None) if self.missing == "zero" else self.infos[r].answered
            means[h, m, r] = self.measures[m].summarise(values[h, m, r, topics])
        return means

    # ---- what the user should know

    def notices(self) -> list[Notice]:
        """Topics that runs lack, and scores or bounds that are not defined or not known; what measures remark."""
        notices = run_notices(self.infos, lacking=_LACKING[self.missing])
        for m, measure in enumerate(self.measures):
            values = self.cells.values[:, m]
            undefined = int(np.isnan(values).any(axis=0).sum())
            if undefined:
                text = f"{measure} is undefined for {counted(undefined, '(run, topic) pair')}; left out of its means"
                notices.append(Notice("undefined", undefined, text))
            notices += measure.remarks(np.fmax.reduce(values, axis=0))
        for h, m in np.argwhere(self.results[0].bounded).tolist():
            unknown = int((np.isnan(self.cells.low[h, m]) & ~np.isnan(self.cells.values[h, m])).sum())
            if unknown:
                why = "too many ways to grade holes"
                if not np.isfinite(self.measures[m].limits()).all():
                    why += ", or no limit to its value"
                what = f"{self.holes[h]} of {self.measures[m]}"
                text = f"{what} is unknown for {counted(unknown, '(run, topic) pair')}: {why}"
                notices.append(Notice("unknown-bounds", unknown, text))
        return notices

    def mixed_judges(self) -> list[Notice]:
        """Whether runs are compared that owe more or less to another judge's labels; the first measure tells."""
        notices = []
        for h, model in enumerate(self.holes):
            shares = mean_known(self.labelled[h])
            touched = np.flatnonzero((shares > 0).any(axis=1))
            if len(self.names) < 2 or not len(touched):
                continue
            m = int(touched[0])
            what, shown = f"of {self.measures[m]} rests on labels", self.means.rests_on_labels[h, m]
            if np.isnan(shown).all():
                what, shown = f"of the documents that {self.measures[m]} looks at have a label", shares[m]
            low, high = int(np.nanargmin(shown)), int(np.nanargmax(shown))
            text = (
                f"{model} mixes two judges in this comparison: {shown[low]:.1%} ({self.names[low]}) to"
                f" {shown[high]:.1%} ({self.names[high]}) {what}"
            )
            notices.append(Notice("mixed-labels", int((shares[m] > 0).sum()), text))
        return notices


# ---- holes that are to be explained


def _check_explained(explain: Sequence[tuple[str, str]], qrels: Qrels, holes: Sequence[HoleModel]) -> None:
    """Refuse what cannot be explained before any work starts."""
    if explain and not any(model.explains for model in holes):
        raise InputError("to explain holes takes --holes evidence")
    for _, topic in explain:
        if topic not in qrels.topic_rows:
            raise InputError(f"no topic {topic!r} to explain; there is {some_of(qrels.topics)}")


def _explain(
    explain: Sequence[tuple[str, str]],
    collection: BaseCollection,
    scored: _Scored,
    beliefs: Sequence[PreparedHoleModel],
) -> tuple[tuple[HoleRow, ...], list[Notice]]:
    """The holes of the runs and topics that are asked about, and a notice for those that have none."""
    rows: list[HoleRow] = []
    notices = []
    for name, topic in explain:
        if name not in scored.names:
            raise InputError(f"no run {name!r} to explain; there is {some_of(scored.names)}")
        run, place = collection.runs[scored.names.index(name)].read(), collection.qrels.topic_rows[topic]
        belief = next(one for model, one in zip(scored.holes, beliefs, strict=True) if model.explains)
        before = len(rows)
        for measure in scored.measures:
            if measure.has_holes:
                view = join(run, collection.qrels, range(place, place + 1), depth=deepest_rank([measure]))
                rows += cast(ExplainingModel, belief).explain(name, measure, view, Settings(collection.seed))
        if len(rows) == before:
            text = f"{name} has no hole on topic {topic} within what is measured, so there is nothing to explain"
            notices.append(Notice("nothing-to-explain", 1, text))
    return tuple(rows), notices
