"""Scores of runs: on the collection as it is, and on other corpora."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from unjudged.api.notices import warn_of
from unjudged.api.reading import (
    HoleLike,
    MeasureLike,
    files_read,
    read_holes,
    read_interval,
    read_measures,
    read_pool,
    read_qrels,
    read_runs,
    read_seed,
    read_witness_groups,
    texts_to_read,
)
from unjudged.data.provenance import DEFAULT_SEED, Provenance
from unjudged.data.run import ScoreType
from unjudged.data.scores import Scores
from unjudged.engine.pooling import check_pool
from unjudged.errors import InputError
from unjudged.holes import Settings
from unjudged.io.reading import expand_runs
from unjudged.limits import Choice
from unjudged.progress import Progress
from unjudged.studies import score as score_study

if TYPE_CHECKING:
    from unjudged.uncertainty import CorpusBootstrap, ImageScores

__all__ = ["resample", "score"]


def score(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    holes: HoleLike | Iterable[HoleLike] = ("nonrelevant",),
    scores: ScoreType = "float64",
    missing: score_study.MissingTopics = "zero",
    pool: Any = None,
    pool_depth: int | None = None,
    texts: Any = None,
    groups: Any = None,
    explain: Iterable[tuple[str, str]] = (),
    seed: int = DEFAULT_SEED,
    interval: tuple[float, float] = (0.05, 0.95),
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Scores:
    """Score runs. Files are read one at a time, so that memory does not grow with their number.

    *runs*: one source or several (see :func:`read_runs`). *missing*: a judged topic that a run lacks counts ``zero``
    (as ``trec_eval -c``) or is left out of that run's mean (``skip``). *pool*: which documents were chosen to be judged
    (see :func:`read_pool`), or *pool_depth*: the first so many of every run were; runs are then read twice.
    *texts*: what documents say (see :func:`text_source`), for measures and ``bootstrap(prior=evidence)``; runs are then
    read twice.
    *groups*: who made which run, a file of lines ``run group`` or a dict, for ``bootstrap(prior=evidence)``; without it
    near copies of a run are its group. Runs are then read three times. *explain*: pairs of a run and a topic, whose
    unjudged documents ``explained`` then lists, with what is known about each and what it is worth.
    *seed* and *interval* (two quantiles) are for hole models with draws; the same seed gives the same numbers with any
    number of threads.

    >>> scores = score({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}}, ["RR", "P@1"])
    >>> scores.mean()["mine", "RR"]
    0.5
    """
    Choice(get_args(score_study.MissingTopics)).checked("missing", missing)
    check_pool(pool, pool_depth)
    sources, models, spoken = expand_runs(runs), read_holes(holes), texts_to_read(texts)
    files = files_read(qrels, *sources, pool, groups, spoken, *models)
    result = score_study.score(
        read_qrels(qrels),
        sources,
        read_measures(measures),
        models,
        score_type=scores,
        missing=missing,
        pool=None if pool is None else read_pool(pool),
        pool_depth=pool_depth,
        texts=spoken,
        groups=read_witness_groups(groups),
        explain=_pairs(explain),
        settings=Settings(read_seed(seed), read_interval(interval)),
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed, files=files),
    )
    warn_of(result.warnings)
    return result


def _pairs(explain: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    try:
        return [(str(run), str(topic)) for run, topic in explain]
    except (TypeError, ValueError):
        raise InputError(f"explain takes pairs of a run and a topic, not {explain!r}") from None


def resample(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    how: CorpusBootstrap,
    *,
    scores: ScoreType = "float64",
    seed: int = DEFAULT_SEED,
    keep: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> ImageScores:
    """Score runs on other corpora from the same source: images of the corpus, drawn with replacement.

    All runs are scored on the same images, and are in memory together. With *keep* the score of every run and topic on
    every image is kept. The same seed gives the same numbers with any number of threads (*jobs*) and any order of runs;
    other runs beside them give other images.

    >>> from unjudged import CorpusBootstrap
    >>> how = CorpusBootstrap(images=5000, corpus_size=500)
    >>> found = resample({"1": {"a": 1, "b": 1}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}}, "R", how)
    >>> round(found.summary()["mine", "R"].mean, 1)  # the topic has no relevant document in 1 of 7 images
    0.9
    """
    from unjudged.uncertainty.corpus import bootstrap_corpus  # needs SciPy, which scoring must not wait for

    result = bootstrap_corpus(
        read_runs(runs, scores=scores, jobs=jobs),
        read_qrels(qrels),
        read_measures(measures),
        how,
        seed=read_seed(seed),
        keep=keep,
        jobs=jobs,
        progress=progress,
    )
    warn_of(result.warnings)
    return result
