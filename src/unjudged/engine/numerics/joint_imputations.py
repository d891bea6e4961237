"""Joint imputations: what the scores of several runs could be, with one grade for each unjudged (topic, document) pair.

One is called a *world*: a draw of grades for all holes of all runs. A hole's grade depends on the seed, the topic, the
document and the number of the draw, and on grades that judged documents of the topic have, or on what all runs
together say about the document (``prior='evidence'``); not on the run that returns it.
Labels are not spent as in the bootstrap of one run: R and the ideal ranking stay those of the judgments, so that
scores of different runs and worlds can be compared. With evidence, all that a world's grades make relevant counts in
its R and its ideal ranking, whichever run found it (:func:`with_shared_holes`), so they are the same for all runs.

The bootstrap of one run cannot give that: what `spend` hands out depends on the ranking. Holes without evidence are
drawn from the shared prior, and count for all runs. Each run becomes two rows of means (with its own topics, and with
topics drawn anew), so memory grows with runs x draws, not with topics.

Images of the corpus join in as moves: how far image i moves a run's mean (:func:`draw_images`). A move is added to the
mean in world i, so nothing has to be scored with drawn grades *on* an image, for which the quick ways to score images
would be lost. `studies/compare.py` gathers all this as `Findings`, from which `studies/comparison_tables.py` makes the
tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Floats, Hashes, Ints
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.scale import Bins
from unjudged.data.view import View, join
from unjudged.engine.numerics.scoring import deepest_rank, share_judged
from unjudged.engine.preparation.pooling import MissingPool
from unjudged.errors import Notice
from unjudged.holes.imputation.binned_scales import bins_for
from unjudged.holes.imputation.filling import Holes, grade_counts, grades_of, shares
from unjudged.holes.imputation.grade_sampler import GradeProbabilities, GradeSampler, hole_keys, joined
from unjudged.holes.imputation.grade_source import LearnedFromRuns
from unjudged.holes.imputation.hole_grades import HoleGrades
from unjudged.holes.imputation.holes_of_other_runs import AllHoles, OtherHoles, depends_on_other_holes
from unjudged.holes.imputation.precision_sums import first_relevant_level, is_average_precision
from unjudged.holes.imputation.relevance_draws import OwnHoles, draw_relevance
from unjudged.holes.imputation.scores_of_draws import Drawing
from unjudged.holes.interval_calibration import widened
from unjudged.kernels.splitmix import GOLDEN, mixed
from unjudged.measures.base import Measure
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.corpus import Corpus, CorpusBootstrap, image_blocks
from unjudged.uncertainty.draws import topic_counts

__all__ = [
    "Drawn",
    "OnImages",
    "ScoredRun",
    "as_scored",
    "draw_images",
    "draw_worlds",
    "drawn_scores",
    "sampler_of",
    "shared_prior",
    "with_shared_holes",
]


FIRST = 100
"""Worlds of which the scores of all topics are kept, for tests; what they say of variances changes little with more."""
CELLS = 1 << 22
"""Labels (rankings x draws x holes) held in memory at once. It changes no number."""


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """What one measure sees of one run, for all judged topics; document ids are replaced by keys."""

    view: View
    scores: Floats
    """Score of each topic with holes as not relevant."""
    judged: Floats
    keys: Hashes
    """A key for each hole, the same in all runs that return the document for the topic."""
    signature: Hashes
    """For each topic a number that two runs share if they look the same, holes included."""
    judged_rows: Ints
    """Rows of the judgments that the measure sees."""
    evidence: GradeProbabilities | None
    """Grade probabilities from evidence, where a model has any."""
    pairs: Ints | None = None
    """Numbers of the holes among all that runs return, where evidence is going to be asked once for all runs."""
    bins: Bins | None = None
    """What grades are drawn from where there are too many different ones."""
    other_holes: OtherHoles | None = None
    """What other runs' holes add to R and the ideal ranking; None where these stay those of the judgments."""
    relevance: OwnHoles | None = None
    """Where all that matters is drawn already: which holes are relevant."""

    @cached_property
    def holes(self) -> Holes:
        """The holes that the measure sees."""
        return Holes(self.view, self.bins)


def as_scored(
    run: Run,
    qrels: Qrels,
    measure: Measure,
    seed: int,
    missing_pool: MissingPool | None = None,
    others: LearnedFromRuns | None = None,
) -> ScoredRun:
    """Join a run with the judgments, and keep what the measure looks at.

    For AP, :func:`with_shared_holes` asks the *others*, about each hole once.
    """
    view = join(run, qrels, depth=deepest_rank([measure]), keep_qrels_rows=True)
    if missing_pool is not None:
        missing_pool.see(view)
    seen = measure.seen(view)
    holes = Holes(seen)
    keys = hole_keys(holes, seed)
    at_once = others is not None and is_average_precision(measure, seen)
    return ScoredRun(
        view=View(seen.qrels, seen.topics, seen.offsets, seen.grades, seen.states),
        scores=np.asarray(measure.compute(seen), dtype=np.float64),
        judged=share_judged(view, measure.depth()),
        keys=keys,
        signature=_signatures(seen, keys),
        judged_rows=seen.qrels_rows[seen.judged],
        evidence=None if others is None or at_once else others.grade_probabilities(seen, holes.rows),
        pairs=others.pairs(seen, holes.rows) if others is not None and at_once else None,
        bins=bins_for(seen.qrels, learned=others is not None),
    )


def _signatures(view: View, keys: Hashes) -> Hashes:
    """A hash of each ranking's length, grades by rank, and holes by rank."""
    rows = view.levels.astype(np.uint64) + np.uint64(1)
    rows[~view.judged] = keys
    rows = mixed(rows ^ mixed(view.rank.astype(np.uint64) * GOLDEN))
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(rows, dtype=np.uint64)])
    return mixed(running[view.offsets[1:]] - running[view.offsets[:-1]] + view.lengths.astype(np.uint64))


def shared_prior(scored_runs: Sequence[ScoredRun]) -> Floats:
    """Probability of each grade for the holes of each topic, the same for all runs: shape (topics, levels).

    The average of the grades in the pool and of the grades of the judged documents that any of the runs shows; of the
    pool alone where they show none.
    """
    qrels, bins = scored_runs[0].view.qrels, scored_runs[0].bins
    shown = np.zeros(len(qrels.grades), dtype=bool)
    for scored_run in scored_runs:
        shown[scored_run.judged_rows] = True
    shown &= qrels.judged
    seen, pool = grades_of(qrels, shown, bins), grade_counts(qrels, bins)
    nothing = seen.sum(axis=1, keepdims=True) == 0
    from_pool = shares(pool)
    return np.where(nothing, from_pool, (from_pool + shares(seen)) / 2)


def with_shared_holes(
    measure: Measure,
    scored_runs: Sequence[ScoredRun],
    prior: Floats,
    *,
    reach: int | None,
    others: LearnedFromRuns | None = None,
    draws: int,
    seed: int,
    jobs: int | None = None,
) -> list[ScoredRun]:
    """The same, with what each hole brings to all runs that return it.

    R and the ideal ranking follow a world's grades of all runs' holes down to rank *reach*; they stay if that is None.
    For AP, the *others* are asked and grades are drawn here, once for all runs.
    """
    first = scored_runs[0].view
    if not measure.has_holes:
        return list(scored_runs)
    follows = reach is not None and depends_on_other_holes(measure, first)
    of_precisions = is_average_precision(measure, first)
    if not follows and not of_precisions:
        return list(scored_runs)
    sampler, topics, best, places = _each_once(scored_runs, prior, others, seed)
    number_of_topics = len(first.qrels.topics)
    counted = best <= reach if follows and reach is not None else np.zeros(len(best), dtype=bool)
    if of_precisions:
        level = first_relevant_level(measure, scored_runs[0].holes.scale)
        relevance = draw_relevance(
            sampler, topics, counted, level=level, draws=draws, number_of_topics=number_of_topics, jobs=jobs
        )
        return [
            replace(one, pairs=None, relevance=OwnHoles(relevance, place, counted[place], follows))
            for one, place in zip(scored_runs, places, strict=True)
        ]
    everyones = AllHoles(sampler.take(counted), topics[counted], draws, number_of_topics=number_of_topics)
    return [
        replace(one, other_holes=OtherHoles(everyones, counted[place]))
        for one, place in zip(scored_runs, places, strict=True)
    ]


def _each_once(
    scored_runs: Sequence[ScoredRun], prior: Floats, others: LearnedFromRuns | None, seed: int
) -> tuple[GradeSampler, Ints, Ints, list[Ints]]:
    """All runs' holes, each once: how grades are drawn, their topics, their best ranks, and which each run has."""
    starts = np.cumsum([0, *(len(one.keys) for one in scored_runs)])
    keys, pairs = np.concatenate([one.keys for one in scored_runs]), _numbers(scored_runs)
    at, place = _firsts(keys if pairs is None or (pairs < 0).any() else pairs)
    best = np.full(len(at), np.iinfo(np.int64).max)
    np.minimum.at(best, place, np.concatenate([one.view.rank[one.holes.rows] for one in scored_runs]))
    topics = np.concatenate([one.holes.topics for one in scored_runs])[at]
    if others is not None and pairs is not None:
        sampler = others.pair_probabilities(pairs[at]).sampler(keys[at], prior, topics, seed)
    else:  # runs share most holes: only what is new in each is copied
        mine = np.split(at, np.searchsorted(at, starts[1:-1]))
        sampler = joined(
            [
                sampler_of(one, prior, seed).take(new - start)
                for one, start, new in zip(scored_runs, starts.tolist(), mine, strict=False)
            ]
        )
    return sampler, topics, best, np.split(place, starts[1:-1])


def _numbers(scored_runs: Sequence[ScoredRun]) -> Ints | None:
    """The numbers of all runs' holes among what runs return, if they have any."""
    pairs = [one.pairs for one in scored_runs if one.pairs is not None]
    return np.concatenate(pairs) if pairs else None


def _firsts(numbers: Ints | Hashes) -> tuple[Ints, Ints]:
    """Where each number is first, in that order, and which of these each number is."""
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), number[place]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One run over all worlds."""

    expected: Floats
    """Mean score of each topic over the worlds."""
    means: Floats
    """Mean over topics in each world."""
    resampled: Floats
    """The same with the topics of the world drawn anew, with replacement."""
    above: float
    """Share of the scores above the highest possible one: more relevant documents were drawn than R allows."""
    whole: Floats
    """The scores of each topic in the first worlds, as many as were asked for: shape (topics, worlds)."""
    parts: tuple[Floats, ...] = ()
    """The mean in each world over each part of the topics that was asked for."""


def draw_worlds(
    measure: Measure,
    scored_run: ScoredRun,
    prior: Floats,
    kept: Ints,
    *,
    draws: int,
    seed: int,
    scale: float | None = None,
    whole: int = 0,
    parts: Sequence[Ints] = (),
) -> Drawn:
    """Scores of one run in all worlds, over the topics *kept*, as far from their centres as errors of this *scale*.

    Of so many worlds the scores of all topics are kept as a *whole*. *parts*: positions among the topics kept.
    """
    scores = drawn_scores(measure, scored_run, prior, draws, seed)[kept]
    above = float((scores > measure.limits()[1] + 1e-9).mean())
    expected, scores = scores.mean(axis=1), widened(scores, scale)
    # Topics are added one by one, so that rounding does not depend on the batches.
    means, resampled = np.zeros(draws), np.zeros(draws)
    for topic in scores:
        means += topic
    size = max(1, CELLS // max(1, len(kept)))
    for start in range(0, draws, size):
        here = slice(start, min(draws, start + size))
        counts = topic_counts(seed, here.start, here.stop, len(kept)).T
        for topic, count in zip(scores, counts, strict=True):
            resampled[here] += topic[here] * count
    of_parts = tuple(scores[part].mean(axis=0) for part in parts)
    return Drawn(expected, means / len(kept), resampled / len(kept), above, scores[:, :whole].copy(), of_parts)


def drawn_scores(measure: Measure, scored_run: ScoredRun, prior: Floats, draws: int, seed: int) -> Floats:
    """Scores of all topics in all worlds: shape (topics, draws)."""
    plain = scored_run.scores
    if not measure.has_holes:
        return np.repeat(plain[:, None], draws, axis=1)
    if scored_run.relevance is not None:
        return scored_run.relevance.average_precisions(measure, scored_run.view)
    holes, evidence = scored_run.holes, scored_run.evidence
    informed = np.zeros(len(scored_run.keys), dtype=bool) if evidence is None else evidence.informed
    hole_grades = HoleGrades(holes, informed, sampler_of(scored_run, prior, seed), scored_run.other_holes)
    follows = scored_run.other_holes is not None
    with np.errstate(divide="ignore", invalid="ignore"):  # some divide by what more labels than R leave
        out = Drawing(measure, hole_grades, draws, ideal_follows=follows, cells=CELLS).scores(plain)
    return np.where(np.isfinite(out), out, plain[:, None])


def sampler_of(scored_run: ScoredRun, prior: Floats, seed: int) -> GradeSampler:
    """What the grades of a run's holes are drawn with: evidence, and the prior of the topic where there is none."""
    topics = scored_run.holes.topics
    if scored_run.evidence is None:
        return GradeSampler(scored_run.keys, prior, topics, None, seed)
    return scored_run.evidence.sampler(scored_run.keys, prior, topics, seed)


# ---- images of the corpus


@dataclass(frozen=True, eq=False)
class OnImages:
    """Runs on images of the corpus."""

    moves: Floats
    """How far each image moves a run's mean over topics: (runs, images)."""
    size: int
    """Number of documents in the corpus."""
    notices: tuple[Notice, ...]


def draw_images(
    collection: BaseCollection, measure: Measure, bootstrap: CorpusBootstrap, *, observed: Floats, kept: Ints
) -> OnImages:
    """Score runs on images, over the topics *kept*, for which their scores are *observed* (runs, topics).

    Runs are read again. Where the measure is undefined on an image, it is taken not to move.
    """
    sources, seed, jobs, progress = collection.runs, collection.seed, collection.jobs, collection.progress
    runs = list(in_order(lambda source: source.read(), sources, worker_count(jobs, len(sources))))
    corpus = Corpus.of(runs, collection.qrels, bootstrap.corpus_size)
    moves = np.zeros((len(runs), bootstrap.images))
    done = 0
    for block in image_blocks(corpus, [measure], bootstrap.images, seed=seed, jobs=jobs, progress=progress):
        scores = block[0][:, kept]
        here = slice(done, done + scores.shape[-1])
        done = here.stop
        moved = np.nan_to_num(scores - observed[..., None])
        for topic in range(len(kept)):  # one by one: NumPy sums long rows in an order of its own
            moves[:, here] += moved[:, topic]
    return OnImages(moves / len(kept), corpus.size, corpus.notices)
